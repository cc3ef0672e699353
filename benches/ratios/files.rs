//! State and plan files of engines in streams, beside passes over JSON: megabytes a second of the bytes that are read or written.
//!
//! In a stream one item is in memory at a time, however large the file. A plan file is an archive; its bytes are those of its unpacked
//! members, and unpacking is part of the time.

use std::cell::Cell;
use std::hint::black_box;
use std::io::{self, Cursor};
use std::time::Instant;

use planfuzz_core::dialect::{Dialect, Engine};
use planfuzz_core::plans::file::{self as plan_files, List, PlanFile};
use planfuzz_core::state::file::{MAX_STATE_BYTES, Part, Snapshot, StateWriter, StoredResource};
use planfuzz_workspace::WorkspacePlanner;
use planfuzz_workspace_cases::shapes::{Shape, workspace};
use planfuzz_workspace_optimized::Optimized;
use serde::de::IgnoredAny;

use super::plan_file::plan;
use super::timing::Effort;

/// How many objects or changes.
const SIZES: [usize; 2] = [10_000, 100_000];

/// How often each pass is made; the shortest counts.
const ROUNDS: usize = 5;

/// Prints both tables.
pub fn print(effort: Effort) {
    let sizes = if effort.takes_largest() { &SIZES[..] } else { &[100][..] };
    println!(
        "| MB/s | items | bytes | JSON, nothing kept | JSON, kept | read whole | read in parts | written in parts |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for &size in sizes {
        states(size);
    }
    for &size in sizes {
        plans(size);
    }
    println!();
}

/// The megabytes a second of the fastest of some runs.
fn speed(bytes: usize, mut run: impl FnMut()) -> f64 {
    let time = |run: &mut dyn FnMut()| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64()
    };
    let least = (0..ROUNDS).map(|_| time(&mut run)).fold(f64::MAX, f64::min);
    bytes as f64 / 1e6 / least
}

fn states(size: usize) {
    let text = state(size);
    let bytes = text.as_bytes();
    let skipped = speed(bytes.len(), || {
        black_box(serde_json::from_slice::<IgnoredAny>(bytes).expect("JSON"));
    });
    let kept =
        speed(bytes.len(), || drop(black_box(serde_json::from_slice::<serde_json::Value>(bytes).expect("JSON"))));
    // A whole state has a bound; streams have none.
    let is_bounded = bytes.len() <= MAX_STATE_BYTES;
    let whole = is_bounded.then(|| speed(bytes.len(), || drop(black_box(Snapshot::read(bytes).expect("a state")))));
    let whole = whole.map_or(String::new(), |whole| format!("{whole:.0}"));
    let count = Cell::new(0);
    let in_parts = speed(bytes.len(), || {
        count.set(0);
        let read = Snapshot::read_in_parts(bytes, &mut |part| {
            count.set(count.get() + usize::from(matches!(part, Part::Object(..))));
            black_box(&part);
            Ok(())
        });
        drop(black_box(read.expect("a state")));
    });
    assert_eq!(count.get(), size, "every object is handed out");
    let mut resources = Vec::new();
    let head = Snapshot::read_in_parts(bytes, &mut |part| {
        resources.push(match part {
            Part::Object(of, object) => StoredResource { objects: vec![object], ..of.clone() },
            Part::Husk(husk) => husk,
        });
        Ok(())
    });
    let head = head.expect("a state");
    let written = speed(bytes.len(), || {
        let mut writer = StateWriter::new(io::sink(), &head).expect("it is written");
        resources.iter().try_for_each(|resource| writer.resource(resource)).expect("it is written");
        black_box(writer.finish(head.check_results.as_ref()).expect("it is written"));
    });
    println!(
        "| state | {size} | {} | {skipped:.0} | {kept:.0} | {whole} | {in_parts:.0} | {written:.0} |",
        bytes.len()
    );
}

fn plans(size: usize) {
    let file = plan(size, "1.11.4");
    let mut archive = zip::ZipArchive::new(Cursor::new(&file)).expect("an archive");
    let bytes: u64 = (0..archive.len()).map(|index| archive.by_index_raw(index).expect("a member").size()).sum();
    let bytes = bytes as usize;
    let whole = speed(bytes, || drop(black_box(PlanFile::read(&file, Engine::Terraform).expect("a plan"))));
    let count = Cell::new(0);
    let in_parts = speed(bytes, || {
        count.set(0);
        let read = PlanFile::read_in_parts(Cursor::new(&file), Engine::Terraform, &mut |list, part| {
            count.set(count.get() + usize::from(list == List::Changes));
            black_box(&part);
            Ok(())
        });
        drop(black_box(read.expect("a plan")));
    });
    assert_eq!(count.get(), size, "every change is handed out");
    let mut head = PlanFile::read(&file, Engine::Terraform).expect("a plan");
    let changes = std::mem::take(&mut head.plan.changes);
    let written = speed(bytes, || {
        let out = head.write_in_parts(Cursor::new(Vec::new()), &mut |list, put| match list {
            List::Changes => changes.iter().try_for_each(|change| put(plan_files::Part::Change(change.clone()))),
            _ => Ok(()),
        });
        drop(black_box(out.expect("it is written")));
    });
    println!("| plan | {size} | {bytes} | | | {whole:.0} | {in_parts:.0} | {written:.0} |");
}

/// A state file of so many objects, each of its own resource.
fn state(size: usize) -> String {
    let (empty, providers) = workspace(&Shape::Independent.files(size, false), None).expect("a workspace that is read");
    let plan = Optimized.plan(&empty, &mut &providers).plan.expect("a plan");
    let state = Optimized.apply(&empty, &plan, &mut &providers).state;
    state.to_json(&empty.schemas, Dialect::TERRAFORM_1_11).expect("a state that is written").to_indented()
}
