//! Plan customisation (Z70 to Z75).

use std::collections::{BTreeMap, BTreeSet};

use planfuzz_pipelines::expression::{Changed, Cond, Expr, Operation, Ref, Source};
use planfuzz_pipelines::rules::CustomizeOp;
use planfuzz_pipelines::sdk::Kind;

use super::Crash;
use super::diff::{Differ, Entries, New, kept};
use super::field_value::FieldValue;
use super::level::{Changes, Level, Levels, Seen, State, stored, top, write};
use super::plan::Planning;
use super::put_in::held;
use super::spec::{Places, Spec, Step, field_of, names, type_of};
use super::trie::{Texts, parts};
use crate::model::{HasChanged, Scene};
use crate::value::{Ty, Val};

/// The value that was set for a key (Z71).
struct Kept {
    /// The value; the zero value if it is unknown.
    texts: Texts,
    /// Whether it was ever set as unknown.
    is_unknown: bool,
}

/// The result of the operations so far.
pub struct Customising<'a> {
    planning: &'a Planning<'a>,
    diff: Entries,
    kept: BTreeMap<String, Kept>,
    forced: Places,
    again: BTreeSet<String>,
}

/// The values that were set, as a level.
struct Set<'a>(&'a BTreeMap<String, Kept>);

impl Level for Set<'_> {
    fn read(&self, address: &[Step], spec: Spec<'_>) -> Result<Seen, Crash> {
        let Some((Step::Name(name), rest)) = address.split_first() else { return Ok(Seen::default()) };
        let Some(kept) = self.0.get(name) else { return Ok(Seen::default()) };
        let seen = stored(spec, kept.texts.at(&super::spec::flat(rest)))?;
        Ok(if kept.is_unknown && rest.is_empty() { Seen { exists: true, computed: true, ..seen } } else { seen })
    }

    fn count(&self, _: &[Step]) -> Result<Seen, Crash> {
        Ok(Seen::default())
    }
}

impl<'a> Customising<'a> {
    /// Begins with the diff of the fields.
    pub fn new(planning: &'a Planning<'a>, diff: Entries) -> Customising<'a> {
        let (kept, forced, again) = (BTreeMap::new(), Places::new(), BTreeSet::new());
        Customising { planning, diff, kept, forced, again }
    }

    /// Runs all operations.
    pub fn run(&mut self, ops: &[CustomizeOp]) -> Result<(), Crash> {
        ops.iter().try_for_each(|op| self.op(op))
    }

    fn op(&mut self, op: &CustomizeOp) -> Result<(), Crash> {
        match op {
            CustomizeOp::When(cond, op) => {
                if self.asks(plans(cond), |scene| scene.holds(cond))? == Some(true) {
                    self.op(op)
                } else {
                    Ok(())
                }
            }
            CustomizeOp::ErrorIf(cond) => match self.asks(plans(cond), |scene| scene.holds(cond))? {
                Some(true) => Err(Crash),
                _ => Ok(()),
            },
            CustomizeOp::SetNew(key, expr) => {
                let kind = self.computed_field(key)?;
                let ty = type_of(&kind);
                let value = self.asks(takes_plan(expr), |scene| scene.of_type(expr, &ty))?;
                self.set(key, &kind, value.is_wholly_known().then_some(value))
            }
            CustomizeOp::SetNewComputed(key) => {
                let kind = self.computed_field(key)?;
                self.set(key, &kind, None)
            }
            CustomizeOp::Clear(key) => {
                let key = parts(key);
                let (_, field) = field_of(self.planning.fields, &key).ok_or(Crash)?;
                if !field.computed {
                    return Err(Crash);
                }
                self.diff.clear(&key);
                Ok(())
            }
            CustomizeOp::ForceNew(key) => {
                let key = parts(key);
                let (address, field) = field_of(self.planning.fields, &key).ok_or(Crash)?;
                if !self.has_changed(&address, Spec::field(field))? {
                    return Err(Crash);
                }
                self.forced.insert(names(&address));
                self.again.insert(key[0].clone());
                Ok(())
            }
        }
    }

    fn computed_field(&self, key: &str) -> Result<Kind, Crash> {
        let field = self.planning.fields.get(key).ok_or(Crash)?;
        if field.computed { Ok(field.kind.clone()) } else { Err(Crash) }
    }

    fn set(&mut self, key: &str, kind: &Kind, value: Option<Val>) -> Result<(), Crash> {
        self.diff.clear(&[key]);
        self.again.insert(key.to_owned());
        let field = self.planning.fields.get(key).ok_or(Crash)?;
        let is_unknown = value.is_none() || self.kept.get(key).is_some_and(|kept| kept.is_unknown);
        let value = value.map_or_else(|| Ok(FieldValue::zero(kind)), |value| held(kind, &value))?;
        let mut texts = Texts::default();
        write(&mut texts, Spec::field(field), &value);
        self.kept.insert(key.to_owned(), Kept { texts, is_unknown });
        Ok(())
    }

    /// Whether the state's value differs from the value that is planned so far (Z71).
    fn has_changed(&self, address: &[Step], spec: Spec<'_>) -> Result<bool, Crash> {
        let zero = || match spec {
            Spec::One(of) => FieldValue::zero(of.kind),
            Spec::Object(_) => FieldValue::List(Vec::new()),
        };
        let state = State(self.planning.state);
        let old = state.read(address, spec)?.existing().unwrap_or_else(zero);
        let set = Set(&self.kept);
        let has_kept = matches!(address.first(), Some(Step::Name(name)) if self.kept.contains_key(name));
        let new = if has_kept { set.read(address, spec)? } else { self.merged(|merged| merged.read(address, spec))? };
        Ok(!new.existing().unwrap_or_else(zero).is_same(&old))
    }

    fn merged<T>(&self, ask: impl FnOnce(&dyn Level) -> T) -> T {
        let state = State(self.planning.state);
        let below = Levels(vec![&state, self.planning.config]);
        let changes = Changes { entries: &self.diff, below: &below, is_stored: false };
        ask(&Levels(vec![&state, self.planning.config, &changes]))
    }

    /// Evaluates a condition or an expression. The planned object is built only for those that use it, since building it can fail.
    fn asks<T>(&self, for_plan: bool, ask: impl FnOnce(&Scene<'_>) -> T) -> Result<T, Crash> {
        let nothing = Val::null(Ty::Dynamic);
        let Planning { prior, configured, fields, .. } = self.planning;
        let plan = if for_plan { self.planning.object(&self.finished()?)? } else { nothing.clone() };
        let operation = match (prior.is_null(), configured.is_null()) {
            (true, _) => Operation::Create,
            (false, true) => Operation::Destroy,
            (false, false) => Operation::Update,
        };
        let changed: &HasChanged<'_> = &|name| {
            let field = fields.get(name)?;
            self.has_changed(&top(name), Spec::field(field)).ok()
        };
        let scene = Scene {
            this: [nothing.clone(), nothing.clone(), nothing],
            object: [(*configured).clone(), (*prior).clone(), plan.clone()],
            root: [configured, prior, &plan],
            operation,
            changed: Some(changed),
        };
        Ok(ask(&scene))
    }

    /// Z72: the diff with the set values and the forced fields, computed again.
    pub fn finished(&self) -> Result<Entries, Crash> {
        let mut diff = self.diff.clone();
        let set = Set(&self.kept);
        let state = State(self.planning.state);
        let below = Levels(vec![&state, self.planning.config]);
        for key in &self.again {
            let Some(field) = self.planning.fields.get(key) else { continue };
            let entries = self.merged(|merged| {
                let new =
                    if self.kept.contains_key(key) { New::Remembered(&set) } else { New::Merged(merged, &self.diff) };
                let differ = Differ {
                    old: &state,
                    new,
                    present: &below,
                    has_id: self.planning.has_id(),
                    has_functions: true,
                    forced: &self.forced,
                };
                differ.at(&top(key), Spec::field(field), false)
            })?;
            if !entries.is_empty() {
                diff.branch(key).overlay(entries);
            }
        }
        Ok(kept(&diff))
    }
}

/// Whether a condition uses the planned object.
fn plans(cond: &Cond) -> bool {
    let of = |of: &Ref| of.source() == Source::Plan;
    match cond {
        Cond::Bool(_) | Cond::Op(_) | Cond::Changed(Changed::Name(_)) => false,
        Cond::Changed(Changed::Ref(_)) => true,
        Cond::IsNull(reference) | Cond::IsUnknown(reference) | Cond::PartlyUnknown(reference) => of(reference),
        Cond::Eq(a, b) | Cond::Lt(a, b) | Cond::Same(_, a, b) => takes_plan(a) || takes_plan(b),
        Cond::Not(of) => plans(of),
        Cond::All(of) | Cond::Any(of) => of.iter().any(plans),
    }
}

/// Whether an expression uses the planned object.
fn takes_plan(expr: &Expr) -> bool {
    match expr {
        Expr::Null | Expr::Unknown | Expr::Const(_) => false,
        Expr::Ref(of) => of.source() == Source::Plan,
        Expr::Canon(_, of) | Expr::Length(of) => takes_plan(of),
        Expr::Concat(of) | Expr::Hash(of) => of.iter().any(takes_plan),
        Expr::Add(a, b) => takes_plan(a) || takes_plan(b),
        Expr::If(cond, a, b) => plans(cond) || takes_plan(a) || takes_plan(b),
    }
}
