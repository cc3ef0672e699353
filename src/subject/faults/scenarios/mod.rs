//! The lifecycle with a fault in it: the walks of the reference, whose requests, calls or results are altered.
//!
//! There is no second walk here: each fault is planted where the decision that it is about can be seen from outside. With no
//! fault, nothing is altered; a test checks that.

mod asked;
mod between;
mod marks;
mod opentofu;
mod paths;
mod planned;
mod provider;
mod saved;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{
    Applied, ApplyRequest, ImportState, Plan, PlanRequest, Prepared, Presence, Provider, Refusal,
};
use planfuzz_core::schema::Schema;
use planfuzz_core::state::{Object, Stored};
use planfuzz_core::value::Value;

use super::catalogue::Fault;
use between::{Between, Scene};

/// The walks of a planner with one fault, or none.
pub(super) struct Walks<'w> {
    pub(super) fault: Option<Fault>,
    pub(super) schema: &'w Schema,
    pub(super) dialect: Dialect,
    pub(super) reference: &'w dyn Prepared,
}

impl Walks<'_> {
    fn is(&self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }

    /// The plan walk.
    ///
    /// # Errors
    /// Refuses where the reference does.
    pub(super) fn plan(&self, request: &PlanRequest, provider: &mut dyn Provider) -> Result<Plan, Refusal> {
        let Some(fault) = self.fault else { return self.reference.plan(request, provider) };
        let mut asked = request.clone();
        asked::plan(fault, self.dialect, &mut asked);
        opentofu::asked(self, fault, &mut asked);
        if self.is(Fault::ImportOfExisting)
            && let (Some(id), Some(_), Presence::Configured(_)) =
                (&asked.options.import, &asked.state.current, &asked.presence)
        {
            provider.import(ImportState { id: id.clone() });
        }
        let mut between = Between::new(self, fault, Scene::of_plan(&asked), provider);
        let mut plan = self.reference.plan(&asked, &mut between)?;
        let calls = between.into_calls();
        planned::spoil(self, fault, &asked, &calls, &mut plan)?;
        opentofu::planned(self, fault, &asked, &mut plan);
        planned::ask_more(fault, &asked, &plan, provider);
        opentofu::ask_more(self, fault, (&asked, &calls), &plan, provider);
        Ok(plan)
    }

    /// The apply walk.
    ///
    /// # Errors
    /// Refuses where the reference does.
    pub(super) fn apply(&self, request: &ApplyRequest, provider: &mut dyn Provider) -> Result<Applied, Refusal> {
        let Some(fault) = self.fault else { return self.reference.apply(request, provider) };
        let mut asked = request.clone();
        asked::apply(fault, self.dialect, &mut asked);
        let mut between = Between::new(self, fault, Scene::of_apply(&asked), provider);
        let mut applied = self.reference.apply(&asked, &mut between)?;
        let calls = between.into_calls();
        saved::spoil(self, fault, &asked, &calls, &mut applied)?;
        opentofu::saved(self, fault, &asked, &mut applied.state);
        saved::ask_more(fault, &asked, provider);
        Ok(applied)
    }
}

/// The value of an object saved with this schema.
fn value_of(object: &Object) -> Option<&Value> {
    match &object.stored {
        Stored::Value(value) => Some(value),
        Stored::Raw { .. } => None,
    }
}
