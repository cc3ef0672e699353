//! How plans grow with the statements of a workspace, its addresses on the command line, and objects without a block.
//!
//! Each subject is one thing of which there are n, beside resources of which there are as many. A planner that goes through all statements for
//! each object shows as an exponent of 2. Times are of the optimized planner with the providers' part, the least of a few plans.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::hint::black_box;
use std::time::Instant;

use planfuzz::measure::SizedShape;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_workspace::{Options, WorkspacePlanner};
use planfuzz_workspace_cases::shapes::{Shape, workspace};
use planfuzz_workspace_optimized::Optimized;

use super::growth::exponent;
use super::timing::Effort;

/// How many statements.
const SIZES: [usize; 4] = [1_000, 2_000, 4_000, 8_000];

/// The sizes for a glance.
const FEW: [usize; 2] = [10, 20];

/// How often each plan is made.
const ROUNDS: usize = 3;

type Files = BTreeMap<String, Json>;

/// Something of which there may be many.
struct Subject {
    name: &'static str,
    /// The files that are planned.
    files: fn(usize) -> Files,
    /// What is stored.
    stored: Option<fn(usize) -> SizedShape>,
    options: fn(usize) -> Options,
    dialect: Dialect,
}

impl Subject {
    /// Over files of which nothing is stored.
    const fn of(name: &'static str, files: fn(usize) -> Files) -> Subject {
        Subject { name, files, stored: None, options: |_| Options::default(), dialect: Dialect::TERRAFORM_1_11 }
    }

    const fn after(self, stored: fn(usize) -> SizedShape) -> Subject {
        Subject { stored: Some(stored), ..self }
    }

    const fn with(self, options: fn(usize) -> Options) -> Subject {
        Subject { options, ..self }
    }

    const fn in_dialect(self, dialect: Dialect) -> Subject {
        Subject { dialect, ..self }
    }

    /// The least nanoseconds of a plan.
    fn time(&self, count: usize) -> f64 {
        let stored = self.stored.map(|of| of(count).stored().expect("a plan"));
        let (mut planned, providers) = workspace(&(self.files)(count), stored).expect("a workspace that is read");
        (planned.options, planned.dialect) = ((self.options)(count), self.dialect);
        let once = |_| {
            let start = Instant::now();
            let result = black_box(Optimized.plan(&planned, &mut &providers));
            let time = start.elapsed();
            assert!(result.plan.is_some(), "{}: {:?}", self.name, result.diagnostics.first());
            time.as_nanos() as f64
        };
        (0..ROUNDS).map(once).fold(f64::MAX, f64::min)
    }
}

/// Measures all subjects, and prints what each costs and how it grows.
pub fn print(effort: Effort) {
    let sizes = if effort.takes_largest() { &SIZES[..] } else { &FEW[..] };
    let (first, last) = (sizes[0], sizes[sizes.len() - 1]);
    println!("| statements | each of {first}, µs | each of {last}, µs | exponent |");
    println!("| --- | ---: | ---: | ---: |");
    for subject in subjects() {
        let times: Vec<(f64, f64)> = sizes.iter().map(|&count| (count as f64, subject.time(count))).collect();
        let each = |(count, time): (f64, f64)| time / count / 1e3;
        let (least, most) = (each(times[0]), each(times[times.len() - 1]));
        println!("| {} | {least:.1} | {most:.1} | {:.2} |", subject.name, exponent(times).unwrap_or_default());
    }
    println!();
}

fn subjects() -> Vec<Subject> {
    vec![
        Subject::of("instances without a block", |_| nothing()).after(counts),
        Subject::of("resources without a block", |_| nothing()).after(singles),
        Subject::of("instances no longer counted", |count| counted(count / 2)).after(counts),
        Subject::of("`moved` from key to key", moved_keys).after(counts),
        Subject::of("`moved` from name to name", moved_names).after(singles),
        Subject::of("`moved` in a chain", moved_chain).after(|_| singles(1)),
        Subject::of("`removed`", removed).after(singles),
        Subject::of("`import`", imports),
        Subject::of("targets", single)
            .after(singles)
            .with(|count| Options { targets: names(count), ..Options::default() }),
        Subject::of("targets with keys", counted)
            .after(counts)
            .with(|count| Options { targets: keys(count), ..Options::default() }),
        Subject::of("excludes", single)
            .after(singles)
            .with(|count| Options { excludes: names(count / 2), ..Options::default() })
            .in_dialect(Dialect::OPENTOFU_1_12),
        Subject::of("replacements", single)
            .after(singles)
            .with(|count| Options { replace: names(count), ..Options::default() }),
        Subject::of("outputs", outputs).after(singles),
        Subject::of("locals in a chain", locals),
        Subject::of("variables with a validation", variables),
        Subject::of("checks", checks),
        Subject::of("preconditions", preconditions).after(singles),
        Subject::of("`replace_triggered_by` one", triggers).after(singles),
        Subject::of("data", data),
        Subject::of("module calls", calls),
    ]
}

fn nothing() -> Files {
    file(r#"{"locals":{"a":1}}"#)
}

fn counts(instances: usize) -> SizedShape {
    SizedShape { shape: Shape::Count, instances }
}

fn singles(instances: usize) -> SizedShape {
    SizedShape { shape: Shape::Independent, instances }
}

fn counted(count: usize) -> Files {
    Shape::Count.files(count, false)
}

fn single(count: usize) -> Files {
    Shape::Independent.files(count, false)
}

fn names(count: usize) -> Vec<String> {
    (0..count).map(|i| format!("w_thing.t{i}")).collect()
}

fn keys(count: usize) -> Vec<String> {
    (0..count).map(|i| format!("w_thing.t[{i}]")).collect()
}

fn moved_keys(count: usize) -> Files {
    let each = list(count, |i| format!(r#""k{i}":"{i}""#));
    let moved = list(count, |i| format!(r#"{{"from":"w_thing.t[{i}]","to":"w_thing.u[\"k{i}\"]"}}"#));
    let things = things(&format!(r#""u":{{"for_each":{{{each}}},"name":"${{each.value}}"}}"#));
    file(&format!(r#"{{{things},"moved":[{moved}]}}"#))
}

fn moved_names(count: usize) -> Files {
    let moved = list(count, |i| format!(r#"{{"from":"w_thing.t{i}","to":"w_thing.u{i}"}}"#));
    let things = things(&list(count, |i| format!(r#""u{i}":{{"name":"t{i}"}}"#)));
    file(&format!(r#"{{{things},"moved":[{moved}]}}"#))
}

fn moved_chain(count: usize) -> Files {
    let moved = list(count, |i| format!(r#"{{"from":"w_thing.t{i}","to":"w_thing.t{}"}}"#, i + 1));
    let things = things(&format!(r#""t{count}":{{"name":"t0"}}"#));
    file(&format!(r#"{{{things},"moved":[{moved}]}}"#))
}

fn removed(count: usize) -> Files {
    file(&format!(r#"{{"removed":[{}]}}"#, list(count, |i| format!(r#"{{"from":"w_thing.t{i}"}}"#))))
}

fn imports(count: usize) -> Files {
    let imports = list(count, |i| format!(r#"{{"to":"w_thing.t{i}","id":"i{i}"}}"#));
    file(&format!(r#"{{{},"import":[{imports}]}}"#, blocks(count, "")))
}

fn outputs(count: usize) -> Files {
    let outputs = list(count, |i| format!(r#""o{i}":{{"value":"${{w_thing.t{i}.id}}"}}"#));
    file(&format!(r#"{{{},"output":{{{outputs}}}}}"#, blocks(count, "")))
}

fn locals(count: usize) -> Files {
    let rest = list(count, |i| format!(r#""l{}":"${{local.l{i}}}""#, i + 1));
    file(&format!(r#"{{"locals":{{"l0":"x",{rest}}}}}"#))
}

fn variables(count: usize) -> Files {
    let validation = |i| format!(r#"{{"condition":"${{var.v{i}==\"x\"}}","error_message":"no."}}"#);
    let variables = list(count, |i| format!(r#""v{i}":{{"default":"x","validation":{}}}"#, validation(i)));
    file(&format!(r#"{{"variable":{{{variables}}}}}"#))
}

fn checks(count: usize) -> Files {
    let checks = list(count, |i| format!(r#""c{i}":{{"assert":{CONDITION}}}"#));
    file(&format!(r#"{{"locals":{{"yes":true}},"check":{{{checks}}}}}"#))
}

fn preconditions(count: usize) -> Files {
    let blocks = blocks(count, &format!(r#","lifecycle":{{"precondition":{CONDITION}}}"#));
    file(&format!(r#"{{"locals":{{"yes":true}},{blocks}}}"#))
}

fn triggers(count: usize) -> Files {
    let trigger = r#","lifecycle":{"replace_triggered_by":["w_thing.t0"]}"#;
    let of = |i| format!(r#""t{i}":{{"name":"t{i}"{}}}"#, if i == 0 { "" } else { trigger });
    file(&format!("{{{}}}", things(&list(count, of))))
}

fn data(count: usize) -> Files {
    file(&format!(r#"{{"data":{{"w_info":{{{}}}}}}}"#, list(count, |i| format!(r#""d{i}":{{"name":"d{i}"}}"#))))
}

fn calls(count: usize) -> Files {
    let mut files = file(&format!(r#"{{"module":{{{}}}}}"#, list(count, |i| format!(r#""m{i}":{{"source":"./m"}}"#))));
    files.extend([("m/main.tf.json".to_owned(), json(&format!("{{{}}}", blocks(1, ""))))]);
    files
}

/// A condition that holds.
const CONDITION: &str = r#"{"condition":"${local.yes}","error_message":"no."}"#;

/// Blocks, each with this text in its body.
fn blocks(count: usize, more: &str) -> String {
    things(&list(count, |i| format!(r#""t{i}":{{"name":"t{i}"{more}}}"#)))
}

fn things(of: &str) -> String {
    format!(r#""resource":{{"w_thing":{{{of}}}}}"#)
}

fn list(count: usize, of: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for i in 0..count {
        let _ = write!(text, "{}{}", if i > 0 { "," } else { "" }, of(i));
    }
    text
}

fn file(text: &str) -> Files {
    BTreeMap::from([("main.tf.json".to_owned(), json(text))])
}

fn json(text: &str) -> Json {
    Json::parse(text).expect("JSON")
}
