//! Measures reading and evaluating, compared with other readers of the same files and with one another, as the tables of
//! docs/performance.md.
//!
//! `measure [ROUNDS]`. Contestants take turns in rounds of alternating order; each figure is the median of the rounds. Only figures of one
//! row may be compared.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use planfuzz_core::json::Json as Document;
use planfuzz_language::check::Schemas;
use planfuzz_language::config::{load, parse_native};
use planfuzz_language::expression::notation::{Locals, ROOT};
use planfuzz_language::expression::{Expression, parse};
use planfuzz_language::write::write_module;
use planfuzz_language::{FileId, SourcePlace, Sources, json};
use planfuzz_language_compiled::{Names, Program, Slots};
use planfuzz_language_judge::records::Record;
use planfuzz_language_judge::{generate, scope};

type Anything = Box<dyn std::error::Error>;

/// A name and the work to measure.
type Contestant<'c> = (&'static str, Box<dyn FnMut() + 'c>);

fn main() -> Result<(), Anything> {
    let rounds = std::env::args().nth(1).map_or(Ok(21), |rounds| rounds.parse())?;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../corpus");
    reading(&folder, rounds)?;
    evaluating(&folder, rounds)
}

/// The median time of each contestant, in seconds.
fn medians(rounds: usize, contestants: &mut [Contestant<'_>]) -> Vec<f64> {
    let mut times = vec![Vec::with_capacity(rounds); contestants.len()];
    for round in 0..=rounds {
        for turn in 0..contestants.len() {
            let at = if round % 2 == 0 { turn } else { contestants.len() - 1 - turn };
            let begun = Instant::now();
            (contestants[at].1)();
            // The first round warms up.
            if round > 0 {
                times[at].push(begun.elapsed().as_secs_f64());
            }
        }
    }
    let median = |mut times: Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    };
    times.into_iter().map(median).collect()
}

fn reading(folder: &Path, rounds: usize) -> Result<(), Anything> {
    let (mut natives, mut jsons) = (Vec::new(), Vec::new());
    for line in std::fs::read_to_string(folder.join("workspaces/native.jsonl"))?.lines() {
        let document = Document::parse(line)?;
        let files = document.member("files").ok_or("a workspace without files")?;
        for (_, text) in files.expect_object()? {
            let text = text.expect_string()?.to_owned();
            let sources = one_file("main.tf", &text)?;
            jsons.push(write_module(&load(&sources, "").configuration.module, &sources, &Schemas::default()).to_text());
            natives.push(text);
        }
    }
    println!("| syntax | what | MB/s | of the plain reader |\n| --- | --- | ---: | ---: |");
    let each = |texts: &[String], read: &dyn Fn(&str)| texts.iter().for_each(|text| read(text));
    row(
        "native",
        &natives,
        rounds,
        &mut [
            (
                "hcl-edit: a tree of its own",
                Box::new(|| each(&natives, &|text| _ = black_box(hcl_edit::parser::parse_body(text)))),
            ),
            (
                "syntax: bodies, expressions checked",
                Box::new(|| each(&natives, &|text| _ = black_box(parse_native(text.as_bytes(), FileId(0))))),
            ),
            ("the module, with all that is refused", Box::new(|| each(&natives, &|text| module("main.tf", text)))),
        ],
    );
    row(
        "JSON",
        &jsons,
        rounds,
        &mut [
            (
                "serde_json: a value",
                Box::new(|| each(&jsons, &|text| _ = black_box(serde_json::from_str::<serde_json::Value>(text)))),
            ),
            (
                "syntax: values with places",
                Box::new(|| each(&jsons, &|text| _ = black_box(json::parse(text.as_bytes(), FileId(0))))),
            ),
            ("the module, with all that is refused", Box::new(|| each(&jsons, &|text| module("main.tf.json", text)))),
        ],
    );
    Ok(())
}

fn one_file(name: &str, text: &str) -> Result<Sources, Anything> {
    let mut sources = Sources::new();
    sources.add(name, text)?;
    Ok(sources)
}

fn module(name: &str, text: &str) {
    if let Ok(sources) = one_file(name, text) {
        black_box(load(&sources, ""));
    }
}

fn row(syntax: &str, texts: &[String], rounds: usize, contestants: &mut [Contestant<'_>]) {
    let megabytes = texts.iter().map(String::len).sum::<usize>() as f64 / 1e6;
    let times = medians(rounds, contestants);
    for ((name, _), time) in contestants.iter().zip(&times) {
        println!("| {syntax} | {name} | {:.0} | {:.2} |", megabytes / time, times[0] / time);
    }
}

/// An expression, ready for both writings.
struct Prepared {
    tree: Expression,
    locals: Locals,
    names: Names,
    slots: Slots,
    program: Program,
}

fn evaluating(folder: &Path, rounds: usize) -> Result<(), Anything> {
    println!(
        "\n| expressions | nodes | compiled, ns a node | naive, ns a node | naive / compiled | compiling / evaluating |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: |");
    let dialect = "terraform-1.11".parse()?;
    let text = std::fs::read_to_string(folder.join("recorded/expressions.jsonl"))?;
    let records = text.lines().map(Record::read).collect::<Result<Vec<_>, _>>()?;
    let recorded = records.into_iter().map(|record| (record.expression, record.scope)).collect();
    let locals = scope()?;
    let generated = (0..4_000).map(|number| (generate::expression(&locals, 1, number), locals.clone())).collect();
    for (title, expressions) in [("recorded", recorded), ("generated", generated)] {
        measure(title, expressions, dialect, rounds);
    }
    Ok(())
}

fn measure(title: &str, expressions: Vec<(String, Locals)>, dialect: planfuzz_core::dialect::Dialect, rounds: usize) {
    let prepared: Vec<Prepared> = expressions
        .into_iter()
        .filter_map(|(text, locals)| {
            let tree = parse(&text, SourcePlace::default()).ok()?;
            let (mut names, mut slots) = (Names::default(), Slots::default());
            for (name, value) in locals.iter() {
                slots.set(names.slot(ROOT, Some(name)), value.clone());
            }
            let program = Program::compile(&tree, &names, dialect);
            Some(Prepared { tree, locals, names, slots, program })
        })
        .collect();
    let nodes: usize = prepared.iter().map(|one| count(&one.tree)).sum();
    let times = medians(
        rounds,
        &mut [
            ("compiled", Box::new(|| prepared.iter().for_each(|one| _ = black_box(one.program.evaluate(&one.slots))))),
            (
                "naive",
                Box::new(|| {
                    prepared.iter().for_each(|one| {
                        _ = black_box(planfuzz_language_naive::evaluate(&one.tree, &one.locals, dialect))
                    });
                }),
            ),
            (
                "compiling",
                Box::new(|| {
                    prepared.iter().for_each(|one| _ = black_box(Program::compile(&one.tree, &one.names, dialect)));
                }),
            ),
        ],
    );
    let a_node = |time: f64| time * 1e9 / nodes as f64;
    println!(
        "| {title} | {nodes} | {:.0} | {:.0} | {:.2} | {:.2} |",
        a_node(times[0]),
        a_node(times[1]),
        times[1] / times[0],
        times[2] / times[0]
    );
}

fn count(tree: &Expression) -> usize {
    1 + tree.children().into_iter().map(count).sum::<usize>()
}
