//! Cases of whole workspaces: their form, a generator, how they are played, compared and minimized.
//!
//! | module | holds |
//! | --- | --- |
//! | [`agree`] | two planners on one case, compared in everything that they do |
//! | [`case`] | the form: a workspace, its providers as data, and the steps that people take; a strict, bounded reader |
//! | [`model`] | providers as functions of a request |
//! | [`generate`] | cases of choices: workspaces that are grown, and edits that people make |
//! | [`mod@hunt`] | the hunt for a planted fault of a planner |
//! | [`kept`] | cases that start from a state and a configuration of a user |
//! | [`laws`] | laws about what must not matter, checked on what a planner did |
//! | [`mod@mutate`] | cases from cases: changed, crossed, smaller |
//! | `parts` | places in documents, and documents that differ in one of them |
//! | [`pairs`] | every pair of actions of two resources that depend on each other |
//! | `places` | every kind of value in every place of one configuration |
//! | [`mod@play`] | a case put to a planner, step by step |
//! | [`merge`] | a step as a question of its own, and many questions as one |
//! | [`outcome`] | what a planner did in a step, in the form of recorded runs |
//! | [`signature`] | differences by kind and text |
//! | [`stored`] | every way in which two instances of a resource may be stored, under every command |
//! | [`scope`] | the scopes that are run to the end |
//! | [`size`] | how many resources a case has |
//! | [`shapes`] | workspaces by shape and size, made by code: the subjects of speed measurements |
//! | [`shrink`] | minimizes a case while it still shows the same |

#![forbid(unsafe_code)]

pub mod agree;
pub mod case;
pub mod generate;
pub mod hunt;
pub mod kept;
pub mod laws;
pub mod merge;
pub mod model;
pub mod mutate;
pub mod outcome;
pub mod pairs;
mod parts;
mod places;
pub mod play;
pub mod scope;
pub mod shapes;
pub mod shrink;
pub mod signature;
pub mod size;
pub mod stored;

pub use case::{Case, CaseError, Command, Step};
pub use outcome::outcome_json;
pub use play::{Played, PlayedStep, play};
