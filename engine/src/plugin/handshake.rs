//! The line by which a provider announces its address.

use super::address::Address;
use super::error::HandshakeError;
use crate::provider_address::Protocol;

/// The content of the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handshake {
    /// The version of the provider protocol.
    pub protocol: Protocol,
    /// Where it listens.
    pub address: Address,
    /// Its certificate, in base64 without padding; empty if it does not use TLS.
    pub certificate: String,
}

impl Handshake {
    /// Reads `1|6|unix|/path|grpc|CERTIFICATE`.
    ///
    /// # Errors
    /// The line has another form, or names something that is not supported. The first problem is reported.
    pub fn parse(line: &str) -> Result<Handshake, HandshakeError> {
        let form = || HandshakeError::Form(line.chars().take(200).collect());
        let fields: Vec<&str> = line.trim().split('|').collect();
        let [core, version, network, address, rest @ ..] = fields.as_slice() else { return Err(form()) };
        if core.parse::<u32>().is_err() {
            return Err(form());
        }
        if *core != "1" {
            return Err(HandshakeError::Core((*core).to_owned()));
        }
        let protocol = match *version {
            "5" => Protocol::Five,
            "6" => Protocol::Six,
            other => return Err(HandshakeError::Protocol(other.to_owned())),
        };
        let transport = rest.first().copied().unwrap_or_default();
        if transport != "grpc" {
            return Err(HandshakeError::Transport(transport.to_owned()));
        }
        let address = Address::of(network, address).ok_or_else(|| HandshakeError::Network((*network).to_owned()))?;
        let certificate = rest.get(1).copied().unwrap_or_default().to_owned();
        Ok(Handshake { protocol, address, certificate })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_both_networks_are_read() {
        let read = Handshake::parse("1|5|unix|/tmp/plugin1|grpc|\n").expect("a handshake");
        assert_eq!((read.protocol, read.address.uri()), (Protocol::Five, "unix:///tmp/plugin1".to_owned()));
        let read = Handshake::parse("1|6|tcp|127.0.0.1:1|grpc|AbC|false").expect("a handshake");
        assert_eq!((read.protocol, read.address.uri()), (Protocol::Six, "http://127.0.0.1:1".to_owned()));
        assert_eq!(read.certificate, "AbC");
    }

    #[test]
    fn each_field_that_is_wrong_has_its_own_words() {
        let error = |line: &str| Handshake::parse(line).expect_err(line);
        assert!(matches!(error("hello"), HandshakeError::Form(_)));
        assert!(matches!(error("x|6|unix|/s|grpc|"), HandshakeError::Form(_)));
        assert!(matches!(error("2|6|unix|/s|grpc|"), HandshakeError::Core(_)));
        assert_eq!(error("1|4|unix|/s|netrpc|"), HandshakeError::Protocol("4".into()));
        assert!(matches!(error("1|5|unix|/s|netrpc|"), HandshakeError::Transport(_)));
        assert!(matches!(error("1|5|pipe|/s|grpc|"), HandshakeError::Network(_)));
    }
}
