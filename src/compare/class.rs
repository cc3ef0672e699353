//! Kinds of differences.

macro_rules! classes {
    ($($(#[$doc:meta])* $variant:ident = $name:literal),* $(,)?) => {
        /// What kind of difference there is between two answers.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Class { $($(#[$doc])* $variant),* }

        impl Class {
            /// All of them.
            pub const ALL: &'static [Class] = &[$(Class::$variant),*];

            /// The class in a word, as used in signatures.
            pub fn name(self) -> &'static str {
                match self { $(Class::$variant => $name),* }
            }
        }
    };
}

classes! {
    /// One side answered, the other refused.
    RefusedByOne = "refused_by_one",
    /// The two answers are of different forms.
    Form = "form",
    /// The values have different types.
    Type = "type",
    /// Null on one side, unknown on the other.
    NullUnknown = "null_unknown",
    /// Null on one side, known on the other.
    NullKnown = "null_known",
    /// Unknown on one side, known on the other.
    UnknownKnown = "unknown_known",
    /// Both unknown, with other records.
    Record = "record",
    /// Other primitives.
    Primitive = "primitive",
    /// Another number of elements.
    Length = "length",
    /// Other keys.
    Keys = "keys",
    /// Sets with different elements.
    Elements = "elements",
    /// The first side does not report a violation that the second does.
    MissingViolation = "missing_violation",
    /// The first side reports a violation that the second does not.
    ExtraViolation = "extra_violation",
    /// Different answers of a form that has no finer classes.
    Answer = "answer",
    /// In a run: a different request to the provider.
    Request = "request",
    /// In a run: a different set of changed objects.
    Changes = "changes",
    /// In a run: a different action.
    Action = "action",
    /// In a run: a different action reason.
    Reason = "reason",
    /// In a run: a different object before the change.
    Before = "before",
    /// In a run: a different object after the change.
    After = "after",
    /// In a run: different sensitive parts.
    Sensitive = "sensitive",
    /// In a run: different paths that make the change a replacement.
    RequiredReplace = "required_replace",
    /// In a run: different private data in a change.
    Private = "private",
    /// In a run: a different import.
    Importing = "importing",
    /// In a run: a different address before moves.
    MovedFrom = "moved_from",
    /// In a run: a different drift.
    Drift = "drift",
    /// In a run: expressions see something different.
    Working = "working",
    /// In a run: only one of the plans may be applied.
    Applyable = "applyable",
    /// In a run: different errors or warnings.
    Diagnostics = "diagnostics",
    /// In a run or a workspace: a different stored state.
    State = "state",
    /// In a workspace: calls in a different order.
    Order = "order",
    /// In a workspace: different outputs.
    Outputs = "outputs",
    /// In a workspace: different results of checks.
    Checks = "checks",
    /// In a workspace: a different exit status.
    Exit = "exit",
}

impl Class {
    /// The class of a name.
    pub fn named(name: &str) -> Option<Class> {
        Class::ALL.iter().copied().find(|class| class.name() == name)
    }
}
