//! The JSON forms of the requests and answers of planners and providers in the lifecycle of a resource instance (formats.md, "Traces").
//!
//! Values are written by the implied type of the schema. Members that hold their default are left out, so that cases stay
//! small; unknown members are errors.

mod answer;
mod apply;
mod ask;
mod diagnostic;
mod lifecycle_block;
mod member;
mod members;
mod names;
mod options;
mod outside_facts;
mod plan;
mod presence;
mod request;
mod resource_change;
mod state;
mod trace;
mod value;

#[cfg(test)]
mod tests;

use planfuzz_core::json::{Json, JsonError};
use planfuzz_core::value::Type;

pub use answer::ProviderAnswer;
pub use lifecycle_block::{read_ignore_changes, write_ignore_changes};
pub(crate) use member::{Member, form};
pub use members::Members;
pub use names::{Named, read_name};
pub use request::ProviderRequest;
pub(crate) use value::{read_marked, read_own_value, read_private, read_value, write_private, write_value};
pub use value::{read_path, read_paths, write_paths};

/// A type with a form in JSON, given the implied type of the schema.
pub trait Form: Sized {
    /// Writes the form. Two values with the same meaning are written alike.
    fn to_form(&self, ty: &Type) -> Json;

    /// Reads the form.
    ///
    /// # Errors
    /// Anything that formats.md does not allow, with the path of the member.
    fn from_form(json: &Json, ty: &Type) -> Result<Self, JsonError>;
}

/// A list of forms.
impl<T: Form> Form for Vec<T> {
    fn to_form(&self, ty: &Type) -> Json {
        Json::Array(self.iter().map(|item| item.to_form(ty)).collect())
    }

    fn from_form(json: &Json, ty: &Type) -> Result<Vec<T>, JsonError> {
        json.read_items(|item| T::from_form(item, ty))
    }
}
