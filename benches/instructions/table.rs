//! The tables, as Markdown.

use planfuzz::measure::{LeafEdit, PlanOp, SizedShape, nodes};
use planfuzz::workloads::{Timed, Workload};
use planfuzz_core::value::{Type, Value, ValueRef};
use planfuzz_workspace_cases::shapes::Shape;

use super::baseline::{Baseline, Count};
use super::workspaces::{PROVIDERS, SIZES};

/// The size of a payload, which a planner reads for each part that it visits.
const NODE: usize = size_of::<planfuzz_core::value::Node>();

/// Prints all counts.
pub fn print(counted: &Baseline) {
    for (name, word) in counted.machine.members() {
        println!("{name}: {word}");
    }
    let workloads: Vec<Workload> = Workload::NAMES.into_iter().filter_map(|name| of(counted, name)).collect();
    if !workloads.is_empty() {
        sizes(&workloads);
        planners(counted, &workloads);
        others(counted, &workloads);
    }
    if counted.lines.iter().any(|line| SizedShape::named(&line.workload).is_some()) {
        workspaces(counted);
    }
    println!("Instructions and allocations of one call, the mean of several; the inputs are new to everybody.");
}

fn of(counted: &Baseline, name: &str) -> Option<Workload> {
    counted.count(name, "deep clone").and_then(|_| Workload::named(name))
}

fn sizes(workloads: &[Workload]) {
    println!("\n| workload | nodes of the prior state | of the configuration | their payloads and texts, bytes |");
    println!("| --- | ---: | ---: | ---: |");
    for Workload { name, merge, .. } in workloads {
        let [prior, config] = [&merge.prior, &merge.config].map(Value::view);
        let bytes = (nodes(prior) + nodes(config)) * NODE + texts(prior) + texts(config);
        println!("| {name} | {} | {} | {} |", threes(nodes(prior)), threes(nodes(config)), threes(bytes));
    }
}

fn planners(counted: &Baseline, workloads: &[Workload]) {
    println!(
        "\n| workload | operation | optimized | of it the allocator | allocations | equalities | hashes of both | deep clones | reference | allocations | reference / optimized |"
    );
    println!("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for Workload { name, .. } in workloads {
        for op in Timed::ALL {
            let of = |planner: &str| counted.count(name, &format!("{} {planner}", op.op()));
            let (optimized, reference) = (of("optimized"), of("reference"));
            let by = |yardstick: &str| ratio(optimized, counted.count(name, yardstick));
            println!(
                "| {name} | {} | {} | {} | {} | {} | {} | {} |",
                op.op(),
                three(optimized),
                by("equality"),
                by("hash of both"),
                by("deep clone"),
                both(reference),
                ratio(reference, optimized),
            );
        }
    }
}

fn others(counted: &Baseline, workloads: &[Workload]) {
    println!(
        "\n| workload | deep clone | allocations | hash of both | equality | encode | allocations | decode | allocations |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for Workload { name, .. } in workloads {
        let count = |work: &str| counted.count(name, work);
        let alone = |work: &str| count(work).map_or(String::new(), |count| threes(count.whole()));
        let [clone, encode, decode] = ["deep clone", "msgpack encode", "msgpack decode"].map(|work| both(count(work)));
        let [hash, equality] = ["hash of both", "equality"].map(alone);
        println!("| {name} | {clone} | {hash} | {equality} | {encode} | {decode} |");
    }
    println!();
}

/// Plans of workspaces: the planner's cost for an instance, without its providers, and how that grows with the input.
fn workspaces(counted: &Baseline) {
    println!(
        "\n| shape | operation | {0} instances | allocations | {1} instances | allocations | exponent | reference / optimized |",
        SIZES[0], SIZES[1]
    );
    println!("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    for (shape, name) in Shape::ALL {
        let [small, large] = SIZES.map(|size| format!("{name}-{size}"));
        let input = SIZES.map(|instances| input(SizedShape { shape, instances }));
        for (_, op) in PlanOp::ALL {
            let of = |workload: &str, planner: &str| own(counted, workload, op, planner);
            let Some((one, ten)) = of(&small, "optimized").zip(of(&large, "optimized")) else { continue };
            let wholes = [(one, SIZES[0]), (ten, SIZES[1])].map(|(count, size)| count.whole() as f64 * size as f64);
            let exponent = (wholes[1] / wholes[0]).ln() / (input[1] / input[0]).ln();
            println!(
                "| {name} | {op} | {} | {} | {exponent:.2} | {} |",
                both(Some(one)),
                both(Some(ten)),
                ratio(of(&small, "reference"), Some(one))
            );
        }
        for (_, op) in LeafEdit::ALL {
            let of = |workload: &str| counted.count(workload, &format!("{op} optimized"));
            if of(&small).is_some() {
                println!("| {name} | {op} | {} | {} | | |", both(of(&small)), both(of(&large)));
            }
        }
    }
    println!();
}

/// A planner's cost without the providers.
fn own(counted: &Baseline, workload: &str, op: &str, planner: &str) -> Option<Count> {
    let whole = counted.count(workload, &format!("{op} {planner}"))?;
    let providers = counted.count(workload, &format!("{op} {PROVIDERS}"))?;
    Some(Count {
        instructions: whole.instructions.saturating_sub(providers.instructions),
        allocator: whole.allocator.saturating_sub(providers.allocator),
        allocations: whole.allocations.saturating_sub(providers.allocations),
    })
}

/// Bytes of the configuration and of the state.
fn input(workload: SizedShape) -> f64 {
    let (workspace, _) = workload.asked(PlanOp::NoChange, None).expect("every shape is a workspace");
    let stored = workload.stored().expect("every shape can be created");
    let stored = stored.to_json(&workspace.schemas, workspace.dialect).expect("a state can be written");
    let files = workload.shape.files(workload.instances, false);
    let bytes = stored.to_compact().len() + files.values().map(|file| file.to_compact().len()).sum::<usize>();
    bytes as f64
}

fn both(count: Option<Count>) -> String {
    count.map_or(" | ".to_owned(), |count| format!("{} | {}", threes(count.whole()), threes(count.allocations)))
}

fn three(count: Option<Count>) -> String {
    let text =
        |Count { allocator, allocations, .. }: &Count| format!("{} | {}", threes(allocator), threes(allocations));
    count.map_or(" | | ".to_owned(), |count| format!("{} | {}", threes(count.whole()), text(&count)))
}

fn ratio(above: Option<Count>, below: Option<Count>) -> String {
    let ratio = above.zip(below).map(|(above, below)| above.whole() as f64 / below.whole().max(1) as f64);
    ratio.map_or(String::new(), |ratio| if ratio < 10.0 { format!("{ratio:.2}") } else { format!("{ratio:.0}") })
}

/// The bytes of all texts in a value, keys of maps among them.
fn texts(value: ValueRef<'_>) -> usize {
    let own = value.as_text().map_or(0, |text| text.len());
    let keys = if matches!(value.ty(), Type::Map(_)) { value.entries().map(|(key, _)| key.len()).sum() } else { 0 };
    own + keys + value.children().map(|(_, child)| texts(child)).sum::<usize>()
}

/// A number with commas.
fn threes(number: impl std::fmt::Display) -> String {
    super::numbers::threes(&number.to_string())
}
