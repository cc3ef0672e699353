//! Comparison of answers: with each other, with the rules, and with the answers to related cases.
//!
//! A check that can find a wrong answer is an oracle ([`Oracle`]): the comparison of two answers, the rules of one, the invariants
//! of a run, the promises of a provider, the properties that relate cases. Each has a file in `oracles/`, a name in findings and a count
//! of its own. The [`Judge`] passes answers to all of them. The first subject is compared with every other one, operation by operation;
//! the other oracles check another subject's answer only if it differs, because an equal answer breaks the same rules.

mod allow;
mod answers;
mod case_result;
mod class;
mod difference;
mod expressions;
mod finding;
mod inaccuracy;
mod judge;
mod known;
mod oracle;
mod oracles;
pub mod properties;
mod recorded;
mod renaming;
mod signature;
mod summary;
mod tally;
mod trace;
pub mod trace_properties;
mod unwritten;
mod workspace_counts;

pub use allow::{Allowance, Allowances, AllowancesError};
pub use answers::{Answer, Answers};
pub use case_result::CaseResult;
pub use class::Class;
pub use difference::{Difference, Place, difference};
pub use finding::{Excuse, Finding, Judged};
pub use inaccuracy::RecordingInaccuracy;
pub use judge::{Arbiter, Judge, Sitting};
pub use known::{KnownDifference, KnownDifferences};
pub use oracle::{Beside, Candidate, Oracle, Question, Ruling, Whose};
pub use oracles::names as oracle_names;
pub use recorded::{Expected, Miss};
pub use signature::{
    GeneralSignature, Kind, PlaceKind, RuleId, Signature, SignatureClass, SignatureError, Site, Subjects, Word,
};
pub use summary::Summary;
pub use tally::Tally;
pub use trace::{Compared, TraceCounts, TracePlace, View, compare_past, compare_traces};
pub use workspace_counts::{PLANNED_AGAIN, UNCHECKED, WorkspaceCounts};
