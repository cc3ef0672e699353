//! The vocabulary of expressions and conditions, with canonical forms and equivalences (section 2 of provider-model.md).

use planfuzz_core::value::{Text, Value};

/// The greatest nesting depth of expressions and conditions when they are read.
pub const MAX_DEPTH: usize = 32;

/// The source of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Source {
    /// The configuration.
    Config,
    /// The prior state.
    Prior,
    /// The plan; which one depends on the rule that is evaluated.
    Plan,
}

/// The operation on the resource, by the nullness of prior and configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operation {
    /// Prior is null.
    Create,
    /// Neither is null.
    Update,
    /// The configuration is null.
    Destroy,
}

/// A reference to an existing value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ref {
    /// The attribute itself.
    This(Source),
    /// A field of the object that has the attribute.
    Sibling(Source, Text),
    /// A place below the root, through objects only.
    Root(Source, Vec<Text>),
}

/// An expression that computes a value (EXPR).
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// Null of the target's type.
    Null,
    /// Unknown of the target's type.
    Unknown,
    /// A constant, of the target's type.
    Const(Value),
    /// A reference to an existing value.
    Ref(Ref),
    /// A canonical form of a value.
    Canon(Canon, Box<Expr>),
    /// The concatenated texts of strings, numbers and bools.
    Concat(Vec<Expr>),
    /// A sum.
    Add(Box<Expr>, Box<Expr>),
    /// The number of characters or elements.
    Length(Box<Expr>),
    /// A short hash of texts.
    Hash(Vec<Expr>),
    /// One value or the other; unknown where the condition is.
    If(Box<Cond>, Box<Expr>, Box<Expr>),
}

/// A condition (COND): true, false or unknown.
#[derive(Clone, Debug, PartialEq)]
pub enum Cond {
    /// A constant.
    Bool(bool),
    /// Whether the operation is this one.
    Op(Operation),
    /// Whether a value is null.
    IsNull(Ref),
    /// Whether a value is unknown itself.
    IsUnknown(Ref),
    /// Whether a value is not wholly known.
    PartlyUnknown(Ref),
    /// Whether a value differs between plan and prior.
    Changed(Changed),
    /// Whether two values are equal.
    Eq(Expr, Expr),
    /// Whether the first number is the smaller one.
    Lt(Expr, Expr),
    /// Whether two values are equivalent.
    Same(Equiv, Expr, Expr),
    /// The opposite.
    Not(Box<Cond>),
    /// Whether all are true.
    All(Vec<Cond>),
    /// Whether any is true.
    Any(Vec<Cond>),
}

/// The subject of a question about change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Changed {
    /// A top-level attribute or, in the SDK, a key: the pipeline's own notion of change.
    Name(Text),
    /// A value, whichever source the reference names.
    Ref(Ref),
}

/// A canonical form (CANON): a function on texts, or on lists of texts; other values are their own form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Canon {
    /// Lower case.
    Lower,
    /// No white space at the ends.
    Trim,
    /// JSON without white space, keys sorted; text that is no JSON as it is.
    Json,
    /// With a prefix, which is put in front unless it is there.
    Prefix(Text),
    /// The list in byte order.
    Sorted,
    /// The list without repetitions.
    Unique,
    /// With `h:` put in front always, so not idempotent; SDK only.
    AlwaysPrefix,
}

/// An equivalence (EQUIV), but for the last two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Equiv {
    /// Equality.
    Exact,
    /// Equality after simple case folding.
    Case,
    /// Equality after trimming.
    Trim,
    /// Equality of the JSON forms.
    Json,
    /// Equality of canonical forms.
    Canon(Canon),
    /// Equality of lists as multisets.
    Unordered,
    /// Everything is equivalent to everything.
    Always,
    /// The second text is empty; SDK only.
    NewEmpty,
}

impl Source {
    /// All sources.
    pub const ALL: [Source; 3] = [Source::Config, Source::Prior, Source::Plan];

    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Source::Config => "config",
            Source::Prior => "prior",
            Source::Plan => "plan",
        }
    }
}

impl Operation {
    /// All operations.
    pub const ALL: [Operation; 3] = [Operation::Create, Operation::Update, Operation::Destroy];

    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Operation::Create => "create",
            Operation::Update => "update",
            Operation::Destroy => "destroy",
        }
    }

    /// The operation of a request. Where both are null, prior decides (F100).
    pub fn of(prior: &Value, config: &Value) -> Operation {
        match (prior.is_null(), config.is_null()) {
            (true, _) => Operation::Create,
            (false, true) => Operation::Destroy,
            (false, false) => Operation::Update,
        }
    }
}

impl Ref {
    /// The source.
    pub fn source(&self) -> Source {
        match self {
            Ref::This(source) | Ref::Sibling(source, _) | Ref::Root(source, _) => *source,
        }
    }

    /// The same place in another source.
    #[must_use]
    pub fn in_source(&self, source: Source) -> Ref {
        match self {
            Ref::This(_) => Ref::This(source),
            Ref::Sibling(_, name) => Ref::Sibling(source, name.clone()),
            Ref::Root(_, names) => Ref::Root(source, names.clone()),
        }
    }
}
