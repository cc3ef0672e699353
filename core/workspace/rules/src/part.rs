//! Checks the part of each instance against the rules of instances (I190, I191).

use planfuzz_core::planner::StepTrace;
use planfuzz_rules::{Answered, Claims, Lifecycle, Rules};
use planfuzz_workspace::Request;
use planfuzz_workspace::order::{Part, PartWalk};

use crate::findings::RuleReport;
use crate::id::Id;
use crate::run::Run;

pub(crate) fn check(run: &Run<'_>, held: &mut RuleReport) {
    for seen in run.calls.iter().flatten() {
        let Request::Plan { prior, config, proposed, .. } = &seen.call.request else { continue };
        let schema = run.workspace.schemas.provider(&seen.call.provider.to_string());
        let type_name = seen.call.type_name.as_ref().map(ToString::to_string).unwrap_or_default();
        let schema = schema.and_then(|provider| provider.types.get(&(seen.call.request.mode(), type_name)));
        let (Some(schema), false) = (schema, config.is_null()) else { continue };
        let rules = Rules::new(schema, run.workspace.dialect);
        let request = planfuzz_core::planner::Request::ProposedNew { prior, config };
        let checked = rules.check(request, Answered::Value(proposed));
        let broken = checked.broken.first();
        held.hold(Id::I190, broken.is_none(), || format!("{:?}: {:?}", seen.about, broken));
    }
    let parts = || run.traces.iter().flat_map(|trace| &trace.parts);
    if parts().next().is_none() {
        return held.leave_out("I191: the parts of instances are not recorded");
    }
    for part in parts() {
        lifecycle(run, part, held);
    }
}

fn lifecycle(run: &Run<'_>, part: &Part, held: &mut RuleReport) {
    let PartWalk::Plan(plan) = &part.walk else { return };
    let schema = run.workspace.schemas.provider(&part.provider.source.to_string());
    let resource = &part.address.resource;
    let schema = schema.and_then(|provider| provider.types.get(&(resource.mode, resource.type_name.clone())));
    let Some(schema) = schema else { return };
    let step = StepTrace { changed_outside: false, plan: (**plan).clone(), apply: None };
    let run = Lifecycle::new(schema, run.workspace.dialect).check(&[step], Claims::default());
    let broken = run.broken.iter().find(|broken| broken.is_of_planner());
    held.hold(Id::I191, broken.is_none(), || format!("{}: {broken:?}", part.address));
}
