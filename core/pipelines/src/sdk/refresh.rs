//! Read (Z140 to Z142).

use planfuzz_core::value::Value;

use super::Pipeline;
use super::apply::{Function, Outcome};
use super::error::SdkError;
use super::flat::FlatMap;
use super::normalize::Mode;
use super::read::{Merged, Reader, StateReader};
use super::state::State;

impl Pipeline {
    /// Reads the stored object; one without id is gone, unless the function fails (Z140).
    ///
    /// # Errors
    /// Upstream would crash.
    pub fn read(&self, current: &Value, function: impl FnOnce() -> Function) -> Result<Outcome, SdkError> {
        let gone = || Value::null(self.ty().clone());
        let old = State::shim(self.schema(), current.view())?;
        let function = function();
        if function.error {
            return Ok(Outcome { error: true, new_state: current.clone() });
        }
        if old.id.is_empty() {
            return Ok(Outcome { error: false, new_state: gone() });
        }
        let sets = self.set_values(&function)?;
        let (state, set) = (StateReader { flat: &old.flat }, StateReader { flat: &sets });
        let levels: &[&dyn Reader] = if function.partial { &[&state] } else { &[&state, &set] };
        let new = State::of_levels(self.schema(), &Merged { levels })?;
        let new_state = match self.with_id(new, &old, &function) {
            None => gone(),
            Some(mut flat) => {
                self.suppress_on_refresh(&old.flat, &mut flat);
                self.returned(&flat, current, Mode::Plan)?
            }
        };
        Ok(Outcome { error: false, new_state })
    }

    /// Z141: texts with a suppressed change stay.
    fn suppress_on_refresh(&self, old: &FlatMap, new: &mut FlatMap) {
        if !self.suppresses_on_refresh() {
            return;
        }
        let kept: Vec<(String, String)> = new
            .iter()
            .filter_map(|(path, text)| {
                let before = old.get(path).filter(|before| *before != text)?;
                let field = self.schema().field_at_path(path).filter(|field| field.suppress_on_refresh)?;
                let equiv = field.diff_suppress.as_ref()?;
                super::diff::is_suppressed(equiv, before, text).then(|| (path.to_owned(), before.to_owned()))
            })
            .collect();
        for (path, text) in kept {
            new.set(path, text);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::sdk::testing::resource;

    #[test]
    fn z141_a_change_that_does_not_count_is_not_read() {
        let resource = resource(
            r#"{"a": {"type": "string", "optional": true, "diff_suppress": "case", "suppress_on_refresh": true},
                "b": {"type": "string", "optional": true, "diff_suppress": "case"}}"#,
        );
        let sets = [("a", r#""X""#), ("b", r#""X""#)];
        resource.check_read(r#"{"a":"x","b":"x","id":"i"}"#, &sets, r#"{"a":"x","b":"X","id":"i"}"#);
    }

    #[test]
    fn z142_a_read_that_changes_nothing_makes_nulls_in_blocks_zero() {
        let resource = resource(
            r#"{"b": {"type": "list", "optional": true, "elem": {"resource": {
                "a": {"type": "string", "optional": true}, "n": {"type": "int", "optional": true}}}}}"#,
        );
        resource.check_read(r#"{"b":[{"a":"x","n":null}],"id":"i"}"#, &[], r#"{"b":[{"a":"x","n":0}],"id":"i"}"#);
        let nulls = r#"{"b":[{"a":null,"n":null}],"id":"i"}"#;
        resource.check_read(nulls, &[], nulls);
    }

    #[test]
    fn z134_partial_mode_keeps_the_prior_state_at_read_too() {
        let resource = resource(r#"{"a": {"type": "string", "optional": true}}"#);
        let current = resource.value(r#"{"a":"x","id":"i"}"#);
        let partial = super::Function { partial: true, ..resource.function(&[("a", r#""y""#)]) };
        let outcome = resource.pipeline.read(&current, || partial).expect("an outcome");
        assert!(!outcome.error && outcome.new_state == current);
    }

    #[test]
    fn z140_an_object_without_id_is_gone() {
        let resource = resource("{}");
        resource.check_read(r#"{"id":""}"#, &[], "null");
        let failing = super::Function { error: true, ..resource.function(&[]) };
        let outcome = resource.pipeline.read(&resource.value(r#"{"id":""}"#), || failing);
        assert!(outcome.is_ok_and(|outcome| outcome.error));
    }
}
