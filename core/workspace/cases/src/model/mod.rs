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
use planfuzz_core::json::{Json, JsonError, ObjectReader};
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

impl TypeModel {
    /// Reads `{"stable": […], "volatile": […], "replace": […]}`; empty members are left out.
    ///
    /// # Errors
    /// The document has another form.
    pub fn from_json(json: &Json) -> Result<TypeModel, JsonError> {
        let mut reader = ObjectReader::new(json, "the model of a type")?;
        let names = |json: &Json| json.read_items(|name| name.expect_string().map(str::to_owned));
        let model = TypeModel {
            stable: reader.optional("stable", names)?.unwrap_or_default(),
            volatile: reader.optional("volatile", names)?.unwrap_or_default(),
            replace: reader.optional("replace", names)?.unwrap_or_default(),
        };
        reader.finish()?;
        Ok(model)
    }

    /// The document that [`from_json`](Self::from_json) reads.
    pub fn to_json(&self) -> Json {
        let lists = [("stable", &self.stable), ("volatile", &self.volatile), ("replace", &self.replace)];
        let list = |names: &Vec<String>| Json::Array(names.iter().map(|name| Json::string(name)).collect());
        Json::object(lists.into_iter().filter(|(_, names)| !names.is_empty()).map(|(name, names)| (name, list(names))))
    }
}

impl How {
    /// All of them, with their words in a case.
    pub const ALL: [(How, &'static str); 5] = [
        (How::Error, "error"),
        (How::Null, "null"),
        (How::Prior, "prior"),
        (How::Lost, "lost"),
        (How::Warning, "warning"),
    ];

    /// Its word.
    pub fn word(self) -> &'static str {
        How::ALL.iter().find(|(how, _)| *how == self).map_or("error", |(_, word)| word)
    }
}

impl RemoteEvents {
    /// Reads the members `outside` and `fails` of a step.
    pub(crate) fn read(reader: &mut ObjectReader<'_>) -> Result<RemoteEvents, JsonError> {
        let outside = reader.optional("outside", |json| json.read_items(read_outside))?.unwrap_or_default();
        let fails = reader.optional("fails", |json| json.read_items(read_fail))?.unwrap_or_default();
        Ok(RemoteEvents { outside, fails })
    }

    /// The members as they are read.
    pub(crate) fn members(&self) -> Vec<(&'static str, Json)> {
        let outside = |one: &Outside| match &one.set {
            None => Json::object([("name", Json::string(&one.name)), ("gone", Json::Bool(true))]),
            Some(set) => Json::object([("name", Json::string(&one.name)), ("set", set.clone())]),
        };
        let fail = |one: &Fail| {
            let texts = [("call", one.call.as_str()), ("name", &one.name), ("how", one.how.word())];
            Json::object(texts.map(|(name, text)| (name, Json::string(text))))
        };
        let mut members = Vec::new();
        if !self.outside.is_empty() {
            members.push(("outside", Json::Array(self.outside.iter().map(outside).collect())));
        }
        if !self.fails.is_empty() {
            members.push(("fails", Json::Array(self.fails.iter().map(fail).collect())));
        }
        members
    }
}

fn text(json: &Json) -> Result<String, JsonError> {
    json.expect_string().map(str::to_owned)
}

fn read_outside(json: &Json) -> Result<Outside, JsonError> {
    let mut reader = ObjectReader::new(json, "what happened outside")?;
    let name = reader.required("name", text)?;
    let gone = reader.flag("gone")?;
    let set = reader.optional("set", |set| set.expect_object().map(|_| set.clone()))?;
    reader.finish()?;
    match (gone, &set) {
        (true, None) | (false, Some(_)) => Ok(Outside { name, set }),
        _ => Err(json.unexpected("either \"gone\" or \"set\"")),
    }
}

fn read_fail(json: &Json) -> Result<Fail, JsonError> {
    let mut reader = ObjectReader::new(json, "a call that fails")?;
    let call = reader.required("call", text)?;
    let name = reader.required("name", text)?;
    let how = reader.required("how", |json| {
        let word = json.expect_string()?;
        let found = How::ALL.iter().find(|(_, known)| *known == word);
        found.map(|(how, _)| *how).ok_or_else(|| json.unexpected("how a call fails"))
    })?;
    reader.finish()?;
    Ok(Fail { call, name, how })
}
