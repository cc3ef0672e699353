//! The replay of a recorded run: a planner runs on it with providers that answer from its table.

use std::collections::{HashMap, VecDeque};

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::planner::{Remark, Severity};
use planfuzz_core::value::Text;
use planfuzz_language::check::Schemas;

use super::compare::{self, After, Difference};
use super::exchange::{Exchange, key_of, type_of};
use super::read::Recorded;
use super::tolerated::{Tolerated, tolerated};
use crate::builtin::{self, Ids};
use crate::call::{Answer, Call, Providers};
use crate::command::Command;
use crate::diagnostic::Diagnostic;
use crate::order::{CallId, Trace};
use crate::planner::{Applied, Done, Planned, WorkspacePlanner, Written};
use crate::state::State;

/// How many swaps of the answers of equal calls are tried.
const MOST_EXCHANGED: usize = 100;

/// The error for a call that the engine did not make.
const NOT_RECORDED: &str = "This call is not in the recorded run";

/// Providers that answer from a table: equal requests in the order in which they were recorded, none more often than it was.
#[derive(Clone, Debug)]
pub struct Table<'r> {
    exchanges: &'r [Exchange],
    schemas: &'r Schemas,
    dialect: Dialect,
    left: HashMap<&'r str, VecDeque<usize>>,
    /// The ids that the engine's own provider drew; its calls cannot be observed, so that no table has them (E190).
    ids: Ids,
    /// The exchange that answered each call; `None` for a call that is not in the table.
    pub answered: Vec<Option<usize>>,
    /// Errors of the table itself.
    pub broken: Vec<String>,
    /// The calls that were not in it.
    pub unknown: Vec<String>,
}

impl<'r> Table<'r> {
    /// A table of exchanges.
    pub fn new(exchanges: &'r [Exchange], schemas: &'r Schemas, dialect: Dialect) -> Table<'r> {
        let mut left: HashMap<&str, VecDeque<usize>> = HashMap::new();
        for (index, exchange) in exchanges.iter().enumerate() {
            left.entry(&exchange.key).or_default().push_back(index);
        }
        let (ids, answered) = (Ids::default(), Vec::new());
        Table { exchanges, schemas, dialect, left, ids, answered, broken: Vec::new(), unknown: Vec::new() }
    }

    /// Exchanges whose call was not made.
    pub fn unused(&self) -> impl Iterator<Item = &'r Exchange> {
        let mut left: Vec<usize> = self.left.values().flatten().copied().collect();
        left.sort_unstable();
        left.into_iter().map(|index| &self.exchanges[index])
    }

    /// Gives the answers of equal calls to other visits where the orders of the trace do not hold: a recording does not say which instance
    /// a call was about, so that any assignment of equal answers is right. If no swap leaves fewer broken orders, one that leaves as many
    /// may lead to one that does, as among three visits that are all alike.
    pub fn settle(&mut self, trace: &Trace) {
        for _ in 0..MOST_EXCHANGED {
            let broken = self.broken_orders(trace);
            let better = self.better(trace, &broken).or_else(|| {
                let level = self.exchanges_of(trace, &broken);
                level.into_iter().take(MOST_EXCHANGED).find_map(|pairs| {
                    let tried = self.with(&pairs);
                    let found = tried.broken_orders(trace);
                    let next = (found.len() == broken.len()).then(|| tried.better(trace, &found)).flatten()?;
                    Some([pairs, next].concat())
                })
            });
            match better {
                Some(better) => self.exchange(&better),
                None => return,
            }
        }
    }

    /// A swap after which fewer orders are broken.
    fn better(&self, trace: &Trace, broken: &[(CallId, CallId)]) -> Option<Vec<(CallId, CallId)>> {
        let is_better = |pairs: &Vec<(CallId, CallId)>| self.with(pairs).broken_orders(trace).len() < broken.len();
        self.exchanges_of(trace, broken).into_iter().find(is_better)
    }

    /// The swaps for calls of a broken order: of one call alone, or of all calls that two visits have in common, since visits of equal
    /// stored objects make the same calls in a row.
    fn exchanges_of(&self, trace: &Trace, broken: &[(CallId, CallId)]) -> Vec<Vec<(CallId, CallId)>> {
        let calls = || broken.iter().flat_map(|(first, then)| [*first, *then]);
        let likes = || calls().flat_map(|call| self.likes(call).map(move |like| (call, like)));
        let alone = likes().map(|pair| vec![pair]);
        let whole = likes().map(|(call, like)| self.common(trace, call, like));
        alone.chain(whole).filter(|pairs| !pairs.is_empty()).collect()
    }

    fn with(&self, pairs: &[(CallId, CallId)]) -> Self {
        let mut tried = self.clone();
        tried.exchange(pairs);
        tried
    }

    fn exchange(&mut self, pairs: &[(CallId, CallId)]) {
        pairs.iter().for_each(|(one, other)| self.answered.swap(one.0, other.0));
    }

    /// The calls of two visits that the same exchanges could have answered, in pairs.
    fn common(&self, trace: &Trace, one: CallId, other: CallId) -> Vec<(CallId, CallId)> {
        let visit = |call: CallId| trace.calls.get(call.0).map(|made| (made.node, &made.visit));
        let (own, its) = (visit(one), visit(other));
        if own == its {
            return Vec::new();
        }
        let mut taken = Vec::new();
        let calls = (0..self.answered.len()).map(CallId).filter(|&call| visit(call) == own);
        let pairs = calls.filter_map(|call| {
            let like = self.likes(call).find(|like| visit(*like) == its && !taken.contains(like))?;
            taken.push(like);
            Some((call, like))
        });
        pairs.collect()
    }

    /// The other calls that the same exchange could have answered.
    fn likes(&self, call: CallId) -> impl Iterator<Item = CallId> {
        let of = |index: usize| self.answered.get(index).copied().flatten().map(|index| &self.exchanges[index]);
        let own = of(call.0);
        (0..self.answered.len()).filter_map(move |index| {
            let (own, other) = (own?, of(index)?);
            (index != call.0 && own.key == other.key && own.has_answer_of(other)).then_some(CallId(index))
        })
    }

    /// Orders that a trace says must hold, and that did not hold in the recorded schedule.
    pub fn broken_orders(&self, trace: &Trace) -> Vec<(CallId, CallId)> {
        let known: Vec<(CallId, &Exchange)> = self
            .answered
            .iter()
            .enumerate()
            .filter_map(|(call, exchange)| Some((CallId(call), &self.exchanges[(*exchange)?])))
            .collect();
        let mut broken = Vec::new();
        for (first, a) in &known {
            for (then, b) in &known {
                if a.finish > b.start && first != then && trace.must_precede(*first, *then) {
                    broken.push((*first, *then));
                }
            }
        }
        broken
    }
}

impl Providers for Table<'_> {
    fn call(&mut self, call: &Call) -> Answer {
        if builtin::is_asked(call) {
            self.answered.push(None);
            let ty = type_of(call, self.schemas, self.dialect);
            return builtin::answer(call, &ty, &mut |planned| self.ids.take(planned));
        }
        let key = key_of(call, self.schemas, self.dialect);
        let found = self.left.get_mut(key.as_str()).and_then(VecDeque::pop_front);
        self.answered.push(found);
        let failed = |summary: &str| {
            let remark = Remark { severity: Severity::Error, summary: Text::new(summary) };
            Answer { outcome: None, remarks: vec![remark] }
        };
        let Some(index) = found else {
            self.unknown.push(key);
            return failed(NOT_RECORDED);
        };
        self.exchanges[index].answer(self.schemas, self.dialect).unwrap_or_else(|error| {
            self.broken.push(format!("exchange {index}: {error}"));
            failed("This answer cannot be read")
        })
    }
}

/// The result of a replay.
#[derive(Debug)]
pub struct Replay {
    /// The result of the plan.
    pub planned: Planned,
    /// The result of the apply, if there was anything to apply.
    pub applied: Option<Applied>,
    /// Why a saved plan was not applied.
    pub refused: Vec<Diagnostic>,
    /// The state that a command wrote without a plan.
    pub written: Option<State>,
    /// The exchange that answered each call of the plan and of the apply.
    pub answered: [Vec<Option<usize>>; 2],
    /// The differences from the recording, in the order in which they were found.
    pub differences: Vec<Difference>,
    /// Differences that do not count against the planner.
    pub tolerated: Vec<Tolerated>,
    /// What is not compared, and why.
    pub not_compared: Vec<&'static str>,
}

impl Replay {
    /// What the planner did for the recorded command.
    pub fn done<'r>(&'r self, command: &'r Command) -> Done<'r> {
        Done { command, planned: &self.planned, applied: self.applied.as_ref(), written: self.written.as_ref() }
    }
}

impl Recorded {
    /// Runs a planner on the recorded workspace and compares its answers with the recording.
    pub fn replay(&self, planner: &dyn WorkspacePlanner) -> Replay {
        match &self.command {
            Command::Refresh => self.replay_written(|table| planner.refresh(&self.workspace, table)),
            Command::Import(asked) => self.replay_written(|table| planner.import(&self.workspace, asked, table)),
            Command::Plan | Command::Apply | Command::ApplySaved(_) => self.replay_planned(planner),
        }
    }

    fn table(&self, phase: usize) -> Table<'_> {
        let ids = Ids::drawn(&self.state, self.want.member("state").unwrap_or(&Json::Null));
        Table { ids, ..Table::new(&self.exchanges[phase], &self.workspace.schemas, self.workspace.dialect) }
    }

    fn replay_planned(&self, planner: &dyn WorkspacePlanner) -> Replay {
        let workspace = &self.workspace;
        let mut differences = Vec::new();
        let mut table = self.table(0);
        let planned = planner.plan(workspace, &mut table);
        table.settle(&planned.trace);
        let answered = table.answered.clone();
        compare::calls("plan", &table, &planned.trace, &mut differences);
        let mut not_compared = compare::planned(self, &planned, &mut differences);
        let plan = self.command.applied_plan(&planned);
        let refused = match (&self.command, plan) {
            (Command::ApplySaved(saved), Some(plan)) => planner.refuses(workspace, plan, saved),
            _ => Vec::new(),
        };
        let mut table = self.table(1);
        let plan = plan.filter(|_| refused.is_empty());
        let applied = plan.map(|plan| planner.apply(&workspace.of_apply(&self.command), plan, &mut table));
        let nothing = Trace::default();
        let trace = applied.as_ref().map_or(&nothing, |applied| &applied.trace);
        table.settle(trace);
        compare::calls("apply", &table, trace, &mut differences);
        let after = After::of_apply(applied.as_ref(), (&refused, trace), plan);
        not_compared.extend(compare::applied(self, &after, &mut differences));
        let answered = [answered, table.answered];
        let tolerated = tolerated(self, &planned, applied.as_ref(), &mut differences);
        Replay { planned, applied, refused, written: None, answered, differences, tolerated, not_compared }
    }

    /// A command that writes a state and no plan: all of its calls are those of the first phase.
    fn replay_written(&self, ask: impl FnOnce(&mut Table<'_>) -> Written) -> Replay {
        let mut differences = Vec::new();
        let mut table = self.table(0);
        let Written { state, diagnostics, trace } = ask(&mut table);
        table.settle(&trace);
        let planned = Planned { plan: None, diagnostics, trace };
        compare::calls("plan", &table, &planned.trace, &mut differences);
        let mut not_compared = compare::planned(self, &planned, &mut differences);
        let nothing = Trace::default();
        compare::calls("apply", &self.table(1), &nothing, &mut differences);
        let after =
            After { diagnostics: &[], exit: None, state: state.as_ref(), trace: &nothing, visited: 0, dropped: 0 };
        not_compared.extend(compare::applied(self, &after, &mut differences));
        let (answered, refused, tolerated) = ([table.answered, Vec::new()], Vec::new(), Vec::new());
        Replay { planned, applied: None, refused, written: state, answered, differences, tolerated, not_compared }
    }
}
