//! Data resources (section 13).

use super::Lifecycle;
use super::calls::{Calls, has_errors};
use super::findings::Findings;
use super::id::Id;
use planfuzz_core::address::ResourceKind;
use planfuzz_core::planner::{Configured, Exchange, Link, PlanWalk};
use planfuzz_core::plans::{Action, Mode};
use planfuzz_core::value::Tri;

/// I42, I58.
pub(super) fn check(of: &Lifecycle<'_>, findings: &mut Findings, calls: &Calls<'_>, walk: &PlanWalk) {
    let Some(configured) = calls.configured().filter(|_| calls.kind == ResourceKind::Data) else { return };
    for change in &walk.plan.changes {
        let leaks = of.leaks(change.change.after.value()).unwrap_or_default();
        findings.hold_though_predicted(Id::I58, leaks.is_empty(), || {
            format!("expected no write-only value in what is planned, found one at {:?}", leaks[0].to_string())
        });
    }
    let reads: Vec<_> = calls.exchanges.iter().filter(|exchange| matches!(exchange, Exchange::ReadData(..))).collect();
    let is_known = configured.config.value().is_wholly_known();
    let is_pending = is_pending(configured);
    // The specification leaves open whether a data resource in a check waits for pending changes.
    let may_be_read = is_known && (configured.in_check || !is_pending);
    findings.hold(Id::I42, reads.is_empty() || may_be_read, || {
        "expected the read to wait for what is unknown or pending, found a call".to_owned()
    });
    let is_normal = walk.request.mode == Mode::Normal;
    let is_open = is_known && configured.in_check && is_pending;
    if !is_normal || is_open || walk.plan.is_errored() || fails_before(configured, calls) {
        return;
    }
    findings.hold(Id::I42, reads.len() == usize::from(may_be_read), || {
        format!("expected {} calls, found {}", usize::from(may_be_read), reads.len())
    });
    let is_recorded = walk.plan.changes.iter().any(|change| change.change.action == Action::Read);
    let wanted = !may_be_read || configured.in_check;
    findings.hold(Id::I42, is_recorded == wanted && walk.plan.changes.len() == usize::from(wanted), || {
        format!("expected {} changes, all reads, found {}", usize::from(wanted), walk.plan.changes.len())
    });
}

/// L142.
fn is_pending(configured: &Configured) -> bool {
    let has_conditions = !configured.preconditions.is_empty() || !configured.postconditions.is_empty();
    configured.dependencies.iter().any(|dependency| {
        let counts =
            dependency.kind == ResourceKind::Managed && (dependency.link != Link::Transitive || has_conditions);
        counts && dependency.actions.iter().any(|action| *action != Action::NoOp)
    })
}

/// Whether the walk ends before it comes to the read.
fn fails_before(configured: &Configured, calls: &Calls<'_>) -> bool {
    let is_invalid = calls.exchanges.iter().any(|exchange| match exchange {
        Exchange::Validate(_, answer) => has_errors(&answer.remarks),
        _ => false,
    });
    is_invalid || configured.preconditions.contains(&Tri::False)
}
