//! Faults planted in the planner's calls of the provider, and in the answers.

use planfuzz_core::planner::{
    ApplyAnswer, ApplyChange, ApplyRequest, Capabilities, Configured, IgnoreChanges, ImportAnswer, ImportState,
    PlanAnswer, PlanChange, PlanRequest, Provider, ReadAnswer, ReadData, ReadDataAnswer, ReadResource, Remark,
    UpgradeAnswer, UpgradeState, ValidateAnswer, ValidateConfig,
};
use planfuzz_core::plans::ResourceInstanceChange;
use planfuzz_core::state::{InstanceState, Private, Status};
use planfuzz_core::value::{Path, Tri, Value, ValueError, WrittenPath, equals};

use super::super::catalogue::Fault;
use super::Walks;
use super::opentofu;
use super::paths::at;
use super::provider::wrongly_planned;

/// The subject of the walk: its state, its configuration, its changes.
pub(super) struct Scene<'r> {
    state: &'r InstanceState,
    configured: Option<&'r Configured>,
    /// The changes of the plan, in an apply walk.
    changes: Option<&'r [ResourceInstanceChange]>,
}

/// The calls and answers, as the planner sees them.
#[derive(Default)]
pub(super) struct Calls {
    pub(super) reads: Vec<(ReadResource, ReadAnswer)>,
    pub(super) plans: Vec<(PlanChange, PlanAnswer)>,
    pub(super) applies: Vec<(ApplyChange, ApplyAnswer)>,
    /// A second plan that the planner did not ask for, and the paths that led to it.
    pub(super) forced: Option<(PlanAnswer, Vec<WrittenPath>)>,
}

/// A provider between the planner and its real one.
pub(super) struct Between<'b> {
    walks: &'b Walks<'b>,
    fault: Fault,
    scene: Scene<'b>,
    provider: &'b mut dyn Provider,
    calls: Calls,
    has_imported: bool,
}

impl<'r> Scene<'r> {
    pub(super) fn of_plan(request: &'r PlanRequest) -> Scene<'r> {
        Scene { state: &request.state, configured: request.presence.configured(), changes: None }
    }

    pub(super) fn of_apply(request: &'r ApplyRequest) -> Scene<'r> {
        let configured = request.presence.configured();
        Scene { state: &request.state, configured, changes: Some(&request.changes) }
    }

    fn is_tainted(&self) -> bool {
        self.state.current.as_ref().is_some_and(|object| object.status == Status::Tainted)
    }

    /// The planned change of the current object, in an apply walk.
    fn change(&self) -> Option<&'r ResourceInstanceChange> {
        self.changes?.iter().find(|change| change.deposed.is_none())
    }
}

/// Whether the provider reported an error.
pub(super) fn has_errors(remarks: &[Remark]) -> bool {
    remarks.iter().any(|remark| remark.is_error())
}

impl Calls {
    /// The second plan of a replacement: the one with a null prior after one with a prior.
    pub(super) fn second_plan(&self) -> Option<&(PlanChange, PlanAnswer)> {
        let of_config: Vec<_> = self.plans.iter().filter(|(request, _)| !request.config.is_null()).collect();
        match of_config.as_slice() {
            [.., (first, _), second] if !first.prior.is_null() && second.0.prior.is_null() => Some(second),
            _ => None,
        }
    }
}

impl<'b> Between<'b> {
    pub(super) fn new(
        walks: &'b Walks<'b>,
        fault: Fault,
        scene: Scene<'b>,
        provider: &'b mut dyn Provider,
    ) -> Between<'b> {
        Between { walks, fault, scene, provider, calls: Calls::default(), has_imported: false }
    }

    pub(super) fn into_calls(self) -> Calls {
        self.calls
    }

    fn is_apply(&self) -> bool {
        self.scene.changes.is_some()
    }

    /// The first plan call of a replacement, if this is the second one.
    fn first_of(&self, request: &PlanChange) -> Option<&(PlanChange, PlanAnswer)> {
        let first = self.calls.plans.iter().rfind(|(request, _)| !request.config.is_null())?;
        let is_second = request.prior.is_null() && !request.config.is_null() && !first.0.prior.is_null();
        is_second.then_some(first)
    }

    fn ignores_all(&self) -> bool {
        let ignore = self.scene.configured.map(|configured| &configured.lifecycle.ignore_changes);
        matches!(ignore, Some(IgnoreChanges::All))
    }

    fn ignores(&self) -> bool {
        let ignore = self.scene.configured.map(|configured| &configured.lifecycle.ignore_changes);
        ignore.is_some_and(|ignore| *ignore != IgnoreChanges::default())
    }

    /// Answers a plan call in the provider's place.
    fn instead_of_plan(&self, request: &PlanChange) -> Option<PlanAnswer> {
        match self.fault {
            Fault::FirstPlanRecorded if !self.is_apply() => self.first_of(request).map(|(_, answer)| answer.clone()),
            Fault::DeposedNotPlannedAgain if self.is_apply() && request.config.is_null() => {
                let changes = self.scene.changes?.iter();
                let about = |of: &&ResourceInstanceChange| of.change.before.value() == &request.prior;
                let private = changes.clone().find(about).map(|of| of.private.clone())?;
                Some(destruction(request, private))
            }
            _ => None,
        }
    }

    fn before_plan(&self, request: &mut PlanChange) {
        let reference = self.walks.reference;
        let config = self.scene.configured.map(|configured| configured.config.value());
        match self.fault {
            Fault::IgnoreAllUnsetsComputed if self.ignores_all() && !request.prior.is_null() => {
                if let Ok(unset) = self.without_computed(&request.config)
                    && let Ok(proposed) = reference.proposed_new(&request.prior, &unset)
                {
                    (request.config, request.proposed) = (unset, proposed);
                }
            }
            Fault::TaintKeepsPrivate if !self.is_apply() && self.scene.is_tainted() && !request.config.is_null() => {
                let stored = self.scene.state.current.as_ref().map(|object| object.private.clone());
                let read = self.calls.reads.first().map(|(_, answer)| answer.private.clone());
                request.private = read.or(stored).unwrap_or_default();
            }
            Fault::SecondCallOwnPrivate => {
                if let Some((first, _)) = self.first_of(request) {
                    request.private = first.private.clone();
                }
            }
            Fault::SecondCallIgnores => {
                if let Some((first, _)) = self.first_of(request)
                    && let Ok(proposed) = reference.proposed_new(&request.prior, &first.config)
                {
                    (request.config, request.proposed) = (first.config.clone(), proposed);
                }
            }
            Fault::SecondCallMergesPrior => {
                if let Some((first, _)) = self.first_of(request)
                    && let (Some(config), prior) = (config, &first.prior)
                    && let Ok(proposed) = reference.proposed_new(prior, config)
                {
                    request.proposed = proposed;
                }
            }
            Fault::UpdatePlannedWithPlanPrivate if !request.prior.is_null() && !request.config.is_null() => {
                if let Some(change) = self.scene.change() {
                    request.private = change.private.clone();
                }
            }
            _ => {}
        }
    }

    /// A configuration in which all computed attributes are null.
    fn without_computed(&self, config: &Value) -> Result<Value, ValueError> {
        let block = &self.walks.schema.block;
        config.view().transform(&mut |path: &Path, part: Value| match block.attribute_at(path) {
            Some(attribute) if attribute.computed => Ok(Value::null(part.ty().clone())),
            _ => Ok::<Value, ValueError>(part),
        })
    }

    fn after_plan(&mut self, request: &PlanChange, answer: &mut PlanAnswer) {
        if request.config.is_null() || has_errors(&answer.remarks) {
            return;
        }
        let is_valid = |answer: &PlanAnswer| {
            let found = self.walks.reference.assert_plan_valid(&request.prior, &request.config, &answer.planned);
            found.is_ok_and(|found| found.is_empty())
        };
        if let Some(Ok(planned)) = wrongly_planned(self.fault, self.walks.schema, request, answer) {
            answer.planned = planned;
        }
        let planned_before = self.scene.change().map(|change| change.change.after.value());
        match self.fault {
            Fault::LegacyPlanRefused => answer.legacy_type_system = false,
            Fault::InvalidPlanTolerated if !self.ignores() => answer.legacy_type_system = true,
            Fault::LegacyNotReverted if answer.legacy_type_system && self.ignores() && is_valid(answer) => {
                answer.legacy_type_system = false;
            }
            Fault::FinalPlanNotCompared | Fault::LegacyFinalPlanTolerated => {
                let tolerates = self.fault == Fault::FinalPlanNotCompared || answer.legacy_type_system;
                if let (true, Some(before)) = (tolerates, planned_before) {
                    answer.planned = before.clone();
                }
            }
            Fault::TaintPlannedTwice if !self.is_apply() && self.scene.is_tainted() => {
                *answer = self.provider.plan(PlanChange { private: answer.private.clone(), ..request.clone() });
            }
            Fault::EveryPathReplaces if !request.prior.is_null() && !self.is_apply() => {
                self.force_replacement(request, answer);
            }
            Fault::UnknownPathNotKept
            | Fault::OneSidedPathDropped
            | Fault::MissingPathIgnored
            | Fault::WriteOnlyPathMustChange
                if !request.prior.is_null() =>
            {
                answer.requires_replace.retain(|path| self.keeps(path, &request.prior, &answer.planned));
            }
            _ => {}
        }
    }

    /// Whether a path stays among those that require replacement.
    fn keeps(&self, path: &WrittenPath, prior: &Value, planned: &Value) -> bool {
        let sides = (at(prior, path), at(planned, path));
        match (self.fault, sides) {
            (Fault::UnknownPathNotKept, (Some(_), Some(planned))) => !planned.is_unknown(),
            (Fault::OneSidedPathDropped, sides) => sides.0.is_some() == sides.1.is_some(),
            (Fault::MissingPathIgnored, (None, None)) => false,
            (Fault::WriteOnlyPathMustChange, (Some(prior), Some(planned))) => {
                let attribute = path.to_path().and_then(|path| self.walks.schema.block.attribute_at(&path));
                let is_write_only = attribute.is_some_and(|attribute| attribute.write_only);
                !(is_write_only && prior.is_null() && planned.is_null())
            }
            _ => true,
        }
    }

    /// Makes the second plan call if paths are listed but none of them changes.
    fn force_replacement(&mut self, request: &PlanChange, answer: &mut PlanAnswer) {
        let stays = |path: &WrittenPath| match (at(&request.prior, path), at(&answer.planned, path)) {
            (Some(prior), Some(planned)) => equals(prior, planned) == Tri::True,
            _ => false,
        };
        let paths = &answer.requires_replace;
        if paths.is_empty() || !paths.iter().all(stays) {
            return;
        }
        let Some(config) = self.scene.configured.map(|configured| configured.config.value()) else { return };
        let prior = Value::null(request.prior.ty().clone());
        let reference = self.walks.reference;
        let Ok(config) = reference.prepare_computed_blocks(config) else { return };
        let Ok(proposed) = reference.proposed_new(&prior, &config) else { return };
        let second = self.provider.plan(PlanChange { prior, config, proposed, private: answer.private.clone() });
        self.calls.forced = Some((second, std::mem::take(&mut answer.requires_replace)));
    }

    fn before_apply(&self, request: &mut ApplyChange) {
        let plan_of = |destroys: bool| self.calls.plans.iter().rfind(|(plan, _)| plan.config.is_null() == destroys);
        let destroys = request.config.is_null();
        match (self.fault, destroys) {
            (Fault::DeposedStoredPrivate, true) => {
                if let Some((plan, _)) = plan_of(true) {
                    request.private = plan.private.clone();
                }
            }
            (Fault::DestroyLegStoredPrivate, true) if plan_of(true).is_none() => {
                if let Some(current) = &self.scene.state.current {
                    request.private = current.private.clone();
                }
            }
            (Fault::AppliedWithPlanPrivate, false) => {
                if let Some(change) = self.scene.change() {
                    request.private = change.private.clone();
                }
            }
            (Fault::ApplyGetsIgnored, false) => {
                if let Some((plan, _)) = plan_of(false) {
                    request.config = plan.config.clone();
                }
            }
            _ => {}
        }
    }
}

/// The plan of a destruction without asking the provider.
fn destruction(request: &PlanChange, private: Private) -> PlanAnswer {
    PlanAnswer {
        planned: Value::null(request.prior.ty().clone()),
        requires_replace: Vec::new(),
        private,
        legacy_type_system: false,
        deferred: false,
        remarks: Vec::new(),
    }
}

impl Provider for Between<'_> {
    fn capabilities(&self) -> Capabilities {
        self.provider.capabilities()
    }

    fn validate(&mut self, request: ValidateConfig) -> ValidateAnswer {
        self.provider.validate(request)
    }

    fn upgrade(&mut self, request: UpgradeState) -> UpgradeAnswer {
        let mut answer = self.provider.upgrade(request);
        if self.fault == Fault::WarnedDeposedDestroyed && self.scene.changes.is_some() {
            answer.remarks.retain(|remark| remark.is_error());
        }
        answer
    }

    fn read(&mut self, request: ReadResource) -> ReadAnswer {
        if self.fault == Fault::ImportNotRead && self.has_imported {
            let ReadResource { current: new_state, private } = request;
            return ReadAnswer { new_state, private, deferred: false, remarks: Vec::new() };
        }
        let mut answer = self.provider.read(request.clone());
        answer.new_state = opentofu::read(self.fault, answer.new_state);
        match self.fault {
            Fault::RefreshThrownAway => answer.new_state = request.current.clone(),
            Fault::ReadKeepsPrivate => answer.private = request.private.clone(),
            Fault::VanishedKept if answer.new_state.is_null() => answer.new_state = request.current.clone(),
            _ => {}
        }
        self.calls.reads.push((request, answer.clone()));
        answer
    }

    fn plan(&mut self, mut request: PlanChange) -> PlanAnswer {
        if let Some(answer) = self.instead_of_plan(&request) {
            return answer;
        }
        self.before_plan(&mut request);
        let mut answer = self.provider.plan(request.clone());
        self.after_plan(&request, &mut answer);
        self.calls.plans.push((request, answer.clone()));
        answer
    }

    fn apply(&mut self, mut request: ApplyChange) -> ApplyAnswer {
        self.before_apply(&mut request);
        let mut answer = self.provider.apply(request.clone());
        match self.fault {
            Fault::LegacyResultRefused => answer.legacy_type_system = false,
            Fault::InconsistentResultTolerated => answer.legacy_type_system = true,
            _ => {}
        }
        self.calls.applies.push((request, answer.clone()));
        answer
    }

    fn import(&mut self, request: ImportState) -> ImportAnswer {
        self.has_imported = true;
        let mut answer = self.provider.import(request);
        if self.fault == Fault::ImportTakesFirst {
            answer.imported.truncate(1);
        }
        answer
    }

    fn read_data(&mut self, request: ReadData) -> ReadDataAnswer {
        self.provider.read_data(request)
    }
}
