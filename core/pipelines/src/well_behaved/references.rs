//! The references of rules: whether the configuration gives the value, or the provider.

use super::{Core, only_settles};
use crate::expression::{Canon, Changed, Cond, Expr, Ref, Source};
use crate::path::{SchemaPart, SchemaPath};
use planfuzz_core::schema::Block;
use planfuzz_core::value::{Text, Type};

/// The position of a rule.
#[derive(Clone, Copy)]
pub(super) struct Here<'s> {
    pub(super) core: &'s Block,
    /// The attribute or block; `None` for rules of the whole resource.
    pub(super) at: Option<&'s SchemaPath>,
}

impl<'s> Here<'s> {
    pub(super) fn of(core: &'s Core, at: Option<&'s SchemaPath>) -> Here<'s> {
        Here { core: &core.block, at }
    }

    /// Whether the configuration gives the referenced value: it is in the configuration itself, or in the plan of an attribute that is not
    /// computed.
    pub(super) fn is_given(&self, reference: &Ref) -> bool {
        match reference.source() {
            Source::Config => true,
            Source::Prior => false,
            Source::Plan => self.path_of(reference).is_some_and(|path| self.is_configured_only(&path)),
        }
    }

    /// The place that a reference leads to.
    fn path_of(&self, reference: &Ref) -> Option<SchemaPath> {
        match reference {
            Ref::This(_) => self.at.cloned(),
            Ref::Sibling(_, name) => {
                let before =
                    self.at.map_or(&[][..], |at| at.names().split_last().map_or(&[][..], |(_, before)| before));
                Some(SchemaPath::new(before.iter().chain([name]).cloned().collect()))
            }
            Ref::Root(_, names) => Some(SchemaPath::new(names.clone())),
        }
    }

    /// Whether no attribute on the path to a place is computed. A name that is not in the schema, such as a field of a leaf, counts as the
    /// attribute above it.
    fn is_configured_only(&self, path: &SchemaPath) -> bool {
        let prefixes = (1..=path.names().len()).map(|length| SchemaPath::new(path.names()[..length].to_vec()));
        let parts: Vec<_> = prefixes.map_while(|prefix| prefix.find(self.core)).collect();
        let is_free = |part: &SchemaPart<'_>| matches!(part, SchemaPart::Attribute(attribute) if attribute.computed);
        !parts.is_empty() && !parts.iter().any(|place| is_free(&place.part))
    }

    /// Whether a value is derived from constants and given values only, so that it settles once, and to the same value in every plan.
    pub(super) fn is_given_value(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Null => true,
            Expr::Const(value) => value.is_wholly_known(),
            Expr::Unknown => false,
            Expr::Ref(reference) => self.is_given(reference),
            Expr::Canon(_, of) | Expr::Length(of) => self.is_given_value(of),
            Expr::Concat(parts) | Expr::Hash(parts) => parts.iter().all(|part| self.is_given_value(part)),
            Expr::Add(a, b) => self.is_given_value(a) && self.is_given_value(b),
            Expr::If(cond, then, otherwise) => {
                self.is_given_condition(cond) && self.is_given_value(then) && self.is_given_value(otherwise)
            }
        }
    }

    /// Whether a value is never null or the empty text, whatever the configuration.
    pub(super) fn is_never_empty(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Null | Expr::Unknown | Expr::Length(_) => false,
            Expr::Const(value) => !value.is_null() && value.view().as_text().is_none_or(|text| !text.is_empty()),
            Expr::Ref(reference) => self.path_of(reference).is_some_and(|path| self.is_required_number(&path)),
            Expr::Canon(canon, of) => {
                matches!(canon, Canon::Prefix(prefix) if !prefix.is_empty()) && self.is_never_empty(of)
            }
            Expr::Hash(parts) => parts.iter().all(|part| self.has_text(part)),
            Expr::Concat(parts) => {
                parts.iter().all(|part| self.has_text(part)) && parts.iter().any(|part| self.is_never_empty(part))
            }
            Expr::Add(a, b) => self.is_never_empty(a) && self.is_never_empty(b),
            Expr::If(_, then, otherwise) => self.is_never_empty(then) && self.is_never_empty(otherwise),
        }
    }

    /// Whether a value always has a text or is null.
    fn has_text(&self, expr: &Expr) -> bool {
        let is_plain = |ty: &Type| matches!(ty, Type::Bool | Type::Number | Type::String);
        match expr {
            Expr::Null | Expr::Concat(_) | Expr::Add(..) | Expr::Length(_) | Expr::Hash(_) => true,
            Expr::Unknown => false,
            Expr::Const(value) => is_plain(value.ty()),
            Expr::Ref(reference) => {
                let path = self.path_of(reference);
                let part = path.as_ref().and_then(|path| path.find(self.core)).map(|place| place.part);
                matches!(part, Some(SchemaPart::Attribute(attribute)) if attribute.leaf_type().is_some_and(is_plain))
            }
            Expr::Canon(_, of) => self.has_text(of),
            Expr::If(_, then, otherwise) => self.has_text(then) && self.has_text(otherwise),
        }
    }

    /// Whether a place is a required top-level attribute of type number or bool.
    fn is_required_number(&self, path: &SchemaPath) -> bool {
        let part = path.find(self.core).map(|place| place.part);
        let Some(SchemaPart::Attribute(attribute)) = part.filter(|_| path.names().len() == 1) else { return false };
        attribute.required && matches!(attribute.leaf_type(), Some(Type::Number | Type::Bool))
    }

    /// The same of a condition.
    pub(super) fn is_given_condition(&self, cond: &Cond) -> bool {
        match cond {
            Cond::Bool(_) => true,
            Cond::Op(_) | Cond::IsUnknown(_) | Cond::PartlyUnknown(_) | Cond::Changed(_) => false,
            Cond::IsNull(reference) => self.is_given(reference),
            Cond::Eq(a, b) | Cond::Lt(a, b) | Cond::Same(_, a, b) => self.is_given_value(a) && self.is_given_value(b),
            Cond::Not(cond) => self.is_given_condition(cond),
            Cond::All(conds) | Cond::Any(conds) => conds.iter().all(|cond| self.is_given_condition(cond)),
        }
    }
}

/// Whether a condition is certainly false if nothing changed.
pub(super) fn needs_change(cond: &Cond) -> bool {
    match cond {
        Cond::Bool(bool) => !bool,
        Cond::Changed(_) => true,
        Cond::All(conds) => conds.iter().any(needs_change),
        Cond::Any(conds) => conds.iter().all(needs_change),
        _ => false,
    }
}

/// Whether the conditions inside a value only settle.
pub(super) fn settles_in(expr: &Expr) -> bool {
    match expr {
        Expr::Null | Expr::Unknown | Expr::Const(_) | Expr::Ref(_) => true,
        Expr::Canon(_, of) | Expr::Length(of) => settles_in(of),
        Expr::Concat(parts) | Expr::Hash(parts) => parts.iter().all(settles_in),
        Expr::Add(a, b) => settles_in(a) && settles_in(b),
        Expr::If(cond, then, otherwise) => only_settles(cond) && settles_in(then) && settles_in(otherwise),
    }
}

/// The path of a top-level attribute or block.
pub(super) fn top(name: &Text) -> SchemaPath {
    SchemaPath::new(vec![name.clone()])
}

/// Whether a condition asks for changes of given values only, which do not change by themselves.
pub(super) fn asks_of(cond: &Cond, here: &Here<'_>) -> bool {
    match cond {
        Cond::Changed(Changed::Name(name)) => here.is_configured_only(&top(name)),
        Cond::Changed(Changed::Ref(reference)) => here.is_given(&reference.in_source(Source::Plan)),
        Cond::Not(cond) => asks_of(cond, here),
        Cond::All(conds) | Cond::Any(conds) => conds.iter().all(|cond| asks_of(cond, here)),
        _ => true,
    }
}
