//! Planted mistakes in reading, checking and parsing, one active at a time: the tests are measured by them.

use std::cell::Cell;

/// A mistake: each a plausible slip in one rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// E08: a comment is a member like others.
    CommentIsMember,
    /// E09: of an array of objects for labels only the first counts.
    FirstObjectOnly,
    /// E18: labels may be missing.
    MissingLabelTaken,
    /// E01: what a root with errors calls is read.
    BrokenRootCalls,
    /// E27: references in quotes are taken without a word.
    QuotedReferenceSilent,
    /// E15 to E25: a name may be declared twice.
    DuplicatesTaken,
    /// E15: reserved names are names of variables.
    ReservedNameTaken,
    /// E15: a default need not convert.
    DefaultNotConverted,
    /// E15: a null default is no matter of nullable.
    NullDefaultTaken,
    /// E150: a validation may be about anything.
    ValidationOfOthers,
    /// E19: data resources have all of lifecycle.
    DataLifecycleTaken,
    /// E21: any text is an alias.
    AnyAlias,
    /// E22: a resource moves to a module.
    MovedToModule,
    /// E23: an instance is removed.
    InstanceRemoved,
    /// E24: a child module imports.
    ImportInModule,
    /// E25: a check without asserts.
    CheckWithoutAssert,
    /// E68: there is a count everywhere.
    CountEverywhere,
    /// E65: no key is needed.
    KeyNotNeeded,
    /// E64: the data of a check is seen by all.
    ScopedDataSeen,
    /// E73: an output means its whole module.
    OutputIsModule,
    /// E30: a dynamic block of any type.
    AnyDynamic,
    /// E178: a module with providers is called often.
    LegacyRepeated,
    /// E04: nodes after a failed one are visited.
    FailedGoOn,
    /// E172: unused provider configurations are checked.
    UnusedChecked,
    /// E91: a variable of a `for` is a reference.
    ForVariableRefers,
    /// E81: a key of an object is a reference.
    KeyRefers,
    /// E80a: equality is as strong as comparison.
    EqualityAsComparison,
    /// E80a: operators of one strength group to the right.
    GroupedToTheRight,
    /// E80b: lines of white space alone count.
    BlankLineCounts,
    /// E80b: lines are not moved to the left.
    LinesStay,
    /// E89: a literal that lost everything is no part.
    EmptyLiteralGone,
    /// E90: `~` takes away more than a line.
    TrimBeyondTheLine,
    /// E91: of two variables of one name the outer one is meant.
    OuterVariable,
    /// E92a: `.*` takes the brackets behind it in.
    AttributeSplatTakesIndex,
}

impl Fault {
    /// The mistakes in reading and checking configurations.
    pub const CONFIGURATIONS: [Fault; 26] = [
        Fault::CommentIsMember,
        Fault::FirstObjectOnly,
        Fault::MissingLabelTaken,
        Fault::BrokenRootCalls,
        Fault::QuotedReferenceSilent,
        Fault::DuplicatesTaken,
        Fault::ReservedNameTaken,
        Fault::DefaultNotConverted,
        Fault::NullDefaultTaken,
        Fault::ValidationOfOthers,
        Fault::DataLifecycleTaken,
        Fault::AnyAlias,
        Fault::MovedToModule,
        Fault::InstanceRemoved,
        Fault::ImportInModule,
        Fault::CheckWithoutAssert,
        Fault::CountEverywhere,
        Fault::KeyNotNeeded,
        Fault::ScopedDataSeen,
        Fault::OutputIsModule,
        Fault::AnyDynamic,
        Fault::LegacyRepeated,
        Fault::FailedGoOn,
        Fault::UnusedChecked,
        Fault::ForVariableRefers,
        Fault::KeyRefers,
    ];

    /// The mistakes in the parser of expressions; the evaluators show them.
    pub const EXPRESSIONS: [Fault; 8] = [
        Fault::EqualityAsComparison,
        Fault::GroupedToTheRight,
        Fault::BlankLineCounts,
        Fault::LinesStay,
        Fault::EmptyLiteralGone,
        Fault::TrimBeyondTheLine,
        Fault::OuterVariable,
        Fault::AttributeSplatTakesIndex,
    ];
}

thread_local! {
    static PLANTED: Cell<Option<Fault>> = const { Cell::new(None) };
}

/// Does something with a mistake planted in this thread.
pub fn with<T>(fault: Fault, work: impl FnOnce() -> T) -> T {
    PLANTED.set(Some(fault));
    let result = work();
    PLANTED.set(None);
    result
}

pub(crate) fn is_planted(fault: Fault) -> bool {
    PLANTED.get() == Some(fault)
}
