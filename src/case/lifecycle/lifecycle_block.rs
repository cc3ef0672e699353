//! The `lifecycle` block of a resource.

use planfuzz_core::json::{Json, JsonError, ObjectReader};
use planfuzz_core::planner::{IgnoreChanges, Lifecycle};
use planfuzz_core::value::Type;

use super::names::{put_prevent_destroy, read_prevent_destroy};
use super::value::read_path;
use super::{Form, Members};

impl Form for Lifecycle {
    fn to_form(&self, ty: &Type) -> Json {
        let Lifecycle {
            create_before_destroy,
            forced_create_before_destroy,
            prevent_destroy,
            ignore_changes,
            replace_triggered_by,
            keep_on_destroy,
        } = self;
        let mut members = Members::default();
        members.flag("create_before_destroy", *create_before_destroy);
        members.flag("forced_create_before_destroy", *forced_create_before_destroy);
        put_prevent_destroy(&mut members, *prevent_destroy);
        write_ignore_changes(&mut members, ignore_changes);
        members.forms("replace_triggered_by", replace_triggered_by, ty);
        members.flag("keep_on_destroy", *keep_on_destroy);
        members.into_json()
    }

    fn from_form(json: &Json, ty: &Type) -> Result<Lifecycle, JsonError> {
        let mut reader = ObjectReader::new(json, "a lifecycle block")?;
        let triggers = reader.optional("replace_triggered_by", |json| Vec::from_form(json, ty))?;
        let lifecycle = Lifecycle {
            create_before_destroy: reader.flag("create_before_destroy")?,
            forced_create_before_destroy: reader.flag("forced_create_before_destroy")?,
            prevent_destroy: read_prevent_destroy(&mut reader)?,
            ignore_changes: reader.optional("ignore_changes", read_ignore_changes)?.unwrap_or_default(),
            replace_triggered_by: triggers.unwrap_or_default(),
            keep_on_destroy: reader.flag("keep_on_destroy")?,
        };
        reader.finish()?;
        Ok(lifecycle)
    }
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
