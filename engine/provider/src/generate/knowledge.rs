//! Knowledge of one resource type's configurations.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use planfuzz_core::schema::{Attribute, Block, Shape};
use planfuzz_core::value::Value;

use super::forms::{FORMS, NUMBERS, hinted};
use super::rng::Rng;

/// How many words of an attribute are kept, and how many accepted configurations of a type.
const MOST_WORDS: usize = 64;
const MOST_CONFIGS: usize = 48;

/// How often a known word is taken, in percent: new words find more than they cost.
const KNOWN: usize = 65;

/// Knowledge of one resource type.
#[derive(Clone, Debug, Default)]
pub struct Knowledge {
    words: HashMap<String, Vec<Word>>,
    /// Keys of attributes by their names, for messages that name them.
    names: BTreeMap<String, Vec<String>>,
    /// Keys of attributes that a configuration may leave out.
    optional: BTreeSet<String>,
    /// How often each attribute was set in an accepted configuration, and how often it was refused for being set.
    presence: HashMap<String, (u32, u32)>,
    /// Configurations that were accepted.
    corpus: Vec<Value>,
}

/// One thing learned, which can be applied to other [`Knowledge`] later ([`Knowledge::learn`]).
#[derive(Clone, Debug)]
pub enum Lesson {
    /// How often a word of an attribute was accepted and refused.
    Word {
        /// The attribute's key.
        key: String,
        /// The word.
        text: String,
        /// How often it was accepted.
        good: u32,
        /// How often it was refused.
        bad: u32,
    },
    /// An attribute was set.
    Presence {
        /// The attribute's key.
        key: String,
        /// Whether it was accepted.
        is_good: bool,
    },
    /// An accepted configuration, and which one it replaces if there are too many.
    Accepted(Value, usize),
}

/// A word for an attribute, with its counts.
#[derive(Clone, Debug)]
struct Word {
    text: String,
    good: u32,
    bad: u32,
}

impl Knowledge {
    /// The knowledge that the schema alone gives.
    pub fn of(block: &Block) -> Knowledge {
        let mut knowledge = Knowledge::default();
        knowledge.read(block, "");
        knowledge
    }

    fn read(&mut self, block: &Block, prefix: &str) {
        for (name, attribute) in block.attributes.iter() {
            self.read_attribute(name, attribute, prefix);
        }
        for (name, nested) in block.block_types.iter() {
            let key = key(prefix, name);
            self.name(name, &key);
            if nested.min_items == 0 {
                self.optional.insert(key.clone());
            }
            self.read(&nested.block, &key);
        }
    }

    fn read_attribute(&mut self, name: &str, attribute: &Attribute, prefix: &str) {
        if !attribute.required && !attribute.optional {
            return;
        }
        let key = key(prefix, name);
        self.name(name, &key);
        if attribute.optional {
            self.optional.insert(key.clone());
        }
        if let Shape::Nested(nested) = &attribute.shape {
            for (name, attribute) in nested.attributes.iter() {
                self.read_attribute(name, attribute, &key);
            }
        }
    }

    fn name(&mut self, name: &str, key: &str) {
        self.names.entry(name.to_owned()).or_default().push(key.to_owned());
    }

    /// The keys of attributes of that name.
    pub fn keys(&self, name: &str) -> &[String] {
        self.names.get(name).map_or(&[], Vec::as_slice)
    }

    /// Whether an attribute may be left out.
    pub fn is_optional(&self, key: &str) -> bool {
        self.optional.contains(key)
    }

    /// All keys.
    pub fn all_keys(&self) -> impl Iterator<Item = &String> {
        self.names.values().flatten()
    }

    /// Adds a lesson.
    pub fn learn(&mut self, lesson: Lesson) {
        match lesson {
            Lesson::Word { key, text, good, bad } => self.fared(&key, &text, good, bad),
            Lesson::Presence { key, is_good } => self.was_there(&key, is_good),
            Lesson::Accepted(config, place) => self.keep(config, place),
        }
    }

    /// Counts how often a word was accepted and refused.
    fn fared(&mut self, key: &str, text: &str, good: u32, bad: u32) {
        let words = self.words.entry(key.to_owned()).or_default();
        if let Some(word) = words.iter_mut().find(|word| word.text == text) {
            word.good = word.good.saturating_add(good);
            word.bad = word.bad.saturating_add(bad);
        } else if words.len() < MOST_WORDS {
            words.push(Word { text: text.to_owned(), good, bad });
        } else if let Some(worst) = words.iter_mut().min_by_key(|word| i64::from(word.good) - i64::from(word.bad))
            && worst.good < worst.bad.max(1)
        {
            // The new word replaces the worst.
            *worst = Word { text: text.to_owned(), good, bad };
        }
    }

    /// Counts that an attribute was accepted or refused for being set.
    fn was_there(&mut self, key: &str, is_good: bool) {
        let (good, bad) = self.presence.entry(key.to_owned()).or_default();
        let count = if is_good { good } else { bad };
        *count = count.saturating_add(1);
    }

    /// In how many of a hundred configurations an optional attribute should be set.
    pub fn share(&self, key: &str) -> usize {
        /// The share of an attribute without counts.
        const FIRST: usize = 30;
        let (good, bad) = self.presence.get(key).copied().unwrap_or_default();
        match (good, bad) {
            // It cannot be configured at all.
            (0, 3..) => 0,
            (good, bad) => FIRST * (good as usize + 1) / (good as usize + bad as usize + 1),
        }
    }

    /// A word for an attribute of that key.
    pub fn text(&self, key: &str, rng: &mut Rng) -> String {
        let name = key.rsplit('.').next().unwrap_or(key);
        if rng.chance(KNOWN)
            && let Some(word) = self.known(key, rng)
        {
            return word;
        }
        let hints: Vec<&str> = hinted(name).collect();
        if rng.chance(60)
            && let Some(hint) = rng.pick(&hints)
        {
            return (*hint).to_owned();
        }
        match rng.pick(FORMS) {
            Some(form) if rng.chance(80) => (*form).to_owned(),
            _ => format!("x{}", rng.below(1000)),
        }
    }

    /// A number for an attribute of that key.
    pub fn number(&self, key: &str, rng: &mut Rng) -> String {
        let known = self.known(key, rng).filter(|word| word.parse::<f64>().is_ok() && rng.chance(50));
        known.unwrap_or_else(|| rng.pick(NUMBERS).map_or_else(|| "1".to_owned(), |text| (*text).to_owned()))
    }

    /// A known word: the better of two random ones, of those that have not failed every time.
    fn known(&self, key: &str, rng: &mut Rng) -> Option<String> {
        let words = self.words.get(key)?;
        let usable: Vec<&Word> = words.iter().filter(|word| word.good > 0 || word.bad < 3).collect();
        let score =
            |word: &Word| (1.0 + f64::from(word.good)) / (1.0 + f64::from(word.good) + 2.0 * f64::from(word.bad));
        let (a, b) = (rng.pick(&usable)?, rng.pick(&usable)?);
        Some(if score(a) >= score(b) { a.text.clone() } else { b.text.clone() })
    }

    /// Remembers an accepted configuration.
    fn keep(&mut self, config: Value, place: usize) {
        if self.corpus.contains(&config) {
            return;
        }
        match self.corpus.len() < MOST_CONFIGS {
            true => self.corpus.push(config),
            false => self.corpus[place % MOST_CONFIGS] = config,
        }
    }

    /// A random accepted configuration.
    pub fn kept(&self, rng: &mut Rng) -> Option<Value> {
        rng.pick(&self.corpus).cloned()
    }
}

/// The key of a name below a prefix.
pub fn key(prefix: &str, name: &str) -> String {
    if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") }
}
