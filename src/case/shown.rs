//! How much of an answer is visible; recorded answers state it too.

/// How much of a subject's answers is visible. The invisible parts cannot differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shown {
    /// All of it.
    #[default]
    Whole,
    /// The answers come over a line, so they hold no more than formats.md can write.
    Written,
    /// The answers are read from an engine's calls and files. Besides the limits of formats.md, they do not show what expressions see of
    /// the instance, nor whether one instance's part of a plan is applyable; calls about different objects come in any order, and
    /// an object is upgraded as often as it is read.
    Observed,
}

impl Shown {
    /// All levels, from most to least.
    pub const ALL: [Shown; 3] = [Shown::Whole, Shown::Written, Shown::Observed];

    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Shown::Whole => "whole",
            Shown::Written => "written",
            Shown::Observed => "observed",
        }
    }
}
