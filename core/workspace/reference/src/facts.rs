//! Facts of an instance: the input of its planner that a workspace computes.

use planfuzz_core::address::{AbsResourceInstance, ConfigResource, InstanceKey, Resource, ResourceMode};
use planfuzz_core::planner::{
    self, Configured, Dependency, IgnoreChanges, Link, Severity, Trigger, TriggerChange, summary,
};
use planfuzz_core::plans::{self, AddressedChange};
use planfuzz_core::schema::Schema;
use planfuzz_core::value::{PathSet, Text, Tri, Value, WrittenPath, WrittenStep};
use planfuzz_language::check::{NameScope, RuleOf};
use planfuzz_language::config::{self, StepKind};
use planfuzz_language::expression::{Expression, Kind};
use planfuzz_workspace::{Diagnostic, Status};

use crate::blocks::{instance, misused, prevent_destroy};
use crate::body;
use crate::evaluation::Taken;
use crate::imports::key;
use crate::instances::kind;
use crate::marks;
use crate::pending;
use crate::values::Repeated;
use crate::walk::{Purpose, Walk};

/// The facts of an instance, and diagnostics of the workspace that replace those of the planner of the instance.
pub struct Facts {
    /// The input of the planner of the instance.
    pub configured: Configured,
    /// Diagnostics that replace those for false preconditions.
    pub preconditions: Vec<Vec<Diagnostic>>,
    /// Diagnostics that replace those for triggers without a change.
    pub triggers: Vec<Vec<Diagnostic>>,
    /// The status of the preconditions, and the messages of failed ones.
    pub status: (Status, Vec<String>),
    /// The diagnostics of a configuration that cannot be evaluated, in walks in which false preconditions only warn.
    pub broken: Vec<Diagnostic>,
    /// The diagnostics of preconditions that do not end the visit: true ones, and false ones in the refresh before a destruction.
    pub warned: Vec<Diagnostic>,
}

impl Walk<'_, '_, '_> {
    /// Facts of an instance (facts.rs is the contract).
    pub fn facts(&self, block: usize, address: &AbsResourceInstance, repeated: &Repeated, schema: &Schema) -> Facts {
        let of = &self.layout.blocks[block];
        let lifecycle = &of.resource.lifecycle;
        let mut facts = Facts {
            configured: self.configured_of(block, address, schema),
            preconditions: Vec::new(),
            triggers: Vec::new(),
            status: (Status::Pass, Vec::new()),
            broken: Vec::new(),
            warned: Vec::new(),
        };
        let severity = self.severity();
        for rule in &lifecycle.preconditions {
            let at = self.at(of.module, &address.module, repeated);
            let judged = self.judge(rule, RuleOf::Resource, NameScope::default(), &at);
            facts.status.0 = facts.status.0.max(judged.status);
            let is_error = judged.diagnostics.iter().any(Diagnostic::is_error);
            let mut diagnostics = judged.diagnostics;
            if judged.status == Status::Fail {
                diagnostics.push(Diagnostic { severity, summary: summary::PRECONDITION.into(), address: None });
                facts.status.1.extend(judged.message);
            }
            let goes_on = self.purpose == Purpose::BeforeDestroy && judged.status == Status::Fail && !is_error;
            let holds = match judged.status {
                _ if is_error => Tri::False,
                // L30: the planner of the instance plans as usual.
                _ if goes_on => {
                    facts.warned.append(&mut diagnostics);
                    Tri::Unknown
                }
                Status::Fail | Status::Error => Tri::False,
                Status::Unknown => Tri::Unknown,
                Status::Pass => Tri::True,
            };
            match holds {
                Tri::False => facts.preconditions.push(diagnostics),
                // E159: a message with hidden values is reported whether the condition holds or not.
                _ => facts.warned.append(&mut diagnostics),
            }
            facts.configured.preconditions.push(holds);
        }
        // An error in a precondition ends the visit too where false ones only warn (E153).
        let ends = facts.preconditions.iter().flatten().any(Diagnostic::is_error);
        // G13: a refresh evaluates no managed configuration.
        let is_looked_at = !self.purpose.plans_nothing() || of.address.mode == ResourceMode::Data;
        if !ends && is_looked_at {
            let mut at = self.at(of.module, &address.module, repeated);
            let faults = self.body_faults(block, &mut at);
            let evaluated = match faults.is_empty() {
                true => body::evaluate(self.evaluation(), &of.resource.config, &schema.block, &mut at),
                false => Err(faults),
            };
            // L03: ephemeral values that the validation walk did not know of are reported when the configuration is evaluated.
            let evaluated = evaluated.and_then(|config| match misused(of.address.mode, &config, schema) {
                0 => Ok(config),
                count => {
                    let misuse = Diagnostic::error(self.layout.dialect.ephemeral_misused());
                    Err(vec![misuse.about(address.to_string()); count])
                }
            });
            match evaluated {
                Ok(config) => {
                    let (config, ephemeral) = marks::to_planners(&config);
                    (facts.configured.config, facts.configured.ephemeral) = (config, ephemeral);
                }
                Err(diagnostics) if severity == Severity::Warning => facts.broken = diagnostics,
                // Errors of the configuration end the visit like a false precondition.
                Err(diagnostics) => {
                    facts.preconditions.push(diagnostics);
                    facts.configured.preconditions.push(Tri::False);
                }
            }
        }
        if !fault!(TriggersForgotten) {
            self.triggers(block, address, repeated, &mut facts);
        }
        if of.address.mode == ResourceMode::Data {
            pending::mark(self, block, address, &mut facts.configured);
        }
        facts
    }

    fn configured_of(&self, block: usize, address: &AbsResourceInstance, schema: &Schema) -> Configured {
        let of = &self.layout.blocks[block];
        let lifecycle = &of.resource.lifecycle;
        let nothing = Value::null(schema.implied_type(self.layout.dialect));
        let dependency = |address: ConfigResource| Dependency {
            address: Text::new(&address.to_string()),
            kind: kind(address.resource.mode),
            link: Link::Transitive,
            actions: Vec::new(),
        };
        // Section 15: in an apply of OpenTofu an instance that is forced by something with a node counts as if it had the flag itself.
        let is_forced_here = self.purpose == Purpose::Apply
            && self.layout.dialect.forces_by_made_instances()
            && self.forced.contains(address);
        Configured {
            config: plans::Marked::plain(nothing),
            ephemeral: PathSet::EMPTY,
            at_validation: None,
            lifecycle: planner::Lifecycle {
                create_before_destroy: lifecycle.create_before_destroy.as_ref().is_some_and(|flag| flag.value)
                    || is_forced_here,
                forced_create_before_destroy: match self.purpose {
                    Purpose::Apply => self.forced.contains(address),
                    _ => self.is_forced(block),
                },
                prevent_destroy: match fault!(PreventionForgotten) {
                    true => planner::PreventDestroy::No,
                    false => prevent_destroy(lifecycle),
                },
                // L04: an import plans nothing, and its `ignore_changes` were not checked.
                ignore_changes: match self.purpose {
                    Purpose::Import => IgnoreChanges::default(),
                    _ if fault!(AllIgnored) => IgnoreChanges::All,
                    _ => ignored(&lifecycle.ignore_changes),
                },
                replace_triggered_by: Vec::new(),
                keep_on_destroy: false,
            },
            preconditions: Vec::new(),
            postconditions: Vec::new(),
            provisioners: Vec::new(),
            dependencies: self.dependencies(block).into_iter().map(dependency).collect(),
            in_check: of.check.is_some(),
        }
    }

    /// G135, L100.
    fn triggers(&self, block: usize, address: &AbsResourceInstance, repeated: &Repeated, facts: &mut Facts) {
        if !matches!(self.purpose, Purpose::Plan | Purpose::BeforeDestroy) {
            return;
        }
        let of = &self.layout.blocks[block];
        for written in &of.resource.lifecycle.replace_triggered_by {
            let at = self.at(of.module, &address.module, repeated);
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
            let steps = match found.and_then(|steps| steps.ok_or_else(no_reference)) {
                Ok(steps) => steps,
                Err(diagnostics) => {
                    facts.triggers.push(diagnostics);
                    let nothing = Trigger { changes: Vec::new(), attribute: None };
                    facts.configured.lifecycle.replace_triggered_by.push(nothing);
                    continue;
                }
            };
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
            let [Some(type_name), Some(name)] = names else { continue };
            let resource = Resource { mode, type_name, name };
            let wanted = match steps.peek() {
                Some(Taken::Key(value)) => {
                    let found = key(value);
                    steps.next();
                    found
                }
                _ => None,
            };
            let rest: Option<Vec<WrittenStep>> = steps.map(written_step).collect();
            // An invalid key leads nowhere, so that nothing changes there.
            let leads = rest.is_some();
            let rest = rest.unwrap_or_else(|| vec![WrittenStep::Element]);
            // G135: an attribute belongs to one instance: to the one without key if none is written.
            let wanted = wanted.or((!rest.is_empty()).then_some(InstanceKey::None));
            let block = ConfigResource { module: address.module.module(), resource: resource.clone() };
            let is_named = |change: &&AddressedChange| {
                change.addr.module == address.module
                    && change.deposed().is_none()
                    && wanted.as_ref().is_none_or(|key| change.addr.key == *key)
            };
            let found: Vec<&AddressedChange> = self.recorded(&block).filter(is_named).collect();
            // The deletion of a resource that is no longer declared does not count, whether it is recorded yet or not.
            let is_declared = self.layout.find(of.module, &block.resource).is_some();
            if found.is_empty() || !is_declared {
                let named =
                    instance(resource, &planfuzz_core::address::ModuleInstance::ROOT, &wanted.unwrap_or_default());
                let place = match address.module.is_root() {
                    true => "the root module".to_owned(),
                    false => address.module.to_string(),
                };
                facts.triggers.push(vec![Diagnostic::error(match is_declared {
                    true => format!("no change found for {named} in {place}"),
                    false => "Reference to undeclared resource".to_owned(),
                })]);
                facts.configured.lifecycle.replace_triggered_by.push(Trigger { changes: Vec::new(), attribute: None });
                continue;
            }
            let changes = found.iter().map(|change| TriggerChange {
                action: if leads { change.action() } else { plans::Action::NoOp },
                before: change.planned.change.before.clone(),
                after: change.planned.change.after.clone(),
            });
            let attribute = (!rest.is_empty()).then(|| WrittenPath::new(rest));
            facts.configured.lifecycle.replace_triggered_by.push(Trigger { changes: changes.collect(), attribute });
        }
    }
}

fn written_step(taken: Taken) -> Option<WrittenStep> {
    match taken {
        Taken::Name(name) => Some(WrittenStep::Attribute(name)),
        Taken::Key(value) => match key(&value)? {
            planfuzz_core::address::InstanceKey::Int(index) => Some(WrittenStep::Index(index.try_into().ok()?)),
            planfuzz_core::address::InstanceKey::Text(text) => Some(WrittenStep::Key(Text::new(&text))),
            planfuzz_core::address::InstanceKey::None => None,
        },
    }
}

fn ignored(ignored: &config::IgnoreChanges) -> IgnoreChanges {
    match ignored {
        config::IgnoreChanges::None => IgnoreChanges::default(),
        config::IgnoreChanges::All => IgnoreChanges::All,
        config::IgnoreChanges::These(these) => IgnoreChanges::Some(
            these
                .iter()
                .map(|one| {
                    let rest = one.steps.iter().filter_map(|step| match &step.kind {
                        StepKind::Attribute(name) => Some(WrittenStep::Attribute(name.clone())),
                        StepKind::Index(value) => written_step(Taken::Key(value.clone())),
                    });
                    WrittenPath::new([WrittenStep::Attribute(one.root.clone())].into_iter().chain(rest).collect())
                })
                .collect(),
        ),
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
