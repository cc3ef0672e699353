//! The state of one resource instance (lifecycle.md section 1).

pub mod file;
mod object;
mod private;

use std::collections::BTreeMap;

pub use object::{Object, Status, Stored};
pub use private::Private;

use crate::value::Text;

/// The key of a deposed object (PL80): eight lower-case hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeposedKey(Text);

impl DeposedKey {
    /// A key; `None` for text that is no key.
    pub fn new(text: &str) -> Option<DeposedKey> {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        (text.len() == 8 && text.bytes().all(is_digit)).then(|| DeposedKey(text.into()))
    }

    /// The key of zeros.
    pub fn zeros() -> DeposedKey {
        DeposedKey("00000000".into())
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for DeposedKey {
    fn default() -> DeposedKey {
        DeposedKey::zeros()
    }
}

/// The objects of one resource instance: at most one current, any number deposed.
#[derive(Clone, Debug, Default)]
pub struct InstanceState {
    /// The current object.
    pub current: Option<Object>,
    /// Deposed objects by their keys.
    pub deposed: BTreeMap<DeposedKey, Object>,
}

impl InstanceState {
    /// The state of an instance that does not exist.
    pub const ABSENT: InstanceState = InstanceState { current: None, deposed: BTreeMap::new() };

    /// Whether there is no object at all: such an instance is pruned (A71).
    pub fn is_absent(&self) -> bool {
        self.current.is_none() && self.deposed.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pl80_deposed_keys() {
        assert_eq!(DeposedKey::new("0000000a").map(|key| key.as_str().to_owned()).as_deref(), Some("0000000a"));
        for text in ["", "0000000", "0000000A", "0000000ab", "0000000g"] {
            assert_eq!(DeposedKey::new(text), None, "{text}");
        }
    }
}
