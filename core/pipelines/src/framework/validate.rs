//! Validation (F140 to F142, and section 3.1 of provider-model.md).

use crate::equality::value_equal;
use crate::expression::{Operation, Scene, Source};
use crate::rules::{Check, ResourceCheck};
use planfuzz_core::schema::Nesting;
use planfuzz_core::value::{Node, Text, Tri, Type, Value, ValueRef, WrittenPath, WrittenStep};

use super::Diagnostic;
use super::program::{Member, Object, Part};

/// A running validation: everything is checked, no error ends it early (F140).
pub(super) struct Validation<'a> {
    pub root: &'a Object,
    pub config: ValueRef<'a>,
    /// Whether the client supports write-only attributes.
    pub supports_write_only: bool,
    pub errors: Vec<Diagnostic>,
}

/// The view of a check: the configuration only.
struct View<'v> {
    root: ValueRef<'v>,
    object: ValueRef<'v>,
    this: ValueRef<'v>,
}

impl View<'_> {
    fn only_config(source: Source, value: ValueRef<'_>) -> Value {
        match source {
            Source::Config => value.to_value(),
            Source::Prior | Source::Plan => Value::null(value.ty().clone()),
        }
    }
}

impl Scene for View<'_> {
    fn this(&self, source: Source) -> Value {
        View::only_config(source, self.this)
    }

    fn object(&self, source: Source) -> Value {
        View::only_config(source, self.object)
    }

    fn root(&self, source: Source) -> Value {
        View::only_config(source, self.root)
    }

    fn operation(&self) -> Operation {
        Operation::Create
    }
}

impl Validation<'_> {
    pub fn run(&mut self, checks: &[ResourceCheck]) {
        for check in checks {
            if self.fails(check) {
                self.fail("F140", &[], "a check of the whole configuration fails");
            }
        }
        self.object(self.root, self.config, &mut Vec::new());
    }

    fn fail(&mut self, rule: &'static str, steps: &[WrittenStep], message: &'static str) {
        self.errors.push(Diagnostic::new(rule, WrittenPath::new(steps.to_vec()), message));
    }

    fn fails(&self, check: &ResourceCheck) -> bool {
        let count = |names: &[Text]| self.count(names);
        match check {
            ResourceCheck::ErrorIf(cond) => {
                cond.holds(&View { root: self.config, object: self.config, this: self.config }) == Tri::True
            }
            ResourceCheck::Conflicts(names) => count(names).set > 1,
            ResourceCheck::Together(names) => count(names).set > 0 && count(names).null > 0,
            ResourceCheck::ExactlyOne(names) => count(names).set > 1 || count(names).is_none(),
            ResourceCheck::AtLeastOne(names) => count(names).is_none(),
        }
    }

    fn count(&self, names: &[Text]) -> Count {
        let mut count = Count::default();
        for name in names {
            let value = self.root.index_of(name).map(|index| self.root.member(self.config, index));
            match value {
                Some(value) if value.is_unknown() => count.unknown += 1,
                Some(value) if !value.is_null() => count.set += 1,
                _ => count.null += 1,
            }
        }
        count
    }

    fn object(&mut self, object: &Object, config: ValueRef<'_>, at: &mut Vec<WrittenStep>) {
        if !config.is_present() {
            return;
        }
        for (index, member) in object.members() {
            at.push(WrittenStep::Attribute(member.name.clone()));
            self.member(member, config, object.member(config, index), at);
            at.pop();
        }
    }

    fn member(&mut self, member: &Member, object: ValueRef<'_>, this: ValueRef<'_>, at: &mut Vec<WrittenStep>) {
        self.built_in(member, this, at);
        for check in &member.validate {
            if fails(check, &View { root: self.config, object, this }) {
                self.fail("F140", at, "a check of the attribute fails");
            }
        }
        let (Part::Nested(nest) | Part::Block(nest)) = &member.part else { return };
        if nest.nesting == Nesting::Single {
            return self.object(&nest.object, this, at);
        }
        let Some(element) = this.ty().element() else { return };
        for (position, node) in this.node().parts().iter().enumerate() {
            at.push(match (nest.nesting, this.node()) {
                (Nesting::Map, Node::Map(map)) => WrittenStep::Key(map.keys()[position].clone()),
                (Nesting::Set, _) => WrittenStep::Element,
                _ => WrittenStep::Index(position as u64),
            });
            self.object(&nest.object, ValueRef::new(element, node), at);
            at.pop();
        }
    }

    /// F141.
    fn built_in(&mut self, member: &Member, this: ValueRef<'_>, at: &[WrittenStep]) {
        let flags = member.flags;
        if flags.computed && !flags.optional && !flags.required && !this.is_null() {
            self.fail("F141", at, "expected nothing configured for an attribute that is computed only");
        }
        if flags.required && this.is_null() {
            self.fail("F141", at, "expected a required attribute to be configured");
        }
        if flags.write_only && !this.is_null() && !self.supports_write_only {
            self.fail("F141", at, "expected no write-only attribute from a client that does not support them");
        }
    }
}

/// The numbers of set, null and unknown attributes among some.
#[derive(Default)]
struct Count {
    set: usize,
    null: usize,
    unknown: usize,
}

impl Count {
    fn is_none(&self) -> bool {
        self.set == 0 && self.unknown == 0
    }
}

/// Null and partly unknown values pass, except for conditions, which decide for themselves.
fn fails(check: &Check, view: &View<'_>) -> bool {
    let this = view.this;
    if let Check::ErrorIf(cond) = check {
        return cond.holds(view) == Tri::True;
    }
    if this.is_null() || !this.is_wholly_known() {
        return false;
    }
    match check {
        Check::ErrorIf(_) => false,
        Check::OneOf(values) => !values.iter().any(|value| value_equal(value.view(), this)),
        Check::Range(range) => this
            .as_number()
            .is_some_and(|number| number.compare(&range.low).is_lt() || number.compare(&range.high).is_gt()),
        Check::Length(low, high) => length(this).is_some_and(|length| length < *low || length > *high),
        Check::Prefix(prefix) => this.as_text().is_some_and(|text| !text.starts_with(prefix.as_str())),
    }
}

/// The number of characters or elements.
fn length(value: ValueRef<'_>) -> Option<u64> {
    match (value.ty(), value.node()) {
        (_, Node::String(text)) => Some(text.chars().count() as u64),
        (Type::Object(_), _) => None,
        (_, Node::Seq(_) | Node::Map(_)) => Some(value.len() as u64),
        _ => None,
    }
}
