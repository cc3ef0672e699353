//! The planner from wire to wire, beside decoding, merging and encoding: whatever the bytes are, the answers are the same to the byte,
//! and refusals have the same words.

mod forms;

use planfuzz::case::{Case, Merge, Task};
use planfuzz::generate::{Cases, Generator, Settings};
use planfuzz_core::dialect::Dialect;
use planfuzz_core::msgpack::{decode, encode};
use planfuzz_core::planner::{Planner, Prepared};
use planfuzz_optimized::{Optimized, WireProgram};

use forms::Forms;

/// Cases of each preset in each test, without PLANFUZZ_WIRE_CASES.
const CASES: u64 = 400;

fn count() -> u64 {
    std::env::var("PLANFUZZ_WIRE_CASES").ok().and_then(|count| count.parse().ok()).unwrap_or(CASES)
}

/// Both ways for one schema.
struct Ways<'s> {
    bytes: WireProgram,
    trees: Box<dyn Prepared + 's>,
}

impl<'s> Ways<'s> {
    fn new(merge: &'s Merge, dialect: Dialect) -> Ways<'s> {
        Ways { bytes: WireProgram::compile(&merge.schema, dialect), trees: Optimized.prepare(&merge.schema, dialect) }
    }

    /// The result of decoding, merging and encoding, with refusals in the words of the other way.
    fn by_trees(&self, prior: &[u8], config: &[u8]) -> Result<Vec<u8>, String> {
        let ty = self.bytes.ty();
        let prior = decode(prior, ty).map_err(|error| format!("the prior state: {error}"))?;
        let config = decode(config, ty).map_err(|error| format!("the configuration: {error}"))?;
        let proposed = self.trees.proposed_new(&prior, &config).map_err(|refusal| refusal.to_string())?;
        encode(proposed.view(), ty).map_err(|error| error.to_string())
    }

    /// Whether there is an answer; asserts that both ways give the same.
    fn check(&self, prior: &[u8], config: &[u8], of: &str) -> bool {
        let found = self.bytes.proposed_new(prior, config).map_err(|error| error.to_string());
        assert_eq!(found, self.by_trees(prior, config), "{of}: {prior:02x?} and {config:02x?}");
        found.is_ok()
    }
}

/// Calls `test` with generated merges, as bytes of this suite's encoder.
fn for_generated(seed: u64, cases_of_each: u64, mut test: impl FnMut(&str, &Merge, &Ways<'_>, [Vec<u8>; 2])) {
    for (preset, settings) in Settings::PRESETS {
        let mut cases = Cases::new(Generator::new(settings), seed);
        for number in 0..cases_of_each {
            let Case { task: Task::Merge(merge), dialect, .. } = cases.case(number) else { continue };
            let ways = Ways::new(&merge, dialect);
            let write = |value: &planfuzz_core::value::Value| encode(value.view(), ways.bytes.ty()).expect("bytes");
            let sides = [write(&merge.prior), write(&merge.config)];
            test(&format!("{preset} {seed} {number} {dialect}"), &merge, &ways, sides);
        }
    }
}

#[test]
fn bytes_of_our_encoder() {
    let mut answered = 0;
    for_generated(1, count(), |of, _, ways, [prior, config]| {
        answered += u64::from(ways.check(&prior, &config, of));
    });
    assert!(answered > count(), "only {answered} were answered: the test has gone blind");
}

#[test]
fn the_same_values_in_other_forms() {
    let mut answered = 0;
    for_generated(2, count(), |of, merge, ways, sides| {
        for often in [2, 8, 64] {
            let mut forms = Forms::new(of, often);
            let other = [&merge.prior, &merge.config].map(|value| forms.written(value.view(), ways.bytes.ty()));
            answered += u64::from(ways.check(&other[0], &other[1], of));
            answered += u64::from(ways.check(&sides[0], &other[1], of));
            answered += u64::from(ways.check(&other[0], &sides[1], of));
        }
    });
    assert!(answered > count(), "only {answered} were answered: the test has gone blind");
}

#[test]
fn bytes_that_were_cut() {
    for_generated(3, count() / 20, |of, _, ways, [prior, config]| {
        let cuts = |bytes: &[u8]| (0..bytes.len()).step_by(1 + bytes.len() / 300).collect::<Vec<_>>();
        for end in cuts(&prior) {
            assert!(!ways.check(&prior[..end], &config, of), "{of}: the prior state cut at {end}");
        }
        for end in cuts(&config) {
            assert!(!ways.check(&prior, &config[..end], of), "{of}: the configuration cut at {end}");
        }
    });
}

#[test]
fn bytes_that_were_changed() {
    let (mut answered, mut refused) = (0_u64, 0_u64);
    for_generated(4, count() / 2, |of, merge, ways, sides| {
        let mut forms = Forms::new(of, 30);
        for turn in 0..24 {
            let mut sides = if turn % 3 == 0 {
                [&merge.prior, &merge.config].map(|value| forms.written(value.view(), ways.bytes.ty()))
            } else {
                sides.clone()
            };
            forms.damage(&mut sides[turn % 2]);
            *(if ways.check(&sides[0], &sides[1], of) { &mut answered } else { &mut refused }) += 1;
        }
    });
    assert!(
        answered > count() && refused > count(),
        "{answered} answered and {refused} refused: the test has gone blind"
    );
}
