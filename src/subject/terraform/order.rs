//! The order of calls about several objects.
//!
//! An engine walks the current object and each deposed one side by side. Traces have the current object first, then the deposed
//! ones by their keys, so the calls are told apart and put into that order. What a call is about follows from what it sends:
//! each sends what the call before it about the same object gave, values and private data.

use planfuzz_core::planner::{Exchange, RawState};
use planfuzz_core::state::{InstanceState, Object, Private, Stored};
use planfuzz_core::value::Value;

/// The calls of a plan walk, the current object's first. Those that can be told to be about no deposed object are the current one's.
pub(super) fn in_order(exchanges: Vec<Exchange>, state: &InstanceState) -> Vec<Exchange> {
    if state.deposed.is_empty() {
        return exchanges;
    }
    let mut rest = exchanges;
    let mut deposed = Vec::new();
    for object in state.deposed.values() {
        let mut thread = Thread::of(object);
        let (own, others) = rest.into_iter().partition(|exchange| thread.takes(exchange));
        deposed.extend(own);
        rest = others;
    }
    rest.extend(deposed);
    rest
}

/// The calls about a deposed object: an upgrade, a read, a plan of its end; in a destroy plan with a refresh then an upgrade and a
/// plan once more.
struct Thread {
    stored: Stored,
    private: Private,
    value: Option<Value>,
}

impl Thread {
    fn of(object: &Object) -> Thread {
        Thread { stored: object.stored.clone(), private: object.private.clone(), value: None }
    }

    /// Whether a call is the next one about this object.
    fn takes(&mut self, exchange: &Exchange) -> bool {
        match (exchange, &self.value) {
            (Exchange::Upgrade(request, answer), None) if is_of(&request.state, &self.stored) => {
                self.value = Some(answer.upgraded.clone());
                true
            }
            (Exchange::Read(request, answer), Some(value))
                if request.current == *value && request.private == self.private =>
            {
                self.private = answer.private.clone();
                self.stored = Stored::Value(answer.new_state.clone());
                self.value = Some(answer.new_state.clone());
                true
            }
            (Exchange::Plan(request, _), Some(value)) if request.config.is_null() => {
                let is_own = request.prior == *value && request.private == self.private;
                // What comes after this is of another walk over the same objects.
                if is_own {
                    self.value = None;
                }
                is_own
            }
            _ => false,
        }
    }
}

fn is_of(sent: &RawState, stored: &Stored) -> bool {
    match (sent, stored) {
        (RawState::Value(sent), Stored::Value(stored)) => sent == stored,
        (RawState::Json(sent), Stored::Raw { attributes, .. }) => sent == attributes,
        _ => false,
    }
}
