//! Checks of the order of lists (JS11, JS42, JS51, ST07).

use std::cmp::Ordering;

use planfuzz_core::address::{AbsResourceInstance, InstanceKey};

use crate::artifact::{Content, Kind, ObjectId, Release, State};
use crate::lint::case::since;
use crate::lint::check::{Check, Needs, PLAN_JSON, Run, STATE_FILES, Severity};
use crate::lint::indexed_file::IndexedFile;
use crate::lint::outcome::{CheckOutcome, Fault};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "JS11-change-order",
        severity: Severity::Warning,
        must: "Changes are in the order of their addresses, then of deposed keys.",
        spec: "plan-files.md section 4.2",
        needs: Needs::Nothing,
        kinds: PLAN_JSON,
        run: Run::Whole(changes),
    },
    Check {
        id: "JS51-state-order",
        severity: Severity::Warning,
        must: "The objects of a module are in the order of their addresses, then of deposed keys.",
        spec: "plan-files.md section 4.6",
        needs: Needs::Nothing,
        kinds: &[Kind::PlanJson, Kind::StateJson],
        run: Run::Whole(shown_state),
    },
    Check {
        id: "ST07-state-order",
        severity: Severity::Warning,
        must: "Resources are in the order of the texts of their modules, modes, types and names, objects in that of their keys.",
        spec: "plan-files.md section 3",
        needs: Needs::Nothing,
        kinds: STATE_FILES,
        run: Run::Whole(state_file),
    },
];

/// The first object that has to come before the one preceding it.
fn misplaced<'a>(
    ids: impl Iterator<Item = &'a ObjectId>,
    order: impl Fn(&AbsResourceInstance, &AbsResourceInstance) -> Ordering,
) -> Vec<Fault> {
    let mut last: Option<(&AbsResourceInstance, &ObjectId)> = None;
    for id in ids {
        let Some(address) = &id.address else { continue };
        if let Some((before, last_id)) = last {
            let by_key = || last_id.deposed.as_deref().unwrap_or("").cmp(id.deposed.as_deref().unwrap_or(""));
            if order(before, address).then_with(by_key) == Ordering::Greater {
                return vec![Fault::of(id, format!("after {last_id} in the file; expected it before that"))];
            }
        }
        last = Some((address, id));
    }
    Vec::new()
}

/// PL74.
fn by_structure(a: &AbsResourceInstance, b: &AbsResourceInstance) -> Ordering {
    a.module.cmp(&b.module).then_with(|| a.resource.cmp(&b.resource)).then_with(|| a.key.cmp(&b.key))
}

/// ST07: modules by their text.
fn by_text_of_module(a: &AbsResourceInstance, b: &AbsResourceInstance) -> Ordering {
    let module = a.module.to_string().cmp(&b.module.to_string());
    module.then_with(|| a.resource.cmp(&b.resource)).then_with(|| compare_keys(&a.key, &b.key))
}

fn compare_keys(a: &InstanceKey, b: &InstanceKey) -> Ordering {
    a.cmp(b)
}

fn changes(file: &IndexedFile<'_>) -> CheckOutcome {
    let Some(plan) = file.plan() else { return CheckOutcome::DoesNotApply };
    since(&file.artifact.producer, Release::new(1, 11), Release::new(1, 11), || {
        let lists = [&plan.changes, &plan.drift];
        let faults = lists.iter().flat_map(|list| misplaced(list.iter().map(|change| &change.id), by_structure));
        CheckOutcome::none(faults.collect())
    })
}

fn shown_state(file: &IndexedFile<'_>) -> CheckOutcome {
    let Some(state) = file.artifact.state() else { return CheckOutcome::DoesNotApply };
    since(&file.artifact.producer, Release::new(1, 11), Release::new(1, 11), || {
        // Modules nest, so each module alone is in order.
        let mut faults = Vec::new();
        let mut rest = &state.objects[..];
        while let Some(first) = rest.first() {
            let module = |id: &ObjectId| id.address.as_ref().map(|address| address.module.clone());
            let own = module(&first.id);
            let end = rest.iter().position(|object| module(&object.id) != own).unwrap_or(rest.len());
            let (these, others) = rest.split_at(end);
            faults.extend(misplaced(these.iter().map(|object| &object.id), by_structure));
            rest = others;
        }
        CheckOutcome::none(faults)
    })
}

fn state_file(file: &IndexedFile<'_>) -> CheckOutcome {
    let states: Vec<&State> = match &file.artifact.content {
        Content::State(state) => vec![state],
        Content::Plan(plan) => [&plan.prior, &plan.previous].into_iter().flatten().collect(),
    };
    // A state written by hand may have any order, and it is not known that any version writes another one.
    let faults = states.iter().flat_map(|state| misplaced(state.objects.iter().map(|it| &it.id), by_text_of_module));
    CheckOutcome::none(faults.collect())
}
