//! Values made from other values: what correlates the four values of a case.
//!
//! A configuration is the prior state seen from the other side, an answer is the configuration with what the provider
//! fills in, a result is the answer with its unknowns gone; and each may be edited afterwards. None of this follows
//! the rules to the letter: it aims near them, so that every row of every table is met from both sides.

mod answer;
mod collections;
mod complete;
mod edit;
mod project;
