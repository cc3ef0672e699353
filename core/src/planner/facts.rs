//! The facts that the planning of an instance depends on and that are not its own: those of its module, of other
//! instances, of the user's request.

use crate::address::ResourceKind;
use crate::plans::{Action, Marked};
use crate::state::DeposedKey;
use crate::value::{PathSet, Text, Tri, Value, WrittenPath};

/// Whether the configuration has the instance.
#[derive(Clone, Debug, PartialEq)]
pub enum Presence {
    /// It does.
    Configured(Box<Configured>),
    /// It does not: the objects in the state are orphans (L123).
    Orphan(Orphan),
    /// A `removed` block with `destroy = false` says to forget it (L129).
    Removed(Orphan),
}

impl Presence {
    /// The configuration, if there is one.
    pub fn configured(&self) -> Option<&Configured> {
        match self {
            Presence::Configured(configured) => Some(configured),
            Presence::Orphan(_) | Presence::Removed(_) => None,
        }
    }
}

/// The configuration of an instance, and its dependencies.
#[derive(Clone, Debug, PartialEq)]
pub struct Configured {
    /// The evaluated configuration, sensitive parts marked (L32).
    pub config: Marked,
    /// Which parts of it are ephemeral (L03).
    pub ephemeral: PathSet,
    /// The configuration of the static validation, in which every reference is unknown (L01). `None`: same as `config`,
    /// because only unknown parts contain references; see [`Configured::at_static_validation`].
    pub at_validation: Option<Value>,
    /// The `lifecycle` block.
    pub lifecycle: Lifecycle,
    /// Preconditions in order: whether each holds (L30).
    pub preconditions: Vec<Tri>,
    /// Postconditions in order: whether each holds of the resulting object (L113, A17).
    pub postconditions: Vec<Tri>,
    /// Provisioners in order (A15, A42).
    pub provisioners: Vec<Provisioner>,
    /// All resources that this one depends on, directly or not.
    pub dependencies: Vec<Dependency>,
    /// Data resources: whether it stands in a `check` block (L145).
    pub in_check: bool,
}

impl Configured {
    /// This configuration without `lifecycle`, conditions, provisioners and dependencies.
    pub fn alone(config: Marked) -> Configured {
        Configured {
            config,
            ephemeral: PathSet::EMPTY,
            at_validation: None,
            lifecycle: Lifecycle::default(),
            preconditions: Vec::new(),
            postconditions: Vec::new(),
            provisioners: Vec::new(),
            dependencies: Vec::new(),
            in_check: false,
        }
    }

    /// The configuration of the static validation (L01): of an unknown value only the type is known there.
    pub fn at_static_validation(&self) -> Value {
        self.at_validation.as_ref().unwrap_or(self.config.value()).view().unrefined()
    }
}

/// The `lifecycle` block of a resource.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lifecycle {
    /// `create_before_destroy`.
    pub create_before_destroy: bool,
    /// Whether a resource that depends on this one is created before it is destroyed (L06).
    pub forced_create_before_destroy: bool,
    /// `prevent_destroy`.
    pub prevent_destroy: PreventDestroy,
    /// `ignore_changes`.
    pub ignore_changes: IgnoreChanges,
    /// `replace_triggered_by`, in order (section 11).
    pub replace_triggered_by: Vec<Trigger>,
    /// OpenTofu: `destroy = false` (L49, L129).
    pub keep_on_destroy: bool,
}

/// `prevent_destroy` (L111).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PreventDestroy {
    /// Not set, or false.
    #[default]
    No,
    /// True.
    Yes,
    /// OpenTofu: an expression that is null, unknown, sensitive or ephemeral.
    Bad,
}

/// `ignore_changes` (section 8).
#[derive(Clone, Debug, PartialEq)]
pub enum IgnoreChanges {
    /// These traversals, in the order written. Names are attribute steps, brackets index or key steps (L62).
    Some(Vec<WrittenPath>),
    /// `all`.
    All,
}

impl Default for IgnoreChanges {
    fn default() -> IgnoreChanges {
        IgnoreChanges::Some(Vec::new())
    }
}

/// An entry of `replace_triggered_by` (section 11).
#[derive(Clone, Debug, PartialEq)]
pub struct Trigger {
    /// The changes recorded for the instance it names, or for all instances of the resource it names; empty if none was
    /// recorded (L103).
    pub changes: Vec<TriggerChange>,
    /// The attribute of the one instance that it names, if it names one (L102).
    pub attribute: Option<WrittenPath>,
}

/// A change recorded for an instance that a trigger names.
#[derive(Clone, Debug, PartialEq)]
pub struct TriggerChange {
    /// The action.
    pub action: Action,
    /// The object before the change.
    pub before: Marked,
    /// The object after it.
    pub after: Marked,
}

/// A provisioner and how it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Provisioner {
    /// Whether it runs when the object is destroyed; otherwise when it is created.
    pub on_destroy: bool,
    /// Whether it fails.
    pub fails: bool,
    /// `on_failure = continue`.
    pub on_failure_continue: bool,
}

/// A resource that this one depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// Its address in the configuration, without keys.
    pub address: Text,
    /// Managed or data.
    pub kind: ResourceKind,
    /// How this one depends on it.
    pub link: Link,
    /// The actions of the changes recorded for its instances, those that count by L142.
    pub actions: Vec<Action>,
}

/// How a resource depends on another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Link {
    /// The configuration refers to it.
    Reference,
    /// `depends_on` names it, its own or that of an enclosing module call.
    DependsOn,
    /// Through another resource.
    Transitive,
}

/// The reason why an instance in the state has no configuration (L127).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Orphan {
    /// Whether its resource still has a block.
    pub block: bool,
    /// Whether every module instance on its path exists.
    pub module: bool,
    /// Its key.
    pub key: KeyKind,
    /// How the block repeats.
    pub repetition: Repetition,
    /// Whether the block declares this key or index.
    pub declared: bool,
    /// `prevent_destroy` of the block (L125).
    pub prevent_destroy: PreventDestroy,
    /// OpenTofu: `destroy = false` of the block (L129).
    pub keep_on_destroy: bool,
}

/// What kind of key an instance has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum KeyKind {
    /// None.
    #[default]
    None,
    /// An index.
    Index,
    /// A string.
    Text,
}

/// How a block repeats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Repetition {
    /// It does not.
    #[default]
    Single,
    /// `count`.
    Count,
    /// `for_each`.
    ForEach,
    /// OpenTofu: `enabled`.
    Enabled,
}

/// The options of the user, beside the mode.
#[derive(Clone, Debug, Default)]
pub struct PlanOptions {
    /// Whether the refresh is skipped (L153).
    pub skip_refresh: bool,
    /// `-replace` names this instance (L154).
    pub replace: bool,
    /// The id under which the user wants an object imported (section 6).
    pub import: Option<Text>,
    /// The address before moves (L160); `None` if the instance was not moved.
    pub moved_from: Option<Text>,
    /// Whether an object that the plan would destroy is only forgotten, as when a test cleans up (L120).
    pub forget: bool,
    /// The key under which an object is deposed when the plan is applied (A02).
    pub fresh_key: DeposedKey,
}
