//! A walk, prepared for the checks: its inputs, and the part of each call.

use std::collections::BTreeMap;
use std::ops::Range;

use super::findings::Walk;
use planfuzz_core::address::ResourceKind;
use planfuzz_core::planner::{
    ApplyWalk, Configured, Diagnostic, Exchange, IgnoreChanges, PlanOptions, PlanWalk, Presence, Provisioner, RawState,
    Remark,
};
use planfuzz_core::plans::{Mode, ResourceInstanceChange};
use planfuzz_core::schema::Schema;
use planfuzz_core::state::{DeposedKey, InstanceState, Object, Stored};
use planfuzz_core::value::{Tri, Value};

/// The common data of plan walks and apply walks.
pub(super) struct Calls<'a> {
    pub(super) walk: Walk,
    pub(super) kind: ResourceKind,
    pub(super) presence: &'a Presence,
    pub(super) options: &'a PlanOptions,
    pub(super) exchanges: &'a [Exchange],
    pub(super) diagnostics: &'a [Diagnostic],
    /// Whether this is the plan of a destruction.
    pub(super) is_destruction: bool,
    /// The change of the current object that an apply walk applies.
    pub(super) applies: Option<&'a ResourceInstanceChange>,
    /// The part of each call.
    pub(super) parts: Vec<Part>,
}

/// The part of a call in its walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// A plan call with a configuration.
    First,
    /// A later plan call: of a replacement, without prior.
    Second,
    /// A plan call without configuration.
    Destroy,
    /// The read of an object that was just imported.
    ReadOfImport,
    /// Any other call.
    Other,
}

impl<'a> Calls<'a> {
    pub(super) fn of_plan(walk: &'a PlanWalk) -> Calls<'a> {
        let request = &walk.request;
        Calls {
            walk: Walk::Plan,
            kind: request.kind,
            presence: &request.presence,
            options: &request.options,
            exchanges: &walk.exchanges,
            diagnostics: &walk.plan.diagnostics,
            is_destruction: request.mode == Mode::Destroy,
            applies: None,
            parts: parts_of(&walk.exchanges),
        }
    }

    pub(super) fn of_apply(walk: &'a ApplyWalk) -> Calls<'a> {
        let request = &walk.request;
        Calls {
            walk: Walk::Apply,
            kind: request.kind,
            presence: &request.presence,
            options: &request.options,
            exchanges: &walk.exchanges,
            diagnostics: &walk.applied.diagnostics,
            is_destruction: false,
            applies: request.changes.iter().find(|change| change.deposed.is_none()),
            parts: parts_of(&walk.exchanges),
        }
    }

    /// The configuration, if there is one.
    pub(super) fn configured(&self) -> Option<&'a Configured> {
        self.presence.configured()
    }

    /// Whether any changes are ignored (section 8).
    pub(super) fn ignores(&self) -> bool {
        self.configured().is_some_and(|configured| match &configured.lifecycle.ignore_changes {
            IgnoreChanges::All => true,
            IgnoreChanges::Some(entries) => !entries.is_empty(),
        })
    }

    /// Whether a provisioner taints a created object (A15).
    pub(super) fn fails_to_provision(&self) -> bool {
        let fails = |of: &Provisioner| !of.on_destroy && of.fails && !of.on_failure_continue;
        self.configured().is_some_and(|configured| configured.provisioners.iter().any(fails))
    }

    /// Whether a leg that makes an object fails after its call: by a provisioner or a postcondition (A15, A17).
    pub(super) fn fails_after_making(&self) -> bool {
        self.fails_to_provision() || self.fails_its_postconditions()
    }

    /// Whether a postcondition is false.
    pub(super) fn fails_its_postconditions(&self) -> bool {
        self.configured().is_some_and(|configured| configured.postconditions.contains(&Tri::False))
    }

    /// The calls with their places and parts.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, Part, &'a Exchange)> + '_ {
        self.exchanges.iter().enumerate().map(|(index, exchange)| (index, self.parts[index], exchange))
    }

    /// The index of the first call of a part.
    pub(super) fn find(&self, part: Part) -> Option<usize> {
        self.parts.iter().position(|found| *found == part)
    }
}

fn parts_of(exchanges: &[Exchange]) -> Vec<Part> {
    let (mut is_planned, mut is_imported) = (false, false);
    let mut part_of = |exchange: &Exchange| match exchange {
        Exchange::Plan(request, _) if request.config.is_null() => Part::Destroy,
        Exchange::Plan(..) if std::mem::replace(&mut is_planned, true) => Part::Second,
        Exchange::Plan(..) => Part::First,
        Exchange::Import(..) => {
            is_imported = true;
            Part::Other
        }
        Exchange::Read(..) if std::mem::replace(&mut is_imported, false) => Part::ReadOfImport,
        // Later reads are of stored objects; a failed import has no read.
        Exchange::Upgrade(..) => {
            is_imported = false;
            Part::Other
        }
        _ => Part::Other,
    };
    exchanges.iter().map(&mut part_of).collect()
}

/// Whether the provider's diagnostics contain an error.
pub(super) fn has_errors(remarks: &[Remark]) -> bool {
    remarks.iter().any(|remark| remark.is_error())
}

/// Whether an upgrade or a read gives no object to continue with: an unknown value becomes null in engines that do not check for it (L11).
pub(super) fn is_nothing(value: &Value) -> bool {
    value.is_null() || value.is_unknown()
}

/// The value of a stored object, where it has one.
pub(super) fn value_of(object: &Object) -> Option<&Value> {
    match &object.stored {
        Stored::Value(value) => Some(value),
        Stored::Raw { .. } => None,
    }
}

/// The calls about one object in a plan walk, from its upgrade on; those about the current object also from before.
pub(super) struct Segment<'a> {
    pub(super) deposed: Option<&'a DeposedKey>,
    /// The object as stored; in the destroying walk as refreshed.
    pub(super) object: Option<&'a Object>,
    pub(super) range: Range<usize>,
    /// Whether this belongs to the destroying walk, after the refreshing one (L152).
    pub(super) is_destroying: bool,
}

/// The calls of a plan walk, object by object.
pub(super) struct Segments<'a> {
    pub(super) segments: Vec<Segment<'a>>,
    /// The first upgrade call that is of no object.
    pub(super) stray: Option<usize>,
    /// The last segment of each object.
    last: BTreeMap<Option<&'a DeposedKey>, usize>,
}

impl<'a> Segments<'a> {
    pub(super) fn of(schema: &Schema, walk: &'a PlanWalk) -> Segments<'a> {
        let state = &walk.request.state;
        let of_current = Segment { deposed: None, object: state.current.as_ref(), range: 0..0, is_destroying: false };
        let mut found = Segments { segments: vec![of_current], stray: None, last: BTreeMap::from([(None, 0)]) };
        let mut left = objects(schema, state);
        let mut may_start_again = walk.request.mode == Mode::Destroy;
        let is_upgrade = |exchange: &Exchange| matches!(exchange, Exchange::Upgrade(..));
        for (index, exchange) in walk.exchanges.iter().enumerate() {
            if is_upgrade(exchange) {
                if left.is_empty() && std::mem::replace(&mut may_start_again, false) {
                    left = objects(schema, &walk.plan.refreshed);
                    found.start(left.pop(), index, true);
                } else if let Some(next) = left.pop() {
                    found.start(Some(next), index, false);
                } else {
                    found.stray.get_or_insert(index);
                }
            }
            if let Some(last) = found.segments.last_mut() {
                last.range.end = index + 1;
            }
        }
        found
    }

    /// The last calls about an object.
    pub(super) fn last_of(&self, deposed: Option<&DeposedKey>) -> Option<&Segment<'a>> {
        self.last.get(&deposed).map(|index| &self.segments[*index])
    }

    fn start(&mut self, next: Option<(Option<&'a DeposedKey>, &'a Object)>, index: usize, again: bool) {
        let Some((deposed, object)) = next else {
            self.stray.get_or_insert(index);
            return;
        };
        let is_destroying = again || self.segments.last().is_some_and(|last| last.is_destroying);
        if deposed.is_none() && !is_destroying {
            // The earlier calls, the static validation, are about the current object too.
            return;
        }
        self.last.insert(deposed, self.segments.len());
        self.segments.push(Segment { deposed, object: Some(object), range: index..index, is_destroying });
    }
}

/// The objects that Core sends for an upgrade, the current one last: those whose version is not above the schema's (L05).
fn objects<'a>(schema: &Schema, state: &'a InstanceState) -> Vec<(Option<&'a DeposedKey>, &'a Object)> {
    let deposed = state.deposed.iter().rev().map(|(key, object)| (Some(key), object));
    let current = state.current.iter().map(|object| (None, object));
    let is_sent = |object: &Object| !is_newer(schema, object);
    deposed.chain(current).filter(|(_, object)| is_sent(object)).collect()
}

/// Whether a stored object is of a version above the schema's.
pub(super) fn is_newer(schema: &Schema, object: &Object) -> bool {
    matches!(&object.stored, Stored::Raw { version, .. } if *version > schema.version)
}

/// Whether the object sent for an upgrade is the stored one; if the versions are equal, Core drops members (L05), so only the form is
/// compared.
pub(super) fn is_as_stored(schema: &Schema, object: &Object, version: u64, sent: &RawState) -> bool {
    match (&object.stored, sent) {
        (Stored::Value(stored), RawState::Value(sent)) => version == schema.version && stored == sent,
        (Stored::Raw { version: stored, attributes }, RawState::Json(sent)) => {
            version == *stored && (version == schema.version || attributes == sent)
        }
        _ => false,
    }
}
