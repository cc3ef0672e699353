//! The outcomes of checks, with faults, and reasons why a check cannot be made.

/// The outcome of a check on one subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckOutcome {
    /// The check is not about such a subject.
    DoesNotApply,
    /// It holds.
    Held,
    /// It does not: at least one fault.
    Broken(Vec<Fault>),
    /// It cannot be checked.
    Cannot(Why),
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Fault {
    /// The address of the object, where the check is about the whole file.
    pub address: Option<String>,
    /// The path in the value; empty for the whole.
    pub path: String,
    /// What is wrong and what was expected.
    pub message: String,
}

/// Why a check cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Why {
    /// No schemas are known.
    NoSchemas,
    /// None of the type is known.
    NoSchema,
    /// None of those of the type fits.
    NoFit,
    /// The object was stored with another version of the schema.
    OtherSchemaVersion,
    /// Known schemas of the type differ.
    Versions,
    /// The address cannot be parsed, so its type is not known.
    NoAddress,
    /// The rule is known for other versions of the engine.
    OtherVersion,
    /// The file does not record the version of the engine.
    NoVersion,
    /// The file does not have what the rule is about.
    NotInFile,
    /// The provider may be one of the legacy SDK, to which engines allow it.
    MaybeLegacy,
    /// The value has what engines crash on as they look for its sensitive parts.
    NoSensitivePaths,
    /// Something outside changed the object, and the engine plans from what was there before.
    Drifted,
}

impl Why {
    /// The reason for people.
    pub fn text(self) -> &'static str {
        match self {
            Why::NoSchemas => "no schemas are known (give them with --schemas)",
            Why::NoSchema => "no schema of the resource type is known",
            Why::NoFit => "no known schema of the resource type fits the values",
            Why::OtherSchemaVersion => "the object was stored with another version of the schema",
            Why::Versions => "the known schemas of the resource type differ in what the rule is about",
            Why::NoAddress => "the address cannot be read, so the resource type is not known",
            Why::OtherVersion => "the rule is known of other versions of the engine",
            Why::NoVersion => "the file does not record the version of the engine",
            Why::NotInFile => "the file does not have what the rule is about",
            Why::MaybeLegacy => "the provider may be one of the legacy SDK, to which engines allow it",
            Why::NoSensitivePaths => "engines crash on the value as they look for its sensitive parts",
            Why::Drifted => "the object changed outside, and engines may plan from what was there before",
        }
    }
}

impl CheckOutcome {
    /// [`CheckOutcome::Held`], or a fault of the whole.
    pub fn hold(held: bool, message: impl FnOnce() -> String) -> CheckOutcome {
        if held { CheckOutcome::Held } else { CheckOutcome::Broken(vec![Fault::new(message())]) }
    }

    /// [`CheckOutcome::Held`] without faults, otherwise [`CheckOutcome::Broken`].
    pub fn none(faults: Vec<Fault>) -> CheckOutcome {
        if faults.is_empty() { CheckOutcome::Held } else { CheckOutcome::Broken(faults) }
    }
}

impl Fault {
    /// A fault of the whole.
    pub fn new(message: impl Into<String>) -> Fault {
        Fault { message: message.into(), ..Fault::default() }
    }

    /// A fault at a path.
    pub fn at(path: impl Into<String>, message: impl Into<String>) -> Fault {
        Fault { path: path.into(), message: message.into(), address: None }
    }

    /// A fault of an object.
    pub fn of(address: impl ToString, message: impl Into<String>) -> Fault {
        Fault { address: Some(address.to_string()), ..Fault::new(message) }
    }
}
