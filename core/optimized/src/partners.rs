//! The partners of planned set elements among the actual ones: by a walk along both sets, by trying the few that the walk
//! leaves, and by hash.

use planfuzz_core::planner::Refusal;
use planfuzz_core::value::{Node, is_weakened, structural_hash};

use super::compatible::Compare;
use super::correlate::{Firm, Relation};
use super::same::{hash_of_members, identical};

/// Up to this many elements without a partner are tried one by one.
const FEW: usize = 4;

/// Below this many pairs trying all of them is cheaper than tables.
const SCAN: usize = 16;

/// The actual elements, and which of them have a partner.
pub(super) struct Partners<'a> {
    relation: Relation<'a>,
    actual: &'a [Node],
    /// Whether partners are looked for on a walk along both sets.
    pub(super) walks: bool,
    taken: Vec<bool>,
    /// The place that the walk along the two sets has reached.
    next: usize,
    /// Those that had no partner after it, where these are few.
    open: Vec<usize>,
    /// Those that every planned element is tried against.
    loose: Vec<usize>,
    tables: Vec<Table>,
}

/// Actual elements by the hash of the parts that are firm in planned ones.
struct Table {
    firm: Firm,
    hashes: Vec<u64>,
    all: Lists,
    /// Those of them that have no partner yet, and some that have found one since.
    open: Lists,
}

/// Lists in buckets: the first element of each, and the next one after each.
#[derive(Clone)]
struct Lists {
    first: Vec<u32>,
    next: Vec<u32>,
}

const END: u32 = u32::MAX;

/// The most tables for one set; beyond them the firm parts are not used.
const TABLES: usize = 8;

impl<'a> Partners<'a> {
    pub(super) fn new(relation: Relation<'a>, set: &'a Node) -> Partners<'a> {
        let actual = set.parts();
        let loose: Vec<_> = (0..actual.len()).filter(|index| relation.is_loose(&actual[*index])).collect();
        Partners {
            relation,
            actual,
            // V56: of elements with odd numbers two may be equal, and then both are partners.
            walks: loose.is_empty() && !set.contents().has_odd_number() && !is_weakened(),
            taken: vec![false; actual.len()],
            next: 0,
            open: Vec::new(),
            loose,
            tables: Vec::new(),
        }
    }

    /// Finds the partners that a walk along both sets shows; returns the planned elements that are left. The first `alike`
    /// elements are the same in both.
    pub(super) fn walk<'p>(&mut self, planned: &'p [Node], alike: usize) -> Vec<&'p Node> {
        let mut rest = Vec::new();
        for (place, element) in planned.iter().enumerate() {
            let same = (place < alike).then_some(place);
            if !(self.walks && self.walk_to(element, same)) {
                rest.push(element);
            }
        }
        if self.walks {
            self.note_open();
        }
        if rest.len().saturating_mul(self.actual.len()) <= SCAN {
            self.loose = (0..self.actual.len()).collect();
        }
        rest
    }

    /// How many actual elements have no partner.
    pub(super) fn count_lonely(&self) -> usize {
        self.taken.iter().filter(|taken| !**taken).count()
    }

    /// Whether a firm planned element has its one partner (AC22) at the place that the walk has reached, or one further.
    /// Both sets are in one order (V52), so most have. The order in which partners are found is not observable (H07).
    /// `same`: the place of an actual element that is known to be the same.
    fn walk_to(&mut self, planned: &Node, same: Option<usize>) -> bool {
        if !self.relation.is_whole(planned) {
            return false;
        }
        let near = self.actual.iter().enumerate().skip(self.next).take(2);
        let found = near.into_iter().find(|(index, actual)| same == Some(*index) || identical(planned, actual));
        let Some((index, _)) = found else { return false };
        self.taken[index] = true;
        self.next = index + 1;
        true
    }

    /// Notes the elements that have no partner after the walk, where these are few enough to try each of them.
    fn note_open(&mut self) {
        let open = (0..self.actual.len()).filter(|index| !self.taken[*index]);
        self.open = open.take(FEW + 1).collect();
        if self.open.len() > FEW {
            self.open.clear();
        }
    }

    /// Marks those partners of a planned element that have none yet, where these are few; returns whether there are any.
    fn find_open(&mut self, compare: &mut Compare, planned: &Node) -> Result<bool, Refusal> {
        let mut found = false;
        for index in &self.open {
            if !self.taken[*index] && self.relation.holds(compare, planned, &self.actual[*index])? {
                self.taken[*index] = true;
                found = true;
            }
        }
        Ok(found)
    }

    /// Marks the partners of a planned element; returns whether there are any.
    pub(super) fn find(&mut self, compare: &mut Compare, planned: &Node) -> Result<bool, Refusal> {
        let mut found = self.find_open(compare, planned)?;
        if found {
            return Ok(true);
        }
        if self.loose.len() < self.actual.len() {
            found |= self.find_strict(compare, planned)?;
        }
        for index in &self.loose {
            if (!found || !self.taken[*index]) && self.relation.holds(compare, planned, &self.actual[*index])? {
                found = true;
                self.taken[*index] = true;
            }
        }
        Ok(found)
    }

    fn find_strict(&mut self, compare: &mut Compare, planned: &Node) -> Result<bool, Refusal> {
        let mut firm = self.relation.firm(planned);
        if self.tables.len() >= TABLES && !self.tables.iter().any(|table| table.firm == firm) {
            firm = Firm::NOTHING;
        }
        let known = self.tables.iter().position(|table| table.firm == firm);
        let table = known.unwrap_or_else(|| {
            self.tables.push(Table::new(firm, self.actual, &self.loose));
            self.tables.len() - 1
        });
        self.tables[table].find(compare, self.relation, planned, self.actual, &mut self.taken)
    }
}

impl Table {
    /// A table of those that are not `loose`, whose places ascend.
    fn new(firm: Firm, actual: &[Node], loose: &[usize]) -> Table {
        let buckets = ((actual.len() - loose.len()) * 2).next_power_of_two();
        let mut hashes = vec![0; actual.len()];
        let mut all = Lists { first: vec![END; buckets], next: vec![END; actual.len()] };
        let strict = (0..actual.len()).rev().filter(|index| loose.binary_search(index).is_err());
        for index in strict {
            let Some(hash) = firm_hash(firm, &actual[index]) else { continue };
            hashes[index] = hash;
            let bucket = bucket(&all, hash);
            all.next[index] = all.first[bucket];
            all.first[bucket] = index as u32;
        }
        Table { firm, hashes, open: all.clone(), all }
    }

    /// First those without a partner, all of which are compared; then, if none of them matches, any.
    fn find(
        &mut self,
        compare: &mut Compare,
        relation: Relation<'_>,
        planned: &Node,
        actual: &[Node],
        taken: &mut [bool],
    ) -> Result<bool, Refusal> {
        let Some(hash) = firm_hash(self.firm, planned) else { return Ok(false) };
        let bucket = bucket(&self.all, hash);
        let mut found = false;
        let mut before = None;
        let mut at = self.open.first[bucket];
        while at != END {
            let index = at as usize;
            at = self.open.next[index];
            if !taken[index] && self.hashes[index] == hash && relation.holds(compare, planned, &actual[index])? {
                found = true;
                taken[index] = true;
            }
            if taken[index] {
                match before {
                    None => self.open.first[bucket] = at,
                    Some(before) => self.open.next[before] = at,
                }
            } else {
                before = Some(index);
            }
        }
        at = self.all.first[bucket];
        while at != END && !found {
            let index = at as usize;
            at = self.all.next[index];
            found = taken[index] && self.hashes[index] == hash && relation.holds(compare, planned, &actual[index])?;
        }
        Ok(found)
    }
}

fn bucket(lists: &Lists, hash: u64) -> usize {
    (hash >> 32) as usize & (lists.first.len() - 1)
}

/// The hash of the firm parts; `None` for an element that has no such members.
fn firm_hash(firm: Firm, element: &Node) -> Option<u64> {
    let bits = match firm {
        Firm::Whole => return Some(structural_hash(element)),
        Firm::NOTHING => return Some(0),
        Firm::Members(bits) => bits,
    };
    let Node::Seq(seq) = element else { return None };
    let members = seq.as_slice().iter().take(Firm::BITS).enumerate().filter(|(index, _)| bits >> index & 1 == 1);
    Some(hash_of_members(members.map(|(_, part)| part)))
}
