//! Checks of moves (PL11, L160).

use std::collections::BTreeMap;

use planfuzz_core::address::{Notation, ResourceMode};

use crate::lint::case::ChangeCase;
use crate::lint::check::{Check, Needs, PLANS, Run, Severity};
use crate::lint::indexed_file::IndexedFile;
use crate::lint::outcome::{CheckOutcome, Fault};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "PL11-moved-from",
        severity: Severity::Error,
        must: "The address before a move is that of another instance of a managed resource.",
        spec: "plans.md section 4",
        needs: Needs::Nothing,
        kinds: PLANS,
        run: Run::Change(moved),
    },
    Check {
        id: "L160-moved-once",
        severity: Severity::Error,
        must: "From one address there are moves to one other only.",
        spec: "lifecycle.md section 15",
        needs: Needs::Nothing,
        kinds: PLANS,
        run: Run::Whole(once),
    },
];

fn moved(case: &ChangeCase<'_>) -> CheckOutcome {
    let Some(previous) = &case.change.previous else { return CheckOutcome::DoesNotApply };
    let notation = Notation { engine: case.file.artifact.producer.engine };
    let Ok(from) = notation.instance(previous) else {
        return CheckOutcome::hold(false, || {
            "an address before a move that cannot be read; expected that of an instance".into()
        });
    };
    let mut faults = Vec::new();
    if case.change.id.address.as_ref() == Some(&from) {
        faults.push(Fault::new("moved from its own address; expected another one, or none"));
    }
    if from.resource.mode != ResourceMode::Managed || case.change.id.mode() == Some(ResourceMode::Data) {
        faults.push(Fault::new("a move of a data resource; expected managed ones only"));
    }
    CheckOutcome::none(faults)
}

fn once(file: &IndexedFile<'_>) -> CheckOutcome {
    let Some(plan) = file.plan() else { return CheckOutcome::DoesNotApply };
    let mut to: BTreeMap<&str, &str> = BTreeMap::new();
    let mut faults = Vec::new();
    let moved = plan.changes.iter().filter_map(|change| Some((change.previous.as_deref()?, change)));
    for (from, change) in moved {
        let first = to.entry(from).or_insert(&change.id.written);
        if *first != change.id.written {
            faults
                .push(Fault::of(&change.id, format!("moved from {from}, as {first} is; expected one move from there")));
        }
    }
    match to.is_empty() {
        true => CheckOutcome::DoesNotApply,
        false => CheckOutcome::none(faults),
    }
}
