//! Kinds of differences.

macro_rules! classes {
    ($($(#[$doc:meta])* $variant:ident = $name:literal),* $(,)?) => {
        /// What kind of difference there is between two answers.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Class { $($(#[$doc])* $variant),* }

        impl Class {
            /// All of them.
            pub const ALL: &'static [Class] = &[$(Class::$variant),*];

            /// The class in a word, as signatures have it.
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
    /// Sets with other elements.
    Elements = "elements",
    /// The first side does not report a violation that the second does.
    MissingViolation = "missing_violation",
    /// The first side reports a violation that the second does not.
    ExtraViolation = "extra_violation",
    /// Other answers of a form that has no finer classes.
    Answer = "answer",
    /// In a life: the provider is asked something else.
    Request = "request",
    /// In a life: other objects are changed at all.
    Changes = "changes",
    /// In a life: another action.
    Action = "action",
    /// In a life: another action reason.
    Reason = "reason",
    /// In a life: another object before the change.
    Before = "before",
    /// In a life: another object after the change.
    After = "after",
    /// In a life: other parts are sensitive.
    Sensitive = "sensitive",
    /// In a life: other paths make the change a replacement.
    RequiredReplace = "required_replace",
    /// In a life: other private data in a change.
    Private = "private",
    /// In a life: another import.
    Importing = "importing",
    /// In a life: another address before moves.
    MovedFrom = "moved_from",
    /// In a life: another drift.
    Drift = "drift",
    /// In a life: expressions see something else.
    Working = "working",
    /// In a life: the plan may be applied or not.
    Applyable = "applyable",
    /// In a life: other errors or warnings.
    Diagnostics = "diagnostics",
    /// In a life or a workspace: something else is stored.
    State = "state",
    /// In a workspace: calls in another order.
    Order = "order",
    /// In a workspace: other outputs.
    Outputs = "outputs",
    /// In a workspace: other results of checks.
    Checks = "checks",
    /// In a workspace: another exit status.
    Exit = "exit",
}

impl Class {
    /// The class of a name.
    pub fn named(name: &str) -> Option<Class> {
        Class::ALL.iter().copied().find(|class| class.name() == name)
    }
}
