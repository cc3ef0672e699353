//! Results as JSON Lines, for programs.

use std::collections::BTreeMap;

use planfuzz_core::json::{Field as _, Json, pairs};
use planfuzz_core::record;

use crate::model::Modelled;
use crate::outcome::{BrokenPromise, CampaignReport, TypeReport, order};
use crate::promise;

/// A broken promise.
struct FindingLine {
    finding: String,
    of_type: String,
    place: String,
    message: String,
    /// Whether it is broken each time.
    stable: bool,
    file: String,
}

record!(FindingLine, "a finding": finding, of_type as "type", place, message, stable, file);

/// The line of a finding.
pub fn finding_line(finding: &BrokenPromise) -> Json {
    let breach = &finding.case.breach;
    let line = FindingLine {
        finding: breach.promise.to_owned(),
        of_type: finding.case.type_name().to_owned(),
        place: breach.place.clone(),
        message: breach.message.clone(),
        stable: finding.is_stable,
        file: finding.file.clone(),
    };
    line.write()
}

/// How often a promise was tried.
struct Tries {
    tried: u64,
    broken: u64,
    tolerated: u64,
}

record!(Tries, "how often a promise was tried": tried, broken, tolerated);

/// A resource type.
struct TypeLine {
    of_type: String,
    configs: u64,
    accepted: u64,
    /// Of the first configurations, how many were accepted, and how many there were.
    accepted_of_first: Vec<u64>,
    runs: u64,
    refused_plans: u64,
    plan_refusals: BTreeMap<String, u64>,
    left_out: u64,
    /// Whether its objects have identities.
    identity: bool,
    promises: Vec<(String, Tries)>,
}

record!(TypeLine, "a resource type":
    of_type as "type",
    configs,
    accepted,
    accepted_of_first,
    runs,
    refused_plans,
    plan_refusals,
    left_out,
    identity,
    promises by pairs,
);

/// The line of a resource type.
pub fn type_line(name: &str, of: &TypeReport) -> Json {
    let tries = |id: &str| Tries {
        tried: of.tried.get(id).copied().unwrap_or_default(),
        broken: of.broken.get(id).copied().unwrap_or_default(),
        tolerated: of.tolerated.iter().filter(|((it, _), _)| *it == id).map(|(_, (count, _))| count).sum(),
    };
    let line = TypeLine {
        of_type: name.to_owned(),
        configs: of.configs,
        accepted: of.accepted,
        accepted_of_first: vec![of.first.1, of.first.0],
        runs: of.runs,
        refused_plans: of.refused_plans,
        plan_refusals: of.plan_refusals.clone(),
        left_out: of.left_out,
        identity: of.has_identity,
        promises: order(&of.tried).into_iter().map(|id| (id.to_owned(), tries(id))).collect(),
    };
    line.write()
}

/// A type whose objects have no form that a model can have.
struct NoFormLine {
    model: String,
    no_form: String,
}

record!(NoFormLine, "a type without a model": model, no_form);

/// A type that was not asked.
struct UnaskedLine {
    model: String,
    unasked: bool,
}

record!(UnaskedLine, "a type that was not asked": model, unasked);

/// A model beside the plans of its type ([`crate::model::hold::ModelFit`]).
struct ModelLine {
    model: String,
    holds: bool,
    /// Plans that it was inferred from, and how many of them differ.
    fitted: u64,
    fitted_apart: u64,
    /// Other plans, the updates among them, and how many differ.
    held: u64,
    held_updates: u64,
    held_apart: u64,
    /// How many of the others were needed for the inference.
    shown: u64,
    /// Plans that differ for a reason outside the model, and the reasons.
    left_out: u64,
    reasons: Vec<String>,
    /// What was inferred, by the attribute and the kind of rule.
    inferred: Vec<(String, String)>,
    /// Some plans that differ.
    apart: Vec<String>,
}

record!(ModelLine, "the model of a type":
    model,
    holds,
    fitted,
    fitted_apart,
    held,
    held_updates,
    held_apart,
    shown,
    left_out,
    reasons,
    inferred by pairs,
    apart,
);

/// The line of the model of a type.
pub fn model_line(name: &str, of: &Modelled) -> Json {
    let model = name.to_owned();
    let fit = match of {
        Modelled::NoForm(why) => return NoFormLine { model, no_form: why.to_string() }.write(),
        Modelled::Unasked => return UnaskedLine { model, unasked: true }.write(),
        Modelled::Compared(fit) => fit,
    };
    let inferred = fit.inferred.iter().map(|it| (format!("{} {}", it.field, it.what.0), it.what.1.to_string()));
    let line = ModelLine {
        model,
        holds: fit.holds(),
        fitted: fit.fitted.0 as u64,
        fitted_apart: fit.fitted.1 as u64,
        held: fit.held.0 as u64,
        held_updates: fit.updates as u64,
        held_apart: fit.held.1 as u64,
        shown: fit.shown as u64,
        left_out: fit.left_out.0 as u64,
        reasons: fit.left_out.1.iter().map(ToString::to_string).collect(),
        inferred: inferred.collect(),
        apart: fit.apart.iter().map(ToString::to_string).collect(),
    };
    line.write()
}

/// The whole campaign.
struct CampaignLine {
    calls: u64,
    seconds: f64,
    /// How often the provider was started.
    starts: u64,
    /// How many types were asked, and how many there are.
    types: u64,
    types_of: u64,
    configs: u64,
    accepted: u64,
    runs: u64,
    /// Objects that were made, destroyed at the end, and left.
    created: u64,
    cleaned: u64,
    left: u64,
    /// How often each promise was tried.
    promises: Vec<(String, u64)>,
    untried: Vec<String>,
    findings: u64,
    not_asked: BTreeMap<String, u64>,
    lost: Vec<String>,
}

record!(CampaignLine, "a campaign":
    calls,
    seconds,
    starts,
    types,
    types_of,
    configs,
    accepted,
    runs,
    created,
    cleaned,
    left,
    promises by pairs,
    untried,
    findings,
    not_asked,
    lost,
);

/// The line of the whole campaign.
pub fn whole_line(outcome: &CampaignReport, types: usize) -> Json {
    let mut tried: BTreeMap<&'static str, u64> = BTreeMap::new();
    for of in outcome.types.values() {
        for (promise, count) in &of.tried {
            *tried.entry(promise).or_default() += count;
        }
    }
    let sum = |count: fn(&TypeReport) -> u64| outcome.types.values().map(count).sum();
    let untried = promise::PROMISES.iter().map(|it| it.id).filter(|id| !tried.contains_key(id));
    let not_asked = outcome.uncovered.iter().map(|(what, count)| ((*what).to_owned(), *count as u64));
    let line = CampaignLine {
        calls: outcome.counts.calls,
        seconds: (outcome.took.as_secs_f64() * 10.0).round() / 10.0,
        starts: outcome.counts.starts,
        types: outcome.types.len() as u64,
        types_of: types as u64,
        configs: sum(|of| of.configs),
        accepted: sum(|of| of.accepted),
        runs: outcome.counts.runs,
        created: outcome.created(),
        cleaned: outcome.cleaned,
        left: outcome.left.len() as u64,
        promises: order(&tried).into_iter().map(|id| (id.to_owned(), tried[id])).collect(),
        untried: untried.map(str::to_owned).collect(),
        findings: outcome.findings.len() as u64,
        not_asked: not_asked.collect(),
        lost: outcome.lost.clone(),
    };
    line.write()
}
