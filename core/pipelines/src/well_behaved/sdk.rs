//! The conditions of the SDK.

use super::condition::{Breaches, Condition};
use super::framework::hides;
use super::makes_well;
use super::references::{Here, needs_change, top};
use crate::expression::{Canon, Equiv};
use crate::model::Model;
use crate::path::SchemaPath;
use crate::rules::{CustomizeOp, Gen, Rule};
use crate::sdk::{Elem, Field, ID, Kind, Resource, Schema};
use planfuzz_core::value::Text;

struct Checker<'m, 'b> {
    model: &'m Model,
    core: planfuzz_core::schema::Schema,
    breaches: &'b mut Breaches,
}

/// The enclosing fields of a field.
#[derive(Clone, Copy, Default)]
struct Above {
    nested: bool,
    set: bool,
}

pub(super) fn check(model: &Model, schema: &Schema, customize: &[CustomizeOp], breaches: &mut Breaches) {
    let mut checker = Checker { model, core: schema.core_schema(), breaches };
    for (name, field) in schema.fields().iter() {
        checker.field(field, &top(name), Above::default());
    }
    for op in customize {
        checker.customized(op, schema, false);
    }
    checker.id();
}

impl Checker<'_, '_> {
    fn field(&mut self, field: &Field, at: &SchemaPath, above: Above) {
        let silent = Rule::default();
        let rule = self.model.rules.get(at).unwrap_or(&silent);
        let is_set = matches!(field.kind, Kind::Set(_));
        self.breaches.require(Condition::NoComputedSets, at, !(is_set && field.optional && field.computed));
        let is_object_set = matches!(field.kind, Kind::Set(Elem::Resource(_)));
        self.breaches.require(Condition::NoLostSets, at, !(above.nested && is_object_set && !field.is_block()));
        let is_primitive = matches!(field.kind, Kind::Primitive(_));
        let may_be_null = is_primitive && !field.required && field.default.is_none();
        self.breaches.require(Condition::NestedDefaults, at, !(above.nested && field.optional && may_be_null));
        self.breaches.require(Condition::NoCollapse, at, !(above.set && (field.computed || may_be_null)));
        if field.computed && !is_primitive {
            let is_made = rule.computed.as_ref().is_none_or(is_never_null);
            self.breaches.require(Condition::CollectionsMade, at, is_made);
        }
        self.breaches.require(Condition::NestedCollections, at, !above.nested || keeps_empty(&field.kind, above.set));
        self.breaches.require(Condition::PlainForceNew, at, !(above.nested && field.force_new));
        self.breaches.require(Condition::SuppressedForms, at, !(above.set && field.diff_suppress.is_some()));
        self.forms(field, rule, at);
        if let Some(generator) = &rule.computed {
            let here = Here::of(&self.core, Some(at));
            self.breaches.require(Condition::KnownMakings, at, makes_well(generator, &here));
        }
        let (Kind::List(Elem::Resource(inner)) | Kind::Set(Elem::Resource(inner))) = &field.kind else { return };
        if is_set {
            let identifies = inner.fields().values().any(|field| field.required && !field.computed);
            self.breaches.require(Condition::NoCollapse, at, identifies);
        }
        self.resource(inner, at, Above { nested: true, set: above.set || is_set });
    }

    fn resource(&mut self, resource: &Resource, at: &SchemaPath, above: Above) {
        for (name, field) in resource.fields().iter() {
            self.field(field, &at.child(name), above);
        }
    }

    fn forms(&mut self, field: &Field, rule: &Rule, at: &SchemaPath) {
        let form = rule.remote_form.as_ref();
        if let Some(canon) = &field.state_func {
            let agrees = *canon != Canon::AlwaysPrefix && form == Some(canon);
            self.breaches.require(Condition::FormsAgree, at, agrees);
        }
        if let Some(equiv) = &field.diff_suppress {
            let is_equivalence = !matches!(equiv, Equiv::Always | Equiv::NewEmpty);
            self.breaches.require(Condition::SuppressedForms, at, is_equivalence);
        }
        let is_hidden = |form: &Canon| {
            let suppressed = field.diff_suppress.as_ref().is_some_and(|equiv| hides(equiv, form));
            field.state_func.as_ref() == Some(form) || suppressed && field.suppress_on_refresh
        };
        self.breaches.require(Condition::SuppressedForms, at, form.is_none_or(is_hidden));
    }

    /// `on_change`: whether the operation only runs where something changed.
    fn customized(&mut self, op: &CustomizeOp, schema: &Schema, on_change: bool) {
        let here = Here::of(&self.core, None);
        let field = |key: &Text| schema.fields().get(key.split('.').next().unwrap_or_default());
        let (key, from_config) = match op {
            CustomizeOp::ErrorIf(_) => return,
            CustomizeOp::When(cond, op) => return self.customized(op, schema, on_change || needs_change(cond)),
            CustomizeOp::SetNew(key, expr) => (key, here.is_given_value(expr) && here.is_never_empty(expr)),
            CustomizeOp::ForceNew(key) | CustomizeOp::SetNewComputed(key) | CustomizeOp::Clear(key) => (key, true),
        };
        let at = SchemaPath::parse(key);
        let recomputes = matches!(op, CustomizeOp::SetNewComputed(_));
        self.breaches.require(Condition::UnknownOnChange, &at, on_change || !recomputes);
        self.breaches.require(Condition::NewFromConfig, &at, from_config);
        self.breaches.require(Condition::NoSetsRediffed, &at, field(key).is_none_or(|field| !has_set(&field.kind)));
    }

    fn id(&mut self) {
        let at = top(&Text::new(ID));
        let generator = self.model.rules.get(&at).and_then(|rule| rule.computed.as_ref());
        self.breaches.require(Condition::IdStays, &at, generator.is_none_or(is_never_empty));
    }
}

/// Whether a plan surely has nothing to do once the configuration is applied: the model has no customisation and no write-only fields, and
/// the provider makes no collection that is configured empty (Z155).
pub(super) fn settles(schema: &Schema, customize: &[CustomizeOp]) -> bool {
    // Customisation, and collections below a list or a map (Z31, Z51), settle only in some cases, so the answer is no.
    let is_plain = |field: &Field| !has_write_only_inside(field) && !has_collections_inside(field) && !field.write_only;
    customize.is_empty() && schema.fields().values().all(|field| is_plain(field) && !never_settles(field))
}

fn never_settles(field: &Field) -> bool {
    let inner = match &field.kind {
        Kind::List(Elem::Resource(inner)) | Kind::Set(Elem::Resource(inner)) => Some(inner),
        _ => None,
    };
    let makes_empty = field.optional && field.computed && !matches!(field.kind, Kind::Primitive(_));
    let forces_always = field.write_only && field.force_new;
    makes_empty || forces_always || inner.is_some_and(|inner| inner.fields().values().any(never_settles))
}

/// A write-only field of a nested resource is null in the state and configured every time (Z51, Z113).
fn has_write_only_inside(field: &Field) -> bool {
    let inner = match &field.kind {
        Kind::List(Elem::Resource(inner)) | Kind::Set(Elem::Resource(inner)) => inner,
        _ => return false,
    };
    inner.fields().values().any(|field| field.write_only || has_write_only_inside(field))
}

/// Whether flat maps distinguish an empty collection within a list or set from a missing one.
fn keeps_empty(kind: &Kind, in_set: bool) -> bool {
    match kind {
        Kind::Map(_) => false,
        Kind::List(Elem::Kind(inner)) | Kind::Set(Elem::Kind(inner)) => {
            !in_set && matches!(**inner, Kind::Primitive(_))
        }
        Kind::Primitive(_) | Kind::List(Elem::Resource(_)) | Kind::Set(Elem::Resource(_)) => true,
    }
}

/// Sets and maps below a list or a set are identified by texts.
fn has_collections_inside(field: &Field) -> bool {
    match &field.kind {
        Kind::List(Elem::Resource(inner)) | Kind::Set(Elem::Resource(inner)) => {
            inner.fields().values().any(|field| !matches!(field.kind, Kind::Primitive(_)))
        }
        Kind::List(Elem::Kind(inner)) | Kind::Set(Elem::Kind(inner)) => !matches!(**inner, Kind::Primitive(_)),
        Kind::Primitive(_) | Kind::Map(_) => false,
    }
}

/// Whether a generator (GEN) never gives null.
fn is_never_null(generator: &Gen) -> bool {
    match generator {
        Gen::Null | Gen::Copy(_) => false,
        Gen::Fill(_) | Gen::Hash(_) | Gen::Counter(_) => true,
        Gen::Const(value) => !value.is_null(),
        Gen::Once(generator) => is_never_null(generator),
    }
}

/// Whether GEN never gives null or an empty text.
fn is_never_empty(generator: &Gen) -> bool {
    match generator {
        Gen::Const(value) => value.view().as_text().is_some_and(|text| !text.is_empty()),
        Gen::Once(generator) => is_never_empty(generator),
        generator => is_never_null(generator),
    }
}

fn has_set(kind: &Kind) -> bool {
    match kind {
        Kind::Set(_) => true,
        Kind::List(Elem::Kind(kind)) => has_set(kind),
        Kind::List(Elem::Resource(resource)) => resource.fields().values().any(|field| has_set(&field.kind)),
        Kind::Primitive(_) | Kind::Map(_) => false,
    }
}
