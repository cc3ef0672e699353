//! Source addresses of modules (E20): a local directory, a registry, or another remote source.

/// A source address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModuleSource {
    /// A directory, relative to the module that calls.
    Local(String),
    /// `[host/]namespace/name/provider`
    Registry(String),
    /// Any other remote source.
    Remote(String),
}

impl ModuleSource {
    /// Parses a source address.
    pub fn parse(text: &str) -> Option<ModuleSource> {
        if text == "." || text == ".." || text.starts_with("./") || text.starts_with("../") {
            return Some(ModuleSource::Local(text.to_owned()));
        }
        let package = text.split("//").next().unwrap_or(text);
        let parts: Vec<&str> = package.split('/').collect();
        let is_name = |part: &&str| {
            !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
        };
        let is_host = |part: &str| part.contains('.') || part.contains(':');
        let registry = match parts.as_slice() {
            [_, _, _] => parts.iter().all(is_name),
            [host, rest @ ..] if rest.len() == 3 => {
                is_host(host)
                    && !matches!(*host, "github.com" | "bitbucket.org" | "gitlab.com")
                    && rest.iter().all(is_name)
            }
            _ => false,
        };
        if registry {
            return Some(ModuleSource::Registry(text.to_owned()));
        }
        let known =
            ["github.com/", "bitbucket.org/", "gitlab.com/", "git@"].iter().any(|prefix| text.starts_with(prefix));
        let is_remote = known || text.contains("::") || text.contains("://") || text.starts_with('/');
        is_remote.then(|| ModuleSource::Remote(text.to_owned()))
    }

    /// The directory of a local source, relative to the root module; `None` for other sources.
    pub fn directory(&self, from: &str) -> Option<String> {
        let ModuleSource::Local(path) = self else { return None };
        let mut parts: Vec<&str> = from.split('/').filter(|part| !part.is_empty()).collect();
        for part in path.split('/') {
            match part {
                "" | "." => {}
                ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
                part => parts.push(part),
            }
        }
        Some(parts.join("/"))
    }
}
