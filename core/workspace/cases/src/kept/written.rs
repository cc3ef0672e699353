//! A configuration as it lies on a disk, converted to the documents of a case.
//!
//! Problem: a case has all of its modules below the root, in JSON syntax, and no files of values; a user's configuration is in either
//! syntax, calls modules beside the root and modules that an engine installed, and sets variables in `terraform.tfvars`. Idea: every module
//! gets a directory below the root, and the sources of calls point there; values of variables become their defaults, which are converted
//! and validated alike. Guarantee: declarations stay as they are written.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use planfuzz_core::json::Json;
use planfuzz_language::check::Schemas;
use planfuzz_language::config::{Module, ModuleSource, load_file, parse_native, text_at};
use planfuzz_language::write::write_module;
use planfuzz_language::{Diagnostic, FileId, Severity, SourcePlace, Sources, config};

use super::edits::{by_labels, member_mut, object_at};
use super::{KeptError, MAX_FILES};

/// The document of a module.
const MAIN: &str = "main.tf.json";

/// Where an engine keeps the modules that it installed.
const INSTALLED: &str = ".terraform/modules/";

/// A configuration as read from a disk, by paths from the root module.
#[derive(Clone, Debug, Default)]
pub struct Written {
    /// Files in native and JSON syntax. Those of modules beside the root begin with `..`.
    pub files: Vec<(String, String)>,
    /// Files of values of the root's variables; the last one that names a variable counts.
    pub values: Vec<(String, String)>,
    /// The installed modules by call; from the engine's `modules.json`.
    pub installed: Installed,
}

/// Where the modules are that an engine installed: for the directory of a module and the name of a call in it, the directory.
#[derive(Clone, Debug, Default)]
pub struct Installed(BTreeMap<(String, String), String>);

impl Installed {
    /// Of `modules.json` below `.terraform/modules`.
    ///
    /// # Errors
    /// The document is not such a manifest.
    pub fn read(manifest: &Json) -> Result<Installed, planfuzz_core::json::JsonError> {
        let mut directories = BTreeMap::new();
        for module in manifest.member("Modules").map_or(Ok(&[][..]), Json::expect_array)? {
            let text = |name: &str| module.member(name).map_or(Ok(""), Json::expect_string);
            directories.insert(text("Key")?.to_owned(), tidy(text("Dir")?));
        }
        let of = |(key, directory): (&String, &String)| {
            let (caller, name) = key.rsplit_once('.').unwrap_or(("", key));
            let caller = if caller.is_empty() { String::new() } else { directories.get(caller)?.clone() };
            (!name.is_empty()).then(|| ((caller, name.to_owned()), directory.clone()))
        };
        Ok(Installed(directories.iter().filter_map(of).collect()))
    }

    /// The directory of the called module; `None` if it is not on the disk.
    pub fn directory(&self, caller: &str, name: &str, source: &str) -> Option<String> {
        match ModuleSource::parse(source)? {
            local @ ModuleSource::Local(_) => local.directory(caller),
            _ => self.0.get(&(caller.to_owned(), name.to_owned())).cloned(),
        }
    }
}

/// A path with neither `.` nor a way back within it.
fn tidy(path: &str) -> String {
    ModuleSource::Local(path.to_owned()).directory("").unwrap_or_default()
}

/// Where the directories of modules are in a case: below the root.
struct Places {
    /// The directory for modules that an engine installed.
    installed: String,
    /// The directory for modules beside the root.
    outside: String,
}

impl Places {
    /// Picks directories that do not exist in the root.
    fn of(written: &Written) -> Places {
        let roots: BTreeSet<&str> =
            written.files.iter().filter_map(|(path, _)| path.split_once('/')).map(|(root, _)| root).collect();
        let free = |name: &str| {
            let numbered = (1..).map(|number| format!("{name}-{number}"));
            let mut names = std::iter::once(name.to_owned()).chain(numbered);
            names.find(|name| !roots.contains(name.as_str())).unwrap_or_default()
        };
        Places { installed: free("installed"), outside: free("outside") }
    }

    fn placed(&self, directory: &str) -> String {
        let up = directory.split('/').take_while(|part| *part == "..").count();
        if up > 0 {
            let rest: Vec<&str> = directory.split('/').skip(up).collect();
            return [&*self.outside, &up.to_string()].into_iter().chain(rest).collect::<Vec<_>>().join("/");
        }
        match directory.strip_prefix(INSTALLED) {
            Some(rest) => format!("{}/{rest}", self.installed),
            None => directory.to_owned(),
        }
    }
}

/// The source that leads from one directory below the root to another.
fn source(from: &str, to: &str) -> String {
    let up = from.split('/').filter(|part| !part.is_empty()).count();
    let start = if up == 0 { "./".to_owned() } else { "../".repeat(up) };
    format!("{start}{to}")
}

fn main_of(directory: &str) -> String {
    if directory.is_empty() { MAIN.to_owned() } else { format!("{directory}/{MAIN}") }
}

/// Each module as one document, by its path. Only schemas show where native syntax has blocks for an attribute.
pub(super) fn documents(written: &Written, schemas: &Schemas) -> Result<BTreeMap<String, Json>, KeptError> {
    if written.files.len() > MAX_FILES {
        return Err(KeptError::Files);
    }
    let sources = below_the_root(written, schemas)?;
    let loaded = config::load(&sources, "");
    refuse(&loaded.diagnostics, &sources, "")?;
    let mut documents = BTreeMap::new();
    let mut open = vec![&loaded.configuration];
    while let Some(configuration) = open.pop() {
        // A directory may be called several times, and is still one document.
        if let Entry::Vacant(place) = documents.entry(main_of(&configuration.module.directory)) {
            place.insert(without_backend(document(&configuration.module, &sources, schemas)?));
        }
        open.extend(configuration.children.values());
    }
    if let Some(root) = documents.get_mut(MAIN) {
        for (path, text) in &written.values {
            set_defaults(root, path, text)?;
        }
    }
    Ok(documents)
}

/// Returns the first error whose summary is not `but`.
fn refuse(diagnostics: &[Diagnostic], sources: &Sources, but: &str) -> Result<(), KeptError> {
    let Some(error) = diagnostics.iter().find(|one| one.severity == Severity::Error && one.summary != but) else {
        return Ok(());
    };
    let path_of = |place: SourcePlace| format!("{} line {}", sources.path(place.file), sources.position(place).line);
    let path = error.place.map_or_else(|| "it".to_owned(), path_of);
    Err(KeptError::File { path, problem: error.summary.clone() })
}

fn document(module: &Module, sources: &Sources, schemas: &Schemas) -> Result<Json, KeptError> {
    Ok(by_labels(&Json::parse(&write_module(module, sources, schemas).to_text())?))
}

/// Removes the backend: it is not planned, and is full of credentials.
fn without_backend(mut document: Json) -> Json {
    let Json::Object(members) = &mut document else { return document };
    for (_, settings) in members.iter_mut().filter(|(name, _)| **name == *"terraform") {
        for block in settings.listed_mut() {
            if let Json::Object(members) = block {
                members.retain(|(name, _)| !["backend", "cloud"].contains(&&**name));
            }
        }
    }
    document
}

/// The files at their places in a case. A module whose calls need other sources becomes one document.
fn below_the_root(written: &Written, schemas: &Schemas) -> Result<Sources, KeptError> {
    let places = Places::of(written);
    let mut directories: BTreeMap<&str, Vec<(&str, &str)>> = BTreeMap::new();
    for (path, text) in &written.files {
        let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
        directories.entry(directory).or_default().push((path, text));
    }
    let mut placed = Sources::new();
    for (directory, files) in directories {
        let below = places.placed(directory);
        match led(directory, &files, &written.installed, &places, schemas)? {
            Some(document) => drop(add(&mut placed, &main_of(&below), &document.to_compact())?),
            None => {
                for (path, text) in files {
                    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
                    let path = if below.is_empty() { name.to_owned() } else { format!("{below}/{name}") };
                    add(&mut placed, &path, text)?;
                }
            }
        }
    }
    Ok(placed)
}

fn add(sources: &mut Sources, path: &str, text: &str) -> Result<FileId, KeptError> {
    let too_large = |_| KeptError::File { path: path.to_owned(), problem: "a file that is too large".into() };
    sources.add(path, text).map_err(too_large)
}

/// The module in a directory, with the sources of its calls changed to their places in a case; `None` if no source changes.
fn led(
    directory: &str,
    files: &[(&str, &str)],
    installed: &Installed,
    places: &Places,
    schemas: &Schemas,
) -> Result<Option<Json>, KeptError> {
    let mut sources = Sources::new();
    for (path, text) in files {
        add(&mut sources, path, text)?;
    }
    let loaded = config::load(&sources, directory);
    // The called modules are not among these files.
    refuse(&loaded.diagnostics, &sources, "Unreadable module directory")?;
    let module = &loaded.configuration.module;
    let from = places.placed(directory);
    let mut others = Vec::new();
    for call in &module.calls {
        let Some(written) = &call.source else { continue };
        let Some(target) = installed.directory(directory, call.name.text.as_str(), &written.value) else { continue };
        let as_it_is = ModuleSource::parse(&written.value).and_then(|source| source.directory(&from));
        let target = places.placed(&target);
        if as_it_is.as_deref() != Some(&*target) {
            others.push((call.name.text.as_str(), source(&from, &target)));
        }
    }
    if others.is_empty() {
        return Ok(None);
    }
    let mut document = document(module, &sources, schemas)?;
    for (name, source) in others {
        let call = object_at(object_at(&mut document, "module"), name);
        member_mut(call, "source", Json::string(&source));
        // `version` is only valid for a module that is fetched.
        if let Json::Object(members) = call {
            members.retain(|(name, _)| &**name != "version");
        }
    }
    Ok(Some(document))
}

/// Sets values of variables as their defaults; ignores undeclared variables, as an engine does.
fn set_defaults(root: &mut Json, path: &str, text: &str) -> Result<(), KeptError> {
    for (name, value) in values(path, text)? {
        let Some(variable) = root.member("variable").and_then(|all| all.member(&name)) else { continue };
        // E15: the default of a variable that is never null is not null; as a value, null means the default.
        let is_default = value == Json::Null && variable.member("nullable") == Some(&Json::Bool(false));
        if !is_default {
            member_mut(object_at(object_at(root, "variable"), &name), "default", value);
        }
    }
    Ok(())
}

/// The values of a file of either syntax, as defaults of the JSON syntax have them: without templates (E11).
fn values(path: &str, text: &str) -> Result<Vec<(Box<str>, Json)>, KeptError> {
    let wrong = |problem: String| KeptError::File { path: path.to_owned(), problem };
    if path.ends_with(".json") {
        let json = Json::parse(text).map_err(|problem| wrong(problem.to_string()))?;
        let members = json.expect_object().map_err(|problem| wrong(problem.to_string()))?;
        return Ok(members.to_vec());
    }
    let mut sources = Sources::new();
    let file = add(&mut sources, path, text)?;
    let (body, diagnostics) = parse_native(text.as_bytes(), file);
    refuse(&diagnostics, &sources, "")?;
    if let Some(block) = body.blocks.first() {
        return Err(wrong(format!("a block {} in a file of values", block.kind.text)));
    }
    // Each value is parsed, refused and written as the default of a variable is.
    let variables: String = body
        .attributes
        .iter()
        .map(|attribute| {
            let value = text_at(attribute.value.place(), &sources);
            format!(
                "variable {} {{\n  default = {value}\n}}\n",
                Json::string(attribute.name.text.as_str()).to_compact()
            )
        })
        .collect();
    let mut sources = Sources::new();
    let file = add(&mut sources, path, &variables)?;
    let (module, diagnostics) = load_file(&sources, file);
    refuse(&diagnostics, &sources, "")?;
    let document = document(&module, &sources, &Schemas::default())?;
    let default = |(name, variable): &(Box<str>, Json)| Some((name.clone(), variable.member("default")?.clone()));
    Ok(document.entries_of("variable").iter().filter_map(default).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(files: &[(&str, &str)]) -> Written {
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        Written { files, ..Written::default() }
    }

    fn shown(written: &Written) -> String {
        let documents = documents(written, &Schemas::default()).expect("documents");
        documents.iter().map(|(path, json)| format!("{path} {}\n", json.to_compact())).collect()
    }

    #[test]
    fn values_of_variables_are_their_defaults() {
        let mut written = of(&[(
            "main.tf",
            "variable \"a\" {\n  type = string\n}\nvariable \"b\" {\n  default = []\n}\nvariable \"c\" {}\nvariable \"d\" {\n  default  = 7\n  nullable = false\n}\n",
        )]);
        written.values = vec![
            (
                "terraform.tfvars".into(),
                "a = \"1\"\nb = [1, \"$${x}\", { 80 = \"http\" }]\nother = 3\nd = null\n".into(),
            ),
            ("x.auto.tfvars.json".into(), r#"{"a": "${y}"}"#.into()),
        ];
        let shown = shown(&written);
        // A default of the JSON syntax has no templates.
        assert!(shown.contains(r#""a":{"type":"string","default":"${y}"}"#), "{shown}");
        assert!(
            shown.contains(r#""b":{"default":[1,"${x}",{"80":"http"}]}"#) && shown.contains(r#""c":{}"#),
            "{shown}"
        );
        assert!(shown.contains(r#""d":{"default":7,"nullable":false}"#), "{shown}");
        assert!(!shown.contains("other"), "{shown}");
        written.values = vec![("terraform.tfvars".into(), "a = {".into())];
        let problem = documents(&written, &Schemas::default()).expect_err("no values").to_string();
        assert!(problem.starts_with("expected a configuration in terraform.tfvars line 1, found: "), "{problem}");
    }

    #[test]
    fn modules_beside_the_root_and_installed_ones_have_a_place_below_it() {
        let manifest = r#"{"Modules": [
            {"Key": "", "Source": "", "Dir": "."},
            {"Key": "net", "Source": "registry.terraform.io/acme/net/w", "Version": "1.2.0", "Dir": ".terraform/modules/net"},
            {"Key": "net.sub", "Source": "./modules/sub", "Dir": ".terraform/modules/net/modules/sub"},
            {"Key": "own", "Source": "../own", "Dir": "../own"}]}"#;
        let mut written = of(&[
            (
                "main.tf",
                "module \"net\" {\n  source  = \"acme/net/w\"\n  version = \"~> 1.0\"\n  size = 1\n}\nmodule \"own\" {\n  source = \"../own\"\n}\n",
            ),
            (
                ".terraform/modules/net/main.tf",
                "variable \"size\" {}\nmodule \"sub\" {\n  source = \"./modules/sub\"\n}\n",
            ),
            (".terraform/modules/net/modules/sub/main.tf", "locals {\n  a = 1\n}\n"),
            ("../own/main.tf", "module \"other\" {\n  source = \"../other\"\n}\n"),
            ("../other/main.tf.json", "{\"locals\": {\"b\": 2}}"),
        ]);
        written.installed = Installed::read(&Json::parse(manifest).expect("JSON")).expect("a manifest");
        let shown = shown(&written);
        assert!(shown.contains(r#""net":{"source":"./installed/net","size":1}"#), "{shown}");
        assert!(shown.contains(r#""own":{"source":"./outside/1/own"}"#), "{shown}");
        assert!(
            shown.contains("installed/net/main.tf.json ") && shown.contains(r#""source":"./modules/sub""#),
            "{shown}"
        );
        assert!(shown.contains("outside/1/other/main.tf.json ") && shown.contains(r#""b":2"#), "{shown}");
    }

    #[test]
    fn a_module_with_a_call_that_leads_elsewhere_keeps_all_of_its_files() {
        let mut written = of(&[
            (
                "a.tf",
                "module \"own\" {\n  source = \"../own\"\n}\nterraform {\n  backend \"pg\" {\n    conn_str = \"x\"\n  }\n}\n",
            ),
            ("a.tf.json", "{\"locals\": {\"b\": 2}}"),
            ("outside/main.tf", "locals {\n  c = 3\n}\n"),
            ("../own/main.tf", "locals {\n  a = 1\n}\n"),
        ]);
        let shown = shown(&written);
        assert!(
            shown.contains("\"b\":2") && shown.contains("./outside-1/1/own") && !shown.contains("conn_str"),
            "{shown}"
        );
        written.files[0].1.push_str("variable \"v\" {\n  default = 4 * 1024\n}\n");
        let problem = documents(&written, &Schemas::default()).expect_err("no configuration").to_string();
        assert!(problem.starts_with("expected a configuration in a.tf line 10, found: "), "{problem}");
    }

    #[test]
    fn a_module_that_is_not_installed_stays_as_it_is_written() {
        let written = of(&[("main.tf", "module \"net\" {\n  source = \"acme/net/w\"\n  version = \"1.0\"\n}\n")]);
        assert!(shown(&written).contains(r#""source":"acme/net/w","version":"1.0""#));
    }
}
