//! The provider of a walk, called over the line from which the request came.

use std::sync::mpsc::SyncSender;

use planfuzz_core::json::Json;
use planfuzz_core::planner::{
    ApplyAnswer, ApplyChange, Capabilities, ImportAnswer, ImportState, PlanAnswer, PlanChange, Provider, ReadAnswer,
    ReadData, ReadDataAnswer, ReadResource, Remark, Severity, UpgradeAnswer, UpgradeState, ValidateAnswer,
    ValidateConfig,
};
use planfuzz_core::state::Private;
use planfuzz_core::value::{Text, Type, Value};

use super::Lines;
use crate::case::lifecycle::{Form, ProviderAnswer, ProviderRequest};

/// A provider that is called over the line, while its walk waits.
pub(super) struct LineProvider<'a> {
    /// The id of the walk.
    pub(super) id: &'a Json,
    /// The implied type of its schema.
    pub(super) ty: &'a Type,
    pub(super) capabilities: Capabilities,
    pub(super) lines: &'a mut dyn Lines,
    pub(super) answers: &'a SyncSender<String>,
    /// The problem of the line, if there was one: the result of the walk is not used then.
    pub(super) broken: Option<String>,
}

impl LineProvider<'_> {
    fn ask(&mut self, request: &ProviderRequest) -> Option<ProviderAnswer> {
        if self.broken.is_some() {
            return None;
        }
        let answer = self.exchange(request);
        answer.map_err(|problem| self.broken = Some(problem)).ok()
    }

    fn exchange(&mut self, request: &ProviderRequest) -> Result<ProviderAnswer, String> {
        let ask = Json::object([("id", self.id.clone()), ("ask", request.to_form(self.ty))]);
        self.answers.send(ask.to_compact() + "\n").map_err(|_| "the reader of the requests is gone".to_owned())?;
        let line = self.lines.next()?.ok_or("expected the answer of the provider, found the end of the input")?;
        let json = Json::parse_bytes(&line).map_err(|problem| problem.to_string())?;
        match (json.member("id"), json.member("answer")) {
            (Some(id), Some(answer)) if id == self.id => {
                ProviderAnswer::from_form(request, answer, self.ty).map_err(|problem| problem.to_string())
            }
            _ => Err(format!("expected the answer of the provider to the walk {}", self.id.to_compact())),
        }
    }

    fn nothing(&self) -> Value {
        Value::null(self.ty.clone())
    }
}

/// The remarks in place of a missing answer.
fn no_answer() -> Vec<Remark> {
    vec![Remark { severity: Severity::Error, summary: Text::new("no answer came over the line") }]
}

macro_rules! asked {
    ($($call:ident($request:ty) -> $answer:ty = $variant:ident, $fallback:expr;)*) => {
        impl Provider for LineProvider<'_> {
            fn capabilities(&self) -> Capabilities {
                self.capabilities
            }

            $(fn $call(&mut self, request: $request) -> $answer {
                match self.ask(&ProviderRequest::$variant(request)) {
                    Some(ProviderAnswer::$variant(answer)) => answer,
                    _ => ($fallback)(self),
                }
            })*
        }
    };
}

asked! {
    validate(ValidateConfig) -> ValidateAnswer = Validate, |_: &Self| ValidateAnswer { remarks: no_answer() };
    upgrade(UpgradeState) -> UpgradeAnswer = Upgrade,
        |of: &Self| UpgradeAnswer { upgraded: of.nothing(), remarks: no_answer() };
    read(ReadResource) -> ReadAnswer = Read, |of: &Self| ReadAnswer {
        new_state: of.nothing(), private: Private::NONE, deferred: false, remarks: no_answer(),
    };
    plan(PlanChange) -> PlanAnswer = Plan, |of: &Self| PlanAnswer {
        planned: of.nothing(), requires_replace: Vec::new(), private: Private::NONE, legacy_type_system: false,
        deferred: false, remarks: no_answer(),
    };
    apply(ApplyChange) -> ApplyAnswer = Apply, |_: &Self| ApplyAnswer {
        new_state: None, private: Private::NONE, legacy_type_system: false, remarks: no_answer(),
    };
    import(ImportState) -> ImportAnswer = Import,
        |_: &Self| ImportAnswer { imported: Vec::new(), remarks: no_answer() };
    read_data(ReadData) -> ReadDataAnswer = ReadData,
        |of: &Self| ReadDataAnswer { state: of.nothing(), remarks: no_answer() };
}
