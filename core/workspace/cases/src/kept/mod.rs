//! Cases that begin with a user's own workspace: a state, and the configuration beside it.
//!
//! Problem: what breaks a planner may lie in a workspace that no generator invents. Idea: every case begins with that state, followed by
//! edits and commands as in generated cases. A missing configuration is made of the state (`configured.rs`), missing schemas are made of
//! its values (`typed.rs`), and providers are models that keep what is stored. Guarantee: every case reads back as it was written; the same
//! number makes the same case.

mod configured;
pub(crate) mod edits;
mod typed;
mod written;

use std::collections::BTreeMap;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::{Json, JsonError};
use planfuzz_language::check::Schemas;

use crate::case::{Case, CaseError, MAX_FILES, Step};
use crate::generate::Choices;
use crate::model::TypeModel;
use crate::play::state_of;

pub use written::{Installed, Written};

/// What cases begin with.
#[derive(Clone, Debug)]
pub struct Kept {
    dialect: Dialect,
    providers: Json,
    models: BTreeMap<String, TypeModel>,
    files: BTreeMap<String, Json>,
    state: Option<Json>,
}

/// Why no case can begin with a state.
#[derive(Clone, Debug, thiserror::Error)]
pub enum KeptError {
    /// It is not a state.
    #[error("{0}")]
    State(#[from] CaseError),
    /// It does not have the form of one.
    #[error("expected a state of version 4: {0}")]
    Json(#[from] JsonError),
    /// It has no managed objects.
    #[error("expected a managed object in the state, found none")]
    Nothing,
    /// A file is not a valid configuration.
    #[error("expected a configuration in {path}, found: {problem}")]
    File {
        /// The file.
        path: String,
        /// What is wrong with it.
        problem: String,
    },
    /// There are too many files.
    #[error("expected at most {MAX_FILES} files of configuration")]
    Files,
    /// The schemas lack a type.
    #[error("expected a schema of {of}, found none in {place}")]
    NoSchema {
        /// The type and its provider.
        of: String,
        /// Where it was searched.
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
    /// Built from a state, the configuration that made it (derived from the state if `None`), and the output of `providers schema -json`
    /// (derived if `None`). Without a state, the case begins with the configuration alone.
    ///
    /// # Errors
    /// An input is invalid, or there is no configuration and the state has no managed objects.
    pub fn of(
        state: Option<&Json>,
        written: Option<&Written>,
        schemas: Option<&Json>,
        dialect: Dialect,
    ) -> Result<Kept, KeptError> {
        let stored = match state {
            Some(state) => {
                state_of(state)?;
                stored(state)?
            }
            None => Vec::new(),
        };
        if written.is_none() && stored.iter().all(|resource| resource.instances.is_empty()) {
            return Err(KeptError::Nothing);
        }
        let untyped = written.map(|written| written::documents(written, &Schemas::default())).transpose()?;
        let types = untyped.as_ref().map(typed::named).unwrap_or_default();
        let providers = match schemas {
            Some(schemas) => {
                let providers = untyped.as_ref().map(typed::providers).unwrap_or_default();
                // Stored values of data resources may be sensitive, even if no block reads them any more.
                let types = types.into_iter().chain(state.map(data_types).unwrap_or_default()).collect();
                typed::given(schemas, &stored, &typed::Named { types, providers })?
            }
            None => typed::derived(&stored, &types)?,
        };
        let files = match written {
            None => configured::files(&stored, &providers, dialect.engine()),
            Some(written) => written::documents(written, &schemas_of(&providers)?)?,
        };
        let models = typed::models(&providers);
        let state = state.map(without_identity);
        Ok(Kept { dialect, providers, models, files, state })
    }

    /// Built from a case, without its steps.
    pub fn of_case(case: Case) -> Kept {
        let Case { dialect, purpose: _, providers, models, files, state, steps: _ } = case;
        Kept { dialect, providers, models, files, state }
    }

    /// The case that a sequence of choices makes.
    pub fn case(&self, choices: &mut Choices<'_>) -> Case {
        self.with(edits::steps(&self.files, self.state.as_ref(), choices))
    }

    /// The case with these steps.
    pub fn with(&self, steps: Vec<Step>) -> Case {
        Case {
            dialect: self.dialect,
            purpose: None,
            providers: self.providers.clone(),
            models: self.models.clone(),
            files: self.files.clone(),
            state: self.state.clone(),
            steps,
        }
    }

    /// How many blocks of managed resources its configuration has.
    pub fn blocks(&self) -> usize {
        edits::blocks(&self.files).len()
    }
}

fn schemas_of(providers: &Json) -> Result<Schemas, JsonError> {
    Schemas::from_json(&Json::object([("provider_schemas", providers.clone())]))
}

/// The types of the data in a state file that [`state_of`] could read.
fn data_types(state: &Json) -> Vec<(&'static str, String)> {
    let resources = state.items_of("resources");
    let data = resources.iter().filter(|resource| resource.member("mode") == Some(&Json::string("data")));
    let types = data.filter_map(|resource| resource.member("type")?.expect_string().ok());
    types.map(|name| ("data", name.to_owned())).collect()
}

/// The managed resources of a state file that [`state_of`] could read: it has every member that one must have.
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

/// The state without its identity, and without the private data of providers, which no model understands.
fn without_identity(state: &Json) -> Json {
    let mut state = without(state, &["serial", "lineage", "terraform_version"]);
    for instance in elements(&mut state, "resources").iter_mut().flat_map(|resource| elements(resource, "instances")) {
        *instance = without(instance, &["private"]);
    }
    state
}

fn without(json: &Json, names: &[&str]) -> Json {
    let members = json.expect_object().unwrap_or_default().iter();
    Json::Object(members.filter(|(name, _)| !names.contains(&&**name)).cloned().collect())
}

fn elements<'j>(json: &'j mut Json, name: &str) -> &'j mut [Json] {
    let Json::Object(members) = json else { return &mut [] };
    match members.iter_mut().find(|(member, _)| &**member == name) {
        Some((_, Json::Array(items))) => items,
        _ => &mut [],
    }
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

    fn written(file: (String, String)) -> Written {
        Written { files: vec![file], ..Written::default() }
    }

    #[test]
    fn a_configuration_is_made_of_a_state() {
        let kept = Kept::of(Some(&state()), None, None, Dialect::TERRAFORM_1_11).expect("a beginning");
        let root = kept.files["main.tf.json"].to_compact();
        assert!(root.contains(r#""a":{"name":"n","size":3,"tags":{"k":"$${v}"}}"#), "{root}");
        assert!(root.contains(r#""m":{"source":"./m-m","for_each":{"x.y":"x.y"}}"#), "{root}");
        let inner = kept.files["m-m/main.tf.json"].to_compact();
        assert!(inner.contains(r#""count":2,"rules":[{"port":1,"to":"x"}]"#), "{inner}");
        assert!(inner.contains(r#""w":{"source":"registry.terraform.io/acme/w"}"#), "{inner}");
    }

    #[test]
    fn every_case_reads_back_and_begins_with_the_state() {
        let kept = Kept::of(Some(&state()), None, None, Dialect::TERRAFORM_1_11).expect("a beginning");
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
        let kept = Kept::of(Some(&state()), Some(&written(file)), None, Dialect::TERRAFORM_1_11).expect("a beginning");
        assert_eq!(kept.blocks(), 1);
        assert!(kept.files["main.tf.json"].to_compact().contains(r#""count":1"#));
    }

    #[test]
    fn an_unusable_beginning_is_refused_with_the_reason() {
        let of = |state: &str, file: Option<(String, String)>| {
            let state = Json::parse(state).expect("JSON");
            let written = file.map(written);
            Kept::of(Some(&state), written.as_ref(), None, Dialect::TERRAFORM_1_11)
                .expect_err("no beginning")
                .to_string()
        };
        assert_eq!(
            of(r#"{"version": 4, "outputs": {}, "resources": []}"#, None),
            "expected a managed object in the state, found none"
        );
        assert!(of("[]", None).contains("expected"));
        let broken = ("main.tf".to_owned(), "resource {".to_owned());
        assert!(of(STATE, Some(broken)).starts_with("expected a configuration in main.tf line 1, found: "));
        let other = ("main.tf".to_owned(), "resource \"x_other\" \"a\" {\n}\n".to_owned());
        assert!(of(STATE, Some(other)).starts_with("expected a schema of x_other"));
    }
}
