//! The producer of a file: an engine and its version.

use std::fmt;

use planfuzz_core::dialect::{Dialect, Engine};

/// The engine and the version that a file names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Producer {
    /// Which engine.
    pub engine: Engine,
    /// Its version; `None` where the file has none, or one that cannot be parsed.
    pub release: Option<Release>,
    /// The version as the file has it.
    pub text: String,
}

/// The first two numbers of a version, on which formats and rules depend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Release {
    /// The first number.
    pub major: u16,
    /// The second number.
    pub minor: u16,
}

impl Release {
    /// A version.
    pub const fn new(major: u16, minor: u16) -> Release {
        Release { major, minor }
    }

    /// Parses a version such as `1.11.4` or `1.13.0-dev`.
    pub fn parse(text: &str) -> Option<Release> {
        let mut numbers = text.split('.');
        let mut number = || numbers.next().filter(|part| part.bytes().all(|byte| byte.is_ascii_digit()))?.parse().ok();
        let release = Release { major: number()?, minor: number()? };
        numbers.next().is_some_and(|patch| patch.starts_with(|first: char| first.is_ascii_digit())).then_some(release)
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl Producer {
    /// The producer of an engine and the version of a file.
    pub fn new(engine: Engine, text: &str) -> Producer {
        Producer { engine, release: Release::parse(text), text: text.chars().take(40).collect() }
    }

    /// Whether this version is at least the given one of its engine; `None` if the version is not known.
    pub fn is_since(&self, terraform: Release, opentofu: Release) -> Option<bool> {
        let since = match self.engine {
            Engine::Terraform => terraform,
            Engine::OpenTofu => opentofu,
        };
        self.release.map(|release| release >= since)
    }

    /// The dialect of the version; 1.0 of the engine if its major version is not 1, the default one if it is not known.
    pub fn dialect(&self) -> Dialect {
        let fallback = match self.engine {
            Engine::Terraform => Dialect::TERRAFORM_1_11,
            Engine::OpenTofu => Dialect::OPENTOFU_1_12,
        };
        let Some(release) = self.release else { return fallback };
        let minor = if release.major == 1 { release.minor } else { 0 };
        let engine = match self.engine {
            Engine::Terraform => "terraform",
            Engine::OpenTofu => "opentofu",
        };
        format!("{engine}-1.{minor}").parse().unwrap_or(fallback)
    }
}

impl fmt::Display for Producer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let engine = self.engine.title();
        match self.text.as_str() {
            "" => write!(f, "{engine} of an unknown version"),
            text => write!(f, "{engine} {text}"),
        }
    }
}

/// The engine of providers, by the registries in their addresses; the first recognized one decides.
pub(super) fn engine_of<'a>(mut providers: impl Iterator<Item = &'a str>) -> Option<Engine> {
    providers.find_map(|provider| match provider {
        text if text.contains("registry.opentofu.org/") => Some(Engine::OpenTofu),
        text if text.contains("registry.terraform.io/") => Some(Engine::Terraform),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_and_others_are_not() {
        let of = |text| Release::parse(text).map(|release| (release.major, release.minor));
        assert_eq!(of("1.11.4"), Some((1, 11)));
        assert_eq!(of("0.12.0-rc1"), Some((0, 12)));
        assert_eq!(of("1.13.0-dev"), Some((1, 13)));
        for text in ["", "1", "1.2", "1.x.0", "v1.2.3", "1.2.beta"] {
            assert_eq!(of(text), None, "{text}");
        }
        assert_eq!(Producer::new(Engine::Terraform, "0.15.2").dialect().to_string(), "terraform-1.0");
        assert_eq!(Producer::new(Engine::OpenTofu, "1.12.0-dev").dialect(), Dialect::OPENTOFU_1_12);
    }

    #[test]
    fn registries_identify_engines() {
        assert_eq!(engine_of(["x", "registry.opentofu.org/a/b"].into_iter()), Some(Engine::OpenTofu));
        assert_eq!(engine_of(["terraform.io/builtin/terraform"].into_iter()), None);
    }
}
