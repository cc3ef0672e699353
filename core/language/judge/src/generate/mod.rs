//! Expressions by number, or of any source of choices: of a wanted kind mostly, over named values; now and then slightly wrong.
//!
//! What is made is a function of the choices alone ([`Choices`]) and of the named values that it may use, so that a fuzzer's bytes make
//! expressions as well as a seed does. [`used`] gives the scope of an expression: the named values that it mentions.

mod functions;
mod grammar;
mod patterns;
mod texts;

use planfuzz_language::SourcePlace;
use planfuzz_language::expression::notation::{Locals, ROOT};
use planfuzz_language::expression::{ReferenceStep, parse};

pub use functions::{FUNCTIONS, Signature};

/// What an expression is wanted to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// A bool.
    Bool,
    /// A number.
    Number,
    /// A small whole number.
    Small,
    /// A string.
    Text,
    /// A list of strings.
    Texts,
    /// A list of numbers.
    Numbers,
    /// A set.
    Set,
    /// A map.
    Map,
    /// A map of lists of strings.
    MapOfTexts,
    /// A tuple.
    Tuple,
    /// An object.
    Object,
    /// A list, set or tuple.
    Sequence,
    /// Anything.
    Any,
    /// A key or name that is there now and then.
    Key,
    /// A string of a certain form.
    Form(Form),
}

/// The forms of strings that functions read.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Format,
    Pattern,
    Replaced,
    Substitute,
    Json,
    Yaml,
    Csv,
    Base64,
    Encoding,
    Prefix,
    Time,
    Duration,
    DateForm,
    Digits,
    Path,
    Absolute,
    File,
    Folder,
    Glob,
    Uuid,
    Template,
}

/// Where choices come from.
pub trait Choices {
    /// A number below the limit, which is not 0.
    fn below(&mut self, limit: usize) -> usize;
}

/// The choices of a seed.
#[derive(Clone, Copy, Debug)]
pub struct Seeded(u64);

impl Seeded {
    /// The choices for number `number` of a seed.
    pub fn new(seed: u64, number: u64) -> Seeded {
        Seeded(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number.wrapping_mul(0xd134_2543_de82_ef95))
    }
}

impl Choices for Seeded {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % limit as u64) as usize
    }
}

/// Expression number `number` of a seed.
pub fn expression(locals: &Locals, seed: u64, number: u64) -> String {
    made(locals, &mut Seeded::new(seed, number))
}

/// The expression of these choices.
pub fn made(locals: &Locals, choices: &mut dyn Choices) -> String {
    grammar::Maker::new(locals, choices).whole()
}

/// The named values that an expression mentions.
pub fn used(locals: &Locals, expression: &str) -> Locals {
    let references = parse(expression, SourcePlace::default()).map(|tree| tree.references()).unwrap_or_default();
    let names: Vec<_> = references
        .iter()
        .filter(|reference| reference.root.as_str() == ROOT)
        .filter_map(|reference| match reference.steps.first() {
            Some(ReferenceStep::Attribute(name)) => Some(name.clone()),
            _ => None,
        })
        .collect();
    Locals::new(
        locals.iter().filter(|(name, _)| names.contains(name)).map(|(name, value)| (name.clone(), value.clone())),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_is_called_and_most_of_what_is_made_can_be_read() {
        let locals = crate::scope().expect("a scope");
        let made: Vec<String> = (0..20_000).map(|number| expression(&locals, 7, number)).collect();
        for signature in FUNCTIONS {
            let call = format!("{}(", signature.name);
            assert!(made.iter().any(|line| line.contains(&call)), "never called: {}", signature.name);
        }
        let read = made.iter().filter(|line| parse(line, SourcePlace::default()).is_ok()).count();
        assert!(read > 19_500, "{read}");
    }

    #[test]
    fn a_scope_is_what_is_mentioned() {
        let locals = crate::scope().expect("a scope");
        let used = used(&locals, "local.n1 + length(local.ls1[*])");
        assert_eq!(used.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["ls1", "n1"]);
    }
}
