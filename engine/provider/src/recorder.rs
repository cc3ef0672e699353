//! Implements core's trait `Provider` with a responder, and records questions and answers.
//!
//! The trait cannot express a missing answer, so the planner gets an answer with an error; the call log records that there was none.

use planfuzz_core::planner::{
    ApplyAnswer, ApplyChange, Capabilities, Exchange, ImportAnswer, ImportState, PlanAnswer, PlanChange, Provider,
    ReadAnswer, ReadData, ReadDataAnswer, ReadResource, Remark, Severity, UpgradeAnswer, UpgradeState, ValidateAnswer,
    ValidateConfig, summary,
};
use planfuzz_core::state::Private;
use planfuzz_core::value::{Type, Value};
use planfuzz_engine::plugin::{CallError, ProviderDiagnostic, Question, Reply};

use crate::identity::Identity;
use crate::place::object;
use crate::responder::{Entry, Responder};

/// A recorder for one resource type.
pub struct Recorder<'t> {
    responder: &'t mut dyn Responder,
    plan_destroy: bool,
    ty: Type,
    /// The identity of the object of the questions.
    pub identity: Identity,
    /// All questions, in order.
    pub call_log: Vec<Entry>,
    /// Why no more questions are sent: after a missing answer the provider's state is undefined.
    pub broken: Option<CallError>,
}

impl<'t> Recorder<'t> {
    /// A new recorder. `ty` is the type of the resource's objects.
    pub fn new(responder: &'t mut dyn Responder, plan_destroy: bool, ty: Type) -> Recorder<'t> {
        Recorder { responder, plan_destroy, ty, identity: Identity::default(), call_log: Vec::new(), broken: None }
    }

    /// The type of the objects.
    pub fn ty(&self) -> &Type {
        &self.ty
    }

    /// Whether applied objects really exist, and have to be destroyed.
    pub fn is_live(&self) -> bool {
        self.responder.is_live()
    }

    fn put(&mut self, question: Question) -> Exchange {
        let identity = self.identity.asked(&question);
        let result = match &self.broken {
            Some(broken) => Err(broken.clone()),
            None => self.responder.respond(question.clone(), identity.as_ref()),
        };
        match result {
            Ok(Reply { exchange, diagnostics, identity: answered }) => {
                if !diagnostics.iter().any(ProviderDiagnostic::is_error) || matches!(question, Question::Apply(_)) {
                    self.identity.answered(&question, object(&exchange), answered.clone());
                }
                let entry = Entry {
                    exchange: exchange.clone(),
                    diagnostics,
                    trouble: None,
                    identity,
                    answered_identity: answered,
                };
                self.call_log.push(entry);
                exchange
            }
            Err(trouble) => {
                let exchange = self.unanswered(question);
                if self.broken.is_none() {
                    self.broken = Some(trouble.clone());
                    let exchange = exchange.clone();
                    let trouble = Some(trouble);
                    self.call_log.push(Entry {
                        exchange,
                        diagnostics: Vec::new(),
                        trouble,
                        identity,
                        answered_identity: None,
                    });
                }
                exchange
            }
        }
    }

    /// The exchange of a question without an answer.
    pub fn unanswered(&self, question: Question) -> Exchange {
        let remarks = vec![Remark { severity: Severity::Error, summary: summary::NO_ANSWER.into() }];
        let null = || Value::null(self.ty.clone());
        let private = Private::NONE;
        match question {
            Question::Validate(asked) => Exchange::Validate(asked, ValidateAnswer { remarks }),
            Question::Upgrade(asked) => Exchange::Upgrade(asked, UpgradeAnswer { upgraded: null(), remarks }),
            Question::Read(asked) => {
                Exchange::Read(asked, ReadAnswer { new_state: null(), private, deferred: false, remarks })
            }
            Question::Plan(asked) => Exchange::Plan(
                asked,
                PlanAnswer {
                    planned: null(),
                    requires_replace: Vec::new(),
                    private,
                    legacy_type_system: false,
                    deferred: false,
                    remarks,
                },
            ),
            Question::Apply(asked) => {
                Exchange::Apply(asked, ApplyAnswer { new_state: None, private, legacy_type_system: false, remarks })
            }
            Question::Import(asked) => Exchange::Import(asked, ImportAnswer { imported: Vec::new(), remarks }),
            Question::ReadData(asked) => Exchange::ReadData(asked, ReadDataAnswer { state: null(), remarks }),
        }
    }
}

macro_rules! answered {
    ($($call:ident($request:ty) -> $answer:ty = $exchange:ident;)*) => {
        impl Provider for Recorder<'_> {
            fn capabilities(&self) -> Capabilities {
                Capabilities { plan_destroy: self.plan_destroy }
            }

            $(fn $call(&mut self, request: $request) -> $answer {
                match self.put(Question::$exchange(request)) {
                    Exchange::$exchange(_, answer) => answer,
                    _ => unreachable!("a responder answers what it is asked"),
                }
            })*
        }
    };
}

answered! {
    validate(ValidateConfig) -> ValidateAnswer = Validate;
    upgrade(UpgradeState) -> UpgradeAnswer = Upgrade;
    read(ReadResource) -> ReadAnswer = Read;
    plan(PlanChange) -> PlanAnswer = Plan;
    apply(ApplyChange) -> ApplyAnswer = Apply;
    import(ImportState) -> ImportAnswer = Import;
    read_data(ReadData) -> ReadDataAnswer = ReadData;
}
