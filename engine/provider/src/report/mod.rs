//! Reports of a campaign, for people and for programs.

mod json;
mod junit;
mod sarif;
mod text;

pub use json::{finding_line, model_line, type_line, whole_line};
pub use junit::junit;
pub use sarif::sarif;
pub use text::{case_text, finding_text, model_text, page};
