//! Checks of imports (L20 to L22).

use planfuzz_core::address::ResourceMode;
use planfuzz_core::plans::Action;

use crate::artifact::Import;
use crate::lint::case::{ChangeCase, List};
use crate::lint::check::{Check, Needs, PLANS, Run, Severity};
use crate::lint::outcome::{CheckOutcome, Fault};

pub(super) const CHECKS: &[Check] = &[Check {
    id: "L22-import",
    severity: Severity::Error,
    must: "What is imported is a current object of a managed resource, by an id that is not empty, and is left as it is, updated, \
           replaced or forgotten.",
    spec: "lifecycle.md section 6",
    needs: Needs::Nothing,
    kinds: PLANS,
    run: Run::Change(import),
}];

fn import(case: &ChangeCase<'_>) -> CheckOutcome {
    let Some(importing) = &case.change.importing else { return CheckOutcome::DoesNotApply };
    let mut faults = Vec::new();
    let action = case.action();
    let fits = matches!(action, Action::NoOp | Action::Update | Action::Forget) || action.is_replace();
    if case.list == List::Changes && !fits {
        faults.push(Fault::new(format!("{action} of what is imported; expected an object that is there")));
    }
    if case.change.id.mode() == Some(ResourceMode::Data) || case.change.id.deposed.is_some() {
        faults.push(Fault::new("an import of what is no current object of a managed resource; expected none"));
    }
    if case.list == List::Drift {
        faults.push(Fault::new("an import among the changes outside; expected none"));
    }
    match importing {
        Import::Id(id) if id.is_empty() => faults.push(Fault::new("an import without an id; expected one")),
        Import::Unknown if case.list == List::Changes => {
            faults.push(Fault::new("an import by an id that is not known; expected it among what is put off only"));
        }
        _ => {}
    }
    CheckOutcome::none(faults)
}
