//! Mutation testing of the planners and the rules, with the campaign as the test.
//!
//! cargo-mutants lists the mutants. It compiles and tests one at a time, which takes days here; so all of them are compiled into one
//! program, and switched on one at a time: some hours on two cores. Each is tried on generated cases, with comparison, rules and
//! properties, and then with the unit tests. A survivor calls for a generator feature, a rule, or an explanation.

mod explained;
mod list;
mod run;
mod switch;
mod tree;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, Result, ensure};
use clap::Parser;

use explained::{Class, Explained};
use list::Mutant;
use run::{Hunt, Outcome};
use tree::Tree;

/// Puts every mutant of the planners and rules to the campaign.
#[derive(Parser)]
struct Options {
    /// Where the copy of the project, builds and results go.
    #[arg(long, default_value = "target/mutants")]
    work: PathBuf,
    /// Only every N-th mutant, beginning with the K-th (from 1).
    #[arg(long, value_name = "K/N", default_value = "1/1")]
    shard: String,
    /// Only mutants of parts whose name begins like this: reference, optimized, rules, or workspace for those of workspaces.
    #[arg(long, value_name = "NAME", default_value = "")]
    part: String,
    /// Processes at a time.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Processor seconds for each mutant and each pool of cases.
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    /// The survivors that are explained.
    #[arg(long, default_value = "fuzz/mutants/survivors.txt")]
    explained: PathBuf,
}

fn main() -> Result<()> {
    let options = Options::parse();
    let project = std::env::current_dir()?;
    ensure!(project.join("core/src/lib.rs").exists(), "expected to be started in the root of the project");
    fs::create_dir_all(&options.work)?;
    let work = options.work.canonicalize()?;
    let explained = fs::read_to_string(&options.explained).map_err(anyhow::Error::from);
    let explained = explained.and_then(|text| Explained::read(&text));
    let explained = explained.with_context(|| options.explained.display().to_string())?;
    let mutants = list::list(&project)?;
    let tree = Tree::copy(&project, work.join("tree"))?;
    let sorted = tree.switch(&mutants)?;
    let (first, step) = shard(&options.shard)?;
    let viable = mutants.iter().filter(|mutant| sorted.viable.contains(&mutant.id));
    let wanted = viable.filter(|mutant| mutant.part().starts_with(&options.part));
    let chosen: Vec<&Mutant> = wanted.skip(first - 1).step_by(step).collect();
    ensure!(!chosen.is_empty(), "no mutant of a part named {:?} in shard {}", options.part, options.shard);
    println!(
        "{} mutants: {} do not compile, {} cannot be switched, {} are put to the campaign",
        mutants.len(),
        sorted.unviable.len(),
        sorted.unswitchable.len(),
        chosen.len()
    );
    let hunt = Hunt { tree: &tree, work: work.clone(), jobs: options.jobs, seconds: options.seconds };
    let outcomes = hunt.all(&chosen)?;
    let record: String = chosen.iter().map(|mutant| line(mutant, &outcomes[&mutant.id], &explained)).collect();
    fs::write(work.join("mutants.jsonl"), record)?;
    let unexplained = report(&chosen, &outcomes, &explained);
    std::process::exit(i32::from(unexplained > 0));
}

fn shard(text: &str) -> Result<(usize, usize)> {
    let (first, step) = text.split_once('/').context("expected a shard like 1/8")?;
    let (first, step): (usize, usize) = (first.parse()?, step.parse()?);
    ensure!((1..=step).contains(&first), "expected a shard from 1/{step} to {step}/{step}, found {text}");
    Ok((first, step))
}

fn line(mutant: &Mutant, outcome: &Outcome, explained: &Explained) -> String {
    let explanation = explained.of(mutant).filter(|_| !outcome.killed);
    let line = serde_json::json!({
        "mutant": mutant.name, "part": mutant.part(), "killed": outcome.killed, "why": outcome.why,
        "class": explanation.map(|explanation| explanation.class.name()),
        "explained": explanation.map(|explanation| &explanation.why),
    });
    format!("{line}\n")
}

/// Prints the results; returns how many survivors are not explained.
fn report(mutants: &[&Mutant], outcomes: &BTreeMap<u32, Outcome>, explained: &Explained) -> usize {
    for (_, part, _) in tree::WRITINGS {
        print_part(part, mutants, outcomes, explained);
    }
    let (killed, survivors): (Vec<&Mutant>, Vec<&Mutant>) =
        mutants.iter().partition(|mutant| outcomes[&mutant.id].killed);
    let new: Vec<&&Mutant> = survivors.iter().filter(|mutant| explained.of(mutant).is_none()).collect();
    new.iter().for_each(|mutant| println!("not explained: {}: {}", mutant.name, outcomes[&mutant.id].why));
    explained.idle(&survivors, &killed).iter().for_each(|names| println!("explained, but killed: {names}"));
    new.len()
}

fn print_part(part: &str, mutants: &[&Mutant], outcomes: &BTreeMap<u32, Outcome>, explained: &Explained) {
    let of_part: Vec<&&Mutant> = mutants.iter().filter(|mutant| mutant.part() == part).collect();
    let by = |who: &str| {
        of_part.iter().filter(|mutant| outcomes[&mutant.id].killed && outcomes[&mutant.id].why.starts_with(who)).count()
    };
    let (campaign, tests) = (by("campaign"), by("test"));
    let killed = campaign + tests;
    let share = 100.0 * killed as f64 / of_part.len().max(1) as f64;
    println!(
        "{part}: {killed} of {} killed ({share:.1} %), {campaign} by the campaign, {tests} by tests alone",
        of_part.len()
    );
    let survivors = || of_part.iter().filter(|mutant| !outcomes[&mutant.id].killed);
    let classes = [Class::Equivalent, Class::Cost, Class::Text, Class::Gap].map(|class| {
        let count = survivors().filter(|mutant| explained.of(mutant).is_some_and(|one| one.class == class)).count();
        format!("{count} {}", class.name())
    });
    println!("  {} survive: {}", survivors().count(), classes.join(", "));
}
