//! What an engine printed: whose it is, and where in the object.
//!
//! Core's own checks name the instance and the place in the explanation, in a form that differs from message to message;
//! what concerns the configuration has a range in its file; what a provider said has what the provider put there. A
//! diagnostic whose instance cannot be told, or whose place cannot, is given as that.

mod about;
mod address;
mod go;
mod line;
mod place;
mod source;

pub use about::{About, Subject, about};
pub use address::Named;
pub use line::{Printed, Said, SourceRange};
pub use place::Keys;
