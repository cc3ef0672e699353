//! Actions, changes and plans: the content of a plan (plans.md).
//!
//! Every change is there in two layers: decoded, with values ([`Change`], [`AddressedChange`], [`OutputChange`], [`Changes`]), and
//! encoded, with bytes that take a type to read them; there the same types hold [`EncodedValue`]s.

mod action;
mod addressed;
mod change;
mod changes;
mod counts;
mod dynamic_value;
mod encoded;
pub mod file;
pub mod json;
#[cfg(test)]
mod laws;
mod listing;
mod marked;
mod mode;
mod output;
mod plan;
mod planned_state;
mod reason;
mod resource;
mod state_values;
mod sync;
#[cfg(test)]
mod testing;
mod timestamp;
mod typed;

pub use action::{Action, UnknownAction};
pub use addressed::{AddressedChange, EncodedAddressedChange};
pub use change::{Change, Importing};
pub use changes::{Changes, EncodedChanges};
pub use counts::Counts;
pub use dynamic_value::DynamicValue;
pub use encoded::{EncodedChange, EncodedValue, NotDecodable, NotEncodable, OfSide};
pub use marked::Marked;
pub use mode::{Mode, UnknownMode};
pub use output::{EncodedOutputChange, NotOfAnOutput, OutputChange};
pub use plan::{Backend, Deferred, DeferredAddress, OfEngine, Plan, Quality, RelevantAttribute};
pub use reason::ActionReason;
pub use resource::ResourceInstanceChange;
pub use state_values::{NotStateValues, StateProblem, StateValues};
pub use sync::ChangesSync;
pub use timestamp::{Timestamp, TimestampError};
pub use typed::{ChangesError, ResourceType};
