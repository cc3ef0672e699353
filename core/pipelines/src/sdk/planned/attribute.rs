//! Attributes (Z81, Z82).

use std::collections::BTreeSet;

use super::Planned;
use super::layout::{Collection, Leaf};
use crate::sdk::flat::{FlatMap, count_first_parts, first_part, joined};
use crate::sdk::schema::ID;
use crate::sdk::text::{MAX_COUNT, UNKNOWN};

impl Planned<'_> {
    /// Z81: the text of a primitive attribute, of an element or a count.
    pub(super) fn primitive(&self, path: &str, leaf: Leaf) -> Option<String> {
        let entry = self.diff.get(path);
        if entry.is_some_and(|entry| entry.computed) {
            return Some(UNKNOWN.to_owned());
        }
        let state = self.state.get(path);
        if path == ID {
            return Some(state.filter(|id| !id.is_empty()).unwrap_or(UNKNOWN).to_owned());
        }
        let Some(entry) = entry else {
            let missing = (leaf.is_required && leaf.is_string).then_some("");
            return state.or(missing).map(str::to_owned);
        };
        if entry.removed || (entry.old.is_empty() && entry.new.is_empty() && !leaf.is_string) {
            return None;
        }
        Some(entry.new.clone())
    }

    /// Z82: a list, map or set attribute.
    pub(super) fn collection(&self, path: &str, collection: Collection, out: &mut FlatMap) {
        for part in ["#", "%", ""] {
            let path = if part.is_empty() { path.to_owned() } else { joined(path, part) };
            let Some(entry) = self.diff.get(&path) else { continue };
            if entry.removed {
                return;
            }
            if entry.computed || (!part.is_empty() && entry.new == "0") {
                return out.set(path, if entry.computed { UNKNOWN } else { "0" });
            }
        }
        let of_state = self.state.below(path).map(|(rest, _)| rest);
        let rests: BTreeSet<&str> = of_state.chain(self.diff.below(path).map(|(rest, _)| rest)).collect();
        if rests.is_empty() {
            return;
        }
        let count = if collection.is_map { "%" } else { "#" };
        let mut own: FlatMap = rests
            .iter()
            .filter_map(|rest| Some((*rest, self.primitive(&joined(path, rest), collection.element)?)))
            .collect();
        if collection.is_list {
            fit_to_count(&mut own, collection.element.is_string);
        }
        let name = path.rsplit_once('.').map_or(path, |(_, name)| name);
        let is_counted = self.diff.get(&joined(name, count)).is_some();
        let differs = rests.len() != own.iter().count() && !is_counted;
        if differs || own.get(count).is_none_or(str::is_empty) {
            let elements = count_first_parts(own.iter().map(|(rest, _)| rest));
            own.set(count, elements.to_string());
        }
        for (rest, text) in own.iter() {
            out.set(joined(path, rest), text);
        }
    }
}

/// Missing strings are empty, positions from the count on are dropped.
fn fit_to_count(own: &mut FlatMap, is_of_strings: bool) {
    let Some(count) = own.get("#").and_then(|count| count.parse::<i64>().ok()) else { return };
    if is_of_strings {
        for index in 0..count.min(MAX_COUNT) {
            let index = index.to_string();
            if own.get(&index).is_none() {
                own.set(index, "");
            }
        }
    }
    let is_beyond = |rest: &str| first_part(rest).parse::<i64>().is_ok_and(|index| index >= count);
    let beyond: Vec<String> = own.iter().filter(|(rest, _)| is_beyond(rest)).map(|(rest, _)| rest.to_owned()).collect();
    for rest in beyond {
        own.remove(&rest);
    }
}
