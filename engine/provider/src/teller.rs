//! Who answers questions about one resource type: a provider that lives, or what one once said.

use planfuzz_core::planner::Exchange;
use planfuzz_engine::plugin::{CallError, Kind, Plugin, Question, Reply, Said};

/// Answers questions.
pub trait Teller {
    /// Answers one.
    ///
    /// # Errors
    /// No answer, or none that can be read.
    fn tell(&mut self, question: Question) -> Result<Reply, CallError>;

    /// Whether what is applied is there, and to be destroyed.
    fn is_live(&self) -> bool;
}

/// A provider that lives.
pub struct Live<'p> {
    /// The provider.
    pub plugin: &'p mut Plugin,
    /// The resource type.
    pub kind: &'p Kind,
}

impl Teller for Live<'_> {
    fn tell(&mut self, question: Question) -> Result<Reply, CallError> {
        self.plugin.ask(self.kind, question)
    }

    fn is_live(&self) -> bool {
        true
    }
}

/// A question that was put, and what came of it.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Both, in core's words; where there was no answer, one that says so.
    pub exchange: Exchange,
    /// What was said beside the answer.
    pub said: Vec<Said>,
    /// Why there is no answer.
    pub trouble: Option<CallError>,
}

/// What a provider once said, in that order.
pub struct Recorded<'e> {
    entries: std::slice::Iter<'e, Entry>,
    /// Whether something else was asked than was then.
    pub strayed: bool,
}

impl<'e> Recorded<'e> {
    /// A teller of these.
    pub fn new(entries: &'e [Entry]) -> Recorded<'e> {
        Recorded { entries: entries.iter(), strayed: false }
    }

    fn stray(&mut self) -> CallError {
        self.strayed = true;
        CallError::Unsendable("something else is asked than is recorded")
    }
}

impl Teller for Recorded<'_> {
    fn tell(&mut self, question: Question) -> Result<Reply, CallError> {
        let Some(entry) = self.entries.next() else { return Err(self.stray()) };
        if !is_asked(&entry.exchange, &question) {
            return Err(self.stray());
        }
        match &entry.trouble {
            Some(trouble) => Err(trouble.clone()),
            None => Ok(Reply { exchange: entry.exchange.clone(), said: entry.said.clone() }),
        }
    }

    fn is_live(&self) -> bool {
        false
    }
}

/// Whether a question is the one of an exchange.
fn is_asked(exchange: &Exchange, question: &Question) -> bool {
    match (exchange, question) {
        (Exchange::Validate(a, _), Question::Validate(b)) => a.config == b.config,
        (Exchange::Upgrade(a, _), Question::Upgrade(b)) => a.version == b.version,
        (Exchange::Read(a, _), Question::Read(b)) => a.current == b.current,
        (Exchange::Plan(a, _), Question::Plan(b)) => {
            a.prior == b.prior && a.config == b.config && a.proposed == b.proposed
        }
        (Exchange::Apply(a, _), Question::Apply(b)) => {
            a.prior == b.prior && a.config == b.config && a.planned == b.planned
        }
        (Exchange::Import(a, _), Question::Import(b)) => a.id == b.id,
        (Exchange::ReadData(a, _), Question::ReadData(b)) => a.config == b.config,
        _ => false,
    }
}
