//! From the bodies of a module's files to its declarations (section 3): a file for each kind of block.

mod address;
mod arguments;
mod call;
mod module;
mod provider;
mod provider_source;
mod repeated;
mod resource;
mod rule;
mod settings;
mod statement;
mod variable;
mod version_constraint;

pub(super) use module::Decoder;

pub(crate) use arguments::start_place;
