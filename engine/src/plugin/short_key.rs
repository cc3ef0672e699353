//! RSA keys of fewer than 2,048 bits. Engines accept them from a provider down to 1,024 bits, and some provider frameworks use one; the TLS
//! library here does not accept them. Their signatures are checked with PKCS#1 and SHA-256, in TLS 1.2.

use aws_lc_rs::signature::{RSA_PKCS1_1024_8192_SHA256_FOR_LEGACY_USE_ONLY, UnparsedPublicKey};
use rustls::SignatureScheme;
use rustls::crypto::WebPkiSupportedAlgorithms;
use rustls::pki_types::{
    AlgorithmIdentifier, CertificateDer, InvalidSignature, SignatureVerificationAlgorithm, alg_id,
};
use rustls::server::ParsedCertificate;

/// The signature algorithms of such keys.
pub(super) static ALGORITHMS: WebPkiSupportedAlgorithms =
    WebPkiSupportedAlgorithms { all: &[&ShortKey], mapping: &[(SignatureScheme::RSA_PKCS1_SHA256, &[&ShortKey])] };

/// Whether a certificate has such a key.
pub(super) fn has_short_key(certificate: &CertificateDer<'_>) -> bool {
    /// The part of a key that identifies it as an RSA key.
    const RSA: [u8; 11] = [0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01];
    /// Bytes of a key of 2,048 bits, without its frame.
    const LONG: usize = 256;
    let Ok(parsed) = ParsedCertificate::try_from(certificate) else { return false };
    let key = parsed.subject_public_key_info();
    key.len() < LONG && key.windows(RSA.len()).any(|part| part == RSA)
}

#[derive(Debug)]
struct ShortKey;

impl SignatureVerificationAlgorithm for ShortKey {
    fn verify_signature(&self, key: &[u8], message: &[u8], signature: &[u8]) -> Result<(), InvalidSignature> {
        let key = UnparsedPublicKey::new(&RSA_PKCS1_1024_8192_SHA256_FOR_LEGACY_USE_ONLY, key);
        key.verify(message, signature).map_err(|_| InvalidSignature)
    }

    fn public_key_alg_id(&self) -> AlgorithmIdentifier {
        alg_id::RSA_ENCRYPTION
    }

    fn signature_alg_id(&self) -> AlgorithmIdentifier {
        alg_id::RSA_PKCS1_SHA256
    }
}

#[cfg(test)]
pub(super) mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};

    use super::*;

    /// A certificate of a key of 1,024 bits, as a handshake line has it.
    pub(in crate::plugin) const CERTIFICATE: &str = "MIIBnDCCAQWgAwIBAgIBATANBgkqhkiG9w0BAQsFADAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwHhcNMjAwMTAxMDAwMDAwWhcNNDkwMTAxMDAwMDAwWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwgZ8wDQYJKoZIhvcNAQEBBQADgY0AMIGJAoGBANl+FaIZzIi3UOAsEVRxiA6uwPOY7wjteDhVT0kFpCouVjHf0kdc6KBrTAnCUS99fZuMoIM8AyDJD26Yhgg1KNPqz3AlCa3If9b8PTchDxo1lR6wIfIoHlhHGGPeb7+PW3dEebyqiepmZST/4d0Kyi/P1QROAfcVyd5zYYS22HQdAgMBAAEwDQYJKoZIhvcNAQELBQADgYEAKg/Q1SjMFN5qU1xmXqa6eEEq4p+kqTVKVB+dbCT/DmirG+I+5HpeDBPeA3aIbaKHevt+ZHoWVtLHSi9HrPrYp2MjntNjV2ihMIsEg34m8vXBZgwiJAdXacxD1tAty9WebjsoiSXZNUZpqbv9hdffB8Sx7Z8Z/s4kJi9sHUCbEkQ";

    /// What it signed, and how.
    const MESSAGE: &[u8] = b"a handshake";
    const SIGNATURE: &str = "jCLDNvsARisFUMqtmDt+hKxTNCFR6cORGF1Psrq6EBJxEA81cSu9e2RJCWwLS6ptwCs879ZNEvVv3pSJXront4MwveyxB3J2lbvZ4r8Yp4aX3f9NJjh0Tm3NZ4UZAKGrNJFf2sdmqDcVDLWyYnbQxoI5X+WCPXulclBKvYKuMIY=";

    #[test]
    fn a_signature_of_a_short_key_is_checked() {
        let certificate = CertificateDer::from(STANDARD_NO_PAD.decode(CERTIFICATE).expect("base64"));
        assert!(has_short_key(&certificate));
        let key = ParsedCertificate::try_from(&certificate).expect("a certificate").subject_public_key_info();
        // The bits of the key itself are what follows the frame and its name.
        let own = &key[key.len() - 140..];
        let signature = STANDARD.decode(SIGNATURE).expect("base64");
        assert!(ShortKey.verify_signature(own, MESSAGE, &signature).is_ok());
        assert!(ShortKey.verify_signature(own, b"another", &signature).is_err());
    }
}
