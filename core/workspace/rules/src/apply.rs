//! What an apply does with the changes of its plan (I150, I151, I158, I172).

use std::collections::{BTreeMap, BTreeSet};

use planfuzz_core::address::{AbsResourceInstance, ResourceMode};
use planfuzz_core::plans::Mode;
use planfuzz_workspace::{Diagnostic, Request};

use crate::findings::RuleReport;
use crate::id::Id;
use crate::run::{About, Changed, Run};

/// How many apply calls an action has: those that create or update, and those that destroy.
fn legs(action: &str) -> (u64, u64) {
    match action {
        "create" | "update" => (1, 0),
        "delete" => (0, 1),
        "delete,create" | "create,delete" => (1, 1),
        "forget,create" | "create,forget" => (1, 0),
        _ => (0, 0),
    }
}

pub(crate) fn check(run: &Run<'_>, held: &mut RuleReport) {
    let (Some(plan), Some(exit)) = (&run.plan, run.exits[1]) else { return };
    let mut made: BTreeMap<(&AbsResourceInstance, Option<&str>), (u64, u64)> = BTreeMap::new();
    for seen in &run.calls[1] {
        let About::Object(address, deposed) = &seen.about else { continue };
        if let Request::Apply { planned, .. } = &seen.call.request {
            // The old object of a replacement that creates first is deposed under a key of the apply.
            let is_old =
                |change: &&Changed| change.address == *address && change.deposed.as_deref() == deposed.as_deref();
            let key = deposed.as_deref().filter(|_| plan.changes.iter().any(|change| is_old(&change)));
            let (makes, destroys) = made.entry((address, key)).or_default();
            if planned.is_null() { *destroys += 1 } else { *makes += 1 }
        }
        let is_planned = plan.changes.iter().any(|change| change.address == *address);
        let is_ephemeral = address.resource.mode == ResourceMode::Ephemeral;
        held.hold(Id::I172, is_planned || is_ephemeral, || format!("{address} is asked and not planned"));
    }
    let changes: BTreeMap<_, _> =
        plan.changes.iter().map(|change| ((&change.address, change.deposed.as_deref()), change)).collect();
    for (place, (makes, destroys)) in &made {
        let (wants, drops) = changes.get(place).map_or((0, 0), |change| legs(&change.action));
        held.hold(Id::I150, *makes <= wants && *destroys <= drops, || {
            format!("{} is made {makes} times and destroyed {destroys} times", place.0)
        });
    }
    let options = &run.workspace.options;
    let is_whole = exit == 0 && !options.is_selective();
    let stays = stays_deposed(run);
    for (place, change) in changes.iter().filter(|_| is_whole && options.mode != Mode::RefreshOnly) {
        let (wants, drops) = legs(&change.action);
        if change.address.resource.mode != ResourceMode::Managed || (wants, drops) == (0, 0) {
            continue;
        }
        let (makes, destroys) = made.get(place).copied().unwrap_or_default();
        // U42: an update may turn out to be no change.
        let may_drop = change.action == "update";
        let may_stay = destroys == 0 && change.action != "delete,create" && stays.contains(&change.address);
        held.hold(Id::I151, (destroys == drops || may_stay) && (makes == wants || may_drop), || {
            format!("{} of {} is not done", change.action, change.address)
        });
    }
    failures(run, held, exit);
}

/// U62a: instances with a deposed object that an apply leaves, since its upgrade gave a diagnostic.
pub(crate) fn stays_deposed<'r>(run: &'r Run<'_>) -> BTreeSet<&'r AbsResourceInstance> {
    let warned = run.calls[1]
        .iter()
        .filter(|seen| matches!(seen.call.request, Request::Upgrade { .. }) && !seen.answer.remarks.is_empty());
    let deposed = warned.filter_map(|seen| match &seen.about {
        About::Object(address, Some(_)) => Some(address),
        _ => None,
    });
    deposed.collect()
}

/// I158
fn failures(run: &Run<'_>, held: &mut RuleReport, exit: i64) {
    let errors = run.diagnostics[1].iter().filter(|one| Diagnostic::is_error(one)).count();
    held.hold(Id::I158, (exit == 1) == (errors > 0), || format!("exit {exit} with {errors} errors"));
    let in_checks: BTreeSet<&str> =
        run.configuration.blocks.iter().filter(|block| block.in_check).map(|block| block.text.as_str()).collect();
    let is_own = |seen: &&crate::run::ObservedCall| {
        let config = seen.config().map(|config| config.to_string());
        seen.has_failed() && !config.is_some_and(|config| in_checks.contains(config.as_str()))
    };
    let failed = run.calls[1].iter().filter(is_own).count();
    held.hold(Id::I158, failed <= errors, || format!("{failed} calls failed, and {errors} errors are reported"));
}
