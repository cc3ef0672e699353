//! What providers of a case answer: a function of the request.

use planfuzz_core::json::Json;
use planfuzz_core::planner::{Remark, Severity};
use planfuzz_core::state::Private;
use planfuzz_core::value::{Node, Text, Type, Value, WrittenPath, WrittenStep, raw_equals};
use planfuzz_workspace::{Answer, Call, Outcome, Request, builtin};

use super::filled::{digits, is_null, is_unknown, name_of, of_attributes, text_of, with, with_text};
use super::{How, Simulated, TypeModel};

/// The summary of a call that gets no answer; the text is the engine's own.
const NO_ANSWER: &str = "Plugin error";

impl Simulated {
    /// The answer to a call.
    pub fn answer(&self, call: &Call) -> Answer {
        let ty = self.type_of(call);
        if builtin::is_asked(call) {
            let id = |planned: &Value| Text::new(&format!("data-{}", digits(&planned.to_json(&ty))));
            return builtin::answer(call, &ty, &mut { id });
        }
        let usual = self.usual(call, &ty);
        match self.failure(call) {
            None => Answer { outcome: Some(usual), remarks: Vec::new() },
            Some(how) => failed(how, call, usual, &ty),
        }
    }

    /// The type of the objects that a call is about.
    pub fn type_of(&self, call: &Call) -> Type {
        self.implied.of_call(call, &self.schemas, self.dialect)
    }

    fn failure(&self, call: &Call) -> Option<How> {
        if self.events.fails.is_empty() {
            return None;
        }
        let (word, name) = (word(&call.request), subject(call)?);
        self.events.fails.iter().find(|fail| fail.call == word && fail.name == name).map(|fail| fail.how)
    }

    fn usual(&self, call: &Call, ty: &Type) -> Outcome {
        static DEFAULT: TypeModel = TypeModel { stable: Vec::new(), volatile: Vec::new(), replace: Vec::new() };
        let type_name = call.type_name.as_ref().map_or("", |name| name.as_str());
        let model = self.models.get(type_name).unwrap_or(&DEFAULT);
        match &call.request {
            Request::ValidateProvider { .. } | Request::Configure { .. } | Request::Validate { .. } => Outcome::Done,
            Request::Upgrade { raw, .. } => {
                Outcome::Value(of_attributes(raw, ty).unwrap_or_else(|| Value::null(ty.clone())))
            }
            Request::Read { current, private } => {
                Outcome::Object { value: self.read(current, ty), private: private.clone() }
            }
            Request::ReadData { config } => Outcome::Value(made(config, model, ty)),
            Request::Plan { prior, proposed, private, config } => {
                let (planned, requires_replace) = planned(model, prior, config, proposed);
                Outcome::Planned { planned, requires_replace, private: private.clone() }
            }
            Request::Apply { planned, private, .. } if planned.is_null() => {
                Outcome::Object { value: planned.clone(), private: private.clone() }
            }
            Request::Apply { planned, .. } => {
                let private = format!("p-{}", name_of(planned).unwrap_or_default());
                Outcome::Object { value: made(planned, model, ty), private: Private::from(private.as_bytes()) }
            }
            Request::Import { id } => imported(id, model, ty),
            Request::Move { raw, private, .. } => {
                let value = of_attributes(raw, ty).unwrap_or_else(|| Value::null(ty.clone()));
                Outcome::Object { value: made(&value, model, ty), private: private.clone() }
            }
            Request::Open { config } => {
                let private = format!("open-{}", name_of(config).unwrap_or_default());
                Outcome::Object { value: made(config, model, ty), private: Private::from(private.as_bytes()) }
            }
            Request::Close { .. } => Outcome::Done,
        }
    }

    fn read(&self, current: &Value, ty: &Type) -> Value {
        if self.events.outside.is_empty() {
            return current.clone();
        }
        let name = name_of(current);
        let Some(outside) = self.events.outside.iter().find(|one| Some(&one.name) == name.as_ref()) else {
            return current.clone();
        };
        let Some(set) = &outside.set else { return Value::null(ty.clone()) };
        let mut changed = current.clone();
        for (name, value) in set.expect_object().unwrap_or_default() {
            let of = ty.as_object().and_then(|object| object.attribute_type(name)).filter(|of| !of.has_dynamic());
            let Some(value) = of.and_then(|of| Value::from_stored_json(value, of).ok()) else { continue };
            changed = with(&changed, name, value.into_parts().1);
        }
        changed
    }
}

/// The name of a call that [`Fail`](super::Fail) uses.
fn word(request: &Request) -> &'static str {
    match request {
        Request::Apply { planned, .. } if planned.is_null() => "delete",
        Request::Plan { proposed, .. } if proposed.is_null() => "plan_delete",
        other => other.name(),
    }
}

/// The name of the object or provider configuration that a call is about.
fn subject(call: &Call) -> Option<String> {
    let of = name_of;
    match &call.request {
        Request::ValidateProvider { config } | Request::Configure { config } => text_of(config, "label"),
        Request::Validate { config, .. } | Request::ReadData { config } | Request::Open { config } => of(config),
        Request::Read { current, .. } => of(current),
        Request::Plan { prior, config, .. } => of(config).or_else(|| of(prior)),
        Request::Apply { prior, planned, .. } => of(planned).or_else(|| of(prior)),
        Request::Upgrade { raw, .. } | Request::Move { raw, .. } => {
            raw.member("name").and_then(|name| name.expect_string().ok()).map(str::to_owned)
        }
        Request::Import { id } => Some(id.to_string()),
        Request::Close { .. } => None,
    }
}

/// The planned object, and the paths that require a replacement.
fn planned(model: &TypeModel, prior: &Value, config: &Value, proposed: &Value) -> (Value, Vec<WrittenPath>) {
    if proposed.is_null() {
        return (proposed.clone(), Vec::new());
    }
    let unknown = |planned: Value, name: &String| match is_null(config, name) {
        true => with(&planned, name, Node::UNKNOWN),
        false => planned,
    };
    if prior.is_null() {
        let computed = model.stable.iter().chain(&model.volatile);
        return (computed.fold(proposed.clone(), unknown), Vec::new());
    }
    let attributes = proposed.ty().as_object().map_or(&[][..], |object| object.attributes());
    let differs = |name: &str| match (prior.view().member(name), proposed.view().member(name)) {
        (Some(prior), Some(proposed)) => !raw_equals(prior, proposed),
        (prior, proposed) => prior.is_some() != proposed.is_some(),
    };
    if !attributes.iter().any(|attribute| differs(attribute.name.as_str())) {
        return (proposed.clone(), Vec::new());
    }
    let replace = model.replace.iter().filter(|name| differs(name));
    let replace = replace.map(|name| WrittenPath::new(vec![WrittenStep::Attribute(Text::new(name))]));
    (model.volatile.iter().fold(proposed.clone(), unknown), replace.collect())
}

/// The object that an apply or a read makes: computed attributes get a text.
fn made(planned: &Value, model: &TypeModel, ty: &Type) -> Value {
    let name = name_of(planned).unwrap_or_else(|| "nobody".to_owned());
    let is_open = |value: &Value, attribute: &str| is_unknown(value, attribute) || is_null(value, attribute);
    let mut object = planned.clone();
    let mut basis = planned.clone();
    for attribute in model.stable.iter().chain(&model.volatile).filter(|attribute| is_open(planned, attribute)) {
        basis = with(&basis, attribute, Node::Null);
    }
    let digits = digits(&basis.to_json(ty));
    for attribute in model.stable.iter().filter(|attribute| is_open(planned, attribute)) {
        object = with_text(&object, attribute, &format!("{attribute}-{name}"));
    }
    for attribute in model.volatile.iter().filter(|attribute| is_open(planned, attribute)) {
        object = with_text(&object, attribute, &format!("{attribute}-{name}-{digits}"));
    }
    object
}

/// Imported objects: `id-NAME` is that of the name, `none` nothing.
fn imported(id: &Text, model: &TypeModel, ty: &Type) -> Outcome {
    if id.as_str() == "none" {
        return Outcome::Imported(Vec::new());
    }
    let name = id.as_str().strip_prefix("id-").unwrap_or(id.as_str());
    let raw = Json::object([("name", Json::string(name)), ("id", Json::string(id.as_str()))]);
    let imported = of_attributes(&raw, ty).map(|object| (made(&object, model, ty), Private::NONE));
    Outcome::Imported(imported.into_iter().collect())
}

/// The answer to a call that is set to fail.
fn failed(how: How, call: &Call, usual: Outcome, ty: &Type) -> Answer {
    let severity = if how == How::Warning { Severity::Warning } else { Severity::Error };
    let remark = |summary: &str| Remark { severity, summary: Text::new(summary) };
    let word = word(&call.request);
    if how == How::Lost {
        return Answer { outcome: None, remarks: vec![remark(NO_ANSWER)] };
    }
    let null = || Value::null(ty.clone());
    let outcome = match (&call.request, how) {
        (_, How::Warning) => usual,
        (Request::Apply { prior, private, .. }, How::Prior) => {
            Outcome::Object { value: prior.clone(), private: private.clone() }
        }
        (Request::Apply { private, .. }, How::Null) => Outcome::Object { value: null(), private: private.clone() },
        (Request::Apply { prior, private, planned, .. }, How::Error) if planned.is_null() => {
            Outcome::Object { value: prior.clone(), private: private.clone() }
        }
        (Request::Apply { .. }, _) => usual,
        (Request::Read { private, .. }, _) => Outcome::Object { value: null(), private: private.clone() },
        (Request::Plan { private, .. }, _) => {
            Outcome::Planned { planned: null(), requires_replace: Vec::new(), private: private.clone() }
        }
        (Request::Upgrade { .. } | Request::ReadData { .. }, _) => Outcome::Value(null()),
        (Request::Import { .. }, _) => Outcome::Imported(Vec::new()),
        (Request::Open { .. } | Request::Move { .. }, _) => Outcome::Object { value: null(), private: Private::NONE },
        _ => usual,
    };
    Answer { outcome: Some(outcome), remarks: vec![remark(&format!("{word} was told to fail"))] }
}
