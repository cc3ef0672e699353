//! The identity of the object of a life, as engines keep it: beside the object, from answer to question.

use planfuzz_core::value::Value;
use planfuzz_engine::plugin::Question;

use crate::settle::settle;

/// What is known of an object's identity.
#[derive(Clone, Debug, Default)]
pub struct Identity {
    /// That of the stored object.
    stored: Option<Value>,
    /// That of the plan.
    planned: Option<Value>,
    /// What the next import is by, instead of an id.
    import_by: Option<Value>,
}

impl Identity {
    /// That of an object that is stored.
    pub fn of(stored: Option<Value>) -> Identity {
        Identity { stored, ..Identity::default() }
    }

    /// That of the stored object.
    pub fn stored(&self) -> Option<&Value> {
        self.stored.as_ref()
    }

    /// The next import is by this.
    pub fn import_by(&mut self, identity: Value) {
        self.import_by = Some(identity);
    }

    /// What was planned is stored as if it had been applied.
    pub fn settle(&mut self) {
        self.stored = self.planned.take().as_ref().and_then(settle);
    }

    /// What goes with a question.
    pub fn asked(&mut self, question: &Question) -> Option<Value> {
        match question {
            Question::Upgrade(_) | Question::Read(_) => self.stored.clone(),
            // What replaces an object is another one.
            Question::Plan(asked) => self.stored.clone().filter(|_| !asked.prior.is_null()),
            Question::Apply(_) => self.planned.clone(),
            Question::Import(_) => self.import_by.take(),
            Question::Validate(_) | Question::ReadData(_) => None,
        }
    }

    /// Takes in what came with an answer that is no error.
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
