//! planfuzz-provider: real provider binaries held to the contract.
//!
//! A provider binary is started and asked as Core asks it: the reference planner walks lives of generated configurations, and every answer is
//! held to the invariants of lifecycle.md and to promises that need no Core to be broken. What breaks one is a finding: a case
//! with all that was asked and answered, made small by asking the live provider, and shown again without it.
//!
//! | file | holds |
//! | --- | --- |
//! | `responder.rs`, `recorder.rs` | who answers: a live provider or a record; core's trait `Provider` in front of it |
//! | `script.rs`, `hidden.rs`, `play.rs` | a life as data, what is unknown in it, and played |
//! | `identity.rs` | an object's identity, kept from answer to question |
//! | `judge/`, `promise.rs` | what is promised, and whether it was kept |
//! | `generate/` | configurations of a schema, and what is learned from refusals |
//! | `shrink.rs`, `case.rs`, `saved.rs` | findings made small, as files, and those shown and sorted again |
//! | `subject.rs`, `worker.rs`, `schedule.rs`, `commit.rs`, `campaign.rs` | a type; one life; which is played next; what comes of it; many with several processes |
//! | `journal.rs`, `leftovers.rs` | objects that are there because of a run, and what earlier runs left |
//! | `model/` | core's model of the classic SDK, held to what a provider plans |
//! | `report/` | text, JSON, SARIF, JUnit |
//! | `args.rs`, `source.rs`, `command.rs`, `ending.rs` | the command `provider`, and how it ends |

#![forbid(unsafe_code)]

mod args;
mod campaign;
mod case;
mod command;
mod commit;
mod ending;
mod generate;
mod hidden;
mod identity;
mod journal;
mod judge;
mod leftovers;
mod lock;
mod model;
mod outcome;
mod place;
mod play;
mod promise;
mod recorder;
mod report;
mod responder;
mod saved;
mod schedule;
mod script;
mod seeds;
mod settle;
mod shrink;
mod source;
mod subject;
mod worker;

pub use args::ProviderArgs;
pub use campaign::{Applies, Campaign};
pub use case::{Case, CaseError};
pub use command::{ReadSeeds, run};
pub use ending::{Held, ProviderError};
pub use outcome::{BrokenPromise, CampaignReport, Counts, TypeReport};
pub use promise::{PROMISES, Promise};
pub use saved::Saved;
pub use subject::Subject;
