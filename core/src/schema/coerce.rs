//! Forcing a value into a schema (S40 to S48).
//!
//! The types that the schema asks for are worked out once for the whole schema ([`Target`]); then the value is walked,
//! which costs what the value costs.

use super::crash::Crash;
use super::marks::elements;
use super::{Attribute, Block, NestedBlock, Nesting, Schema};
use crate::dialect::Dialect;
use crate::value::convert::convert;
use crate::value::{Node, Path, Step, Text, Type, Value, ValueError, ValueRef};

/// The error for a value that could not be coerced.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CoerceError {
    /// The value does not fit; the engine reports an error too, and goes on with an unknown of the implied type.
    #[error("{message}{}{path} ({rule})", if path.is_root() { "" } else { " at " })]
    Unfit {
        /// The rule of the specification that is broken.
        rule: &'static str,
        /// Where in the value, with the slip of S47.
        path: Path,
        /// What was expected and what was found.
        message: String,
    },
    /// The engine crashes (S45).
    #[error(transparent)]
    Crash(#[from] Crash),
}

impl CoerceError {
    /// Where in the value.
    pub fn path(&self) -> &Path {
        match self {
            CoerceError::Unfit { path, .. } => path,
            CoerceError::Crash(crash) => &crash.path,
        }
    }

    fn unfit(rule: &'static str, path: &Path, message: impl Into<String>) -> CoerceError {
        CoerceError::Unfit { rule, path: path.clone(), message: message.into() }
    }
}

impl Schema {
    /// Coerces a value to the resource's block (S40 to S48).
    ///
    /// # Errors
    /// As for [`Block::coerce`].
    pub fn coerce(&self, value: &Value, dialect: Dialect) -> Result<Value, CoerceError> {
        self.block.coerce(value, dialect)
    }
}

impl Block {
    /// Coerces a value to the block (S40 to S48): to one that conforms to the implied type, but for the collections
    /// that stand in the place of tuples and objects (S44), and for the maps of S45.
    ///
    /// Names are visited in byte order in every dialect, attributes before nested blocks; in Terraform it is any order
    /// (S47).
    ///
    /// # Errors
    /// A value that does not fit, with the first problem; or one on which the engine crashes.
    pub fn coerce(&self, value: &Value, dialect: Dialect) -> Result<Value, CoerceError> {
        Target::of(self, dialect).coerce(value.view(), &Path::root())
    }
}

/// A block with the types that coercion needs at hand.
struct Target<'s> {
    block: &'s Block,
    dialect: Dialect,
    /// The implied type (S30).
    implied: Type,
    attributes: Vec<(&'s Text, &'s Attribute, Type)>,
    blocks: Vec<(&'s Text, &'s NestedBlock, Target<'s>)>,
}

impl<'s> Target<'s> {
    fn of(block: &'s Block, dialect: Dialect) -> Target<'s> {
        let attributes = block.attributes.iter().map(|(name, of)| (name, of, of.spec_type(dialect)));
        let blocks = block.block_types.iter().map(|(name, of)| (name, of, Target::of(&of.block, dialect)));
        let (attributes, blocks): (Vec<_>, Vec<_>) = (attributes.collect(), blocks.collect());
        let of_attributes = attributes.iter().map(|(name, _, spec)| ((*name).clone(), spec.strip_optional()));
        let of_blocks =
            blocks.iter().map(|(name, of, target)| ((*name).clone(), of.nesting.member_type(target.implied.clone())));
        let implied = Type::object(of_attributes.chain(of_blocks));
        Target { block, dialect, implied, attributes, blocks }
    }

    fn coerce(&self, value: ValueRef<'_>, path: &Path) -> Result<Value, CoerceError> {
        if value.is_null() {
            return Ok(Value::null(self.implied.clone()));
        }
        if value.is_unknown() {
            return Ok(Value::unknown(self.implied.clone()));
        }
        let Some(object) = value.object_type() else {
            return Err(CoerceError::unfit("S40", path, "expected an object"));
        };
        let is_extra =
            |name: &Text| self.block.attributes.get(name).is_none() && self.block.block_types.get(name).is_none();
        if let Some(extra) = object.attributes().iter().find(|attribute| is_extra(&attribute.name)) {
            let message = format!("expected no attribute {:?}, found one", extra.name);
            return Err(CoerceError::unfit("S41", path, message));
        }
        let mut members = Vec::with_capacity(self.attributes.len() + self.blocks.len());
        for (name, attribute, spec) in &self.attributes {
            members.push(((*name).clone(), self.attribute(name, attribute, spec, value, path)?));
        }
        let mut path = path.clone();
        for (name, nested, target) in &self.blocks {
            members.push(((*name).clone(), target.member(name, nested.nesting, value.member(name), &path)?));
            // S47: the upstream slip.
            let lengthens = !matches!(nested.nesting, Nesting::Single | Nesting::Group);
            if lengthens && value.member(name).is_some_and(|member| !member.is_empty()) {
                path = path.attribute(name);
            }
        }
        Ok(self.assembled(members))
    }

    /// S42, S48.
    fn attribute(
        &self,
        name: &Text,
        attribute: &Attribute,
        spec: &Type,
        of: ValueRef<'_>,
        path: &Path,
    ) -> Result<Value, CoerceError> {
        let mut value = match of.member(name) {
            Some(member) => member.to_value(),
            None if attribute.optional || attribute.computed => Value::null(Type::Dynamic),
            None => {
                let message = format!("expected the required attribute {name:?}, found none");
                return Err(CoerceError::unfit("S42", path, message));
            }
        };
        let is_group = attribute.nested_type().is_some_and(|nested| nested.nesting == Nesting::Group);
        if is_group && value.is_null() && self.dialect.has_group_nested_types() {
            value = Value::object(Vec::new());
        }
        convert(&value, spec)
            .map_err(|error| CoerceError::unfit("S42", &path.attribute(name).join(&error.path()), error.to_string()))
    }

    /// S43 and S44: the member of the enclosing block that holds blocks of this target.
    fn member(
        &self,
        name: &Text,
        nesting: Nesting,
        value: Option<ValueRef<'_>>,
        path: &Path,
    ) -> Result<Value, CoerceError> {
        match (nesting, value) {
            (Nesting::Single, None) => Ok(Value::null(self.implied.clone())),
            (Nesting::Group, None) => Ok(self.block.empty_value_of(&self.implied)),
            (Nesting::Single | Nesting::Group, Some(value)) => self.coerce(value, &path.attribute(name)),
            (Nesting::List | Nesting::Set | Nesting::Map, None) => self.collection(nesting, Vec::new(), path),
            (Nesting::List | Nesting::Set | Nesting::Map, Some(value)) => self.blocks(name, nesting, value, path),
        }
    }

    /// S44.
    fn blocks(&self, name: &Text, nesting: Nesting, value: ValueRef<'_>, path: &Path) -> Result<Value, CoerceError> {
        if value.is_null() {
            return Ok(Value::null(self.collection_type(nesting)));
        }
        if value.is_unknown() {
            return Ok(Value::unknown(self.collection_type(nesting)));
        }
        if !value.ty().is_collection() && !matches!(value.ty(), Type::Tuple(_) | Type::Object(_)) {
            return Err(CoerceError::unfit("S44", path, format!("expected a {} of blocks {name:?}", nesting.name())));
        }
        let at = path.attribute(name);
        let mut coerced = Vec::with_capacity(value.len());
        for (step, element) in elements(value) {
            let key = match nesting {
                Nesting::Map => string_key(&step).ok_or_else(|| CoerceError::unfit("S44", &at, "expected a map"))?,
                _ => Text::default(),
            };
            coerced.push((key, self.coerce(element, &at.step(step))?));
        }
        if nesting == Nesting::Map && self.becomes_object(value, &coerced) {
            return Ok(Value::object(coerced));
        }
        self.collection(nesting, coerced, &at)
    }

    /// S45: whether the result for a map of blocks is an object.
    fn becomes_object(&self, input: ValueRef<'_>, coerced: &[(Text, Value)]) -> bool {
        if coerced.is_empty() {
            return false;
        }
        if matches!(input.ty(), Type::Object(_)) {
            return true;
        }
        if self.dialect.coerces_dynamic_map_blocks_by_schema() {
            return self.implied.has_dynamic();
        }
        coerced.iter().any(|(_, element)| input.ty().element() != Some(element.ty()))
    }

    fn collection_type(&self, nesting: Nesting) -> Type {
        let element = self.implied.clone();
        match nesting {
            Nesting::Single | Nesting::Group => element,
            Nesting::List => Type::list(element),
            Nesting::Set => Type::set(element),
            Nesting::Map => Type::map(element),
        }
    }

    fn collection(&self, nesting: Nesting, coerced: Vec<(Text, Value)>, path: &Path) -> Result<Value, CoerceError> {
        let made = match nesting {
            Nesting::Map => Value::map(&self.implied, coerced),
            Nesting::Set => Value::set(&self.implied, without_keys(coerced)),
            Nesting::Single | Nesting::Group | Nesting::List => Value::list(&self.implied, without_keys(coerced)),
        };
        made.map_err(|error: ValueError| Crash { rule: "S45", path: path.clone(), message: error.to_string() }.into())
    }

    /// The object of the members; it shares the implied type where it has that type.
    fn assembled(&self, members: Vec<(Text, Value)>) -> Value {
        let (ty, node) = Value::object(members).into_parts();
        let ty = if ty == self.implied { self.implied.clone() } else { ty };
        Value::from_parts(ty, node)
    }
}

fn without_keys(coerced: Vec<(Text, Value)>) -> Vec<Value> {
    coerced.into_iter().map(|(_, value)| value).collect()
}

/// The key of a block in a map: the elements of a set are their own keys, so a set of strings will do.
fn string_key(step: &Step) -> Option<Text> {
    match step {
        Step::Key(key) => Some(key.clone()),
        Step::Element(element) => match element.node() {
            Node::String(text) => Some(text.clone()),
            _ => None,
        },
        Step::Attribute(_) | Step::Index(_) => None,
    }
}

#[cfg(test)]
#[path = "coerce_tests.rs"]
mod tests;
