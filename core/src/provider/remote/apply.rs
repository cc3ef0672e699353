//! Create, update and delete.

use super::complete::{Completion, Three};
use super::failures::{Sent, met, partly};
use super::pipeline::{Applying, Outcome, Response};
use super::token::{Giver, ObjectId, Token};
use super::{ModelProvider, forms};
use crate::planner::{ApplyAnswer, ApplyChange};
use crate::provider::model::{Operation, RemoteCall, Respond};
use crate::state::Private;
use crate::value::{Value, ValueRef};

/// What came of a call to the remote system.
struct Effect {
    /// The object that the provider gives back; null for none.
    returned: Value,
    /// The error of the remote system, if there was one.
    error: Option<&'static str>,
    /// The remote object it is about.
    object: Option<ObjectId>,
}

impl ModelProvider {
    /// ApplyResourceChange without faults: the answer, and the remote object it is about.
    pub(super) fn applied(&mut self, request: &ApplyChange, number: u64) -> (ApplyAnswer, Option<ObjectId>) {
        let ApplyChange { prior, config, planned, private } = request;
        let token = Token::read(private);
        let operation = match (prior.is_null(), planned.is_null()) {
            (true, _) => Operation::Create,
            (false, true) => Operation::Destroy,
            (false, false) => Operation::Update,
        };
        let sent = Sent { config: Some(config), prior: Some(prior), plan: Some(planned), operation };
        let effect = match operation {
            Operation::Create => self.create(request, &sent),
            Operation::Update => self.update(request, token.object, &sent),
            Operation::Destroy => self.delete(prior, token.object, &sent),
        };
        let applying = Applying { prior, planned, config };
        let response = Response { object: effect.returned, error: effect.error };
        let Outcome { new_state, remarks } = self.model.pipeline.apply(&applying, response);
        let gone = operation == Operation::Destroy && remarks.is_empty();
        let private = if gone { Private::NONE } else { Token::write(effect.object, Giver::Apply, number, "") };
        let answer = ApplyAnswer {
            new_state: Some(new_state),
            private,
            legacy_type_system: self.model.pipeline.is_legacy(),
            remarks,
        };
        (answer, effect.object)
    }

    fn create(&mut self, request: &ApplyChange, sent: &Sent<'_>) -> Effect {
        let null = || Value::null(self.model.ty.clone());
        if request.planned.is_null() {
            return Effect { returned: null(), error: Some("There is nothing to create"), object: None };
        }
        let three = three(request);
        let new = Completion::of_plan(&self.model.places, three, Operation::Create, 0);
        let stored = forms::stored(&self.model.places, new.view());
        let failure = met(&self.model.failures, &mut self.run.failed, RemoteCall::Create, sent);
        let response = self.response(new, &stored);
        let Some(done) = failure else {
            let object = self.run.objects.create(stored, response.clone());
            return Effect { returned: response, error: None, object: Some(object) };
        };
        let part = |value: ValueRef<'_>| partly(&self.model.places, done, value, None);
        let error = Some("Creating failed");
        match (part(response.view()), part(stored.view())) {
            (Some(returned), Some(stored)) => {
                let object = self.run.objects.create(stored, returned.clone());
                Effect { returned, error, object: Some(object) }
            }
            _ => Effect { returned: null(), error, object: None },
        }
    }

    fn update(&mut self, request: &ApplyChange, token: Option<ObjectId>, sent: &Sent<'_>) -> Effect {
        let prior = &request.prior;
        let Some(object) = self.run.objects.find(token, prior) else {
            let error = Some("There is no object to update");
            return Effect { returned: prior.clone(), error, object: None };
        };
        object.epoch = object.epoch.saturating_add(1);
        let (id, epoch, old) = (object.id, object.epoch, object.value.clone());
        let new = Completion::of_plan(&self.model.places, three(request), Operation::Update, epoch);
        let stored = forms::stored(&self.model.places, new.view());
        let failure = met(&self.model.failures, &mut self.run.failed, RemoteCall::Update, sent);
        let response = self.response(new, &stored);
        let (returned, stored, error) = match failure {
            None => (response, stored, None),
            Some(done) => {
                let part = |new: &Value, old: &Value| {
                    partly(&self.model.places, done, new.view(), Some(old.view())).unwrap_or_else(|| old.clone())
                };
                (part(&response, prior), part(&stored, &old), Some("Updating failed"))
            }
        };
        if let Some(object) = self.run.objects.get(id) {
            object.value = stored;
        }
        Effect { returned, error, object: Some(id) }
    }

    /// The end of an object that is gone already is no error.
    fn delete(&mut self, prior: &Value, token: Option<ObjectId>, sent: &Sent<'_>) -> Effect {
        let object = self.run.objects.find(token, prior).map(|object| object.id);
        let failure = met(&self.model.failures, &mut self.run.failed, RemoteCall::Delete, sent);
        if failure.is_some() {
            return Effect { returned: prior.clone(), error: Some("Deleting failed"), object };
        }
        if let Some(id) = object {
            self.run.objects.remove(id);
        }
        Effect { returned: Value::null(self.model.ty.clone()), error: None, object }
    }

    /// What create and update give back: the planned object, completed, or the one that is stored.
    fn response(&self, new: Value, stored: &Value) -> Value {
        match self.model.respond {
            Respond::Plan => new,
            Respond::Remote => forms::readable(&self.model.places, stored.view(), Some(new.view())),
        }
    }
}

fn three(request: &ApplyChange) -> Three<'_> {
    Three { config: Some(request.config.view()), prior: Some(request.prior.view()), plan: request.planned.view() }
}
