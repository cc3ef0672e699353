//! The planner is held to the reference on generated cases, in an ordinary test: this is all that a project needs.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use own_planner::OwnPlanner;
use planfuzz::campaign::{Bound, Campaign, FoundCase, Observer, Progress, Report, Stream};
use planfuzz::compare::{Finding, Judge};
use planfuzz::generate::{Cases, Generator, Settings};
use planfuzz::subject::{InProcess, Subject};
use planfuzz_reference::Reference;

/// The same cases in every run; another number gives others.
const SEED: u64 = 1;
const CASES: u64 = 4_000;

/// Keeps the first finding, and ends the campaign with it.
#[derive(Default)]
struct First(Option<(FoundCase, Finding)>);

impl Observer for First {
    fn found(&mut self, at: FoundCase, finding: Finding) -> ControlFlow<()> {
        self.0 = Some((at, finding));
        ControlFlow::Break(())
    }

    fn progress(&mut self, _: &Progress) {}
}

fn compare(planner: OwnPlanner) -> (Report, Option<(FoundCase, Finding)>) {
    let settings = Settings::preset("tiny").expect("a preset");
    let mut cases = Cases::new(Generator::new(settings), SEED);
    let source = Stream::new((0..CASES).map(move |number| cases.case(number)));
    let subjects = || -> Result<Vec<Box<dyn Subject>>, String> {
        Ok(vec![Box::new(InProcess::new(Reference)), Box::new(InProcess::new(planner))])
    };
    let campaign = Campaign {
        source: &source,
        first: 0,
        subjects: &subjects,
        judge: &Judge::default(),
        bound: Bound { cases: Some(CASES), ..Bound::default() },
        jobs: 2,
        properties_every: 16,
    };
    let mut first = First::default();
    let report = campaign.run(&AtomicBool::new(false), &mut first).expect("both planners are of this process");
    (report, first.0)
}

#[test]
fn own_planner_agrees_with_the_reference() {
    let (report, finding) = compare(OwnPlanner::default());
    if let Some((at, finding)) = finding {
        let case = at.case.to_json().to_pretty();
        panic!("{}\nsave this as case.json and run `planfuzz probe case.json`:\n{case}", finding.what);
    }
    assert_eq!(report.summary.cases, CASES);
    assert!(report.summary.comparisons > CASES, "{} comparisons", report.summary.comparisons);
}

#[test]
fn a_mistake_in_the_new_piece_is_found() {
    let (_, finding) = compare(OwnPlanner { has_mistake: true });
    let (_, finding) = finding.expect("a finding");
    assert_eq!(finding.signature.op.name(), "proposed_new");
}
