//! The night and its page from end to end, with scripts instead of coverage-guided targets.
#![cfg(unix)]

#[path = "common/place.rs"]
mod place;
#[path = "common/running.rs"]
mod running;
#[path = "common/signals.rs"]
mod signals;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use place::Place;
use planfuzz::night::History;
use planfuzz::night::record::{End, Night, PhaseOutcome};
use running::is_running;

/// Behaves like a target: libFuzzer's options, folders as arguments, two variables. It finds one case at once.
const TARGET: &str = r##"#!/bin/sh
name=$(basename "$0"); time=1; first=
# Asked to replay a file, it finds nothing.
[ -n "$PLANFUZZ_FUZZ_FINDINGS" ] || exit 0
for argument; do
  case "$argument" in
    -max_total_time=*) time=${argument#*=} ;;
    -runs=0) echo "#5	INITED cov: 57 ft: 83 corp: 3/520b exec/s: 0 rss: 30Mb" >&2; exit 0 ;;
    -*) ;;
    *) first=${first:-$argument} ;;
  esac
done
tally() {
  echo "{\"target\":\"$name\",\"executions\":$1,\"rejected\":1,\"cases\":$1,\"comparisons\":$1,\"checks\":2,\"seconds\":$time,\"cpu_seconds\":$time,\"verdicts\":{\"agree\":$1}}" > "$PLANFUZZ_FUZZ_TALLY.new"
  mv "$PLANFUZZ_FUZZ_TALLY.new" "$PLANFUZZ_FUZZ_TALLY"
}
cp "$(dirname "$0")/case.json" "$PLANFUZZ_FUZZ_FINDINGS/found-by-$name.json"
echo compact > "$first/explored"
tally 1
echo $$ > "$(dirname "$0")/$name.pid"
sleep "$time"
tally 100
"##;

/// A folder with targets that behave in this way, and a case for them.
fn place(target: &str) -> Place {
    let place = Place::new();
    fs::create_dir_all(place.path("corpus/planner")).expect("a folder");
    let case = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/planner/flags-decide-who-wins.json");
    place.write("bin/case.json", fs::read(case).expect("a case"));
    for name in ["planner", "lifecycle", "workspace", "codecs"] {
        place.program(&format!("bin/{name}"), target);
    }
    place
}

impl Place {
    /// Writes a program.
    fn program(&self, name: &str, text: &str) {
        self.write(name, text);
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o755)).expect("made executable");
    }

    fn night(&self, more: &[&str]) -> Command {
        let mut command = self.command(&["night", "--jobs", "2", "--binaries", "bin"]);
        command.args(more).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn history(&self) -> Vec<Night> {
        let bytes = fs::read(self.path("night/history.jsonl")).expect("a history");
        History::parse(&bytes).expect("records").nights
    }

    /// The process ids of the targets that were started.
    fn pids(&self) -> Vec<i32> {
        let pids =
            ["planner", "lifecycle", "workspace", "codecs"].map(|name| self.path("bin").join(format!("{name}.pid")));
        pids.iter().filter_map(|path| fs::read_to_string(path).ok()?.trim().parse().ok()).collect()
    }

    fn wait_for_target(&self) {
        wait(|| !self.pids().is_empty() && self.path("night/cache/findings/found-by-planner.json").exists());
    }
}

/// The signal that ends a night.
const TERMINATE: signals::Signal = signals::Signal { name: "TERM", number: 15 };

fn terminate(child: &Child) {
    TERMINATE.send(i64::from(child.id()));
}

fn wait(until: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !until() {
        assert!(Instant::now() < end, "it does not come");
        thread::sleep(Duration::from_millis(20));
    }
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn ended(child: Child) -> Output {
    child.wait_with_output().expect("it ends")
}

#[test]
fn a_night_ends_in_its_time_with_one_record() {
    let place = place(TARGET);
    let begun = Instant::now();
    let output = place.night(&["--minutes", "0.2", "--seed", "7", "--commit", "abc"]).output().expect("it starts");
    let text = text(&output);
    // The time, and a margin for starting and ending on a busy machine.
    assert!(begun.elapsed() < Duration::from_secs(12 + 8), "{:?}: {text}", begun.elapsed());
    let nights = place.history();
    let [night] = &nights[..] else { panic!("one night: {text}") };
    assert_eq!((night.end, night.seed.as_str(), night.commit.as_deref()), (End::Complete, "7", Some("abc")));
    assert!(night.seconds > 1.0 && (night.minutes - 0.2).abs() < 1e-9, "{night:?}");
    let names: Vec<&str> = night.targets.iter().map(|target| target.tally.target.as_str()).collect();
    assert!(names.contains(&"planner") && names.contains(&"lifecycle"), "{names:?}");
    assert!(night.executions() >= 200, "{night:?}");
    assert!(night.targets.iter().all(|target| target.deaths == 0 && target.silent == 0), "{:?}", night.targets);
    assert!(night.bulk.as_ref().is_some_and(|bulk| bulk.cases > 0), "{text}");
    let outcome_of = |name: &str| night.phases.iter().find(|phase| phase.name == name).map(|phase| phase.outcome);
    assert_eq!(
        (outcome_of("restore"), outcome_of("fuzz")),
        (Some(PhaseOutcome::Done), Some(PhaseOutcome::Done)),
        "{text}"
    );
    assert_eq!(
        night.phases.iter().filter(|phase| phase.outcome == PhaseOutcome::Skipped).count(),
        // The night is too short for all planted faults.
        1 + usize::from(!cfg!(feature = "faults"))
    );
    assert!(place.pids().into_iter().all(|pid| !is_running(pid)));

    // Another night appends its record, and the page shows both.
    place.night(&["--minutes", "0.1"]).output().expect("it starts");
    assert_eq!(place.history().len(), 2);
    let output =
        place.command(&["report", "night/history.jsonl", "--output", "page.html"]).output().expect("it starts");
    assert_eq!(output.status.code(), Some(0), "{}", self::text(&output));
    let page = fs::read_to_string(place.path("page.html")).expect("a page");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("lifecycle"));
}

#[cfg(not(feature = "faults"))]
#[test]
fn a_night_that_does_not_look_for_planted_mistakes_reports_it() {
    let place = place(TARGET);
    let output = place.command(&["night", "--minutes", "0.05", "--jobs", "1"]).output().expect("it starts");
    let night = &place.history()[0];
    assert_eq!(night.canary.outcome, planfuzz::night::record::CanaryOutcome::Absent);
    assert!(night.canary.reason.contains("planfuzz-faults"), "{:?}", night.canary);
    assert!(night.targets.is_empty(), "{}", text(&output));
}

/// A user's planner: planfuzz's own behind the line protocol, with a command that changes its answers.
fn own_planner(place: &Place, then: &str) -> String {
    let serve = format!("#!/bin/sh\n{} serve{then}\n", env!("CARGO_BIN_EXE_planfuzz"));
    place.program("mine.sh", &serve);
    "exec:./mine.sh".to_owned()
}

#[test]
fn a_night_is_about_the_planner_that_is_named() {
    let place = place(TARGET);
    let mine = own_planner(&place, "");
    fs::remove_dir_all(place.path("corpus")).expect("removed");
    let asked = ["--subject", &mine, "--dialect", "opentofu-1.12", "--op", "proposed_new", "--seed", "1"];
    let output = place.night(&["--minutes", "0.1"]).args(asked).output().expect("it starts");
    let night = &place.history()[0];
    assert_eq!(night.subjects, Some(vec!["reference".to_owned(), mine]), "{}", text(&output));
    assert!(night.targets.is_empty(), "{:?}", night.targets);
    assert!(night.comparisons() > 0 && night.findings.is_empty(), "{}", text(&output));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let messages =
        fs::read_to_string(place.path("night/work/tonight/log/run-1.err")).expect("the messages of the campaign");
    assert!(messages.contains("opentofu-1.12") && messages.contains("reference"), "{messages}");
}

#[test]
fn a_mistake_in_the_planner_that_is_named_is_sorted_and_recorded() {
    let place = place(TARGET);
    let mine = own_planner(&place, " | sed -u 's/:true/:false/'");
    let asked = ["--subject", &mine, "--op", "proposed_new", "--seed", "1"];
    let output = place.night(&["--minutes", "0.4"]).args(asked).output().expect("it starts");
    let night = &place.history()[0];
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    let [finding, ..] = &night.findings[..] else { panic!("a finding: {}", text(&output)) };
    assert!(finding.new && finding.command.contains("mine.sh"), "{finding:?}");
}

#[test]
fn a_planner_that_does_not_start_ends_the_night_before_it_begins() {
    let place = place(TARGET);
    let output = place.night(&["--minutes", "5", "--subject", "exec:./nowhere"]).output().expect("it starts");
    assert!(matches!(output.status.code(), Some(2 | 3)), "{}", text(&output));
    assert!(!place.path("night/history.jsonl").exists());
}

#[test]
fn a_killed_night_leaves_no_process_and_loses_no_finding() {
    let place = place(TARGET);
    let mut child = place.night(&["--minutes", "1"]).spawn().expect("it starts");
    place.wait_for_target();
    child.kill().expect("killed");
    ended(child);
    if cfg!(all(target_os = "linux", feature = "engine")) {
        wait(|| place.pids().into_iter().all(|pid| !is_running(pid)));
    }
    assert!(place.path("night/cache/findings/found-by-planner.json").exists());
    assert!(!place.path("night/history.jsonl").exists());
    // The next night is not blocked.
    place.night(&["--minutes", "0.05"]).output().expect("it starts");
    assert_eq!(place.history().len(), 1);
}

#[test]
fn a_night_that_is_ended_leaves_its_record() {
    if TERMINATE.is_ignored() {
        return;
    }
    let place = place(TARGET);
    let child = place.night(&["--minutes", "1"]).spawn().expect("it starts");
    place.wait_for_target();
    terminate(&child);
    let begun = Instant::now();
    let output = ended(child);
    assert!(begun.elapsed() < Duration::from_secs(10), "{}", text(&output));
    let night = &place.history()[0];
    assert_eq!(night.end, End::Interrupted);
    assert!(night.executions() > 0, "{night:?}");
    assert!(place.pids().into_iter().all(|pid| !is_running(pid)));
}

#[test]
fn a_target_that_does_not_stay_fails_the_night() {
    let place = place("#!/bin/sh\necho 'error: I am broken' >&2\nexit 77\n");
    let output = place.night(&["--minutes", "0.1"]).output().expect("it starts");
    assert_eq!(output.status.code(), Some(3), "{}", text(&output));
    let night = &place.history()[0];
    let fuzz = night.phases.iter().find(|phase| phase.name == "fuzz").expect("a phase");
    assert_eq!(fuzz.outcome, PhaseOutcome::Failed);
    assert!(fuzz.reason.as_ref().is_some_and(|reason| reason.contains("I am broken")), "{fuzz:?}");
    assert!(night.targets.iter().any(|target| target.deaths > 0 && target.silent > 0), "{:?}", night.targets);
}

#[test]
fn two_nights_do_not_share_a_cache() {
    let place = place(TARGET);
    let child = place.night(&["--minutes", "1"]).spawn().expect("it starts");
    place.wait_for_target();
    let output = place.night(&["--minutes", "0.05", "--work", "other"]).output().expect("it starts");
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    terminate(&child);
    ended(child);
}

#[test]
fn wrong_options_are_refused_before_the_night() {
    let place = place(TARGET);
    place.write("no-history", "{}\n");
    let wrong: [&[&str]; 6] = [
        &["night"],
        &["night", "--minutes", "0"],
        &["night", "--minutes", "1", "--binaries", "nowhere"],
        &["night", "--minutes", "1", "--seed", "no seed"],
        &["night", "--minutes", "1", "--history", "no-history"],
        &["report", "no-history", "--output", "page.html"],
    ];
    for arguments in wrong {
        let output = place.command(arguments).output().expect("it starts");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output));
    }
    assert!(!place.path("page.html").exists());
}
