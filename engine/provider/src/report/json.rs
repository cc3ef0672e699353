//! Results as JSON Lines, for programs.

use std::collections::BTreeMap;

use planfuzz_core::json::Json;

use crate::model::Modelled;
use crate::outcome::{BrokenPromise, CampaignReport, TypeReport, order};
use crate::promise;

/// The line of a finding.
pub fn finding_line(finding: &BrokenPromise) -> Json {
    let breach = &finding.case.breach;
    Json::object([
        ("finding", Json::string(breach.promise)),
        ("type", Json::string(finding.case.type_name())),
        ("place", Json::string(&breach.place)),
        ("message", Json::string(&breach.message)),
        ("stable", Json::Bool(finding.is_stable)),
        ("file", Json::string(&finding.file)),
    ])
}

/// The line of a resource type.
pub fn type_line(name: &str, of: &TypeReport) -> Json {
    let promises = order(&of.tried).into_iter().map(|id| {
        let tolerated: u64 = of.tolerated.iter().filter(|((it, _), _)| *it == id).map(|(_, (count, _))| count).sum();
        let counts = Json::object([
            ("tried", Json::int(of.tried.get(id).copied().unwrap_or_default())),
            ("broken", Json::int(of.broken.get(id).copied().unwrap_or_default())),
            ("tolerated", Json::int(tolerated)),
        ]);
        (id.into(), counts)
    });
    Json::object([
        ("type", Json::string(name)),
        ("configs", Json::int(of.configs)),
        ("accepted", Json::int(of.accepted)),
        ("accepted_of_first", Json::Array(vec![Json::int(of.first.1), Json::int(of.first.0)])),
        ("runs", Json::int(of.runs)),
        ("refused_plans", Json::int(of.refused_plans)),
        ("plan_refusals", counted(&of.plan_refusals)),
        ("left_out", Json::int(of.left_out)),
        ("identity", Json::Bool(of.has_identity)),
        ("promises", Json::Object(promises.collect())),
    ])
}

fn counted(reasons: &BTreeMap<String, u64>) -> Json {
    Json::Object(reasons.iter().map(|(text, count)| (text.as_str().into(), Json::int(*count))).collect())
}

/// The line of the model of a type.
pub fn model_line(name: &str, of: &Modelled) -> Json {
    let mut members = vec![("model", Json::string(name))];
    match of {
        Modelled::NoForm(why) => members.push(("no_form", Json::string(why))),
        Modelled::Unasked => members.push(("unasked", Json::Bool(true))),
        Modelled::Held(held) => {
            let inferred = held.inferred.iter().map(|it| (&*format!("{} {}", it.field, it.what.0)).into());
            let inferred = inferred.zip(held.inferred.iter().map(|it| Json::string(&it.what.1)));
            let reasons = held.left_out.1.iter().map(|it| Json::string(&it.to_string()));
            members.extend([
                ("holds", Json::Bool(held.holds())),
                ("fitted", Json::int(held.fitted.0 as u64)),
                ("fitted_apart", Json::int(held.fitted.1 as u64)),
                ("held", Json::int(held.held.0 as u64)),
                ("held_updates", Json::int(held.updates as u64)),
                ("held_apart", Json::int(held.held.1 as u64)),
                ("shown", Json::int(held.shown as u64)),
                ("left_out", Json::int(held.left_out.0 as u64)),
                ("reasons", Json::Array(reasons.collect())),
                ("inferred", Json::Object(inferred.collect())),
                ("apart", Json::Array(held.apart.iter().map(|it| Json::string(it)).collect())),
            ]);
        }
    }
    Json::object(members)
}

/// The line of the whole campaign.
pub fn whole_line(outcome: &CampaignReport, types: usize) -> Json {
    let mut tried: BTreeMap<&'static str, u64> = BTreeMap::new();
    for of in outcome.types.values() {
        for (promise, count) in &of.tried {
            *tried.entry(promise).or_default() += count;
        }
    }
    let sum = |count: fn(&TypeReport) -> u64| Json::int(outcome.types.values().map(count).sum::<u64>());
    let promises = order(&tried).into_iter().map(|id| (id.into(), Json::int(tried[id]))).collect();
    let untried = promise::PROMISES.iter().filter(|it| !tried.contains_key(it.id)).map(|it| Json::string(it.id));
    let not_asked = outcome.uncovered.iter().map(|(what, count)| ((*what).into(), Json::int(*count as u64)));
    Json::object([
        ("calls", Json::int(outcome.counts.calls)),
        ("seconds", Json::Number(format!("{:.1}", outcome.took.as_secs_f64()).into())),
        ("starts", Json::int(outcome.counts.starts)),
        ("types", Json::int(outcome.types.len() as u64)),
        ("types_of", Json::int(types as u64)),
        ("configs", sum(|of| of.configs)),
        ("accepted", sum(|of| of.accepted)),
        ("runs", Json::int(outcome.counts.runs)),
        ("created", Json::int(outcome.created())),
        ("cleaned", Json::int(outcome.cleaned)),
        ("left", Json::int(outcome.left.len() as u64)),
        ("promises", Json::Object(promises)),
        ("untried", Json::Array(untried.collect())),
        ("findings", Json::int(outcome.findings.len() as u64)),
        ("not_asked", Json::Object(not_asked.collect())),
        ("lost", Json::Array(outcome.lost.iter().map(|it| Json::string(it)).collect())),
    ])
}
