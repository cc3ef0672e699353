//! Read (Z140 to Z142).

use crate::value::Value;

use super::Pipeline;
use super::apply::{Function, Outcome};
use super::error::SdkError;
use super::flat::FlatMap;
use super::normalize::Mode;
use super::read::{Merged, StateReader};
use super::state::State;

impl Pipeline {
    /// Reads the object that is stored; one without id is gone, whatever the function does but fail (Z140).
    ///
    /// # Errors
    /// Where upstream crashes.
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
        let new = State::of_levels(self.schema(), &Merged { levels: &[&state, &set] })?;
        let new_state = match self.with_id(new, &old, &function) {
            None => gone(),
            Some(mut flat) => {
                self.suppress_on_refresh(&old.flat, &mut flat);
                self.returned(&flat, current, Mode::Plan)?
            }
        };
        Ok(Outcome { error: false, new_state })
    }

    /// Z141: texts whose change does not count stay.
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
