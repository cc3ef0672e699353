//! The blocks of one type in a body, and the value that they have together (E29, E31).

use std::collections::BTreeSet;

use planfuzz_core::schema::{NestedBlock, Nesting};
use planfuzz_core::value::{Text, Type, Value};
use planfuzz_workspace::Diagnostic;

use crate::evaluation::{Evaluated, Evaluation, Marked};

/// The blocks of one type, in order, with their keys.
#[derive(Default)]
pub struct Nest {
    all: Vec<(Option<Text>, Marked)>,
    /// Whether one of them is a template, so that their number is not known.
    is_unknown: bool,
}

/// A block that stands in a body, written or generated.
pub struct BodyBlock {
    /// Its key, where its type forms a map.
    pub key: Option<Text>,
    /// Whether only is known what is written in it (E31).
    pub is_template: bool,
    /// Its value, or why it has none.
    pub value: Evaluated,
}

impl Nest {
    /// Adds a block; returns the faults that are reported of it. A block with faults counts (E29).
    pub fn add(&mut self, of: &NestedBlock, evaluation: Evaluation<'_>, block: BodyBlock) -> Evaluated<()> {
        let BodyBlock { key, is_template, value } = block;
        let is_seen = match of.nesting {
            Nesting::Single | Nesting::Group => self.all.is_empty(),
            // E31: behind a template nothing is looked at, and in a map not even the template.
            Nesting::List | Nesting::Set => !self.is_unknown,
            Nesting::Map => !self.is_unknown && !is_template,
        };
        self.is_unknown |= is_template && !is_single(of);
        let unknown = || Value::unknown(of.block.implied_type(evaluation.dialect)).into();
        let (value, result) = match value {
            Ok(value) => (value, Ok(())),
            Err(found) => (unknown(), Err(found)),
        };
        if is_seen || is_single(of) {
            self.all.push((key, value));
        }
        if is_seen { result } else { Ok(()) }
    }

    /// The value of all blocks of a type, or what is wrong with their number or keys.
    pub fn collect(self, name: &str, of: &NestedBlock, evaluation: Evaluation<'_>) -> Evaluated {
        let keys: Vec<&Text> = self.all.iter().filter_map(|(key, _)| key.as_ref()).collect();
        let again = keys.len() - keys.iter().collect::<BTreeSet<_>>().len();
        if again > 0 {
            return Err(vec![Diagnostic::error(format!("Duplicate {name} block")); again]);
        }
        if !self.is_unknown
            && let Some(summary) = misnumbered(name, of, self.all.len())
        {
            return Err(vec![Diagnostic::error(summary)]);
        }
        let element = of.block.implied_type(evaluation.dialect);
        let whole = |ty: Type| self.is_unknown.then(|| Marked::from(Value::unknown(ty)));
        let parts = || self.all.iter().map(|(_, value)| value.clone()).collect::<Vec<_>>();
        let first = || self.all.first().map(|(_, value)| value.clone());
        let value = match of.nesting {
            Nesting::Single => Some(first().unwrap_or_else(|| Value::null(element).into())),
            Nesting::Group => Some(first().unwrap_or_else(|| of.block.empty_value(evaluation.dialect).into())),
            Nesting::List => whole(Type::list(element.clone())).or_else(|| match element.has_dynamic() {
                true => Some(Marked::tuple(parts())),
                false => Marked::list(&element, parts()),
            }),
            Nesting::Set => whole(Type::set(element.clone())).or_else(|| Marked::set(&element, parts())),
            Nesting::Map => whole(Type::map(element.clone())).or_else(|| {
                let entries = self.all.iter().map(|(key, value)| (key.clone().unwrap_or_default(), value.clone()));
                let entries = entries.collect();
                if element.has_dynamic() { Some(Marked::object(entries)) } else { Marked::map(&element, entries) }
            }),
        };
        value.ok_or_else(|| vec![Diagnostic::error(format!("Inconsistent {name} blocks"))])
    }
}

/// What is wrong with the number of blocks of a type.
fn misnumbered(name: &str, of: &NestedBlock, count: usize) -> Option<String> {
    let (count, min, max) = (count as i128, i128::from(of.min_items), i128::from(of.max_items));
    match is_single(of) {
        true if count > 1 => Some(format!("Duplicate {name} block")),
        true if min > count => Some(format!("Missing {name} block")),
        false if max > 0 && count > max => Some(format!("Too many {name} blocks")),
        false if min > count => Some(format!("Insufficient {name} blocks")),
        _ => None,
    }
}

fn is_single(of: &NestedBlock) -> bool {
    matches!(of.nesting, Nesting::Single | Nesting::Group)
}
