//! The steps of a scenario, one after another.
//!
//! Problem: steps drawn for themselves rarely fit what is stored by then, so that most would do nothing. Idea: a walk knows the
//! configuration and whether there is an object, as far as that can be known without a provider, and draws each step from there.
//! Guarantee: the scenario can be read and played; what its provider makes of it is for the planners to show.

use std::sync::Arc;

use planfuzz_core::address::ResourceKind;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{Configured, Orphan, Presence};
use planfuzz_core::plans::Marked;
use planfuzz_core::value::Value;
use planfuzz_pipelines::model::{FaultName, Style};

use super::facts::{self, Facts};
use super::moves::Move;
use super::places::{self, Places};
use super::stored::{Start, StoredContext, import_id};
use super::{ScenarioContext, outside};
use crate::generate::mutate::{Knowledge, fitted};
use crate::generate::outline::BlockOutline;
use crate::generate::value::ValueGenerator;
use crate::generate::value::settle::settled;
use crate::scenario::{Command, Outside, Scenario, Step, StepOptions};

/// Makes the scenarios of one provider.
pub(super) struct Walk<'w, 'm, 'd, 'b> {
    values: &'w mut ValueGenerator<'m, 'd, 'b>,
    context: &'w ScenarioContext,
    outline: &'w BlockOutline,
    dialect: Dialect,
    kind: ResourceKind,
    /// The configuration, wholly known.
    config: Value,
    facts: Facts,
    /// Why the instance is not configured; `None` if it is.
    absence: Option<Absence>,
    /// Whether there is an object, as far as the walk can know.
    there: bool,
    steps: Vec<Step>,
}

/// A step that is being drawn.
struct Drawn {
    outside: Vec<Outside>,
    command: Command,
    options: StepOptions,
    has_unknowns: bool,
}

/// The address that a moved instance had.
const OLD_ADDRESS: &str = "test_old.a";

#[derive(Clone, Debug)]
enum Absence {
    Orphan(Orphan),
    Removed(Orphan),
}

impl<'w, 'm, 'd, 'b> Walk<'w, 'm, 'd, 'b> {
    /// A scenario.
    pub(super) fn scenario(values: &'w mut ValueGenerator<'m, 'd, 'b>, context: &'w ScenarioContext) -> Scenario {
        let (outline, dialect) = (&*context.schema_context.outline, context.schema_context.dialect);
        let kind = if context.is_data { ResourceKind::Data } else { ResourceKind::Managed };
        let places = Places { spots: &context.spots };
        let config = values.new_config(outline);
        let exists = values.dice.chance(if kind == ResourceKind::Data { 64 } else { 120 });
        let value = exists.then(|| {
            let value =
                if values.dice.chance(200) { values.applied(outline, &config) } else { values.stored_value(outline) };
            settled(&outline.ty, value)
        });
        let stored_context = StoredContext {
            outline,
            places,
            schema: &context.schema_context.schema,
            skips_destroy: dialect.can_keep_on_destroy(),
            is_sdk: matches!(context.model.style, Style::Sdk { .. }),
            is_data: context.is_data,
            is_upgrade_faulty: context.model.faults.iter().any(|fault| fault.name == FaultName::UpgradeUnknown),
        };
        let start = Start::draw(values, &stored_context, value.as_ref());
        let facts = Facts::draw(values, kind, dialect, &places);
        let there = exists && kind == ResourceKind::Managed;
        let mut walk =
            Walk { values, context, outline, dialect, kind, config, facts, absence: None, there, steps: Vec::new() };
        let count = 1 + walk.values.dice.below(usize::from(context.schema_context.size.steps));
        for number in 0..count {
            walk.step(number, count);
        }
        let steps = walk.steps;
        Scenario {
            schema: context.schema_context.schema.clone(),
            kind,
            model: context.model.clone(),
            state: start.state,
            remote: start.remote,
            steps,
        }
    }

    /// The steps of a scenario, followed by `more` steps that continue it.
    pub(super) fn played_on(
        values: &'w mut ValueGenerator<'m, 'd, 'b>,
        context: &'w ScenarioContext,
        scenario: &Scenario,
        more: usize,
    ) -> Vec<Step> {
        let (outline, dialect) = (&*context.schema_context.outline, context.schema_context.dialect);
        let latest = scenario
            .steps
            .iter()
            .rev()
            .find_map(|step| step.at_apply.as_deref().unwrap_or(&step.presence).configured());
        let (config, facts) = match latest {
            Some(configured) => {
                let config = fitted(outline, configured.config.value().view(), Knowledge::WholeConfig);
                (config, facts_of(configured))
            }
            None => (values.new_config(outline), Facts::default()),
        };
        let absence = scenario.steps.last().and_then(|step| match &*step.presence {
            Presence::Configured(_) => None,
            Presence::Orphan(orphan) => Some(Absence::Orphan(orphan.clone())),
            Presence::Removed(orphan) => Some(Absence::Removed(orphan.clone())),
        });
        let there = match scenario.steps.last() {
            None => scenario.state.current.is_some(),
            Some(step) => step.command != Command::Destroy && absence.is_none(),
        };
        let there = there && scenario.kind == ResourceKind::Managed;
        let steps = scenario.steps.clone();
        let count = steps.len() + more;
        let kind = scenario.kind;
        let mut walk = Walk { values, context, outline, dialect, kind, config, facts, absence, there, steps };
        for number in count - more..count {
            walk.step(number, count);
        }
        walk.steps
    }

    fn step(&mut self, number: usize, count: usize) {
        let chosen = match self.showing(number, count) {
            Some(chosen) => chosen,
            None => Move::draw(self.values.dice, self.kind, self.there, self.absence.is_none()),
        };
        let step = self.play(chosen);
        self.after(chosen, &step);
        self.steps.push(step);
    }

    /// For the last step, mostly a move in which the provider's fault shows.
    fn showing(&mut self, number: usize, count: usize) -> Option<Move> {
        let fault = self.context.model.faults.first().filter(|_| number + 1 == count)?;
        let moves = Move::showing(fault.name);
        let imports = moves.contains(&Move::Import);
        let fits = imports != self.there && !moves.is_empty() && self.kind == ResourceKind::Managed;
        (fits && self.values.dice.chance(200)).then(|| *self.values.dice.pick(moves))
    }

    fn play(&mut self, chosen: Move) -> Step {
        let command = match self.values.dice.below(16) {
            0..=2 => Command::Plan,
            _ => Command::Apply,
        };
        let options = StepOptions {
            skip_refresh: self.values.dice.chance(14),
            forget: self.values.dice.chance(4),
            ..StepOptions::default()
        };
        let mut drawn = Drawn { outside: Vec::new(), command, options, has_unknowns: false };
        self.draw(chosen, &mut drawn);
        if self.absence.is_some() {
            // A move to an address without configuration (L127).
            if self.values.dice.chance(32) {
                drawn.options.moved_from = Some(OLD_ADDRESS.into());
            }
            // Sometimes another mode runs while nothing is configured.
            if self.values.dice.chance(16) {
                drawn.command = self.refresh_or_destroy();
            }
        }
        let Drawn { outside, command, options, has_unknowns } = drawn;
        let (presence, at_apply) = self.presences(chosen, has_unknowns);
        Step { outside, command, options, presence, at_apply }
    }

    /// Draws what belongs to a move: what happens outside, and what a user changes and runs.
    fn draw(&mut self, chosen: Move, drawn: &mut Drawn) {
        match chosen {
            Move::NoOp => {}
            Move::Create => self.create(drawn),
            Move::Change => self.config = self.values.changed_config(self.outline, &self.config),
            Move::ChangeOne => self.change_one(),
            Move::Unset => self.config = self.values.unset(self.outline, &self.config),
            Move::ResolveSame => drawn.has_unknowns = true,
            Move::ResolveOther => self.resolve_other(drawn),
            Move::Replace => self.replace(drawn),
            Move::Trigger => {
                self.absence = None;
                drawn.options.replace = self.values.dice.chance(24);
            }
            Move::Drift | Move::DriftSeen => {
                drawn.outside.extend(self.drift());
                if chosen == Move::DriftSeen {
                    drawn.command = Command::Refresh;
                } else if self.values.dice.chance(56) {
                    self.change_one();
                }
            }
            Move::Vanish => {
                drawn.outside.push(Outside::Vanish);
                if self.values.dice.chance(32) {
                    drawn.command = Command::Refresh;
                }
            }
            Move::Taint => {
                drawn.outside.push(Outside::Taint);
                if self.values.dice.chance(40) {
                    self.change_one();
                }
                drawn.options.replace = self.values.dice.chance(20);
            }
            Move::Untaint => drawn.outside.push(Outside::Untaint),
            Move::Import => self.import(drawn),
            Move::Refresh => drawn.command = Command::Refresh,
            Move::Destroy => drawn.command = Command::Destroy,
            Move::Orphan => self.absence = Some(Absence::Orphan(facts::orphan(self.values.dice, self.dialect))),
            Move::Forget => self.absence = Some(Absence::Removed(facts::orphan(self.values.dice, self.dialect))),
            Move::Rename => self.rename(drawn),
            Move::Facts => {
                let places = Places { spots: &self.context.spots };
                self.facts = Facts::draw(self.values, self.kind, self.dialect, &places);
            }
        }
    }

    fn create(&mut self, drawn: &mut Drawn) {
        if self.absence.take().is_none() && !self.steps.is_empty() {
            self.config = self.values.new_config(self.outline);
        }
        drawn.has_unknowns = self.values.dice.chance(56);
    }

    fn resolve_other(&mut self, drawn: &mut Drawn) {
        self.absence = None;
        if self.values.dice.chance(160) {
            self.change_one();
        } else {
            self.config = self.values.changed_config(self.outline, &self.config);
        }
        drawn.has_unknowns = true;
    }

    fn replace(&mut self, drawn: &mut Drawn) {
        drawn.options.replace = true;
        if self.values.dice.chance(72) {
            self.change_one();
        }
        // L154: no other mode supports it.
        if self.values.dice.chance(16) {
            drawn.command = self.refresh_or_destroy();
        }
    }

    fn import(&mut self, drawn: &mut Drawn) {
        self.absence = None;
        if self.values.dice.chance(216) {
            drawn.outside.push(Outside::Appear(self.object()));
        }
        drawn.command = Command::Import { id: import_id(self.values) };
    }

    fn rename(&mut self, drawn: &mut Drawn) {
        drawn.options.moved_from = Some(OLD_ADDRESS.into());
        // L172: only a refresh lists a move among the changes outside.
        if self.values.dice.chance(96) {
            drawn.command = Command::Refresh;
        } else if self.values.dice.chance(40) {
            // L160: without a refresh, a destroy reports the address before the move.
            drawn.command = Command::Destroy;
            drawn.options.skip_refresh = self.values.dice.chance(192);
        }
    }

    fn refresh_or_destroy(&mut self) -> Command {
        if self.values.dice.chance(128) { Command::Refresh } else { Command::Destroy }
    }

    /// Changes one member of the configuration.
    fn change_one(&mut self) {
        let index = self.values.dice.below(self.outline.members.len());
        self.config = self.values.changed_member(self.outline, &self.config, index);
    }

    /// An object that may exist after an apply of the configuration.
    fn object(&mut self) -> Value {
        let object = self.values.applied(self.outline, &self.config);
        settled(&self.outline.ty, object)
    }

    fn drift(&mut self) -> Vec<Outside> {
        let object = self.object();
        let parts = outside::drift(self.values, self.outline, &self.context.spots, &object);
        parts.into_iter().map(|(path, value)| Outside::Drift { path, value }).collect()
    }

    /// The presence at plan, and the one at apply if it differs.
    fn presences(&mut self, chosen: Move, has_unknowns: bool) -> (Arc<Presence>, Option<Arc<Presence>>) {
        match &self.absence {
            Some(Absence::Orphan(orphan)) => return (Arc::new(Presence::Orphan(orphan.clone())), None),
            Some(Absence::Removed(orphan)) => return (Arc::new(Presence::Removed(orphan.clone())), None),
            None => {}
        }
        let mut facts = self.facts.clone();
        if chosen == Move::Trigger {
            facts.lifecycle.replace_triggered_by =
                (0..=self.values.dice.below(2)).map(|_| facts::trigger(self.values)).collect();
        }
        let known = settled(&self.outline.ty, self.config.clone());
        let planned = match has_unknowns {
            true => settled(&self.outline.ty, self.values.with_unknowns(self.outline, &known)),
            false => known.clone(),
        };
        let late = !planned.is_wholly_known() || facts.is_open();
        let at_validation = self.values.dice.chance(if has_unknowns { 200 } else { 40 }).then(|| {
            let unknown = self.values.with_unknowns(self.outline, &planned);
            settled(&self.outline.ty, unknown)
        });
        // Rarely the unknowns stay unknown at apply (A21).
        let at_apply = (late && !self.values.dice.chance(6)).then(|| {
            let mut facts = facts.resolved(self.values.dice);
            if self.values.dice.chance(24) {
                facts.dependencies = facts::dependencies(self.values.dice, 56);
            }
            // The resources that depend on this one may have changed since the plan (A04).
            facts.lifecycle.forced_create_before_destroy ^= self.values.dice.chance(24);
            Arc::new(configured(&facts, known.clone(), None))
        });
        let presence = configured(&facts, planned, at_validation);
        if let Some(same) =
            self.steps.last().map(|step| &step.presence).filter(|_| chosen == Move::NoOp && !has_unknowns)
            && matches!(&**same, Presence::Configured(before) if before.config.value() == &known)
        {
            return (same.clone(), at_apply);
        }
        (Arc::new(presence), at_apply)
    }

    /// Updates whether there is an object after the step.
    fn after(&mut self, chosen: Move, step: &Step) {
        let vanished = chosen == Move::Vanish;
        self.there = match &step.command {
            Command::Plan | Command::Refresh => self.there && !vanished,
            Command::Destroy => false,
            Command::Apply | Command::Import { .. } => self.absence.is_none() && self.kind == ResourceKind::Managed,
        };
    }
}

/// The facts of an existing configuration.
fn facts_of(configured: &Configured) -> Facts {
    let Configured {
        config,
        at_validation: _,
        ephemeral,
        lifecycle,
        preconditions,
        postconditions,
        provisioners,
        dependencies,
        in_check,
    } = configured.clone();
    Facts {
        lifecycle,
        preconditions,
        postconditions,
        provisioners,
        dependencies,
        in_check,
        sensitive: config.sensitive().clone(),
        ephemeral,
    }
}

/// The presence of a configuration.
fn configured(facts: &Facts, config: Value, at_validation: Option<Value>) -> Presence {
    let Facts { lifecycle, preconditions, postconditions, provisioners, dependencies, in_check, sensitive, ephemeral } =
        facts.clone();
    Presence::Configured(Box::new(Configured {
        ephemeral: places::on(&config, &ephemeral),
        config: Marked::new(config, &sensitive),
        at_validation,
        lifecycle,
        preconditions,
        postconditions,
        provisioners,
        dependencies,
        in_check,
    }))
}
