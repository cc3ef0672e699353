//! Cases that begin with what somebody has: a state, and the configuration beside it.
//!
//! Problem: what breaks a planner may lie in a workspace that no generator invents. Idea: the state is the beginning of every case, and
//! what follows are the edits and commands of generated ones. Where the configuration is not there it is made of the state
//! (`configured.rs`), where schemas are not there they are made of its values (`typed.rs`), and providers are models that keep what is
//! stored. Guarantee: every case reads back as it was written; the same number makes the same case.

mod configured;
pub(crate) mod edits;
mod typed;

use std::collections::BTreeMap;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::{Json, JsonError};
use planfuzz_language::check::Schemas;
use planfuzz_language::write::write_module;
use planfuzz_language::{Sources, config};

use crate::case::{Case, CaseError, MAX_FILES};
use crate::generate::Choices;
use crate::model::TypeModel;
use crate::play::state_of;

/// What cases begin with.
#[derive(Clone, Debug)]
pub struct Kept {
    dialect: Dialect,
    providers: Json,
    models: BTreeMap<String, TypeModel>,
    files: BTreeMap<String, Json>,
    state: Json,
}

/// Why nothing can begin with a state.
#[derive(Clone, Debug, thiserror::Error)]
pub enum KeptError {
    /// It is no state.
    #[error("{0}")]
    State(#[from] CaseError),
    /// It has not the form of one.
    #[error("expected a state of version 4: {0}")]
    Json(#[from] JsonError),
    /// There is nothing in it.
    #[error("expected a managed object in the state, found none")]
    Nothing,
    /// A file that is no configuration.
    #[error("expected a configuration in {path}, found: {problem}")]
    File {
        /// Which.
        path: String,
        /// What is wrong with it.
        problem: String,
    },
    /// More files than anybody has.
    #[error("expected at most {MAX_FILES} files of configuration")]
    Files,
    /// A type of which nobody knows the schema.
    #[error("expected a schema of {of}, found none in {place}")]
    NoSchema {
        /// Of which type, of which provider.
        of: String,
        /// Where it was looked for.
        place: &'static str,
    },
}

/// A managed resource as a state file has it.
struct Stored<'s> {
    /// The provider's source.
    source: String,
    /// The alias of its configuration.
    alias: Option<String>,
    /// The module, as it is written; empty for the root.
    module: &'s str,
    type_name: &'s str,
    name: &'s str,
    /// Keys and attributes of its current objects.
    instances: Vec<(Json, &'s Json)>,
}

impl Kept {
    /// Of a state, the files of the configuration with their paths (none where it is to be made of the state), and what
    /// `providers schema -json` prints, if somebody has it.
    ///
    /// # Errors
    /// What is none of these, and a state without managed objects.
    pub fn of(
        state: &Json,
        files: &[(String, String)],
        schemas: Option<&Json>,
        dialect: Dialect,
    ) -> Result<Kept, KeptError> {
        state_of(state)?;
        let stored = stored(state)?;
        if stored.iter().all(|resource| resource.instances.is_empty()) {
            return Err(KeptError::Nothing);
        }
        let written = match files {
            [] => None,
            files => Some(read(files)?),
        };
        let named = written.as_ref().map(|files| typed::named(files)).unwrap_or_default();
        let providers = match schemas {
            Some(schemas) => typed::given(schemas, &stored, &named)?,
            None => typed::derived(&stored, &named)?,
        };
        let files = match written {
            None => configured::files(&stored, &providers, dialect.engine()),
            Some(_) => in_json(files, &providers)?,
        };
        let models = typed::models(&providers);
        let state = without_identity(state);
        Ok(Kept { dialect, providers, models, files, state })
    }

    /// The case of a row of choices.
    pub fn case(&self, choices: &mut Choices<'_>) -> Case {
        let steps = edits::steps(&self.files, &self.state, choices);
        Case {
            dialect: self.dialect,
            purpose: None,
            providers: self.providers.clone(),
            models: self.models.clone(),
            files: self.files.clone(),
            state: Some(self.state.clone()),
            steps,
        }
    }

    /// How many blocks of managed resources its configuration has.
    pub fn blocks(&self) -> usize {
        edits::blocks(&self.files).len()
    }
}

/// The resources of a state file.
fn stored(state: &Json) -> Result<Vec<Stored<'_>>, KeptError> {
    let text =
        |json: &'_ Json, name: &str| -> Option<String> { Some(json.member(name)?.expect_string().ok()?.to_owned()) };
    let mut found = Vec::new();
    for resource in state.member("resources").map_or(Ok(&[][..]), Json::expect_array)? {
        let member = |name: &str| resource.member(name).and_then(|text| text.expect_string().ok()).unwrap_or_default();
        if member("mode") != "managed" {
            continue;
        }
        // `provider["SOURCE"].ALIAS`, after the module that has it.
        let provider = text(resource, "provider").unwrap_or_default();
        let (source, rest) = provider
            .split_once("provider[\"")
            .and_then(|(_, rest)| rest.split_once("\"]"))
            .ok_or_else(|| resource.unexpected("a provider's address"))?;
        let alias = rest.strip_prefix('.').map(str::to_owned);
        let instances = resource.member("instances").map_or(Ok(&[][..]), Json::expect_array)?;
        let current = instances.iter().filter(|instance| instance.member("deposed").is_none());
        let instances = current.filter_map(|instance| {
            let key = instance.member("index_key").cloned().unwrap_or(Json::Null);
            Some((key, instance.member("attributes")?))
        });
        found.push(Stored {
            source: source.to_owned(),
            alias,
            module: member("module"),
            type_name: member("type"),
            name: member("name"),
            instances: instances.collect(),
        });
    }
    Ok(found)
}

/// Files as documents, as far as the types in them can be seen without schemas.
fn read(files: &[(String, String)]) -> Result<BTreeMap<String, Json>, KeptError> {
    written(files, &Schemas::default())
}

/// Files as documents of the JSON syntax.
fn in_json(files: &[(String, String)], providers: &Json) -> Result<BTreeMap<String, Json>, KeptError> {
    let schemas = Schemas::from_json(&Json::object([("provider_schemas", providers.clone())]))?;
    written(files, &schemas)
}

/// Each module as one document.
fn written(files: &[(String, String)], schemas: &Schemas) -> Result<BTreeMap<String, Json>, KeptError> {
    if files.len() > MAX_FILES {
        return Err(KeptError::Files);
    }
    let mut sources = Sources::new();
    for (path, text) in files {
        let too_large = |_| KeptError::File { path: path.clone(), problem: "a file that is too large".into() };
        sources.add(path.clone(), text.clone()).map_err(too_large)?;
    }
    let loaded = config::load(&sources, "");
    if let Some(error) = loaded.diagnostics.iter().find(|one| one.severity == planfuzz_language::Severity::Error) {
        let path = error.place.map_or("it", |place| sources.path(place.file)).to_owned();
        return Err(KeptError::File { path, problem: error.summary.clone() });
    }
    let mut documents = BTreeMap::new();
    let mut open = vec![&loaded.configuration];
    while let Some(configuration) = open.pop() {
        let dir = configuration.module.directory.as_str();
        let path = if dir.is_empty() { "main.tf.json".to_owned() } else { format!("{dir}/main.tf.json") };
        let document = write_module(&configuration.module, &sources, schemas);
        let document = Json::parse(&document.to_text())?;
        documents.insert(path, edits::by_labels(&document));
        open.extend(configuration.children.values());
    }
    Ok(documents)
}

fn without_identity(state: &Json) -> Json {
    let members = state.expect_object().unwrap_or_default().iter();
    let is_told = |name: &str| !["serial", "lineage", "terraform_version"].contains(&name);
    Json::Object(members.filter(|(name, _)| is_told(name)).cloned().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATE: &str = r#"{"version": 4, "terraform_version": "1.11.4", "serial": 3, "lineage": "l", "outputs": {}, "resources": [
        {"mode": "managed", "type": "w_thing", "name": "a", "provider": "provider[\"registry.terraform.io/hashicorp/w\"]",
         "instances": [{"schema_version": 0, "attributes": {"id": "1", "name": "n", "size": 3, "tags": {"k": "${v}"}, "gone": null}}]},
        {"module": "module.m[\"x.y\"]", "mode": "managed", "type": "w_thing", "name": "b",
         "provider": "provider[\"registry.terraform.io/acme/w\"].eu",
         "instances": [{"index_key": 0, "schema_version": 0, "attributes": {"id": "2", "rules": [{"port": 1, "to": "x"}]}},
                       {"index_key": 1, "schema_version": 0, "attributes": {"id": "3", "rules": []}}]}]}"#;

    fn state() -> Json {
        Json::parse(STATE).expect("JSON")
    }

    #[test]
    fn a_configuration_is_made_of_a_state() {
        let kept = Kept::of(&state(), &[], None, Dialect::TERRAFORM_1_11).expect("a beginning");
        let root = kept.files["main.tf.json"].to_compact();
        assert!(root.contains(r#""a":{"name":"n","size":3,"tags":{"k":"$${v}"}}"#), "{root}");
        assert!(root.contains(r#""m":{"source":"./m-m","for_each":{"x.y":"x.y"}}"#), "{root}");
        let inner = kept.files["m-m/main.tf.json"].to_compact();
        assert!(inner.contains(r#""count":2,"rules":[{"port":1,"to":"x"}]"#), "{inner}");
        assert!(inner.contains(r#""w":{"source":"registry.terraform.io/acme/w"}"#), "{inner}");
    }

    #[test]
    fn every_case_reads_back_and_begins_with_the_state() {
        let kept = Kept::of(&state(), &[], None, Dialect::TERRAFORM_1_11).expect("a beginning");
        for number in 0..200 {
            let case = kept.case(&mut Choices::seeded(5, number));
            let text = case.to_json().to_compact();
            assert_eq!(Case::parse(&text).expect("a case").to_json().to_compact(), text);
            assert!(case.state.is_some());
        }
    }

    #[test]
    fn a_native_configuration_is_taken_as_it_is() {
        let file = ("main.tf".to_owned(), "resource \"w_thing\" \"a\" {\n  name = \"n\"\n  count = 1\n}\n".to_owned());
        let kept = Kept::of(&state(), &[file], None, Dialect::TERRAFORM_1_11).expect("a beginning");
        assert_eq!(kept.blocks(), 1);
        assert!(kept.files["main.tf.json"].to_compact().contains(r#""count":1"#));
    }

    #[test]
    fn what_cannot_be_a_beginning_says_why() {
        let of = |state: &str, files: &[(String, String)]| {
            let state = Json::parse(state).expect("JSON");
            Kept::of(&state, files, None, Dialect::TERRAFORM_1_11).expect_err("no beginning").to_string()
        };
        assert_eq!(
            of(r#"{"version": 4, "outputs": {}, "resources": []}"#, &[]),
            "expected a managed object in the state, found none"
        );
        assert!(of("[]", &[]).contains("expected"));
        let broken = ("main.tf".to_owned(), "resource {".to_owned());
        assert!(of(STATE, &[broken]).starts_with("expected a configuration in main.tf, found: "));
        let other = ("main.tf".to_owned(), "resource \"x_other\" \"a\" {\n}\n".to_owned());
        assert!(of(STATE, &[other]).starts_with("expected a schema of x_other"));
    }
}
