//! Which provider an instance belongs to.

/// A version of the plugin protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Protocol {
    /// Version 5: no nested attributes. The classic SDK uses it.
    Five,
    /// Version 6.
    Six,
}

/// A provider of a run. The settings of a provider hold for all its resource types, so instances that differ in them belong to different
/// providers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProviderAddress {
    /// Its protocol.
    pub protocol: Protocol,
    /// Whether it wants to be asked to plan destructions (L120).
    pub plan_destroy: bool,
}

impl ProviderAddress {
    /// All of them.
    pub const ALL: [ProviderAddress; 4] = [
        ProviderAddress { protocol: Protocol::Five, plan_destroy: false },
        ProviderAddress { protocol: Protocol::Five, plan_destroy: true },
        ProviderAddress { protocol: Protocol::Six, plan_destroy: false },
        ProviderAddress { protocol: Protocol::Six, plan_destroy: true },
    ];

    /// The host and namespace of every provider address here; there is no such registry to ask.
    pub const NAMESPACE: &'static str = "planfuzz.example.com/fuzz";

    /// The local name, with which its resource types begin: `five`, `fived`, `six`, `sixd`.
    pub fn name(self) -> &'static str {
        match (self.protocol, self.plan_destroy) {
            (Protocol::Five, false) => "five",
            (Protocol::Five, true) => "fived",
            (Protocol::Six, false) => "six",
            (Protocol::Six, true) => "sixd",
        }
    }

    /// The source address.
    pub fn source(self) -> String {
        format!("{}/{}", ProviderAddress::NAMESPACE, self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_name_contains_its_provider() {
        let names: std::collections::BTreeSet<_> =
            ProviderAddress::ALL.iter().map(|provider_address| provider_address.name()).collect();
        assert_eq!(names.len(), ProviderAddress::ALL.len());
        assert!(
            names.iter().all(|name| !name.contains('_')),
            "an engine takes what stands before the first underscore"
        );
    }
}
