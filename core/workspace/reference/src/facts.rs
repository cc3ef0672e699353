//! Facts of an instance: the input of its planner that a workspace computes.

use planfuzz_core::address::{AbsResourceInstance, ConfigResource, InstanceKey, ResourceMode};
use planfuzz_core::planner::{self, Configured, Dependency, IgnoreChanges, Link, Severity, summary};
use planfuzz_core::plans;
use planfuzz_core::schema::Schema;
use planfuzz_core::value::{PathSet, Text, Tri, Value, WrittenPath, WrittenStep};
use planfuzz_language::check::{NameScope, RuleOf};
use planfuzz_language::config::{self, StepKind};
use planfuzz_workspace::{Diagnostic, Status};

use crate::blocks::{misused, prevent_destroy};
use crate::body;
use crate::evaluation::{Marked, Taken};
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
        let mut facts = Facts {
            configured: self.configured_of(block, address, schema),
            preconditions: Vec::new(),
            triggers: Vec::new(),
            status: (Status::Pass, Vec::new()),
            broken: Vec::new(),
            warned: Vec::new(),
        };
        self.preconditions(block, address, repeated, &mut facts);
        // An error in a precondition ends the visit too where false ones only warn (E153).
        let ends = facts.preconditions.iter().flatten().any(Diagnostic::is_error);
        // G13: a refresh evaluates no managed configuration.
        let is_looked_at = !self.purpose.plans_nothing() || of.address.mode == ResourceMode::Data;
        if !ends && is_looked_at {
            match self.evaluated(block, address, repeated, schema) {
                Ok(config) => {
                    let (config, ephemeral) = marks::to_planners(&config);
                    (facts.configured.config, facts.configured.ephemeral) = (config, ephemeral);
                }
                Err(diagnostics) if self.severity() == Severity::Warning => facts.broken = diagnostics,
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

    /// E150 to E159: judges the preconditions of an instance.
    fn preconditions(&self, block: usize, address: &AbsResourceInstance, repeated: &Repeated, facts: &mut Facts) {
        let of = &self.layout.blocks[block];
        let severity = self.severity();
        for rule in &of.resource.lifecycle.preconditions {
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
    }

    /// The configuration of an instance, or its errors.
    fn evaluated(
        &self,
        block: usize,
        address: &AbsResourceInstance,
        repeated: &Repeated,
        schema: &Schema,
    ) -> Result<Marked, Vec<Diagnostic>> {
        let of = &self.layout.blocks[block];
        let mut at = self.at(of.module, &address.module, repeated);
        let faults = self.body_faults(block, &mut at);
        if !faults.is_empty() {
            return Err(faults);
        }
        let config = body::evaluate(self.evaluation(), &of.resource.config, &schema.block, &mut at)?;
        // L03: ephemeral values that the validation walk did not know of are reported when the configuration is evaluated.
        match misused(of.address.mode, &config, schema) {
            0 => Ok(config),
            count => {
                let misuse = Diagnostic::error(self.layout.dialect.ephemeral_misused());
                Err(vec![misuse.about(address.to_string()); count])
            }
        }
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
            && self.applied.forced.contains(address);
        Configured {
            config: plans::Marked::plain(nothing),
            ephemeral: PathSet::EMPTY,
            at_validation: None,
            lifecycle: planner::Lifecycle {
                create_before_destroy: lifecycle.create_before_destroy.as_ref().is_some_and(|flag| flag.value)
                    || is_forced_here,
                forced_create_before_destroy: match self.purpose {
                    Purpose::Apply => self.applied.forced.contains(address),
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
}

/// A step of a path as it is written; `None` for a key that is none.
pub fn written_step(taken: Taken) -> Option<WrittenStep> {
    match taken {
        Taken::Name(name) => Some(WrittenStep::Attribute(name)),
        Taken::Key(value) => match key(&value)? {
            InstanceKey::Int(index) => Some(WrittenStep::Index(index.try_into().ok()?)),
            InstanceKey::Text(text) => Some(WrittenStep::Key(Text::new(&text))),
            InstanceKey::None => None,
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
