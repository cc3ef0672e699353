//! The `lifecycle` block of a resource.

use planfuzz_core::json::{Json, JsonError};
use planfuzz_core::planner::{IgnoreChanges, Lifecycle};

use super::value::read_path;
use super::{Members, form};

form! { Lifecycle, "a lifecycle block":
    create_before_destroy,
    forced_create_before_destroy,
    prevent_destroy,
    ignore_changes,
    replace_triggered_by,
    keep_on_destroy,
}

/// Puts `"all"`, or paths in the order written, if there are any.
pub fn write_ignore_changes(members: &mut Members, ignore_changes: &IgnoreChanges) {
    match ignore_changes {
        IgnoreChanges::All => members.text("ignore_changes", "all"),
        IgnoreChanges::Some(paths) => {
            members.list("ignore_changes", paths.iter().map(|path| Json::string(&path.to_string())));
        }
    }
}

/// `"all"`, or paths in the order written.
///
/// # Errors
/// Anything else.
pub fn read_ignore_changes(json: &Json) -> Result<IgnoreChanges, JsonError> {
    match json {
        Json::String(text) if **text == *"all" => Ok(IgnoreChanges::All),
        Json::Array(_) => json.read_items(read_path).map(IgnoreChanges::Some),
        other => Err(other.unexpected("\"all\" or an array of paths")),
    }
}
