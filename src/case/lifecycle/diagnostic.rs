//! Errors and warnings.

use std::borrow::Cow;

use planfuzz_core::json::{Json, JsonError, ObjectReader};
use planfuzz_core::planner::{Diagnostic, Remark};
use planfuzz_core::value::Type;

use super::names::{name_of, read_name};
use super::options::read_text;
use super::value::read_path;
use super::{Form, Members};

/// The rule is written for people; readers ignore it.
impl Form for Diagnostic {
    fn to_form(&self, _: &Type) -> Json {
        let Diagnostic { severity, summary, path, rule } = self;
        let mut members = Members::default();
        members.text("severity", name_of(*severity));
        members.text("summary", summary);
        members.path("path", path);
        members.name_unless("rule", rule.is_empty(), rule);
        members.into_json()
    }

    fn from_form(json: &Json, _: &Type) -> Result<Diagnostic, JsonError> {
        let mut reader = ObjectReader::new(json, "a diagnostic: \"severity\", \"summary\" and \"path\"")?;
        let diagnostic = Diagnostic {
            severity: reader.required("severity", read_name)?,
            summary: Cow::Owned(reader.required("summary", Json::expect_string)?.to_owned()),
            path: reader.optional("path", read_path)?.unwrap_or_default(),
            rule: "",
        };
        reader.optional("rule", Json::expect_string)?;
        reader.finish()?;
        Ok(diagnostic)
    }
}

impl Form for Remark {
    fn to_form(&self, _: &Type) -> Json {
        let Remark { severity, summary } = self;
        Json::object([("severity", Json::string(name_of(*severity))), ("summary", Json::string(summary))])
    }

    fn from_form(json: &Json, _: &Type) -> Result<Remark, JsonError> {
        let mut reader = ObjectReader::new(json, "a provider's remark: \"severity\" and \"summary\"")?;
        let remark = Remark {
            severity: reader.required("severity", read_name)?,
            summary: reader.required("summary", read_text)?,
        };
        // Core passes a provider's path on without reading it.
        reader.optional("path", read_path)?;
        reader.finish()?;
        Ok(remark)
    }
}
