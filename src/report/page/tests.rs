//! The page of small, hostile and long histories.

use planfuzz_core::json::Json;

use super::page;
use crate::night::History;
use crate::night::record::{Campaign, Feature, Kill, Night, Phase, PhaseOutcome, RecordedFinding};

/// A record in an old form.
const RECORD: &str = include_str!("../../night/formats/1.json");

/// A finding's file in an old form.
const FINDING: &str = r#"{"format": 1, "purpose": "what <b>holds</b>", "dialect": "terraform-1.11", "op": "proposed_new",
    "schema": {"version": 0, "block": {"attributes": {"a": {"type": "string", "optional": true}}}}, "prior": {"a": "x"},
    "config": {"a": "<i>"}, "finding": {"signature": "proposed_new diverge:primitive attribute reference/mine", "what": "they differ at .a",
    "answers": {"reference": {"value": {"a": "<i>"}}, "mine": {"value": {"a": "x"}}}, "origin": "seed 7, case 1", "command": "planfuzz probe"}}"#;

fn night() -> Night {
    Night::from_json(&Json::parse(RECORD).unwrap()).unwrap()
}

fn of(nights: Vec<Night>) -> String {
    page(&History { nights }).unwrap()
}

/// The text of a page, a line for each element that has some.
fn text(page: &str) -> String {
    let (_, body) = page.split_once("<body>").unwrap();
    let mut text = String::new();
    let mut rest = body;
    while let Some((before, after)) = rest.split_once('<') {
        text.push_str(before);
        let (tag, after) = after.split_once('>').unwrap();
        let is_inline = ["span", "/span", "b", "/b", "code", "/code", "time", "/time", "i", "/i"]
            .iter()
            .any(|name| tag.split(' ').next() == Some(name));
        text.push(if is_inline { ' ' } else { '\n' });
        rest = after;
    }
    let lines = text.lines().map(|line| line.split_ascii_whitespace().collect::<Vec<_>>().join(" "));
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_page_of_a_small_night() {
    let mut night = night();
    night.findings[0].document = Some(Json::parse(FINDING).unwrap());
    night.triage.extend(
        [("files", 7), ("flaky", 2), ("gone", 3), ("ran_over", 0)].map(|(name, count)| (name.to_owned(), count)),
    );
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../../snapshots/page");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!("small-night", text(&of(vec![night]))));
}

#[test]
fn a_night_that_knows_of_deep_clones_shows_them() {
    let night = Night::from_json(&Json::parse(include_str!("../../night/formats/1-clones.json")).unwrap()).unwrap();
    let page = text(&of(vec![self::night(), night]));
    assert!(page.contains("10-49 nodes\n144\n2 µs\n500 ns\n333 ns\n4 ×\n2 ×\n0.25 ×\n0.5 ×\n1.5 ×\n4 ×\n"), "{page}");
    assert!(page.contains("Optimized against a deep clone") && page.contains("workloads 0.75"), "{page}");
    // A night without deep clones shows none.
    assert!(!text(&of(vec![self::night()])).contains("deep clone"));
}

#[test]
fn a_night_that_measured_workspaces_shows_them() {
    let night = Night::from_json(&Json::parse(include_str!("../../night/formats/1-workspaces.json")).unwrap()).unwrap();
    let page = text(&of(vec![self::night(), night]));
    assert!(page.contains("chain\n200\nno change\n9 µs\n1.5 µs\n6 ×\n"), "{page}");
    assert!(page.contains("chain\n200\nfile\n80 µs\n1\n"), "{page}");
    // Without a measurement of the reference there is no ratio.
    assert!(page.contains("mixed\n200\nno change\n8 µs\n–\n–\n"), "{page}");
    assert!(page.contains("Workspaces without a change times faster than the reference\n"), "{page}");
    assert!(!text(&of(vec![self::night()])).contains("Whole workspaces"));
}

#[test]
fn counts_of_targets_are_shares_where_the_total_is_known() {
    let mut night = night();
    assert!(text(&of(vec![night.clone()])).contains("attribute.root\n25 %\n10 %\n5\n5\n"));
    night.targets[0].tally.sampled = Some(20);
    assert!(text(&of(vec![night])).contains("attribute.root\n25 %\n10 %\n5\n25 %\n"));
}

#[test]
fn differences_are_marked_as_in_probe() {
    let mut night = night();
    night.findings[0].document = Some(Json::parse(FINDING).unwrap());
    let page = of(vec![night]);
    let text = "a = &quot;&lt;i&gt;&quot;";
    assert!(page.contains(text), "{page}");
    assert!(page.contains("<span class=\"remove\"> ! </span>"), "{page}");
}

/// The document with every string replaced, except words of the format.
fn spoilt(json: &Json, hostile: &str) -> Json {
    match json {
        Json::String(text) if ["complete", "done", "over_time", "found"].contains(&&**text) => json.clone(),
        Json::String(text) => Json::string(&format!("{text}{hostile}")),
        Json::Array(items) => Json::Array(items.iter().map(|item| spoilt(item, hostile)).collect()),
        Json::Object(members) => {
            Json::Object(members.iter().map(|(name, value)| (name.clone(), spoilt(value, hostile))).collect())
        }
        other => other.clone(),
    }
}

#[test]
fn every_text_of_a_record_is_escaped() {
    for hostile in
        ["<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "'</pre></style><b>&amp;", "]]>\u{202e}\u{0}"]
    {
        let json = spoilt(&Json::parse(RECORD).unwrap(), hostile);
        let mut night = Night::from_json(&json).unwrap();
        night.targets[0].tally.features.insert(hostile.to_owned(), 1);
        let whole = spoilt(&Json::parse(FINDING).unwrap(), hostile);
        let mut named = Json::parse(FINDING).unwrap();
        if let Json::Object(members) = &mut named {
            let finding = members.last_mut().unwrap();
            finding.1 = spoilt(&finding.1, hostile);
        }
        let with = |document: Json| RecordedFinding { document: Some(document), ..night.findings[0].clone() };
        night.findings = vec![with(whole), with(named), with(Json::string(hostile)), night.findings[0].clone()];
        // Only the date of a time is shown, so the words may be at its beginning.
        let other = Night { started: hostile.to_owned(), ..night.clone() };
        let page = of(vec![other, night]);
        let plain = of(vec![self::night()]);
        for mark in ["<script", "<img", "</style><b>"] {
            assert!(!page.contains(mark), "{mark}: {page}");
        }
        assert_eq!(page.matches("</style>").count(), plain.matches("</style>").count());
        assert_eq!(page.matches("<pre>").count(), page.matches("</pre>").count());
    }
}

#[test]
fn the_page_is_whole_by_itself() {
    let page = of(vec![night()]);
    for outside in ["src=", "href=", "url(", "@import", "<script", "<link"] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert!(page.contains("prefers-color-scheme: dark"));
}

#[test]
fn a_page_of_a_year_stays_small() {
    let nights = (0..365_u32).map(|number| {
        let mut night = night();
        night.started = format!("20{:02}-01-01T00:00:00Z", number % 100);
        night.seed = number.to_string();
        night.targets[0].tally.executions = u64::from(number) * 7_919 % 100_000;
        let finding = |index: u32| RecordedFinding {
            signature: format!("proposed_new diverge:keys nested_{} reference/optimized", (number + index) % 200),
            document: Some(Json::parse(FINDING).unwrap()),
            ..night.findings[0].clone()
        };
        night.findings = (0..60).map(finding).collect();
        let feature =
            |index: u32| Feature { feature: format!("feature.{index}"), hits: 7, share: 0.01, floor: Some(0.1) };
        night.features = (0..700).map(feature).collect();
        let kill = |index: u32| Kill {
            fault: format!("b{index}-refinements-do-not-bind"),
            bug: Some(format!("B{index}")),
            rule: Some("AC11".to_owned()),
            by: Some("comparison, AC11-refined".to_owned()),
            ..night.kills[0].clone()
        };
        night.kills = (0..300).map(kill).collect();
        night
    });
    let page = of(nights.collect());
    assert!(page.len() < 700_000, "{} bytes", page.len());
}

#[test]
fn what_a_night_did_not_ask_or_sort_is_not_gone() {
    let before = Night { phases: vec![done("triage")], ..night() };
    let after = Night { findings: Vec::new(), ..before.clone() };
    let other = Night { subjects: Some(vec!["exec:other".to_owned()]), ..after.clone() };
    let failed = Night { phases: Vec::new(), ..after.clone() };
    for (latest, word) in [(after, "gone"), (other, "not asked"), (failed, "not sorted")] {
        let page = of(vec![before.clone(), latest]);
        let badges = ["gone", "not asked", "not sorted"].map(|word| page.contains(&format!("badge\">{word}<")));
        assert_eq!(badges, ["gone", "not asked", "not sorted"].map(|one| one == word), "{word}");
    }
}

#[test]
fn a_history_without_a_night_has_no_page() {
    assert!(page(&History::default()).is_err());
    // A night in which nothing happened has a page.
    assert!(of(vec![Night { phases: vec![done("triage")], ..Night::default() }]).contains("Nothing was compared"));
    assert!(of(vec![Night::default()]).contains("not sorted"));
}

fn done(name: &str) -> Phase {
    Phase { name: name.to_owned(), outcome: PhaseOutcome::Done, ..Phase::default() }
}

#[test]
fn skipped_phases_lower_the_verdict() {
    let bulk = Some(Campaign { comparisons: 7, ..Campaign::default() });
    let phases = |names: &[&str]| names.iter().map(|name| done(name)).collect::<Vec<_>>();
    let night = |names: &[&str]| Night { bulk: bulk.clone(), phases: phases(names), ..Night::default() };
    let whole = of(vec![night(&["canary", "kills", "coverage", "triage"])]);
    assert!(whole.contains("verdict good"), "{whole}");
    let page = of(vec![night(&["canary", "triage"])]);
    assert!(page.contains("verdict note") && page.contains("without kills, coverage"), "{page}");
    // The targets cover planfuzz's own planners.
    let subjects = Some(vec!["reference".to_owned(), "exec:./mine".to_owned()]);
    let of_user = of(vec![Night { subjects, ..night(&["canary", "kills", "triage"]) }]);
    assert!(of_user.contains("verdict good") && of_user.contains("exec:./mine"), "{of_user}");
}

#[test]
fn a_drawing_without_a_value_is_left_out() {
    let page = of(vec![Night { phases: vec![done("triage")], ..Night::default() }]);
    assert!(page.contains("<b>Findings</b>") && !page.contains("<b>Coverage</b>"), "{page}");
}
