//! Addresses of resources in an engine's output.

use crate::provider_address::ProviderAddress;

/// The resource that a type name stands for: its job, and the number of the helper if it is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Named {
    /// The provider.
    pub provider_address: ProviderAddress,
    /// The job.
    pub job: usize,
    /// The helper, if it is one.
    pub helper: Option<usize>,
}

impl Named {
    /// Reads a type name: `six_3`, `six_3_h0`.
    pub fn parse(type_name: &str) -> Option<Named> {
        let mut parts = type_name.split('_');
        let name = parts.next()?;
        let provider_address =
            ProviderAddress::ALL.into_iter().find(|provider_address| provider_address.name() == name)?;
        let job = number(parts.next()?)?;
        let helper = match parts.next() {
            None => None,
            Some(part) => Some(number(part.strip_prefix('h')?)?),
        };
        parts.next().is_none().then_some(Named { provider_address, job, helper })
    }
}

/// A number as it is printed here: no sign, no zeros before it.
fn number(text: &str) -> Option<usize> {
    text.parse().ok().filter(|number: &usize| number.to_string() == text)
}

/// An address in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Address<'t> {
    /// The resource.
    pub(super) named: Named,
    /// What follows it in the text. A path begins with a dot, so an index or a key that follows is part of the address.
    pub(super) rest: &'t str,
}

/// The addresses in a text, in their order: type, resource, and an instance's key. A type name without a resource counts too: engines name
/// the inside of a configuration that way.
pub(super) fn addresses(text: &str) -> impl Iterator<Item = Address<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < text.len() {
            let rest = &text[at..];
            let end = rest.find(|char: char| !is_of_name(char)).unwrap_or(rest.len());
            if end == 0 {
                at += rest.chars().next().map_or(1, char::len_utf8);
                continue;
            }
            at += end;
            if let Some(named) = Named::parse(&rest[..end]) {
                return Some(Address { named, rest: after_resource(&text[at..]) });
            }
        }
        None
    })
}

fn is_of_name(char: char) -> bool {
    char.is_alphanumeric() || char == '_' || char == '-'
}

/// What follows the resource's name and the key.
fn after_resource(text: &str) -> &str {
    let Some(name) = text.strip_prefix('.') else { return text };
    let rest = name.trim_start_matches(is_of_name);
    match rest.strip_prefix('[') {
        None => rest,
        Some(key) => super::go::bracketed(key).map_or(rest, |(_, rest)| rest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(String, usize, Option<usize>, String)> {
        let found = addresses(text);
        found
            .map(|a| (a.named.provider_address.name().to_owned(), a.named.job, a.named.helper, a.rest.to_owned()))
            .collect()
    }

    #[test]
    fn addresses_are_found_with_the_text_after_them() {
        assert_eq!(found("for six_3.r.bl[0].x: no"), [("six".into(), 3, None, ".bl[0].x: no".into())]);
        assert_eq!(found("module.gone.sixd_0.r[\"a]b\"].x"), [("sixd".into(), 0, None, ".x".into())]);
        assert_eq!(found("data.five_12_h3.h[7], and"), [("five".into(), 12, Some(3), ", and".into())]);
        assert_eq!(found("fived_1.r (deposed object 0000000a)").len(), 1);
        for none in ["six", "six_", "six_x", "asix_1.r", "six_01.r", "six_1_2.r", "six_1_h.r", "six_1_h1_h2", "é"] {
            assert!(found(none).is_empty(), "{none}");
        }
    }
}
