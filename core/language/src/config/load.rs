//! Stage E01: reads and decodes the files of all modules. All errors are reported together, across modules; if the root module has errors,
//! only those.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::body::Body;
use super::content::json_body;
use super::decode::Decoder;
use super::load_checks::{load_checks, unlike_its_block};
use super::module_source::ModuleSource;
use super::native::parse_native;
use super::tree::{Configuration, Module};
use crate::diagnostic::Diagnostic;
use crate::json;
use crate::place::{FileId, SourcePlace};
use crate::sources::Sources;

/// The greatest depth of module calls.
pub const MAX_MODULE_DEPTH: usize = 64;
/// The greatest number of modules in a configuration.
pub const MAX_MODULES: usize = 10_000;

/// The number of diagnostics after which those of a module are not repeated for further calls of it.
const MAX_DIAGNOSTICS: usize = 10_000;

/// The result of loading.
#[derive(Clone, Debug, Default)]
pub struct Load {
    /// The decoded configuration; after errors it is incomplete.
    pub configuration: Configuration,
    /// All errors and warnings of the stage.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether the last diagnostic is an error of inconsistent requirements (E24); loading succeeded otherwise.
    pub is_unmet: bool,
}

/// Reads the root module, which is the directory `root`, and everything that it calls.
pub fn load(sources: &Sources, root: &str) -> Load {
    let mut loader = Loader {
        sources,
        directories: directories(sources),
        diagnostics: Vec::new(),
        modules: 0,
        decoded: BTreeMap::new(),
        root_has_errors: false,
    };
    let root = root.trim_matches('/').trim_start_matches("./");
    let configuration = loader.module(if root == "." { "" } else { root }, &mut Vec::new());
    if !loader.root_has_errors {
        let found = load_checks(&configuration);
        loader.diagnostics.extend(found);
    }
    let mut diagnostics = loader.diagnostics;
    let unmet = match diagnostics.iter().any(Diagnostic::is_error) {
        false => unlike_its_block(&configuration.module),
        true => None,
    };
    let is_unmet = unmet.is_some();
    diagnostics.extend(unmet);
    Load { configuration, diagnostics, is_unmet }
}

/// Whether the directory `root` has configuration files of its own.
pub fn has_files(sources: &Sources, root: &str) -> bool {
    directories(sources).contains_key(root)
}

/// Reads one file alone: its declarations and its diagnostics; its module calls are not followed.
pub fn load_file(sources: &Sources, file: FileId) -> (Module, Vec<Diagnostic>) {
    let directory = sources.path(file).rsplit_once('/').map_or("", |(directory, _)| directory);
    let mut decoder = Decoder::new(sources, directory);
    if let Some(body) = file_body(sources, file, &mut decoder.diagnostics) {
        decoder.file(body);
    }
    (decoder.module, decoder.diagnostics)
}

/// The configuration files of each directory.
fn directories(sources: &Sources) -> BTreeMap<String, Vec<FileId>> {
    let mut all: BTreeMap<String, Vec<FileId>> = BTreeMap::new();
    for (path, file) in sources.iter() {
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        if is_configuration(name) {
            all.entry(directory.to_owned()).or_default().push(file);
        }
    }
    all
}

fn is_configuration(name: &str) -> bool {
    let is_hidden = name.starts_with('.') || name.starts_with('#') || name.ends_with('~');
    !is_hidden && (name.ends_with(".tf") || name.ends_with(".tf.json"))
}

/// E06: files that override declarations of other files.
fn is_override(path: &str) -> bool {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    let stem = name.strip_suffix(".json").unwrap_or(name);
    stem == "override.tf" || stem.ends_with("_override.tf")
}

struct Loader<'s> {
    sources: &'s Sources,
    directories: BTreeMap<String, Vec<FileId>>,
    diagnostics: Vec<Diagnostic>,
    modules: usize,
    /// The decoded directories with their diagnostics. A directory is decoded once; its diagnostics are reported for each call.
    decoded: BTreeMap<String, (Arc<Module>, Vec<Diagnostic>)>,
    root_has_errors: bool,
}

impl Loader<'_> {
    fn module(&mut self, directory: &str, path: &mut Vec<String>) -> Configuration {
        self.modules += 1;
        let module = match self.decoded.get(directory) {
            Some((module, diagnostics)) => {
                let left = MAX_DIAGNOSTICS.saturating_sub(self.diagnostics.len());
                self.diagnostics.extend(diagnostics.iter().take(left).cloned());
                module.clone()
            }
            None => {
                let (module, diagnostics) = self.directory(directory);
                let module = Arc::new(module);
                self.diagnostics.extend(diagnostics.iter().cloned());
                self.decoded.insert(directory.to_owned(), (module.clone(), diagnostics));
                module
            }
        };
        if path.is_empty() {
            self.root_has_errors = self.diagnostics.iter().any(Diagnostic::is_error);
        }
        // E01: errors in the root module end the loading; errors in other modules do not.
        if self.root_has_errors && !fault!(BrokenRootCalls) {
            return Configuration { module, ..Configuration::default() };
        }
        let mut children = BTreeMap::new();
        for (place, call) in module.calls.iter().enumerate() {
            let Some(source) = &call.source else { continue };
            let Some(target) = ModuleSource::parse(&source.value).and_then(|parsed| parsed.directory(directory)) else {
                continue;
            };
            if path.len() >= MAX_MODULE_DEPTH || self.modules >= MAX_MODULES {
                self.diagnostics.push(Diagnostic::error(
                    "Too many modules",
                    "The modules are too many, or call one another too deeply.",
                    call.header,
                ));
                continue;
            }
            if !self.directories.contains_key(&target) {
                if self.diagnostics.iter().any(Diagnostic::is_error) {
                    continue;
                }
                let detail = format!("The directory {target:?} could not be read.");
                self.diagnostics.push(Diagnostic::error("Unreadable module directory", detail, source.place));
                continue;
            }
            path.push(call.name.text.as_str().to_owned());
            let child = Configuration { call: place, ..self.module(&target, path) };
            children.insert(call.name.text.clone(), child);
            path.pop();
        }
        Configuration { module, children, ..Configuration::default() }
    }

    /// The module in a directory, with its diagnostics. Syntax errors are reported at once and only once, because a file is read once.
    fn directory(&mut self, directory: &str) -> (Module, Vec<Diagnostic>) {
        let files = self.directories.get(directory).cloned().unwrap_or_default();
        let mut decoder = Decoder::new(self.sources, directory);
        for file in files {
            if is_override(self.sources.path(file)) {
                let detail = "This file overlays the declarations of the others, which planfuzz does not do.";
                let place = SourcePlace { file, ..SourcePlace::default() };
                decoder.diagnostics.push(Diagnostic::error("Override files are not supported", detail, place));
                continue;
            }
            if let Some(body) = file_body(self.sources, file, &mut self.diagnostics) {
                decoder.file(body);
            }
        }
        (decoder.module, decoder.diagnostics)
    }
}

/// The body of a file.
fn file_body(sources: &Sources, file: FileId, diagnostics: &mut Vec<Diagnostic>) -> Option<Body> {
    let bytes = sources.bytes(file);
    if sources.path(file).ends_with(".json") {
        match json::parse(bytes, file) {
            Ok(value) => Some(Body::Json(json_body(value, diagnostics))),
            Err(problems) => {
                diagnostics.extend(problems);
                None
            }
        }
    } else {
        let (body, mut found) = parse_native(bytes, file);
        diagnostics.append(&mut found);
        Some(Body::Native(body))
    }
}
