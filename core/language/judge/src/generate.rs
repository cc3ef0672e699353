//! Expressions by number, over the named values of [`crate::scope`].
//!
//! [`used`] gives the scope of an expression: the named values that it mentions.

use planfuzz_language::SourcePlace;
use planfuzz_language::expression::notation::{Locals, ROOT};
use planfuzz_language::expression::{ReferenceStep, parse};
use planfuzz_language_generate::{Choices, Form, Names, Want};

/// One of this many expressions compresses a string; never within another call, because only its decompressed text is compared.
const PACKED: usize = 400;

/// Named values of other kinds than the wanted one; one of them is chosen now and then.
const ODD: [&str; 6] = ["ud", "nul", "nuls", "nuln", "us", "udsens"];

/// Named values that are rendered as templates.
const TEMPLATES: [&str; 8] = ["s1", "tpl", "sens", "us", "nuls", "tplbad", "tplmore", "s2"];

/// Choices from a seed.
#[derive(Clone, Copy, Debug)]
pub struct Seeded(u64);

impl Seeded {
    /// The choices for expression number `number` of a seed.
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

/// Named values that exist before an expression is generated.
struct Given<'l>(&'l Locals);

impl Names for Given<'_> {
    fn name(&mut self, want: Want, choices: &mut dyn Choices) -> String {
        if want == Want::Form(Form::Template) {
            return TEMPLATES[choices.below(TEMPLATES.len())].to_owned();
        }
        let fitting = || self.0.iter().filter(|local| want.fits(local.1.ty())).map(|local| local.0.as_str());
        let count = fitting().count();
        let is_odd = count == 0 || choices.below(16) == 0;
        let name = if is_odd { Some(ODD[choices.below(ODD.len())]) } else { fitting().nth(choices.below(count)) };
        name.unwrap_or(ODD[0]).to_owned()
    }

    fn folder(&self) -> Option<&str> {
        Some("dir")
    }
}

/// Expression number `number` of a seed.
pub fn expression(locals: &Locals, seed: u64, number: u64) -> String {
    let (mut names, mut choices) = (Given(locals), Seeded::new(seed, number));
    if choices.below(PACKED) == 0 {
        return format!("base64gzip({})", planfuzz_language_generate::text(&mut names, &mut choices));
    }
    planfuzz_language_generate::expression(&mut names, &mut choices)
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
    use planfuzz_language_generate::FUNCTIONS;

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
    fn a_scope_has_the_mentioned_names() {
        let locals = crate::scope().expect("a scope");
        let used = used(&locals, "local.n1 + length(local.ls1[*])");
        assert_eq!(used.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["ls1", "n1"]);
    }
}
