//! Mistakes made on purpose, one at a time: what campaigns of workspaces are measured by.

use std::cell::Cell;

use planfuzz_workspace::{Applied, Plan, Planned, Providers, Workspace, WorkspacePlanner};

use crate::Reference;

macro_rules! faults {
    ($($ident:ident $name:literal $rule:literal $says:literal,)*) => {
        /// A mistake: each a plausible slip in one rule.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Fault {
            $(#[doc = $says] $ident,)*
        }

        impl Fault {
            /// All of them.
            pub const ALL: &'static [Fault] = &[$(Fault::$ident,)*];

            /// The name.
            pub fn name(self) -> &'static str {
                match self { $(Fault::$ident => $name,)* }
            }

            /// The rule that it breaks.
            pub fn rule(self) -> &'static str {
                match self { $(Fault::$ident => $rule,)* }
            }

            /// What it does wrong.
            pub fn says(self) -> &'static str {
                match self { $(Fault::$ident => $says,)* }
            }

            /// The reference planner with the mistake.
            pub fn planner(self) -> &'static Faulty {
                match self { $(Fault::$ident => &Faulty(Fault::$ident),)* }
            }
        }
    };
}

faults! {
    CreateNotFirst "order-create-not-before-its-destroy" "U34" "A deposed object is destroyed without waiting for its replacement.",
    DestroyNotFirst "order-destroy-not-before-its-create" "U34" "An object is created without waiting for the destruction of the one that it replaces.",
    DestroysUnordered "order-destroys-of-dependents-forgotten" "U36" "Destructions do not wait for those of what depends on them.",
    MakeBesideDestroy "order-make-beside-destroy-of-dependency" "U35" "What is made does not wait for, nor hold back, the destruction of what it depends on.",
    LegWithoutProvider "order-leg-without-provider" "U39" "What is stored is destroyed without waiting for its provider.",
    UserNotAfterMake "order-user-not-after-make" "U30" "What refers to a block does not wait for what is made of it.",
    DependsOnForgotten "order-depends-on-forgotten" "G64" "depends_on orders nothing.",
    FlagNotHandedOn "cbd-not-handed-on" "U25" "What a block with create_before_destroy depends on does not get the flag.",
    FlagNotHandedOnInPlan "cbd-not-handed-on-in-plan" "G130" "In a plan, what a block with create_before_destroy depends on does not get the flag.",
    TargetAlone "target-forgets-dependencies" "G110" "A target is looked at without what it depends on.",
    TargetAnyInstance "target-of-a-module-instance-means-all" "G111" "A target with a key of a module means all its instances.",
    TargetWithoutOutputs "target-outputs-forgotten" "G113" "Root outputs are left out of every targeted plan.",
    OrphanInstancesMissed "orphan-instances-missed" "E112" "Instances beyond the count or the keys stay.",
    OrphansMissed "orphan-resources-missed" "G52" "What has no block any more stays.",
    DeposedMissed "deposed-objects-missed" "G53" "Deposed objects of earlier runs stay.",
    DirectDependencies "dependencies-not-transitive" "G140" "Stored dependencies are those that are named directly.",
    DependenciesWithinModule "dependencies-without-orphans-of-modules" "G140" "Stored dependencies are those of the same module alone.",
    MoveChainCut "moved-chain-cut-short" "G27" "The place before a chain of moves is the last one before.",
    MoveOverOccupied "moved-over-what-is-there" "G28" "A module moves to where objects are.",
    MoveDropsKey "moved-key-not-inherited" "G25" "Keys of modules that a move does not say are dropped.",
    DataNeverDeferred "data-never-deferred" "G95" "Data resources are read in the plan whatever their dependencies do.",
    DataDeferredByNoOp "data-deferred-by-unchanged" "G98" "Data resources are deferred for dependencies that do not change.",
    NotRestored "deposed-not-restored" "U68" "After a failed create the old object stays deposed.",
    FailedNotStored "failed-create-not-stored" "U69" "What a failed call leaves is not stored.",
    DeposedLost "deposed-lost-where-destroy-fails" "U62" "A deposed object whose destruction fails is forgotten.",
    DeposedLostWithCurrent "deposed-lost-with-current" "U90" "Where the current object is destroyed, deposed ones are forgotten.",
    GoneOutputKept "outputs-of-the-past-kept" "U21" "Outputs that are no longer configured stay.",
    TriggersForgotten "triggers-forgotten" "G141" "replace_triggered_by replaces nothing.",
    HusksStay "husks-stay" "U104" "Resources without instances stay in the state.",
    DestroyKeepsOutputs "destroy-keeps-outputs" "U23" "A destruction leaves outputs.",
    IncompleteNotTold "incomplete-apply-not-told" "G115" "A targeted apply does not say that it may be incomplete.",
    ChecksForgotten "checks-of-an-apply-forgotten" "U97" "An apply stores the check results of the plan.",
}

thread_local! {
    static PLANTED: Cell<Option<Fault>> = const { Cell::new(None) };
}

pub(crate) fn is_planted(fault: Fault) -> bool {
    PLANTED.get() == Some(fault)
}

/// The mistake that is planted in this thread, for as long as this lives.
struct Here(Option<Fault>);

impl Here {
    fn plant(fault: Fault) -> Here {
        Here(PLANTED.replace(Some(fault)))
    }
}

impl Drop for Here {
    fn drop(&mut self) {
        PLANTED.set(self.0);
    }
}

/// The reference planner with a mistake.
#[derive(Clone, Copy, Debug)]
pub struct Faulty(pub Fault);

impl WorkspacePlanner for Faulty {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn plan(&self, workspace: &Workspace, providers: &mut dyn Providers) -> Planned {
        let _here = Here::plant(self.0);
        Reference.plan(workspace, providers)
    }

    fn apply(&self, workspace: &Workspace, plan: &Plan, providers: &mut dyn Providers) -> Applied {
        let _here = Here::plant(self.0);
        Reference.apply(workspace, plan, providers)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_fault_has_a_name_of_its_own_and_says_what_it_does() {
        let names: BTreeSet<&str> = Fault::ALL.iter().map(|fault| fault.name()).collect();
        assert_eq!(names.len(), Fault::ALL.len());
        assert!(Fault::ALL.iter().all(|fault| fault.says().ends_with('.') && !fault.rule().is_empty()));
    }

    #[test]
    fn a_mistake_ends_with_what_it_was_planted_for() {
        assert!(!is_planted(Fault::HusksStay));
        let here = Here::plant(Fault::HusksStay);
        assert!(is_planted(Fault::HusksStay) && !is_planted(Fault::TargetAlone));
        drop(here);
        assert!(!is_planted(Fault::HusksStay));
    }
}
