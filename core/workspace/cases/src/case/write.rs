//! Writing a case: members with their default value are left out, and the document reads back as the same case.

use planfuzz_core::json::{Field, Json};

use super::Case;

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
        let (models, files) = (self.models.write(), self.files.write());
        let mut members = vec![("providers", self.providers.clone()), ("models", models), ("files", files)];
        if let Some(state) = &self.state {
            members.push(("state", state.clone()));
        }
        members.push(("steps", self.steps.write()));
        members
    }
}
