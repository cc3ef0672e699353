//! Reads the diagnostics that an engine printed: their instance, and the place in the object.
//!
//! Core's own checks name the instance and the place in the explanation, in a form that differs from message to message; diagnostics about
//! the configuration have a range in its file; those of a provider have what the provider put there. If the instance or the place of a
//! diagnostic cannot be determined, the result states it.

mod about;
mod address;
mod go;
mod line;
mod place;
mod source;

pub use about::{About, Subject, about};
pub use address::Named;
pub use line::{Printed, PrintedDiagnostic, SourceRange};
pub use place::Keys;
