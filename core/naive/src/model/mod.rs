//! Expressions, conditions, forms and equivalences of provider models, by section 2 of `docs/spec/provider-model.md`.
//!
//! Every value that expressions can refer to is computed first: a scene is nine trees.

mod equal;
mod form;

pub use equal::{value_equal, wire_equal};
pub use form::{canonical, canonical_text, equivalent, equivalent_texts};

use planfuzz_pipelines::expression::{Changed, Cond, Expr, Operation, Ref, Source};

use crate::value::{Is, Num, Ty, Val, convert, write};

/// Whether the field of a name changed; `None` where that is not known.
pub type HasChanged<'a> = dyn Fn(&str) -> Option<bool> + 'a;

/// The values that expressions and conditions refer to.
pub struct Scene<'a> {
    /// The attribute itself, in configuration, prior and plan.
    pub this: [Val; 3],
    /// The object that contains it.
    pub object: [Val; 3],
    /// The whole objects.
    pub root: [&'a Val; 3],
    /// The operation on the resource.
    pub operation: Operation,
    /// Decides whether a field changed, where the pipeline has a rule of its own for that.
    pub changed: Option<&'a HasChanged<'a>>,
}

const PRIOR: usize = 1;
const PLAN: usize = 2;

fn index(source: Source) -> usize {
    match source {
        Source::Config => 0,
        Source::Prior => PRIOR,
        Source::Plan => PLAN,
    }
}

/// A field of an object: null of a null object, unknown of an unknown one.
pub fn field(object: &Val, name: &str) -> Val {
    match &object.is {
        Is::Named(members) => {
            let found = members.iter().find(|(other, _)| other == name);
            found.map_or_else(|| Val::null(Ty::Dynamic), |(_, value)| value.clone())
        }
        Is::Unknown(_) => Val::unknown(type_of_field(&object.ty, name)),
        _ => Val::null(type_of_field(&object.ty, name)),
    }
}

fn type_of_field(ty: &Ty, name: &str) -> Ty {
    let Ty::Object(attributes) = ty else { return Ty::Dynamic };
    attributes.iter().find(|attribute| attribute.name == name).map_or(Ty::Dynamic, |attribute| attribute.ty.clone())
}

impl Scene<'_> {
    fn look(&self, reference: &Ref, at: usize) -> Val {
        match reference {
            Ref::This(_) => self.this[at].clone(),
            Ref::Sibling(_, name) => field(&self.object[at], name),
            Ref::Root(_, names) => names.iter().fold(self.root[at].clone(), |value, name| field(&value, name)),
        }
    }

    fn value_of(&self, reference: &Ref) -> Val {
        self.look(reference, index(reference.source()))
    }

    /// The value of a condition; `None` for "unknown".
    pub fn holds(&self, cond: &Cond) -> Option<bool> {
        match cond {
            Cond::Bool(bool) => Some(*bool),
            Cond::Op(operation) => Some(*operation == self.operation),
            Cond::IsNull(of) => {
                let value = self.value_of(of);
                (!value.is_unknown()).then(|| value.is_null())
            }
            Cond::IsUnknown(of) => Some(self.value_of(of).is_unknown()),
            Cond::PartlyUnknown(of) => Some(!self.value_of(of).is_wholly_known()),
            Cond::Changed(Changed::Name(name)) => match self.changed {
                Some(changed) => changed(name),
                None => differ(&field(self.root[PLAN], name), &field(self.root[PRIOR], name)),
            },
            Cond::Changed(Changed::Ref(of)) => differ(&self.look(of, PLAN), &self.look(of, PRIOR)),
            Cond::Eq(a, b) => {
                let (a, b) = self.sides(a, b, None)?;
                Some(equal_or_null(&a, &b))
            }
            Cond::Lt(a, b) => {
                let (a, b) = self.sides(a, b, Some(&Ty::Number))?;
                match (&a.is, &b.is) {
                    (Is::Num(a), Is::Num(b)) => Some(a.compare(b).is_lt()),
                    _ => Some(false),
                }
            }
            Cond::Same(equivalence, a, b) => {
                let (a, b) = self.sides(a, b, None)?;
                Some(equivalent(equivalence, &a, &b))
            }
            Cond::Not(of) => self.holds(of).map(|holds| !holds),
            Cond::All(of) => {
                let answers: Vec<Option<bool>> = of.iter().map(|of| self.holds(of)).collect();
                if answers.contains(&Some(false)) {
                    Some(false)
                } else {
                    answers.contains(&None).then_some(()).map_or(Some(true), |()| None)
                }
            }
            Cond::Any(of) => {
                let answers: Vec<Option<bool>> = of.iter().map(|of| self.holds(of)).collect();
                if answers.contains(&Some(true)) {
                    Some(true)
                } else {
                    answers.contains(&None).then_some(()).map_or(Some(false), |()| None)
                }
            }
        }
    }

    /// Both sides of a comparison; `None` where one is not wholly known.
    fn sides(&self, a: &Expr, b: &Expr, ty: Option<&Ty>) -> Option<(Val, Val)> {
        let side = |of: &Expr| match ty {
            Some(ty) => self.of_type(of, ty),
            None => self.raw(of),
        };
        let (a, b) = (side(a), side(b));
        (a.is_wholly_known() && b.is_wholly_known()).then_some((a, b))
    }

    /// The value of an expression at its target's type; null where the type has no such value.
    pub fn of_type(&self, expr: &Expr, ty: &Ty) -> Val {
        match expr {
            Expr::Null => Val::null(ty.clone()),
            Expr::Unknown => Val::unknown(ty.clone()),
            Expr::If(cond, then, otherwise) => match self.holds(cond) {
                None => Val::unknown(ty.clone()),
                Some(true) => self.of_type(then, ty),
                Some(false) => self.of_type(otherwise, ty),
            },
            other => {
                let value = self.raw(other);
                if value.ty.conforms(ty) {
                    value
                } else {
                    convert(&value, ty).unwrap_or_else(|_| Val::null(ty.clone()))
                }
            }
        }
    }

    fn raw(&self, expr: &Expr) -> Val {
        match expr {
            Expr::Null => Val::null(Ty::Dynamic),
            Expr::Unknown => Val::unknown(Ty::Dynamic),
            Expr::Const(value) => Val::of(value),
            Expr::Ref(reference) => self.value_of(reference),
            Expr::Canon(form, of) => {
                let value = self.raw(of);
                if value.is_wholly_known() { canonical(form, &value) } else { Val::unknown(value.ty) }
            }
            Expr::Concat(parts) => {
                let parts: Vec<Val> = parts.iter().map(|part| self.raw(part)).collect();
                if !parts.iter().all(Val::is_wholly_known) {
                    return Val::unknown(Ty::String);
                }
                let texts: Option<String> = parts.iter().map(text_of).collect();
                texts.map_or_else(|| Val::null(Ty::String), string)
            }
            Expr::Hash(parts) => {
                let parts: Vec<Val> = parts.iter().map(|part| self.raw(part)).collect();
                if !parts.iter().all(Val::is_wholly_known) {
                    return Val::unknown(Ty::String);
                }
                let text = |part: &Val| text_of(part).unwrap_or_else(|| write(part, &part.ty).to_compact());
                let texts: Vec<String> = parts.iter().map(text).collect();
                string(format!("h{}", &format!("{:016x}", fnv(texts.join("|").as_bytes()))[..8]))
            }
            Expr::Add(a, b) => {
                let (a, b) = (self.of_type(a, &Ty::Number), self.of_type(b, &Ty::Number));
                if a.is_unknown() || b.is_unknown() {
                    return Val::unknown(Ty::Number);
                }
                match (&a.is, &b.is) {
                    (Is::Num(a), Is::Num(b)) => sum(a, b).map_or_else(|| Val::null(Ty::Number), number),
                    _ => Val::null(Ty::Number),
                }
            }
            Expr::Length(of) => {
                let value = self.raw(of);
                match &value.is {
                    Is::Unknown(_) => Val::unknown(Ty::Number),
                    Is::Str(text) => number(Num::int(text.chars().count())),
                    // Also of one element, where V45 knows the length: a provider counts the elements that it
                    // decodes.
                    Is::Seq(_) if matches!(value.ty, Ty::Set(_)) && !value.is_wholly_known() => {
                        Val::unknown(Ty::Number)
                    }
                    Is::Seq(items) => number(Num::int(items.len())),
                    Is::Named(entries) => number(Num::int(entries.len())),
                    _ => Val::null(Ty::Number),
                }
            }
            Expr::If(cond, then, otherwise) => match self.holds(cond) {
                None => Val::unknown(Ty::Dynamic),
                Some(true) => self.raw(then),
                Some(false) => self.raw(otherwise),
            },
        }
    }
}

fn string(text: String) -> Val {
    Val { ty: Ty::String, is: Is::Str(crate::value::nfc(&text)) }
}

fn number(number: Num) -> Val {
    Val { ty: Ty::Number, is: Is::Num(number) }
}

/// `None` for infinities that cancel one another.
fn sum(a: &Num, b: &Num) -> Option<Num> {
    match (a, b) {
        (Num::Finite(a, _), Num::Finite(b, _)) => {
            let sum = a.plus(b);
            let is_zero = sum.compare(&crate::value::fraction::Fraction::whole(0)).is_eq();
            Some(if is_zero { Num::int(0) } else { Num::Finite(sum, 512) })
        }
        (Num::Infinity { negative: a }, Num::Infinity { negative: b }) if a != b => None,
        (infinity @ Num::Infinity { .. }, _) | (_, infinity @ Num::Infinity { .. }) => Some(infinity.clone()),
        (Num::Zero { .. }, other) | (other, Num::Zero { .. }) => Some(other.clone()),
    }
}

/// The text of a string, a number or a bool, an empty one for null; `None` for the rest.
fn text_of(value: &Val) -> Option<String> {
    match &value.is {
        Is::Null => Some(String::new()),
        Is::Str(text) => Some(text.clone()),
        Is::Num(number) => Some(number.text()),
        Is::Bool(bool) => Some(bool.to_string()),
        _ => None,
    }
}

/// FNV-1a of 64 bits.
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

fn differ(plan: &Val, prior: &Val) -> Option<bool> {
    (plan.is_wholly_known() && prior.is_wholly_known()).then(|| !equal_or_null(plan, prior))
}

/// F09, but null equals null whatever the types.
fn equal_or_null(a: &Val, b: &Val) -> bool {
    if a.is_null() || b.is_null() { a.is_null() && b.is_null() } else { value_equal(a, b) }
}
