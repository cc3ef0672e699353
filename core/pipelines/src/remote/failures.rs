//! Errors of well-behaved providers (`failures`).

use super::compiled::CompiledModel;
use crate::expression::{Operation, Scene, Source};
use crate::model::{Done, Failure, RemoteCall};
use crate::places::object_of;
use planfuzz_core::value::{Text, Tri, Type, Value, ValueRef};

/// The failure of a call, if any: the first that matches and has not yet happened `times` times. `happened` counts.
pub(super) fn met<'f>(
    failures: &'f [Failure],
    happened: &mut Vec<u64>,
    call: RemoteCall,
    sent: &Sent<'_>,
) -> Option<&'f Done> {
    happened.resize(failures.len(), 0);
    let matches = |failure: &Failure| failure.on == call && failure.when.holds(sent) == Tri::True;
    let (failure, happened) =
        failures.iter().zip(happened).find(|(failure, happened)| **happened < failure.times && matches(failure))?;
    *happened += 1;
    Some(&failure.done)
}

/// The values of a call, which conditions of failures refer to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sent<'a> {
    pub(super) config: Option<&'a Value>,
    pub(super) prior: Option<&'a Value>,
    pub(super) plan: Option<&'a Value>,
    pub(super) operation: Operation,
}

impl Scene for Sent<'_> {
    fn this(&self, source: Source) -> Value {
        self.root(source)
    }

    fn object(&self, source: Source) -> Value {
        self.root(source)
    }

    fn root(&self, source: Source) -> Value {
        let value = match source {
            Source::Config => self.config,
            Source::Prior => self.prior,
            Source::Plan => self.plan,
        };
        value.map_or_else(|| Value::null(Type::Dynamic), Value::clone)
    }

    fn operation(&self) -> Operation {
        self.operation
    }
}

/// The object after a partly done call: the named top-level members as in `new`, the others as in `old` or absent; `old` if nothing was
/// done. In the SDK an object without an id does not exist, so the id is always done.
pub(super) fn partly(
    model: &CompiledModel,
    done: &Done,
    new: ValueRef<'_>,
    old: Option<ValueRef<'_>>,
) -> Option<Value> {
    match done {
        Done::None => old.map(ValueRef::to_value),
        Done::All => Some(new.to_value()),
        Done::Names(names) => {
            let is_done =
                |name: &Text| names.contains(name) || model.pipeline.is_legacy() && name.as_str() == crate::sdk::ID;
            let members = new.entries().zip(model.places.iter()).map(|((name, member), place)| match is_done(name) {
                true => member.to_value(),
                false => old.and_then(|old| old.member(name)).map_or_else(|| place.absent(), ValueRef::to_value),
            });
            Some(object_of(new, members.collect()))
        }
    }
}
