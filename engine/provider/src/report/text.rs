//! Reports for people.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use planfuzz_core::json::Json;

use crate::case::Case;
use crate::model::Modelled;
use crate::outcome::{BrokenPromise, CampaignReport, TypeReport, order};
use crate::promise::statement;
use crate::script::{Act, Script};

/// A finding in a few lines.
pub fn finding_text(finding: &BrokenPromise) -> String {
    let case = &finding.case;
    let breach = &case.breach;
    let mut text = format!("{} breaks {}", case.type_name(), breach.promise);
    if !breach.place.is_empty() {
        write!(text, " at {}", breach.place).ok();
    }
    write!(text, "\n  promised: {}\n  {}", statement(breach.promise), breach.message).ok();
    let ty = case.script.schema.implied_type(case.dialect);
    for (number, config) in case.script.configs.iter().enumerate() {
        if case.script.acts.iter().any(|act| act.config() == Some(number)) {
            write!(text, "\n  configuration {number}: {}", without_nulls(&config.to_json(&ty)).to_compact()).ok();
        }
    }
    write!(text, "\n  run: {}", acts(&case.script)).ok();
    if !finding.is_stable {
        text += "\n  seen once: the same run did not break it again";
    }
    write!(text, "\n  {}", finding.file).ok();
    text
}

/// A case, call by call: the question, the answer, and the diagnostics.
pub fn case_text(case: &Case) -> String {
    let breach = &case.breach;
    let mut text = format!("{}\n  promised: {}", case.purpose(), statement(breach.promise));
    let ty = case.script.schema.implied_type(case.dialect);
    for (number, config) in case.script.configs.iter().enumerate() {
        write!(text, "\n  configuration {number}: {}", without_nulls(&config.to_json(&ty)).to_compact()).ok();
    }
    write!(text, "\n  run: {}", acts(&case.script)).ok();
    let document = case.to_json();
    for exchange in document.member("exchanges").iter().flat_map(|it| members(it)) {
        write!(text, "\n  {}", exchange.member("call").map_or("", |it| it.expect_string().unwrap_or_default())).ok();
        let Json::Object(parts) = exchange else { continue };
        let is_shown = |name: &str| name != "call";
        for (name, part) in parts.iter().filter(|(name, part)| is_shown(name) && !is_nothing(part)) {
            write!(text, "\n    {name}: {}", without_nulls(part).to_compact()).ok();
        }
    }
    text
}

fn members(json: &Json) -> &[Json] {
    match json {
        Json::Array(items) => items,
        _ => &[],
    }
}

fn is_nothing(json: &Json) -> bool {
    matches!(json, Json::Null | Json::Bool(false)) || *json == Json::string("") || *json == Json::Array(Vec::new())
}

/// The acts in order.
fn acts(script: &Script) -> String {
    let name =
        |act: &Act| act.config().map_or_else(|| act.name().to_owned(), |config| format!("{} {config}", act.name()));
    script.acts.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// A value without its null members.
fn without_nulls(json: &Json) -> Json {
    match json {
        Json::Object(members) => {
            let is_set = |value: &Json| *value != Json::Null && *value != Json::Array(Vec::new());
            let kept = members.iter().filter(|(_, value)| is_set(value));
            Json::Object(kept.map(|(name, value)| (name.clone(), without_nulls(value))).collect())
        }
        Json::Array(items) => Json::Array(items.iter().map(without_nulls).collect()),
        other => other.clone(),
    }
}

/// The text of a resource type: how often each promise was tried and broken.
fn of_type(name: &str, of: &TypeReport, verbose: bool) -> String {
    let mut text = format!(
        "{name}: {} of {} configurations accepted ({} of the first {}), {} runs",
        of.accepted, of.configs, of.first.1, of.first.0, of.runs
    );
    if of.has_identity {
        text += ", with identities";
    }
    if of.refused_plans > 0 {
        write!(text, ", {} first plans refused", of.refused_plans).ok();
    }
    if of.left_out > 0 {
        write!(text, ", {} left out: no wire form, or not to be asked without a configuration", of.left_out).ok();
    }
    for (refusal, count) in often(&of.refusals, verbose || of.accepted == 0) {
        write!(text, "\n  refused {count} times: {refusal}").ok();
    }
    // If every plan is refused, nothing else was tried.
    for (refusal, count) in often(&of.plan_refusals, verbose || of.refused_plans == of.runs) {
        write!(text, "\n  plan refused {count} times: {refusal}").ok();
    }
    for id in order(&of.tried) {
        let broken = of.broken.get(id).copied().unwrap_or_default();
        let tolerated: u64 = of.tolerated.iter().filter(|((it, _), _)| *it == id).map(|(_, (count, _))| count).sum();
        if !verbose && broken == 0 && tolerated == 0 {
            continue;
        }
        write!(text, "\n  {id:16} tried {:>7}", of.tried[id]).ok();
        if broken > 0 {
            write!(text, "  broken {broken}").ok();
        }
        if tolerated > 0 {
            write!(text, "  broken and let pass {tolerated}").ok();
        }
        for ((_, place), (count, message)) in of.tolerated.iter().filter(|((it, _), _)| verbose && *it == id) {
            write!(text, "\n      let pass {count}: {place} {message}").ok();
        }
    }
    text
}

/// The most frequent reasons, if they are to be shown.
fn often(reasons: &BTreeMap<String, u64>, is_shown: bool) -> Vec<(&String, u64)> {
    const MOST: usize = 5;
    let mut all: Vec<(&String, u64)> = reasons.iter().map(|(text, count)| (text, *count)).collect();
    all.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    all.truncate(if is_shown { MOST } else { 0 });
    all
}

/// The text of the model of a type.
pub fn model_text(name: &str, of: &Modelled) -> String {
    let fit = match of {
        Modelled::NoForm(why) => return format!("model: {name} is no resource of the SDK: {why}"),
        Modelled::Unasked => return format!("model: {name} was not compared: nothing was planned"),
        Modelled::Compared(fit) => fit,
    };
    let (apart, updates) = (fit.held.1 + fit.fitted.1, fit.updates);
    let verdict = match (fit.holds(), fit.left_out.0) {
        (true, 0) => "holds".to_owned(),
        (true, plans) => format!("holds but for {plans} plans that have code of their own"),
        (false, _) => format!("differs in {apart} plans"),
    };
    let mut text = format!(
        "model: {name} {verdict}: {} plans compared ({updates} of them updates), {} to infer from, {} things inferred",
        fit.held.0,
        fit.fitted.0,
        fit.inferred.len()
    );
    for it in &fit.inferred {
        write!(text, "\n  inferred {}: {}", it.field, it.what.1).ok();
    }
    if fit.shown > 0 {
        write!(text, "\n  {} of the plans kept apart showed something first, and were inferred from", fit.shown).ok();
    }
    for reason in &fit.left_out.1 {
        write!(text, "\n  left out, for {reason}").ok();
    }
    for it in &fit.apart {
        write!(text, "\n  differs {it}").ok();
    }
    text
}

/// The texts of all types, and the total.
pub fn page(outcome: &CampaignReport, types: usize, verbose: bool) -> String {
    let mut text = String::new();
    for (name, of) in &outcome.types {
        writeln!(text, "{}", of_type(name, of, verbose)).ok();
    }
    let (counts, seconds) = (outcome.counts, outcome.took.as_secs_f64().max(0.001));
    let tried: u64 = outcome.types.values().flat_map(|of| of.tried.values()).sum();
    let (accepted, configs) =
        outcome.types.values().fold((0, 0), |(accepted, configs), of| (accepted + of.accepted, configs + of.configs));
    writeln!(
        text,
        "{} of {types} resource types, {accepted} of {configs} configurations accepted, {} runs, {} calls in {seconds:.1} s ({:.0} a second), {} starts",
        outcome.types.len(),
        counts.runs,
        counts.calls,
        counts.calls as f64 / seconds,
        counts.starts,
    )
    .ok();
    if outcome.cleaned > 0 {
        writeln!(text, "{} objects destroyed that an earlier run had left", outcome.cleaned).ok();
    }
    if outcome.created() > 0 || !outcome.left.is_empty() {
        writeln!(text, "{} objects created, {} left", outcome.created(), outcome.left.len()).ok();
        for (name, object) in &outcome.left {
            writeln!(text, "  left: {name} {object}").ok();
        }
    }
    if !outcome.uncovered.is_empty() {
        let all: Vec<String> = outcome.uncovered.iter().map(|(what, count)| format!("{count} {what}")).collect();
        writeln!(text, "never asked: {}", all.join(", ")).ok();
    }
    for problem in &outcome.lost {
        writeln!(text, "a process was given up: {problem}").ok();
    }
    write!(text, "{tried} promises tried, {} findings", outcome.findings.len()).ok();
    text
}
