//! One life: a configuration that validation takes, what is done with it, and what is found in it.

use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard};
use std::time::{Duration, Instant};

use planfuzz_core::planner::ValidateConfig;
use planfuzz_core::schema::Schema;
use planfuzz_core::value::{Path, Step, Type, Value};
use planfuzz_engine::plugin::{CallError, Kind, Plugin, Question, Said};

use crate::campaign::{Campaign, Shared, lock};
use crate::case::Case;
use crate::generate::{Builder, Knowledge, Pin, Pins, Rng, learn};
use crate::judge::{Breach, Judged, judge};
use crate::outcome::{Finding, TypeReport};
use crate::place::text;
use crate::play::{Played, play};
use crate::promise;
use crate::script::{Act, Script};
use crate::shrink::{has, shrink};
use crate::teller::{Live, Teller as _};

/// How often a refused configuration is mended before another one is made.
const MENDS: usize = 8;

/// How long a finding may take to be made small.
const SHRINKING: Duration = Duration::from_secs(20);

/// How many findings of one promise of one type are kept.
const MOST_FINDINGS: u64 = 5;

/// One life of one type.
pub(crate) struct Worker<'a> {
    shared: &'a Shared<'a>,
    name: &'a str,
    schema: Arc<Schema>,
    kind: Kind,
    rng: Rng,
    report: TypeReport,
    left: Vec<String>,
    created: u64,
}

/// What validation said of a configuration.
enum Validated {
    Accepted,
    Refused(Vec<Said>),
    Unanswered(CallError),
}

impl<'a> Worker<'a> {
    /// The life of that number.
    pub(crate) fn new(shared: &'a Shared<'a>, name: &'a str, number: u64) -> Worker<'a> {
        let campaign = shared.campaign;
        let schema = Arc::clone(&campaign.types[name]);
        let kind = Kind::new(name, &schema, campaign.dialect);
        let rng = Rng::new(campaign.seed, number);
        Worker { shared, name, schema, kind, rng, report: TypeReport::default(), left: Vec::new(), created: 0 }
    }

    fn knowledge(&self) -> MutexGuard<'a, Knowledge> {
        lock(&self.shared.known[self.name])
    }

    /// Plays a life; why the provider is not there any more, if it is not.
    pub(crate) fn life(&mut self, plugin: &mut Plugin) -> Option<String> {
        let base = { self.rng.chance(70).then(|| self.knowledge().kept(&mut self.rng)).flatten() };
        let pins = base.as_ref().map(|_| self.touched()).unwrap_or_default();
        let (config, validated) = self.accepted(plugin, base.as_ref(), pins);
        match validated {
            Validated::Refused(_) => return None,
            Validated::Unanswered(CallError::Gone(problem)) => return Some(problem),
            Validated::Unanswered(CallError::Unsendable(_)) => {
                self.report.left_out += 1;
                return None;
            }
            Validated::Unanswered(_) => {
                // It is played as a life, so that it is judged and kept.
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
        let applies = self.shared.campaign.applies.is_some_and(|(types, most)| {
            types.contains(self.name) && self.shared.created.load(Ordering::Relaxed) < most
        });
        let acts = if applies { applied(has_next, hidden) } else { planned(has_next, hidden) };
        let configs = if has_next { vec![config, next] } else { vec![config] };
        let script = self.script(configs, acts);
        self.play(plugin, script);
        None
    }

    fn script(&self, configs: Vec<Value>, acts: Vec<Act>) -> Script {
        Script { type_name: self.name.to_owned(), schema: Arc::clone(&self.schema), configs, acts }
    }

    /// A few attributes to change.
    fn touched(&mut self) -> Pins {
        let knowledge = self.knowledge();
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

    /// A configuration that validation takes, mended from refusal to refusal; else the last one, with what was said of it.
    fn accepted(&mut self, plugin: &mut Plugin, base: Option<&Value>, pins: Pins) -> (Value, Validated) {
        let dialect = self.shared.campaign.dialect;
        let mut config = {
            let knowledge = self.knowledge();
            Builder { knowledge: &knowledge, rng: &mut self.rng, dialect, pins }.config(&self.schema.block, base)
        };
        for mend in 0..=MENDS {
            let said = match self.validate(plugin, &config) {
                Validated::Refused(said) => said,
                other => return (config, other),
            };
            let set = words(&config);
            let mut knowledge = self.knowledge();
            let pins = learn(&said, &set, &mut knowledge, &mut self.rng);
            if mend == MENDS {
                return (config, Validated::Refused(said));
            }
            let base = if pins.is_empty() { None } else { Some(&config) };
            let built =
                Builder { knowledge: &knowledge, rng: &mut self.rng, dialect, pins }.config(&self.schema.block, base);
            config = built;
        }
        (config, Validated::Refused(Vec::new()))
    }

    fn validate(&mut self, plugin: &mut Plugin, config: &Value) -> Validated {
        let question = Question::Validate(ValidateConfig { config: config.clone() });
        let told = Live { plugin, kind: &self.kind }.tell(question);
        let validated = match told {
            Err(trouble) => Validated::Unanswered(trouble),
            Ok(reply) if reply.said.iter().any(Said::is_error) => {
                self.refused(&reply.said);
                Validated::Refused(reply.said)
            }
            Ok(_) => Validated::Accepted,
        };
        let is_accepted = matches!(validated, Validated::Accepted);
        self.report.configs += 1;
        self.report.accepted += u64::from(is_accepted);
        let mut knowledge = self.knowledge();
        knowledge.tried += 1;
        if knowledge.tried <= 100 {
            self.report.first.0 += 1;
            self.report.first.1 += u64::from(is_accepted);
        }
        if is_accepted {
            knowledge.accepted += 1;
            for (key, word) in words(config) {
                knowledge.was_there(&key, true);
                if let Some(word) = word {
                    knowledge.fared(&key, &word, 1, 0);
                }
            }
            knowledge.keep(config, &mut self.rng);
        }
        validated
    }

    fn refused(&mut self, said: &[Said]) {
        const MOST_REFUSALS: usize = 40;
        let Some(first) = said.iter().find(|it| it.is_error()) else { return };
        let text: String = format!("{} {}", first.path, first.summary).trim().chars().take(160).collect();
        let refusals = &mut self.report.refusals;
        if refusals.len() < MOST_REFUSALS || refusals.contains_key(&text) {
            *refusals.entry(text).or_default() += 1;
        }
    }

    /// Parts of a configuration to be unknown first: some that are set.
    fn hidden(&mut self, config: &Value) -> Vec<Path> {
        let mut paths = Vec::new();
        let blocks = &self.schema.block.block_types;
        config.view().walk(&mut |path, part| {
            let is_block = path.steps().len() == 1
                && path.steps().iter().any(|step| matches!(step, Step::Attribute(name) if blocks.get(name).is_some()));
            let is_set = part.is_present() && !path.is_root();
            let is_object = matches!(part.ty(), Type::Object(_)) && !path.is_root();
            if is_set && !is_block && !is_object && path.to_string().len() < 200 {
                paths.push(path.clone());
            }
            // Nothing leads into a set.
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
        hidden
    }

    fn play(&mut self, plugin: &mut Plugin, script: Script) {
        let (played, judged) = self.once(plugin, &script);
        self.report.lives += 1;
        let first = played.steps.iter().find(|step| !matches!(script.acts[step.act], Act::Open(..)));
        if first.is_some_and(|step| step.trace.plan.plan.is_errored()) {
            self.report.refused_plans += 1;
        }
        if matches!(played.broken, Some(CallError::Unsendable(_))) {
            self.report.left_out += 1;
        }
        for (promise, count) in &judged.tried {
            *self.report.tried.entry(promise).or_default() += count;
        }
        for breach in &judged.breaches {
            if breach.promise == promise::ANSWERS && self.shared.campaign.is_unconfigured {
                self.report.left_out += 1;
                continue;
            }
            if breach.tolerated {
                let noted = self.report.tolerated.entry((breach.promise, breach.place.clone()));
                noted.or_insert_with(|| (0, breach.message.clone())).0 += 1;
                continue;
            }
            *self.report.broken.entry(breach.promise).or_default() += 1;
            if self.is_new(breach) {
                self.keep(plugin, &script, &played, breach);
            }
        }
    }

    fn once(&mut self, plugin: &mut Plugin, script: &Script) -> (Played, Judged) {
        let Campaign { dialect, plan_destroy, .. } = *self.shared.campaign;
        let played = play(script, &mut Live { plugin, kind: &self.kind }, dialect, plan_destroy);
        self.created += played.created;
        self.shared.created.fetch_add(played.created, Ordering::Relaxed);
        if let Some(left) = &played.left {
            self.left.push(text(left));
        }
        let judged = judge(script, &played, dialect);
        (played, judged)
    }

    fn is_new(&self, breach: &Breach) -> bool {
        let mut seen = lock(&self.shared.seen);
        let places = seen.entry((self.name.to_owned(), breach.promise)).or_default();
        (places.len() as u64) < MOST_FINDINGS && places.insert(breach.place.clone())
    }

    /// Makes a finding of a breach.
    fn keep(&mut self, plugin: &mut Plugin, script: &Script, played: &Played, breach: &Breach) {
        let until = Instant::now() + SHRINKING;
        let breaks = |this: &mut Self, plugin: &mut Plugin, script: &Script| {
            let (played, judged) = this.once(plugin, script);
            has(&judged.breaches, breach).then_some((played, judged))
        };
        let is_stable = breaks(self, plugin, script).is_some();
        let small = match is_stable {
            true => shrink(script, self.shared.campaign.dialect, until, &mut |it| breaks(self, plugin, it).is_some()),
            false => script.clone(),
        };
        // What is told is of the very life that is kept.
        let last = if is_stable { breaks(self, plugin, &small) } else { None };
        let (script, book, breach) = match last {
            Some((played, judged)) => {
                let same = judged.breaches.into_iter().find(|it| has(std::slice::from_ref(it), breach));
                (small, played.book, same.unwrap_or_else(|| breach.clone()))
            }
            None => (script.clone(), played.book.clone(), breach.clone()),
        };
        let Campaign { dialect, plan_destroy, .. } = *self.shared.campaign;
        let case = Case { dialect, plan_destroy, script, breach, book };
        lock(&self.shared.outcome).findings.push(Finding { case, is_stable });
    }

    /// Adds what was counted to the whole.
    pub(crate) fn tell(self) {
        let mut outcome = lock(&self.shared.outcome);
        outcome.counts.lives += self.report.lives;
        outcome.counts.created += self.created;
        outcome.left.extend(self.left.into_iter().map(|it| (self.name.to_owned(), it)));
        let of = outcome.types.entry(self.name.to_owned()).or_default();
        let TypeReport { configs, accepted, first, refusals, lives, refused_plans, left_out, tried, broken, tolerated } =
            self.report;
        of.configs += configs;
        of.accepted += accepted;
        of.first = (of.first.0 + first.0, of.first.1 + first.1);
        of.lives += lives;
        of.refused_plans += refused_plans;
        of.left_out += left_out;
        for (text, count) in refusals {
            *of.refusals.entry(text).or_default() += count;
        }
        for (promise, count) in tried {
            *of.tried.entry(promise).or_default() += count;
        }
        for (promise, count) in broken {
            *of.broken.entry(promise).or_default() += count;
        }
        for (place, (count, message)) in tolerated {
            of.tolerated.entry(place).or_insert((0, message)).0 += count;
        }
    }
}

/// A life in which nothing is applied.
fn planned(has_next: bool, hidden: Vec<Path>) -> Vec<Act> {
    let mut acts = Vec::new();
    if !hidden.is_empty() {
        acts.push(Act::Open(0, hidden));
    }
    acts.extend([Act::Plan(0), Act::Plan(0), Act::Settle, Act::Plan(0), Act::Plan(0)]);
    if has_next {
        acts.extend([Act::Plan(1), Act::Plan(1)]);
    }
    acts.push(Act::PlanDestroy);
    acts
}

/// A whole life.
fn applied(has_next: bool, hidden: Vec<Path>) -> Vec<Act> {
    let mut acts = Vec::new();
    if !hidden.is_empty() {
        acts.push(Act::Open(0, hidden));
    }
    acts.extend([Act::Plan(0), Act::Apply(0), Act::Plan(0), Act::Refresh, Act::Import(0), Act::Plan(0)]);
    if has_next {
        acts.extend([Act::Plan(1), Act::Apply(1), Act::Plan(1), Act::Replace(1), Act::Plan(1)]);
    }
    acts.push(Act::Destroy);
    acts
}

/// The keys that a configuration sets, with the words of those that have some.
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
            // An empty collection is what stands for no block.
            let is_empty = part.ty().is_collection() && part.is_empty();
            if !is_empty {
                found.push((names.join("."), word));
            }
        }
        true
    });
    found
}
