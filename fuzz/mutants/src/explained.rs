//! Explained survivors: why each survives.

use anyhow::{Context as _, Result, bail};
use regex::Regex;

use crate::list::Mutant;

/// Why mutants survive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// The answers are the same for all inputs that can occur.
    Equivalent,
    /// The answers are the same, and take another time.
    Cost,
    /// Only words for people are different.
    Text,
    /// The answers are different, and nothing sees it yet.
    Gap,
}

impl Class {
    fn from_name(name: &str) -> Result<Class> {
        Ok(match name {
            "equivalent" => Class::Equivalent,
            "cost" => Class::Cost,
            "text" => Class::Text,
            "gap" => Class::Gap,
            other => bail!("expected equivalent, cost, text or gap, found {other}"),
        })
    }

    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Class::Equivalent => "equivalent",
            Class::Cost => "cost",
            Class::Text => "text",
            Class::Gap => "gap",
        }
    }
}

/// An explanation of all mutants whose names match its pattern.
pub struct Explanation {
    names: Regex,
    /// The kind of the reason.
    pub class: Class,
    /// The reason, a sentence.
    pub why: String,
}

/// Explanations, in their order: the first that matches counts.
pub struct Explained(Vec<Explanation>);

impl Explained {
    /// Reads lines of a pattern, a class and a reason, separated by tabs. Lines that begin with `#` are comments.
    ///
    /// # Errors
    /// A line in another form, with its number.
    pub fn read(text: &str) -> Result<Explained> {
        let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
        let read = lines.map(|(number, line)| explanation(line).with_context(|| format!("line {number}")));
        Ok(Explained(read.collect::<Result<_>>()?))
    }

    /// Why a mutant survives, if it is explained.
    pub fn of(&self, mutant: &Mutant) -> Option<&Explanation> {
        let name = mutant.lasting_name();
        self.0.iter().find(|explanation| explanation.names.is_match(&name))
    }

    /// The patterns of explanations that match none of the survivors, but one of the others.
    pub fn idle<'a>(&'a self, survivors: &[&Mutant], others: &[&Mutant]) -> Vec<&'a str> {
        let fits = |explanation: &Explanation, mutants: &[&Mutant]| {
            mutants.iter().any(|mutant| explanation.names.is_match(&mutant.lasting_name()))
        };
        let idle = self.0.iter().filter(|one| !fits(one, survivors) && fits(one, others));
        idle.map(|explanation| explanation.names.as_str()).collect()
    }
}

fn explanation(line: &str) -> Result<Explanation> {
    let parts: Vec<&str> = line.split('\t').collect();
    let [names, class, why] = parts[..] else {
        bail!("expected a pattern, a class and a reason, with tabs between them")
    };
    Ok(Explanation {
        names: Regex::new(&format!("^(?:{names})$"))?,
        class: Class::from_name(class)?,
        why: why.to_owned(),
    })
}
