//! A provider that replays scripted answers in order, and keeps the requests.

use planfuzz_core::planner::{
    ApplyAnswer, ApplyChange, Capabilities, ImportAnswer, ImportState, PlanAnswer, PlanChange, Provider, ReadAnswer,
    ReadData, ReadDataAnswer, ReadResource, Remark, Severity, UpgradeAnswer, UpgradeState, ValidateAnswer,
    ValidateConfig,
};
use planfuzz_core::state::Private;
use planfuzz_core::value::{Type, Value};

use crate::case::lifecycle::{ProviderAnswer, ProviderRequest};

/// The provider of one walk. All it does during the walk is to hand out one answer and put away one request for each call,
/// so that the time of the walk is the planner's.
#[derive(Debug)]
pub struct Replay {
    answers: std::vec::IntoIter<ProviderAnswer>,
    asked: Vec<ProviderRequest>,
    departed: Option<Departure>,
}

/// How a walk left its script. Its result is not used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Departure {
    /// A call that the script does not have, or not at this point.
    #[error("request {number} ({call}) is not in the script")]
    Unexpected {
        /// The number of the request, from one.
        number: usize,
        /// The name of the call.
        call: &'static str,
    },
    /// Calls that were not made.
    #[error("{left} answers of the script were not asked for")]
    Unasked {
        /// How many.
        left: usize,
    },
}

impl Replay {
    /// A provider with these answers.
    pub fn new(answers: Vec<ProviderAnswer>) -> Replay {
        let asked = Vec::with_capacity(answers.len());
        Replay { answers: answers.into_iter(), asked, departed: None }
    }

    /// The requests, in order, if they followed the script from beginning to end.
    ///
    /// # Errors
    /// The first call that is not the script's, or the number of calls that are missing.
    pub fn finish(self) -> Result<Vec<ProviderRequest>, Departure> {
        match (self.departed, self.answers.len()) {
            (Some(departure), _) => Err(departure),
            (None, 0) => Ok(self.asked),
            (None, left) => Err(Departure::Unasked { left }),
        }
    }

    fn next(&mut self, request: ProviderRequest) -> (Option<ProviderAnswer>, Asked) {
        let asked = Asked { number: self.asked.len() + 1, call: request.call() };
        self.asked.push(request);
        (self.answers.next(), asked)
    }

    /// Errors for a call that is not in the script: they stop the walk, and [`Replay::finish`] returns the departure.
    fn depart(&mut self, Asked { number, call }: Asked) -> Vec<Remark> {
        self.departed.get_or_insert(Departure::Unexpected { number, call });
        vec![Remark { severity: Severity::Error, summary: "the script has no such call here".into() }]
    }
}

struct Asked {
    number: usize,
    call: &'static str,
}

macro_rules! replayed {
    ($($call:ident($request:ty) -> $answer:ty = $kind:ident, or $fallback:expr;)*) => {
        impl Provider for Replay {
            /// L120: it is asked to plan destructions too.
            fn capabilities(&self) -> Capabilities {
                Capabilities { plan_destroy: true }
            }

            $(fn $call(&mut self, request: $request) -> $answer {
                match self.next(ProviderRequest::$kind(request)) {
                    (Some(ProviderAnswer::$kind(answer)), _) => answer,
                    (_, asked) => {
                        let fallback: fn(Vec<Remark>) -> $answer = $fallback;
                        fallback(self.depart(asked))
                    }
                }
            })*
        }
    };
}

fn nothing() -> Value {
    Value::null(Type::Dynamic)
}

replayed! {
    validate(ValidateConfig) -> ValidateAnswer = Validate, or |remarks| ValidateAnswer { remarks };
    upgrade(UpgradeState) -> UpgradeAnswer = Upgrade, or |remarks| UpgradeAnswer { upgraded: nothing(), remarks };
    read(ReadResource) -> ReadAnswer = Read,
        or |remarks| ReadAnswer { new_state: nothing(), private: Private::NONE, deferred: false, remarks };
    plan(PlanChange) -> PlanAnswer = Plan, or |remarks| PlanAnswer {
        planned: nothing(),
        requires_replace: Vec::new(),
        private: Private::NONE,
        legacy_type_system: false,
        deferred: false,
        remarks,
    };
    apply(ApplyChange) -> ApplyAnswer = Apply, or |remarks| ApplyAnswer {
        new_state: None,
        private: Private::NONE,
        legacy_type_system: false,
        remarks,
    };
    import(ImportState) -> ImportAnswer = Import, or |remarks| ImportAnswer { imported: Vec::new(), remarks };
    read_data(ReadData) -> ReadDataAnswer = ReadData, or |remarks| ReadDataAnswer { state: nothing(), remarks };
}
