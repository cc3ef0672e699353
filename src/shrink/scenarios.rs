//! Passes over scenarios: steps are dropped and joined, facts dropped, behaviours made plainer.

use planfuzz_core::json::Json;

use super::Shrinker;
use super::document::{description_mut, is_sdk, member_mut, members, remove_member, written};
use super::model;
use super::place::{Hop, Place, at, at_mut, hops};
use super::scenario::{constants, inside, is_one, steps, values};
use super::values::without;

/// Makes a scenario plainer, except for its values and its schema, which have passes of their own.
pub(super) fn simplify(shrinker: &mut Shrinker<'_>) {
    if !is_one(&shrinker.document) {
        return;
    }
    drop_steps(shrinker);
    join_steps(shrinker);
    start_later(shrinker);
    resolve(shrinker);
    drop_parts(shrinker);
}

/// Drops steps: the later ones, the earlier ones, single ones.
fn drop_steps(shrinker: &mut Shrinker<'_>) {
    let count = |document: &Json| steps(document).len();
    for kept in 1..count(&shrinker.document) {
        let taken = shrinker.offer_edit(|document| {
            if let Some(Json::Array(steps)) = member_mut(document, "steps") {
                steps.truncate(kept);
            }
        });
        if taken || shrinker.is_spent() {
            break;
        }
    }
    shrinker.remove_chunks(count, |document, range| {
        let mut smaller = document.clone();
        match member_mut(&mut smaller, "steps") {
            Some(Json::Array(steps)) if range.len() < steps.len() => drop(steps.drain(range)),
            _ => return None,
        }
        Some(smaller)
    });
}

/// Drops steps but keeps the outside events before them, which then happen before the next step.
fn join_steps(shrinker: &mut Shrinker<'_>) {
    let mut number = 0;
    while number + 1 < steps(&shrinker.document).len() && !shrinker.is_spent() {
        if !shrinker.offer_edit(|document| join(document, number)) {
            number += 1;
        }
    }
}

/// Joins a step to the next one.
fn join(document: &mut Json, number: usize) {
    let Some(Json::Array(steps)) = member_mut(document, "steps") else { return };
    if let Some(Json::Array(mut outside)) = steps.remove(number).member("outside").cloned()
        && let Some(Json::Object(next)) = steps.get_mut(number)
    {
        match next.iter_mut().find(|(name, _)| **name == *"outside") {
            Some((_, Json::Array(later))) => {
                outside.append(later);
                *later = outside;
            }
            _ => next.push(("outside".into(), Json::Array(outside))),
        }
    }
}

/// Moves the object that the first step makes into the state at the start, as far as the configuration determines it.
fn start_later(shrinker: &mut Shrinker<'_>) {
    while steps(&shrinker.document).len() > 1 && !shrinker.is_spent() {
        let is_taken = [true, false].into_iter().any(|filled| shrinker.offer_edit(|document| start(document, filled)));
        if !is_taken {
            return;
        }
    }
}

/// Starts with the second step. If `filled`, computed attributes get a value in the state.
fn start(document: &mut Json, filled: bool) {
    let Some(first) = steps(document).into_iter().next() else { return };
    let configured = |presence| at(document, &inside(&inside(&first, presence), "config"));
    let Some(mut object) = configured("at_apply").or(configured("presence")).cloned() else { return };
    for member in members(document).into_iter().filter(|member| member.steps.len() == 1) {
        let Some(description) = description_mut(document, &member) else { continue };
        let is = |flag| description.member(flag) == Some(&Json::Bool(true));
        let Some(value) = member.steps.first().and_then(|step| member_mut(&mut object, &written(&step.name))) else {
            continue;
        };
        if is("write_only") {
            *value = Json::Null;
        } else if filled && is("computed") && matches!(value, Json::Null) {
            *value = some_value(description.member("type"));
        }
    }
    if filled
        && is_sdk(document)
        && let Some(id) = member_mut(&mut object, "id")
    {
        *id = some_value(Some(&Json::string("string")));
    }
    let current = Json::object([("value", object)]);
    match member_mut(document, "state") {
        Some(Json::Object(state)) => {
            state.retain(|(name, _)| **name != *"current");
            state.push(("current".into(), current));
        }
        _ => {
            if let Json::Object(members) = document {
                members.push(("state".into(), Json::object([("current", current)])));
            }
        }
    }
    // Without a list of remote objects, these are the stored ones.
    remove_member(document, "remote");
    if let Some(Json::Array(steps)) = member_mut(document, "steps") {
        steps.remove(0);
    }
}

/// A simple value of a type; null if the type is not primitive.
fn some_value(ty: Option<&Json>) -> Json {
    match ty {
        Some(Json::String(ty)) => match &**ty {
            "string" => Json::string("a"),
            "number" | "int" | "float" => Json::int(1_u64),
            "bool" => Json::Bool(true),
            _ => Json::Null,
        },
        _ => Json::Null,
    }
}

/// Replaces the configuration at plan by the known one at apply.
fn resolve(shrinker: &mut Shrinker<'_>) {
    for step in steps(&shrinker.document) {
        shrinker.offer_edit(|document| {
            let late = at(document, &inside(&step, "at_apply")).cloned();
            if let (Some(late), Some(step)) = (late, at_mut(document, &step)) {
                remove_member(step, "at_apply");
                if let Some(presence) = member_mut(step, "presence") {
                    *presence = late;
                }
            }
        });
    }
}

/// Drops members and items of everything except the schema and the values, and replaces behaviours by plainer ones; outer
/// parts first.
fn drop_parts(shrinker: &mut Shrinker<'_>) {
    let mut number = 0;
    while let Some(place) = parts(&shrinker.document).into_iter().nth(number) {
        if shrinker.is_spent() {
            return;
        }
        if !plainer_part(shrinker, &place) {
            number += 1;
        }
    }
}

fn plainer_part(shrinker: &mut Shrinker<'_>, place: &Place) -> bool {
    let Some(part) = at(&shrinker.document, place).cloned() else { return false };
    if offer_plainer(shrinker, std::slice::from_ref(place), &part) {
        return true;
    }
    // Equal parts of several steps may have to stay equal.
    let alike = alike(&shrinker.document, place, &part);
    alike.len() > 1 && offer_plainer(shrinker, &alike, &part)
}

/// Offers plainer parts in place of the part that is at all of these places.
fn offer_plainer(shrinker: &mut Shrinker<'_>, places: &[Place], part: &Json) -> bool {
    let Some(first) = places.first() else { return false };
    plainer(first, part).any(|plain| {
        shrinker.offer_edit(|document| {
            for place in places {
                if let Some(part) = at_mut(document, place) {
                    *part = plain.clone();
                }
            }
        })
    })
}

/// The places in all steps that correspond to a place in one step and hold the same part.
fn alike(document: &Json, place: &Place, part: &Json) -> Vec<Place> {
    let [Hop::Name(root), Hop::Index(_), rest @ ..] = place.as_slice() else { return Vec::new() };
    if **root != *"steps" || rest.is_empty() {
        return Vec::new();
    }
    let places = steps(document).into_iter().map(|step| [step.as_slice(), rest].concat());
    places.filter(|place| at(document, place) == Some(part)).collect()
}

/// Parts that are plainer than a part, those that keep least first.
fn plainer<'p>(place: &[Hop], part: &'p Json) -> impl Iterator<Item = Json> + use<'p> {
    let total = hops(part).len();
    let chunks = std::iter::successors(Some(total), |chunk| Some(chunk / 2)).take_while(|chunk| *chunk > 0);
    let ranges = chunks.flat_map(move |chunk| (0..total).step_by(chunk).map(move |from| from..total.min(from + chunk)));
    let simpler = match place {
        [Hop::Name(first), ..] if **first == *"model" => model::simpler(part),
        [.., Hop::Name(last)] if **last == *"command" => vec![Json::string("plan"), Json::string("apply")],
        _ => Vec::new(),
    };
    ranges.filter_map(move |range| without(part, range)).chain(simpler)
}

/// The places of all parts but the schema and the values, outer ones before inner ones.
fn parts(document: &Json) -> Vec<Place> {
    let mut stops = values(document);
    stops.extend(constants(document));
    let mut places = Vec::new();
    for root in ["kind", "model", "state", "remote", "steps"] {
        let place = vec![Hop::Name(root.into())];
        if at(document, &place).is_some() {
            collect(document, place, &stops, &mut places);
        }
    }
    places
}

fn collect(document: &Json, place: Place, stops: &[Place], places: &mut Vec<Place>) {
    let inner = at(document, &place).map(hops).unwrap_or_default();
    places.push(place.clone());
    for hop in inner {
        let inner = [place.clone(), vec![hop]].concat();
        if !stops.contains(&inner) {
            collect(document, inner, stops, places);
        }
    }
}
