//! Renames the requests and answers of a planner: a function for each type in them.
//!
//! Each function lists all members of its type, so that a new member does not compile until its renaming is defined.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use planfuzz_core::address::ResourceKind;
use planfuzz_core::planner::{
    Applied, ApplyAnswer, ApplyChange, ApplyRequest, Configured, Dependency, Diagnostic, Drift, IgnoreChanges,
    ImportAnswer, ImportState, KeyKind, Lifecycle, Link, Orphan, Plan, PlanAnswer, PlanChange, PlanOptions,
    PlanRequest, Presence, PreventDestroy, Provisioner, RawState, ReadAnswer, ReadData, ReadDataAnswer, ReadResource,
    Remark, Repetition, Severity, Trigger, UpgradeAnswer, UpgradeState, ValidateAnswer, ValidateConfig,
};
use planfuzz_core::plans::{Action, ActionReason, Change, Importing, Marked, Mode, ResourceInstanceChange};
use planfuzz_core::state::{DeposedKey, InstanceState, Object, Private, Status, Stored};
use planfuzz_core::value::{PathSet, Text, Tri, Value, WrittenPath};

use crate::compare::renaming::Renaming;

/// A type that may contain names of the schema.
pub(super) trait Renamed {
    /// The value with the other names.
    #[must_use]
    fn renamed(&self, by: Renaming<'_>) -> Self;
}

macro_rules! without_names {
    ($($type:ty),* $(,)?) => {
        $(impl Renamed for $type {
            fn renamed(&self, _: Renaming<'_>) -> $type {
                self.clone()
            }
        })*
    };
}

without_names! {
    bool,
    u64,
    Action,
    ActionReason,
    DeposedKey,
    KeyKind,
    Link,
    Mode,
    PreventDestroy,
    Repetition,
    ResourceKind,
    Severity,
    Status,
    Tri,
    &'static str,
    // Addresses, ids, and texts that a provider made itself.
    Text,
    // An id, or an identity, which has a schema of its own.
    Importing,
    // Bytes that only the provider understands.
    Private,
}

macro_rules! member_by_member {
    ($($type:ident { $($member:ident),* $(,)? })*) => {
        $(impl Renamed for $type {
            fn renamed(&self, by: Renaming<'_>) -> $type {
                let $type { $($member),* } = self;
                $type { $($member: $member.renamed(by)),* }
            }
        })*
    };
}

// Requests to a planner.
member_by_member! {
    PlanRequest { kind, mode, options, state, presence }
    ApplyRequest { kind, options, state, changes, presence }
    PlanOptions { skip_refresh, replace, import, moved_from, forget, fresh_key }
    Configured {
        config,
        ephemeral,
        at_validation,
        lifecycle,
        preconditions,
        postconditions,
        provisioners,
        dependencies,
        in_check,
    }
    Lifecycle {
        create_before_destroy,
        forced_create_before_destroy,
        prevent_destroy,
        ignore_changes,
        replace_triggered_by,
        keep_on_destroy,
    }
    Provisioner { on_destroy, fails, on_failure_continue }
    Dependency { address, kind, link, actions }
    Orphan { block, module, key, repetition, declared, prevent_destroy, keep_on_destroy }
}

// The stored state.
member_by_member! {
    InstanceState { current, deposed }
    Object { stored, private, status, dependencies, create_before_destroy, sensitive, skip_destroy }
}

// Answers of a planner.
member_by_member! {
    Plan { previous_run, refreshed, changes, drift, working, applyable, diagnostics }
    Applied { state, diagnostics }
    ResourceInstanceChange { moved_from, deposed, change, reason, required_replace, private }
    Change { action, before, after, importing }
    Drift { action, before, after }
    Diagnostic { severity, summary, path, rule }
}

// Requests to a provider, and its answers.
member_by_member! {
    ValidateConfig { config }
    ValidateAnswer { remarks }
    UpgradeState { version, state }
    UpgradeAnswer { upgraded, remarks }
    ReadResource { current, private }
    ReadAnswer { new_state, private, deferred, remarks }
    PlanChange { prior, config, proposed, private }
    PlanAnswer { planned, requires_replace, private, legacy_type_system, deferred, remarks }
    ApplyChange { prior, config, planned, private }
    ApplyAnswer { new_state, private, legacy_type_system, remarks }
    ImportState { id }
    ImportAnswer { imported, remarks }
    ReadData { config }
    ReadDataAnswer { state, remarks }
    Remark { severity, summary }
}

impl Renamed for Value {
    fn renamed(&self, by: Renaming<'_>) -> Value {
        by.value(self)
    }
}

impl Renamed for Marked {
    fn renamed(&self, by: Renaming<'_>) -> Marked {
        Marked::new(self.value().renamed(by), &self.sensitive().renamed(by))
    }
}

impl Renamed for WrittenPath {
    fn renamed(&self, by: Renaming<'_>) -> WrittenPath {
        by.path(self)
    }
}

impl Renamed for PathSet {
    fn renamed(&self, by: Renaming<'_>) -> PathSet {
        self.iter().map(|path| by.path(path)).collect()
    }
}

/// Messages of a planner.
impl Renamed for Cow<'static, str> {
    fn renamed(&self, by: Renaming<'_>) -> Cow<'static, str> {
        by.text(self).map_or_else(|| self.clone(), Cow::Owned)
    }
}

impl Renamed for Presence {
    fn renamed(&self, by: Renaming<'_>) -> Presence {
        match self {
            Presence::Configured(configured) => Presence::Configured(configured.renamed(by)),
            Presence::Orphan(orphan) => Presence::Orphan(orphan.renamed(by)),
            Presence::Removed(orphan) => Presence::Removed(orphan.renamed(by)),
        }
    }
}

impl Renamed for IgnoreChanges {
    fn renamed(&self, by: Renaming<'_>) -> IgnoreChanges {
        match self {
            IgnoreChanges::Some(paths) => IgnoreChanges::Some(paths.renamed(by)),
            IgnoreChanges::All => IgnoreChanges::All,
        }
    }
}

/// Changes of another instance, and a path into them: they keep their names.
impl Renamed for Trigger {
    fn renamed(&self, _: Renaming<'_>) -> Trigger {
        let Trigger { changes, attribute } = self;
        Trigger { changes: changes.clone(), attribute: attribute.clone() }
    }
}

impl Renamed for Stored {
    fn renamed(&self, by: Renaming<'_>) -> Stored {
        match self {
            Stored::Value(value) => Stored::Value(value.renamed(by)),
            Stored::Raw { version, attributes } => {
                Stored::Raw { version: version.renamed(by), attributes: Arc::new(by.attributes(attributes)) }
            }
        }
    }
}

impl Renamed for RawState {
    fn renamed(&self, by: Renaming<'_>) -> RawState {
        match self {
            RawState::Value(value) => RawState::Value(value.renamed(by)),
            RawState::Json(attributes) => RawState::Json(Arc::new(by.attributes(attributes))),
        }
    }
}

impl<T: Renamed> Renamed for Option<T> {
    fn renamed(&self, by: Renaming<'_>) -> Option<T> {
        self.as_ref().map(|part| part.renamed(by))
    }
}

impl<T: Renamed> Renamed for Box<T> {
    fn renamed(&self, by: Renaming<'_>) -> Box<T> {
        Box::new((**self).renamed(by))
    }
}

impl<T: Renamed> Renamed for Vec<T> {
    fn renamed(&self, by: Renaming<'_>) -> Vec<T> {
        self.iter().map(|part| part.renamed(by)).collect()
    }
}

/// The keys are not names of the schema.
impl<K: Clone + Ord, T: Renamed> Renamed for BTreeMap<K, T> {
    fn renamed(&self, by: Renaming<'_>) -> BTreeMap<K, T> {
        self.iter().map(|(key, part)| (key.clone(), part.renamed(by))).collect()
    }
}

impl<A: Renamed, B: Renamed> Renamed for (A, B) {
    fn renamed(&self, by: Renaming<'_>) -> (A, B) {
        (self.0.renamed(by), self.1.renamed(by))
    }
}
