//! Writes configurations as bodies of blocks.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::schema::{Attribute, Block, NestedBlock, Nesting, Shape};
use planfuzz_core::value::convert::convert;
use planfuzz_core::value::{Text, Type, ValueRef, raw_equals};

use super::decoded;
use super::expression::Expression;
use super::marks::Marks;
use super::sources::Sources;
use super::typed;
use super::values::{Early, Place};
use crate::job::LeftOut;

/// The arguments and blocks of a body.
pub type Members = Vec<(Box<str>, Json)>;

/// An object that becomes a body.
#[derive(Clone, Debug)]
pub struct Part<'v> {
    /// Its value.
    pub planned: ValueRef<'v>,
    /// What the static validation sees.
    pub early: Early<'v>,
    /// What is sensitive.
    pub sensitive: Marks<'v>,
    /// What is ephemeral.
    pub ephemeral: Marks<'v>,
}

/// Writes bodies.
pub struct Writer<'s> {
    /// The sources of unknown values.
    pub sources: &'s mut Sources,
    /// The dialect that types are implied in.
    pub dialect: Dialect,
    /// References that must be in the body without affecting its value.
    pub referring: Vec<String>,
}

/// Names that a resource's own body reserves. Arguments of these names stand in a block `_`.
const RESERVED: [&str; 7] = ["count", "for_each", "provider", "depends_on", "lifecycle", "connection", "provisioner"];

impl Writer<'_> {
    /// The body of a resource.
    pub fn resource(&mut self, block: &Block, part: &Part<'_>) -> Result<Members, LeftOut> {
        if !part.planned.is_present() {
            return Err(LeftOut::Unwritable("a configuration that is no object"));
        }
        if part.sensitive.here() || part.ephemeral.here() {
            return Err(LeftOut::Unwritable("a mark on the whole configuration"));
        }
        let body = self.body(block, part)?;
        if !self.referring.is_empty() {
            return Err(LeftOut::Unwritable("a reference of a configuration without attributes"));
        }
        let (escaped, mut body): (Members, Members) =
            body.into_iter().partition(|(name, _)| RESERVED.contains(&&**name));
        if body.iter().any(|(name, _)| &**name == "_") {
            return Err(LeftOut::Unwritable("a name that the language keeps for itself"));
        }
        if !escaped.is_empty() {
            body.push(("_".into(), Json::Object(escaped)));
        }
        Ok(body)
    }

    fn body(&mut self, block: &Block, part: &Part<'_>) -> Result<Members, LeftOut> {
        let mut members = Members::new();
        for (name, attribute) in block.attributes.iter() {
            if let Some(written) = self.attribute(name, attribute, part)? {
                members.push((name.as_str().into(), written));
            }
        }
        let mut dynamic = Members::new();
        for (name, nested) in block.block_types.iter() {
            match self.nested(nested, &part.member(name)?)? {
                Blocks::Absent => {}
                Blocks::Plain(json) => members.push((name.as_str().into(), json)),
                Blocks::Dynamic(json) => dynamic.push((name.as_str().into(), json)),
            }
        }
        if members.iter().any(|(name, _)| &**name == "dynamic") {
            return Err(LeftOut::Unwritable("a name that the language keeps for itself"));
        }
        if !dynamic.is_empty() {
            members.push(("dynamic".into(), Json::Object(dynamic)));
        }
        if members.iter().any(|(name, _)| &**name == "//") {
            return Err(LeftOut::Unwritable("a name that is a comment"));
        }
        Ok(members)
    }

    /// An attribute; `None` if it is left out.
    fn attribute(&mut self, name: &Text, attribute: &Attribute, of: &Part<'_>) -> Result<Option<Json>, LeftOut> {
        let Part { planned, early, sensitive, ephemeral } = of.member(name)?;
        // To the engine, a configured null of such a type has another type than a planned one.
        if planned.is_present() && matches!(attribute.shape, Shape::Nested(_)) && decoded::holds_optional(attribute) {
            return Err(LeftOut::Unwritable("a nested attribute that holds a type with optional attributes"));
        }
        if decoded::shortens(attribute, planned, self.dialect) {
            return Err(LeftOut::Unwritable("a refined set of unknown length in a nested attribute"));
        }
        let implied = attribute.implied_type(self.dialect);
        let is_open = implied.has_dynamic();
        if is_open && !(keeps(&implied, planned) && early.value().is_none_or(|early| keeps(&implied, early))) {
            return Err(LeftOut::Unwritable("a value of another type once it is converted"));
        }
        let exact = is_open || loses_a_mark(planned, &sensitive);
        let place = Place { planned, early, sensitive, ephemeral, exact };
        let mut expression = place.expression(self.sources)?;
        for reference in self.referring.drain(..) {
            expression = expression.referring(&reference);
        }
        let absent = matches!(expression, Expression::Null) && !attribute.required;
        Ok((!absent).then(|| expression.to_json()))
    }

    fn nested(&mut self, nested: &NestedBlock, part: &Part<'_>) -> Result<Blocks, LeftOut> {
        const HERE: LeftOut = LeftOut::Unwritable("a mark on blocks");
        if part.sensitive.here() || part.ephemeral.here() {
            return Err(HERE);
        }
        match nested.nesting {
            Nesting::Single | Nesting::Group => self.one(nested, part),
            Nesting::List | Nesting::Set | Nesting::Map => self.many(nested, part),
        }
    }

    fn one(&mut self, nested: &NestedBlock, part: &Part<'_>) -> Result<Blocks, LeftOut> {
        if part.planned.is_unknown() || part.is_unknown_early() {
            return Err(LeftOut::Unwritable("an unknown single or group block"));
        }
        if let Early::Seen(early) = part.early
            && early.is_null() != part.planned.is_null()
        {
            return Err(LeftOut::Unwritable("a block that the static validation has otherwise"));
        }
        if part.planned.is_null() {
            return match nested.nesting {
                Nesting::Group => Err(LeftOut::Unwritable("a group block that is null")),
                _ if nested.min_items > 0 => Err(FEWER_OR_MORE),
                _ => Ok(Blocks::Absent),
            };
        }
        Ok(Blocks::Plain(Json::Object(self.body(&nested.block, part)?)))
    }

    fn many(&mut self, nested: &NestedBlock, part: &Part<'_>) -> Result<Blocks, LeftOut> {
        if part.planned.is_null() {
            return Err(LeftOut::Unwritable("blocks that are null"));
        }
        let is_of_another_kind = |value: ValueRef<'_>| !is_decoded_as(nested.nesting, value.ty());
        if is_of_another_kind(part.planned) || part.early.value().is_some_and(is_of_another_kind) {
            return Err(LeftOut::Unwritable("blocks of another kind than a configuration has"));
        }
        if part.planned.is_unknown() {
            return self.unknown(nested, part);
        }
        if part.is_unknown_early() {
            return self.late(nested, part);
        }
        let bodies = self.bodies(nested, part)?;
        if bodies.is_empty() {
            return Ok(Blocks::Absent);
        }
        Ok(Blocks::Plain(match nested.nesting {
            Nesting::Map => Json::Object(bodies),
            _ => Json::Array(bodies.into_iter().map(|(_, body)| body).collect()),
        }))
    }

    /// The body of each block, with its label.
    fn bodies(&mut self, nested: &NestedBlock, part: &Part<'_>) -> Result<Members, LeftOut> {
        let count = i64::try_from(part.planned.len()).unwrap_or(i64::MAX);
        if count < nested.min_items || nested.max_items > 0 && count > nested.max_items {
            return Err(FEWER_OR_MORE);
        }
        if count > 1 && decoded::has_optional(&nested.block) {
            return Err(LeftOut::Unwritable("several blocks that hold a type with optional attributes"));
        }
        let is_uneven =
            |value| nested.nesting == Nesting::Map && decoded::is_uneven(&nested.block, value, self.dialect);
        if is_uneven(part.planned) || part.early.value().is_some_and(is_uneven) {
            return Err(LeftOut::Unwritable("a map of blocks of which some have no blocks inside"));
        }
        let mut bodies = Members::new();
        for (label, block) in part.blocks(nested.nesting)? {
            if !block.planned.is_present() {
                return Err(LeftOut::Unwritable("a block that is null or unknown"));
            }
            if block.sensitive.here() || block.ephemeral.here() {
                return Err(LeftOut::Unwritable("a mark on blocks"));
            }
            if block.is_unknown_early() || matches!(block.early, Early::Seen(early) if early.is_null()) {
                return Err(LeftOut::Unwritable("a block that the static validation has otherwise"));
            }
            bodies.push((label, Json::Object(self.body(&nested.block, &block)?)));
        }
        Ok(bodies)
    }

    /// Blocks whose number is unknown in the plan.
    fn unknown(&mut self, nested: &NestedBlock, part: &Part<'_>) -> Result<Blocks, LeftOut> {
        self.sources.may_be_unknown()?;
        let refined = |value: ValueRef<'_>| value.node().contents().has_record();
        if !part.is_unknown_early() && !matches!(part.early, Early::Any) {
            return Err(LeftOut::Unwritable("the static validation knows what the plan does not"));
        }
        if refined(part.planned) || matches!(part.early, Early::Seen(early) if refined(early)) {
            return Err(LeftOut::Unwritable("a refined unknown of blocks"));
        }
        let unknown = typed::unknown(&Type::list(Type::String));
        let content = Json::Object(least(&nested.block));
        Ok(Blocks::Dynamic(dynamic(nested.nesting, "x", unknown.to_json(), content)))
    }

    /// Blocks whose number is unknown to the static validation: each may be there or not.
    fn late(&mut self, nested: &NestedBlock, part: &Part<'_>) -> Result<Blocks, LeftOut> {
        if matches!(part.early, Early::Seen(early) if early.node().contents().has_record()) {
            return Err(LeftOut::Unwritable("a refined unknown of blocks"));
        }
        let any = Part { early: Early::Any, ..part.clone() };
        let of = |count: &str| Expression::Code(format!("{{\"k\" = [{count}]}}[{}]", self.sources.later())).to_json();
        let (there, nothing) = (of("0"), of(""));
        let bodies = self.bodies(nested, &any)?;
        if bodies.is_empty() {
            let content = Json::Object(least(&nested.block));
            return Ok(Blocks::Dynamic(dynamic(nested.nesting, "x", nothing, content)));
        }
        let each = |(label, body): (Box<str>, Json)| dynamic(nested.nesting, &label, there.clone(), body);
        Ok(Blocks::Dynamic(Json::Array(bodies.into_iter().map(each).collect())))
    }
}

const FEWER_OR_MORE: LeftOut = LeftOut::Unwritable("fewer or more blocks than the schema allows");

/// Whether converting a value to the type of its attribute keeps it unchanged. An empty or null value loses its type in the place of a
/// dynamic type.
fn keeps(implied: &Type, value: ValueRef<'_>) -> bool {
    is_full(implied, value)
        && (implied.is_dynamic()
            || convert(&value.to_value(), implied).is_ok_and(|converted| raw_equals(converted.view(), value)))
}

/// Whether there is a marked null inside of an object or collection: converting the whole removes its mark.
fn loses_a_mark(value: ValueRef<'_>, marks: &Marks<'_>) -> bool {
    if marks.is_empty() || !value.is_present() {
        return false;
    }
    let is_lost = |part: ValueRef<'_>, marks: &Marks<'_>| part.is_null() && marks.here() || loses_a_mark(part, marks);
    match value.ty() {
        Type::Object(_) => value.entries().any(|(name, part)| is_lost(part, &marks.attribute(name))),
        Type::Map(_) => value.entries().any(|(key, part)| is_lost(part, &marks.key(key))),
        Type::List(_) | Type::Tuple(_) => {
            value.children().enumerate().any(|(index, (_, part))| is_lost(part, &marks.index(index)))
        }
        _ => false,
    }
}

/// Whether each place of a dynamic type has a value, which gives it a type.
fn is_full(declared: &Type, value: ValueRef<'_>) -> bool {
    if declared.is_dynamic() || !declared.has_dynamic() {
        return true;
    }
    if value.is_empty() {
        return value.ty() == declared;
    }
    value.children().enumerate().all(|(index, (_, part))| match declared {
        Type::Object(object) => object.attributes().get(index).is_none_or(|member| is_full(&member.ty, part)),
        Type::Tuple(tuple) => tuple.elements().get(index).is_none_or(|element| is_full(element, part)),
        _ => declared.element().is_none_or(|element| is_full(element, part)),
    })
}

/// Nested blocks of one type.
enum Blocks {
    Absent,
    Plain(Json),
    Dynamic(Json),
}

fn dynamic(nesting: Nesting, label: &str, for_each: Json, content: Json) -> Json {
    let labels = Json::Array(vec![Json::string(&super::expression::template(label))]);
    let labels = (nesting == Nesting::Map).then_some(("labels", labels));
    Json::object([("for_each", for_each)].into_iter().chain(labels).chain([("content", content)]))
}

/// The least that a body must hold: required arguments as null, and the minimal number of blocks.
pub fn least(block: &Block) -> Members {
    let required = block.attributes.iter().filter(|(_, attribute)| attribute.required);
    let mut members: Members = required.map(|(name, _)| (name.as_str().into(), Json::Null)).collect();
    for (name, nested) in block.block_types.iter() {
        let count = usize::try_from(nested.min_items).unwrap_or(0);
        if count == 0 {
            continue;
        }
        let bodies = std::iter::repeat_with(|| Json::Object(least(&nested.block))).take(count);
        let json = match nested.nesting {
            Nesting::Map => Json::Object(bodies.enumerate().map(|(at, body)| (at.to_string().into(), body)).collect()),
            Nesting::Single | Nesting::Group => Json::Object(least(&nested.block)),
            Nesting::List | Nesting::Set => Json::Array(bodies.collect()),
        };
        members.push((name.as_str().into(), json));
    }
    members
}

impl<'v> Part<'v> {
    fn is_unknown_early(&self) -> bool {
        matches!(self.early, Early::Seen(early) if early.is_unknown())
    }

    fn member(&self, name: &Text) -> Result<Part<'v>, LeftOut> {
        let Part { planned, early, sensitive, ephemeral } = self;
        Ok(Part {
            planned: planned.member(name).ok_or(LeftOut::Unwritable("a configuration of another schema"))?,
            early: early.part(|value| value.member(name))?,
            sensitive: sensitive.attribute(name),
            ephemeral: ephemeral.attribute(name),
        })
    }

    /// The blocks of a collection, those of a map with their labels.
    fn blocks(&self, nesting: Nesting) -> Result<Vec<(Box<str>, Part<'v>)>, LeftOut> {
        let Part { planned, early, sensitive, ephemeral } = self;
        if let Early::Seen(early) = early
            && (early.is_null() || early.len() != planned.len())
        {
            return Err(LeftOut::Unwritable("blocks that the static validation has otherwise"));
        }
        if nesting == Nesting::Map {
            let block = |(key, planned): (&Text, ValueRef<'v>)| {
                let early = early.part(|value| value.entry(key))?;
                // A map of blocks with a dynamic type inside is an object.
                let below = |marks: &Marks<'v>| match planned_is_map(self.planned) {
                    true => marks.key(key),
                    false => marks.attribute(key),
                };
                let part = Part { planned, early, sensitive: below(sensitive), ephemeral: below(ephemeral) };
                Ok((key.as_str().into(), part))
            };
            return planned.entries().map(block).collect();
        }
        let order = Place::early_elements_of(*planned, *early)?;
        let block = |(index, early): (usize, Early<'v>)| {
            let planned = planned.element(index).ok_or(LeftOut::Unwritable("a configuration of another schema"))?;
            let part = Part { planned, early, sensitive: sensitive.index(index), ephemeral: ephemeral.index(index) };
            Ok(("".into(), part))
        };
        order.into_iter().enumerate().map(block).collect()
    }
}

fn planned_is_map(value: ValueRef<'_>) -> bool {
    matches!(value.ty(), Type::Map(_))
}

/// Whether blocks of a nesting are decoded to a value of such a type (S50); of type `dynamic` a value may be of any other (M30).
fn is_decoded_as(nesting: Nesting, ty: &Type) -> bool {
    match nesting {
        Nesting::List => matches!(ty, Type::List(_) | Type::Tuple(_) | Type::Dynamic),
        Nesting::Set => matches!(ty, Type::Set(_)),
        Nesting::Map => matches!(ty, Type::Map(_) | Type::Object(_) | Type::Dynamic),
        Nesting::Single | Nesting::Group => true,
    }
}
