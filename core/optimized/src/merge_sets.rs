//! The merge of sets (M19), in time linear in their sizes.
//!
//! The engine compares each configured element with each prior one. Its only observable result (H01) is that a configured
//! element gets the least unused prior one that matches it, so prior elements wait (`waiting`) in tables, by a hash of those
//! members in which a match needs equality, each list ascending; a candidate from a list is always confirmed by M22 itself.
//! The kept elements of the prior set are in iteration order already (V52); a few new elements are inserted.

use planfuzz_core::planner::Refusal;
use planfuzz_core::schema::Nesting;
use planfuzz_core::value::{Node, Seq, Type, Value, ValueRef, build_set, insert_into_set};

use super::here::Here;
use super::matching::{Fit, Lookup, fit, matches_typed};
use super::merge::{Merge, Merged};
use super::program::{Inner, Kind, Object};
use super::waiting::{Taken, Waiting};

/// A result of the element rule.
enum Part {
    /// The prior element at a place, which no other result takes.
    Prior(usize),
    /// Something else.
    New(Node),
}

impl Merge {
    /// M19; `config` is known and not null.
    pub(super) fn merge_set(
        &mut self,
        inner: &Inner,
        prior: ValueRef<'_>,
        config: ValueRef<'_>,
        here: &Here<'_>,
    ) -> Result<Merged, Refusal> {
        let object = &inner.object;
        if object.holds.dynamic {
            return self.merge_dynamic_set(inner, prior, config, here);
        }
        let elements = config.node().parts();
        if elements.iter().all(|element| decides_alone(object, inner.block, element)) {
            return Ok(Merged::Config);
        }
        let priors = prior.node().parts();
        let stay = stay_in_place(object, priors, elements);
        if stay == priors.len() && stay == elements.len() && has_distinct_keys(prior.node()) {
            return Ok(Merged::Prior);
        }
        let mut waiting = Waiting::after(stay, object, priors, elements.len());
        let mut parts = Vec::with_capacity(elements.len());
        parts.extend((0..stay).map(Part::Prior));
        let mut from_config = 0;
        for element in &elements[stay..] {
            let taken = waiting.take(element);
            if let Some(Taken { index, stays: true }) = taken {
                parts.push(Part::Prior(index));
                continue;
            }
            let before = taken.map_or(&Node::Null, |taken| &priors[taken.index]);
            let (before, element) = (ValueRef::new(&object.ty, before), ValueRef::new(&object.ty, element));
            let result = self.rule(inner, before, element, &here.element(element))?;
            from_config += usize::from(matches!(result, Merged::Config | Merged::Both));
            parts.push(match (result, taken) {
                (Merged::Prior, Some(taken)) => Part::Prior(taken.index),
                (result, _) => Part::New(result.node(before.node(), element.node())),
            });
        }
        // V96: a set built from its own elements in its own order is itself.
        if from_config == elements.len() {
            return Ok(Merged::Config);
        }
        Ok(collect(object, prior.node(), parts))
    }
}

/// How many prior elements, from the first on, match the configured one at their place and stay: by H01 the least unused one
/// that matches is then always the next. If all do, the set is the prior one (V96), and finding that out allocates nothing.
fn stay_in_place(object: &Object, priors: &[Node], elements: &[Node]) -> usize {
    priors.iter().zip(elements).take_while(|(prior, element)| fit(object, prior, element) == Fit::Prior).count()
}

/// The set of the results.
fn collect(object: &Object, prior: &Node, parts: Vec<Part>) -> Merged {
    let priors = prior.parts();
    if has_distinct_keys(prior) {
        let new = parts.iter().filter(|part| matches!(part, Part::New(_))).count();
        // V96: a set built from its own elements in any order is itself if no two of them share a key.
        if new == 0 && parts.len() == priors.len() {
            return Merged::Prior;
        }
        if new * PROBES <= parts.len() && parts.iter().all(Part::has_plain_key) {
            return Merged::New(Node::Seq(place(object, priors, &parts, new)), None);
        }
    }
    let nodes = parts.into_iter().map(|part| match part {
        Part::Prior(index) => priors[index].clone(),
        Part::New(node) => node,
    });
    Merged::New(Node::Seq(build_set(&object.ty, nodes.collect())), None)
}

/// How many prior elements there must be for each new one so that finding its place among them is cheaper than sorting all.
const PROBES: usize = 4;

/// V52, V53: prior elements are in iteration order already, so only the new ones look for their places.
fn place(object: &Object, priors: &[Node], parts: &[Part], new: usize) -> Seq {
    let mut stays = vec![false; priors.len()];
    let mut others = Vec::with_capacity(new);
    for part in parts {
        match part {
            Part::Prior(index) => stays[*index] = true,
            Part::New(node) => others.push(node),
        }
    }
    let mut ordered = Vec::with_capacity(priors.len());
    ordered.extend(priors.iter().zip(stays).filter(|(_, stays)| *stays).map(|(node, _)| node));
    insert_into_set(&object.ty, &ordered, others)
}

impl Part {
    /// True for a prior element; for a new one, whether it is known and tied only with elements that equal it, by V51.
    fn has_plain_key(&self) -> bool {
        match self {
            Part::Prior(_) => true,
            Part::New(node) => !node.is_null() && has_distinct_keys(node),
        }
    }
}

impl Merge {
    /// M19 where types may differ: no valid schema has such sets (S14, S22), so they are scanned.
    fn merge_dynamic_set(
        &mut self,
        inner: &Inner,
        prior: ValueRef<'_>,
        config: ValueRef<'_>,
        here: &Here<'_>,
    ) -> Result<Merged, Refusal> {
        let Type::Set(element) = config.ty() else {
            return Err(here.refuse("M19", "the configured value is no set"));
        };
        let mut waiting: Vec<_> = (0..prior.len()).filter_map(|index| prior.element(index)).collect();
        let mut values = Vec::with_capacity(config.len());
        for configured in (0..config.len()).filter_map(|index| config.element(index)) {
            let found = waiting.iter().position(|before| matches_typed(Lookup::of(inner), *before, configured));
            let matched = found.map_or(ValueRef::null(element), |index| waiting.remove(index));
            let result = self.rule(inner, matched, configured, &here.element(configured))?;
            values.push(result.value(matched, configured, &inner.object.ty));
        }
        let set = Value::set(element, values).map_err(|error| here.refuse("V08", error.to_string()))?;
        let (ty, node) = set.into_parts();
        Ok(Merged::New(node, Some(ty)))
    }
}

/// Whether the element rule gives the configured element itself whatever prior it is matched with: nothing inside is
/// computed, so M10 and M11 keep every member, and no part is in a place where M12, M15 or M16 put another one.
pub(super) fn decides_alone(object: &Object, block: bool, element: &Node) -> bool {
    if object.holds.computed {
        return false;
    }
    if !block {
        return !element.contents().has_unknown();
    }
    if element.is_null() || element.is_unknown() {
        return false;
    }
    object.members.iter().zip(element.parts()).all(|(member, value)| match &member.kind {
        Kind::Leaf => true,
        Kind::Nested(_) => !value.contents().has_unknown(),
        Kind::Block(inner) => match (inner.mode, value) {
            (_, Node::Unknown(_)) => true,
            (Nesting::Group, Node::Null) => false,
            (_, Node::Null) => true,
            (Nesting::Single | Nesting::Group, _) => decides_alone(&inner.object, true, value),
            _ => value.parts().iter().all(|value| decides_alone(&inner.object, true, value)),
        },
    })
}

/// Whether no two elements of a set can share a key: keys are injective but for unknowns and numbers (V51).
fn has_distinct_keys(set: &Node) -> bool {
    let contents = set.contents();
    !contents.has_unknown() && contents.has_plain_numbers()
}
