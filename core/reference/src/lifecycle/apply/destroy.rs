//! The destroy leg (20.5) and the deposed leg (20.6).

use crate::lifecycle::typed_object::TypedObject;
use crate::lifecycle::walk::{Step, stop_if};
use planfuzz_core::planner::{Presence, summary};
use planfuzz_core::plans::{Action, ResourceInstanceChange};
use planfuzz_core::state::{DeposedKey, Object, Status};

use super::Applying;
use super::call::Leg;
use super::saved::saved;

impl Applying<'_, '_> {
    /// A40 to A45.
    pub(super) fn destroy_leg(&mut self, planned: &ResourceInstanceChange) -> Step<()> {
        // A40
        let change = planned.simplify(true);
        // A41
        let Some(stored) = self.state.current.clone() else { return Ok(()) };
        let object = self.walk.read_stored(&stored)?;
        // A42
        if let (Presence::Configured(configured), Status::Ready) = (&self.request.presence, object.status) {
            let failed = self.walk.provision(&configured.provisioners, true);
            stop_if(failed)?;
        }
        // A43, A44
        let (state, failed) = self.destroy_call(&change, &object)?;
        self.state.current = state;
        stop_if(failed)
    }

    /// A50 to A55.
    pub(super) fn deposed_leg(&mut self, key: &DeposedKey) -> Step<()> {
        // A53
        let Some(stored) = self.state.deposed.get(key).cloned() else {
            return Err(self.walk.fail(summary::NO_DEPOSED, "A53"));
        };
        let Some(object) = self.read_deposed(&stored)? else { return Ok(()) };
        // A50, A54
        let change = self.walk.plan_destroy_again(&object)?;
        if change.change.action != Action::Delete {
            self.state.deposed.remove(key);
            return Ok(());
        }
        // A52
        let (state, failed) = self.destroy_call(&change, &object)?;
        match state {
            Some(object) => self.state.deposed.insert(key.clone(), object),
            None => self.state.deposed.remove(key),
        };
        stop_if(failed)
    }

    /// A55: the object; `None` if reading it gave any diagnostic, even a warning.
    pub(super) fn read_deposed(&mut self, stored: &Object) -> Step<Option<TypedObject>> {
        let before = self.walk.diagnostics.len();
        let object = self.walk.read_stored(stored)?;
        Ok((self.walk.diagnostics.len() == before).then_some(object))
    }

    /// A44: the call, and the object that is saved (20.4); returns it, and whether there were errors.
    fn destroy_call(&mut self, change: &ResourceInstanceChange, object: &TypedObject) -> Step<(Option<Object>, bool)> {
        let called = self.walk.apply_call(&Leg { change, config: None, object: Some(object) })?;
        let failed = called.failed;
        // A45 and A35: the dependencies are those of the old object.
        let saved = saved(called, Some(object)).map(|saved| match saved.is_kept {
            true => saved.held,
            false => TypedObject { dependencies: object.dependencies.clone(), ..saved.held },
        });
        Ok((saved.as_ref().map(TypedObject::store), failed))
    }
}
