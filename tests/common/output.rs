//! What a command came to, as tests ask for it: an exit code and two texts. One that has no exit code, or prints something
//! else than text, fails the test at once; one that ended otherwise than expected shows what it said.

use std::process::Output;

/// What a command came to.
pub struct CommandOutput {
    /// Its exit code.
    pub code: i32,
    /// What it printed.
    pub out: String,
    /// What it told people.
    pub err: String,
}

impl CommandOutput {
    /// That of a command that has ended by itself.
    #[track_caller]
    pub fn of(output: &Output) -> CommandOutput {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("it prints UTF-8");
        let code = output.status.code().unwrap_or_else(|| panic!("{}: {}", output.status, text(&output.stderr)));
        CommandOutput { code, out: text(&output.stdout), err: text(&output.stderr) }
    }

    /// Asserts the exit code, and that people are told these words.
    #[track_caller]
    pub fn ends(&self, code: i32, words: &[&str]) -> &CommandOutput {
        assert!(!self.err.contains("panicked"), "{}", self.err);
        assert_eq!(self.code, code, "{}{}", self.out, self.err);
        for word in words {
            assert!(self.err.contains(word), "expected {word:?} in {}", self.err);
        }
        self
    }
}
