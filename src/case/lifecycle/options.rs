//! What the user asks for, beside the mode.

use planfuzz_core::json::{Json, JsonError, ObjectReader};
use planfuzz_core::planner::PlanOptions;
use planfuzz_core::state::DeposedKey;
use planfuzz_core::value::{Text, Type};

use super::{Form, Members};

impl Form for PlanOptions {
    fn to_form(&self, _: &Type) -> Json {
        let PlanOptions { skip_refresh, replace, import, moved_from, forget, fresh_key } = self;
        let mut members = Members::default();
        members.flag("skip_refresh", *skip_refresh);
        members.flag("replace", *replace);
        members.some_text("import", import.as_ref());
        members.some_text("moved_from", moved_from.as_ref());
        members.flag("forget", *forget);
        members.name_unless("fresh_key", *fresh_key == DeposedKey::default(), fresh_key.as_str());
        members.into_json()
    }

    fn from_form(json: &Json, _: &Type) -> Result<PlanOptions, JsonError> {
        let mut reader = ObjectReader::new(json, "options")?;
        let options = PlanOptions {
            skip_refresh: reader.flag("skip_refresh")?,
            replace: reader.flag("replace")?,
            import: reader.optional("import", read_text)?,
            moved_from: reader.optional("moved_from", read_text)?,
            forget: reader.flag("forget")?,
            fresh_key: reader.optional("fresh_key", read_key)?.unwrap_or_default(),
        };
        reader.finish()?;
        Ok(options)
    }
}

/// A text.
pub(super) fn read_text(json: &Json) -> Result<Text, JsonError> {
    json.expect_string().map(Text::new)
}

/// The key of a deposed object.
pub(super) fn read_key(json: &Json) -> Result<DeposedKey, JsonError> {
    read_key_text(json.expect_string()?)
}

pub(super) fn read_key_text(text: &str) -> Result<DeposedKey, JsonError> {
    let expected = "the key of a deposed object: eight digits of 0 to 9 and a to f";
    DeposedKey::new(text).ok_or_else(|| Json::string(text).unexpected(expected))
}
