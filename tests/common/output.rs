//! The result of a command: an exit code and two texts. A command without an exit code, or whose output is no text, fails
//! the test at once; the message for an unexpected exit code contains the output.

use std::process::Output;

/// The result of a command.
pub struct CommandOutput {
    /// Its exit code.
    pub code: i32,
    /// Its standard output.
    pub out: String,
    /// Its standard error.
    pub err: String,
}

impl CommandOutput {
    /// The result of a command that has ended by itself.
    #[track_caller]
    pub fn of(output: &Output) -> CommandOutput {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("it prints UTF-8");
        let code = output.status.code().unwrap_or_else(|| panic!("{}: {}", output.status, text(&output.stderr)));
        CommandOutput { code, out: text(&output.stdout), err: text(&output.stderr) }
    }

    /// Asserts the exit code, and these words on standard error.
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
