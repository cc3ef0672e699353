//! Answers the calls of a planner.

use super::complete::Completion;
use super::failures::{Sent, met};
use super::pipeline::{Outcome, Response, Sets};
use super::token::{Giver, ObjectId, Token};
use super::{ModelProvider, forms, upgrade};
use crate::expression::Operation;
use crate::model::RemoteCall;
use planfuzz_core::planner::{
    ApplyAnswer, ApplyChange, Capabilities, ImportAnswer, ImportState, PlanAnswer, PlanChange, Provider, RawState,
    ReadAnswer, ReadData, ReadDataAnswer, ReadResource, Remark, Severity, UpgradeAnswer, UpgradeState, ValidateAnswer,
    ValidateConfig,
};
use planfuzz_core::state::Private;
use planfuzz_core::value::{Text, Value, ValueRef};

/// An error of the provider.
pub(crate) fn error(summary: &str) -> Remark {
    Remark { severity: Severity::Error, summary: Text::new(summary) }
}

const WRONG_TYPE: &str = "What was sent is no object of the resource type";
const READ_FAILED: &str = "Reading failed";

impl Provider for ModelProvider {
    fn capabilities(&self) -> Capabilities {
        Capabilities { plan_destroy: !self.model.pipeline.is_legacy() }
    }

    fn validate(&mut self, request: ValidateConfig) -> ValidateAnswer {
        let remarks = match self.fits([&request.config]) {
            true => self.model.pipeline.validate(&request.config),
            false => vec![error(WRONG_TYPE)],
        };
        let mut answer = ValidateAnswer { remarks };
        self.model.faults.validate(&mut self.run.memory, &request, &mut answer);
        answer
    }

    fn upgrade(&mut self, request: UpgradeState) -> UpgradeAnswer {
        let mut answer = match self.upgraded(&request.state) {
            Ok(upgraded) => UpgradeAnswer { upgraded, remarks: Vec::new() },
            Err(remark) => UpgradeAnswer { upgraded: self.null(), remarks: vec![remark] },
        };
        self.model.faults.upgrade(&mut self.run.memory, &mut answer);
        answer
    }

    fn read(&mut self, mut request: ReadResource) -> ReadAnswer {
        travel([&mut request.current]);
        if !self.fits([&request.current]) {
            let ReadResource { current, private } = request;
            return ReadAnswer { new_state: current, private, deferred: false, remarks: vec![error(WRONG_TYPE)] };
        }
        let (mut answer, object) = self.looked_at(&request);
        self.model.faults.read(&mut self.run.memory, &request, &mut answer);
        self.remember_answer(object, &answer.new_state);
        answer
    }

    fn plan(&mut self, mut request: PlanChange) -> PlanAnswer {
        travel([&mut request.prior, &mut request.config, &mut request.proposed]);
        if !self.fits([&request.prior, &request.config, &request.proposed]) {
            return self.unplanned(vec![error(WRONG_TYPE)], Private::NONE);
        }
        let mut answer = self.planned(&request);
        self.model.faults.plan(&mut self.run.memory, &request, &mut answer);
        answer
    }

    fn apply(&mut self, mut request: ApplyChange) -> ApplyAnswer {
        travel([&mut request.prior, &mut request.config, &mut request.planned]);
        if !self.fits([&request.prior, &request.config, &request.planned]) {
            let ApplyChange { prior, private, .. } = request;
            let legacy_type_system = self.model.pipeline.is_legacy();
            return ApplyAnswer {
                new_state: Some(prior),
                private,
                legacy_type_system,
                remarks: vec![error(WRONG_TYPE)],
            };
        }
        let before = self.run.objects.find(Token::read(&request.private).object, &request.prior);
        let before = before.map(|object| object.value.clone());
        let (mut answer, object) = self.applied(&request);
        let remote = object.and_then(|id| self.run.objects.get(id)).map(|object| &mut object.value);
        self.model.faults.apply(&mut self.run.memory, &request, &mut answer, before.as_ref(), remote);
        if let Some(new_state) = &answer.new_state {
            self.remember_answer(object, new_state);
        }
        answer
    }

    fn import(&mut self, request: ImportState) -> ImportAnswer {
        let mut answer = ImportAnswer { imported: vec![self.imported(&request.id)], remarks: Vec::new() };
        self.model.faults.import(&mut self.run.memory, &mut answer);
        answer
    }

    fn read_data(&mut self, request: ReadData) -> ReadDataAnswer {
        if !self.fits([&request.config]) || !request.config.view().is_present() {
            return ReadDataAnswer { state: self.null(), remarks: vec![error(WRONG_TYPE)] };
        }
        let config = &request.config;
        let sent = Sent { config: Some(config), prior: None, plan: None, operation: Operation::Create };
        if met(&self.model.failures, &mut self.run.failed, RemoteCall::Read, &sent).is_some() {
            return ReadDataAnswer { state: self.null(), remarks: vec![error(READ_FAILED)] };
        }
        let read = Completion::of_data(&self.model.places, config.view());
        let state = forms::never_stored_removed(&self.model.places, read.view());
        let mut answer = ReadDataAnswer { state, remarks: Vec::new() };
        self.model.faults.read_data(&mut self.run.memory, &request, &mut answer);
        answer
    }
}

/// Converts values on their way to a provider: the optional markers of types are not sent (S34).
fn travel<const N: usize>(values: [&mut Value; N]) {
    for value in values.into_iter().filter(|value| value.ty().has_optional()) {
        *value = Value::from_parts(value.ty().strip_optional(), value.node().clone());
    }
}

impl ModelProvider {
    /// Whether all are objects of the resource type, or null.
    fn fits<const N: usize>(&self, values: [&Value; N]) -> bool {
        values.into_iter().all(|value| !value.is_unknown() && value.ty().conforms_to(&self.model.ty))
    }

    fn null(&self) -> Value {
        Value::null(self.model.ty.clone())
    }

    fn upgraded(&self, state: &RawState) -> Result<Value, Remark> {
        match state {
            RawState::Value(value) => Ok(value.clone()),
            RawState::Json(attributes) => upgrade::upgraded(attributes, &self.model.ty, &self.model.places)
                .map_err(|error| Remark { severity: Severity::Error, summary: Text::new(&error.to_string()) }),
        }
    }

    fn looked_at(&mut self, request: &ReadResource) -> (ReadAnswer, Option<ObjectId>) {
        let ReadResource { current, private } = request;
        let ModelProvider { model, run } = self;
        let object = run.objects.find(Token::read(private).object, current);
        let object = object.map(|object| (object.id, object.value.clone()));
        let id = object.as_ref().map(|(id, _)| *id);
        let sent = Sent { config: None, prior: Some(current), plan: None, operation: Operation::Update };
        let Outcome { new_state, remarks } = model.pipeline.read(current, || {
            let failure = met(&model.failures, &mut run.failed, RemoteCall::Read, &sent);
            let object = match object {
                _ if failure.is_some() => current.clone(),
                Some((_, value)) => forms::readable(&model.places, value.view(), Some(current.view())),
                None => Value::null(model.ty.clone()),
            };
            Response { object, sets: Sets::All, error: failure.map(|_| READ_FAILED) }
        });
        let private = self.run.private(id, Giver::Read, "");
        (ReadAnswer { new_state, private, deferred: false, remarks }, id)
    }

    fn planned(&mut self, request: &PlanChange) -> PlanAnswer {
        let PlanChange { prior, config, proposed, private } = request;
        let object = Token::read(private).object;
        match self.model.pipeline.plan(prior, config, proposed) {
            Err(remarks) => {
                let private = self.run.private(object, Giver::Plan, "");
                self.unplanned(remarks, private)
            }
            Ok(plan) => PlanAnswer {
                planned: plan.planned,
                requires_replace: plan.requires_replace,
                private: self.run.private(object, Giver::Plan, &plan.extra),
                legacy_type_system: self.model.pipeline.is_legacy(),
                deferred: false,
                remarks: Vec::new(),
            },
        }
    }

    fn unplanned(&self, remarks: Vec<Remark>, private: Private) -> PlanAnswer {
        PlanAnswer {
            planned: self.null(),
            requires_replace: Vec::new(),
            private,
            legacy_type_system: self.model.pipeline.is_legacy(),
            deferred: false,
            remarks,
        }
    }

    /// An object with only its id, which a read completes; and its private data.
    fn imported(&mut self, id: &Text) -> (Value, Private) {
        let has_id = |value: ValueRef<'_>| value.member("id").and_then(ValueRef::as_text) == Some(id);
        let by_id = self.run.objects.iter().rev().find(|object| has_id(object.value.view()));
        let object = by_id.or_else(|| self.run.objects.iter().next_back()).map(|object| object.id);
        let value = forms::with_id(&self.model.ty, &self.model.places, id);
        let value = forms::never_stored_removed(&self.model.places, value.view());
        (value, self.run.private(object, Giver::Import, ""))
    }

    /// Remembers the last answer about a remote object, which Core keeps.
    fn remember_answer(&mut self, object: Option<ObjectId>, new_state: &Value) {
        if let Some(object) = object.and_then(|id| self.run.objects.get(id)).filter(|_| !new_state.is_null()) {
            object.last_answer = new_state.clone();
        }
    }
}
