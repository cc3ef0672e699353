//! The order of statements of moves (G23).
//!
//! The order is computed from maps of the names in the statements, instead of comparing all pairs. With a cycle there is no order.

use hashbrown::HashMap;
use planfuzz_core::address::{InstanceKey, Resource};
use planfuzz_workspace::order::in_order;

use crate::graph::cycles;
use crate::model::Model;
use crate::statements::{Call, End, Statement};

/// The order of the statements, each after those it waits for.
///
/// # Errors
/// How many cycles they have, if they have one (G40).
pub fn ordered(model: &Model<'_>, statements: &[Statement]) -> Result<Vec<usize>, usize> {
    let moves: Vec<Move> = statements.iter().map(|statement| Move::of(model, statement)).collect();
    let named = Named::of(&moves);
    let waits_for: Vec<Vec<usize>> = (0..moves.len()).map(|index| named.earlier(index)).collect();
    // Statements that wait for none have no order; two of them with one destination are applied as they are written.
    let order = in_order(&waits_for);
    if order.len() == moves.len() {
        return Ok(order);
    }
    let waits: Vec<Vec<u32>> = waits_for.iter().map(|list| list.iter().map(|&index| index as u32).collect()).collect();
    Err(cycles(&waits).len())
}

/// A statement with its ends as seen from the root: the calls around it have keys of any instance.
struct Move {
    from: End,
    to: End,
    /// The number of calls that lead to the module in which it is written.
    depth: usize,
}

impl Move {
    fn of(model: &Model<'_>, statement: &Statement) -> Move {
        let outer: Vec<Call> = match &statement.only {
            Some(only) => only.0.iter().map(|step| (step.name.clone(), Some(step.key.clone()))).collect(),
            None => model.modules[statement.module].path.iter().map(|name| (name.clone(), None)).collect(),
        };
        let [from, to] = [&statement.from, &statement.to].map(|end| End {
            calls: outer.iter().chain(&end.calls).cloned().collect(),
            resource: end.resource.clone(),
        });
        // Implied statements count as written in the root.
        let depth = if statement.only.is_some() { 0 } else { model.modules[statement.module].path.len() };
        Move { from, to, depth }
    }

    fn is_of_module(&self) -> bool {
        self.from.resource.is_none()
    }

    /// Whether this move may come after another, of which one is nested in the other: a change of a key alone does not wait for a move that
    /// is written in a deeper module, which would wait for it as well.
    fn may_follow(&self, before: &Move) -> bool {
        let only_changes_key = self.is_of_module() && names(&self.from).eq(names(&self.to));
        !only_changes_key || self.depth >= before.depth
    }
}

/// The names of the calls that lead to an end.
fn names(end: &End) -> impl Iterator<Item = &str> {
    end.calls.iter().map(|(name, _)| name.as_str())
}

fn path(end: &End) -> Vec<&str> {
    names(end).collect()
}

/// A module, or a resource in it.
type Place<'m> = (Vec<&'m str>, Option<&'m Resource>);

/// Moves by a place, and by the key of its last part; so that instances of one block, or call, are not compared with each other.
#[derive(Default)]
struct ByPlace<'m> {
    of_key: HashMap<(Place<'m>, Option<&'m InstanceKey>), Vec<usize>>,
    all: HashMap<Place<'m>, Vec<usize>>,
}

impl<'m> ByPlace<'m> {
    fn add(&mut self, place: Place<'m>, key: Option<&'m InstanceKey>, index: usize) {
        self.of_key.entry((place.clone(), key)).or_default().push(index);
        self.all.entry(place).or_default().push(index);
    }

    /// The moves at a place whose key may be this one, as they are written; without a key any.
    fn fitting(&self, place: Place<'m>, key: Option<&'m InstanceKey>) -> Vec<usize> {
        if key.is_none() {
            return self.all.get(&place).cloned().unwrap_or_default();
        }
        let [exact, whole] = [key, None].map(|key| self.of_key.get(&(place.clone(), key)).into_iter().flatten());
        let mut found: Vec<usize> = exact.chain(whole).copied().collect();
        found.sort_unstable();
        found
    }

    /// The moves at a place that is named as a whole.
    fn whole(&self, place: Place<'m>) -> Vec<usize> {
        self.of_key.get(&(place, None)).cloned().unwrap_or_default()
    }
}

/// The moves by what they name.
struct Named<'m> {
    moves: &'m [Move],
    /// By their destinations.
    to: ByPlace<'m>,
    /// By each module, or resource, that contains one of their ends.
    within: ByPlace<'m>,
}

impl<'m> Named<'m> {
    fn of(moves: &'m [Move]) -> Named<'m> {
        let mut named = Named { moves, to: ByPlace::default(), within: ByPlace::default() };
        for (index, one) in moves.iter().enumerate() {
            let (place, key) = place_of(&one.to);
            named.to.add(place, key, index);
            for (place, key) in places_around(&one.from).chain(places_around(&one.to)) {
                named.within.add(place, key, index);
            }
        }
        named
    }

    /// The moves that one waits for.
    fn earlier(&self, index: usize) -> Vec<usize> {
        let then = &self.moves[index];
        let mut earlier = self.leading_to(index);
        let nested = self.inside_of(then).into_iter().chain(self.around(then));
        earlier.extend(nested.filter(|&before| before != index && then.may_follow(&self.moves[before])));
        earlier
    }

    /// The other moves that lead to the source of this one; a redundant one leads to its own.
    fn leading_to(&self, index: usize) -> Vec<usize> {
        let then = &self.moves[index];
        let (place, key) = place_of(&then.from);
        let mut all = self.to.fitting(place, key);
        all.retain(|&before| before != index && can_be(&self.moves[before].to, &then.from));
        all
    }

    /// Moves within the module, or of instances of the whole, that is moved here go first.
    fn inside_of(&self, then: &'m Move) -> Vec<usize> {
        // Nothing is inside of an instance.
        if matches!(then.from.resource, Some((_, Some(_)))) {
            return Vec::new();
        }
        let is_within = |before: &Move| is_inside(&before.from, &then.from) || is_inside(&before.to, &then.from);
        let (place, key) = place_of(&then.from);
        let mut all = self.within.fitting(place, key);
        all.retain(|&before| is_within(&self.moves[before]));
        all
    }

    /// A nested move comes after the move of the module, or of the whole, around it.
    fn around(&self, then: &'m Move) -> Vec<usize> {
        let mut found = Vec::new();
        for end in [&then.from, &then.to] {
            for (place, key) in places_around(end) {
                let all = match place.1 {
                    Some(_) => self.to.whole(place),
                    None => self.to.fitting(place, key),
                };
                found.extend(all.into_iter().filter(|&before| is_inside(end, &self.moves[before].to)));
            }
        }
        found
    }
}

/// What an end names, with the key of its last part.
fn place_of(end: &End) -> (Place<'_>, Option<&InstanceKey>) {
    match &end.resource {
        Some((resource, key)) => ((path(end), Some(resource)), key.as_ref()),
        None => ((path(end), None), end.calls.last().and_then(|(_, key)| key.as_ref())),
    }
}

fn fit(a: &Option<InstanceKey>, b: &Option<InstanceKey>) -> bool {
    a.is_none() || b.is_none() || a == b
}

fn calls_fit(a: &[Call], b: &[Call]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|((a, a_key), (b, b_key))| a == b && fit(a_key, b_key))
}

/// Whether two ends may name the same thing.
fn can_be(a: &End, b: &End) -> bool {
    let same = match (&a.resource, &b.resource) {
        (Some((a, a_key)), Some((b, b_key))) => a == b && fit(a_key, b_key),
        (a, b) => a.is_none() && b.is_none(),
    };
    same && calls_fit(&a.calls, &b.calls)
}

/// The modules around an end, and the whole call or resource around an instance; each with the key that the end has there.
fn places_around(end: &End) -> impl Iterator<Item = (Place<'_>, Option<&InstanceKey>)> {
    let names = path(end);
    let is_whole_call = end.resource.is_none() && !is_keyed(end);
    let depth = names.len() - usize::from(is_whole_call);
    let instance = end.resource.as_ref().filter(|(_, key)| key.is_some());
    let of_instance = instance.map(|(resource, key)| ((names.clone(), Some(resource)), key.as_ref()));
    let modules = (1..=depth).map(move |depth| ((names[..depth].to_vec(), None), end.calls[depth - 1].1.as_ref()));
    modules.chain(of_instance)
}

/// Whether the last call that leads to an end has a key.
fn is_keyed(end: &End) -> bool {
    end.calls.last().is_some_and(|(_, key)| key.is_some())
}

/// Whether an end lies inside of another: of a module, or an instance of what is named as a whole.
fn is_inside(inner: &End, outer: &End) -> bool {
    let depth = outer.calls.len();
    let is_deeper = match (&inner.resource, &outer.resource) {
        (None, None) => inner.calls.len() > depth || inner.calls.len() == depth && is_keyed(inner) && !is_keyed(outer),
        (Some(_), None) => inner.calls.len() >= depth,
        (Some((resource, Some(_))), Some((whole, None))) => resource == whole && inner.calls.len() == depth,
        _ => false,
    };
    is_deeper && calls_fit(&inner.calls[..depth], &outer.calls)
}
