//! Checks of states (section 3 of plan-files.md).

use planfuzz_core::address::{InstanceKey, Notation, ResourceMode};
use planfuzz_core::json::Json;
use planfuzz_core::value::{Type, Value};

use crate::artifact::{CheckStatus, Checked, Content, Kind, State};
use crate::lint::case::ObjectCase;
use crate::lint::check::{Check, Needs, Run, STATE_FILES, STATES, Severity};
use crate::lint::indexed_file::IndexedFile;
use crate::lint::outcome::{CheckOutcome, Fault};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "ST01-lineage",
        severity: Severity::Error,
        must: "A state file has a lineage.",
        spec: "plan-files.md section 3",
        needs: Needs::Nothing,
        kinds: &[Kind::StateFile],
        run: Run::Whole(lineage),
    },
    Check {
        id: "ST03-dependencies",
        severity: Severity::Error,
        must: "Each dependency is the address of a resource in the configuration, each is there once, and none is the object itself.",
        spec: "plan-files.md section 3",
        needs: Needs::Nothing,
        kinds: STATES,
        run: Run::Object(dependencies),
    },
    Check {
        id: "ST03-tainted",
        severity: Severity::Error,
        must: "Only objects of managed resources are tainted or deposed.",
        spec: "plan-files.md section 3",
        needs: Needs::Nothing,
        kinds: STATES,
        run: Run::Object(data_status),
    },
    Check {
        id: "ST10-data-private",
        severity: Severity::Warning,
        must: "Objects of data resources have no private data.",
        spec: "plan-files.md section 3",
        needs: Needs::Nothing,
        kinds: STATE_FILES,
        run: Run::Object(data_private),
    },
    Check {
        id: "ST03-value",
        severity: Severity::Error,
        must: "What is stored of an object is no null.",
        spec: "plan-files.md section 3",
        needs: Needs::Nothing,
        kinds: STATES,
        run: Run::Object(value),
    },
    Check {
        id: "ST11-outputs",
        severity: Severity::Error,
        must: "An output of a state has a value that is not null and fits the type beside it.",
        spec: "plan-files.md section 3",
        needs: Needs::Nothing,
        kinds: STATES,
        run: Run::Whole(outputs),
    },
    Check {
        id: "ST06-check-status",
        severity: Severity::Error,
        must: "What comes of checks together goes with what comes of each, and only failed ones have messages.",
        spec: "plan-files.md section 3",
        needs: Needs::Nothing,
        kinds: &Kind::ALL,
        run: Run::Whole(check_status),
    },
];

fn states<'a>(file: &IndexedFile<'a>) -> Vec<&'a State> {
    match &file.artifact.content {
        Content::State(state) => vec![state],
        Content::Plan(plan) => [&plan.prior, &plan.previous].into_iter().flatten().collect(),
    }
}

fn lineage(file: &IndexedFile<'_>) -> CheckOutcome {
    let Content::State(state) = &file.artifact.content else { return CheckOutcome::DoesNotApply };
    CheckOutcome::hold(state.lineage.as_deref().is_some_and(|lineage| !lineage.is_empty()), || {
        "no lineage; expected what distinguishes the state from others".to_owned()
    })
}

fn dependencies(case: &ObjectCase<'_>) -> CheckOutcome {
    let dependencies = &case.object.dependencies;
    if dependencies.is_empty() {
        return CheckOutcome::DoesNotApply;
    }
    let notation = Notation { engine: case.file.artifact.producer.engine };
    let mut seen = std::collections::HashSet::new();
    let own = case.object.id.address.as_ref().map(|address| address.config_resource().to_string());
    let mut faults = Vec::new();
    for dependency in dependencies {
        // Names from before 0.12 have other forms, and stay until the object is written again.
        let is_address = notation.instance(dependency).is_ok_and(|address| {
            address.key == InstanceKey::None && address.module.0.iter().all(|step| step.key == InstanceKey::None)
        });
        if !is_address && !case.object.is_flat {
            faults.push(Fault::new("a dependency that is no address of a resource in the configuration; expected one"));
        }
        if !seen.insert(dependency) {
            faults.push(Fault::new(format!("the dependency {dependency} is there twice; expected it once")));
        }
        if own.as_ref() == Some(dependency) {
            faults.push(Fault::new("a dependency on itself; expected others only"));
        }
    }
    CheckOutcome::none(faults)
}

fn data_status(case: &ObjectCase<'_>) -> CheckOutcome {
    if case.object.id.mode() != Some(ResourceMode::Data) {
        return CheckOutcome::DoesNotApply;
    }
    let is_one = !case.object.tainted && case.object.id.deposed.is_none();
    CheckOutcome::hold(is_one, || {
        "a tainted or deposed object of a data resource; expected a current one that is ready".into()
    })
}

fn data_private(case: &ObjectCase<'_>) -> CheckOutcome {
    let Some(private) = &case.object.private else { return CheckOutcome::DoesNotApply };
    if case.object.id.mode() != Some(ResourceMode::Data) {
        return CheckOutcome::DoesNotApply;
    }
    CheckOutcome::hold(private.is_none(), || "private data of a data resource; expected none".to_owned())
}

fn value(case: &ObjectCase<'_>) -> CheckOutcome {
    CheckOutcome::hold(!case.object.value.is_null(), || "a null; expected the attributes of an object".to_owned())
}

fn outputs(file: &IndexedFile<'_>) -> CheckOutcome {
    let states = states(file);
    if states.iter().all(|state| state.outputs.is_empty()) {
        return CheckOutcome::DoesNotApply;
    }
    let mut faults = Vec::new();
    for output in states.iter().flat_map(|state| &state.outputs) {
        let address = format!("output.{}", output.name);
        match (&output.value, &output.ty) {
            (None | Some(Json::Null), _) => {
                faults.push(Fault::of(address, "an output of a state without a value; expected it not to be there"));
            }
            (Some(value), Some(ty)) => match Type::from_json(ty) {
                Err(_) => faults.push(Fault::of(address, "a type that cannot be read; expected a type")),
                Ok(ty) if !ty.has_dynamic() && Value::from_stored_json(value, &ty).is_err() => {
                    faults.push(Fault::of(
                        address,
                        "a value that does not fit the type beside it; expected one that does",
                    ));
                }
                Ok(_) => {}
            },
            // `show -json` before 1.0 has no types.
            (Some(_), None) if matches!(file.artifact.kind, Kind::StateFile | Kind::PlanFile) => {
                faults.push(Fault::of(address, "a value without a type; expected a type beside it"));
            }
            (Some(_), None) => {}
        }
    }
    CheckOutcome::none(faults)
}

fn check_status(file: &IndexedFile<'_>) -> CheckOutcome {
    let own = file.plan().map_or(&[][..], |plan| &plan.checks);
    let states = states(file);
    let all: Vec<&Checked> = own.iter().chain(states.iter().flat_map(|state| &state.checks)).collect();
    if all.is_empty() {
        return CheckOutcome::DoesNotApply;
    }
    CheckOutcome::none(all.into_iter().flat_map(checked).collect())
}

fn checked(checked: &Checked) -> Vec<Fault> {
    let mut faults = Vec::new();
    let of = |status: CheckStatus| checked.objects.iter().filter(move |(_, its, _)| *its == status).count();
    let is_together = match checked.status {
        CheckStatus::Pass => of(CheckStatus::Pass) == checked.objects.len(),
        CheckStatus::Fail => of(CheckStatus::Fail) > 0,
        CheckStatus::Error => of(CheckStatus::Error) > 0 || checked.objects.is_empty(),
        CheckStatus::Unknown => true,
    };
    if !is_together {
        let message = format!(
            "{} together, and none or not all of its checks are; expected what they come to",
            checked.status.name()
        );
        faults.push(Fault::of(&checked.address, message));
    }
    for (address, status, messages) in &checked.objects {
        if *messages > 0 && *status != CheckStatus::Fail {
            let message = format!("{} with messages of failures; expected them of failed checks only", status.name());
            faults.push(Fault::of(address, message));
        }
    }
    faults
}
