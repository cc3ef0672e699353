//! The diagnostics of an engine, assigned to the walks that they are about.

use planfuzz_core::planner::{Configured, Diagnostic, Exchange, PlanAnswer, Presence, summary};
use planfuzz_core::state::{InstanceState, Stored};

use super::settle::{Walk, WalkInRun};
use crate::job::LeftOut;
use crate::output::{About, Keys, Named, Printed, PrintedDiagnostic, Subject, about};
use crate::server::Log;

/// Warnings outside the lifecycle: about the run as a whole, the form of a configuration, and objects that were not upgraded, at which an
/// engine looks if anything at all in the state has changed.
const OF_THE_RUN: [&str; 3] = [
    "Some objects will no longer be managed by Terraform",
    "Deprecated attribute",
    "Failed to decode resource from state",
];

/// Errors in an expression that stands for a value: the value was not what the expression makes.
const OF_AN_EXPRESSION: [&str; 2] = ["Invalid function argument", "Error in function call"];

/// The beginning of the error that an instance and the resources beside it have no order.
const CYCLE: &str = "Cycle: ";

/// The diagnostics of a run.
pub(super) struct AssignedDiagnostics {
    /// For each walk its diagnostics, or why they cannot be determined.
    pub(super) of_walk: Vec<Result<Vec<Diagnostic>, LeftOut>>,
    /// Whether a diagnostic is about one of several walks, but does not name it.
    pub(super) is_unclear: bool,
}

/// Assigns the diagnostics that an engine printed. `configuration` is the text of its one configuration file.
pub(super) fn assign_diagnostics<R: Walk>(
    output: &[u8],
    configuration: &str,
    walks: &[WalkInRun<'_, R>],
    logs: &[Log],
) -> AssignedDiagnostics {
    let Printed { diagnostics, strange } = Printed::read(output);
    let mut assigned =
        AssignedDiagnostics { of_walk: walks.iter().map(|_| Ok(Vec::new())).collect(), is_unclear: false };
    if diagnostics.is_empty() && strange.is_empty() {
        return assigned;
    }
    // Only walks with diagnostics need their keys, but these are needed to find the walk.
    let keys: Vec<Keys> = walks.iter().zip(logs).map(|(walk, log)| keys(walk, log)).collect();
    let subject = |job: usize| Some(Subject { schema: walks.get(job)?.schema, keys: &keys[job] });
    let mut unassigned = Vec::new();
    for printed in diagnostics.into_iter().filter(|printed| !OF_THE_RUN.contains(&&*printed.summary)) {
        if printed.summary.starts_with(CYCLE) {
            // The error names all of them, but is caused by one walk with resources beside it.
            assigned.is_unclear |= walks.len() > 1;
            assigned.add(0, Err(LeftOut::Beside));
            continue;
        }
        if let Some(job) = unwritable(&printed) {
            assigned.add(job, Err(LeftOut::Unstorable("a value that no state can hold")));
            continue;
        }
        match about(printed, configuration, |named| subject(named.job)) {
            About::Instance { job, diagnostic } if OF_AN_EXPRESSION.contains(&&*diagnostic.summary) => {
                assigned.add(job, Err(LeftOut::OtherConfiguration));
            }
            About::Instance { job, diagnostic } => assigned.add(job, Ok(diagnostic)),
            About::Unplaced { job, .. } => assigned.add(job, Err(LeftOut::Unplaced)),
            About::Helper { job, .. } => assigned.add(job, Err(LeftOut::Beside)),
            About::NoInstance(other) => unassigned.push(other),
        }
    }
    assigned.share(unassigned, logs);
    if !strange.is_empty() {
        assigned.leave_out_for_a_strange_line();
    }
    assigned
}

impl AssignedDiagnostics {
    fn add(&mut self, job: usize, result: Result<Diagnostic, LeftOut>) {
        let Some(of_walk) = self.of_walk.get_mut(job) else { return };
        match (of_walk, result) {
            (Ok(diagnostics), Ok(diagnostic)) => diagnostics.push(diagnostic),
            (of_walk @ Ok(_), Err(reason)) => *of_walk = Err(reason),
            (Err(_), _) => {}
        }
    }

    /// A line that is no message is about the run, and may be a diagnostic of any walk in it.
    fn leave_out_for_a_strange_line(&mut self) {
        self.is_unclear |= self.of_walk.len() > 1;
        self.add(0, Err(LeftOut::Unreadable("a line of its output")));
    }

    /// Assigns diagnostics without a subject: to the only walk, or to the walks whose provider did not answer if there are equally many.
    fn share(&mut self, unassigned: Vec<PrintedDiagnostic>, logs: &[Log]) {
        if self.of_walk.len() == 1 {
            unassigned.into_iter().for_each(|printed| self.add(0, Ok(printed.at_root())));
            return;
        }
        let silent: Vec<usize> = logs
            .iter()
            .enumerate()
            .flat_map(|(job, log)| log.exchanges().filter(is_silent).map(move |_| job))
            .collect();
        let (unanswered, others): (Vec<PrintedDiagnostic>, Vec<PrintedDiagnostic>) =
            unassigned.into_iter().partition(|printed| printed.summary == summary::NO_ANSWER);
        if unanswered.len() == silent.len() {
            silent.into_iter().zip(unanswered).for_each(|(job, printed)| self.add(job, Ok(printed.at_root())));
        } else {
            self.is_unclear = true;
        }
        self.is_unclear |= !others.is_empty();
    }
}

/// The walk whose object cannot be saved, which ends the whole run: it has an infinity in it, or an ephemeral value.
fn unwritable(printed: &PrintedDiagnostic) -> Option<usize> {
    let address = printed.summary.strip_prefix("failed to encode ")?.split(" in state: ").next()?;
    let type_name = address.rsplit('.').nth(1)?;
    let named = Named::parse(type_name)?;
    Some(named.job)
}

/// Whether a call was not answered at all (A26).
fn is_silent(exchange: &&Exchange) -> bool {
    matches!(exchange, Exchange::Apply(_, answer) if answer.new_state.is_none())
}

/// The keys in everything that a diagnostic of a walk may be about: what is configured, stored and answered.
fn keys<R: Walk>(walk: &WalkInRun<'_, R>, log: &Log) -> Keys {
    let mut keys = Keys::of([]);
    if let Presence::Configured(configured) = walk.request.presence() {
        let Configured { config, .. } = &**configured;
        keys.add(config.value());
    }
    let (_, InstanceState { current, deposed }) = walk.request.stored();
    for object in current.iter().chain(deposed.values()) {
        if let Stored::Value(value) = &object.stored {
            keys.add(value);
        }
    }
    for exchange in log.exchanges() {
        match exchange {
            Exchange::Validate(..) => {}
            Exchange::Upgrade(_, answer) => keys.add(&answer.upgraded),
            Exchange::Read(_, answer) => keys.add(&answer.new_state),
            Exchange::Plan(_, PlanAnswer { planned, .. }) => keys.add(planned),
            Exchange::Apply(request, answer) => {
                keys.add(&request.planned);
                answer.new_state.iter().for_each(|value| keys.add(value));
            }
            Exchange::Import(_, answer) => answer.imported.iter().for_each(|(value, _)| keys.add(value)),
            Exchange::ReadData(_, answer) => keys.add(&answer.state),
        }
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strange_line_leaves_out_the_only_walk_and_is_unclear_among_several() {
        for (walks, is_unclear) in [(1, false), (2, true)] {
            let of_walk = (0..walks).map(|_| Ok(Vec::new())).collect();
            let mut assigned = AssignedDiagnostics { of_walk, is_unclear: false };
            assigned.leave_out_for_a_strange_line();
            assert_eq!(assigned.is_unclear, is_unclear);
            assert!(matches!(assigned.of_walk[0], Err(LeftOut::Unreadable(_))));
        }
    }
}
