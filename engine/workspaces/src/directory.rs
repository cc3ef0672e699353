//! Writes a workspace as files: the configuration, the directories of its modules, and the state.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_workspace::{Meanwhile, completed};

/// The most modules that a configuration may have, counted once per call path: a call in a cycle has no end.
const MAX_MODULES: usize = 1000;

/// The state file of the local backend.
const STATE: &str = "terraform.tfstate";

/// Writes a workspace. The modules are installed as an engine does it: with a list of their directories.
///
/// # Errors
/// A file cannot be written, or there are too many modules.
pub fn write(at: &Path, files: &BTreeMap<String, Json>, state: Option<&Json>) -> io::Result<()> {
    for (path, contents) in files {
        let path = at.join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, contents.to_compact())?;
    }
    let mut modules = vec![module("", "", ".")];
    find_modules(files, "", "", &mut modules)?;
    fs::create_dir_all(at.join(".terraform/modules"))?;
    let manifest = Json::object([("Modules", Json::Array(modules))]);
    fs::write(at.join(".terraform/modules/modules.json"), manifest.to_compact())?;
    match state {
        Some(state) => fs::write(at.join(STATE), state_file(state)?),
        None => Ok(()),
    }
}

/// The bytes of the state file; `None` if there is none.
///
/// # Errors
/// The file cannot be read.
pub fn state(at: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(at.join(STATE)) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(problem) if problem.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(problem) => Err(problem),
    }
}

/// Changes the state file as if that happened after a plan was made: gives it another serial or another lineage.
///
/// # Errors
/// The state file cannot be read or written.
pub fn meanwhile(at: &Path, what: Meanwhile) -> io::Result<()> {
    let (name, value) = match what {
        Meanwhile::Nothing => return Ok(()),
        Meanwhile::Written => ("serial", Json::int(1000)),
        Meanwhile::Foreign => ("lineage", Json::string("another")),
    };
    let bytes = match state(at)? {
        Some(bytes) => bytes,
        None => state_file(&Json::Object(Vec::new()))?.into_bytes(),
    };
    let state = Json::parse_bytes(&bytes).map_err(io::Error::other)?;
    let Json::Object(mut members) = state else { return Err(io::Error::other("a state file that is no object")) };
    members.retain(|(member, _)| &**member != name);
    members.push((name.into(), value));
    fs::write(at.join(STATE), Json::Object(members).to_indented())
}

fn module(key: &str, source: &str, dir: &str) -> Json {
    Json::object([("Key", Json::string(key)), ("Source", Json::string(source)), ("Dir", Json::string(dir))])
}

fn find_modules(files: &BTreeMap<String, Json>, dir: &str, key: &str, modules: &mut Vec<Json>) -> io::Result<()> {
    if modules.len() > MAX_MODULES {
        return Err(io::Error::other("too many modules"));
    }
    let is_here = |path: &str| path.rsplit_once('/').map_or("", |(dir, _)| dir) == dir;
    for (_, contents) in files.iter().filter(|(path, _)| is_here(path)) {
        let Some(Json::Object(calls)) = contents.member("module") else { continue };
        for (name, call) in calls {
            let call = match call {
                Json::Array(calls) => calls.first().unwrap_or(&Json::Null),
                call => call,
            };
            let Some(Json::String(source)) = call.member("source") else { continue };
            let below = resolved(dir, source);
            let key = if key.is_empty() { name.to_string() } else { format!("{key}.{name}") };
            modules.push(module(&key, source, if below.is_empty() { "." } else { &below }));
            find_modules(files, &below, &key, modules)?;
        }
    }
    Ok(())
}

/// The directory of a local source, from that of the module that names it.
fn resolved(dir: &str, source: &str) -> String {
    let mut parts: Vec<&str> = dir.split('/').filter(|part| !part.is_empty()).collect();
    for part in source.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// A state file; indented as engines write it, since they compare the text that they read.
fn state_file(state: &Json) -> io::Result<String> {
    Ok(completed(state, Dialect::RELEASE, "workspace").map_err(io::Error::other)?.to_indented())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_state_file_that_is_not_there_is_none() {
        let home = std::env::temp_dir().join(format!("planfuzz-state-{}", std::process::id()));
        fs::create_dir_all(&home).expect("a directory");
        assert!(matches!(state(&home), Ok(None)));
        fs::create_dir(home.join(STATE)).expect("a directory in its place");
        let (read, changed) = (state(&home), meanwhile(&home, Meanwhile::Written));
        fs::remove_dir_all(&home).expect("removed");
        assert!(read.is_err() && changed.is_err());
    }

    #[test]
    fn sources_are_resolved_from_their_module() {
        assert_eq!(resolved("", "./m/net"), "m/net");
        assert_eq!(resolved("m/net", "./../../m/sub"), "m/sub");
    }
}
