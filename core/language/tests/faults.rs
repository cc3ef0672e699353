//! Planted mistakes in reading and checking: the corpus finds each.

mod common;

use common::Corpus;
use planfuzz_language::faults::{self, Fault};

#[test]
fn every_planted_mistake_is_found() {
    let corpus = Corpus::read();
    let right: Vec<_> = corpus.probes.iter().map(|probe| corpus.diagnostics(probe)).collect();
    let mut missed = Vec::new();
    for fault in Fault::CONFIGURATIONS {
        let found = faults::with(fault, || {
            corpus.probes.iter().zip(&right).filter(|(probe, right)| corpus.diagnostics(probe) != **right).count()
        });
        println!("{fault:?}: {found} configurations");
        if found == 0 {
            missed.push(fault);
        }
    }
    assert!(missed.is_empty(), "not found: {missed:?}");
}
