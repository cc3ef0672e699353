//! Changes of outputs (PL60).

use super::action::Action;
use super::change::Change;
use super::encoded::{EncodedChange, EncodedValue, NotDecodable, NotEncodable};
use super::marked::Marked;
use crate::address::OutputAddress;
use crate::value::Type;

/// A change of an output (PL60): it is created, updated or deleted, or nothing happens to it.
///
/// ```
/// use planfuzz_core::address::OutputAddress;
/// use planfuzz_core::plans::{Action, Change, Marked, OutputChange};
/// use planfuzz_core::value::{Type, Value};
///
/// let after = Marked::plain(Value::string("10.0.0.1"));
/// let change = Change { action: Action::Create, before: Marked::null(Type::Dynamic), after, importing: None };
/// let output = OutputChange::new(OutputAddress::of_root("ip"), change, false)?;
/// assert_eq!(output.addr().to_string(), "output.ip");
/// assert_eq!(output.encode()?.decode()?, output);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct OutputChange<V = Marked> {
    addr: OutputAddress,
    change: Change<V>,
    sensitive: bool,
}

/// A change of an output with its values encoded.
pub type EncodedOutputChange = OutputChange<EncodedValue>;

/// The error for a change that no output can have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{addr}: expected no-op, create, update or delete without import, found {found}")]
pub struct NotOfAnOutput {
    addr: OutputAddress,
    found: String,
}

impl<V> OutputChange<V> {
    /// The change of the output at an address; `sensitive` where one of the two values is.
    ///
    /// # Errors
    /// An action that outputs do not have, and an import.
    pub fn new(addr: OutputAddress, change: Change<V>, sensitive: bool) -> Result<OutputChange<V>, NotOfAnOutput> {
        let found = match (change.action, &change.importing) {
            (Action::NoOp | Action::Create | Action::Update | Action::Delete, None) => {
                return Ok(OutputChange { addr, change, sensitive });
            }
            (action, None) => action.to_string(),
            (action, Some(_)) => format!("{action} with an import"),
        };
        Err(NotOfAnOutput { addr, found })
    }

    /// The address.
    pub fn addr(&self) -> &OutputAddress {
        &self.addr
    }

    /// The change; values are of any type, and written against the dynamic one.
    pub fn change(&self) -> &Change<V> {
        &self.change
    }

    /// Whether one of the two values is sensitive.
    pub fn sensitive(&self) -> bool {
        self.sensitive
    }

    fn with<W>(&self, change: Change<W>) -> OutputChange<W> {
        OutputChange { addr: self.addr.clone(), change, sensitive: self.sensitive }
    }
}

impl OutputChange {
    /// The change with its values written.
    ///
    /// # Errors
    /// Values that msgpack cannot encode.
    pub fn encode(&self) -> Result<EncodedOutputChange, NotEncodable> {
        Ok(self.with(self.change.encode(&Type::Dynamic)?))
    }
}

impl EncodedOutputChange {
    /// The change with its values read.
    ///
    /// # Errors
    /// Bytes that encode no values.
    pub fn decode(&self) -> Result<OutputChange, NotDecodable> {
        let change: &EncodedChange = &self.change;
        Ok(self.with(change.decode(&Type::Dynamic)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plans::Importing;
    use crate::value::{PathSet, Value};

    fn change(action: Action) -> Change {
        let before = Marked::null(Type::Dynamic);
        let after = Marked::new(Value::string("a"), &PathSet::parse([""]).expect("the root"));
        Change { action, before, after, importing: None }
    }

    #[test]
    fn pl60_actions_of_outputs() {
        let addr = OutputAddress::of_root("o");
        let of = |action| OutputChange::new(addr.clone(), change(action), true).is_ok();
        let some: Vec<_> = Action::ALL.iter().copied().filter(|action| of(*action)).collect();
        assert_eq!(some, [Action::NoOp, Action::Create, Action::Update, Action::Delete]);
        let imported = Change { importing: Some(Importing::Id("i".into())), ..change(Action::Create) };
        assert!(OutputChange::new(addr, imported, true).is_err());
    }

    #[test]
    fn pl60_values_are_written_against_the_dynamic_type() {
        let output = OutputChange::new(OutputAddress::of_root("o"), change(Action::Create), true).expect("an output");
        let written = output.encode().expect("written");
        let bytes = written.change().after.value.as_ref().expect("a value").as_msgpack();
        assert_eq!(bytes, b"\x92\xc4\x08\"string\"\xa1a");
        assert_eq!(written.decode().expect("read"), output);
    }
}
