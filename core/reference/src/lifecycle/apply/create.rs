//! The create/update leg (20.1).

use crate::at::At;
use crate::compatible::violations_of_marked;
use crate::lifecycle::managed::configured_dependencies;
use crate::lifecycle::sequence::Sequence;
use crate::lifecycle::typed_object::TypedObject;
use crate::lifecycle::walk::{Step, Stop, stop_if};
use planfuzz_core::planner::{Configured, Lifecycle, Presence, Severity, summary};
use planfuzz_core::plans::{Action, ResourceInstanceChange};
use planfuzz_core::state::{InstanceState, Private, Status};
use planfuzz_core::value::WrittenPath;

use super::Applying;
use super::call::Leg;
use super::saved::saved;

/// Whether there are conditions to evaluate for an instance without a change (A10).
fn has_conditions(configured: &Configured) -> bool {
    !configured.preconditions.is_empty() || !configured.postconditions.is_empty()
}

impl Applying<'_, '_> {
    /// A01 to A17.
    pub(super) fn create_leg(&mut self, planned: &ResourceInstanceChange) -> Step<()> {
        let configured = match &self.request.presence {
            Presence::Configured(configured) => configured,
            // An instance without configuration has no conditions (A10).
            _ if planned.change.action == Action::NoOp => return Ok(()),
            _ => return Err(Stop::Refused(At::ROOT.refusal("A04", "expected a configuration to apply"))),
        };
        let creates_first = matches!(planned.change.action, Action::CreateThenDelete | Action::CreateThenForget);
        // A02
        if creates_first {
            self.depose();
        }
        // A03; A10 for a NoOp.
        let is_visited = planned.change.action != Action::NoOp || has_conditions(configured);
        let object = match self.state.current.clone().filter(|_| is_visited) {
            Some(stored) => Some(self.walk.read_stored(&stored)?),
            None => None,
        };
        // A04, A05
        let change = self.walk.plan_configured(&Sequence {
            configured,
            object: object.as_ref(),
            left: Private::NONE,
            create_before_destroy: creates_first,
            forced: self.request.options.replace,
            triggered: false,
            preconditions: Severity::Error,
            moved_from: None,
            importing: None,
            earlier: Some(planned),
        })?;
        // A06, A07, A08
        self.check_final_plan(planned, &change)?;
        // A09
        let change = change.simplify(false);
        // A10
        if change.change.action == Action::NoOp {
            return self.walk.postconditions(configured, Severity::Error);
        }
        // A11 to A15
        let flag = self.creates_first(configured, planned);
        let applied = self.apply_change(configured, object.as_ref(), &change, flag);
        // A16
        if matches!(applied, Err(Stop::Errors)) {
            if creates_first {
                self.restore();
            } else if planned.change.action == Action::DeleteThenCreate && flag {
                self.walk.error(summary::NOTHING_TO_RESTORE, WrittenPath::default(), "A16");
            }
        }
        if let Err(Stop::Refused(refusal)) = applied {
            return Err(Stop::Refused(refusal));
        }
        // A17: whatever the result of the call.
        self.walk.postconditions(configured, Severity::Error)?;
        applied
    }

    /// L06: the flag of the node, which in some dialects does not include a forced one.
    fn creates_first(&self, configured: &Configured, planned: &ResourceInstanceChange) -> bool {
        let Lifecycle { create_before_destroy, forced_create_before_destroy, .. } = configured.lifecycle;
        let knows = self.walk.dialect().forces_create_before_destroy_in_applies()
            || planned.change.action == Action::CreateThenDelete;
        create_before_destroy || (forced_create_before_destroy && knows)
    }

    /// A02.
    fn depose(&mut self) {
        if let Some(object) = self.state.current.take() {
            self.state.deposed.insert(self.request.options.fresh_key.clone(), object);
        }
    }

    /// A16.
    fn restore(&mut self) {
        let InstanceState { current, deposed } = &mut self.state;
        if current.is_none() {
            *current = deposed.remove(&self.request.options.fresh_key);
        }
    }

    /// A06, A07, A08.
    fn check_final_plan(&mut self, planned: &ResourceInstanceChange, now: &ResourceInstanceChange) -> Step<()> {
        let (was, is) = (planned.change.action, now.change.action);
        // A06
        let same_action = match (was, is) {
            (Action::Update, Action::NoOp) | (Action::ForgetThenCreate, Action::Create) => true,
            _ => was == is,
        };
        if !same_action {
            let summary = match (was, is) {
                (Action::DeleteThenCreate, Action::CreateThenDelete)
                | (Action::CreateThenDelete, Action::DeleteThenCreate) => self.walk.dialect().inconsistent_core_plan(),
                _ => summary::INCONSISTENT_FINAL_PLAN,
            };
            self.walk.error(summary, WrittenPath::default(), "A06");
        }
        // A07
        let (dialect, schema) = (self.walk.dialect(), self.walk.schema());
        let found = violations_of_marked(dialect, schema, &planned.change.after, &now.change.after)?;
        let paths = found.iter().map(|violation| WrittenPath::from(&violation.path)).collect();
        self.walk.fail_at(summary::INCONSISTENT_FINAL_PLAN, paths, "A07")?;
        // A08
        stop_if(!same_action)
    }

    /// A11 to A15; errors of the call and of provisioners end the leg after everything is saved.
    fn apply_change(
        &mut self,
        configured: &Configured,
        object: Option<&TypedObject>,
        change: &ResourceInstanceChange,
        create_before_destroy: bool,
    ) -> Step<()> {
        let lifecycle = &configured.lifecycle;
        let creates = change.change.action == Action::Create;
        // A11
        let leg = Leg { change, config: Some(configured.config.value()), object };
        let result = self.walk.apply_call(&leg)?;
        let mut failed = result.failed;
        let keeps = lifecycle.keep_on_destroy && self.walk.dialect().can_keep_on_destroy();
        let new = saved(result, object).map(|saved| TypedObject {
            // A34, A35, A36; L129
            create_before_destroy: match saved.is_kept {
                true => saved.held.create_before_destroy,
                false => create_before_destroy,
            },
            skip_destroy: if saved.is_kept { saved.held.skip_destroy } else { keeps },
            // A13
            status: if failed && creates { Status::Tainted } else { saved.held.status },
            // A14
            dependencies: configured_dependencies(configured),
            ..saved.held
        });
        self.state.current = new.as_ref().map(TypedObject::store);
        // A15
        if creates
            && let Some(object) = new.filter(|object| object.status != Status::Tainted)
            && self.walk.provision(&configured.provisioners, false)
        {
            failed = true;
            self.state.current = Some(TypedObject { status: Status::Tainted, ..object }.store());
        }
        stop_if(failed)
    }
}
