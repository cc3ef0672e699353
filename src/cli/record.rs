//! `record`: cases put to one subject, and what it did written as vectors.

use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;

use super::args::{Dialects, RecordArgs, SubjectArgs};
use super::cases::{Cases, share};
use super::error::{CliError, Held};
use super::given::{Given, Kind, Sources};
use super::output::{self, DIM, NOTE, styled};
use super::progress::Bar;
use super::redact::{self, Redacted};
use super::{files, settings, subjects};
use crate::case::{Call, Case, CaseFile, Op, Task};
use crate::generate::Share;
use crate::record::{Entry, Participants, RecordError, Recording, ShelfError, Store, Tally, Watcher, walks_of};

/// How many cases are generated where nothing bounds them.
const DEFAULT_CASES: u64 = 1_000;

/// Runs the command.
///
/// # Errors
/// Bad options, files that cannot be read, subjects that do not start, vectors that cannot be written.
pub fn run(args: &RecordArgs) -> Result<Held, CliError> {
    let dialect = args.dialect.unwrap_or_default();
    if args.cases == Some(0) || args.time == Some(Duration::ZERO) {
        return Err(CliError::input("nothing was recorded: no case was asked for"));
    }
    settings::watch_interrupts()?;
    let spoiled = Mutex::new(None);
    let (mut store, mut apart) = (new_shelf()?, new_shelf()?);
    let mut watcher = Shown(Bar::new(args.paths.is_empty().then(|| count(args)).flatten(), args.time));
    let participants = || start(args, dialect).map_err(|problem| problem.to_string());
    let jobs = args.jobs.map_or_else(settings::cores, usize::from);
    let recording = Recording { participants: &participants, jobs, time: args.time };
    let tally = {
        let generated;
        let mut entries: Box<dyn Iterator<Item = Entry> + Send> = if args.paths.is_empty() {
            generated = Cases::generated(&args.generator, &[dialect], None, made_for(&args.ops))?;
            output::say(&styled(DIM, format!("seed {}: {}", generated.seed(), generated.describe())));
            Box::new(generated_entries(&generated, &args.ops, count(args)))
        } else {
            if let Some(dialect) = args.dialect {
                output::say(&styled(DIM, format!("{dialect} in place of the dialects of the cases")));
            }
            Box::new(saved_entries(args, &spoiled)?)
        };
        recording.run(&mut *entries, settings::interrupted(), (&mut store, &mut apart), &mut watcher)
    };
    watcher.0.finish();
    // A line that is no case ended the recording: that is what is to be told.
    if let Some(problem) = spoiled.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()) {
        return Err(problem);
    }
    let tally = tally.map_err(|problem| failed(&problem))?;
    finish(args, &tally, store, apart)
}

fn new_shelf() -> Result<Store, CliError> {
    Store::new().map_err(|problem| CliError::failed(problem.to_string()))
}

fn failed(problem: &RecordError) -> CliError {
    match problem {
        RecordError::Start(problem) => CliError::input(problem.clone()),
        RecordError::Trouble { .. } | RecordError::Store(_) => CliError::failed(problem.to_string()),
    }
}

/// How many cases are generated; nothing where only the time bounds them.
fn count(args: &RecordArgs) -> Option<u64> {
    args.cases.or(args.time.is_none().then_some(DEFAULT_CASES))
}

fn start(args: &RecordArgs, dialect: Dialect) -> Result<Participants, CliError> {
    let named = |names: &[String]| SubjectArgs {
        subjects: names.to_vec(),
        dialect: Some(Dialects::One(dialect)),
        ops: args.ops.clone(),
        answer_time: args.answer_time,
    };
    let subject = subjects::start(&named(std::slice::from_ref(&args.subject)), dialect)?.remove(0);
    let others = if args.against.is_empty() { Vec::new() } else { subjects::start(&named(&args.against), dialect)? };
    Ok(Participants { subject, others })
}

/// Generated cases, and single walks of generated scenarios where those are asked for.
fn generated_entries<'a>(cases: &Cases, ops: &'a [Op], count: Option<u64>) -> impl Iterator<Item = Entry> + Send + 'a {
    let stem = cases.stem();
    let mut reader = cases.numbered();
    let case = move |number| Some((format!("{stem}-{number}"), reader.as_mut()?.case(number)));
    (0..count.unwrap_or(u64::MAX)).map_while(case).flat_map(|(id, case)| entries_in(ops, id, case))
}

fn entries_in(ops: &[Op], id: String, case: Case) -> Vec<Entry> {
    let is_asked = |case: &Case| case.ops().iter().any(|op| ops.contains(op));
    let mut entries = Vec::new();
    if let Task::Call(Call::Scenario(scenario)) = &case.task
        && ops.iter().any(|op| is_walk(*op))
    {
        let walks = walks_of(scenario, case.dialect).into_iter().zip(1..);
        let entry = |(case, number): (Case, usize)| Entry { id: format!("{id}/walk-{number}"), case };
        entries.extend(walks.map(entry).filter(|entry| is_asked(&entry.case)));
    }
    if ops.is_empty() || is_asked(&case) {
        entries.push(Entry { id, case });
    }
    entries
}

/// Whether an operation is a single walk of a life.
fn is_walk(op: Op) -> bool {
    matches!(op, Op::PlanInstance | Op::ApplyInstance)
}

/// What is generated for the operations: single walks are those of scenarios.
fn made_for(ops: &[Op]) -> Share {
    let ops: Vec<Op> = ops.iter().map(|op| if is_walk(*op) { Op::Scenario } else { *op }).collect();
    share(&ops, Share::Planned)
}

/// The cases of files. The first that is none ends them.
fn saved_entries<'a>(
    args: &'a RecordArgs,
    spoiled: &'a Mutex<Option<CliError>>,
) -> Result<impl Iterator<Item = Entry> + Send + 'a, CliError> {
    let entries = Sources::of_both(&args.paths)?.documents().map(|given| entry_of(given, args));
    Ok(entries.map_while(move |entry| match entry {
        Ok(entry) => Some(entry),
        Err(problem) => {
            *spoiled.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(problem);
            None
        }
    }))
}

/// A case as it may be asked. Vectors are asked anew: what is in them was written before.
fn entry_of(given: Given, args: &RecordArgs) -> Result<Entry, CliError> {
    let (place, is_line) = (given.place.clone(), given.is_line);
    match given.read(args.dialect)? {
        Kind::Call(id, case) => Ok(Entry { id, case: *case }),
        Kind::Case(file) => Ok(Entry { id: id_of(&place, is_line), case: shown(&place, *file, args)? }),
        Kind::Codec(..) => {
            let message = format!("{}: expected a case, found a document for a reader of bytes", place.display());
            Err(CliError::input(message))
        }
    }
}

/// A vector's id after the place of its case: a file without its ending, or a line of one.
fn id_of(place: &Path, is_line: bool) -> String {
    let name = place.display().to_string();
    match name.rsplit_once(':') {
        Some((file, line)) if is_line => format!("{file}-{line}"),
        _ => place.with_extension("").display().to_string(),
    }
}

/// The case of a file as it may be written.
fn shown(path: &Path, file: CaseFile, args: &RecordArgs) -> Result<Case, CliError> {
    let Redacted { case, original } = redact::redacted(path, &file, args.show_sensitive)?;
    if original.is_some() {
        output::warn_once("sensitive values have placeholders; --show-sensitive records them");
    }
    Ok(case)
}

/// Says how far the recording is.
struct Shown(Bar);

impl Watcher for Shown {
    fn progress(&mut self, tally: &Tally, elapsed: Duration) {
        self.0.tell(tally.cases, elapsed, &format!("{} vectors", tally.vectors));
    }
}

fn finish(args: &RecordArgs, tally: &Tally, mut store: Store, apart: Store) -> Result<Held, CliError> {
    for (reason, count) in &tally.left_out {
        output::say(&styled(NOTE, format!("left out {count}: {reason}")));
    }
    for (name, count) in &tally.contradicted {
        output::say(&styled(NOTE, format!("put apart {count}: {name} answers otherwise")));
    }
    if store.is_empty() && apart.is_empty() {
        return Err(CliError::input(format!("expected cases that can be recorded, found none of {}", tally.cases)));
    }
    if let Some(keep) = args.keep {
        store.keep(keep);
    }
    let (kept, outcomes) = (store.len(), store.outcomes());
    if let Some(path) = &args.apart {
        write(path, apart)?;
    }
    match &args.output {
        Some(path) => write(path, store)?,
        None => return print(store).map(|()| Held::Yes),
    }
    if args.json {
        output::json_line(&counts(tally, kept))?;
        return Ok(Held::Yes);
    }
    for ((op, outcome), count) in &outcomes {
        output::line(&format!("{count:>7}  {op}: {outcome}"))?;
    }
    output::line(&format!("{} cases, {} vectors, {kept} kept", tally.cases, tally.vectors))?;
    Ok(Held::Yes)
}

fn lines(store: Store) -> Result<impl Iterator<Item = Result<Vec<u8>, ShelfError>>, CliError> {
    store.lines().map_err(|problem| CliError::failed(problem.to_string()))
}

fn write(path: &Path, store: Store) -> Result<(), CliError> {
    files::write_lines(path, lines(store)?)
}

fn print(store: Store) -> Result<(), CliError> {
    for line in lines(store)? {
        let line = line.map_err(|problem| CliError::failed(problem.to_string()))?;
        output::line(String::from_utf8_lossy(&line).trim_end())?;
    }
    Ok(())
}

fn counts(tally: &Tally, kept: usize) -> Json {
    let by_name = |counts: &std::collections::BTreeMap<String, u64>| {
        Json::object(counts.iter().map(|(name, count)| (name.as_str(), Json::int(*count))))
    };
    Json::object([
        ("cases", Json::int(tally.cases)),
        ("vectors", Json::int(tally.vectors)),
        ("kept", Json::int(kept as u64)),
        ("apart", by_name(&tally.contradicted)),
        ("left_out", by_name(&tally.left_out)),
    ])
}
