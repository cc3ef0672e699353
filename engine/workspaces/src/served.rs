//! The source of answers of a run: the providers of a case, or the table of a recorded run.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{Remark, Severity};
use planfuzz_core::value::Text;
use planfuzz_language::check::Schemas;
use planfuzz_workspace::run::{Exchange, key_of};
use planfuzz_workspace::{Answer, Call};
use planfuzz_workspace_cases::model::Simulated;

/// The error for a call that is not in the table.
const NOT_RECORDED: &str = "This call is not in the recorded run";

/// The providers of a run.
#[derive(Debug)]
pub struct Served {
    /// Their schemas.
    pub schemas: Schemas,
    /// The dialect of their types' values.
    pub dialect: Dialect,
    from: From,
}

#[derive(Debug)]
enum From {
    Model(Simulated),
    /// The exchanges, and for each command the unused ones by request.
    Table(Box<[Vec<Exchange>; 2]>, Mutex<Left>),
}

/// The unused part of a table.
#[derive(Debug)]
struct Left {
    phase: usize,
    by_key: [HashMap<String, VecDeque<usize>>; 2],
}

impl Served {
    /// The providers of a case.
    pub fn simulated(providers: Simulated) -> Served {
        let (schemas, dialect) = (providers.schemas.clone(), providers.dialect);
        Served { schemas, dialect, from: From::Model(providers) }
    }

    /// The table of a recorded run: equal requests get the answers in the order in which they were recorded.
    pub fn recorded(exchanges: [Vec<Exchange>; 2], schemas: Schemas, dialect: Dialect) -> Served {
        let by_key = [0, 1].map(|phase| {
            let mut left: HashMap<String, VecDeque<usize>> = HashMap::new();
            for (index, exchange) in exchanges[phase].iter().enumerate() {
                left.entry(exchange.key.clone()).or_default().push_back(index);
            }
            left
        });
        let left = Mutex::new(Left { phase: 0, by_key });
        Served { schemas, dialect, from: From::Table(Box::new(exchanges), left) }
    }

    /// Switches to the calls of the apply.
    pub fn begin_apply(&self) {
        if let From::Table(_, left) = &self.from {
            left.lock().unwrap_or_else(PoisonError::into_inner).phase = 1;
        }
    }

    /// The answer to a call.
    pub fn answer(&self, call: &Call) -> Answer {
        let (exchanges, left) = match &self.from {
            From::Model(providers) => return providers.answer(call),
            From::Table(exchanges, left) => (exchanges, left),
        };
        let key = key_of(call, &self.schemas, self.dialect);
        let mut left = left.lock().unwrap_or_else(PoisonError::into_inner);
        let phase = left.phase;
        let found = left.by_key[phase].get_mut(&key).and_then(VecDeque::pop_front);
        drop(left);
        let failed = |summary: String| {
            let remark = Remark { severity: Severity::Error, summary: Text::new(&summary) };
            Answer { outcome: None, remarks: vec![remark] }
        };
        match found.map(|index| exchanges[phase][index].answer(&self.schemas, self.dialect)) {
            Some(Ok(answer)) => answer,
            Some(Err(problem)) => failed(format!("This answer cannot be read: {problem}")),
            None => failed(NOT_RECORDED.to_owned()),
        }
    }
}
