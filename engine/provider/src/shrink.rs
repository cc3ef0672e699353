//! Minimizes a finding: leaves out every part of its run without which the same promise is still broken at the same place.
//!
//! Each attempt is a run played with a responder, so a finding of a live provider is minimized by asking that provider. The result breaks
//! the promise, since only attempts that break it are kept.

use std::time::Instant;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::schema::{Attribute, Block, Named, Nesting};
use planfuzz_core::value::{Text, Type, Value, ValueError, ValueRef};

use crate::hidden::Hidden;
use crate::judge::Breach;
use crate::script::{Act, Script};

/// Minimizes a script. `breaks` plays a script and returns whether it breaks the same promise at the same place.
pub fn shrink(script: &Script, dialect: Dialect, until: Instant, breaks: &mut dyn FnMut(&Script) -> bool) -> Script {
    let mut best = script.clone();
    loop {
        let mut is_smaller = false;
        for candidate in candidates(&best, dialect) {
            if Instant::now() >= until {
                return compact(best);
            }
            // Otherwise one step could bring back what another took away.
            if measure(&candidate) < measure(&best) && breaks(&candidate) {
                best = candidate;
                is_smaller = true;
                break;
            }
        }
        if !is_smaller {
            return compact(best);
        }
    }
}

/// The size of a script: earlier components count more.
fn measure(script: &Script) -> (usize, usize, usize, usize, usize) {
    let hidden = |act: &Act| match act {
        Act::Open(_, hidden) => hidden.paths.len() + usize::from(hidden.refined),
        _ => 0,
    };
    let mut used: Vec<usize> = script.acts.iter().filter_map(Act::config).collect();
    used.sort_unstable();
    used.dedup();
    let configs: Vec<&Value> = used.iter().filter_map(|index| script.configs.get(*index)).collect();
    let set: usize = configs.iter().map(|config| values(config.view())).sum();
    let text: usize = configs.iter().map(|config| config.view().to_json_text(config.ty()).len()).sum();
    let apart = configs.windows(2).map(|pair| {
        let (a, b) = (pair[0].view(), pair[1].view());
        a.children().zip(b.children()).filter(|((_, a), (_, b))| a.to_value() != b.to_value()).count()
    });
    (script.acts.len(), script.acts.iter().map(hidden).sum(), set, text, apart.sum())
}

/// The number of values that are set.
fn values(value: ValueRef<'_>) -> usize {
    if !value.is_present() {
        return 0;
    }
    let inside: usize = value.children().map(|(_, child)| values(child)).sum();
    // An object or an empty collection does not count by itself.
    let is_frame = matches!(value.ty(), Type::Object(_)) || (value.ty().is_collection() && value.is_empty());
    inside + usize::from(!is_frame)
}

/// The script without unused configurations.
fn compact(script: Script) -> Script {
    let mut configs = Vec::new();
    let mut numbers = vec![None; script.configs.len()];
    let mut number = |index: usize| -> usize {
        *numbers[index].get_or_insert_with(|| {
            configs.push(script.configs[index].clone());
            configs.len() - 1
        })
    };
    let acts = script.acts.iter().map(|act| match act {
        Act::Open(config, hidden) => Act::Open(number(*config), hidden.clone()),
        Act::Plan(config) => Act::Plan(number(*config)),
        Act::Apply(config) => Act::Apply(number(*config)),
        Act::Replace(config) => Act::Replace(number(*config)),
        Act::Import(config) => Act::Import(number(*config)),
        Act::ImportIdentity(config) => Act::ImportIdentity(number(*config)),
        Act::Settle | Act::Refresh | Act::PlanDestroy | Act::Destroy => act.clone(),
    });
    let acts = acts.collect();
    Script { configs, acts, ..script }
}

/// Whether these breaches include the wanted one.
pub fn has(breaches: &[Breach], wanted: &Breach) -> bool {
    breaches
        .iter()
        .any(|it| it.promise == wanted.promise && it.place == wanted.place && it.tolerated == wanted.tolerated)
}

/// Smaller scripts, the largest steps first.
fn candidates(script: &Script, dialect: Dialect) -> Vec<Script> {
    let mut smaller = Vec::new();
    let acts = script.acts.len();
    // First only the first half.
    if acts > 3 {
        smaller.push(Script { acts: script.acts[..acts / 2].to_vec(), ..script.clone() });
    }
    for index in (0..acts).rev() {
        let mut fewer = script.clone();
        fewer.acts.remove(index);
        if !fewer.acts.is_empty() {
            smaller.push(fewer);
        }
    }
    for (index, act) in script.acts.iter().enumerate() {
        if let Act::Open(config, hidden) = act {
            let mut push = |fewer: Hidden| {
                let mut less = script.clone();
                less.acts[index] = Act::Open(*config, fewer);
                smaller.push(less);
            };
            for at in 0..hidden.paths.len().min(8) {
                let mut fewer = hidden.clone();
                fewer.paths.remove(at);
                if !fewer.paths.is_empty() {
                    push(fewer);
                }
            }
            if hidden.refined {
                push(Hidden { refined: false, ..hidden.clone() });
            }
        }
    }
    for (index, config) in script.configs.iter().enumerate() {
        if !script.acts.iter().any(|act| act.config() == Some(index)) {
            continue;
        }
        // Two configurations with fewer differences show more.
        for other in script.configs.iter().enumerate().filter(|(other, _)| *other < index) {
            if other.1 != config {
                smaller.extend(
                    nearer(&script.schema.block, config, other.1).into_iter().map(|it| with(script, index, it)),
                );
            }
        }
        let plainer = Reducer { dialect }.block(&script.schema.block, config.view());
        smaller.extend(plainer.into_iter().map(|it| with(script, index, it)));
    }
    smaller
}

fn with(script: &Script, index: usize, config: Value) -> Script {
    let mut other = script.clone();
    other.configs[index] = config;
    other
}

/// The configuration with one member of the other one.
fn nearer(block: &Block, config: &Value, other: &Value) -> Vec<Value> {
    let names = block.attributes.iter().map(|(name, _)| name).chain(block.block_types.iter().map(|(name, _)| name));
    let taken = names.filter_map(|name| {
        let (own, new) = (config.view().member(name)?, other.view().member(name)?);
        (own.to_value() != new.to_value()).then(|| replaced(config.view(), name, new.to_value()))
    });
    taken.collect()
}

fn replaced(of: ValueRef<'_>, name: &Text, value: Value) -> Value {
    let members =
        of.entries().map(|(own, member)| (own.clone(), if own == name { value.clone() } else { member.to_value() }));
    Value::object(members.collect())
}

/// Simpler values in place of one, each by one step.
struct Reducer {
    dialect: Dialect,
}

impl Reducer {
    fn block(&self, block: &Block, value: ValueRef<'_>) -> Vec<Value> {
        let mut plainer = self.attributes(&block.attributes, value);
        for (name, nested) in block.block_types.iter() {
            let Some(member) = value.member(name).filter(|member| member.is_present()) else { continue };
            let least = usize::try_from(nested.min_items).unwrap_or_default();
            let inner = |element: ValueRef<'_>| self.block(&nested.block, element);
            let found = match nested.nesting {
                Nesting::Group => inner(member),
                Nesting::Single if least == 0 => {
                    let null = Value::null(nested.implied_type(self.dialect));
                    std::iter::once(null).chain(inner(member)).collect()
                }
                Nesting::Single => inner(member),
                _ => elements(member, least, &inner),
            };
            plainer.extend(found.into_iter().map(|it| replaced(value, name, it)));
        }
        plainer
    }

    fn attributes(&self, of: &Named<Attribute>, value: ValueRef<'_>) -> Vec<Value> {
        let mut plainer = Vec::new();
        for (name, attribute) in of.iter() {
            let Some(member) = value.member(name).filter(|member| !member.is_null()) else { continue };
            let mut found = Vec::new();
            if !attribute.required {
                found.push(Value::null(attribute.implied_type(self.dialect)));
            }
            match attribute.nested_type() {
                None => found.extend(plainer_leaf(member)),
                Some(nested) if nested.nesting == Nesting::Single => {
                    found.extend(self.attributes(&nested.attributes, member));
                }
                Some(nested) => found.extend(elements(member, 0, &|it| self.attributes(&nested.attributes, it))),
            }
            plainer.extend(found.into_iter().map(|it| replaced(value, name, it)));
        }
        plainer
    }
}

/// The collection with one element less, or with a simpler one.
fn elements(value: ValueRef<'_>, least: usize, inner: &dyn Fn(ValueRef<'_>) -> Vec<Value>) -> Vec<Value> {
    let parts: Vec<(Option<Text>, Value)> = match value.ty() {
        Type::Map(_) | Type::Object(_) => value.entries().map(|(key, it)| (Some(key.clone()), it.to_value())).collect(),
        _ => value.children().map(|(_, it)| (None, it.to_value())).collect(),
    };
    let mut plainer = Vec::new();
    if parts.len() > least {
        for index in 0..parts.len() {
            let mut fewer = parts.clone();
            fewer.remove(index);
            plainer.extend(collected(value.ty(), fewer));
        }
    }
    for index in 0..parts.len() {
        for it in inner(parts[index].1.view()) {
            let mut other = parts.clone();
            other[index].1 = it;
            plainer.extend(collected(value.ty(), other));
        }
    }
    plainer
}

fn collected(ty: &Type, parts: Vec<(Option<Text>, Value)>) -> Option<Value> {
    let keyed = |parts: Vec<(Option<Text>, Value)>| {
        parts.into_iter().map(|(key, it)| (key.unwrap_or_else(|| Text::new("")), it)).collect::<Vec<_>>()
    };
    let values = |parts: Vec<(Option<Text>, Value)>| parts.into_iter().map(|(_, it)| it).collect::<Vec<_>>();
    let made: Result<Value, ValueError> = match ty {
        Type::List(element) => Value::list(element, values(parts)),
        Type::Set(element) => Value::set(element, values(parts)),
        Type::Map(element) => Value::map(element, keyed(parts)),
        Type::Object(_) => Ok(Value::object(keyed(parts))),
        _ => Ok(Value::tuple(values(parts))),
    };
    made.ok()
}

/// Simpler values of a leaf.
fn plainer_leaf(value: ValueRef<'_>) -> Vec<Value> {
    let mut plainer: Vec<Value> = match value.ty() {
        Type::Bool => [false].into_iter().map(Value::bool).collect(),
        Type::Number => [0i64, 1].into_iter().map(Value::number).collect(),
        Type::String => ["", "a"].into_iter().map(Value::string).collect(),
        Type::List(_) | Type::Set(_) | Type::Map(_) => elements(value, 0, &plainer_leaf),
        Type::Object(_) if value.is_present() => {
            let members = value
                .entries()
                .flat_map(|(name, member)| plainer_leaf(member).into_iter().map(move |it| replaced(value, name, it)));
            members.collect()
        }
        _ => Vec::new(),
    };
    // Only values before this one in the list are simpler.
    let own = value.to_value();
    if let Some(at) = plainer.iter().position(|it| *it == own) {
        plainer.truncate(at);
    }
    plainer
}
