//! Passes over scenarios: steps dropped, facts dropped, behaviours made plainer.

use planfuzz_core::json::Json;

use super::Shrinker;
use super::document::{member_mut, remove_member};
use super::model;
use super::place::{Hop, Place, at, at_mut, hops};
use super::scenario::{constants, inside, is_one, steps, values};

/// Makes a scenario plainer; the values and the schema are for others.
pub(super) fn simplify(shrinker: &mut Shrinker<'_>) {
    if !is_one(&shrinker.document) {
        return;
    }
    drop_steps(shrinker);
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

/// Configures from the start what is known only when the plan is applied.
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

/// Drops members and items of everything but the schema and the values, and puts plainer behaviours in the place of others; the
/// outer parts first.
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
    let total = hops(&part).len();
    let mut chunk = total;
    while chunk > 0 {
        for from in (0..total).step_by(chunk) {
            let range = from..total.min(from + chunk);
            let smaller = |document: &mut Json| match at_mut(document, place) {
                Some(Json::Array(items)) => drop(items.drain(range)),
                Some(Json::Object(members)) => drop(members.drain(range)),
                _ => {}
            };
            if shrinker.offer_edit(smaller) {
                return true;
            }
        }
        chunk /= 2;
    }
    let simpler = match place.as_slice() {
        [Hop::Name(first), ..] if **first == *"model" => model::simpler(&part),
        [.., Hop::Name(last)] if **last == *"command" => vec![Json::string("plan"), Json::string("apply")],
        _ => Vec::new(),
    };
    simpler.into_iter().any(|plain| {
        shrinker.offer_edit(|document| {
            if let Some(part) = at_mut(document, place) {
                *part = plain;
            }
        })
    })
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
