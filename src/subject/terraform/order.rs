//! The order of calls about several objects.
//!
//! An engine walks the current object and each deposed one side by side. Traces have the current object first, then the deposed ones
//! by their keys, so the calls are assigned to objects and put into that order. The object of a call follows from the values and
//! private data in its request: they are those of the answer to the preceding call about the same object.

use planfuzz_core::json::Json;
use planfuzz_core::planner::{Exchange, PlanRequest, RawState};
use planfuzz_core::plans::{Mode, ResourceInstanceChange};
use planfuzz_core::state::{InstanceState, Object, Private, Stored};
use planfuzz_core::value::{Value, ValueRef, raw_equals};

/// The calls of a plan walk in the order of traces.
pub(super) fn of_plan(exchanges: Vec<Exchange>, request: &PlanRequest) -> Vec<Exchange> {
    let InstanceState { current, deposed } = &request.state;
    if deposed.is_empty() {
        return exchanges;
    }
    let mut threads: Vec<Thread> = deposed.values().map(Thread::of).collect();
    // LD09: the second walk of a destroy plan begins when the first is over, and reads each object again.
    let objects = deposed.len() + usize::from(current.is_some());
    let is_upgrade = |exchange: &&Exchange| matches!(exchange, Exchange::Upgrade(..));
    let mut first = exchanges;
    let mut second = Vec::new();
    if request.mode == Mode::Destroy && !request.options.skip_refresh {
        let upgrades = first.iter().enumerate().filter(|(_, exchange)| is_upgrade(exchange)).map(|(at, _)| at);
        if let Some(at) = upgrades.collect::<Vec<_>>().get(objects) {
            second = first.split_off(*at);
        }
    }
    let mut ordered = in_order(first, &mut threads);
    threads.iter_mut().for_each(Thread::begin);
    ordered.extend(in_order(second, &mut threads));
    ordered
}

/// The calls of an apply walk in the order of traces.
pub(super) fn of_apply(
    exchanges: Vec<Exchange>,
    state: &InstanceState,
    changes: &[ResourceInstanceChange],
) -> Vec<Exchange> {
    let deposed = changes.iter().filter_map(|change| state.deposed.get(change.deposed.as_ref()?));
    let mut threads: Vec<Thread> = deposed.map(Thread::of).collect();
    if threads.is_empty() { exchanges } else { in_order(exchanges, &mut threads) }
}

/// The calls about none of these objects, then those about each.
fn in_order(exchanges: Vec<Exchange>, threads: &mut [Thread]) -> Vec<Exchange> {
    let mut rest = exchanges;
    let mut deposed = Vec::new();
    for thread in threads {
        let (own, others): (Vec<_>, Vec<_>) = rest.into_iter().partition(|exchange| thread.takes(exchange));
        deposed.extend(own);
        rest = others;
    }
    rest.extend(deposed);
    rest
}

/// The calls about a deposed object: an upgrade, a read, the plan of its destruction, the apply of that.
struct Thread {
    stored: Stored,
    private: Private,
    /// The object in the last answer; `None` before the first call.
    value: Option<Value>,
    /// The object as the walk before this one left it; the stored one may be unchanged.
    left: Option<Value>,
    /// The private data in the plan of its destruction.
    planned: Option<Private>,
}

impl Thread {
    fn of(object: &Object) -> Thread {
        Thread {
            stored: object.stored.clone(),
            private: object.private.clone(),
            value: None,
            left: None,
            planned: None,
        }
    }

    /// Begins another walk over the same objects, as the last one left them.
    fn begin(&mut self) {
        self.left = self.value.take();
        self.planned = None;
    }

    fn has_left(&self, sent: &RawState) -> bool {
        matches!((sent, &self.left), (RawState::Value(sent), Some(left)) if sent == left)
    }

    /// Whether a call is the next one about this object; takes it if so.
    fn takes(&mut self, exchange: &Exchange) -> bool {
        match (exchange, &self.value) {
            (Exchange::Upgrade(request, answer), None)
                if is_of(&request.state, &self.stored) || self.has_left(&request.state) =>
            {
                self.value = Some(answer.upgraded.clone());
                true
            }
            (Exchange::Read(request, answer), Some(value))
                if self.planned.is_none()
                    && is_normal(value.view(), request.current.view())
                    && request.private == self.private =>
            {
                self.private = answer.private.clone();
                self.value = Some(answer.new_state.clone());
                true
            }
            (Exchange::Plan(request, answer), Some(value))
                if request.config.is_null()
                    && self.planned.is_none()
                    && is_normal(value.view(), request.prior.view())
                    && request.private == self.private =>
            {
                self.planned = Some(answer.private.clone());
                true
            }
            (Exchange::Apply(request, _), Some(value)) => {
                // L120: without the capability the provider is not asked to plan the destruction.
                let private = self.planned.as_ref().unwrap_or(&self.private);
                request.config.is_null() && is_normal(value.view(), request.prior.view()) && request.private == *private
            }
            _ => false,
        }
    }
}

/// Whether an object is sent as the provider answered it, or with empty blocks where the answer had null (L14).
fn is_normal(answered: ValueRef<'_>, sent: ValueRef<'_>) -> bool {
    if raw_equals(answered, sent) {
        return true;
    }
    if answered.is_null() {
        return sent.is_present() && sent.is_empty() && sent.ty().as_object().is_none();
    }
    let (of_answer, of_sent) = (answered.children(), sent.children());
    answered.is_present()
        && sent.is_present()
        && answered.len() == sent.len()
        && of_answer.zip(of_sent).all(|((_, answered), (_, sent))| is_normal(answered, sent))
        && !answered.is_empty()
}

fn is_of(sent: &RawState, stored: &Stored) -> bool {
    match (sent, stored) {
        (RawState::Value(sent), Stored::Value(stored)) => sent == stored,
        (RawState::Json(sent), Stored::Raw { attributes, .. }) => is_left_of(sent, attributes),
        _ => false,
    }
}

/// Whether the calls about an instance's objects cannot be assigned to them: two objects have equal values, or one is known only as a
/// document, which may equal any other object.
pub(super) fn are_alike(state: &InstanceState) -> bool {
    let objects: Vec<&Stored> =
        state.current.iter().chain(state.deposed.values()).map(|object| &object.stored).collect();
    objects.iter().enumerate().any(|(index, stored)| {
        objects[index + 1..].iter().any(|other| match (stored, other) {
            (Stored::Value(value), Stored::Value(other)) => value == other,
            _ => true,
        })
    })
}

/// Whether `sent` equals `stored` after members are dropped, as those that the schema lacks are (L05).
fn is_left_of(sent: &Json, stored: &Json) -> bool {
    match (sent, stored) {
        (Json::Object(sent), Json::Object(stored)) => sent.iter().all(|(name, member)| {
            stored.iter().find(|(other, _)| other == name).is_some_and(|(_, other)| is_left_of(member, other))
        }),
        (Json::Array(sent), Json::Array(stored)) => {
            sent.len() == stored.len() && sent.iter().zip(stored).all(|(sent, stored)| is_left_of(sent, stored))
        }
        _ => sent == stored,
    }
}
