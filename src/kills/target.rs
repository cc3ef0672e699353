//! The faults that can be hunted.

use planfuzz_planting::Planted;

use super::hunted::{Bounds, Hunted};
use super::planner;
use super::provider::{self, FaultyProvider};
use super::{shared, workspace};
use crate::case::Op;
use crate::subject::faults::{Fault, WorkspaceFault};

/// A fault that is hunted.
#[derive(Clone, Copy, Debug)]
pub enum Target {
    /// A mistake of a planner.
    Planner(Fault),
    /// A mistake in code that all planners share.
    Shared(&'static Planted),
    /// A mistake of a planner of whole workspaces.
    Workspace(WorkspaceFault),
    /// A mistake of a provider, of one style.
    Provider(FaultyProvider),
}

/// The name is not that of a fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a planted fault, found {0:?}")]
pub struct NoTarget(pub String);

impl Target {
    /// Every fault, in the order of the catalogues: those of planners, of shared code, of planners of workspaces, then
    /// those of providers.
    pub fn all() -> Vec<Target> {
        let of_planners = Fault::ALL.iter().copied().map(Target::Planner);
        let of_all = shared::all().map(Target::Shared);
        let of_workspaces = WorkspaceFault::all().map(Target::Workspace);
        of_planners
            .chain(of_all)
            .chain(of_workspaces)
            .chain(FaultyProvider::all().into_iter().map(Target::Provider))
            .collect()
    }

    /// The faults that a name means: the name of one fault, with or without `fault:`, the id of a known bug or of a row
    /// of the catalogue of providers.
    ///
    /// # Errors
    /// No fault has the name.
    pub fn named(name: &str) -> Result<Vec<Target>, NoTarget> {
        let wanted = name.strip_prefix("fault:").unwrap_or(name).to_ascii_lowercase();
        let is_meant = |target: &Target| {
            let own = target.name();
            own == wanted
                || own.split_once('-').is_some_and(|(id, rest)| target.has_id() && (id == wanted || rest == wanted))
        };
        let meant: Vec<Target> = Target::all().into_iter().filter(is_meant).collect();
        if meant.is_empty() { Err(NoTarget(name.to_owned())) } else { Ok(meant) }
    }

    /// Its name: without `fault:` for a planner's, id and name for a provider's.
    pub fn name(&self) -> String {
        match self {
            Target::Planner(fault) => fault.name().to_owned(),
            Target::Shared(planted) => planted.name.to_owned(),
            Target::Workspace(fault) => fault.name().to_owned(),
            Target::Provider(faulty) => faulty.name(),
        }
    }

    /// Whether its name begins with an id.
    fn has_id(&self) -> bool {
        matches!(self, Target::Provider(_)) || self.bug().is_some()
    }

    /// The subject that has it.
    pub fn subject(&self) -> String {
        match self {
            Target::Planner(fault) => format!("fault:{}", fault.name()),
            Target::Shared(planted) => format!("planted:{}", planted.name),
            Target::Workspace(fault) => format!("fault:{}", fault.name()),
            Target::Provider(faulty) => format!("provider:{}", faulty.style()),
        }
    }

    /// The id of the known bug, if it was one of a real planner.
    pub fn bug(&self) -> Option<String> {
        let Target::Planner(fault) = self else { return None };
        let (id, _) = fault.name().split_once('-')?;
        let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        id.strip_prefix('b').filter(|digits| is_number(digits)).map(|digits| format!("B{digits}"))
    }

    /// The rule that it breaks; `-` if none.
    pub fn rule(&self) -> &'static str {
        match self {
            Target::Planner(fault) => fault.rule(),
            Target::Shared(planted) => planted.rule,
            Target::Workspace(fault) => fault.rule(),
            Target::Provider(faulty) => faulty.info.breaks.first().copied().unwrap_or("-"),
        }
    }

    /// The operation that shows it.
    pub fn op(&self) -> Op {
        match self {
            Target::Planner(fault) => fault.op(),
            // A test checks that every name in the list is an operation.
            Target::Shared(planted) => planted.shows.parse().unwrap_or(Op::Scenario),
            Target::Workspace(_) => Op::Workspace,
            Target::Provider(_) => Op::Scenario,
        }
    }

    /// Hunts it in the cases of a seed.
    pub fn hunt(self, seed: u64, bounds: &Bounds<'_>) -> Hunted {
        match self {
            Target::Planner(fault) => planner::hunt(fault, seed, bounds),
            Target::Shared(planted) => shared::hunt(planted, seed, bounds),
            Target::Workspace(fault) => workspace::hunt(fault, seed, bounds),
            Target::Provider(faulty) => provider::hunt(faulty, seed, bounds),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(name: &str) -> Vec<String> {
        let mut names: Vec<String> = Target::named(name).unwrap().iter().map(Target::subject).collect();
        names.dedup();
        names
    }

    #[test]
    fn faults_are_named_by_name_bug_and_row() {
        let fault = "fault:b161-unknown-config-gives-prior";
        for name in [fault, "b161-unknown-config-gives-prior", "B161", "unknown-config-gives-prior"] {
            assert_eq!(names(name), [fault], "{name}");
        }
        assert_eq!(names("null-never-equal"), ["fault:null-never-equal"]);
        for name in ["X01", "x01-plan-override", "plan-override"] {
            assert_eq!(names(name), ["provider:framework", "provider:sdk"], "{name}");
        }
        assert!(matches!(Target::named("null"), Err(NoTarget(_))));
        assert!(matches!(Target::named(""), Err(NoTarget(_))));
    }

    #[test]
    fn every_mistake_in_what_is_shared_names_an_operation_and_a_rule() {
        for planted in shared::all() {
            let op: Result<Op, _> = planted.shows.parse();
            assert!(
                op.is_ok_and(Op::is_shared) && !planted.rule.is_empty() && planted.description.ends_with('.'),
                "{planted:?}"
            );
        }
    }

    #[test]
    fn every_fault_has_a_name_and_a_subject_of_its_own() {
        let all = Target::all();
        let mut rows: Vec<(String, String)> = all.iter().map(|target| (target.name(), target.subject())).collect();
        rows.sort();
        rows.dedup();
        assert_eq!(rows.len(), all.len());
    }
}
