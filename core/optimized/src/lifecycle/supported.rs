//! Static validation (section 3).

use planfuzz_core::address::ResourceKind;
use planfuzz_core::planner::{Configured, Diagnostic, IgnoreChanges, summary};
use planfuzz_core::schema::Nesting;
use planfuzz_core::value::{Text, Type, WrittenPath, WrittenStep};

use super::super::program::{Inner, Kind, Member, Object};
use super::steps::{attribute_at, attribute_on};
use super::walk::{Stop, Walk, Walked};

impl Walk<'_> {
    /// L01, L03, L04: the errors of a configuration that do not depend on its references.
    pub(super) fn validate_statically(&mut self, kind: ResourceKind, configured: &Configured) -> Walked<()> {
        let start = self.diagnostic_count();
        self.ephemeral(configured);
        let is_misused = self.failed_since(start);
        if let (ResourceKind::Managed, IgnoreChanges::Some(entries)) = (kind, &configured.lifecycle.ignore_changes) {
            entries.iter().for_each(|entry| self.ignore_entry(entry));
        }
        // LD02.
        if is_misused && self.program.dialect.finds_ephemeral_values_first() {
            return Err(Stop::Error);
        }
        let validated = self.validate(&configured.at_static_validation());
        self.stop_since(start)?;
        validated
    }

    /// L03: ephemeral values anywhere but in write-only attributes, sorted by path.
    pub(super) fn ephemeral(&mut self, configured: &Configured) {
        let root = &self.program.root;
        let summary = self.program.dialect.ephemeral_misused();
        // LD03.
        for path in configured.ephemeral.on(configured.config.value().view()).iter() {
            if attribute_on(root, path, |attribute| attribute.write_only).is_none() {
                self.error_at(summary, path.clone(), "L03");
            }
        }
    }

    /// L04.
    fn ignore_entry(&mut self, entry: &WrittenPath) {
        let root = &self.program.root;
        match refusal(root, entry.steps()) {
            Some(summary::UNSUPPORTED_ATTRIBUTE) => {
                self.error_at(summary::UNSUPPORTED_ATTRIBUTE, entry.clone(), "L04");
            }
            Some(summary) => self.error(summary, "L04"),
            // LD04: after an error, a redundant entry is not reported.
            None if self.failed_since(0) => {}
            None => {
                if attribute_at(root, entry).is_some_and(|attribute| attribute.computed && !attribute.optional) {
                    let warning = Diagnostic::warning(summary::REDUNDANT_IGNORE, entry.clone(), "L04");
                    self.diagnostics.push(warning);
                }
            }
        }
    }
}

/// The position of a traversal.
#[derive(Clone, Copy)]
enum At<'a> {
    /// A block, or an object of a nested type.
    Object(&'a Object, IsBlock),
    /// Several of them.
    Many(&'a Inner, IsBlock),
    Type(&'a Type),
}

/// Whether an object is a block, which is no value.
type IsBlock = bool;

/// LD04: the summary of the error if these steps cannot be followed. After a dynamic type, and after an index into an object,
/// there is none.
fn refusal(root: &Object, steps: &[WrittenStep]) -> Option<&'static str> {
    let mut at = At::Object(root, true);
    for step in steps {
        let next = match (at, step) {
            (At::Type(Type::Dynamic), _) => return None,
            (At::Many(inner, true), _) if inner.mode == Nesting::Set => return Some(summary::INDEXED_SET),
            (at, WrittenStep::Attribute(name)) => named(at, name),
            (At::Object(_, false) | At::Type(Type::Object(_)), _) => return None,
            (at, step) => indexed(at, step),
        };
        match next {
            Ok(next) => at = next,
            Err(summary) => return Some(summary),
        }
    }
    None
}

fn named<'a>(at: At<'a>, name: &Text) -> Result<At<'a>, &'static str> {
    let found = match at {
        At::Object(object, _) => object.named(name).map(of_member),
        At::Many(inner, is_block) if inner.mode == Nesting::Map => Some(At::Object(&inner.object, is_block)),
        At::Many(_, true) => return Err(summary::INVALID_OPERATION),
        At::Many(_, false) => None,
        At::Type(Type::Map(element)) => Some(At::Type(element)),
        At::Type(Type::Object(object)) => object.attribute_type(name).map(At::Type),
        At::Type(_) => None,
    };
    found.ok_or(summary::UNSUPPORTED_ATTRIBUTE)
}

fn indexed<'a>(at: At<'a>, step: &WrittenStep) -> Result<At<'a>, &'static str> {
    let index = if let WrittenStep::Index(index) = step { usize::try_from(*index).ok() } else { None };
    let found = match at {
        At::Object(..) => return Err(summary::INVALID_INDEX_OPERATION),
        At::Many(inner, true) => Some(At::Object(&inner.object, true)),
        At::Many(inner, false) => {
            let fits = inner.mode == Nesting::Map || inner.mode == Nesting::List && index.is_some();
            fits.then_some(At::Object(&inner.object, false))
        }
        At::Type(Type::Map(element)) => Some(At::Type(element)),
        At::Type(Type::List(element)) => index.map(|_| At::Type(element)),
        At::Type(Type::Tuple(tuple)) => index.and_then(|index| tuple.elements().get(index)).map(At::Type),
        At::Type(_) => None,
    };
    found.ok_or(summary::INVALID_INDEX)
}

fn of_member(member: &Member) -> At<'_> {
    match &member.kind {
        Kind::Leaf => At::Type(&member.ty),
        Kind::Nested(inner) | Kind::Block(inner) => {
            let is_block = matches!(member.kind, Kind::Block(_));
            match inner.mode {
                Nesting::Single | Nesting::Group => At::Object(&inner.object, is_block),
                Nesting::List | Nesting::Set | Nesting::Map => At::Many(inner, is_block),
            }
        }
    }
}
