//! The identity of a run's object, kept beside the object from answer to question, as engines do.

use planfuzz_core::value::Value;
use planfuzz_engine::plugin::Question;

use crate::settle::settle;

/// The known identities of an object.
#[derive(Clone, Debug, Default)]
pub struct Identity {
    /// The identity of the stored object.
    stored: Option<Value>,
    /// The planned identity.
    planned: Option<Value>,
    /// The identity that the next import uses in place of an id.
    import_by: Option<Value>,
}

impl Identity {
    /// The identity of a stored object.
    pub fn of(stored: Option<Value>) -> Identity {
        Identity { stored, ..Identity::default() }
    }

    /// The identity of the stored object.
    pub fn stored(&self) -> Option<&Value> {
        self.stored.as_ref()
    }

    /// Sets the identity that the next import uses.
    pub fn import_by(&mut self, identity: Value) {
        self.import_by = Some(identity);
    }

    /// Stores the planned identity as if it had been applied.
    pub fn settle(&mut self) {
        self.stored = self.planned.take().as_ref().and_then(settle);
    }

    /// The identity that a question is sent with.
    pub fn asked(&mut self, question: &Question) -> Option<Value> {
        match question {
            Question::Upgrade(_) | Question::Read(_) => self.stored.clone(),
            // An object that replaces another one has a new identity.
            Question::Plan(asked) => self.stored.clone().filter(|_| !asked.prior.is_null()),
            Question::Apply(_) => self.planned.clone(),
            Question::Import(_) => self.import_by.take(),
            Question::Validate(_) | Question::ReadData(_) => None,
        }
    }

    /// Takes over the identity of an answer without errors.
    pub fn answered(&mut self, question: &Question, object: Option<&Value>, identity: Option<Value>) {
        let is_gone = object.is_none_or(Value::is_null);
        match question {
            Question::Upgrade(_) | Question::Read(_) if !is_gone => self.stored = identity.or(self.stored.take()),
            Question::Plan(_) => self.planned = identity,
            Question::Apply(_) => self.stored = identity.filter(|_| !is_gone),
            Question::Import(_) => self.stored = identity,
            _ => {}
        }
    }
}
