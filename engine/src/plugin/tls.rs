//! The TLS between engines and providers: each side makes a certificate of its own and passes it to the other beforehand, so each trusts
//! exactly one certificate and no authority.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use rcgen::{
    BasicConstraints, CertificateParams, ExtendedKeyUsagePurpose, IsCa, KeyPair, KeyUsagePurpose,
    PKCS_ECDSA_P521_SHA512,
};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{
    CryptoProvider, WebPkiSupportedAlgorithms, aws_lc_rs, verify_tls12_signature, verify_tls13_signature,
};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName, UnixTime};
use rustls::version::TLS12;
use rustls::{
    ALL_VERSIONS, CertificateError, ClientConfig, DigitallySignedStruct, Error, SignatureScheme,
    SupportedProtocolVersion,
};

use super::short_key::{self, has_short_key};

/// The name in both certificates.
pub(super) const NAME: &str = "localhost";

/// The certificate of this side.
#[derive(Debug)]
pub(super) struct Identity {
    pem: String,
    certificate: CertificateDer<'static>,
    key: PrivateKeyDer<'static>,
}

impl Identity {
    /// Makes a new one.
    ///
    /// # Errors
    /// The library cannot make it, for a reason in words.
    pub(super) fn new() -> Result<Identity, String> {
        let words = |problem: rcgen::Error| problem.to_string();
        // The curve of engines: a provider whose library does not know it is shown no certificate; if the provider accepts that, the
        // connection is made.
        let key = KeyPair::generate_for(&PKCS_ECDSA_P521_SHA512).map_err(words)?;
        let mut params = CertificateParams::new([NAME.to_owned()]).map_err(words)?;
        // It is its own authority.
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature, KeyUsagePurpose::KeyCertSign];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth, ExtendedKeyUsagePurpose::ServerAuth];
        let certificate = params.self_signed(&key).map_err(words)?;
        Ok(Identity {
            pem: certificate.pem(),
            certificate: certificate.der().clone(),
            key: PrivatePkcs8KeyDer::from(key.serialize_der()).into(),
        })
    }

    /// The certificate in the form of a provider's environment.
    pub(super) fn pem(&self) -> &str {
        &self.pem
    }

    /// The configuration for a provider that shows this certificate, in base64.
    ///
    /// # Errors
    /// The text is not a certificate.
    pub(super) fn towards(&self, shown: &str) -> Result<Arc<ClientConfig>, &'static str> {
        let alphabet = &base64::alphabet::STANDARD;
        let lenient = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
        let der = GeneralPurpose::new(alphabet, lenient).decode(shown).map_err(|_| "its certificate is not base64")?;
        let certificate = CertificateDer::from(der);
        let mut crypto = aws_lc_rs::default_provider();
        let is_short = has_short_key(&certificate);
        if is_short {
            crypto.signature_verification_algorithms = short_key::ALGORITHMS;
        }
        let pinned = Pinned { certificate, algorithms: crypto.signature_verification_algorithms };
        let versions = if is_short { &[&TLS12][..] } else { ALL_VERSIONS };
        let config = builder(crypto.into(), versions)
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(pinned))
            .with_client_auth_cert(vec![self.certificate.clone()], self.key.clone_key());
        let mut config = config.map_err(|_| "the certificate of this end is refused")?;
        config.alpn_protocols = vec![b"h2".to_vec()];
        Ok(Arc::new(config))
    }
}

fn builder(
    crypto: Arc<CryptoProvider>,
    versions: &[&'static SupportedProtocolVersion],
) -> rustls::ConfigBuilder<ClientConfig, rustls::WantsVerifier> {
    let builder = ClientConfig::builder_with_provider(crypto).with_protocol_versions(versions);
    builder.unwrap_or_else(|_| unreachable!("the library's own versions fit its own provider"))
}

/// Trusts one certificate. The signatures still prove that the other side has its key.
#[derive(Debug)]
struct Pinned {
    certificate: CertificateDer<'static>,
    algorithms: WebPkiSupportedAlgorithms,
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        shown: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        match *shown == self.certificate {
            true => Ok(ServerCertVerified::assertion()),
            false => Err(CertificateError::ApplicationVerificationFailure.into()),
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
    use rustls::{ClientConnection, Connection, DistinguishedName, ServerConfig, ServerConnection};

    use super::*;

    /// A provider's side: it trusts one certificate, which is its own authority, as engines make theirs.
    #[derive(Debug)]
    struct Expecting(Pinned);

    impl ClientCertVerifier for Expecting {
        fn root_hint_subjects(&self) -> &[DistinguishedName] {
            &[]
        }

        fn verify_client_cert(
            &self,
            shown: &CertificateDer<'_>,
            _: &[CertificateDer<'_>],
            _: UnixTime,
        ) -> Result<ClientCertVerified, Error> {
            match *shown == self.0.certificate {
                true => Ok(ClientCertVerified::assertion()),
                false => Err(CertificateError::ApplicationVerificationFailure.into()),
            }
        }

        fn verify_tls12_signature(
            &self,
            message: &[u8],
            certificate: &CertificateDer<'_>,
            signed: &DigitallySignedStruct,
        ) -> Result<HandshakeSignatureValid, Error> {
            self.0.verify_tls12_signature(message, certificate, signed)
        }

        fn verify_tls13_signature(
            &self,
            message: &[u8],
            certificate: &CertificateDer<'_>,
            signed: &DigitallySignedStruct,
        ) -> Result<HandshakeSignatureValid, Error> {
            self.0.verify_tls13_signature(message, certificate, signed)
        }

        fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
            self.0.supported_verify_schemes()
        }
    }

    /// A certificate as the plugin library of Go makes it, in base64 without padding, and a server that shows it and requires this side's.
    fn provider(own: &Identity) -> (String, Arc<ServerConfig>) {
        let key = KeyPair::generate_for(&PKCS_ECDSA_P521_SHA512).expect("a key");
        let mut params = CertificateParams::new([NAME.to_owned()]).expect("parameters");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let certificate = params.self_signed(&key).expect("a certificate").der().clone();
        let crypto = Arc::new(aws_lc_rs::default_provider());
        let algorithms = crypto.signature_verification_algorithms;
        let verifier = Arc::new(Expecting(Pinned { certificate: own.certificate.clone(), algorithms }));
        let config = ServerConfig::builder_with_provider(crypto)
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_client_cert_verifier(verifier)
            .with_single_cert(vec![certificate.clone()], PrivatePkcs8KeyDer::from(key.serialize_der()).into());
        let shown = base64::engine::general_purpose::STANDARD_NO_PAD.encode(&certificate);
        (shown, Arc::new(config.expect("a configuration")))
    }

    /// Passes the bytes of each side to the other until the handshake is done.
    fn shake(client: Arc<ClientConfig>, server: Arc<ServerConfig>) -> Result<(), Error> {
        let name = ServerName::try_from(NAME).expect("a name");
        let mut client = Connection::from(ClientConnection::new(client, name)?);
        let mut server = Connection::from(ServerConnection::new(server)?);
        for _ in 0..20 {
            for is_client in [true, false] {
                let (from, to) = if is_client { (&mut client, &mut server) } else { (&mut server, &mut client) };
                let mut bytes = Vec::new();
                while from.wants_write() {
                    from.write_tls(&mut bytes).expect("written");
                }
                let mut rest = &bytes[..];
                while !rest.is_empty() {
                    to.read_tls(&mut rest).expect("read");
                    to.process_new_packets()?;
                }
            }
        }
        assert!(!client.is_handshaking() && !server.is_handshaking());
        Ok(())
    }

    #[test]
    fn each_end_trusts_the_certificate_that_it_was_shown_before() {
        let own = Identity::new().expect("an identity");
        let (shown, server) = provider(&own);
        shake(own.towards(&shown).expect("a configuration"), Arc::clone(&server)).expect("a connection");
        let (other, _) = provider(&own);
        let towards_other = own.towards(&other).expect("a configuration");
        assert!(shake(towards_other, server).is_err(), "another party shows another certificate");
        assert!(own.towards("no base64!").is_err());
    }

    #[test]
    fn a_short_key_is_spoken_to_as_it_can_be_checked() {
        let own = Identity::new().expect("an identity");
        let schemes = |shown: &str| {
            own.towards(shown).map(|config| {
                format!("{:?}", config.crypto_provider().signature_verification_algorithms.supported_schemes())
            })
        };
        assert_eq!(
            schemes(crate::plugin::short_key::tests::CERTIFICATE).expect("a configuration"),
            "[RSA_PKCS1_SHA256]"
        );
        let (shown, _) = provider(&own);
        assert_ne!(schemes(&shown).expect("a configuration"), "[RSA_PKCS1_SHA256]");
    }
}
