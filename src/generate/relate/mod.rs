//! Values made from other values, which correlates the four values of a case.
//!
//! A configuration is derived from the prior state, an answer is the configuration with what the provider
//! fills in, a result is the answer with its unknowns replaced; and each may be edited afterwards. None of them follows
//! the rules to the letter: they come close, so that every row of every table is met from both sides.

mod answer;
mod collections;
mod complete;
mod edit;
mod project;
