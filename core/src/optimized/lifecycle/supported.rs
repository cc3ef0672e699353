//! Static validation (section 3).

use crate::planner::{Configured, Diagnostic, IgnoreChanges, ResourceKind, summary};
use crate::schema::Nesting;
use crate::value::{Text, Type, WrittenPath, WrittenStep};

use super::super::program::{Member, Object};
use super::walk::{Walk, Walked};

impl Walk<'_> {
    /// L01, L03, L04: what is wrong with the configuration whatever its references turn out to be.
    pub(super) fn validate_statically(&mut self, kind: ResourceKind, configured: &Configured) -> Walked<()> {
        let told = self.told();
        self.ephemeral(configured);
        if let (ResourceKind::Managed, IgnoreChanges::Some(entries)) = (kind, &configured.lifecycle.ignore_changes) {
            entries.iter().for_each(|entry| self.ignore_entry(entry));
        }
        // LD02.
        let validated = self.validate(&configured.at_static_validation());
        self.stop_since(told)?;
        validated
    }

    /// L03: ephemeral values anywhere but in write-only attributes, sorted by path.
    pub(super) fn ephemeral(&mut self, configured: &Configured) {
        let root = &self.program.root;
        // LD03.
        for path in configured.ephemeral.on(configured.config.value().view()).iter() {
            if root.attribute_on(path, |attribute| attribute.write_only).is_none() {
                self.error_at(summary::EPHEMERAL, path.clone(), "L03");
            }
        }
    }

    /// L04.
    fn ignore_entry(&mut self, entry: &WrittenPath) {
        let root = &self.program.root;
        if !is_supported(root, entry.steps()) {
            self.error_at(summary::UNSUPPORTED_ATTRIBUTE, entry.clone(), "L04");
        } else if root.attribute_at(entry).is_some_and(|attribute| attribute.computed && !attribute.optional) {
            let warning = Diagnostic::warning(summary::REDUNDANT_IGNORE, entry.clone(), "L04");
            self.diagnostics.push(warning);
        }
    }
}

/// Where a walk by names is.
#[derive(Clone, Copy)]
enum At<'a> {
    Object(&'a Object),
    /// A map: the next step is a key of any kind.
    Keys,
    Type(&'a Type),
}

/// L04: whether names lead all the way. Steps to elements of lists and sets name nothing; below a `dynamic` and below a
/// key there is nothing to know.
fn is_supported(root: &Object, steps: &[WrittenStep]) -> bool {
    let mut at = At::Object(root);
    for step in steps {
        at = match (step, at) {
            (WrittenStep::Key(_), _) | (_, At::Keys | At::Type(Type::Dynamic | Type::Map(_))) => return true,
            (WrittenStep::Index(_) | WrittenStep::Element, at) => at,
            (WrittenStep::Attribute(name), at) => match named(at, name) {
                Some(at) => at,
                None => return false,
            },
        };
    }
    true
}

fn named<'a>(at: At<'a>, name: &Text) -> Option<At<'a>> {
    match at {
        At::Object(object) => Some(of_member(object.named(name)?)),
        At::Keys => None,
        At::Type(Type::List(element) | Type::Set(element)) => named(At::Type(element), name),
        At::Type(Type::Object(object)) => Some(At::Type(object.attribute_type(name)?)),
        At::Type(_) => None,
    }
}

fn of_member(member: &Member) -> At<'_> {
    match member.inner() {
        None => At::Type(&member.ty),
        Some(inner) if inner.mode == Nesting::Map => At::Keys,
        Some(inner) => At::Object(&inner.object),
    }
}
