//! Passes over the values: parts dropped, and made plainer.

use planfuzz_core::json::Json;

use super::Shrinker;
use super::document::{VALUES, member_mut};

/// The members of a case that hold values: of the schema's type, of a type given beside them, and lists of these.
const INPUTS: [&str; 7] = [VALUES[0], VALUES[1], VALUES[2], VALUES[3], VALUES[4], "a", "b"];

/// Where a part of a document is.
type Place = Vec<usize>;

/// Makes values plainer, the outer parts first.
pub(super) fn simplify(shrinker: &mut Shrinker<'_>) {
    for name in INPUTS {
        if shrinker.document.member(name).is_some() {
            Input { name, shrinker }.simplify();
        }
    }
}

struct Input<'a, 's> {
    name: &'static str,
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

    /// An input that equals another needs no reading.
    fn copy_another(&mut self) {
        for other in VALUES {
            let value = self.shrinker.document.member(other).cloned();
            if let Some(value) = value.filter(|_| other != self.name) {
                self.offer(&Place::new(), value);
            }
        }
    }

    /// The place of the part of that number, outer parts before inner ones.
    fn place(&self, number: usize) -> Option<Place> {
        let mut left = number;
        let mut place = Place::new();
        find(self.shrinker.document.member(self.name)?, &mut left, &mut place).then_some(place)
    }

    fn part(&self, place: &[usize]) -> Option<&Json> {
        let root = self.shrinker.document.member(self.name)?;
        place.iter().try_fold(root, |json, index| child(json, *index))
    }

    /// Tries what is plainer than the part; gives whether something was taken, so that the part is looked at again.
    fn simplify_part(&mut self, place: &Place) -> bool {
        let Some(part) = self.part(place).cloned() else { return false };
        if plainer(&part).into_iter().any(|plain| self.offer(place, plain)) {
            return true;
        }
        self.drop_children(place, &part)
    }

    /// Drops elements of an array or entries of a map, in chunks. Members of an object do not go: the case would not read.
    fn drop_children(&mut self, place: &Place, part: &Json) -> bool {
        let total = children(part);
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

    fn offer(&mut self, place: &[usize], plain: Json) -> bool {
        let name = self.name;
        self.shrinker.offer_edit(|document| {
            let mut at = member_mut(document, name);
            for index in place {
                at = at.and_then(|json| child_mut(json, *index));
            }
            if let Some(part) = at {
                *part = plain;
            }
        })
    }
}

/// What is plainer than a part, the plainest first.
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
            all
        }
        Json::Array(items) => {
            let mut all = vec![Json::Null, Json::Array(Vec::new())];
            // One element in the place of several that surround it.
            all.extend(items.iter().filter(|item| matches!(item, Json::Array(_))).cloned());
            all
        }
        Json::Object(_) => vec![Json::Null, unknown(), Json::Object(Vec::new())],
        Json::Bool(false) | Json::Number(_) | Json::String(_) => vec![Json::Null],
    }
}

fn children(json: &Json) -> usize {
    match json {
        Json::Array(items) => items.len(),
        Json::Object(members) => members.len(),
        _ => 0,
    }
}

fn child(json: &Json, index: usize) -> Option<&Json> {
    match json {
        Json::Array(items) => items.get(index),
        Json::Object(members) => members.get(index).map(|(_, value)| value),
        _ => None,
    }
}

fn child_mut(json: &mut Json, index: usize) -> Option<&mut Json> {
    match json {
        Json::Array(items) => items.get_mut(index),
        Json::Object(members) => members.get_mut(index).map(|(_, value)| value),
        _ => None,
    }
}

fn without(json: &Json, range: std::ops::Range<usize>) -> Option<Json> {
    let mut smaller = json.clone();
    match &mut smaller {
        Json::Array(items) => drop(items.drain(range)),
        Json::Object(members) => drop(members.drain(range)),
        _ => return None,
    }
    Some(smaller)
}

/// Walks to the part of that number, outer parts first.
fn find(json: &Json, left: &mut usize, place: &mut Place) -> bool {
    if *left == 0 {
        return true;
    }
    *left -= 1;
    for index in 0..children(json) {
        place.push(index);
        if child(json, index).is_some_and(|child| find(child, left, place)) {
            return true;
        }
        place.pop();
    }
    false
}
