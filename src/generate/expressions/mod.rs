//! Expressions by number: of a wanted kind mostly, over named values that are known, unknown, null and marked; now and then slightly
//! wrong ones.
//!
//! An expression and its scope are made together: a name comes into being where the expression first wants one, so that a case holds
//! nothing that it does not use. What is made is a function of the seed and the number.

mod functions;
mod grammar;
mod scope;

use arbitrary::Unstructured;
use planfuzz_core::dialect::Dialect;

use super::cases::{Stream, fill};
use super::dice::Dice;
use crate::case::{Call, Case, ExpressionCall, Task};
use grammar::Grammar;

pub use functions::FUNCTIONS;

/// The bytes of dice for one expression.
const ENTROPY: usize = 640;

/// What an expression is wanted to give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// A bool.
    Bool,
    /// A number.
    Number,
    /// A string.
    Text,
    /// A list of strings.
    Texts,
    /// A list of numbers.
    Numbers,
    /// A set of strings.
    Set,
    /// A map of strings.
    Map,
    /// A tuple.
    Tuple,
    /// An object.
    Object,
    /// Anything.
    Any,
}

/// The expressions of a seed.
#[derive(Debug)]
pub struct Expressions {
    seed: u64,
    dialects: Vec<Dialect>,
    buffer: Vec<u8>,
}

impl Expressions {
    /// The expressions of a seed, each in one of the dialects, in turns.
    pub fn new(dialects: &[Dialect], seed: u64) -> Expressions {
        Expressions { seed, dialects: dialects.to_vec(), buffer: Vec::new() }
    }

    /// Expression number `number`.
    pub fn case(&mut self, number: u64) -> Case {
        let dialect = self.dialects.get(number as usize % self.dialects.len().max(1)).copied().unwrap_or_default();
        fill(&mut self.buffer, ENTROPY, self.seed, number, Stream::Expressions);
        Case::new(dialect, Task::Call(Call::Expression(expression(&mut Unstructured::new(&self.buffer)))))
    }
}

/// An expression with its scope, of the bytes of a fuzzer.
pub fn expression(bytes: &mut Unstructured<'_>) -> ExpressionCall {
    let mut dice = Dice::new(bytes);
    Grammar::new(&mut dice).call()
}

#[cfg(test)]
mod tests {
    use planfuzz_language::SourcePlace;
    use planfuzz_language::expression::parse;

    use super::*;
    use crate::case::CaseFile;

    #[test]
    fn expressions_are_a_function_of_seed_and_number_and_read_back() {
        let (mut one, mut other) = (Expressions::new(&Dialect::ALL, 3), Expressions::new(&Dialect::ALL, 3));
        let mut parsed = 0;
        for number in (0..2_000).rev() {
            other.case(number / 2);
            let (case, again) = (one.case(number), other.case(number));
            let document = case.to_json();
            assert_eq!(document, again.to_json());
            let read = CaseFile::from_json(&document).expect("a case is written so that it can be read");
            assert_eq!(read.case.to_json(), document);
            let Task::Call(Call::Expression(call)) = case.task else { panic!("an expression") };
            parsed += u32::from(parse(&call.expression, SourcePlace::default()).is_ok());
        }
        assert!(parsed > 1_900, "{parsed}");
    }
}
