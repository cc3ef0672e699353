//! Expressions by number.
//!
//! An expression is mostly of the wanted kind, now and then slightly wrong, over named values that are known, unknown, null and marked.
//! It is made together with its scope: a name is created where the expression first wants one, so a case holds nothing that it does
//! not use. The case is a function of the seed and the number.

mod scope;

use arbitrary::Unstructured;
use planfuzz_core::dialect::Dialect;
use planfuzz_language_generate::Choices;

use super::cases::{Stream, fill};
use super::dice::Dice;
use crate::case::{Call, Case, ExpressionCall, Task};
use scope::ScopeMaker;

pub use scope::functions;

/// The dialects whose expression language was checked against an engine; where the others differ is not known.
const CHECKED: [&str; 2] = ["terraform-1.11", "opentofu-1.12"];

/// The bytes of dice for one expression.
const ENTROPY: usize = 640;

impl Choices for Dice<'_, '_> {
    fn below(&mut self, limit: usize) -> usize {
        Dice::below(self, limit)
    }
}

/// The expressions of a seed.
#[derive(Debug)]
pub struct Expressions {
    seed: u64,
    dialects: Vec<Dialect>,
    buffer: Vec<u8>,
}

impl Expressions {
    /// The expressions of a seed. The dialects take turns: those whose language is known from an engine if there are any, else all.
    pub fn new(dialects: &[Dialect], seed: u64) -> Expressions {
        let checked: Vec<Dialect> =
            dialects.iter().copied().filter(|dialect| CHECKED.contains(&dialect.to_string().as_str())).collect();
        Expressions { seed, dialects: if checked.is_empty() { dialects.to_vec() } else { checked }, buffer: Vec::new() }
    }

    /// Expression number `number`.
    pub fn case(&mut self, number: u64) -> Case {
        let dialect = self.dialects.get(number as usize % self.dialects.len().max(1)).copied().unwrap_or_default();
        fill(&mut self.buffer, ENTROPY, self.seed, number, Stream::Expressions);
        Case::new(dialect, Task::Call(Call::Expression(expression(&mut Unstructured::new(&self.buffer)))))
    }
}

/// An expression with its scope, made from the bytes of a fuzzer.
pub fn expression(bytes: &mut Unstructured<'_>) -> ExpressionCall {
    let (mut dice, mut names) = (Dice::new(bytes), ScopeMaker::default());
    let expression = planfuzz_language_generate::expression(&mut names, &mut dice);
    ExpressionCall { scope: names.scope(), expression }
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
