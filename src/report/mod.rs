//! Renderings for people: schemas, values, changes, violations and answers as lines of text.
//!
//! The notation is the one that people know from plans: `+`, `-` and `~` in front, `(known after apply)` for unknowns,
//! blocks as blocks. Everything here is a pure function from data to [`Line`]s; a line has the roles of its parts (a
//! [`Tone`]), not their colours, and nothing is printed.
//!
//! Long texts and collections are cut, with a remark. A rendering is for reading and may be the same for two values that
//! differ; [`compare`] then shows where they do.

mod answer;
mod case;
mod columns;
mod line;
mod outline;
mod page;
mod scalar;
mod transcript;
mod tree;
mod workspace;
mod write;

pub use answer::{Detail, answer, compare};
pub use case::{case, inputs};
pub use columns::side_by_side;
pub use line::{Line, Tone, plain};
pub use outline::outline;
pub use page::page;
pub use scalar::{quoted, type_text};
pub use transcript::Transcript;
pub use workspace::graph::{dot, svg};
pub use workspace::plan_summary;
pub use write::{change, value};
