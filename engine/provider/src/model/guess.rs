//! The current guess about a schema, and the plans that follow from it.
//!
//! A function that suppresses differences is called for each entry of a list, but may look at the whole list: many report no change if both
//! lists have the same elements. No field of the model expresses that, so in such a list every difference is suppressed in the plans with
//! the same elements, and none in the others.

use std::collections::BTreeSet;

use planfuzz_core::value::{Value, ValueRef};
use planfuzz_pipelines::expression::Equiv;
use planfuzz_pipelines::sdk::{Pipeline, Schema, SdkError};

use super::fields::with;
use super::places::Names;
use super::sample::Sample;
use super::trials::Trial;

/// A schema with the current guess about it.
#[derive(Clone)]
pub struct Guess {
    /// The fields.
    pub schema: Schema,
    /// Lists of which only the elements count, in any order.
    pub unordered: BTreeSet<Names>,
}

impl Guess {
    /// The guess with one more property.
    pub fn with(&self, names: &Names, trial: &Trial) -> Guess {
        let mut other = self.clone();
        match trial {
            Trial::Unordered => drop(other.unordered.insert(names.clone())),
            trial => other.schema = with(&self.schema, names, &|field| trial.apply(field)),
        }
        other
    }

    /// Compiles the guess.
    pub fn compiled(&self) -> Compiled {
        let suppressed = self.unordered.iter().fold(self.schema.clone(), |schema, names| {
            with(&schema, names, &|field| field.diff_suppress = Some(Equiv::Always))
        });
        let one = (!self.unordered.is_empty()).then(|| Pipeline::new(suppressed));
        Compiled { plain: Pipeline::new(self.schema.clone()), one, unordered: self.unordered.clone() }
    }
}

/// A guess that can plan.
pub struct Compiled {
    plain: Pipeline,
    one: Option<Pipeline>,
    unordered: BTreeSet<Names>,
}

impl Compiled {
    /// The plan of the model, and the paths that require replacement.
    ///
    /// # Errors
    /// The model refuses the plan.
    pub fn plan(&self, sample: &Sample) -> Result<(Value, BTreeSet<String>), SdkError> {
        // No type is known with two such lists: they are treated as one.
        let is_same = self.unordered.iter().all(|names| has_same_elements(sample, names));
        match &self.one {
            Some(one) if is_same => sample.modelled(one),
            _ => sample.modelled(&self.plain),
        }
    }
}

/// Whether such a function would find the same elements, in any order.
fn has_same_elements(sample: &Sample, names: &Names) -> bool {
    let [name] = names.as_slice() else { return false };
    let member = |of: &Value| of.view().member(name).map(|it| it.to_value());
    let old = member(&sample.prior);
    let new = member(&sample.config).filter(|it| !it.is_null()).or_else(|| old.clone());
    elements(old.as_ref().map(Value::view)) == elements(new.as_ref().map(Value::view))
}

/// The elements as texts; an unknown list, or one with an unknown part, has none.
fn elements(list: Option<ValueRef<'_>>) -> Vec<String> {
    let known = list.filter(|it| it.is_present() && it.is_wholly_known());
    let mut texts: Vec<String> =
        known.iter().flat_map(|it| it.children()).map(|(_, it)| it.to_json_text(it.ty())).collect();
    texts.sort();
    texts
}
