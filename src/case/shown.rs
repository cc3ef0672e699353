//! How much of an answer is seen, which a recorded answer says too.

/// How much of a subject's answers is seen: what is not cannot differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shown {
    /// All of it.
    #[default]
    Whole,
    /// They come over a line, so that they hold no more than formats.md can write.
    Written,
    /// They are read off an engine's calls and files: besides, nothing tells what expressions see of the instance and whether one
    /// instance's part of a plan is applyable; calls about different objects come in any order, and an object is upgraded
    /// as often as it is read.
    Observed,
}

impl Shown {
    /// From most to least.
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
