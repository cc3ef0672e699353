//! The address of a provider, and providers that already run.

use std::fmt;

use planfuzz_core::json::{Json, JsonError};

use crate::provider_address::Protocol;

/// Where a provider listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A socket of this machine, by its path.
    Unix(String),
    /// A host and a port.
    Tcp(String),
}

impl Address {
    /// The address of a network, with the names that handshakes use.
    pub(super) fn of(network: &str, text: &str) -> Option<Address> {
        match network {
            "unix" => Some(Address::Unix(text.to_owned())),
            "tcp" | "tcp4" | "tcp6" => Some(Address::Tcp(text.to_owned())),
            _ => None,
        }
    }

    /// The address as a URI.
    pub(super) fn uri(&self) -> String {
        match self {
            Address::Unix(path) => format!("unix://{path}"),
            Address::Tcp(at) => format!("http://{at}"),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Unix(text) | Address::Tcp(text) => f.write_str(text),
        }
    }
}

/// A provider that already runs: an entry of `TF_REATTACH_PROVIDERS`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reattach {
    /// Its source address, the name of the entry.
    pub source: String,
    /// Its protocol.
    pub protocol: Protocol,
    /// Where it listens.
    pub address: Address,
}

/// Why a text is not such an entry.
#[derive(Debug, thiserror::Error)]
pub enum ReattachError {
    /// It is not JSON of that form.
    #[error("expected the JSON of TF_REATTACH_PROVIDERS: {0}")]
    Form(#[from] JsonError),
    /// It names no provider, or several.
    #[error("expected one provider, found {0}")]
    Count(usize),
    /// Something in it cannot be used.
    #[error("expected {expected}, found {found:?}")]
    Unusable {
        /// The expected value.
        expected: &'static str,
        /// The value found.
        found: String,
    },
}

/// The string member of that name; `None` if it is absent.
fn text<'j>(of: &'j Json, name: &str) -> Result<Option<&'j str>, JsonError> {
    of.member(name).map(Json::expect_string).transpose()
}

impl Reattach {
    /// Reads the value of `TF_REATTACH_PROVIDERS`, which names one provider.
    ///
    /// # Errors
    /// The value has another form, names no provider or several, or names an unsupported protocol or address.
    pub fn parse(variable: &str) -> Result<Reattach, ReattachError> {
        let json = Json::parse(variable)?;
        let [(source, entry)] = json.expect_object()? else {
            return Err(ReattachError::Count(json.expect_object()?.len()));
        };
        let unusable = |expected, found: &str| ReattachError::Unusable { expected, found: found.to_owned() };
        match text(entry, "Protocol")? {
            Some("grpc") => {}
            other => return Err(unusable("the protocol grpc", other.unwrap_or_default())),
        }
        let protocol = match entry.member("ProtocolVersion").map(Json::expect_i64).transpose()? {
            None | Some(0 | 5) => Protocol::Five,
            Some(6) => Protocol::Six,
            Some(other) => return Err(unusable("protocol version 5 or 6", &other.to_string())),
        };
        let at = entry.member("Addr").unwrap_or(&Json::Null);
        let (network, address) = (text(at, "Network")?.unwrap_or_default(), text(at, "String")?.unwrap_or_default());
        let address = Address::of(network, address).ok_or_else(|| unusable("a unix or tcp address", network))?;
        Ok(Reattach { source: source.to_string(), protocol, address })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_that_engines_read_are_read() {
        let text = r#"{"tf.example.com/a/b":{"Protocol":"grpc","ProtocolVersion":6,"Pid":1,"Test":true,"Addr":{"Network":"unix","String":"/s"}}}"#;
        let read = Reattach::parse(text).expect("an entry");
        let address = Address::Unix("/s".into());
        assert_eq!(read, Reattach { source: "tf.example.com/a/b".into(), protocol: Protocol::Six, address });
        for (from, to) in [("grpc", "netrpc"), ("unix", "pipe"), ("6", "4"), ("{\"tf", "{\"x\":{},\"tf")] {
            assert!(Reattach::parse(&text.replacen(from, to, 1)).is_err(), "{to}");
        }
    }
}
