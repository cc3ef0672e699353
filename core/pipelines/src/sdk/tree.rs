//! Config trees: the SDK's view of a configuration (Z41).

use planfuzz_core::json::{Json, JsonError};
use planfuzz_core::schema::Block;
use planfuzz_core::value::{Node, Number, Text, Truth, ValueRef};

use super::text::{UNKNOWN, plain_float};

/// A node of a config tree. Nulls are left out.
#[derive(Clone, Debug, PartialEq)]
pub enum Tree {
    /// Not known yet.
    Unknown,
    /// Not known yet, and left out of the tree: at apply (Z131). Only a whole list, set, map or object can be
    /// distinguished from something that is not there, because its path is still among those of unknown values.
    Withheld,
    /// A bool.
    Bool(bool),
    /// A number that is an integer of 64 bits.
    Int(i64),
    /// Any other number.
    Float(f64),
    /// A string.
    Text(String),
    /// The elements of a list or set, by position.
    List(Vec<Tree>),
    /// The entries of a map, or the attributes and blocks of an object, by the bytes of their names.
    Map(Vec<(Text, Tree)>),
}

impl Tree {
    /// The tree of an object that Core sends (Z41).
    pub fn of_object(object: ValueRef<'_>, block: &Block) -> Tree {
        let mut members = Vec::new();
        for (name, member) in object.entries() {
            let tree = match block.block_types.get(name) {
                Some(nested) => of_blocks(member, &nested.block),
                None => of_value(member),
            };
            if let Some(tree) = tree {
                members.push((name.clone(), tree));
            }
        }
        Tree::Map(members)
    }

    /// Reads a tree in the form of the vectors.
    ///
    /// # Errors
    /// A number does not fit into a tree.
    pub fn from_json(json: &Json) -> Result<Tree, JsonError> {
        match json {
            Json::Null => Err(json.unexpected("no null in a config tree (Z41)")),
            Json::Bool(bool) => Ok(Tree::Bool(*bool)),
            Json::String(text) => Ok(Tree::Text(text.to_string())),
            Json::Number(text) => {
                let number = Number::parse(text).map_err(|_| json.unexpected("a number"))?;
                Ok(of_number(&number))
            }
            Json::Array(_) => json.read_items(Tree::from_json).map(Tree::List),
            Json::Object(members) => match &members[..] {
                [(name, Json::Bool(true))] if **name == *"$unknown" => Ok(Tree::Unknown),
                _ => {
                    let read = |(name, json): &(Box<str>, Json)| -> Result<_, JsonError> {
                        let tree = Tree::from_json(json).map_err(|error| error.inside_member(name))?;
                        Ok((Text::new(name), tree))
                    };
                    let mut entries = members.iter().map(read).collect::<Result<Vec<_>, _>>()?;
                    entries.sort_by(|a, b| a.0.cmp(&b.0));
                    Ok(Tree::Map(entries))
                }
            },
        }
    }

    /// The tree in the form of the vectors.
    pub fn to_json(&self) -> Json {
        match self {
            Tree::Unknown | Tree::Withheld => Json::object([("$unknown", Json::Bool(true))]),
            Tree::Bool(bool) => Json::Bool(*bool),
            Tree::Int(int) => Json::int(*int),
            Tree::Float(float) => Json::Number(plain_float(*float).into()),
            Tree::Text(text) => Json::string(text),
            Tree::List(elements) => Json::Array(elements.iter().map(Tree::to_json).collect()),
            Tree::Map(entries) => Json::object(entries.iter().map(|(name, tree)| (name.as_str(), tree.to_json()))),
        }
    }

    /// The entry or member of a name.
    pub(super) fn get(&self, name: &str) -> Option<&Tree> {
        match self {
            Tree::Map(entries) => {
                let index = entries.binary_search_by(|(probe, _)| probe.as_str().cmp(name)).ok()?;
                Some(&entries[index].1)
            }
            _ => None,
        }
    }

    /// Whether there is an unknown at any depth.
    pub(super) fn has_unknown(&self) -> bool {
        match self {
            Tree::Unknown => true,
            Tree::List(elements) => elements.iter().any(Tree::has_unknown),
            Tree::Map(entries) => entries.iter().any(|(_, tree)| tree.has_unknown()),
            Tree::Withheld | Tree::Bool(_) | Tree::Int(_) | Tree::Float(_) | Tree::Text(_) => false,
        }
    }

    /// The weak text of a primitive (Z42), the token for an unknown.
    pub(super) fn weak_text(&self) -> Option<String> {
        match self {
            Tree::Unknown => Some(UNKNOWN.to_owned()),
            Tree::Bool(bool) => Some((if *bool { "1" } else { "0" }).to_owned()),
            Tree::Int(int) => Some(int.to_string()),
            Tree::Float(float) => Some(plain_float(*float)),
            Tree::Text(text) => Some(text.clone()),
            Tree::Withheld | Tree::List(_) | Tree::Map(_) => None,
        }
    }

    /// Z131: withholds the unknown members of objects at any depth.
    pub(super) fn withhold_unknowns(&mut self) {
        match self {
            Tree::Map(entries) => {
                for (_, tree) in entries {
                    match tree {
                        Tree::Unknown => *tree = Tree::Withheld,
                        other => other.withhold_unknowns(),
                    }
                }
            }
            Tree::List(elements) => {
                for element in elements.iter_mut().filter(|element| matches!(element, Tree::Map(_))) {
                    element.withhold_unknowns();
                }
            }
            _ => {}
        }
    }
}

/// The tree of blocks; null or empty blocks are left out.
fn of_blocks(blocks: ValueRef<'_>, block: &Block) -> Option<Tree> {
    match blocks.node() {
        Node::Null => None,
        Node::Unknown(_) => Some(Tree::Unknown),
        _ if blocks.is_empty() => None,
        _ => Some(Tree::List(elements(blocks).map(|element| of_block(element, block)).collect())),
    }
}

fn of_block(element: ValueRef<'_>, block: &Block) -> Tree {
    if element.is_unknown() { Tree::Unknown } else { Tree::of_object(element, block) }
}

fn of_value(value: ValueRef<'_>) -> Option<Tree> {
    Some(match value.node() {
        Node::Null => return None,
        Node::Unknown(_) => Tree::Unknown,
        Node::Bool(Truth(bool)) => Tree::Bool(*bool),
        Node::Number(number) => of_number(number),
        Node::String(text) => Tree::Text(text.to_string()),
        Node::Seq(_) if value.ty().is_collection() => Tree::List(elements(value).filter_map(of_value).collect()),
        Node::Seq(_) | Node::Map(_) => {
            Tree::Map(value.entries().filter_map(|(key, entry)| Some((key.clone(), of_value(entry)?))).collect())
        }
    })
}

fn elements(value: ValueRef<'_>) -> impl Iterator<Item = ValueRef<'_>> {
    (0..value.len()).filter_map(move |index| value.element(index))
}

fn of_number(number: &Number) -> Tree {
    match number.to_i64() {
        Some(int) => Tree::Int(int),
        // A number is parsed from its text as a float.
        None => Tree::Float(number.text().parse().unwrap_or(f64::NAN)),
    }
}
