//! The conditions on a scenario under which providers can keep their promises (provider-model.md section 4, WS1 to WS11). In other
//! scenarios even a well-behaved provider can break its contract, or cannot fulfil a request at all.

use std::collections::BTreeSet;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{Configured, IgnoreChanges};
use planfuzz_core::state::{Object, Stored};
use planfuzz_core::value::{Step as PathStep, Tri, Type, Value, ValueRef, includes, raw_equals};
use planfuzz_pipelines::expression::Cond;
use planfuzz_pipelines::model::Style;
use planfuzz_pipelines::remote::ObjectId;
use planfuzz_pipelines::rules::CustomizeOp;
use planfuzz_pipelines::sdk::ID;

use super::{Outside, Scenario, Step};

impl Scenario {
    /// Whether a well-behaved provider can keep its contract in this scenario.
    pub fn is_fair(&self, dialect: Dialect) -> bool {
        let ty = self.schema.implied_type(dialect);
        self.steps.iter().all(is_settled)
            && self.stored().all(|object| self.is_storable(object, &ty))
            && self.has_distinct_objects()
            && self.configured().all(|configured| self.is_plannable(configured.config.value(), &ty))
            && self.steps.iter().all(|step| self.is_decided(step))
    }

    /// WS3.
    fn is_storable(&self, object: &Object, ty: &Type) -> bool {
        match &object.stored {
            Stored::Value(value) => {
                let id = value.view().member(ID).and_then(ValueRef::as_text);
                self.is_without_write_only(value) && self.has_id(id.map(|id| &**id))
            }
            Stored::Raw { attributes, .. } => {
                let id = attributes.member(ID).and_then(|id| id.expect_string().ok());
                // A value that does not conform is refused when it is read.
                let is_fit = Value::from_json(attributes, ty).map_or(true, |value| self.is_without_write_only(&value));
                is_fit && self.has_id(id)
            }
        }
    }

    /// Z51: the SDK takes an object without an id for absent.
    fn has_id(&self, id: Option<&str>) -> bool {
        !self.is_sdk() || id.is_some_and(|id| !id.is_empty())
    }

    fn is_without_write_only(&self, value: &Value) -> bool {
        let mut leaks = false;
        value.view().walk(&mut |path, part| {
            let attribute = self.schema.block.attribute_at(path);
            leaks |= !part.is_null() && attribute.is_some_and(|attribute| attribute.write_only);
            !leaks
        });
        !leaks
    }

    /// WS4.
    fn has_distinct_objects(&self) -> bool {
        let mut names = BTreeSet::new();
        let is_own = |object: &Object| ObjectId::named_in(&object.private).is_some_and(|id| names.insert(id));
        let outside = self.steps.iter().flat_map(|step| &step.outside);
        let appearing = outside.filter(|outside| matches!(outside, Outside::Appear(_))).count();
        self.stored().count() + appearing < 2 || self.stored().all(is_own)
    }

    /// WS11: the configuration sets no value that only the provider sets.
    fn sets_nothing_computed(&self, config: &Value) -> bool {
        let mut sets = false;
        config.view().walk(&mut |path, part| {
            let attribute = self.schema.block.attribute_at(path);
            sets |= !part.is_null() && attribute.is_some_and(|one| one.computed && !one.optional);
            !sets
        });
        !sets
    }

    /// WS5, WS6, WS11.
    fn is_plannable(&self, config: &Value, ty: &Type) -> bool {
        if !self.sets_nothing_computed(config) {
            return false;
        }
        self.is_sdk() || !loses_type(ty, config.view()) && !self.hides_write_only(config.view())
    }

    /// Whether a write-only attribute is in an object that is unknown as a whole.
    fn hides_write_only(&self, config: ValueRef<'_>) -> bool {
        let Ok(paths) = self.schema.write_only_paths(config) else { return true };
        let is_open = |steps: &[&PathStep]| {
            let above = &steps[..steps.len().saturating_sub(1)];
            let whole = above.iter().try_fold(config, |value, step| value.apply(step));
            whole.is_none_or(ValueRef::is_unknown)
        };
        paths.iter().any(|path| is_open(&path.steps()))
    }

    /// WS7, WS10.
    fn is_decided(&self, step: &Step) -> bool {
        let Style::Sdk { customize_diff, .. } = &self.model.style else { return true };
        let counts = |one: &Configured| !has_unknown_in_block(one.config.value());
        if step.command.applies() && !step.presence.configured().is_none_or(counts) {
            return false;
        }
        let asks = customize_diff.iter().any(|op| matches!(op, CustomizeOp::When(cond, _) if !is_fixed(cond)));
        let is_known = |one: &Configured| one.config.value().is_wholly_known();
        !asks || !step.command.applies() || step.presence.configured().is_none_or(is_known)
    }

    fn is_sdk(&self) -> bool {
        matches!(self.model.style, Style::Sdk { .. })
    }

    fn configured(&self) -> impl Iterator<Item = &Configured> {
        let presences = self.steps.iter().flat_map(|step| [Some(&step.presence), step.at_apply.as_ref()]);
        presences.flatten().filter_map(|presence| presence.configured())
    }

    fn stored(&self) -> impl Iterator<Item = &Object> {
        self.state.current.iter().chain(self.state.deposed.values())
    }
}

/// Whether something inside a block is unknown.
fn has_unknown_in_block(config: &Value) -> bool {
    let mut hides = false;
    config.view().walk(&mut |path, part| {
        hides |= part.is_unknown() && path.steps().len() > 1;
        !hides && !part.is_wholly_known()
    });
    hides
}

/// Whether a condition is the same in every plan of an operation.
fn is_fixed(cond: &Cond) -> bool {
    matches!(cond, Cond::Bool(_) | Cond::Op(_))
}

/// WS1, WS2, WS8.
fn is_settled(step: &Step) -> bool {
    let known = |one: &Configured| one.config.value().is_wholly_known();
    let planned = step.presence.configured();
    let Some(at_apply) = step.at_apply.as_deref().filter(|_| step.command.applies()) else {
        return !step.command.applies() || planned.is_none_or(known);
    };
    match (planned, at_apply.configured()) {
        (Some(planned), Some(applied)) => {
            let is_same = same_ignored(&planned.lifecycle.ignore_changes, &applied.lifecycle.ignore_changes);
            let (open, value) = (planned.config.value().view(), applied.config.value().view());
            is_same && known(applied) && settles_to(open, value) && !becomes_null(open, value)
        }
        (None, None) => true,
        _ => false,
    }
}

fn same_ignored(planned: &IgnoreChanges, applied: &IgnoreChanges) -> bool {
    match (planned, applied) {
        (IgnoreChanges::All, IgnoreChanges::All) => true,
        (IgnoreChanges::Some(planned), IgnoreChanges::Some(applied)) => planned == applied,
        _ => false,
    }
}

/// Whether an unknown value may turn out to be the known one.
fn settles_to(open: ValueRef<'_>, known: ValueRef<'_>) -> bool {
    if open.is_unknown() {
        return includes(open, known) != Tri::False;
    }
    if open.is_wholly_known() || !known.is_present() {
        return raw_equals(open, known);
    }
    if matches!(open.ty(), Type::Set(_)) {
        return set_settles_to(open, known);
    }
    let keys = |value: ValueRef<'_>| value.entries().map(|(key, _)| key.clone()).collect::<Vec<_>>();
    open.len() == known.len()
        && keys(open) == keys(known)
        && open.children().zip(known.children()).all(|((_, open), (_, known))| settles_to(open, known))
}

/// Unknown elements may turn out to be equal: each has to become one of the known elements, and each known element has to come from one.
fn set_settles_to(open: ValueRef<'_>, known: ValueRef<'_>) -> bool {
    let parts = |value: ValueRef<'_>| value.children().map(|(_, part)| part.to_value()).collect::<Vec<_>>();
    let (before, after) = (parts(open), parts(known));
    let becomes = |open: &Value| after.iter().any(|known| settles_to(open.view(), known.view()));
    let is_settled_from = |known: &Value| before.iter().any(|open| settles_to(open.view(), known.view()));
    before.iter().all(becomes) && after.iter().all(is_settled_from)
}

/// Whether an element that is an object and unknown as a whole becomes null: Core proposes an object in its place (M17, M18).
fn becomes_null(open: ValueRef<'_>, known: ValueRef<'_>) -> bool {
    if open.is_wholly_known() || !open.is_present() || !known.is_present() {
        return false;
    }
    let is_of_objects = open.ty().element().is_some_and(|element| element.as_object().is_some());
    if matches!(open.ty(), Type::Set(_)) {
        let is_null = |(_, part): (_, ValueRef<'_>)| part.is_null();
        let is_lost = is_of_objects && known.children().any(is_null) && !open.children().any(is_null);
        let inside = |(_, open): (_, ValueRef<'_>)| {
            known.children().any(|(_, known)| settles_to(open, known) && becomes_null(open, known))
        };
        return is_lost || open.children().any(inside);
    }
    let pairs = open.children().zip(known.children());
    pairs.into_iter().any(|((_, open), (_, known))| {
        is_of_objects && open.is_unknown() && known.is_null() || becomes_null(open, known)
    })
}

/// Whether a value has an unknown whose type is more specific than the schema's.
fn loses_type(declared: &Type, value: ValueRef<'_>) -> bool {
    match declared {
        Type::Dynamic => value.is_unknown() && !value.ty().is_dynamic(),
        _ if !declared.has_dynamic() || !value.is_present() => false,
        Type::Object(object) => {
            let types = object.attributes().iter().map(|attribute| &attribute.ty);
            types.zip(value.children()).any(|(ty, (_, part))| loses_type(ty, part))
        }
        Type::Tuple(tuple) => tuple.elements().iter().zip(value.children()).any(|(ty, (_, part))| loses_type(ty, part)),
        Type::List(element) | Type::Set(element) | Type::Map(element) => {
            value.children().any(|(_, part)| loses_type(element, part))
        }
        Type::Bool | Type::Number | Type::String => false,
    }
}
