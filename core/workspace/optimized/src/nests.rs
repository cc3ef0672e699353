//! Types of nested blocks, and the value that the blocks of one type have together (E29, E31).

use std::sync::Arc;

use hashbrown::HashSet;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::schema::{NestedBlock, Nesting};
use planfuzz_core::value::{Text, Type, Value};
use planfuzz_language::expression::Marked;
use planfuzz_workspace::Diagnostic;

use crate::body_layout::BodyLayout;
use crate::expr::Evaluated;

/// A type of nested blocks.
#[derive(Debug)]
pub struct Kind {
    pub name: Text,
    nesting: Nesting,
    min: i128,
    max: i128,
    /// The layout of one block.
    pub layout: Arc<BodyLayout>,
    /// The value where there is no block of a single one.
    absent: Value,
}

/// Blocks of one type, with their keys; `is_unknown` if their number is not known.
#[derive(Default)]
pub struct Nest {
    all: Vec<(Option<Text>, Marked)>,
    is_unknown: bool,
}

impl Nest {
    /// Adds a block, and returns what is reported of it. One that cannot be evaluated counts, with its key (E29).
    pub fn add(&mut self, kind: &Kind, key: Option<Text>, is_template: bool, value: Evaluated) -> Evaluated<()> {
        if kind.is_single() {
            // Only the first is looked at; the others are counted.
            let (value, result) = kind.split(value);
            let is_first = self.all.is_empty();
            self.all.push((None, value));
            return if is_first || fault!(SecondSingleRead) { result } else { Ok(()) };
        }
        // E31: a template ends the blocks that an engine looks at; in a map it is not looked at itself.
        if self.is_unknown {
            return Ok(());
        }
        self.is_unknown = is_template;
        if is_template {
            return if kind.has_keys() { Ok(()) } else { value.map(drop) };
        }
        let (value, result) = kind.split(value);
        self.all.push((key, value));
        result
    }
}

impl Kind {
    /// A type of nested blocks, with the types of blocks in them.
    pub fn new(name: &Text, of: &NestedBlock, dialect: Dialect) -> Kind {
        let layout = BodyLayout::of(&of.block, dialect);
        let absent = match of.nesting {
            Nesting::Group => of.block.empty_value_of(&layout.ty),
            _ => Value::null(layout.ty.clone()),
        };
        let (min, max) = (of.min_items.into(), of.max_items.into());
        Kind { name: name.clone(), nesting: of.nesting, min, max, layout, absent }
    }

    /// Whether its blocks have keys.
    pub fn has_keys(&self) -> bool {
        self.nesting == Nesting::Map
    }

    fn is_single(&self) -> bool {
        matches!(self.nesting, Nesting::Single | Nesting::Group)
    }

    /// The value of a block, unknown if it has faults, and these.
    fn split(&self, value: Evaluated) -> (Marked, Evaluated<()>) {
        match value {
            Ok(value) => (value, Ok(())),
            Err(found) => (Value::unknown(self.layout.ty.clone()).into(), Err(found)),
        }
    }

    /// The value of all blocks, or what is wrong with their number or keys.
    pub fn collect(&self, nest: Nest) -> Evaluated {
        let Nest { all, is_unknown } = nest;
        // Each key that was there before is an error of its own.
        let again = repeated(all.iter().filter_map(|(key, _)| key.as_ref()));
        if again > 0 {
            return Err(vec![Diagnostic::error(format!("Duplicate {} block", self.name)); again]);
        }
        if let Some(summary) = self.miscounted(all.len() as i128).filter(|_| !is_unknown || fault!(TemplateCounted)) {
            return Err(vec![Diagnostic::error(summary)]);
        }
        if is_unknown {
            return Ok(Value::unknown(self.ty()).into());
        }
        let element = &self.layout.ty;
        let mut parts = all;
        let value = match self.nesting {
            Nesting::Single | Nesting::Group => {
                Some(parts.pop().map_or_else(|| self.absent.clone().into(), |(_, value)| value))
            }
            Nesting::List if element.has_dynamic() => Some(Marked::tuple(without_keys(parts))),
            Nesting::List => Marked::list(element, without_keys(parts)),
            Nesting::Set => Marked::set(element, without_keys(parts)),
            Nesting::Map => {
                let entries = parts.into_iter().map(|(key, value)| (key.unwrap_or_default(), value)).collect();
                if element.has_dynamic() { Some(Marked::object(entries)) } else { Marked::map(element, entries) }
            }
        };
        match value {
            Some(value) => Ok(value),
            None => Err(vec![Diagnostic::error(format!("Inconsistent {} blocks", self.name))]),
        }
    }

    fn miscounted(&self, count: i128) -> Option<String> {
        let name = &self.name;
        match self.is_single() {
            true if count > 1 => Some(format!("Duplicate {name} block")),
            true if self.min > count => Some(format!("Missing {name} block")),
            false if self.max > 0 && self.max < count => Some(format!("Too many {name} blocks")),
            false if self.min > count => Some(format!("Insufficient {name} blocks")),
            _ => None,
        }
    }

    fn ty(&self) -> Type {
        let element = self.layout.ty.clone();
        match self.nesting {
            Nesting::Single | Nesting::Group => element,
            Nesting::List => Type::list(element),
            Nesting::Set => Type::set(element),
            Nesting::Map => Type::map(element),
        }
    }
}

fn without_keys(parts: Vec<(Option<Text>, Marked)>) -> Vec<Marked> {
    parts.into_iter().map(|(_, value)| value).collect()
}

/// How many keys were there before.
fn repeated<'k>(keys: impl Iterator<Item = &'k Text>) -> usize {
    let mut known = HashSet::new();
    keys.filter(|key| !known.insert(*key)).count()
}
