//! Writing a case: members with their default value are left out, and the document reads back as the same case.

use planfuzz_core::json::Json;
use planfuzz_core::plans::Mode;
use planfuzz_workspace::Options;

use super::{Case, Step};

impl Case {
    /// The case as a document.
    pub fn to_json(&self) -> Json {
        let mut members = vec![("op", Json::string("workspace")), ("dialect", Json::string(&self.dialect.to_string()))];
        if let Some(purpose) = &self.purpose {
            members.push(("purpose", Json::string(purpose)));
        }
        members.extend(self.members());
        Json::object(members)
    }

    /// The members that [`Case::read`] reads.
    pub fn members(&self) -> Vec<(&'static str, Json)> {
        let mut members = vec![("providers", self.providers.clone())];
        let models = self.models.iter().map(|(name, model)| (name.as_str(), model.to_json()));
        members.push(("models", Json::object(models)));
        members.push(("files", Json::object(self.files.iter().map(|(path, file)| (path.as_str(), file.clone())))));
        if let Some(state) = &self.state {
            members.push(("state", state.clone()));
        }
        members.push(("steps", Json::Array(self.steps.iter().map(Step::to_json).collect())));
        members
    }
}

impl Step {
    /// The step as a document.
    pub fn to_json(&self) -> Json {
        let mut members = self.command.members();
        let options = options_json(&self.options);
        if !options.is_empty() {
            members.push(("options", Json::object(options)));
        }
        if !self.edits.is_empty() {
            let edits = self.edits.iter().map(|(path, file)| (path.as_str(), file.clone().unwrap_or(Json::Null)));
            members.push(("files", Json::object(edits)));
        }
        if !self.taint.is_empty() {
            members.push(("taint", texts(&self.taint)));
        }
        members.extend(self.events.members());
        Json::object(members)
    }
}

fn texts(texts: &[String]) -> Json {
    Json::Array(texts.iter().map(|text| Json::string(text)).collect())
}

/// Options as cases and recorded runs have them, without those at their default.
pub fn options_json(options: &Options) -> Vec<(&'static str, Json)> {
    let default = Options::default();
    let mut members = Vec::new();
    match options.mode {
        Mode::Normal => {}
        Mode::Destroy => members.push(("mode", Json::string("destroy"))),
        Mode::RefreshOnly => members.push(("mode", Json::string("refresh_only"))),
    }
    if !options.refresh {
        members.push(("refresh", Json::Bool(false)));
    }
    for (name, list) in [("targets", &options.targets), ("excludes", &options.excludes), ("replace", &options.replace)]
    {
        if !list.is_empty() {
            members.push((name, texts(list)));
        }
    }
    if !options.variables.is_empty() {
        let variables = options.variables.iter().map(|(name, value)| (name.as_str(), Json::string(value)));
        members.push(("variables", Json::object(variables)));
    }
    if options.parallelism != default.parallelism {
        members.push(("parallelism", Json::int(options.parallelism as u64)));
    }
    if let Some(interrupt) = &options.interrupt {
        members.push(("interrupt", interrupt.to_json()));
    }
    members
}
