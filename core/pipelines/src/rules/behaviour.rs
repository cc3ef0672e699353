//! Behaviour of attributes and resources (section 3 of provider-model.md).

use planfuzz_core::value::{Number, Text, Value, WrittenPath};

use crate::expression::{Cond, Equiv, Expr, Ref};

/// A check on a configured attribute (CHECK). Null and unknown pass, except in a condition.
#[derive(Clone, Debug, PartialEq)]
pub enum Check {
    /// An error if the condition is true; it refers to the configuration only.
    ErrorIf(Cond),
    /// One of some values of the attribute's type.
    OneOf(Vec<Value>),
    /// A number between two, both included.
    Range(NumberRange),
    /// A number of characters or elements, bounds included.
    Length(u64, u64),
    /// A text with this prefix.
    Prefix(Text),
}

/// Numbers between two bounds, both included.
#[derive(Clone, Debug)]
pub struct NumberRange {
    /// The least.
    pub low: Number,
    /// The greatest.
    pub high: Number,
}

impl PartialEq for NumberRange {
    fn eq(&self, other: &NumberRange) -> bool {
        self.low.equals(&other.low) && self.high.equals(&other.high)
    }
}

/// A check on a whole configuration, over top-level attributes and blocks by name.
#[derive(Clone, Debug, PartialEq)]
pub enum ResourceCheck {
    /// An error where the condition is true.
    ErrorIf(Cond),
    /// An error where two or more are known and not null.
    Conflicts(Vec<Text>),
    /// An error where one is known and not null and another null.
    Together(Vec<Text>),
    /// An error if exactly one cannot be set.
    ExactlyOne(Vec<Text>),
    /// An error if none can be set.
    AtLeastOne(Vec<Text>),
}

/// A plan modifier of the framework (MOD).
#[derive(Clone, Debug, PartialEq)]
pub enum Mod {
    /// F73.
    RequiresReplace,
    /// F74.
    RequiresReplaceIfConfigured,
    /// F70.
    UseStateForUnknown,
    /// F71.
    UseNonNullStateForUnknown,
    /// F72, where the condition is true or unknown.
    RequiresReplaceIf(Cond),
    /// The prior value, where both are known, not null and equivalent.
    KeepStateIf(Equiv),
    /// A value if nothing is configured and the condition is true; unknown if the condition is unknown.
    DefaultIf(Cond, Expr),
    /// Unknown if nothing is configured and the condition is true or unknown.
    UnknownIf(Cond),
    /// An error where the condition is true.
    ErrorIf(Cond),
    /// A value in any case.
    Set(Expr),
}

/// A rule of resource-level plan modification (F80).
#[derive(Clone, Debug, PartialEq)]
pub enum PlanRule {
    /// Adds a path to the replacement list (F81).
    RequiresReplace(ReplacePath),
    /// An error where the condition is true.
    ErrorIf(Cond),
    /// Adds the path of a top-level attribute that changed (F72), where the condition is true or unknown.
    ReplaceIf(Text, Cond),
    /// As [`Mod::DefaultIf`], of a top-level attribute and on the current plan.
    Default(Text, Cond, Expr),
    /// As [`Mod::UnknownIf`], likewise.
    UnknownIf(Text, Cond),
    /// A value for a top-level attribute in any case (F82).
    Set(Text, Expr),
    /// A value for the whole plan.
    SetAll(Expr),
    /// A rule that runs where the condition is true.
    When(Cond, Box<PlanRule>),
}

/// The path that [`PlanRule::RequiresReplace`] adds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplacePath {
    /// The path of a top-level attribute, which need not exist.
    Name(Text),
    /// Any path.
    Path(WrittenPath),
}

/// An operation of plan customisation in the SDK (Z70), on fields by key.
#[derive(Clone, Debug, PartialEq)]
pub enum CustomizeOp {
    /// A change of the field replaces the resource.
    ForceNew(Text),
    /// Plans a value.
    SetNew(Text, Expr),
    /// Plans unknown.
    SetNewComputed(Text),
    /// Drops the planned change of the field.
    Clear(Text),
    /// An error where the condition is true.
    ErrorIf(Cond),
    /// An operation that runs where the condition is true.
    When(Cond, Box<CustomizeOp>),
}

/// The value of an unknown planned attribute after apply (GEN).
#[derive(Clone, Debug, PartialEq)]
pub enum Gen {
    /// Null.
    Null,
    /// A value made of the seed, the place and a salt.
    Fill(u64),
    /// A constant of the attribute's type.
    Const(Value),
    /// The value of another place of the planned object.
    Copy(Ref),
    /// A short hash of places of the planned object.
    Hash(Vec<Ref>),
    /// A number and the epoch.
    Counter(i64),
    /// On update the prior value, where it is not null.
    Once(Box<Gen>),
}

impl ReplacePath {
    /// The path itself.
    pub fn written(&self) -> WrittenPath {
        match self {
            ReplacePath::Name(name) => WrittenPath::from(&planfuzz_core::value::Path::root().attribute(name)),
            ReplacePath::Path(path) => path.clone(),
        }
    }
}
