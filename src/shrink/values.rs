//! Passes over the values: parts are dropped or made plainer.

use planfuzz_core::json::Json;

use super::Shrinker;
use super::document::{inputs, is_typed, member_mut, remove_member, values};
use super::place::{self, Hop, Place};
use super::type_edit::{self, Placeholders, TypeEdit};

/// Makes values plainer, the outer parts first.
pub(super) fn simplify(shrinker: &mut Shrinker<'_>) {
    for root in inputs(&shrinker.document) {
        if place::at(&shrinker.document, &root).is_some() {
            Input { root, shrinker }.simplify();
        }
    }
}

struct Input<'a, 's> {
    root: Place,
    shrinker: &'a mut Shrinker<'s>,
}

impl Input<'_, '_> {
    fn simplify(&mut self) {
        self.copy_another();
        let mut number = 0;
        while let Some(place) = self.place(number) {
            if self.shrinker.is_spent() {
                return;
            }
            if !self.simplify_part(&place) {
                number += 1;
            }
        }
    }

    /// Offers the other inputs in place of this one, because an input that equals another is easier to read.
    fn copy_another(&mut self) {
        for other in values(&self.shrinker.document) {
            let value = place::at(&self.shrinker.document, &other).cloned();
            if let Some(value) = value.filter(|_| other != self.root) {
                self.offer(&[], value);
            }
        }
    }

    /// The place of the part with a number, outer parts before inner ones.
    fn place(&self, number: usize) -> Option<Place> {
        let mut left = number;
        let mut place = Place::new();
        find(place::at(&self.shrinker.document, &self.root)?, &mut left, &mut place).then_some(place)
    }

    fn part(&self, place: &[Hop]) -> Option<&Json> {
        place::at(place::at(&self.shrinker.document, &self.root)?, place)
    }

    /// Tries plainer parts. Returns whether one was accepted, in which case the part is tried again.
    fn simplify_part(&mut self, place: &Place) -> bool {
        let Some(part) = self.part(place).cloned() else { return false };
        let plainer = plainer(&part);
        plainer.iter().any(|plain| self.offer(place, plain.clone()))
            || self.drop_children(place, &part)
            || self.drop_everywhere(place, &part)
            || plainer.iter().any(|plain| self.offer_everywhere(place, plain))
    }

    /// Drops elements of an array or entries of a map, in chunks. Members of an object cannot be dropped, because the case would not read.
    fn drop_children(&mut self, place: &Place, part: &Json) -> bool {
        let total = place::hops(part).len();
        let mut chunk = total;
        while chunk > 0 {
            for from in (0..total).step_by(chunk) {
                let smaller = without(part, from..total.min(from + chunk));
                if smaller.is_some_and(|smaller| self.offer(place, smaller)) {
                    return true;
                }
            }
            chunk /= 2;
        }
        false
    }

    /// Drops one element or entry from all inputs that have it, because a difference between inputs may be what the case shows.
    fn drop_everywhere(&mut self, place: &Place, part: &Json) -> bool {
        place::hops(part).iter().any(|step| {
            self.shrinker.offer_edit(|document| {
                for_each_input(document, place, |holder| match (step, holder) {
                    (Hop::Index(index), Json::Array(items)) if *index < items.len() => drop(items.remove(*index)),
                    (Hop::Name(name), object) => drop(remove_member(object, name)),
                    _ => {}
                });
            })
        })
    }

    /// Replaces a part by a plainer one in all inputs that have it.
    fn offer_everywhere(&mut self, place: &Place, plain: &Json) -> bool {
        self.shrinker.offer_edit(|document| for_each_input(document, place, |part| *part = plain.clone()))
    }

    fn offer(&mut self, place: &[Hop], plain: Json) -> bool {
        let whole: Place = self.root.iter().chain(place).cloned().collect();
        self.shrinker.offer_edit(|document| {
            if let Some(part) = place::at_mut(document, &whole) {
                *part = plain;
            }
        })
    }
}

/// Calls `edit` with the part at a place of every input that has one there.
fn for_each_input(document: &mut Json, place: &[Hop], mut edit: impl FnMut(&mut Json)) {
    for root in inputs(document) {
        let root = place::at_mut(document, &root);
        if let Some(part) = root.and_then(|root| place::at_mut(root, place)) {
            edit(part);
        }
    }
}

/// Values that are plainer than a part, the plainest first.
fn plainer(part: &Json) -> Vec<Json> {
    let unknown = || Json::object([("$unknown", Json::Bool(true))]);
    match part {
        Json::Null => Vec::new(),
        Json::Bool(true) => vec![Json::Null, Json::Bool(false)],
        Json::Object(members) if matches!(members.as_slice(), [(name, Json::Object(_))] if **name == *"$unknown") => {
            vec![Json::Null, unknown()]
        }
        Json::Object(members) if members.iter().any(|(name, _)| **name == *"value") => {
            let untyped = members.iter().find(|(name, _)| **name == *"value").map(|(_, value)| value.clone());
            let mut all = vec![Json::Null, unknown()];
            all.extend(untyped);
            all.extend(plainer_types(part));
            all
        }
        Json::Array(items) => {
            let mut all = vec![Json::Null, Json::Array(Vec::new())];
            // One inner array in place of the array that contains it.
            all.extend(items.iter().filter(|item| matches!(item, Json::Array(_))).cloned());
            all
        }
        Json::Object(_) => vec![Json::Null, unknown(), Json::Object(Vec::new())],
        Json::Bool(false) | Json::Number(_) | Json::String(_) => vec![Json::Null],
    }
}

/// Plainer types for a value that is written with its type.
fn plainer_types(typed: &Json) -> Vec<Json> {
    let Some(ty) = typed.member("type").filter(|_| is_typed(typed)) else { return Vec::new() };
    let edited = |edit: &TypeEdit| {
        let mut plain = typed.clone();
        if let Some(ty) = member_mut(&mut plain, "type") {
            edit.edit_type(ty);
        }
        if let Some(value) = member_mut(&mut plain, "value") {
            edit.edit_value(value, &mut Placeholders::default());
        }
        plain
    };
    type_edit::edits(ty).iter().map(edited).collect()
}

/// An array or object without the parts in a range.
pub(super) fn without(json: &Json, range: std::ops::Range<usize>) -> Option<Json> {
    let mut smaller = json.clone();
    match &mut smaller {
        Json::Array(items) => drop(items.drain(range)),
        Json::Object(members) => drop(members.drain(range)),
        _ => return None,
    }
    Some(smaller)
}

/// Finds the part with a number, outer parts first.
fn find(json: &Json, left: &mut usize, place: &mut Place) -> bool {
    if *left == 0 {
        return true;
    }
    *left -= 1;
    for step in place::hops(json) {
        let inner = place::child(json, &step);
        place.push(step);
        if inner.is_some_and(|inner| find(inner, left, place)) {
            return true;
        }
        place.pop();
    }
    false
}
