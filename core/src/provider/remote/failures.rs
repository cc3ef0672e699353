//! Errors of well-behaved providers (`failures`).

use super::places::Place;
use crate::provider::expression::Scene;
use crate::provider::model::{Done, Failure, Operation, RemoteCall, Source};
use crate::value::{Tri, Type, Value, ValueRef};

use super::parts::object_of;

/// The failure that a call meets, if it meets one: the first that matches and has not happened often enough. `happened` counts.
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

/// What was sent with a call: what conditions of failures see.
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

/// What is there after a call was done in part: the named top-level members as in `new`, the others as in `old` or absent. Nothing
/// where nothing was done.
pub(super) fn partly(places: &[Place], done: &Done, new: ValueRef<'_>, old: Option<ValueRef<'_>>) -> Option<Value> {
    match done {
        Done::None => old.map(ValueRef::to_value),
        Done::All => Some(new.to_value()),
        Done::Names(names) => {
            let members = new.entries().zip(places).map(|((name, member), place)| match names.contains(name) {
                true => member.to_value(),
                false => old.and_then(|old| old.member(name)).map_or_else(|| place.absent(), ValueRef::to_value),
            });
            Some(object_of(new, members.collect()))
        }
    }
}
