//! Finds the prior set element that matches a configured one (M19, M22): by tables of hashes, or by a scan where that is
//! cheaper.

use planfuzz_core::value::{Node, Number, is_weakened};

use super::matching::{Fit, fit, matches};
use super::program::{Object, part};
use super::same::hash_of_members;

/// Up to this many pairs a scan is cheaper than tables: most pairs show at a glance that they do not match.
const SCAN: usize = 144;

/// The most tables for one set; each costs a pass over the prior elements. Beyond it one table serves all the rest.
const TABLES: usize = 8;

/// How many more failed than successful tries of the next element there may be before only tables are used: where the two
/// sides iterate in one order the next element is the match, and where they do not it hardly ever is.
const GUESSES: u32 = 4;

/// How many unused elements before the next one are tried first.
const SKIPPED: usize = 3;

/// A prior element that was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Taken {
    /// Its place.
    pub(super) index: usize,
    /// Whether it is the result of the element rule ([`Fit::Prior`]).
    pub(super) stays: bool,
}

/// The prior elements that are not used yet.
pub(super) struct Waiting<'a> {
    object: &'a Object,
    priors: &'a [Node],
    used: Vec<bool>,
    /// Prior elements that match anything, being null or unknown (M23), ascending; `next_wild` is the first that is not
    /// used.
    wild: Vec<usize>,
    next_wild: usize,
    /// All elements before it are used, but for those in `skipped`, ascending.
    next: usize,
    skipped: Vec<usize>,
    guesses: u32,
    scan: bool,
    /// Words of the prior elements, where they are scanned.
    words: Vec<Word>,
    tables: Vec<Table>,
}

/// Whether sets of so many pairs are scanned. Where hashes are weakened, so that tables are attacked, none is.
fn is_scanned(pairs: usize) -> bool {
    pairs <= if is_weakened() { 0 } else { SCAN }
}

/// M22 for the prior element at a place.
fn test(object: &Object, priors: &[Node], index: usize, element: &Node) -> Option<Taken> {
    match fit(object, &priors[index], element) {
        Fit::Prior => Some(Taken { index, stays: true }),
        Fit::Look if matches(object, &priors[index], element) => Some(Taken { index, stays: false }),
        Fit::Look | Fit::None => None,
    }
}

/// A word of an element's distinguishing member: equal payloads have equal words, zero is compatible with any word.
#[derive(Clone, Copy)]
struct Word(u64);

impl Word {
    fn of(object: &Object, element: &Node) -> Word {
        let member = object.keys.distinguishing.and_then(|index| element.parts().get(index));
        Word(match member {
            Some(Node::String(text)) => word_of_text(text),
            Some(Node::Number(Number::Int(int))) => *int as u64,
            _ => 0,
        })
    }

    /// H02: elements that differ in a rigid member do not match.
    fn may_match(self, other: Word) -> bool {
        self.0 == other.0 || self.0 == 0 || other.0 == 0
    }
}

/// The last bytes and the length: names of things tend to begin alike.
fn word_of_text(text: &str) -> u64 {
    let last = match text.as_bytes().last_chunk::<8>() {
        Some(chunk) => u64::from_le_bytes(*chunk),
        None => text.bytes().fold(0, |word, byte| word << 8 | u64::from(byte)),
    };
    last ^ (text.len() as u64).rotate_right(8)
}

/// H03: the prior elements by the members that must be equal for one set of free members.
struct Table {
    free: Free,
    /// The first element of each list, and the next element after each.
    first: Vec<u32>,
    next: Vec<u32>,
    hashes: Vec<u64>,
}

/// The free members (H03) of an object that are null in a configured element: a bit each. Those beyond the bits are always
/// left to the test, which is what H02 does with all of them.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Free(u64);

const END: u32 = u32::MAX;

impl<'a> Waiting<'a> {
    /// The prior elements, of which the first `taken` are used, for so many configured ones.
    pub(super) fn after(taken: usize, object: &'a Object, priors: &'a [Node], configured: usize) -> Waiting<'a> {
        let wild = |node: &Node| node.is_null() || node.is_unknown();
        let scan = is_scanned(priors.len().saturating_mul(configured)) || object.members.is_empty();
        let words = if scan { priors } else { &[] };
        let mut used = vec![false; priors.len()];
        used[..taken].fill(true);
        Waiting {
            object,
            priors,
            words: words.iter().map(|prior| Word::of(object, prior)).collect(),
            used,
            wild: priors.iter().enumerate().filter(|(_, node)| wild(node)).map(|(index, _)| index).collect(),
            next_wild: 0,
            next: taken,
            skipped: Vec::new(),
            guesses: GUESSES,
            scan,
            tables: Vec::new(),
        }
    }

    /// Takes the least unused prior element that matches `element` (M19, M22).
    pub(super) fn take(&mut self, element: &Node) -> Option<Taken> {
        while self.used.get(self.next) == Some(&true) {
            self.next += 1;
        }
        let found = if self.scan { self.scan(element) } else { self.guess(element).or_else(|| self.look_up(element)) }?;
        self.used[found.index] = true;
        self.skip_to(found.index);
        Some(found)
    }

    fn scan(&self, element: &Node) -> Option<Taken> {
        let word = Word::of(self.object, element);
        let priors = self.used.iter().zip(&self.words).enumerate().skip(self.next);
        let candidates = priors.filter(|(_, (used, other))| !**used && word.may_match(**other));
        candidates.into_iter().find_map(|(index, _)| self.test(index, element))
    }

    /// H01: the skipped elements and the next one are the least unused ones, so the first of them that matches is the
    /// result.
    fn guess(&mut self, element: &Node) -> Option<Taken> {
        if self.guesses == 0 || self.next == self.priors.len() {
            return None;
        }
        let before = self.skipped.iter().find_map(|index| self.test(*index, element));
        let found = before.or_else(|| self.test(self.next, element));
        self.guesses = if found.is_some() { GUESSES.min(self.guesses + 1) } else { self.guesses - 1 };
        found
    }

    /// Moves `next` behind an element that was taken, if that skips few.
    fn skip_to(&mut self, taken: usize) {
        if self.scan || self.guesses == 0 {
            return;
        }
        self.skipped.retain(|index| *index != taken);
        if taken < self.next || taken - self.next > SKIPPED {
            return;
        }
        let unused = (self.next..taken).filter(|index| !self.used[*index]);
        if self.skipped.len() + unused.clone().count() <= SKIPPED {
            self.skipped.extend(unused);
            self.next = taken + 1;
        }
    }

    fn look_up(&mut self, element: &Node) -> Option<Taken> {
        while self.wild.get(self.next_wild).is_some_and(|index| self.used[*index]) {
            self.next_wild += 1;
        }
        let wild = self.wild.get(self.next_wild).map(|index| Taken { index: *index, stays: false });
        // M23: an element that is null matches only those that are null or unknown.
        let tame = if element.is_null() { None } else { self.find(element) };
        match (wild, tame) {
            (Some(wild), Some(tame)) => Some(if wild.index < tame.index { wild } else { tame }),
            (wild, tame) => wild.or(tame),
        }
    }

    fn test(&self, index: usize, element: &Node) -> Option<Taken> {
        test(self.object, self.priors, index, element)
    }

    /// The least unused element that is neither null nor unknown and matches.
    fn find(&mut self, element: &Node) -> Option<Taken> {
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

    /// Walks a list in ascending order, dropping elements that were used meanwhile.
    fn find(&mut self, object: &Object, priors: &[Node], used: &[bool], element: &Node) -> Option<Taken> {
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
            if self.hashes[index] == hash
                && let Some(taken) = test(object, priors, index, element)
            {
                return Some(taken);
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
    hash_of_members(rigid.chain(bound).map(|member| part(element, *member)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn h02_texts_that_are_equal_have_one_word_and_others_seldom_do() {
        let texts =
            ["a", "b", "ab", "ba", "aab", "rule-00001", "rule-00002", "role-00001x", "x-rule-00001", "日本", "本日"];
        for (index, text) in texts.iter().enumerate() {
            for (other_index, other) in texts.iter().enumerate() {
                let may_match = Word(word_of_text(text)).may_match(Word(word_of_text(other)));
                assert_eq!(may_match, index == other_index, "{text:?} {other:?}");
            }
        }
    }

    #[test]
    fn h02_a_zero_word_may_match_any() {
        assert!(Word(0).may_match(Word(7)) && Word(7).may_match(Word(0)) && !Word(7).may_match(Word(8)));
        assert_eq!(word_of_text(""), 0);
    }
}
