//! Checks of addresses, and that each object occurs once (PL71, PL73, PL80, I51, ST09).

use std::collections::{BTreeMap, HashSet};

use planfuzz_core::address::{InstanceKey, ProviderConfig, ProviderSource};
use planfuzz_core::plans::Action;
use planfuzz_core::state::DeposedKey;

use crate::artifact::{Content, Kind, ObjectId, Release};
use crate::lint::case::{ChangeCase, ObjectCase, since};
use crate::lint::check::{Check, Needs, PLANS, Run, STATES, Severity};
use crate::lint::indexed_file::IndexedFile;
use crate::lint::outcome::{CheckOutcome, Fault};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "JS20-readable",
        severity: Severity::Error,
        must: "Every part of the file is what the format defines.",
        spec: "plan-files.md sections 2 to 4",
        needs: Needs::Nothing,
        kinds: &Kind::ALL,
        run: Run::Whole(readable),
    },
    Check {
        id: "PL71-change-address",
        severity: Severity::Error,
        must: "The address of a change is that of an instance, as engines write it.",
        spec: "plans.md section 10",
        needs: Needs::Nothing,
        kinds: PLANS,
        run: Run::Change(of_change),
    },
    Check {
        id: "PL71-object-address",
        severity: Severity::Error,
        must: "The address of a stored object is that of an instance, as engines write it.",
        spec: "plans.md section 10",
        needs: Needs::Nothing,
        kinds: STATES,
        run: Run::Object(of_object),
    },
    Check {
        id: "PL73-change-provider",
        severity: Severity::Error,
        must: "The provider of a change has a host, a namespace and a name.",
        spec: "plans.md section 10",
        needs: Needs::Nothing,
        kinds: PLANS,
        run: Run::Change(provider_of_change),
    },
    Check {
        id: "PL73-object-provider",
        severity: Severity::Error,
        must: "The provider of a stored object has a host, a namespace and a name.",
        spec: "plans.md section 10",
        needs: Needs::Nothing,
        kinds: STATES,
        run: Run::Object(provider_of_object),
    },
    Check {
        id: "PL80-deposed-key",
        severity: Severity::Error,
        must: "A deposed key is eight lower-case hexadecimal digits.",
        spec: "plans.md section 10",
        needs: Needs::Nothing,
        kinds: PLANS,
        run: Run::Change(deposed_key),
    },
    Check {
        id: "I51-one-change",
        severity: Severity::Error,
        must: "There is one change of an object at most, in each list.",
        spec: "lifecycle.md section 21",
        needs: Needs::Nothing,
        kinds: PLANS,
        run: Run::Whole(one_change),
    },
    Check {
        id: "ST09-one-object",
        severity: Severity::Error,
        must: "An object is there once in a state.",
        spec: "plan-files.md section 3",
        needs: Needs::Nothing,
        kinds: STATES,
        run: Run::Whole(one_object),
    },
    Check {
        id: "L183-instance-keys",
        severity: Severity::Error,
        must: "The instances of a resource that will be there are distinguished in one way: none, indexes, or strings.",
        spec: "lifecycle.md section 17",
        needs: Needs::Nothing,
        kinds: PLANS,
        run: Run::Whole(keys),
    },
];

fn readable(file: &IndexedFile<'_>) -> CheckOutcome {
    let flaws = file.artifact.flaws.iter();
    CheckOutcome::none(flaws.map(|flaw| Fault::at(flaw.place.clone(), flaw.message.clone())).collect())
}

fn address(id: &ObjectId) -> CheckOutcome {
    let text = id.otherwise.as_deref().unwrap_or(&id.written);
    // Keys that are not known yet (deferred changes), and keys whose text is ambiguous (PL82).
    if ["[*]", "$${", "%%{"].iter().any(|odd| text.contains(odd)) {
        return CheckOutcome::DoesNotApply;
    }
    match (&id.address, &id.otherwise) {
        (None, _) => {
            CheckOutcome::hold(false, || "an address that cannot be read; expected that of an instance".to_owned())
        }
        (Some(_), Some(_)) => {
            CheckOutcome::hold(false, || "an address that engines write otherwise; expected this one".to_owned())
        }
        (Some(_), None) => CheckOutcome::Held,
    }
}

fn of_change(case: &ChangeCase<'_>) -> CheckOutcome {
    address(&case.change.id)
}

fn of_object(case: &ObjectCase<'_>) -> CheckOutcome {
    match address(&case.object.id) {
        // `show -json` of 0.12 writes addresses of states without keys.
        CheckOutcome::Broken(faults) => {
            case.since(Release::new(0, 13), Release::new(1, 0), || CheckOutcome::Broken(faults))
        }
        outcome => outcome,
    }
}

fn provider(file: &IndexedFile<'_>, id: &ObjectId) -> CheckOutcome {
    let Some(provider) = &id.provider else { return CheckOutcome::DoesNotApply };
    // Before 0.13 providers had a name only.
    since(&file.artifact.producer, Release::new(0, 13), Release::new(1, 0), || {
        let is_one = match file.artifact.kind {
            Kind::PlanJson | Kind::StateJson => ProviderSource::parse(provider).is_some(),
            Kind::PlanFile | Kind::StateFile => ProviderConfig::parse(provider).is_ok(),
        };
        CheckOutcome::hold(is_one, || {
            "a provider that cannot be read; expected one with host, namespace and name".to_owned()
        })
    })
}

fn provider_of_change(case: &ChangeCase<'_>) -> CheckOutcome {
    provider(case.file, &case.change.id)
}

fn provider_of_object(case: &ObjectCase<'_>) -> CheckOutcome {
    provider(case.file, &case.object.id)
}

fn deposed_key(case: &ChangeCase<'_>) -> CheckOutcome {
    let Some(key) = &case.change.id.deposed else { return CheckOutcome::DoesNotApply };
    CheckOutcome::hold(DeposedKey::new(key).is_some(), || {
        "a deposed key of another form; expected eight lower-case hexadecimal digits".to_owned()
    })
}

fn repeated<'a>(ids: impl Iterator<Item = &'a ObjectId>, what: &str) -> Vec<Fault> {
    let mut seen = HashSet::new();
    let again = ids.filter(|id| !seen.insert((id.written.as_str(), id.deposed.as_deref())));
    again.map(|id| Fault::of(id, format!("{what} that is there twice; expected it once"))).collect()
}

fn one_change(file: &IndexedFile<'_>) -> CheckOutcome {
    let Some(plan) = file.plan() else { return CheckOutcome::DoesNotApply };
    let lists = [(&plan.changes, "a change"), (&plan.drift, "a change outside"), (&plan.deferred, "a deferred change")];
    CheckOutcome::none(
        lists.iter().flat_map(|(list, what)| repeated(list.iter().map(|change| &change.id), what)).collect(),
    )
}

fn one_object(file: &IndexedFile<'_>) -> CheckOutcome {
    let states = match &file.artifact.content {
        Content::State(state) => vec![&**state],
        Content::Plan(plan) => [&plan.prior, &plan.previous, &plan.planned].into_iter().flatten().collect(),
    };
    CheckOutcome::none(
        states.iter().flat_map(|state| repeated(state.objects.iter().map(|it| &it.id), "an object")).collect(),
    )
}

fn keys(file: &IndexedFile<'_>) -> CheckOutcome {
    let Some(plan) = file.plan() else { return CheckOutcome::DoesNotApply };
    let mut first: BTreeMap<String, &InstanceKey> = BTreeMap::new();
    let mut faults = Vec::new();
    for change in plan.changes.iter().filter(|change| change.id.deposed.is_none()) {
        let Some(address) = &change.id.address else { continue };
        if matches!(change.action, Action::Delete | Action::Forget) {
            continue;
        }
        let resource = address.abs_resource().to_string();
        let known = first.entry(resource).or_insert(&address.key);
        if std::mem::discriminant(*known) != std::mem::discriminant(&address.key) {
            let message = format!("an instance distinguished otherwise than {}; expected one way", kind(known));
            faults.push(Fault::of(&change.id, message));
        }
    }
    CheckOutcome::none(faults)
}

fn kind(key: &InstanceKey) -> &'static str {
    match key {
        InstanceKey::None => "by nothing",
        InstanceKey::Int(_) => "by indexes",
        InstanceKey::Text(_) => "by strings",
    }
}
