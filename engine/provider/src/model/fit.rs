//! Infers from plans what the schema does not contain.
//!
//! The fields begin as the schema alone gives them. Where the model plans something else than the provider did, each possible property of a
//! field there is tried, and the one that leaves the fewest differences is kept, until none leaves fewer.

use std::collections::{BTreeMap, BTreeSet};

use planfuzz_core::value::{Step, Value};
use planfuzz_pipelines::sdk::Schema;

use super::fields::{around, get, inner};
use super::guess::Guess;
use super::places::{Names, differences};
use super::sample::Sample;
use super::trials::{Trial, trials};

/// Plans that a trial is run on: so many that differ there, and so many others.
const MOST_PLANS: usize = 24;

/// An inferred property, and its field.
#[derive(Clone, Debug)]
pub struct Inferred {
    /// The names that lead to the field.
    pub field: String,
    /// The inferred property: its kind, and its text.
    pub what: (&'static str, String),
}

/// A schema with what was inferred.
pub struct Fitted {
    /// The schema.
    pub guess: Guess,
    /// What was inferred, the last value of each property of a field.
    pub inferred: Vec<Inferred>,
}

/// Infers from plans what a schema does not contain.
pub fn fit(schema: Schema, samples: &[&Sample]) -> Fitted {
    /// More properties than any provider hides in a type.
    const MOST_STEPS: usize = 400;
    let mut best = Guess { schema, unordered: BTreeSet::new() };
    let mut inferred: BTreeMap<(String, &'static str), String> = BTreeMap::new();
    let mut given_up: BTreeSet<Names> = BTreeSet::new();
    let mut apart_in_all = distance(&best, samples);
    for _ in 0..MOST_STEPS {
        let open = open(&best, samples);
        let Some((place, apart)) = open.iter().find(|(place, _)| !given_up.contains(*place)) else { break };
        let step = step(&best, samples, place, apart);
        // A property that helps some plans and harms others explains nothing, and could be set and unset forever.
        let step = step.map(|it| (distance(&it.0, samples), it)).filter(|(distance, _)| *distance < apart_in_all);
        match step {
            Some((distance, (guess, field, trial))) => {
                (best, apart_in_all) = (guess, distance);
                inferred.insert((field.join("."), trial.name()), trial.text());
                // A place without an explanation may have one now.
                given_up.retain(|it| it.first() != place.first());
            }
            None => drop(given_up.insert(place.clone())),
        }
    }
    let inferred = inferred.into_iter().map(|((field, name), text)| Inferred { field, what: (name, text) });
    Fitted { guess: best, inferred: inferred.collect() }
}

/// The places where the model differs, with the plans that differ there.
fn open(guess: &Guess, samples: &[&Sample]) -> BTreeMap<Names, Vec<usize>> {
    let compiled = guess.compiled();
    let mut places: BTreeMap<Names, Vec<usize>> = BTreeMap::new();
    for (index, sample) in samples.iter().enumerate() {
        let Ok(modelled) = compiled.plan(sample) else { continue };
        let found: BTreeSet<Names> = differences(sample, &modelled).into_iter().collect();
        found.into_iter().for_each(|place| places.entry(place).or_default().push(index));
    }
    places
}

/// The property that explains most of the differences at a place.
fn step(guess: &Guess, samples: &[&Sample], place: &Names, apart: &[usize]) -> Option<(Guess, Names, Trial)> {
    let others = (0..samples.len()).filter(|index| !apart.contains(index));
    let chosen: Vec<&Sample> =
        spread(apart.iter().copied()).into_iter().chain(spread(others)).map(|index| samples[index]).collect();
    // Suppressing a whole block explains too much: it is tried only if no other property helps.
    let right = right(guess, samples);
    [false, true].into_iter().find_map(|of_blocks| best(guess, &chosen, &right, place, of_blocks))
}

/// The trial that leaves the fewest differences: of suppression for fields that hold fields, or of everything else.
fn best(
    guess: &Guess,
    chosen: &[&Sample],
    right: &[&Sample],
    place: &Names,
    of_blocks: bool,
) -> Option<(Guess, Names, Trial)> {
    let planned: Vec<Value> = chosen.iter().flat_map(|sample| at(&sample.planned, place)).collect();
    let mut best = (distance(guess, chosen), None);
    for names in around(&guess.schema, place) {
        let Some(field) = get(&guess.schema, &names) else { continue };
        let own = if names == *place { distinct(&planned) } else { distinct(&all_at(chosen, &names)) };
        let is_of_block = |trial: &Trial| trial.is_suppression() && inner(field).is_some();
        for trial in trials(field, &own).into_iter().filter(|trial| is_of_block(trial) == of_blocks) {
            let changed = guess.with(&names, &trial);
            // A suppressed change never counted before: suppression must not make a correct plan wrong.
            let is_excluded = || trial.is_suppression() && distance(&changed, right) > 0;
            let distance = distance(&changed, chosen);
            if distance < best.0 && !is_excluded() {
                best = (distance, Some((changed, names.clone(), trial)));
            }
        }
    }
    best.1
}

/// The plans that equal the model's.
fn right<'s>(guess: &Guess, samples: &[&'s Sample]) -> Vec<&'s Sample> {
    let compiled = guess.compiled();
    let is_right =
        |sample: &&&Sample| compiled.plan(sample).is_ok_and(|modelled| differences(sample, &modelled).is_empty());
    samples.iter().filter(is_right).copied().collect()
}

fn spread(of: impl Iterator<Item = usize>) -> Vec<usize> {
    let all: Vec<usize> = of.collect();
    let step = all.len().div_ceil(MOST_PLANS).max(1);
    all.into_iter().step_by(step).collect()
}

/// The number of differences; a plan that the model refuses counts more than any other.
fn distance(guess: &Guess, samples: &[&Sample]) -> usize {
    const REFUSED: usize = 1000;
    let compiled = guess.compiled();
    let of = |sample: &&Sample| compiled.plan(sample).map_or(REFUSED, |it| differences(sample, &it).len());
    samples.iter().map(of).sum()
}

fn all_at(samples: &[&Sample], names: &[String]) -> Vec<Value> {
    samples.iter().flat_map(|sample| at(&sample.planned, names)).collect()
}

/// The values that names lead to.
fn at(value: &Value, names: &[String]) -> Vec<Value> {
    let mut found = Vec::new();
    value.view().walk(&mut |path, part| {
        let way: Vec<String> = path.steps().into_iter().filter_map(attribute).collect();
        let is_on_way = names.starts_with(&way);
        let is_element = !matches!(path.steps().last(), Some(Step::Attribute(_)));
        if way == names && !is_element {
            found.push(part.to_value());
        }
        is_on_way && way.len() < names.len()
    });
    found
}

fn attribute(step: &Step) -> Option<String> {
    match step {
        Step::Attribute(name) => Some(name.to_string()),
        _ => None,
    }
}

fn distinct(values: &[Value]) -> Vec<Value> {
    /// A default is one value; many values are configured ones.
    const MOST: usize = 12;
    let mut kept: Vec<(Value, usize)> = Vec::new();
    for value in values.iter().filter(|value| value.view().is_present()) {
        match kept.iter_mut().find(|(it, _)| it == value) {
            Some((_, count)) => *count += 1,
            None => kept.push((value.clone(), 1)),
        }
    }
    kept.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    kept.into_iter().take(MOST).map(|(value, _)| value).collect()
}
