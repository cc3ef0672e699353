//! The state that a command writes without a plan: `refresh` and `import` (I184 to I187).

use std::collections::{BTreeMap, BTreeSet};

use planfuzz_core::address::{AbsResourceInstance, Notation};
use planfuzz_core::json::Json;
use planfuzz_workspace::{Command, Import, Outcome, Request};

use crate::findings::RuleReport;
use crate::id::Id;
use crate::run::{About, Run, StateView, StoredObject};
use crate::states::was_deposed;
use crate::visits::answered_json;

pub(crate) fn check(run: &Run<'_>, held: &mut RuleReport) {
    if run.command.plans() {
        return;
    }
    if run.has_errors(0) {
        let is_kept = run.written.as_ref().is_none_or(|written| contents(written) == contents(&run.before));
        return held.hold(Id::I184, is_kept, || "the command has errors, and writes another state".into());
    }
    held.hold(Id::I184, run.written.is_some(), || "the command has no error, and writes no state".into());
    let Some(written) = &run.written else { return };
    whole(run, written, held);
    as_read(run, written, held);
    match run.command {
        Command::Import(asked) => imported(run, asked, written, held),
        _ => refreshed(run, written, held),
    }
}

/// Everything that a state holds of objects and outputs, without order.
fn contents(state: &StateView) -> (BTreeSet<String>, &BTreeMap<String, Json>) {
    (state.objects.iter().map(|kept| format!("{kept:?}")).collect(), &state.outputs)
}

/// I185: each object is there once, with a sorted list; deposed ones were deposed before.
fn whole(run: &Run<'_>, written: &StateView, held: &mut RuleReport) {
    let mut places = BTreeSet::new();
    for kept in &written.objects {
        let is_once = places.insert((&kept.address, &kept.deposed));
        held.hold(Id::I185, is_once, || format!("{} is stored twice", kept.address));
        let is_sorted = kept.dependencies.windows(2).all(|pair| pair[0] < pair[1]);
        held.hold(Id::I185, is_sorted, || format!("{} lists {:?}", kept.address, kept.dependencies));
        let is_old = kept.deposed.is_none() || was_deposed(run, written, kept);
        held.hold(Id::I185, is_old, || format!("{} is deposed for no reason", kept.address));
    }
}

/// I186: what was read is stored as the provider answered, and what was gone is not stored.
fn as_read(run: &Run<'_>, written: &StateView, held: &mut RuleReport) {
    let current = written.objects.iter().filter(|kept| kept.deposed.is_none());
    let current: BTreeMap<&AbsResourceInstance, &StoredObject> = current.map(|kept| (&kept.address, kept)).collect();
    for seen in run.calls[0].iter().filter(|seen| !seen.has_failed()) {
        let (Request::Read { .. }, About::Object(address, None)) = (&seen.call.request, &seen.about) else { continue };
        let Some(Outcome::Object { value, .. }) = &seen.answer.outcome else { continue };
        let kept = current.get(address);
        if value.is_null() {
            held.hold(Id::I186, kept.is_none(), || format!("{address} is stored, and was gone"));
            continue;
        }
        let Some(answered) = answered_json(run, seen, value) else {
            held.leave_out("I186: a value that has no form in a state");
            continue;
        };
        let stored = kept.and_then(|kept| kept.json.member("attributes"));
        let is_right = stored.is_some_and(|stored| is_normalized(&answered, stored));
        held.hold(Id::I186, is_right, || format!("{address} is stored otherwise than it was read"));
    }
}

/// Whether a stored value is what was answered, both with their members in order: blocks that an answer leaves null are stored as empty ones.
fn is_normalized(answered: &Json, stored: &Json) -> bool {
    match (answered, stored) {
        (Json::Null, Json::Array(stored)) => stored.is_empty(),
        // A block that is always there.
        (Json::Null, Json::Object(stored)) => stored.iter().all(|(_, value)| is_normalized(&Json::Null, value)),
        (Json::Array(answered), Json::Array(stored)) => {
            answered.len() == stored.len() && answered.iter().zip(stored).all(|(one, other)| is_normalized(one, other))
        }
        (Json::Object(answered), Json::Object(stored)) => {
            let mut pairs = answered.iter().zip(stored);
            answered.len() == stored.len()
                && pairs.all(|(one, other)| one.0 == other.0 && is_normalized(&one.1, &other.1))
        }
        (answered, stored) => answered == stored,
    }
}

/// I187 of a refresh: managed objects were stored before, or are imported; outputs are configured, or were stored.
fn refreshed(run: &Run<'_>, written: &StateView, held: &mut RuleReport) {
    let imported: BTreeSet<&AbsResourceInstance> = run.calls[0]
        .iter()
        .filter(|seen| matches!(seen.call.request, Request::Import { .. }))
        .filter_map(|seen| seen.object())
        .collect();
    let managed = |state: &StateView| -> usize {
        state.objects.iter().filter(|kept| kept.is_managed && !imported.contains(&kept.address)).count()
    };
    held.hold(Id::I187, managed(written) <= managed(&run.before), || "a refresh adds managed objects".into());
    for name in written.outputs.keys() {
        let is_known = run.configuration.outputs.contains(name) || run.before.outputs.contains_key(name);
        held.hold(Id::I187, is_known, || format!("output {name} is stored and was neither configured nor stored"));
    }
}

/// I187 of an import: the object that is asked for is there, without a list; the other managed ones are there as before, with their lists.
fn imported(run: &Run<'_>, asked: &Import, written: &StateView, held: &mut RuleReport) {
    let notation = Notation { engine: run.workspace.dialect.engine() };
    let Ok(address) = notation.instance(&asked.to) else {
        return held.hold(Id::I187, false, || format!("{} is no address, and the import has no error", asked.to));
    };
    // G15: an import that brings nothing is no error, and stores nothing.
    let brings = run.calls[0]
        .iter()
        .any(|seen| matches!(&seen.answer.outcome, Some(Outcome::Imported(objects)) if !objects.is_empty()));
    let is_new = || written.current(&address).is_some_and(|kept| kept.dependencies.is_empty());
    held.hold(Id::I187, !brings || is_new(), || format!("{address} is not stored as what is imported"));
    // What is upgraded is written in its new form, with its flag as it is configured.
    let others = |state: &StateView| -> BTreeSet<String> {
        let others = state.objects.iter().filter(|kept| kept.is_managed && !(brings && kept.address == address));
        others.map(|kept| format!("{} {:?} {:?}", kept.address, kept.deposed, kept.dependencies)).collect()
    };
    let is_same = others(written) == others(&run.before);
    held.hold(Id::I187, is_same, || format!("the import of {address} changes other objects"));
}
