//! The resource type of an instance: each call goes to its provider.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use planfuzz_core::json::Json;
use planfuzz_core::planner::{
    ApplyChange, Exchange, ImportState, PlanChange, Provider, ReadData, ReadResource, Remark, Severity, UpgradeState,
    ValidateConfig, summary,
};
use planfuzz_core::state::Private;
use planfuzz_core::value::{Text, Value};
use tonic::Status;

use super::answers::{Answers, method};
use super::call_log::{CallLog, Upgrade, lock, lock_until};
use super::log::{AnswerError, Failure, Log};
use super::served_types::Served;
use crate::wire::messages::plugin::{self, DynamicValue, deferred};
use crate::wire::{Carrier, to_diagnostics, to_path};
use planfuzz_core::dialect::Dialect;

/// The resource type of an instance.
pub(super) struct TypeServer {
    type_name: String,
    /// The schema's version.
    version: u64,
    /// The call that validates: managed and data resources have their own.
    validates_by: &'static str,
    /// Whether a validated block stands for no instance.
    validates_block: bool,
    carrier: Carrier,
    provider: Arc<Mutex<dyn Provider + Send>>,
    /// Locked during a call, so that calls are logged in the order in which they were answered.
    call_log: Mutex<CallLog>,
}

impl TypeServer {
    pub(super) fn new(served: Served, dialect: Dialect, validates_by: &'static str) -> TypeServer {
        TypeServer {
            type_name: served.type_name,
            version: served.schema.version,
            validates_by,
            validates_block: served.validates_block,
            carrier: Carrier::new(&served.schema, dialect),
            provider: served.provider,
            call_log: Mutex::new(CallLog::new(served.state)),
        }
    }

    /// The log; `None` if a call is still being answered at that time.
    pub(super) fn close(&self, until: Instant) -> Option<Log> {
        lock_until(&self.call_log, until).map(|mut call_log| call_log.close())
    }

    /// Answers one call. An error is logged and ends the call.
    fn answer<A>(
        &self,
        method: &'static str,
        work: impl FnOnce(&TypeServer, &mut CallLog) -> Result<A, AnswerError>,
    ) -> Result<A, Status> {
        let mut call_log = lock(&self.call_log);
        work(self, &mut call_log).map_err(|error| {
            let status = failed(&self.type_name, &error);
            call_log.fail(Failure { method, error });
            status
        })
    }

    fn value(&self, message: Option<&DynamicValue>) -> Result<Value, AnswerError> {
        self.carrier.decode(message).map_err(|error| AnswerError::Undecodable(error.to_string()))
    }

    fn message(&self, value: &Value) -> Result<Option<DynamicValue>, AnswerError> {
        self.carrier.encode(value).map(Some).map_err(AnswerError::Unsendable)
    }

    fn diagnostics(&self, remarks: &[Remark]) -> Vec<plugin::Diagnostic> {
        to_diagnostics(remarks, &self.type_name)
    }

    fn upgraded(
        &self,
        call_log: &mut CallLog,
        request: plugin::UpgradeRequest,
    ) -> Result<plugin::UpgradeAnswer, AnswerError> {
        let json = request.raw_state.ok_or_else(|| undecodable("expected a stored object, found none"))?.json;
        if let Some(answer) = call_log.repeated(request.version, &json) {
            return Ok(answer);
        }
        let version = u64::try_from(request.version).map_err(undecodable)?;
        let text = str::from_utf8(&json).map_err(undecodable)?;
        let state = call_log.stored(version, Json::parse(text).map_err(undecodable)?, self.version, self.carrier.ty());
        let asked = UpgradeState { version, state };
        let answer = call_log.ask(&self.provider, asked.clone(), |of, it| of.upgrade(it), Exchange::Upgrade)?;
        let message = plugin::UpgradeAnswer {
            upgraded_state: self.message(&answer.upgraded)?,
            diagnostics: self.diagnostics(&answer.remarks),
        };
        call_log.know(&answer.upgraded);
        let exchange = Exchange::Upgrade(asked, answer);
        call_log.remember(Upgrade { version: request.version, json, exchange, answer: message.clone() });
        Ok(message)
    }

    /// The answer; `None` if the call itself must fail (A26).
    fn applied(
        &self,
        call_log: &mut CallLog,
        request: plugin::ApplyRequest,
    ) -> Result<Option<plugin::ApplyAnswer>, AnswerError> {
        let asked = ApplyChange {
            prior: self.value(request.prior_state.as_ref())?,
            config: self.value(request.config.as_ref())?,
            planned: self.value(request.planned_state.as_ref())?,
            private: private(&request.planned_private),
        };
        let answer = call_log.ask(&self.provider, asked, |of, it| of.apply(it), Exchange::Apply)?;
        let Some(new_state) = &answer.new_state else {
            let is_engine_remark = matches!(&*answer.remarks,
                [Remark { severity: Severity::Error, summary: text }] if **text == *summary::NO_ANSWER);
            return match is_engine_remark {
                true => Ok(None),
                false => Err(AnswerError::Unsendable("other remarks than the engine's own beside no answer")),
            };
        };
        call_log.know(new_state);
        Ok(Some(plugin::ApplyAnswer {
            new_state: self.message(new_state)?,
            private: answer.private.as_bytes().to_vec(),
            diagnostics: self.diagnostics(&answer.remarks),
            legacy_type_system: answer.legacy_type_system,
            new_identity: None,
        }))
    }
}

impl Answers for TypeServer {
    fn validate(&self, request: plugin::ValidateRequest) -> Result<plugin::ValidateAnswer, Status> {
        if self.validates_block {
            return Ok(plugin::ValidateAnswer::default());
        }
        self.answer(self.validates_by, |type_server, call_log| {
            let asked = ValidateConfig { config: type_server.value(request.config.as_ref())? };
            let answer = call_log.ask(&type_server.provider, asked, |of, it| of.validate(it), Exchange::Validate)?;
            Ok(plugin::ValidateAnswer { diagnostics: type_server.diagnostics(&answer.remarks) })
        })
    }

    fn upgrade(&self, request: plugin::UpgradeRequest) -> Result<plugin::UpgradeAnswer, Status> {
        self.answer(method::UPGRADE, |type_server, call_log| type_server.upgraded(call_log, request))
    }

    fn read(&self, request: plugin::ReadRequest) -> Result<plugin::ReadAnswer, Status> {
        self.answer(method::READ, |type_server, call_log| {
            let current = type_server.value(request.current_state.as_ref())?;
            let asked = ReadResource { current, private: private(&request.private) };
            let answer = call_log.ask(&type_server.provider, asked, |of, it| of.read(it), Exchange::Read)?;
            call_log.know(&answer.new_state);
            call_log.forget_raw();
            Ok(plugin::ReadAnswer {
                new_state: type_server.message(&answer.new_state)?,
                diagnostics: type_server.diagnostics(&answer.remarks),
                private: answer.private.as_bytes().to_vec(),
                deferred: deferral(answer.deferred),
                new_identity: None,
            })
        })
    }

    fn plan(&self, request: plugin::PlanRequest) -> Result<plugin::PlanAnswer, Status> {
        self.answer(method::PLAN, |type_server, call_log| {
            let asked = PlanChange {
                prior: type_server.value(request.prior_state.as_ref())?,
                config: type_server.value(request.config.as_ref())?,
                proposed: type_server.value(request.proposed_new_state.as_ref())?,
                private: private(&request.prior_private),
            };
            let answer = call_log.ask(&type_server.provider, asked, |of, it| of.plan(it), Exchange::Plan)?;
            let paths: Result<_, _> = answer.requires_replace.iter().map(to_path).collect();
            Ok(plugin::PlanAnswer {
                planned_state: type_server.message(&answer.planned)?,
                requires_replace: paths.map_err(AnswerError::Unsendable)?,
                planned_private: answer.private.as_bytes().to_vec(),
                diagnostics: type_server.diagnostics(&answer.remarks),
                legacy_type_system: answer.legacy_type_system,
                deferred: deferral(answer.deferred),
                planned_identity: None,
            })
        })
    }

    fn apply(&self, request: plugin::ApplyRequest) -> Result<plugin::ApplyAnswer, Status> {
        let answer = self.answer(method::APPLY, |type_server, call_log| type_server.applied(call_log, request))?;
        // The status that a caller gets from a plugin that has died.
        answer.ok_or_else(|| Status::unavailable(self.type_name.as_str()))
    }

    fn import(&self, request: plugin::ImportRequest) -> Result<plugin::ImportAnswer, Status> {
        self.answer(method::IMPORT, |type_server, call_log| {
            let asked = ImportState { id: Text::new(&request.id) };
            let answer = call_log.ask(&type_server.provider, asked, |of, it| of.import(it), Exchange::Import)?;
            let imported = |(value, private): &(Value, Private)| {
                Ok(plugin::import_answer::Imported {
                    type_name: type_server.type_name.clone(),
                    state: type_server.message(value)?,
                    private: private.as_bytes().to_vec(),
                    identity: None,
                })
            };
            Ok(plugin::ImportAnswer {
                imported_resources: answer.imported.iter().map(imported).collect::<Result<_, _>>()?,
                diagnostics: type_server.diagnostics(&answer.remarks),
            })
        })
    }

    fn read_data(&self, request: plugin::ReadDataRequest) -> Result<plugin::ReadDataAnswer, Status> {
        self.answer(method::READ_DATA, |type_server, call_log| {
            let asked = ReadData { config: type_server.value(request.config.as_ref())? };
            let answer = call_log.ask(&type_server.provider, asked, |of, it| of.read_data(it), Exchange::ReadData)?;
            Ok(plugin::ReadDataAnswer {
                state: type_server.message(&answer.state)?,
                diagnostics: type_server.diagnostics(&answer.remarks),
            })
        })
    }
}

/// The status of a failed call about a type. The text names the type: an engine reports it nowhere else.
pub(super) fn failed(type_name: &str, error: &AnswerError) -> Status {
    Status::internal(format!("{type_name}: {error}"))
}

fn undecodable(error: impl ToString) -> AnswerError {
    AnswerError::Undecodable(error.to_string())
}

fn private(bytes: &[u8]) -> Private {
    Private::from(bytes)
}

/// No rule depends on the reason.
fn deferral(deferred: bool) -> Option<plugin::Deferred> {
    deferred.then(|| plugin::Deferred { reason: deferred::Reason::AbsentPrereq.into() })
}
