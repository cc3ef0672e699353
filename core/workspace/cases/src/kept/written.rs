//! A configuration as it lies on a disk, as the documents of a case.
//!
//! Problem: a case has all of its modules below the root, in JSON syntax, and no files of values; what people have is in either syntax,
//! calls modules beside the root and modules that an engine installed, and says in `terraform.tfvars` what its variables are. Idea: every
//! module gets a place below the root, and calls are led there; values of variables become their defaults, which are converted and
//! validated alike. Guarantee: what is declared stays as it is written.

use std::collections::BTreeMap;

use planfuzz_core::json::Json;
use planfuzz_language::check::Schemas;
use planfuzz_language::config::{Module, ModuleSource, load_file};
use planfuzz_language::write::write_module;
use planfuzz_language::{FileId, Severity, Sources, config};

use super::configured::plain;
use super::edits::{by_labels, member_mut, members, object_at};
use super::{KeptError, MAX_FILES};

/// Where an engine keeps the modules that it installed.
const INSTALLED: &str = ".terraform/modules/";

/// A configuration: what is read of a disk, by paths from the root module.
#[derive(Clone, Debug, Default)]
pub struct Written {
    /// Files in native and JSON syntax. Those of modules beside the root begin with `..`.
    pub files: Vec<(String, String)>,
    /// Files of values of the root's variables; the last one that names a variable counts.
    pub values: Vec<(String, String)>,
    /// What was installed for which call; of the engine's `modules.json`.
    pub installed: Installed,
}

/// Where the modules are that an engine installed: for the directory of a module and the name of a call in it, the directory.
#[derive(Clone, Debug, Default)]
pub struct Installed(BTreeMap<(String, String), String>);

impl Installed {
    /// Of `modules.json` below `.terraform/modules`.
    ///
    /// # Errors
    /// What is no such document.
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

    /// The directory of the module that is called; nothing where it is not on the disk.
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

/// Where a directory is in a case: below the root.
fn placed(directory: &str) -> String {
    let up = directory.split('/').take_while(|part| *part == "..").count();
    if up > 0 {
        let rest: Vec<&str> = directory.split('/').skip(up).collect();
        return ["outside", &up.to_string()].into_iter().chain(rest).collect::<Vec<_>>().join("/");
    }
    directory.strip_prefix(INSTALLED).map_or_else(|| directory.to_owned(), |rest| format!("installed/{rest}"))
}

/// The source that leads from one directory below the root to another.
fn source(from: &str, to: &str) -> String {
    let up = from.split('/').filter(|part| !part.is_empty()).count();
    let start = if up == 0 { "./".to_owned() } else { "../".repeat(up) };
    format!("{start}{to}")
}

/// Each module as one document, by its path. Where native syntax has blocks for an attribute, only schemas tell.
pub(super) fn documents(written: &Written, schemas: &Schemas) -> Result<BTreeMap<String, Json>, KeptError> {
    if written.files.len() > MAX_FILES {
        return Err(KeptError::Files);
    }
    let sources = below_the_root(written, schemas)?;
    let loaded = config::load(&sources, "");
    if let Some(error) = loaded.diagnostics.iter().find(|one| one.severity == Severity::Error) {
        let path = error.place.map_or("it", |place| sources.path(place.file)).to_owned();
        return Err(KeptError::File { path, problem: error.summary.clone() });
    }
    let mut documents = BTreeMap::new();
    let mut open = vec![&loaded.configuration];
    while let Some(configuration) = open.pop() {
        let directory = configuration.module.directory.as_str();
        let path = if directory.is_empty() { "main.tf.json".to_owned() } else { format!("{directory}/main.tf.json") };
        documents.insert(path, document(&configuration.module, &sources, schemas)?);
        open.extend(configuration.children.values());
    }
    if let Some(root) = documents.get_mut("main.tf.json") {
        for (path, text) in &written.values {
            set_defaults(root, path, text)?;
        }
    }
    Ok(documents)
}

fn document(module: &Module, sources: &Sources, schemas: &Schemas) -> Result<Json, KeptError> {
    Ok(by_labels(&Json::parse(&write_module(module, sources, schemas).to_text())?))
}

/// The files where a case has them. One with a call that leads elsewhere then is a document with another source.
fn below_the_root(written: &Written, schemas: &Schemas) -> Result<Sources, KeptError> {
    let mut as_they_are = Sources::new();
    for (path, text) in &written.files {
        add(&mut as_they_are, path, text)?;
    }
    let mut placed_files = Sources::new();
    for (path, file) in as_they_are.iter() {
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        let below = placed(directory);
        let path = if below.is_empty() { name.to_owned() } else { format!("{below}/{name}") };
        match led(&as_they_are, file, directory, &written.installed, schemas)? {
            Some(document) => {
                let path = if path.ends_with(".json") { path } else { format!("{path}.json") };
                add(&mut placed_files, &path, &document.to_compact())?
            }
            None => add(&mut placed_files, &path, &String::from_utf8_lossy(as_they_are.bytes(file)))?,
        };
    }
    Ok(placed_files)
}

fn add(sources: &mut Sources, path: &str, text: &str) -> Result<FileId, KeptError> {
    let too_large = |_| KeptError::File { path: path.to_owned(), problem: "a file that is too large".into() };
    sources.add(path, text).map_err(too_large)
}

/// A file whose calls lead to where their modules are in a case; nothing where they do as it is.
fn led(
    sources: &Sources,
    file: FileId,
    directory: &str,
    installed: &Installed,
    schemas: &Schemas,
) -> Result<Option<Json>, KeptError> {
    let (module, _) = load_file(sources, file);
    let from = placed(directory);
    let mut others = Vec::new();
    for call in &module.calls {
        let Some(written) = &call.source else { continue };
        let Some(target) = installed.directory(directory, call.name.text.as_str(), &written.value) else { continue };
        let as_it_is = ModuleSource::parse(&written.value).and_then(|source| source.directory(&from));
        if as_it_is.as_deref() != Some(&*placed(&target)) {
            others.push((call.name.text.as_str(), source(&from, &placed(&target))));
        }
    }
    if others.is_empty() {
        return Ok(None);
    }
    let mut document = document(&module, sources, schemas)?;
    for (name, source) in others {
        let call = object_at(object_at(&mut document, "module"), name);
        member_mut(call, "source", Json::string(&source));
        // A version is for what is fetched.
        if let Json::Object(members) = call {
            members.retain(|(name, _)| &**name != "version");
        }
    }
    Ok(Some(document))
}

/// Values of variables as their defaults; what nobody declared has no place, as with an engine.
fn set_defaults(root: &mut Json, path: &str, text: &str) -> Result<(), KeptError> {
    let values = values(path, text)?;
    let declared: Vec<String> = members(root.member("variable")).iter().map(|(name, _)| name.to_string()).collect();
    for (name, value) in values.into_iter().filter(|(name, _)| declared.iter().any(|known| **known == **name)) {
        member_mut(object_at(object_at(root, "variable"), &name), "default", value);
    }
    Ok(())
}

/// The values of a file of either syntax, as expressions of the JSON syntax.
fn values(path: &str, text: &str) -> Result<Vec<(Box<str>, Json)>, KeptError> {
    let wrong = |problem: String| KeptError::File { path: path.to_owned(), problem };
    if path.ends_with(".json") {
        let json = Json::parse(text).map_err(|problem| wrong(problem.to_string()))?;
        let members = json.expect_object().map_err(|problem| wrong(problem.to_string()))?;
        return Ok(members.iter().map(|(name, value)| (name.clone(), plain(value))).collect());
    }
    // The arguments of the file are those of a block whose arguments have any name.
    let mut sources = Sources::new();
    let file = add(&mut sources, "values.tf", &format!("locals {{\n{text}\n}}\n"))?;
    let (module, told) = load_file(&sources, file);
    if let Some(error) = told.iter().find(|one| one.severity == Severity::Error) {
        return Err(wrong(error.summary.clone()));
    }
    let document = Json::parse(&write_module(&module, &sources, &Schemas::default()).to_text())?;
    let locals = document.member("locals").and_then(|locals| locals.expect_array().ok()).unwrap_or_default();
    Ok(locals.iter().flat_map(|block| members(Some(block)).to_vec()).collect())
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
            "variable \"a\" {\n  type = string\n}\nvariable \"b\" {\n  default = []\n}\nvariable \"c\" {}\n",
        )]);
        written.values = vec![
            ("terraform.tfvars".into(), "a = \"1\"\nb = [1, \"$${x}\"]\nother = 3\n".into()),
            ("x.auto.tfvars.json".into(), r#"{"a": "${y}"}"#.into()),
        ];
        let shown = shown(&written);
        assert!(shown.contains(r#""a":{"type":"string","default":"$${y}"}"#), "{shown}");
        assert!(shown.contains(r#""b":{"default":[1,"$${x}"]}"#) && shown.contains(r#""c":{}"#), "{shown}");
        assert!(!shown.contains("other"), "{shown}");
        written.values = vec![("terraform.tfvars".into(), "a = {".into())];
        let problem = documents(&written, &Schemas::default()).expect_err("no values").to_string();
        assert!(problem.starts_with("expected a configuration in terraform.tfvars, found: "), "{problem}");
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
    fn what_is_not_installed_stays_as_it_is_written() {
        let written = of(&[("main.tf", "module \"net\" {\n  source = \"acme/net/w\"\n  version = \"1.0\"\n}\n")]);
        assert!(shown(&written).contains(r#""source":"acme/net/w","version":"1.0""#));
    }
}
