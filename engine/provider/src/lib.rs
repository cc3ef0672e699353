//! planfuzz-provider: checks real provider binaries against the contract.
//!
//! A provider binary is started and called as Core calls it: the reference planner plays runs of generated configurations, and every
//! answer is checked against the invariants of lifecycle.md and against promises that can be broken without Core. A breach is a finding: a
//! case with all questions and answers, minimized by asking the live provider, which can be shown again without the provider.
//!
//! | file | holds |
//! | --- | --- |
//! | `responder.rs`, `recorder.rs` | the answering side: a live provider or a record; core's trait `Provider` in front of it |
//! | `script.rs`, `hidden.rs`, `play.rs` | a run as data, its unknown parts, and how it is played |
//! | `identity.rs` | an object's identity, kept from answer to question |
//! | `judge/`, `promise.rs` | the promises, and how they are checked |
//! | `generate/` | configurations of a schema, and learning from refusals |
//! | `shrink.rs`, `case/`, `saved.rs` | findings: minimized, as files, replayed and grouped |
//! | `subject.rs`, `worker.rs`, `schedule.rs`, `commit.rs`, `campaign.rs` | a type; one run; which run is next; its results; many runs
//! with several processes |
//! | `outcome.rs`, `lock.rs` | what a campaign counts and finds; data that its threads share |
//! | `place.rs` | places and values, as findings show them |
//! | `seeds.rs` | words from a user's own files |
//! | `settle.rs` | planned objects that are stored without an apply |
//! | `journal.rs`, `leftovers.rs` | objects that exist because of a run, and those that earlier runs left |
//! | `model/` | core's model of the classic SDK, compared with a provider's plans |
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
pub use ending::{Kept, ProviderError};
pub use outcome::{BrokenPromise, CampaignReport, Counts, TypeReport};
pub use promise::{PROMISES, Promise};
pub use saved::Saved;
pub use subject::Subject;
