//! The user's options of a plan, apart from the mode.

use planfuzz_core::json::{Json, JsonError};
use planfuzz_core::planner::PlanOptions;
use planfuzz_core::state::DeposedKey;
use planfuzz_core::value::Text;

use super::form;

form! { PlanOptions, "options":
    skip_refresh,
    replace,
    import,
    moved_from,
    forget,
    fresh_key,
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
