//! The corpus of configurations, with the diagnostics of a real engine's validation.

#![allow(dead_code, reason = "each test uses a part")]

use std::path::Path;

use planfuzz_core::json::Json;
use planfuzz_language::check::{Schemas, validate};
use planfuzz_language::config::{Configuration, load};
use planfuzz_language::{Diagnostic, Sources};

/// A diagnostic as it is compared: file, first and last byte, severity, summary.
pub type ComparedDiagnostic = (String, i64, i64, String, String);

/// A configuration.
pub struct Probe {
    /// What it is called.
    pub name: String,
    /// Its files.
    pub files: Vec<(String, String)>,
    /// The name of the schemas to check it against.
    pub schemas: String,
    /// The engine's diagnostics; `None` if it crashed.
    pub diagnostics: Option<Vec<ComparedDiagnostic>>,
    /// Whether the diagnostics need values, which the static checks do not have.
    pub needs_values: bool,
}

/// The whole corpus.
pub struct Corpus {
    /// The configurations.
    pub probes: Vec<Probe>,
    schemas: Vec<(String, Schemas)>,
}

impl Corpus {
    /// Reads the corpus.
    pub fn read() -> Corpus {
        // Tests of more than one crate read it.
        let mut above =
            Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|folder| folder.join("corpus/workspaces"));
        let folder = above.find(|folder| folder.is_dir()).expect("the corpus");
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a file of the corpus");
        let probes = read("probes.jsonl").lines().map(probe).collect();
        let schemas = ["plain", "blocks", "apply"].map(|name| {
            let json = Json::parse(&read(&format!("schemas-{name}.json"))).expect("schemas are JSON");
            (name.to_owned(), Schemas::from_json(&json).expect("schemas"))
        });
        Corpus { probes, schemas: schemas.into() }
    }

    /// Our diagnostics of a configuration.
    pub fn diagnostics(&self, probe: &Probe) -> Vec<ComparedDiagnostic> {
        self.diagnostics_by(probe, &validate)
    }

    /// Like [`Corpus::diagnostics`], with another validation.
    pub fn diagnostics_by(&self, probe: &Probe, validate: Validate<'_>) -> Vec<ComparedDiagnostic> {
        let sources = sources(probe);
        let mut loaded = load(&sources, "");
        if !loaded.diagnostics.iter().any(Diagnostic::is_error) {
            let (_, schemas) =
                self.schemas.iter().find(|(name, _)| *name == probe.schemas).expect("schemas of that name");
            loaded.diagnostics.extend(validate(&loaded.configuration, &sources, schemas));
        }
        let mut diagnostics: Vec<ComparedDiagnostic> =
            loaded.diagnostics.iter().map(|diagnostic| compared(diagnostic, &sources)).collect();
        diagnostics.sort();
        diagnostics
    }
}

/// Validates a configuration that was loaded without errors.
pub type Validate<'v> = &'v dyn Fn(&Configuration, &Sources, &Schemas) -> Vec<Diagnostic>;

/// The files of a probe.
pub fn sources(probe: &Probe) -> Sources {
    let mut sources = Sources::new();
    for (path, text) in &probe.files {
        sources.add(path.as_str(), text.as_bytes()).expect("a small file");
    }
    sources
}

fn compared(diagnostic: &Diagnostic, sources: &Sources) -> ComparedDiagnostic {
    let (file, start, end) = diagnostic.place.map_or((String::new(), -1, -1), |place| {
        (sources.path(place.file).to_owned(), i64::from(place.span.start), i64::from(place.span.end))
    });
    (file, start, end, diagnostic.severity.to_string(), diagnostic.summary.clone())
}

fn probe(line: &str) -> Probe {
    let json = Json::parse(line).expect("a line of the corpus is JSON");
    let text = |json: &Json| json.expect_string().expect("a text").to_owned();
    let member = |name: &str| json.member(name).expect("a member");
    let files = member("files").expect_object().expect("files");
    let diagnostics = json.member("diagnostics").map(|diagnostics| {
        let diagnostics = diagnostics.expect_array().expect("diagnostics");
        diagnostics
            .iter()
            .map(|one| {
                let parts = one.expect_array().expect("a diagnostic");
                let number = |at: usize| parts[at].expect_i64().expect("a number");
                (text(&parts[0]), number(1), number(2), text(&parts[3]), text(&parts[4]))
            })
            .collect()
    });
    Probe {
        name: text(member("name")),
        files: files.iter().map(|(path, content)| (path.to_string(), text(content))).collect(),
        schemas: text(member("schemas")),
        diagnostics,
        needs_values: json.member("needs_values").is_some(),
    }
}
