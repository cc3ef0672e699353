//! The target of a fault: the places in an answer that its schema path names, or the first place that it applies to.

use std::collections::VecDeque;

use crate::path::SchemaPath;
use crate::places::{Place, Places, Three, each, object_of};
use planfuzz_core::value::Value;

/// The most places to try for a fault without a path.
const MAX_CANDIDATES: usize = 512;

/// The places that a fault may act at, as positions in the objects on the way, in the order in which they are tried.
#[derive(Debug)]
pub(super) struct Target {
    candidates: Vec<Vec<usize>>,
    /// Whether the fault names its place.
    named: bool,
}

/// The change of a fault at a place: `None` if the fault does not apply there.
pub(super) type Change<'c> = &'c mut dyn FnMut(&Place, Three<'_>) -> Option<Value>;

impl Target {
    /// The place that `at` names; without a path all places, the outermost first and by name (`at` of section 5).
    pub(super) fn new(at: Option<&SchemaPath>, places: &Places) -> Target {
        let candidates = match at {
            Some(path) => find(path, places).into_iter().collect(),
            None => all(places),
        };
        Target { candidates, named: at.is_some() }
    }

    /// Whether the fault names its place.
    pub(super) fn is_named(&self) -> bool {
        self.named
    }

    /// The answer with the change made at all elements of the first place where it applies at all.
    pub(super) fn change(&self, places: &Places, three: Three<'_>, change: Change<'_>) -> Option<Value> {
        self.candidates.iter().find_map(|candidate| changed(places, candidate, three, change))
    }

    /// The first candidate whose outermost attribute or block satisfies `holds`.
    pub(super) fn outermost<'p>(&self, places: &'p Places, holds: &mut dyn FnMut(&Place) -> bool) -> Option<&'p Place> {
        self.candidates.iter().filter_map(|candidate| places.get(*candidate.first()?)).find(|place| holds(place))
    }
}

fn find(path: &SchemaPath, places: &Places) -> Option<Vec<usize>> {
    let mut places = Some(places);
    let mut found = Vec::new();
    for name in path.names() {
        let here = places?;
        let index = here.binary_search_by(|place| place.name.cmp(name)).ok()?;
        places = here[index].inside().map(|(_, inside)| inside);
        found.push(index);
    }
    Some(found)
}

fn all(places: &Places) -> Vec<Vec<usize>> {
    let mut candidates = Vec::new();
    let mut queue = VecDeque::from([(Vec::new(), places)]);
    while let Some((above, places)) = queue.pop_front() {
        for (index, place) in places.iter().enumerate() {
            if candidates.len() == MAX_CANDIDATES {
                return candidates;
            }
            let candidate = [above.as_slice(), &[index]].concat();
            if let Some((_, inside)) = place.inside() {
                queue.push_back((candidate.clone(), inside));
            }
            candidates.push(candidate);
        }
    }
    candidates
}

fn changed(places: &Places, candidate: &[usize], three: Three<'_>, change: Change<'_>) -> Option<Value> {
    let (index, rest) = candidate.split_first()?;
    let place = places.get(*index)?;
    if !three.plan.is_present() {
        return None;
    }
    let position = three.plan.object_type()?.index_of(&place.name)?;
    let member = three.member(&place.name, three.plan.member(&place.name)?);
    let new = if rest.is_empty() { change(place, member)? } else { changed_inside(place, rest, member, change)? };
    let mut new = Some(new);
    let members = three.plan.entries().enumerate();
    let members = members.map(|(index, (_, old))| match new.take_if(|_| index == position) {
        Some(new) => new,
        None => old.to_value(),
    });
    Some(object_of(three.plan, members.collect()))
}

fn changed_inside(place: &Place, rest: &[usize], member: Three<'_>, change: Change<'_>) -> Option<Value> {
    let (nesting, inside) = place.inside()?;
    let mut applied = false;
    let new = each(nesting, member.plan, &mut |element, object| {
        let three = element.map_or(member, |element| member.element(element, object));
        let new = changed(inside, rest, Three { plan: object, ..three }, change);
        applied |= new.is_some();
        new.unwrap_or_else(|| object.to_value())
    });
    applied.then_some(new)
}
