//! The resource type of a helper, with prepared answers.

use std::sync::Mutex;

use planfuzz_core::dialect::Dialect;
use tonic::Status;

use super::answers::{Answers, method};
use super::call_log::lock;
use super::log::{AnswerError, Failure};
use super::type_server::failed;
use crate::helper::Helper;
use crate::wire::messages::plugin::{self, AttributePath, DynamicValue};
use crate::wire::{Carrier, Unsendable, to_path};

/// Null, whatever the type.
const NULL: [u8; 1] = [0xc0];

/// The resource type of a helper.
pub(super) struct StubServer {
    type_name: String,
    planned: Result<DynamicValue, Unsendable>,
    requires_replace: Result<Vec<AttributePath>, Unsendable>,
    applied: Result<DynamicValue, Unsendable>,
    failures: Mutex<Vec<Failure>>,
}

impl StubServer {
    pub(super) fn new(helper: &Helper, dialect: Dialect) -> StubServer {
        let carrier = Carrier::new(&helper.schema, dialect);
        StubServer {
            type_name: helper.type_name.clone(),
            planned: carrier.encode(&helper.planned),
            requires_replace: helper.requires_replace.iter().map(to_path).collect(),
            applied: carrier.encode(&helper.applied),
            failures: Mutex::default(),
        }
    }

    /// The failed calls.
    pub(super) fn close(&self) -> Vec<Failure> {
        std::mem::take(&mut *lock(&self.failures))
    }

    fn fail(&self, method: &'static str, error: AnswerError) -> Status {
        let status = failed(&self.type_name, &error);
        lock(&self.failures).push(Failure { method, error });
        status
    }

    fn written<T: Clone>(&self, method: &'static str, what: &Result<T, Unsendable>) -> Result<T, Status> {
        what.clone().map_err(|unsendable| self.fail(method, AnswerError::Unsendable(unsendable)))
    }
}

impl Answers for StubServer {
    fn validate(&self, _: plugin::ValidateRequest) -> Result<plugin::ValidateAnswer, Status> {
        Ok(plugin::ValidateAnswer::default())
    }

    /// The stored object as it is.
    fn upgrade(&self, request: plugin::UpgradeRequest) -> Result<plugin::UpgradeAnswer, Status> {
        let json = request.raw_state.map(|raw| raw.json).unwrap_or_default();
        let upgraded_state = Some(DynamicValue { msgpack: Vec::new(), json });
        Ok(plugin::UpgradeAnswer { upgraded_state, diagnostics: Vec::new() })
    }

    fn read(&self, request: plugin::ReadRequest) -> Result<plugin::ReadAnswer, Status> {
        let plugin::ReadRequest { current_state, private, .. } = request;
        Ok(plugin::ReadAnswer { new_state: current_state, private, ..Default::default() })
    }

    fn plan(&self, request: plugin::PlanRequest) -> Result<plugin::PlanAnswer, Status> {
        if is_null(request.config.as_ref()) {
            return Ok(plugin::PlanAnswer { planned_state: request.config, ..Default::default() });
        }
        Ok(plugin::PlanAnswer {
            planned_state: Some(self.written(method::PLAN, &self.planned)?),
            requires_replace: self.written(method::PLAN, &self.requires_replace)?,
            ..Default::default()
        })
    }

    fn apply(&self, request: plugin::ApplyRequest) -> Result<plugin::ApplyAnswer, Status> {
        if is_null(request.planned_state.as_ref()) {
            return Ok(plugin::ApplyAnswer { new_state: request.planned_state, ..Default::default() });
        }
        let new_state = Some(self.written(method::APPLY, &self.applied)?);
        Ok(plugin::ApplyAnswer { new_state, ..Default::default() })
    }

    fn import(&self, request: plugin::ImportRequest) -> Result<plugin::ImportAnswer, Status> {
        Err(self.fail(method::IMPORT, AnswerError::NotServed(request.type_name)))
    }

    fn read_data(&self, _: plugin::ReadDataRequest) -> Result<plugin::ReadDataAnswer, Status> {
        let state = Some(self.written(method::READ_DATA, &self.planned)?);
        Ok(plugin::ReadDataAnswer { state, diagnostics: Vec::new() })
    }
}

fn is_null(value: Option<&DynamicValue>) -> bool {
    value.is_none_or(|value| value.msgpack == NULL)
}
