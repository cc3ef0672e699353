//! The merge of sets (M19), in time linear in their sizes.
//!
//! The engine compares each configured element with each prior one. All that shows of it (H01) is that a configured
//! element gets the least unused prior one that matches it, so prior elements wait in tables, by a hash of those members
//! in which a match needs equality, each list ascending; what a list gives is always confirmed by M22 itself.

use crate::planner::Refusal;
use crate::schema::Nesting;
use crate::value::{Node, Type, Value, ValueRef, build_set, structural_hash, weakened};

use super::here::Here;
use super::matching::{Lookup, matches, matches_typed};
use super::merge::{Merge, Merged};
use super::program::{Inner, Kind, Object, part};
use super::same::has_plain_numbers;

/// Below this many pairs a scan is cheaper than tables.
const SCAN: usize = 16;

/// The most tables for one set; each costs a pass over the prior elements. Beyond it one table serves all the rest.
const TABLES: usize = 8;

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
        let mut waiting = Waiting::new(object, priors, elements.len());
        let mut from_prior = 0;
        let mut from_config = 0;
        let mut results = Vec::with_capacity(elements.len());
        for element in elements {
            let before = waiting.take(element).map(|index| &priors[index]);
            let matched = before.unwrap_or(&Node::Null);
            let (matched, element) = (ValueRef::new(&object.ty, matched), ValueRef::new(&object.ty, element));
            let result = self.rule(inner, matched, element, &here.element(element))?;
            from_prior += usize::from(before.is_some() && matches!(result, Merged::Prior | Merged::Both));
            from_config += usize::from(matches!(result, Merged::Config | Merged::Both));
            results.push(result.node(matched.node(), element.node()));
        }
        // V96: a set built from its own elements in its own order is itself.
        if from_config == elements.len() {
            return Ok(Merged::Config);
        }
        // V96: so is one built from its own elements in any order if no two of them share a key.
        if from_prior == elements.len() && from_prior == priors.len() && has_distinct_keys(object, prior.node()) {
            return Ok(Merged::Prior);
        }
        Ok(Merged::New(Node::Seq(build_set(&object.ty, results)), None))
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

/// Whether the element rule gives the configured element itself whatever it is matched with: nothing inside is computed,
/// so M10 and M11 keep every member, and nothing is in a place where M12, M15 or M16 put something else.
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
fn has_distinct_keys(object: &Object, set: &Node) -> bool {
    !set.contents().has_unknown() && (!object.holds.numbers || has_plain_numbers(set))
}

/// The prior elements that are not used yet.
pub(super) struct Waiting<'a> {
    object: &'a Object,
    priors: &'a [Node],
    used: Vec<bool>,
    /// Prior elements that match anything, being null or unknown (M23), ascending; and the first that is not used.
    wild: Vec<usize>,
    next_wild: usize,
    scan: bool,
    tables: Vec<Table>,
}

/// H03: the prior elements by the members that must be equal for one set of free members.
struct Table {
    free: Free,
    /// The first element of each list, and the next element after each.
    first: Vec<u32>,
    next: Vec<u32>,
    hashes: Vec<u64>,
}

/// Which of an object's free members (H03) are null in a configured element: a bit each. Those beyond the bits are
/// always left to the test, which is what H02 does with all of them.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Free(u64);

const END: u32 = u32::MAX;

impl<'a> Waiting<'a> {
    pub(super) fn new(object: &'a Object, priors: &'a [Node], configured: usize) -> Waiting<'a> {
        let wild = |node: &Node| node.is_null() || node.is_unknown();
        Waiting {
            object,
            priors,
            used: vec![false; priors.len()],
            wild: priors.iter().enumerate().filter(|(_, node)| wild(node)).map(|(index, _)| index).collect(),
            next_wild: 0,
            scan: priors.len().saturating_mul(configured) <= SCAN || object.members.is_empty(),
            tables: Vec::new(),
        }
    }

    /// Takes the least unused prior element that matches `element` (M19, M22).
    pub(super) fn take(&mut self, element: &Node) -> Option<usize> {
        if self.scan {
            let mut unused = (0..self.priors.len()).filter(|index| !self.used[*index]);
            let found = unused.find(|index| matches(self.object, &self.priors[*index], element))?;
            self.used[found] = true;
            return Some(found);
        }
        while self.wild.get(self.next_wild).is_some_and(|index| self.used[*index]) {
            self.next_wild += 1;
        }
        let wild = self.wild.get(self.next_wild).copied();
        // M23: of an element that is null only what is null or unknown is the like.
        let tame = if element.is_null() { None } else { self.find(element) };
        let found = match (wild, tame) {
            (Some(wild), Some(tame)) => wild.min(tame),
            (wild, tame) => wild.or(tame)?,
        };
        self.used[found] = true;
        Some(found)
    }

    /// The least unused element that is neither null nor unknown and matches.
    fn find(&mut self, element: &Node) -> Option<usize> {
        let free = Free::of(self.object, element);
        let table = match self.tables.iter().position(|table| table.free == free) {
            Some(known) => known,
            None if self.tables.len() < TABLES => self.add_table(free),
            None => match self.tables.iter().position(|table| table.free == Free::ALL) {
                Some(last) => last,
                None => self.add_table(Free::ALL),
            },
        };
        let Waiting { object, priors, used, tables, .. } = self;
        tables[table].find(object, priors, used, element)
    }

    fn add_table(&mut self, free: Free) -> usize {
        self.tables.push(Table::new(self.object, self.priors, free));
        self.tables.len() - 1
    }
}

impl Free {
    const ALL: Free = Free(u64::MAX);
    const BITS: usize = 64;

    fn of(object: &Object, element: &Node) -> Free {
        let members = object.keys.free.iter().take(Free::BITS).enumerate();
        Free(members.fold(0, |bits, (bit, member)| bits | u64::from(part(element, *member).is_null()) << bit))
    }

    fn has(self, bit: usize) -> bool {
        bit >= Free::BITS || self.0 >> bit & 1 == 1
    }
}

impl Table {
    fn new(object: &Object, priors: &[Node], free: Free) -> Table {
        let buckets = (priors.len() * 2).next_power_of_two();
        let hash =
            |prior: &Node| if prior.is_null() || prior.is_unknown() { 0 } else { projection(object, prior, free) };
        let mut table = Table {
            free,
            first: vec![END; buckets],
            next: vec![END; priors.len()],
            hashes: priors.iter().map(hash).collect(),
        };
        for (index, prior) in priors.iter().enumerate().rev() {
            if !prior.is_null() && !prior.is_unknown() {
                let bucket = table.bucket(table.hashes[index]);
                table.next[index] = table.first[bucket];
                table.first[bucket] = index as u32;
            }
        }
        table
    }

    fn bucket(&self, hash: u64) -> usize {
        (hash >> 32) as usize & (self.first.len() - 1)
    }

    /// Walks a list in ascending order, dropping what was used meanwhile.
    fn find(&mut self, object: &Object, priors: &[Node], used: &[bool], element: &Node) -> Option<usize> {
        let hash = projection(object, element, self.free);
        let bucket = self.bucket(hash);
        let mut before = None;
        let mut at = self.first[bucket];
        while at != END {
            let index = at as usize;
            at = self.next[index];
            if used[index] {
                match before {
                    None => self.first[bucket] = at,
                    Some(before) => self.next[before] = at,
                }
                continue;
            }
            if self.hashes[index] == hash && matches(object, &priors[index], element) {
                return Some(index);
            }
            before = Some(index);
        }
        None
    }
}

/// A hash of the members in which a match needs equality: rigid ones (H02) and free ones that are not null (H03).
fn projection(object: &Object, element: &Node, free: Free) -> u64 {
    let rigid = object.keys.rigid.iter();
    let bound = object.keys.free.iter().enumerate().filter(|(bit, _)| !free.has(*bit)).map(|(_, member)| member);
    let hash = |hash, member: &usize| mix(hash, structural_hash(part(element, *member)));
    weakened(rigid.chain(bound).fold(0x9e37_79b9_7f4a_7c15, hash))
}

fn mix(hash: u64, part: u64) -> u64 {
    let product = u128::from(hash.rotate_left(23) ^ part) * 0x9e37_79b9_7f4a_7c15;
    (product as u64) ^ (product >> 64) as u64
}
