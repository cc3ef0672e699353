//! Configuration as a tree: the contents of a module's files, with all source places.
//!
//! [`load()`] is stage E01: it reads and decodes all files of all modules, and reports all errors together. Bodies of resources, data and
//! providers stay as they are written until a schema is known ([`content()`]).

mod body;
mod content;
mod decode;
mod expr;
mod load;
mod load_checks;
mod module_source;
mod native;
mod passing;
mod provider_source;
mod references;
mod statics;
mod tree;
mod type_constraint;

pub use body::{Attribute, Block, Body, JsonBody, Name, NativeBody, Written};
pub use content::{Content, ContentSchema, content, json_body, just_attributes, partial_content};
pub use load::{Load, has_files, load, load_file};
pub use module_source::ModuleSource;
pub use native::parse_native;
pub use provider_source::{is_known_by, local_name, local_name_of, provider_source};
pub use statics::{Form, Static, read as read_static};
pub use tree::*;
pub use type_constraint::{ObjectField, TypeConstraint};

pub(crate) use decode::start_place as expr_start;
pub use expr::{body_references, iterators, references_of, schema_references, text_at};
pub(crate) use expr::{literal, template_faults};
