//! Compares every implementation of the evaluator with a real engine, expression by expression: the engine's outcome is the right one.
//!
//! ```text
//! judge FILE…                    recorded expressions of the engine's dialect: record, engine and evaluation
//! judge --ask                    an expression a line, from standard input: prints the outcome of the engine and of each implementation
//! judge --lines                  an id and an expression a line: prints each as a line of the specification, if all outcomes are equal
//! judge --generate COUNT SEED [FIRST]    that many expressions of the seed, by number, from the first on
//! ```
//! `PLANFUZZ_TERRAFORM` names another binary, `PLANFUZZ_SCOPE` another file of named values.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::ops::Range;
use std::time::Instant;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::value::{Text, WrittenPath};
use planfuzz_engine::process::{Binary, Runs};
use planfuzz_engine::{Engine, EngineOptions, NamedValue, Question, Reply};
use planfuzz_language::SourcePlace;
use planfuzz_language::expression::notation::{ExpressionOutcome, Locals, mark, outcome_of, write_outcome};
use planfuzz_language::expression::{Marked, SENSITIVE, parse};
use planfuzz_language_judge::records::{Record, as_recorded, paths, shown_as_stored};
use planfuzz_language_judge::{FILES, WRITINGS, generate, parts, scope_in};

type Anything = Box<dyn std::error::Error>;

/// The number of expressions per request to the engine.
const BATCH: usize = 2_000;

struct Judge {
    engine: Engine,
    dialect: Dialect,
    locals: Locals,
    asked: usize,
    agreed: usize,
    /// The number of values by kind, and of errors by their summaries, among the answered expressions.
    seen: BTreeMap<String, usize>,
    unjudged: BTreeMap<String, usize>,
    differences: Vec<String>,
    /// The number of differences by the kind of the smallest differing part.
    causes: BTreeMap<String, usize>,
    /// The number of differences only in the last digit of a power (FN21).
    by_last_digit: usize,
}

fn main() -> Result<(), Anything> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut judge = Judge::start()?;
    let begun = Instant::now();
    match arguments.as_slice() {
        [word] if word == "--ask" => {
            let text = standard_input()?;
            let lines: Vec<String> = text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect();
            judge.ask(&lines)?;
        }
        [word] if word == "--lines" => judge.lines(&standard_input()?)?,
        [word, count, seed, first @ ..] if word == "--generate" && first.len() < 2 => {
            let first: u64 = first.first().map_or(Ok(0), |first| first.parse())?;
            judge.generated(seed.parse()?, first..first + count.parse::<u64>()?, begun)?;
        }
        files => judge.files(files)?,
    }
    if let Some(folder) = judge.locals.get("dir").and_then(|folder| folder.value.view().as_text().cloned()) {
        let _ = std::fs::remove_dir_all(folder.as_str());
    }
    judge.report(begun.elapsed().as_secs_f64());
    if judge.differences.len() == judge.by_last_digit { Ok(()) } else { Err("there are differences".into()) }
}

fn standard_input() -> std::io::Result<String> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    Ok(text)
}

impl Judge {
    /// Starts the engine, in the scope of named values.
    fn start() -> Result<Judge, Anything> {
        let runs = Runs::open(&std::env::temp_dir())?;
        let program = std::env::var_os("PLANFUZZ_TERRAFORM").unwrap_or_else(|| "terraform".into());
        let binary = Binary::find(Some(std::path::Path::new(&program)), &runs)?;
        let dialect = binary.dialect().dialect;
        let engine = Engine::start(binary, &runs, EngineOptions::default())?;
        let locals = match std::env::var_os("PLANFUZZ_SCOPE") {
            Some(path) => Locals::from_json(&Json::parse(&std::fs::read_to_string(path)?)?)?,
            None => scope_in(&folder_of_files()?)?,
        };
        Ok(Judge {
            engine,
            dialect,
            locals,
            asked: 0,
            agreed: 0,
            seen: BTreeMap::new(),
            unjudged: BTreeMap::new(),
            differences: Vec::new(),
            causes: BTreeMap::new(),
            by_last_digit: 0,
        })
    }

    /// Judges the generated expressions of these numbers.
    fn generated(&mut self, seed: u64, numbers: Range<u64>, begun: Instant) -> Result<(), Anything> {
        let numbers: Vec<u64> = numbers.collect();
        for numbers in numbers.chunks(BATCH) {
            let lines: Vec<String> =
                numbers.iter().map(|&number| generate::expression(&self.locals, seed, number)).collect();
            let before = self.differences.len();
            self.judge(&lines, &[])?;
            self.make_small(before)?;
            let seconds = begun.elapsed().as_secs_f64();
            eprintln!("{} asked, {} agreed, after {seconds:.0} s", self.asked, self.agreed);
        }
        Ok(())
    }

    /// Judges the recorded expressions of the engine's dialect in files.
    fn files(&mut self, files: &[String]) -> Result<(), Anything> {
        for file in files {
            let text = std::fs::read_to_string(file)?;
            let records: Vec<Record> = text.lines().map(Record::read).collect::<Result<_, _>>()?;
            let records: Vec<Record> = records.into_iter().filter(|record| record.dialect == self.dialect).collect();
            for records in records.chunks(BATCH) {
                let lines: Vec<String> = records.iter().map(|record| record.expression.clone()).collect();
                let wanted: Vec<String> = records.iter().map(|record| shown_as_stored(&record.want)).collect();
                self.judge(&lines, &wanted)?;
            }
        }
        self.differences.iter().for_each(|difference| println!("{difference}"));
        Ok(())
    }

    fn report(&self, seconds: f64) {
        let effort = self.engine.effort();
        eprintln!(
            "{} asked ({:.0} a second), {} agreed, {} differ, {} of them by the last digit of a power, not judged {:?}; {seconds:.1} s, \
             {:.1} s of it the engine's processor time in {} runs",
            self.asked,
            self.asked as f64 / seconds,
            self.agreed,
            self.differences.len(),
            self.by_last_digit,
            self.unjudged,
            effort.cpu.as_secs_f64(),
            effort.runs
        );
        eprintln!("causes: {:?}", self.causes);
        let errors = self.seen.iter().filter(|(kind, _)| kind.starts_with('[')).map(|(_, count)| count).sum::<usize>();
        eprintln!("outcomes: {errors} errors of {} kinds, {:?}", self.seen.len(), values(&self.seen));
    }
}

/// Writes the files that expressions read to where the engine can read them too.
fn folder_of_files() -> Result<String, Anything> {
    let folder = std::env::temp_dir().join(format!("planfuzz-expressions-{}", std::process::id()));
    for (path, bytes) in FILES {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().ok_or("a file without a folder")?)?;
        std::fs::write(path, bytes)?;
    }
    Ok(folder.to_str().ok_or("a temporary folder that is no text")?.to_owned())
}

impl Judge {
    fn replies(&mut self, lines: &[String]) -> Result<Vec<Reply>, Anything> {
        let questions: Vec<Question> = lines
            .iter()
            .map(|line| {
                let named = self.locals.iter().filter(|local| mentions(line, local.0.as_str()));
                Question {
                    scope: named.map(|(name, value)| scope_value(name, value)).collect(),
                    expression: line.clone(),
                    is_readable: parse(line, SourcePlace::default()).is_ok(),
                }
            })
            .collect();
        Ok(self.engine.expressions(&questions)?)
    }

    fn ask(&mut self, lines: &[String]) -> Result<(), Anything> {
        for (line, reply) in lines.iter().zip(self.replies(lines)?) {
            let theirs = text_of(&reply).unwrap_or_else(|why| why);
            println!("{line}\n   engine {theirs}");
            for (name, evaluate) in WRITINGS {
                let ours = shown_as_stored(&outcome_of(line, &self.locals, self.dialect, evaluate));
                println!("   {name} {}", if ours == theirs { "the same" } else { &ours });
            }
        }
        Ok(())
    }

    /// For each new difference, prints the smallest part that differs itself, and its kind.
    fn make_small(&mut self, from: usize) -> Result<(), Anything> {
        let wholes: Vec<&str> =
            self.differences[from..].iter().map(|text| text.lines().next().unwrap_or_default()).collect();
        let parts: Vec<Vec<String>> = wholes.into_iter().map(parts::parts).collect();
        let all: Vec<String> = parts.concat();
        let mut replies = Vec::new();
        for some in all.chunks(BATCH) {
            replies.extend(self.replies(some)?);
        }
        let mut answered = all.iter().zip(&replies);
        for (number, parts) in parts.iter().enumerate() {
            let differing = answered.by_ref().take(parts.len()).map(|(part, reply)| {
                let theirs = text_of(reply).ok()?;
                let differences = self.differences_of(part, &theirs);
                (!differences.is_empty()).then(|| format!("{part}\n   engine {theirs}{}", differences.concat()))
            });
            let differing: Vec<String> = differing.collect::<Vec<_>>().into_iter().flatten().collect();
            let not_again = || format!("not again: {}", self.differences[from + number]);
            let smallest = differing.into_iter().next().unwrap_or_else(not_again);
            let kind = parts::kind(smallest.lines().next().unwrap_or_default());
            if kind == "pow" && is_last_digit(&smallest) {
                self.by_last_digit += 1;
                continue;
            }
            println!("{kind}: {smallest}");
            *self.causes.entry(kind).or_default() += 1;
        }
        Ok(())
    }

    /// The outcomes of the implementations that differ from the engine's.
    fn differences_of(&self, line: &str, theirs: &str) -> Vec<String> {
        WRITINGS
            .iter()
            .map(|(name, evaluate)| (name, shown_as_stored(&outcome_of(line, &self.locals, self.dialect, evaluate))))
            .filter(|(_, ours)| ours != theirs)
            .map(|(name, ours)| format!("\n   {name} {ours}"))
            .collect()
    }

    /// Turns expressions into examples of the specification.
    fn lines(&mut self, text: &str) -> Result<(), Anything> {
        for line in text.lines() {
            let (id, expression) = line.split_once(' ').ok_or("an id and an expression")?;
            let reply = self.replies(&[expression.to_owned()])?.remove(0);
            let outcome = outcome_of(expression, &self.locals, self.dialect, &WRITINGS[0].1);
            if text_of(&reply)? != shown_as_stored(&outcome)
                || !self.differences_of(expression, &text_of(&reply)?).is_empty()
            {
                return Err(format!("not all make the same of {expression}").into());
            }
            let case = Json::object([
                ("id", Json::string(id)),
                ("op", Json::string("expression")),
                ("dialect", Json::string(&self.dialect.to_string())),
                ("scope", generate::used(&self.locals, expression).to_json()),
                ("expression", Json::string(expression)),
                ("want", write_outcome(&outcome)),
            ]);
            println!("{}", case.to_compact());
        }
        Ok(())
    }

    fn judge(&mut self, lines: &[String], wanted: &[String]) -> Result<(), Anything> {
        let replies = self.replies(lines)?;
        for (number, (line, reply)) in lines.iter().zip(replies).enumerate() {
            self.asked += 1;
            let theirs = match text_of(&reply) {
                Ok(theirs) => theirs,
                Err(why) => {
                    *self.unjudged.entry(why).or_default() += 1;
                    continue;
                }
            };
            let differing: Vec<String> = WRITINGS
                .iter()
                .filter_map(|(name, evaluate)| {
                    let ours = outcome_of(line, &self.locals, self.dialect, evaluate);
                    let (ours, bare) = (shown_as_stored(&ours), shown_as_stored(&as_recorded(ours)));
                    // If our outcome is the engine's, the record has to equal ours as recorded; otherwise it has to equal the engine's.
                    let recorded = wanted
                        .get(number)
                        .filter(|wanted| if ours == theirs { **wanted != bare } else { **wanted != theirs });
                    let recorded = recorded.map(|wanted| format!("\n   record {wanted}"));
                    (ours != theirs || recorded.is_some())
                        .then(|| format!("\n   {name} {ours}{}", recorded.unwrap_or_default()))
                })
                .collect();
            *self.seen.entry(kind(&theirs)).or_default() += 1;
            if differing.is_empty() {
                self.agreed += 1;
            } else {
                self.differences.push(format!("{line}\n   engine {theirs}{}", differing.concat()));
            }
        }
        Ok(())
    }
}

fn values(seen: &BTreeMap<String, usize>) -> BTreeMap<&str, usize> {
    seen.iter().filter(|(kind, _)| !kind.starts_with('[')).map(|(kind, count)| (kind.as_str(), *count)).collect()
}

fn kind(outcome: &str) -> String {
    match outcome.strip_prefix("errors ") {
        Some(summaries) => summaries.to_owned(),
        None if outcome.contains("\"$unknown\"") => "value with unknowns".to_owned(),
        None => "known value".to_owned(),
    }
}

/// Whether all outcomes are numbers that are nearly equal.
fn is_last_digit(outcomes: &str) -> bool {
    let number = |line: &str| line.split_once("\"number\" ")?.1.split(' ').next()?.parse::<f64>().ok();
    let numbers: Vec<Option<f64>> = outcomes.lines().skip(1).map(number).collect();
    let near = |a: &Option<f64>, b: &Option<f64>| a.zip(*b).is_some_and(|(a, b)| ((a - b) / a).abs() < 1e-14);
    numbers.len() > 1 && numbers.windows(2).all(|pair| near(&pair[0], &pair[1]))
}

/// Whether an expression mentions a name; a match within a string does no harm.
fn mentions(line: &str, name: &str) -> bool {
    line.match_indices("local.").any(|(at, found)| {
        let rest = &line[at + found.len()..];
        rest.strip_prefix(name)
            .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '-'))
    })
}

fn scope_value(name: &Text, value: &Marked) -> NamedValue {
    let mut found = Vec::new();
    paths(value, "", &mut found);
    let whole = value.marks.own.has(SENSITIVE).then(|| WrittenPath::new(Vec::new()));
    let sensitive =
        whole.into_iter().chain(found.iter().map(|path| WrittenPath::parse(path).expect("a path"))).collect();
    NamedValue { name: name.clone(), value: value.value.clone(), sensitive }
}

/// A reply as text; `Err` has the reason if there is none.
fn text_of(reply: &Reply) -> Result<String, String> {
    match reply {
        Reply::Value { value, sensitive } => {
            let mut marked = Marked::from(value.clone());
            for path in sensitive {
                let mut tree = marked.marks.clone();
                mark(&mut tree, &marked, path.steps()).ok_or("a path that leads nowhere")?;
                marked.marks = tree;
            }
            Ok(shown_as_stored(&ExpressionOutcome::Ok(marked)))
        }
        Reply::Errors(summaries) => Ok(shown_as_stored(&ExpressionOutcome::Err(summaries.clone()))),
        Reply::Crashed(site) => Err(format!("the engine crashed at {site}")),
        Reply::OverBudget(limit) => Err(format!("the engine did not end within {limit:?}")),
        Reply::LeftOut(why) => Err(why.to_string()),
    }
}
