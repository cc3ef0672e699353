//! Questions to the user at the terminal: a key for a decision, a line for its reason.

use std::io::{ErrorKind, IsTerminal};

use console::{Key, Term};

use crate::cli::error::CliError;
use crate::cli::output::{HEAD, styled};

/// The user's decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It is allowed.
    Accept,
    /// Its smallest case becomes a regression.
    Keep,
    /// It stays as it is.
    Leave,
    /// It is looked at after the others.
    Skip,
    /// No more questions.
    Quit,
}

/// Each answer with its key and what it means.
const ANSWERS: [(char, Answer, &str); 5] = [
    ('a', Answer::Accept, "accept as allowed"),
    ('k', Answer::Keep, "keep as a regression"),
    ('l', Answer::Leave, "leave"),
    ('s', Answer::Skip, "skip, for later"),
    ('q', Answer::Quit, "quit"),
];

/// A terminal that can be asked.
pub struct Prompt(Term);

impl Prompt {
    /// The terminal of the process, if that is where it reads and writes.
    pub fn of_terminal() -> Option<Prompt> {
        let is_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
        is_terminal.then(|| Prompt(Term::stdout()))
    }

    /// Asks for a decision. The end of input quits the review.
    ///
    /// # Errors
    /// A terminal that is closed.
    pub fn key(&mut self) -> Result<Answer, CliError> {
        let keys = ANSWERS.map(|(key, _, meaning)| format!("{} {meaning}", styled(HEAD, key)));
        self.write(&format!("\n{} ", keys.join("   ")))?;
        loop {
            let key = match self.0.read_key() {
                // Ctrl-D ends the input.
                Ok(Key::Escape | Key::Char('\u{4}')) => 'q',
                Ok(Key::Char(key)) => key.to_ascii_lowercase(),
                Ok(_) => continue,
                Err(problem) if matches!(problem.kind(), ErrorKind::UnexpectedEof | ErrorKind::NotConnected) => 'q',
                Err(problem) => return Err(gone(&problem)),
            };
            if let Some((_, answer, meaning)) = ANSWERS.into_iter().find(|(known, ..)| *known == key) {
                self.write(&format!("→ {meaning}\n"))?;
                return Ok(answer);
            }
        }
    }

    /// Asks for a line, unless an option gave it; `None` if the answer is blank, which takes the decision back.
    ///
    /// # Errors
    /// A terminal that is closed.
    pub fn line(&mut self, question: &str, given: Option<&str>) -> Result<Option<String>, CliError> {
        if let Some(given) = given.map(str::trim).filter(|given| !given.is_empty() && !given.contains('\n')) {
            return Ok(Some(given.to_owned()));
        }
        self.write(&format!("{question} (nothing takes it back) "))?;
        let line = self.0.read_line().map_err(|problem| gone(&problem))?;
        let line = line.trim();
        Ok((!line.is_empty()).then(|| line.to_owned()))
    }

    fn write(&mut self, text: &str) -> Result<(), CliError> {
        self.0.write_str(text).map_err(|problem| gone(&problem))
    }
}

fn gone(problem: &std::io::Error) -> CliError {
    CliError::failed(format!("the terminal cannot be asked: {problem}"))
}
