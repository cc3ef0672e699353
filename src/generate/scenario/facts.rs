//! The settings around a configuration: the `lifecycle` block, conditions, provisioners, other resources.

use planfuzz_core::address::ResourceKind;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{
    Dependency, IgnoreChanges, KeyKind, Lifecycle, Link, Orphan, PreventDestroy, Provisioner, Repetition, Trigger,
    TriggerChange,
};
use planfuzz_core::plans::{Action, Marked};
use planfuzz_core::value::{Path, PathSet, Text, Tri, Value, WrittenPath, WrittenStep};

use super::super::dice::Dice;
use super::super::value::ValueGenerator;
use super::places::Places;
use crate::generate::dice::weighted;

/// The facts that stay from step to step until something changes them.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    pub(super) lifecycle: Lifecycle,
    pub(super) preconditions: Vec<Tri>,
    pub(super) postconditions: Vec<Tri>,
    pub(super) provisioners: Vec<Provisioner>,
    pub(super) dependencies: Vec<Dependency>,
    pub(super) in_check: bool,
    pub(super) sensitive: PathSet,
    pub(super) ephemeral: PathSet,
}

/// Addresses of other resources.
const ADDRESSES: [&str; 4] = ["test_a.a", "test_b.b", "data.test_c.c", "module.m.test_d.d"];

impl Facts {
    /// Facts for a scenario: each of them is plain most of the time.
    pub(super) fn draw(
        values: &mut ValueGenerator<'_, '_, '_>,
        kind: ResourceKind,
        dialect: Dialect,
        places: &Places<'_>,
    ) -> Facts {
        let mut facts = Facts::default();
        if kind == ResourceKind::Managed {
            facts.lifecycle = lifecycle(values, dialect, places);
            facts.provisioners = (0..values.dice.run(20, 2)).map(|_| provisioner(values.dice)).collect();
        }
        facts.in_check = kind == ResourceKind::Data && values.dice.chance(64);
        facts.preconditions = conditions(values.dice, 24);
        facts.postconditions = conditions(values.dice, 24);
        facts.dependencies = dependencies(values.dice, if kind == ResourceKind::Data { 150 } else { 56 });
        if values.dice.chance(40) {
            facts.sensitive = (0..=values.dice.below(2)).map(|_| places.value(values, 48)).collect();
        }
        if values.dice.chance(16) {
            facts.ephemeral = places.ephemeral(values).into_iter().collect();
        }
        facts
    }

    /// The facts at the time of the apply, without unknown conditions.
    pub(super) fn resolved(&self, dice: &mut Dice<'_, '_>) -> Facts {
        let mut facts = self.clone();
        for condition in facts.preconditions.iter_mut().chain(&mut facts.postconditions) {
            if *condition == Tri::Unknown {
                *condition = if dice.chance(64) { Tri::False } else { Tri::True };
            }
        }
        facts
    }

    /// Whether a condition is unknown.
    pub(super) fn is_open(&self) -> bool {
        self.preconditions.iter().chain(&self.postconditions).any(|condition| *condition == Tri::Unknown)
    }
}

fn lifecycle(values: &mut ValueGenerator<'_, '_, '_>, dialect: Dialect, places: &Places<'_>) -> Lifecycle {
    let create_before_destroy = values.dice.chance(56);
    let forced_create_before_destroy = values.dice.chance(16);
    Lifecycle {
        create_before_destroy,
        forced_create_before_destroy,
        prevent_destroy: prevent_destroy(values.dice, dialect, 14),
        ignore_changes: weighted! { values.dice;
            200 => IgnoreChanges::default(),
            44 => IgnoreChanges::Some(ignored(values, places)),
            12 => IgnoreChanges::All,
        },
        replace_triggered_by: Vec::new(),
        keep_on_destroy: dialect.can_keep_on_destroy() && values.dice.chance(24),
    }
}

/// Entries of `ignore_changes`. A key now and then comes with the whole map, before or after it (L68), or with another key of it (L69).
fn ignored(values: &mut ValueGenerator<'_, '_, '_>, places: &Places<'_>) -> Vec<WrittenPath> {
    let mut entries: Vec<WrittenPath> = (0..=values.dice.below(2)).map(|_| places.ignored(values)).collect();
    let keyed = |entry: &WrittenPath| matches!(entry.steps(), [_, .., WrittenStep::Key(_)]);
    let Some(at) = entries.iter().position(keyed) else { return entries };
    let (_, outer) = entries[at].steps().split_last().expect("it ends with a key");
    let outer: Vec<WrittenStep> = outer.to_vec();
    if values.dice.chance(40) {
        entries.insert(at + values.dice.below(2), outer.iter().cloned().collect());
    }
    if values.dice.chance(64) {
        let beside = WrittenStep::Key(values.pools.keys[values.dice.below(3)].clone());
        entries.push(outer.into_iter().chain([beside]).collect());
    }
    entries
}

/// `prevent_destroy`; invalid only as an expression (L111).
pub(super) fn prevent_destroy(dice: &mut Dice<'_, '_>, dialect: Dialect, share: u8) -> PreventDestroy {
    match dice.chance(share) {
        false => PreventDestroy::No,
        true if dialect.evaluates_prevent_destroy() && dice.chance(64) => PreventDestroy::Bad,
        true => PreventDestroy::Yes,
    }
}

fn conditions(dice: &mut Dice<'_, '_>, share: u8) -> Vec<Tri> {
    let count = dice.run(share, 3);
    let condition = |_| {
        weighted! { dice;
            5 => Tri::True,
            3 => Tri::Unknown,
            1 => Tri::False,
        }
    };
    (0..count).map(condition).collect()
}

fn provisioner(dice: &mut Dice<'_, '_>) -> Provisioner {
    Provisioner { on_destroy: dice.chance(96), fails: dice.chance(96), on_failure_continue: dice.chance(64) }
}

/// Other resources that this one depends on, with the actions planned for them.
pub(super) fn dependencies(dice: &mut Dice<'_, '_>, share: u8) -> Vec<Dependency> {
    let count = dice.run(share, ADDRESSES.len());
    let start = dice.below(ADDRESSES.len());
    let dependency = |index: usize| {
        let address = ADDRESSES[(start + index) % ADDRESSES.len()];
        let kind = if address.starts_with("data.") { ResourceKind::Data } else { ResourceKind::Managed };
        let link = [Link::Reference, Link::DependsOn, Link::Transitive][dice.below(3)];
        let actions = (0..dice.below(3)).map(|_| pending(dice)).collect();
        Dependency { address: Text::new(address), kind, link, actions }
    };
    (0..count).map(dependency).collect()
}

/// The action planned for another resource.
fn pending(dice: &mut Dice<'_, '_>) -> Action {
    weighted! { dice;
        6 => Action::NoOp,
        2 => Action::Update,
        1 => Action::Create,
        1 => Action::Read,
        1 => Action::DeleteThenCreate,
        1 => Action::Delete,
    }
}

/// The addresses that a stored object depends on: sorted (A14).
pub(super) fn stored_dependencies(dice: &mut Dice<'_, '_>) -> Vec<Text> {
    let mut addresses: Vec<Text> = ADDRESSES.iter().filter(|_| dice.chance(40)).map(|text| Text::new(text)).collect();
    addresses.sort_unstable();
    addresses
}

/// An entry of `replace_triggered_by` (section 11).
pub(super) fn trigger(values: &mut ValueGenerator<'_, '_, '_>) -> Trigger {
    let count = match values.dice.below(16) {
        15 => 0,
        12..=14 => 2,
        _ => 1,
    };
    let changes: Vec<TriggerChange> = (0..count)
        .map(|_| {
            let action = weighted! { values.dice;
                10 => Action::Update,
                3 => Action::NoOp,
                4 => Action::DeleteThenCreate,
                3 => Action::CreateThenDelete,
                3 => Action::Create,
                1 => Action::Delete,
                1 => Action::Read,
                2 => Action::ForgetThenCreate,
                1 => Action::Forget,
            };
            let before = other_object(values);
            let after = weighted! { values.dice;
                72 => before.clone(),
                48 => remarked(&before),
                136 => other_object(values),
            };
            let null = || Marked::null(before.value().ty().clone());
            match action {
                Action::Create => TriggerChange { action, before: null(), after },
                Action::Delete | Action::Forget => TriggerChange { action, after: null(), before },
                _ => TriggerChange { action, before, after },
            }
        })
        .collect();
    let names = [".a", ".b", ".l[0]", ".l[1]", ".c"];
    let attribute = (count == 1 && values.dice.chance(112)).then(|| *values.dice.pick(&names));
    Trigger { changes, attribute: attribute.and_then(|text| WrittenPath::parse(text).ok()) }
}

/// The object of another resource.
fn other_object(values: &mut ValueGenerator<'_, '_, '_>) -> Marked {
    let text = |values: &mut ValueGenerator<'_, '_, '_>| match values.dice.chance(48) {
        true => Value::unknown(planfuzz_core::value::Type::String),
        false => Value::string(&values.text()),
    };
    let list = (0..values.dice.below(3)).map(|_| text(values)).collect();
    let members = [("a", text(values)), ("b", text(values)), ("l", Value::tuple(list))];
    let object = Value::object(members.map(|(name, value)| (Text::new(name), value)).to_vec());
    let sensitive = values.dice.chance(40).then(|| member("a"));
    Marked::new(object, &sensitive.into_iter().collect())
}

/// The same object, marked sensitive where it was not.
fn remarked(object: &Marked) -> Marked {
    let sensitive = ["a", "b"].map(member).into_iter().filter(|path| !object.sensitive().contains(path));
    Marked::new(object.value().clone(), &sensitive.collect())
}

fn member(name: &str) -> WrittenPath {
    WrittenPath::from(&Path::root().attribute(&Text::new(name)))
}

/// Why an instance is not configured (L127): each of its reasons, mostly.
pub(super) fn orphan(dice: &mut Dice<'_, '_>, dialect: Dialect) -> Orphan {
    let plain = Orphan { block: true, module: true, ..Orphan::default() };
    let mut orphan = match dice.below(10) {
        0 | 1 => Orphan { module: true, ..Orphan::default() },
        2 => Orphan { module: false, ..plain },
        3 => Orphan { repetition: Repetition::Count, ..plain },
        4 => Orphan { key: KeyKind::Index, repetition: Repetition::Count, ..plain },
        5 => Orphan { key: KeyKind::Text, repetition: Repetition::ForEach, ..plain },
        6 => Orphan { key: KeyKind::Index, repetition: Repetition::ForEach, ..plain },
        7 => Orphan { key: KeyKind::Text, repetition: Repetition::Count, ..plain },
        8 if dialect.has_enabled() => Orphan { repetition: Repetition::Enabled, ..plain },
        8 => Orphan { key: KeyKind::Index, repetition: Repetition::Single, ..plain },
        _ => Orphan { declared: true, ..plain },
    };
    if orphan.block {
        orphan.prevent_destroy = prevent_destroy(dice, dialect, 20);
        orphan.keep_on_destroy = dialect.can_keep_on_destroy() && dice.chance(40);
        orphan.declared |= dice.chance(20);
    }
    orphan
}
