//! The definition of a check: its id, its rule, its needs and its function.

use planfuzz_core::schema::Block;

use crate::artifact::Kind;

use super::case::{ChangeCase, ObjectCase, OutputCase};
use super::indexed_file::IndexedFile;
use super::outcome::CheckOutcome;

/// A check.
#[derive(Clone, Copy, Debug)]
pub struct Check {
    /// Its id: the rule, and a word for the part of it that is checked.
    pub id: &'static str,
    /// The severity of its findings.
    pub severity: Severity,
    /// What must hold, in one sentence.
    pub must: &'static str,
    /// Where the rule is written: the file and the section of the specification.
    pub spec: &'static str,
    /// What it needs besides the file.
    pub needs: Needs,
    /// The kinds of files that show it.
    pub kinds: &'static [Kind],
    /// The check itself.
    pub run: Run,
}

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Engines never write this.
    Error,
    /// Engines write this where some providers are allowed more than others.
    Warning,
}

/// What a check needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// The file alone.
    Nothing,
    /// The schema of the resource type, to read the values.
    Schema,
    /// The schema, and another property that it gives an attribute or a block.
    Flag(Flag),
}

/// A property that a schema gives an attribute or block besides its type. Versions of a provider differ in these more
/// often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flag {
    /// Whether the provider may set it.
    Computed,
    /// Whether the configuration must set it.
    Required,
    /// Whether it is sensitive.
    Sensitive,
    /// Whether it is never stored.
    WriteOnly,
    /// How many blocks there may be.
    Count,
}

impl Flag {
    /// Whether two schemas give the attribute or block of that name in the resource itself the same property.
    pub fn is_same(self, name: &str, one: &Block, other: &Block) -> bool {
        let of = |block: &Block| match (block.attributes.get(name), block.block_types.get(name)) {
            (Some(attribute), _) => match self {
                Flag::Computed => Some((i64::from(attribute.computed), 0)),
                Flag::Required => Some((i64::from(attribute.required), 0)),
                Flag::Sensitive => Some((i64::from(attribute.sensitive), 0)),
                Flag::WriteOnly => Some((i64::from(attribute.write_only), 0)),
                Flag::Count => None,
            },
            (None, Some(nested)) => Some((nested.min_items, nested.max_items)),
            (None, None) => None,
        };
        of(one) == of(other)
    }
}

/// The function of a check, by its subject.
#[derive(Clone, Copy, Debug)]
pub enum Run {
    /// Each change of an object.
    Change(fn(&ChangeCase<'_>) -> CheckOutcome),
    /// Each object of a state.
    Object(fn(&ObjectCase<'_>) -> CheckOutcome),
    /// Each change of a root output.
    Output(fn(&OutputCase<'_>) -> CheckOutcome),
    /// The file as a whole.
    Whole(fn(&IndexedFile<'_>) -> CheckOutcome),
}

impl Severity {
    /// The name, which is also the level in SARIF.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        }
    }
}

/// Files with plans.
pub(super) const PLANS: &[Kind] = &[Kind::PlanFile, Kind::PlanJson];
/// Files with objects of a state.
pub(super) const STATES: &[Kind] = &[Kind::PlanFile, Kind::PlanJson, Kind::StateJson, Kind::StateFile];
/// Plan files alone.
pub(super) const PLAN_FILE: &[Kind] = &[Kind::PlanFile];
/// Plans in JSON alone.
pub(super) const PLAN_JSON: &[Kind] = &[Kind::PlanJson];
/// Files that have state files in them.
pub(super) const STATE_FILES: &[Kind] = &[Kind::PlanFile, Kind::StateFile];
