//! Plays one run: finds a configuration that validation accepts, runs acts on it, and judges the answers.

use std::collections::BTreeMap;
use std::sync::Arc;

use planfuzz_core::planner::{Plan, Severity, ValidateConfig};
use planfuzz_core::value::{Path, Step, Type, Value};
use planfuzz_engine::plugin::{CallError, Category, Plugin, ProviderDiagnostic, Question};

use crate::campaign::Shared;
use crate::generate::{Advice, Builder, Knowledge, Lesson, Pin, Pins, Rng, advice};
use crate::hidden::Hidden;
use crate::judge::{Breach, judge};
use crate::model::Sample;
use crate::outcome::TypeReport;
use crate::place::text;
use crate::promise;
use crate::responder::{Entry, Live, Responder as _};
use crate::schedule::Turn;
use crate::script::{Act, Script};
use crate::subject::Subject;

/// How often a refused configuration is changed before another one is made.
const MENDS: usize = 8;

/// A played run, with all questions and answers.
pub(crate) type PlayedTrace = (Script, Vec<Entry>);

/// The result of a run, to be committed ([`crate::commit`]).
#[derive(Default)]
pub(crate) struct RunResult {
    /// The counts.
    pub(crate) report: TypeReport,
    /// For each validated configuration, whether it was accepted.
    pub(crate) validated: Vec<bool>,
    /// The lessons, in order.
    pub(crate) lessons: Vec<Lesson>,
    /// Broken promises, with the run that broke them.
    pub(crate) breaches: Vec<(Breach, Arc<PlayedTrace>)>,
    /// The plans, if they are collected.
    pub(crate) plans: Vec<Sample>,
    /// Objects that could not be destroyed.
    pub(crate) left: Vec<String>,
    /// How many objects were created.
    pub(crate) created: u64,
    /// Why the provider is gone, if it is.
    pub(crate) gone: Option<String>,
}

/// One run of one type.
pub(crate) struct Worker<'a> {
    shared: &'a Shared<'a>,
    name: &'a str,
    subject: &'a Subject,
    rng: Rng,
    /// The knowledge of its generation, and what this run learns from refusals.
    knowledge: Arc<Knowledge>,
    applies: bool,
    result: RunResult,
}

/// The result of validating a configuration.
enum Validated {
    Accepted,
    Refused(Vec<ProviderDiagnostic>),
    Unanswered(CallError),
}

impl<'a> Worker<'a> {
    /// The run of a turn, with the knowledge of its generation.
    pub(crate) fn new(shared: &'a Shared<'a>, turn: &Turn, knowledge: Arc<Knowledge>) -> Worker<'a> {
        let (name, subject) = shared.subject(turn.line);
        let rng = Rng::new(shared.campaign.seed, turn.number);
        let result = RunResult::default();
        Worker { shared, name, subject, rng, knowledge, applies: turn.applies, result }
    }

    /// Plays the run; returns its result.
    pub(crate) fn into_result(mut self, plugin: &mut Plugin) -> RunResult {
        self.result.gone = self.run(plugin);
        self.result
    }

    /// Plays the run; returns why the provider is gone, if it is.
    fn run(&mut self, plugin: &mut Plugin) -> Option<String> {
        let base = self.rng.chance(70).then(|| self.knowledge.kept(&mut self.rng)).flatten();
        let pins = base.as_ref().map(|_| self.touched()).unwrap_or_default();
        let (config, validated) = self.accepted(plugin, base.as_ref(), pins);
        match validated {
            Validated::Refused(_) => return None,
            Validated::Unanswered(CallError::Gone(problem)) => return Some(problem),
            Validated::Unanswered(CallError::Unsendable(_)) => {
                self.result.report.left_out += 1;
                return None;
            }
            Validated::Unanswered(_) => {
                // It is played as a run, so that it is judged and saved.
                let script = self.script(vec![config], vec![Act::Plan(0)]);
                self.play(plugin, script);
                return None;
            }
            Validated::Accepted => {}
        }
        let touched = self.touched();
        let (next, second) = self.accepted(plugin, Some(&config), touched);
        let has_next = matches!(second, Validated::Accepted) && next != config;
        let hidden = self.hidden(&config);
        let acts = match (Category::of_address(self.name).0, self.applies) {
            (Category::Resource, true) => applied(has_next, hidden, self.subject.identity.is_some()),
            (Category::Resource, false) => planned(has_next, hidden),
            (_, reads) => read(has_next, hidden, reads),
        };
        if acts.is_empty() {
            return None;
        }
        let configs = if has_next { vec![config, next] } else { vec![config] };
        let script = self.script(configs, acts);
        self.play(plugin, script);
        None
    }

    fn script(&self, configs: Vec<Value>, acts: Vec<Act>) -> Script {
        let (schema, identity) = (Arc::clone(&self.subject.schema), self.subject.identity.clone());
        Script { type_name: self.name.to_owned(), schema, identity, configs, acts }
    }

    /// A few attributes to change.
    fn touched(&mut self) -> Pins {
        let knowledge = Arc::clone(&self.knowledge);
        let keys: Vec<&String> = knowledge.all_keys().filter(|key| knowledge.share(key) > 0).collect();
        let mut pins = Pins::new();
        for _ in 0..1 + self.rng.below(2) {
            if let Some(key) = self.rng.pick(&keys) {
                let pin = if self.rng.chance(20) { Pin::Drop } else { Pin::Fresh };
                pins.insert((*key).clone(), pin);
            }
        }
        pins
    }

    /// A configuration that validation accepts, changed after each refusal; else the last one, with the diagnostics.
    fn accepted(&mut self, plugin: &mut Plugin, base: Option<&Value>, pins: Pins) -> (Value, Validated) {
        let mut config = self.built(base, pins);
        for mend in 0..=MENDS {
            let diagnostics = match self.validate(plugin, &config) {
                Validated::Refused(diagnostics) => diagnostics,
                other => return (config, other),
            };
            let Advice { pins, lessons } = advice(&diagnostics, &words(&config), &self.knowledge, &mut self.rng);
            let knowledge = Arc::make_mut(&mut self.knowledge);
            lessons.iter().cloned().for_each(|lesson| knowledge.learn(lesson));
            self.result.lessons.extend(lessons);
            if mend == MENDS {
                return (config, Validated::Refused(diagnostics));
            }
            config = if pins.is_empty() { self.built(None, pins) } else { self.built(Some(&config), pins) };
        }
        (config, Validated::Refused(Vec::new()))
    }

    fn built(&mut self, base: Option<&Value>, pins: Pins) -> Value {
        let dialect = self.shared.campaign.dialect;
        let mut builder = Builder { knowledge: &self.knowledge, rng: &mut self.rng, dialect, pins };
        builder.config(&self.subject.schema.block, base)
    }

    fn validate(&mut self, plugin: &mut Plugin, config: &Value) -> Validated {
        let question = Question::Validate(ValidateConfig { config: config.clone() });
        let result = Live { plugin, kind: &self.subject.kind, objects: None }.respond(question, None);
        let validated = match result {
            Err(trouble) => Validated::Unanswered(trouble),
            Ok(reply) if reply.diagnostics.iter().any(ProviderDiagnostic::is_error) => {
                self.refused(&reply.diagnostics);
                Validated::Refused(reply.diagnostics)
            }
            Ok(_) => Validated::Accepted,
        };
        let is_accepted = matches!(validated, Validated::Accepted);
        self.result.report.configs += 1;
        self.result.report.accepted += u64::from(is_accepted);
        self.result.validated.push(is_accepted);
        if is_accepted {
            let lessons = &mut self.result.lessons;
            for (key, word) in words(config) {
                lessons.extend(word.map(|text| Lesson::Word { key: key.clone(), text, good: 1, bad: 0 }));
                lessons.push(Lesson::Presence { key, is_good: true });
            }
            lessons.push(Lesson::Accepted(config.clone(), self.rng.below(usize::MAX)));
        }
        validated
    }

    fn refused(&mut self, diagnostics: &[ProviderDiagnostic]) {
        let Some(first) = diagnostics.iter().find(|it| it.is_error()) else { return };
        count_refusal(&mut self.result.report.refusals, &format!("{} {}", first.path, first.summary));
    }

    /// Counts a refused first plan and its reason: the provider's own text if there is one, else Core's.
    fn plan_refused(&mut self, plan: &Plan, call_log: &[Entry]) {
        self.result.report.refused_plans += 1;
        let Some(error) = plan.diagnostics.iter().find(|it| it.severity == Severity::Error) else { return };
        let own = call_log
            .iter()
            .flat_map(|entry| &entry.diagnostics)
            .find(|it| it.is_error() && it.summary == error.summary);
        let text = match own {
            Some(diagnostic) => format!("{} {}: {}", diagnostic.path, diagnostic.summary, diagnostic.detail),
            None => format!("{} {}", error.path, error.summary),
        };
        count_refusal(&mut self.result.report.plan_refusals, &text);
    }

    /// Parts of a configuration to send as unknown first, chosen from those that are set.
    fn hidden(&mut self, config: &Value) -> Hidden {
        let mut paths = Vec::new();
        let blocks = &self.subject.schema.block.block_types;
        config.view().walk(&mut |path, part| {
            let is_block = path.steps().len() == 1
                && path.steps().iter().any(|step| matches!(step, Step::Attribute(name) if blocks.get(name).is_some()));
            let is_set = part.is_present() && !path.is_root();
            let is_object = matches!(part.ty(), Type::Object(_)) && !path.is_root();
            if is_set && !is_block && !is_object && path.to_string().len() < 200 {
                paths.push(path.clone());
            }
            // No path leads into a set.
            !matches!(part.ty(), Type::Set(_))
        });
        let count = 1 + self.rng.below(2);
        let mut hidden: Vec<Path> = Vec::new();
        for _ in 0..count {
            if let Some(path) = self.rng.pick(&paths)
                && !hidden.iter().any(|it| it.to_string() == path.to_string())
            {
                hidden.push(path.clone());
            }
        }
        Hidden { paths: hidden, refined: self.rng.chance(50) }
    }

    fn play(&mut self, plugin: &mut Plugin, script: Script) {
        let played = self.shared.play(plugin, self.name, &script);
        let judged = judge(&script, &played, self.shared.campaign.dialect);
        self.result.created += played.created;
        self.result.left.extend(played.left.as_ref().map(text));
        self.result.report.runs += 1;
        let first = played.steps.iter().find(|step| !matches!(script.acts[step.act], Act::Open(..)));
        if let Some(step) = first.filter(|step| step.trace.plan.plan.is_errored()) {
            self.plan_refused(&step.trace.plan.plan, &played.call_log);
        }
        if matches!(played.broken, Some(CallError::Unsendable(_))) {
            self.result.report.left_out += 1;
        }
        for (promise, count) in &judged.tried {
            *self.result.report.tried.entry(promise).or_default() += count;
        }
        if self.shared.campaign.collects {
            self.result.plans.extend(played.call_log.iter().filter_map(Sample::of));
        }
        let run = Arc::new((script, played.call_log));
        for breach in judged.breaches {
            if breach.promise == promise::ANSWERS && self.shared.campaign.is_unconfigured {
                self.result.report.left_out += 1;
                continue;
            }
            if breach.tolerated {
                let noted = self.result.report.tolerated.entry((breach.promise, breach.place.clone()));
                noted.or_insert_with(|| (0, breach.message.clone())).0 += 1;
                continue;
            }
            *self.result.report.broken.entry(breach.promise).or_default() += 1;
            self.result.breaches.push((breach, Arc::clone(&run)));
        }
    }
}

/// Counts a reason, as one line of bounded length; only the first different reasons are kept.
fn count_refusal(refusals: &mut BTreeMap<String, u64>, why: &str) {
    const MOST_REFUSALS: usize = 40;
    const LONGEST: usize = 200;
    let words: Vec<&str> = why.split_whitespace().collect();
    let text: String = words.join(" ").trim_end_matches(':').chars().take(LONGEST).collect();
    if refusals.len() < MOST_REFUSALS || refusals.contains_key(&text) {
        *refusals.entry(text).or_default() += 1;
    }
}

/// The acts of a run without an apply.
fn planned(has_next: bool, hidden: Hidden) -> Vec<Act> {
    let mut acts = Vec::new();
    if !hidden.paths.is_empty() {
        acts.push(Act::Open(0, hidden));
    }
    acts.extend([Act::Plan(0), Act::Plan(0), Act::Settle, Act::Plan(0), Act::Plan(0)]);
    if has_next {
        acts.extend([Act::Plan(1), Act::Plan(1)]);
    }
    acts.push(Act::PlanDestroy);
    acts
}

/// The acts of a run that is only read or validated.
fn read(has_next: bool, hidden: Hidden, reads: bool) -> Vec<Act> {
    let mut acts = Vec::new();
    if !hidden.paths.is_empty() {
        acts.push(Act::Open(0, hidden));
    }
    if reads {
        acts.extend([Act::Plan(0), Act::Plan(0)]);
        acts.extend(has_next.then_some(Act::Plan(1)));
    }
    acts
}

/// The acts of a run with applies.
fn applied(has_next: bool, hidden: Hidden, has_identity: bool) -> Vec<Act> {
    let mut acts = Vec::new();
    if !hidden.paths.is_empty() {
        acts.push(Act::Open(0, hidden));
    }
    acts.extend([Act::Plan(0), Act::Apply(0), Act::Plan(0), Act::Refresh, Act::Import(0)]);
    acts.extend(has_identity.then_some(Act::ImportIdentity(0)));
    acts.push(Act::Plan(0));
    if has_next {
        acts.extend([Act::Plan(1), Act::Apply(1), Act::Plan(1), Act::Replace(1), Act::Plan(1)]);
    }
    acts.push(Act::Destroy);
    acts
}

/// The keys that a configuration sets, with their words if they have some.
fn words(config: &Value) -> Vec<(String, Option<String>)> {
    let mut found: Vec<(String, Option<String>)> = Vec::new();
    config.view().walk(&mut |path, part| {
        if !part.is_present() {
            return false;
        }
        let names: Vec<&str> = path
            .steps()
            .into_iter()
            .filter_map(|step| match step {
                Step::Attribute(name) => Some(name.as_str()),
                _ => None,
            })
            .collect();
        if !names.is_empty() {
            let word = match part.ty() {
                Type::String => part.as_text().map(|text| text.to_string()),
                Type::Number => part.as_number().map(|number| number.text().into_owned()),
                _ => None,
            };
            // An empty collection stands for the absence of blocks.
            let is_empty = part.ty().is_collection() && part.is_empty();
            if !is_empty {
                found.push((names.join("."), word));
            }
        }
        true
    });
    found
}
