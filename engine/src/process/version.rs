//! The engine and version of a binary, and the dialect that it follows.

use std::fmt;

use planfuzz_core::dialect::{Dialect, Engine};

/// The version that an engine prints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// Which engine.
    pub engine: Engine,
    /// 1 of 1.11.4.
    pub major: u16,
    /// 11 of 1.11.4.
    pub minor: u16,
    /// What follows the minor version: `.4`, `.0-beta1`.
    pub rest: String,
}

/// The dialect that stands for a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Followed {
    /// The dialect.
    pub dialect: Dialect,
    /// If it is not the version's own: a line for the user.
    pub warning: Option<String>,
}

impl Version {
    /// Reads the first line that `version` prints: the JSON form does not name the engine.
    pub(super) fn parse(printed: &str) -> Option<Version> {
        let (name, version) = printed.lines().next()?.split_once(" v")?;
        let engine = match name {
            "Terraform" => Engine::Terraform,
            "OpenTofu" => Engine::OpenTofu,
            _ => return None,
        };
        let (major, after) = version.trim_end().split_once('.')?;
        let end = after.find(|char: char| !char.is_ascii_digit()).unwrap_or(after.len());
        let (minor, rest) = after.split_at(end);
        Some(Version { engine, major: major.parse().ok()?, minor: minor.parse().ok()?, rest: rest.to_owned() })
    }

    /// The dialect of this version, or of the nearest earlier one that is known; for a version older than all of them, the first.
    pub fn dialect(&self) -> Followed {
        let (first, last) = known(self.engine);
        let minor = match self.major {
            0 => first,
            1 => self.minor.clamp(first, last),
            _ => last,
        };
        let name = match self.engine {
            Engine::Terraform => format!("terraform-1.{minor}"),
            Engine::OpenTofu => format!("opentofu-1.{minor}"),
        };
        let dialect = name.parse().unwrap_or_default();
        let exact = self.major == 1 && self.minor == minor;
        let warning = (!exact).then(|| format!("{self} is not among the known versions; it is taken for {dialect}"));
        Followed { dialect, warning }
    }
}

/// The first and the last minor version with a dialect.
fn known(engine: Engine) -> (u16, u16) {
    match engine {
        Engine::Terraform => (Dialect::TERRAFORM_1_11.minor(), Dialect::TERRAFORM_1_17.minor()),
        // The dialect of 1.12 stands for 1.11 too.
        Engine::OpenTofu => (11, Dialect::OPENTOFU_1_13.minor()),
    }
}

impl Version {
    /// The number alone: `1.11.4`.
    pub fn number(&self) -> String {
        format!("{}.{}{}", self.major, self.minor, self.rest)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let engine = self.engine.title();
        write!(f, "{engine} {}.{}{}", self.major, self.minor, self.rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn followed(line: &str) -> (String, bool) {
        let followed = Version::parse(line).expect("a version").dialect();
        (followed.dialect.to_string(), followed.warning.is_some())
    }

    #[test]
    fn a_version_is_read_from_the_first_line() {
        let version = Version::parse("Terraform v1.11.4\non linux_amd64\n").expect("a version");
        assert_eq!((version.major, version.minor, version.rest.as_str()), (1, 11, ".4"));
        assert_eq!(version.to_string(), "Terraform 1.11.4");
        assert_eq!(Version::parse("OpenTofu v1.12.0-beta1\n").expect("a version").to_string(), "OpenTofu 1.12.0-beta1");
        for line in
            ["", "Terraform", "Terraform v", "Terraform v1", "Terraform vx.1", "Terragrunt v1.2.3", "Terraform v1."]
        {
            assert_eq!(Version::parse(line), None, "{line}");
        }
    }

    #[test]
    fn an_unknown_version_follows_the_nearest_earlier_one_with_a_warning() {
        assert_eq!(followed("Terraform v1.11.4"), ("terraform-1.11".into(), false));
        assert_eq!(followed("Terraform v1.14.0"), ("terraform-1.14".into(), false));
        assert_eq!(followed("Terraform v1.17.0-dev"), ("terraform-1.17".into(), false));
        assert_eq!(followed("Terraform v1.30.1"), ("terraform-1.17".into(), true));
        assert_eq!(followed("Terraform v1.5.7"), ("terraform-1.11".into(), true));
        assert_eq!(followed("Terraform v0.15.2"), ("terraform-1.11".into(), true));
        assert_eq!(followed("Terraform v2.11.0"), ("terraform-1.17".into(), true));
        assert_eq!(followed("OpenTofu v1.11.2"), ("opentofu-1.11".into(), false));
        assert_eq!(followed("OpenTofu v1.14.0"), ("opentofu-1.13".into(), true));
    }
}
