//! The table of merges from wire to wire: bytes in, bytes out.

use planfuzz::measure::times;
use planfuzz::workloads::Workload;
use planfuzz_core::msgpack::{decode, encode};
use planfuzz_core::planner::{Planner, Prepared};
use planfuzz_core::value::{Type, Value};
use planfuzz_optimized::{Optimized, WireProgram};
use planfuzz_reference::Reference;

use super::rows::{nanoseconds, times_as};
use super::timing::{Effort, medians};

/// Measures `proposed_new` on every workload and prints the table.
pub fn print(effort: Effort) {
    println!(
        "| workload | bytes | wire | decode, merge, encode | of that the merge | reference | ours / wire | reference / wire |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for workload in Workload::all().iter().filter(|workload| effort.takes(workload)) {
        row(workload, effort);
    }
    println!("\nTimes in ns; bytes are those of the prior state and the configuration.\n");
}

fn row(workload: &Workload, effort: Effort) {
    let (schema, dialect) = (&workload.merge.schema, workload.dialect());
    let program = WireProgram::compile(schema, dialect);
    let trees = Trees {
        ty: program.ty(),
        sides: [&workload.merge.prior, &workload.merge.config].map(|side| bytes(side, program.ty())),
    };
    let optimized = Optimized.prepare(schema, dialect);
    let reference = workload.for_reference.then(|| Reference.prepare(schema, dialect));
    let [prior, config] = &trees.sides;
    let wire = || program.proposed_new(prior, config).expect("an answer");
    assert_eq!(wire(), trees.merged(&*optimized), "the two ways give one answer");
    let decoded = trees.values();
    let mut contestants = vec![
        times(wire),
        times(|| trees.merged(&*optimized)),
        times(|| optimized.proposed_new(&decoded[0], &decoded[1])),
    ];
    contestants.extend(reference.iter().map(|reference| times(|| trees.merged(&**reference))));
    let figures = medians(contestants, effort);
    let reference = figures.get(3).copied();
    println!(
        "| {} | {} | {} | {} | {} | {} | {} | {} |",
        workload.name,
        prior.len() + config.len(),
        nanoseconds(figures[0]),
        nanoseconds(figures[1]),
        nanoseconds(figures[2]),
        reference.map_or(String::new(), nanoseconds),
        times_as(Some(figures[1] / figures[0])),
        times_as(reference.map(|reference| reference / figures[0])),
    );
}

/// The merge by decoding, merging values and encoding.
struct Trees<'t> {
    ty: &'t Type,
    sides: [Vec<u8>; 2],
}

impl Trees<'_> {
    fn values(&self) -> [Value; 2] {
        [0, 1].map(|side| decode(&self.sides[side], self.ty).expect("a value"))
    }

    fn merged(&self, planner: &dyn Prepared) -> Vec<u8> {
        let [prior, config] = self.values();
        bytes(&planner.proposed_new(&prior, &config).expect("an answer"), self.ty)
    }
}

fn bytes(value: &Value, ty: &Type) -> Vec<u8> {
    encode(value.view(), ty).expect("bytes")
}
