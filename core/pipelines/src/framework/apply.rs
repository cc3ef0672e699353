//! The pipeline around create, update, delete and read (sections 3 and 4).

use planfuzz_core::value::{Value, WrittenPath, WrittenStep};

use super::normalize::{inbound, outbound};
use super::semantic::{Duplicate, at_the_top};
use super::write_only::without_write_only;
use super::{Diagnostic, Program, Unfit};

/// The result of the provider's own code in a call.
#[derive(Clone, Copy, Debug)]
pub struct Returned<'a> {
    /// The new state that it set; `None` if it set none (F102).
    pub value: Option<&'a Value>,
    /// Whether it reported an error.
    pub is_error: bool,
}

/// The result of an apply or a read.
#[derive(Clone, Debug)]
pub struct Applied {
    /// The new state.
    pub new_state: Value,
    /// Errors of the pipeline, that of the provider among them.
    pub errors: Vec<Diagnostic>,
}

/// The kind of an apply call (F100).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Call {
    Create,
    Update,
    Delete,
}

impl Program {
    /// Applies a plan: processes the new state that the provider's code set.
    ///
    /// # Errors
    /// A value does not conform to the schema.
    pub fn apply(
        &self,
        prior: &Value,
        planned: &Value,
        config: &Value,
        returned: Returned<'_>,
    ) -> Result<Applied, Unfit> {
        self.accept(&[("prior", prior), ("planned", planned), ("config", config)])?;
        let call = match (prior.is_null(), planned.is_null()) {
            (true, _) => Call::Create,
            (false, true) => Call::Delete,
            (false, false) => Call::Update,
        };
        let [prior, planned] = [prior, planned].map(|value| inbound(&self.root, value));
        // F101. The start value of a create is null as well.
        let left = self.left(returned, || prior)?;
        let mut errors = provider_errors(returned);
        if errors.is_empty() && call == Call::Delete {
            return Ok(Applied { new_state: Value::null(self.root.ty.clone()), errors });
        }
        if errors.is_empty() && left.is_null() {
            let message = "expected a new state from a create or update without errors";
            errors.push(Diagnostic::new("F103", WrittenPath::default(), message));
        }
        Ok(self.finished(left, &planned, errors))
    }

    /// Reads: processes the new state that the provider's code set.
    ///
    /// # Errors
    /// A value does not conform to the schema.
    pub fn read(&self, current: &Value, returned: Returned<'_>) -> Result<Applied, Unfit> {
        self.accept(&[("current", current)])?;
        let current = inbound(&self.root, current);
        let left = self.left(returned, || current.clone())?;
        Ok(self.finished(left, &current, provider_errors(returned)))
    }

    /// The new state that the provider's code left: the one that it set, else the start value.
    fn left(&self, returned: Returned<'_>, start: impl FnOnce() -> Value) -> Result<Value, Unfit> {
        let Some(value) = returned.value else { return Ok(start()) };
        self.accept(&[("returned", value)])?;
        Ok(value.view().unrefined())
    }

    /// F104, F105, F110: with errors the state stays as it was left.
    fn finished(&self, left: Value, old: &Value, mut errors: Vec<Diagnostic>) -> Applied {
        let finished = match errors.is_empty() {
            true => self.without_errors(&left, old).unwrap_or_else(|error| {
                errors.push(error);
                None
            }),
            false => None,
        };
        Applied { new_state: outbound(&self.root, finished.unwrap_or(left)), errors }
    }

    /// Semantic equality, then write-only attributes.
    fn without_errors(&self, left: &Value, old: &Value) -> Result<Option<Value>, Diagnostic> {
        let equalized = at_the_top(&self.root, old.view(), left.view()).map_err(|Duplicate(member)| {
            let path = WrittenPath::new(vec![WrittenStep::Attribute(member.name.clone())]);
            Diagnostic::new("F125", path, "a set has two equal elements after semantic equality")
        })?;
        let value = equalized.as_ref().unwrap_or(left);
        Ok(without_write_only(&self.root, value.view()).or(equalized))
    }
}

fn provider_errors(returned: Returned<'_>) -> Vec<Diagnostic> {
    match returned.is_error {
        true => vec![Diagnostic::new("F104", WrittenPath::default(), "the provider reports an error")],
        false => Vec::new(),
    }
}
