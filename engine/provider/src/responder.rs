//! The answering side of questions about one resource type: a live provider, or recorded answers.

use planfuzz_core::planner::{ApplyChange, Exchange};
use planfuzz_core::state::Private;
use planfuzz_core::value::{Type, Value};
use planfuzz_engine::plugin::{CallError, IdentitySchema, Kind, Plugin, ProviderDiagnostic, Question, Reply};

use crate::journal::Journal;
use crate::subject::Subject;

/// Answers questions.
pub trait Responder {
    /// Answers one question, about the object of this identity if it is known.
    ///
    /// # Errors
    /// There is no answer, or it cannot be read.
    fn respond(&mut self, question: Question, identity: Option<&Value>) -> Result<Reply, CallError>;

    /// Whether applied objects really exist, and have to be destroyed.
    fn is_live(&self) -> bool;
}

/// A live provider.
pub struct Live<'p> {
    /// The provider.
    pub plugin: &'p mut Plugin,
    /// The type.
    pub kind: &'p Kind,
    /// Where created objects are recorded; if `None`, a call that needs a remote system is an error.
    pub objects: Option<Objects<'p>>,
}

/// The objects of a run, in the journal.
pub struct Objects<'p> {
    journal: &'p Journal,
    type_name: &'p str,
    ty: &'p Type,
    identity: Option<&'p IdentitySchema>,
    /// The existing objects: the number, and the object.
    there: Vec<(u64, Value)>,
}

impl<'p> Objects<'p> {
    /// No objects yet.
    pub fn new(journal: &'p Journal, type_name: &'p str, subject: &'p Subject) -> Objects<'p> {
        let (ty, identity) = (&subject.ty, subject.kind.identity());
        Objects { journal, type_name, ty, identity, there: Vec::new() }
    }

    /// Takes over an object that an earlier run left behind.
    pub fn adopt(&mut self, object: &Value, private: &Private, identity: Option<&Value>) {
        let number = self.journal.under_way(self.type_name);
        self.write(number, object, private, identity);
        self.there.push((number, object.clone()));
    }

    /// The object that an apply is about: the one with that value, else the one with its id.
    fn find(&self, prior: &Value) -> Option<usize> {
        let id = |of: &Value| of.view().member("id").map(|id| id.to_value());
        let same = self.there.iter().position(|(_, it)| it == prior);
        same.or_else(|| self.there.iter().position(|(_, it)| id(it).is_some() && id(it) == id(prior)))
    }

    fn begun(&mut self, asked: &ApplyChange) -> Option<u64> {
        asked.prior.is_null().then(|| self.journal.under_way(self.type_name))
    }

    fn answered(&mut self, begun: Option<u64>, reply: &Reply) {
        let Exchange::Apply(asked, answer) = &reply.exchange else { return };
        let Some(state) = answer.new_state.as_ref() else { return };
        let at = if begun.is_some() { None } else { self.find(&asked.prior) };
        let number = begun.or_else(|| at.map(|at| self.there[at].0));
        let Some(number) = number else { return };
        let is_error = answer.remarks.iter().any(|it| it.is_error());
        if state.is_null() {
            // A failed destruction leaves the object as it was.
            if begun.is_some() || !is_error {
                self.journal.is_gone(number);
                at.map(|at| self.there.remove(at));
            }
            return;
        }
        match at {
            Some(at) => self.there[at].1 = state.clone(),
            None => self.there.push((number, state.clone())),
        }
        self.write(number, state, &answer.private, reply.identity.as_ref());
    }

    fn write(&self, number: u64, object: &Value, private: &Private, identity: Option<&Value>) {
        let identity = self.identity.zip(identity).map(|(of, it)| it.to_json(&of.ty()));
        self.journal.is_there(number, self.type_name, object.to_json(self.ty), private, identity);
    }
}

impl Responder for Live<'_> {
    fn respond(&mut self, question: Question, identity: Option<&Value>) -> Result<Reply, CallError> {
        let Some(objects) = &mut self.objects else {
            return match question {
                Question::Read(_) | Question::Apply(_) | Question::Import(_) | Question::ReadData(_) => {
                    Err(CallError::Unsendable("a call that needs a remote system, which was not asked for"))
                }
                question => self.plugin.ask(self.kind, question, identity),
            };
        };
        let begun = match &question {
            Question::Apply(asked) => objects.begun(asked),
            _ => None,
        };
        let reply = self.plugin.ask(self.kind, question, identity)?;
        objects.answered(begun, &reply);
        Ok(reply)
    }

    fn is_live(&self) -> bool {
        true
    }
}

/// A question and its result.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The question and the answer, in core's types; a missing answer is replaced by an error.
    pub exchange: Exchange,
    /// The diagnostics of the answer.
    pub diagnostics: Vec<ProviderDiagnostic>,
    /// Why there is no answer.
    pub trouble: Option<CallError>,
    /// The identity that went with the question.
    pub identity: Option<Value>,
    /// The identity that came with the answer.
    pub answered_identity: Option<Value>,
}

/// Recorded answers, in order.
pub struct Recorded<'e> {
    entries: std::slice::Iter<'e, Entry>,
    /// Whether a question differed from the recorded one.
    pub strayed: bool,
}

impl<'e> Recorded<'e> {
    /// A responder with these answers.
    pub fn new(entries: &'e [Entry]) -> Recorded<'e> {
        Recorded { entries: entries.iter(), strayed: false }
    }

    fn stray(&mut self) -> CallError {
        self.strayed = true;
        CallError::Unsendable("something else is asked than is recorded")
    }
}

impl Responder for Recorded<'_> {
    fn respond(&mut self, question: Question, identity: Option<&Value>) -> Result<Reply, CallError> {
        let Some(entry) = self.entries.next() else { return Err(self.stray()) };
        if !is_asked(&entry.exchange, &question) || entry.identity.as_ref() != identity {
            return Err(self.stray());
        }
        match &entry.trouble {
            Some(trouble) => Err(trouble.clone()),
            None => Ok(Reply {
                exchange: entry.exchange.clone(),
                diagnostics: entry.diagnostics.clone(),
                identity: entry.answered_identity.clone(),
            }),
        }
    }

    fn is_live(&self) -> bool {
        false
    }
}

/// Whether a question equals that of an exchange.
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
