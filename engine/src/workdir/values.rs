//! Values as expressions: an expression has one value in the plan, and perhaps another in the static validation, where every reference is
//! unknown (L01).

use planfuzz_core::value::{Node, Number, Range, Refinement, Text, Type, ValueRef, raw_equals};

use super::expression::{Expression, quoted};
use super::marks::Marks;
use super::sources::Sources;
use super::typed;
use crate::job::LeftOut;

/// What the static validation is to see of a place.
#[derive(Clone, Copy, Debug)]
pub enum Early<'v> {
    /// The planned value, without a reference.
    Same,
    /// This value.
    Seen(ValueRef<'v>),
    /// Any value: the static validation does not look at the place, or not so far.
    Any,
}

impl<'v> Early<'v> {
    /// The value that it is to see, if it is a given one.
    pub fn value(self) -> Option<ValueRef<'v>> {
        match self {
            Early::Seen(value) => Some(value),
            Early::Same | Early::Any => None,
        }
    }

    /// What it is to see of a part; `part` finds that part in a value.
    pub fn part(self, part: impl FnOnce(ValueRef<'v>) -> Option<ValueRef<'v>>) -> Result<Early<'v>, LeftOut> {
        match self {
            Early::Seen(value) => part(value).map(Early::Seen).ok_or(OTHER_EARLY),
            other => Ok(other),
        }
    }
}

/// The expression with the mark of an ephemeral reference whose value is null. A function lifts the marks of parts to the whole, an index
/// leaves them where they are.
fn ephemeral(bare: Expression, has_marks_below: bool, reference: &str) -> Expression {
    let beside = |bare| Expression::call("coalesce", &[bare, Expression::Code(reference.to_owned())]);
    match has_marks_below {
        false => beside(bare),
        true => {
            let first = beside(Expression::Number("0".into())).to_code();
            Expression::Code(format!("[{}][{first}]", bare.to_code()))
        }
    }
}

/// A place in a value, and what to write there.
#[derive(Clone, Debug)]
pub struct Place<'v> {
    /// The value.
    pub planned: ValueRef<'v>,
    /// What the static validation sees.
    pub early: Early<'v>,
    /// What is sensitive.
    pub sensitive: Marks<'v>,
    /// What is ephemeral.
    pub ephemeral: Marks<'v>,
    /// Whether the expression must have the exact type of the value; otherwise it is converted to it.
    pub exact: bool,
}

const OTHER_EARLY: LeftOut = LeftOut::Unwritable("the static validation knows another value than the plan");

impl<'v> Place<'v> {
    /// A value without marks, of exactly its type.
    pub fn plain(value: ValueRef<'v>) -> Place<'v> {
        let (sensitive, ephemeral) = (Marks::default(), Marks::default());
        Place { planned: value, early: Early::Any, sensitive, ephemeral, exact: true }
    }

    /// The expression of this place, including its marks.
    pub fn expression(&self, sources: &mut Sources) -> Result<Expression, LeftOut> {
        let bare = match self.early {
            Early::Seen(early) if early.is_unknown() => self.delayed(early, sources)?,
            _ => self.bare(sources)?,
        };
        if self.sensitive.here() && self.exact && self.planned.is_null() {
            // The engine loses the mark when it converts a nested attribute to its type.
            return Err(LeftOut::Unwritable("a mark on a null in a place of any type"));
        }
        let sensitive = if self.sensitive.here() { Expression::call("sensitive", &[bare]) } else { bare };
        if !self.ephemeral.here() {
            return Ok(sensitive);
        }
        if self.planned.is_null() {
            return Err(LeftOut::Unwritable("an ephemeral null"));
        }
        Ok(ephemeral(sensitive, self.sensitive.is_below(), sources.ephemeral()))
    }

    fn bare(&self, sources: &mut Sources) -> Result<Expression, LeftOut> {
        let Place { planned, early, .. } = self;
        if planned.is_unknown() {
            return match early {
                Early::Any => sources.unknown(*planned, self.exact),
                _ => Err(LeftOut::Unwritable("the static validation knows what the plan does not")),
            };
        }
        if let Early::Seen(early) = early
            && (early.is_null() != planned.is_null() || early.len() != planned.len())
        {
            return Err(OTHER_EARLY);
        }
        if planned.is_null() {
            // A null of no type loses its mark when it is converted.
            let is_typed = self.exact || (self.sensitive.here() && *planned.ty() != Type::Dynamic);
            return Ok(if is_typed { typed::null(planned.ty()) } else { Expression::Null });
        }
        match planned.ty() {
            Type::Dynamic => Err(LeftOut::Unwritable("a known value of no type")),
            Type::Bool | Type::Number | Type::String => self.leaf(),
            Type::List(_) | Type::Tuple(_) | Type::Set(_) => self.sequence(sources),
            Type::Map(_) | Type::Object(_) => self.entries(sources),
        }
    }

    fn leaf(&self) -> Result<Expression, LeftOut> {
        if let Early::Seen(early) = self.early
            && !raw_equals(early, self.planned)
        {
            return Err(OTHER_EARLY);
        }
        if let Some(bool) = self.planned.as_bool() {
            return Ok(Expression::Bool(bool));
        }
        if let Some(text) = self.planned.as_text() {
            return Ok(Expression::Text(text.clone()));
        }
        self.planned.as_number().map_or(Err(OTHER_EARLY), number)
    }

    fn sequence(&self, sources: &mut Sources) -> Result<Expression, LeftOut> {
        let planned = self.planned;
        let order = Place::early_elements_of(planned, self.early)?;
        let mut items = Vec::with_capacity(planned.len());
        for (index, early) in order.into_iter().enumerate() {
            let element = planned.element(index).ok_or(OTHER_EARLY)?;
            items.push(self.part(element, early, |marks| marks.index(index)).expression(sources)?);
        }
        let function = match planned.ty() {
            Type::List(_) => "tolist",
            Type::Set(_) => "toset",
            _ => return Ok(Expression::Tuple(items)),
        };
        Ok(match self.exact {
            false => Expression::Tuple(items),
            true if items.is_empty() => typed::empty(planned.ty()),
            true => typed::collection(function, items),
        })
    }

    /// What the static validation sees of each element. In a set, which is ordered by its elements, equal elements are paired first, then
    /// the others in order.
    pub fn early_elements_of(planned: ValueRef<'v>, early: Early<'v>) -> Result<Vec<Early<'v>>, LeftOut> {
        let count = planned.len();
        match early {
            Early::Seen(early) if matches!(planned.ty(), Type::Set(_)) => pairs(planned, early),
            early => (0..count).map(|index| early.part(|value| value.element(index))).collect(),
        }
    }

    fn entries(&self, sources: &mut Sources) -> Result<Expression, LeftOut> {
        let is_map = matches!(self.planned.ty(), Type::Map(_));
        let mut members = Vec::with_capacity(self.planned.len());
        for (key, entry) in self.planned.entries() {
            let early = self.early.part(|value| value.entry(key))?;
            let part = self.part(entry, early, |marks| if is_map { marks.key(key) } else { marks.attribute(key) });
            members.push((key.clone(), part.expression(sources)?));
        }
        Ok(match is_map && self.exact {
            false => Expression::Object(members),
            true if members.is_empty() => typed::empty(self.planned.ty()),
            true => Expression::call("tomap", &[Expression::Object(members)]),
        })
    }

    fn part(&self, planned: ValueRef<'v>, early: Early<'v>, below: impl Fn(&Marks<'v>) -> Marks<'v>) -> Place<'v> {
        let Place { sensitive, ephemeral, exact, .. } = self;
        Place { planned, early, sensitive: below(sensitive), ephemeral: below(ephemeral), exact: *exact }
    }

    /// A value that the static validation does not know.
    fn delayed(&self, early: ValueRef<'_>, sources: &mut Sources) -> Result<Expression, LeftOut> {
        let planned = self.planned;
        let record = match early.node() {
            Node::Unknown(Some(record)) => Some(&**record),
            _ => None,
        };
        if planned.is_unknown() && early.ty() == planned.ty() && raw_equals(early, planned) {
            return unknown_always(planned);
        }
        if let Some(record) = record {
            return self.refined_late(record);
        }
        let late = Place { early: Early::Any, ..self.clone() };
        if self.exact && !early.ty().is_dynamic() {
            if early.ty() != planned.ty() {
                return Err(LeftOut::Unwritable("the static validation knows another type than the plan"));
            }
            // An element of a list of that type, at an index that is not known.
            let item = late.bare(sources)?;
            return Ok(Expression::Code(format!("tolist([{}])[{}]", item.to_code(), sources.first())));
        }
        let late = late.bare(sources)?;
        Ok(Expression::Code(format!("{{\"k\" = {}}}[{}]", late.to_code(), sources.later())))
    }

    /// A known value of which the static validation knows a refinement.
    fn refined_late(&self, record: &Refinement) -> Result<Expression, LeftOut> {
        const REFINED: LeftOut = LeftOut::Unwritable("the static validation knows something of an unknown");
        if !record.not_null || self.planned.is_unknown() || self.planned.is_null() {
            return Err(REFINED);
        }
        let late = |value: &Expression| format!("{{\"k\" = {}}}[var.later]", value.to_code());
        match (&record.range, self.planned.as_text(), self.planned.as_bool()) {
            (Range::Any, Some(text), _) => {
                Ok(Expression::Code(format!("\"${{{}}}${{\"\"}}\"", late(&Expression::Text(text.clone())))))
            }
            (Range::Any, _, Some(bool)) => Ok(Expression::Code(format!("({} == true)", late(&Expression::Bool(bool))))),
            (Range::Any, None, None) => match self.planned.as_number() {
                Some(some) => Ok(Expression::Code(format!("({} + 0)", late(&number(some)?)))),
                None => Err(REFINED),
            },
            (Range::String { prefix }, Some(text), _) if prefix.as_str().len() <= typed::LONGEST_PREFIX => {
                // A template drops the last character before an unknown: here it must be an ASCII letter or digit.
                let rest = text.strip_prefix(prefix.as_str()).ok_or(REFINED)?;
                let kept = rest.chars().next().filter(char::is_ascii_alphanumeric).ok_or(REFINED)?;
                let start = quoted(&format!("{}{kept}", prefix.as_str()));
                let rest = Expression::Text(Text::new(&rest[kept.len_utf8()..]));
                Ok(Expression::Code(format!("{}${{{}}}\"", &start[..start.len() - 1], late(&rest))))
            }
            _ => Err(REFINED),
        }
    }
}

/// An unknown of an expression without references: the static validation and the plan see the same.
fn unknown_always(planned: ValueRef<'_>) -> Result<Expression, LeftOut> {
    match planned.node() {
        Node::Unknown(Some(record)) => typed::refined(planned.ty(), record)
            .ok_or(LeftOut::Unwritable("the static validation knows something of an unknown")),
        _ => Ok(typed::unknown(planned.ty())),
    }
}

fn number(number: &Number) -> Result<Expression, LeftOut> {
    typed::number(number).ok_or(LeftOut::Unwritable("a number whose digits are another number's"))
}

/// The elements of a set as the static validation sees them, in the order of the planned elements.
fn pairs<'v>(planned: ValueRef<'v>, early: ValueRef<'v>) -> Result<Vec<Early<'v>>, LeftOut> {
    let mut left: Vec<ValueRef<'v>> = early.children().map(|(_, element)| element).collect();
    let mut found: Vec<Option<ValueRef<'v>>> = Vec::with_capacity(planned.len());
    for (_, element) in planned.children() {
        let same = left.iter().position(|other| raw_equals(*other, element));
        found.push(same.map(|index| left.remove(index)));
    }
    let mut rest = left.into_iter();
    let mut early = || rest.next().map(Early::Seen).ok_or(OTHER_EARLY);
    found.into_iter().map(|found| found.map_or_else(&mut early, |same| Ok(Early::Seen(same)))).collect()
}
