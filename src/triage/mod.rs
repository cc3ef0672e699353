//! Triage: from findings to small cases that a person can read and the tests can keep.
//!
//! Many files of a night are replayed, sorted into buckets and minimized ([`Triage`]); each stage has its file.

mod bucket;
mod causes;
mod documents;
mod finding;
mod regressions;
mod replay;
mod sorting;
mod table;
mod workers;
mod written;

pub use crate::panel::{Bounds, Minimized, Panels, Small, Start};
pub use crate::shrink::{Shrunk, shrink, shrink_until};
pub use bucket::Bucket;
pub use causes::{Cause, Seen, causes};
pub use documents::{Document, DocumentBucket, DocumentOutcome, Round, document_buckets};
pub use finding::{FindingFile, file_name, is_artifact_name, quoted};
pub use regressions::question;
pub use replay::{ROUNDS, Replay, ReplayOutcome};
pub use sorting::{Entry, SHRINK_TIME, Stage, Triage, Triaged};
pub use table::{Counts, Row, Table, replay as replay_command};
pub use workers::Workers;
pub use written::{GoneFile, WrittenBucket, WrittenTable};
