//! Providers of a case as data, and what they answer.
//!
//! Problem: a workspace asks many providers about many types, side by side, and no answer may depend on the order of the requests. Idea: an
//! answer is a function of the request, of the type's [`TypeModel`] and of what happens beside it ([`RemoteEvents`]): what drifted, what is
//! gone, which calls fail. Objects are identified by their `name`, which requests carry themselves.

mod answer;
mod filled;
mod implied;

use std::collections::BTreeMap;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::{Field, Json, JsonError, ObjectReader};
use planfuzz_core::{record, words};
use planfuzz_language::check::Schemas;
use planfuzz_workspace::{Answer, Call, Providers, SharedProviders};

use implied::Implied;

/// How a type behaves, beyond its schema.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypeModel {
    /// Computed attributes that are drawn once: unknown when an object is created, then kept.
    pub stable: Vec<String>,
    /// Computed attributes that are unknown whenever anything changes.
    pub volatile: Vec<String>,
    /// Attributes whose change replaces the object.
    pub replace: Vec<String>,
}

/// What a failing call does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum How {
    /// An error; an apply still returns the object that it made.
    Error,
    /// An error, and no object.
    Null,
    /// An error, and the object as it was.
    Prior,
    /// No answer at all.
    Lost,
    /// A warning, and the usual answer.
    Warning,
}

/// A call that is set to fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fail {
    /// The call by its name in recorded runs; `delete` is the apply of a deletion.
    pub call: String,
    /// The `name` of the object, the `label` of a provider configuration.
    pub name: String,
    /// What it does.
    pub how: How,
}

/// What happened to an object outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outside {
    /// The `name` of the object.
    pub name: String,
    /// The attributes that have other values; `None` if the object is gone.
    pub set: Option<Json>,
}

/// What happens to remote objects and calls in a step beside what its planner does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RemoteEvents {
    /// What happened outside.
    pub outside: Vec<Outside>,
    /// What fails.
    pub fails: Vec<Fail>,
}

/// The providers of a step: a function of the request.
#[derive(Clone, Debug)]
pub struct Simulated {
    /// Their schemas.
    pub schemas: Schemas,
    /// The dialect of their types' values.
    pub dialect: Dialect,
    /// How their types behave, by name.
    pub models: BTreeMap<String, TypeModel>,
    /// What happens and fails.
    pub events: RemoteEvents,
    implied: Implied,
}

impl Simulated {
    /// Providers with these schemas, models and events.
    pub fn new(
        schemas: Schemas,
        dialect: Dialect,
        models: BTreeMap<String, TypeModel>,
        events: RemoteEvents,
    ) -> Simulated {
        let implied = Implied::of(&schemas);
        Simulated { schemas, dialect, models, events, implied }
    }
}

impl Providers for &Simulated {
    fn call(&mut self, call: &Call) -> Answer {
        self.answer(call)
    }

    fn shared(&self) -> Option<&dyn SharedProviders> {
        Some(*self)
    }
}

impl SharedProviders for Simulated {
    fn call_shared(&self, call: &Call) -> Answer {
        self.answer(call)
    }
}

record!(TypeModel, "the model of a type": stable or Vec::new(), volatile or Vec::new(), replace or Vec::new());
record!(RemoteEvents, "what happens beside a planner": outside or Vec::new(), fails or Vec::new());
record!(Fail, "a call that fails": call, name, how);
words!(How, "how a call fails": Error = "error", Null = "null", Prior = "prior", Lost = "lost", Warning = "warning");

/// `{"name": …, "gone": true}` or `{"name": …, "set": {…}}`.
impl Field for Outside {
    fn write(&self) -> Json {
        let what = match &self.set {
            None => ("gone", Json::Bool(true)),
            Some(set) => ("set", set.clone()),
        };
        Json::object([("name", Json::string(&self.name)), what])
    }

    fn read(json: &Json) -> Result<Outside, JsonError> {
        let mut reader = ObjectReader::new(json, "what happened outside")?;
        let name = reader.required("name", String::read)?;
        let gone = reader.flag("gone")?;
        let set = reader.optional("set", |set| set.expect_object().map(|_| set.clone()))?;
        reader.finish()?;
        match (gone, &set) {
            (true, None) | (false, Some(_)) => Ok(Outside { name, set }),
            _ => Err(json.unexpected("either \"gone\" or \"set\"")),
        }
    }
}
