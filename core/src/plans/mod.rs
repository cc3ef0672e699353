//! Actions and changes: what a plan says (plans.md).

mod action;
mod change;
pub mod file;
pub mod json;
mod marked;
mod mode;
mod reason;
mod resource;

pub use action::Action;
pub use change::{Change, Importing};
pub use marked::Marked;
pub use mode::Mode;
pub use reason::ActionReason;
pub use resource::ResourceInstanceChange;
