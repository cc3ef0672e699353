//! Create, update and delete.

use super::compiled::CompiledModel;
use super::complete::Completion;
use super::failures::{Sent, met, partly};
use super::pipeline::{Applying, Outcome, Response, Sets};
use super::run::Run;
use super::token::{Giver, ObjectId, Token};
use super::{ModelProvider, forms};
use crate::expression::Operation;
use crate::model::{Done, RemoteCall, Respond};
use crate::places::Three;
use planfuzz_core::planner::{ApplyAnswer, ApplyChange};
use planfuzz_core::state::Private;
use planfuzz_core::value::{Value, ValueRef};

/// One call to the remote system.
struct Call<'c> {
    model: &'c CompiledModel,
    run: &'c mut Run,
    request: &'c ApplyChange,
    /// The object that the private data name.
    token: Option<ObjectId>,
}

/// The outcome of a call, and its remote object.
type Effect = (Response, Option<ObjectId>);

impl ModelProvider {
    /// ApplyResourceChange without faults: the answer, and its remote object.
    pub(super) fn applied(&mut self, request: &ApplyChange) -> (ApplyAnswer, Option<ObjectId>) {
        let ApplyChange { prior, config, planned, private } = request;
        let ModelProvider { model, run } = self;
        let token = Token::read(private);
        let call = Call { model, run, request, token: token.object };
        let mut object = None;
        let applying = Applying { prior, planned, config, extra: token.extra };
        let Outcome { new_state, remarks } = model.pipeline.apply(&applying, |operation| {
            let (response, about) = call.make(operation);
            object = about;
            response
        });
        let is_gone = planned.is_null() && remarks.is_empty();
        let private = if is_gone { Private::NONE } else { self.run.private(object, Giver::Apply, "") };
        let legacy_type_system = model.pipeline.is_legacy();
        (ApplyAnswer { new_state: Some(new_state), private, legacy_type_system, remarks }, object)
    }
}

impl Call<'_> {
    fn make(self, operation: Operation) -> Effect {
        let ApplyChange { prior, config, planned, private: _ } = self.request;
        let sent = Sent { config: Some(config), prior: Some(prior), plan: Some(planned), operation };
        match operation {
            Operation::Create => self.create(&sent),
            Operation::Update => self.update(&sent),
            Operation::Destroy => self.delete(&sent),
        }
    }

    fn create(self, sent: &Sent<'_>) -> Effect {
        let Call { model, run, request, token: _ } = self;
        let nothing = |error| (Response { object: null(model), sets: Sets::All, error: Some(error) }, None);
        if request.planned.is_null() {
            return nothing("There is nothing to create");
        }
        let new = Completion::of_plan(&model.places, three(request), Operation::Create, 0);
        let stored = forms::stored(&model.places, new.view());
        let failure = met(&model.failures, &mut run.failed, RemoteCall::Create, sent);
        let (response, sets) = respond(model, new, &stored);
        let Some(done) = failure else {
            let object = run.objects.create(stored, response.clone());
            return (Response { object: response, sets, error: None }, Some(object));
        };
        const FAILED: &str = "Creating failed";
        let part = |value: ValueRef<'_>| partly(model, done, value, None);
        match (part(response.view()), part(stored.view())) {
            (Some(part), Some(stored)) => {
                let object = run.objects.create(stored, part.clone());
                (Response { object: part, sets: sets.of(done), error: Some(FAILED) }, Some(object))
            }
            _ => nothing(FAILED),
        }
    }

    fn update(self, sent: &Sent<'_>) -> Effect {
        let Call { model, run, request, token } = self;
        let prior = &request.prior;
        let Some(object) = run.objects.find(token, prior) else {
            let error = Some("There is no object to update");
            return (Response { object: prior.clone(), sets: Sets::None, error }, None);
        };
        object.epoch = object.epoch.saturating_add(1);
        let (id, epoch) = (object.id, object.epoch);
        let new = Completion::of_plan(&model.places, three(request), Operation::Update, epoch);
        let stored = forms::stored(&model.places, new.view());
        let failure = met(&model.failures, &mut run.failed, RemoteCall::Update, sent);
        let (response, sets) = respond(model, new, &stored);
        let Some(done) = failure else {
            object.value = stored;
            return (Response { object: response, sets, error: None }, Some(id));
        };
        let part =
            |new: &Value, old: &Value| partly(model, done, new.view(), Some(old.view())).unwrap_or_else(|| old.clone());
        object.value = part(&stored, &object.value);
        let error = Some("Updating failed");
        (Response { object: part(&response, prior), sets: sets.of(done), error }, Some(id))
    }

    /// Deletes an object; one that no longer exists is no error.
    fn delete(self, sent: &Sent<'_>) -> Effect {
        let Call { model, run, request, token } = self;
        let object = run.objects.find(token, &request.prior).map(|object| object.id);
        if met(&model.failures, &mut run.failed, RemoteCall::Delete, sent).is_some() {
            let error = Some("Deleting failed");
            return (Response { object: request.prior.clone(), sets: Sets::None, error }, object);
        }
        if let Some(id) = object {
            run.objects.remove(id);
        }
        (Response { object: null(model), sets: Sets::All, error: None }, object)
    }
}

impl Sets {
    /// The fields that a partly done call sets.
    fn of(self, done: &Done) -> Sets {
        match done {
            Done::None => Sets::None,
            Done::All => self,
            Done::Names(_) => Sets::All,
        }
    }
}

/// The object that create and update return: the planned object, completed, or the stored one.
fn respond(model: &CompiledModel, new: Value, stored: &Value) -> (Value, Sets) {
    match model.respond {
        Respond::Plan => (new, Sets::Open),
        Respond::Remote => (forms::readable(&model.places, stored.view(), Some(new.view())), Sets::All),
    }
}

fn null(model: &CompiledModel) -> Value {
    Value::null(model.ty.clone())
}

fn three(request: &ApplyChange) -> Three<'_> {
    Three { config: Some(request.config.view()), prior: Some(request.prior.view()), plan: request.planned.view() }
}
