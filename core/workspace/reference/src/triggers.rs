//! `replace_triggered_by`: the places that triggers name, and the changes there (G135, L100).

use planfuzz_core::address::{
    AbsResourceInstance, ConfigResource, InstanceKey, ModuleInstance, Resource, ResourceMode,
};
use planfuzz_core::planner::{Trigger, TriggerChange};
use planfuzz_core::plans::{self, AddressedChange};
use planfuzz_core::value::{WrittenPath, WrittenStep};
use planfuzz_language::config;
use planfuzz_language::expression::{Expression, Kind};
use planfuzz_workspace::Diagnostic;

use crate::blocks::instance;
use crate::evaluation::Taken;
use crate::facts::{Facts, written_step};
use crate::imports::key;
use crate::values::Repeated;
use crate::walk::{Purpose, Walk};

impl Walk<'_, '_, '_> {
    /// G135, L100.
    pub fn triggers(&self, block: usize, address: &AbsResourceInstance, repeated: &Repeated, facts: &mut Facts) {
        if !matches!(self.purpose, Purpose::Plan | Purpose::BeforeDestroy) {
            return;
        }
        let of = &self.layout.blocks[block];
        for written in &of.resource.lifecycle.replace_triggered_by {
            let found = match self.trigger_steps(of.module, written, address, repeated) {
                Ok(steps) => TriggerPlace::of(steps).map(|place| self.trigger(of.module, address, place)),
                Err(diagnostics) => Some(Err(diagnostics)),
            };
            let trigger = match found {
                Some(Ok(trigger)) => trigger,
                Some(Err(diagnostics)) => {
                    facts.triggers.push(diagnostics);
                    Trigger { changes: Vec::new(), attribute: None }
                }
                None => continue,
            };
            facts.configured.lifecycle.replace_triggered_by.push(trigger);
        }
    }

    /// The steps of a trigger, with the values of its keys.
    fn trigger_steps(
        &self,
        module: usize,
        written: &config::Expr,
        address: &AbsResourceInstance,
        repeated: &Repeated,
    ) -> Result<Vec<Taken>, Vec<Diagnostic>> {
        let at = self.at(module, &address.module, repeated);
        let no_reference = || vec![Diagnostic::error("Invalid replace_triggered_by expression")];
        let unrepeated = written.references.iter().find_map(|reference| match reference.root.as_str() {
            "count" if repeated.index.is_none() => Some("Reference to \"count\" in non-counted context"),
            "each" if repeated.each.is_none() => Some("Reference to \"each\" in context without for_each"),
            _ => None,
        });
        let found = self.evaluation().steps(&written.written, &at, &is_plain);
        let found = found.map_err(|diagnostics| match unrepeated {
            Some(summary) if diagnostics.iter().all(|one| one.summary == "Invalid reference") => {
                vec![Diagnostic::error(summary)]
            }
            _ => diagnostics,
        });
        found.and_then(|steps| steps.ok_or_else(no_reference))
    }

    /// The trigger with the changes at its place, or the error if there are none.
    fn trigger(
        &self,
        module: usize,
        address: &AbsResourceInstance,
        place: TriggerPlace,
    ) -> Result<Trigger, Vec<Diagnostic>> {
        let TriggerPlace { resource, key, rest, leads } = place;
        let block = ConfigResource { module: address.module.module(), resource };
        let is_named = |change: &&AddressedChange| {
            change.addr.module == address.module
                && change.deposed().is_none()
                && key.as_ref().is_none_or(|key| change.addr.key == *key)
        };
        let found: Vec<&AddressedChange> = self.recorded(&block).filter(is_named).collect();
        // The deletion of a resource that is no longer declared does not count, whether it is recorded yet or not.
        if self.layout.find(module, &block.resource).is_none() {
            return Err(vec![Diagnostic::error("Reference to undeclared resource")]);
        }
        if found.is_empty() {
            let named = instance(block.resource, &ModuleInstance::ROOT, &key.unwrap_or_default());
            let place = match address.module.is_root() {
                true => "the root module".to_owned(),
                false => address.module.to_string(),
            };
            return Err(vec![Diagnostic::error(format!("no change found for {named} in {place}"))]);
        }
        let changes = found.iter().map(|change| TriggerChange {
            action: if leads { change.action() } else { plans::Action::NoOp },
            before: change.planned.change.before.clone(),
            after: change.planned.change.after.clone(),
        });
        let attribute = (!rest.is_empty()).then(|| WrittenPath::new(rest));
        Ok(Trigger { changes: changes.collect(), attribute })
    }
}

/// What a trigger names.
struct TriggerPlace {
    resource: Resource,
    /// The key of the instance; `None` for all of them.
    key: Option<InstanceKey>,
    /// The path in the object.
    rest: Vec<WrittenStep>,
    /// Whether the path leads somewhere: an invalid key leads nowhere, so that nothing changes there.
    leads: bool,
}

impl TriggerPlace {
    /// The place to which steps lead; `None` if they do not name a resource.
    fn of(steps: Vec<Taken>) -> Option<TriggerPlace> {
        let mut steps = steps.into_iter().peekable();
        let name = |taken: Option<Taken>| match taken {
            Some(Taken::Name(name)) => Some(name.to_string()),
            _ => None,
        };
        let mut names = [name(steps.next()), name(steps.next())];
        let mode = match names[0].as_deref() {
            Some("data") => Some(ResourceMode::Data),
            Some("ephemeral") => Some(ResourceMode::Ephemeral),
            Some("resource") => Some(ResourceMode::Managed),
            _ => None,
        };
        if mode.is_some() {
            names = [names[1].take(), name(steps.next())];
        }
        let mode = mode.unwrap_or(ResourceMode::Managed);
        let [Some(type_name), Some(name)] = names else { return None };
        let wanted = match steps.peek() {
            Some(Taken::Key(value)) => {
                let found = key(value);
                steps.next();
                found
            }
            _ => None,
        };
        let rest: Option<Vec<WrittenStep>> = steps.map(written_step).collect();
        let leads = rest.is_some();
        let rest = rest.unwrap_or_else(|| vec![WrittenStep::Element]);
        // G135: an attribute belongs to one instance: to the one without key if none is written.
        let key = wanted.or((!rest.is_empty()).then_some(InstanceKey::None));
        Some(TriggerPlace { resource: Resource { mode, type_name, name }, key, rest, leads })
    }
}

/// G135: a key of a trigger is a constant without a sign, or a reference.
fn is_plain(key: &Expression) -> bool {
    match &key.kind {
        Kind::Literal(value) => value.view().as_number().is_none_or(|number| number.sign_number() >= 0),
        Kind::Root(_) => true,
        Kind::Attribute(inner, _) => is_plain(inner),
        Kind::Index(inner, key) => is_plain(inner) && is_plain(key),
        _ => false,
    }
}
