//! A command ended by a signal prints its summary, and leaves no program behind.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;
use std::time::{Duration, Instant};

use planfuzz_core::json::Json;

use crate::running::is_running;
use crate::signals;
use crate::{Place, count};

const INTERRUPT: signals::Signal = signals::Signal { name: "INT", number: 2 };

const TERMINATE: signals::Signal = signals::Signal { name: "TERM", number: 15 };

/// Starts a run in a process group of its own, signals the whole group as a terminal does, and returns the summary; `None`
/// if the signal is ignored.
fn ended_by(signal: signals::Signal, place: &Place, arguments: &[&str], expected: i32) -> Option<String> {
    ended(signal, place, arguments, expected, |run| signal.send(-run))
}

/// The same, with the process of the run sent the signal in another way.
fn ended(
    signal: signals::Signal,
    place: &Place,
    arguments: &[&str],
    expected: i32,
    send: impl Fn(i64),
) -> Option<String> {
    if signal.is_ignored() {
        return None;
    }
    let mut command = place.command(arguments);
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut run = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut errors = BufReader::new(run.stderr.take().expect("piped"));
    let mut line = String::new();
    errors.read_line(&mut line).expect("it prints what it does");
    assert!(line.contains("seed 1: tiny cases"), "{line}");
    std::thread::sleep(Duration::from_millis(300));
    let begin = Instant::now();
    send(run.id().into());
    let mut out = String::new();
    run.stdout.take().expect("piped").read_to_string(&mut out).expect("text");
    let code = run.wait().expect("it ends").code();
    assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
    assert_eq!(code, Some(expected), "{out}");
    Some(out)
}

fn summary(out: &str) -> Json {
    Json::parse(out.trim_end()).expect("the summary")
}

#[test]
fn a_run_that_is_ended_prints_its_summary() {
    for signal in [INTERRUPT, TERMINATE] {
        let place = Place::new();
        let arguments = ["run", "--time", "60s", "--preset", "tiny", "--seed", "1", "--json", "--resume", "state.json"];
        let Some(out) = ended_by(signal, &place, &arguments, 0) else { continue };
        let cases = count(&summary(&out), &["cases"]);
        assert!(cases > 0);
        assert_eq!(count(&summary(&out), &["next"]), cases, "a run goes on where it ended");
        assert!(place.path("state.json").exists());
        let Some(out) = ended_by(signal, &place, &["run", "--preset", "tiny", "--seed", "1"], 0) else { continue };
        assert!(out.contains("cases") && out.contains("no findings"), "{out}");
    }
}

/// So does `timeout`: which of the two comes first is chance.
#[test]
fn a_signal_to_the_command_and_to_its_group_at_once_is_one() {
    let place = Place::new();
    for _ in 0..3 {
        let arguments = ["run", "--time", "60s", "--preset", "tiny", "--seed", "1", "--json"];
        let both = |run: i64| TERMINATE.send_all(&[run, -run]);
        let Some(out) = ended(TERMINATE, &place, &arguments, 0, both) else { return };
        assert!(count(&summary(&out), &["cases"]) > 0);
    }
}

/// The run is started with hangup ignored: a termination still ends it with a summary.
#[test]
fn a_run_under_nohup_gives_its_summary_when_it_is_terminated() {
    if INTERRUPT.is_ignored() || TERMINATE.is_ignored() {
        return;
    }
    let place = Place::new();
    let mut command = std::process::Command::new("nohup");
    let words = ["run", "--time", "60s", "--preset", "tiny", "--seed", "1", "--json"];
    command.arg(env!("CARGO_BIN_EXE_planfuzz")).args(words).current_dir(place.path("."));
    let mut run =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).stdin(Stdio::null()).spawn().expect("it starts");
    let mut errors = BufReader::new(run.stderr.take().expect("piped"));
    let mut line = String::new();
    errors.read_line(&mut line).expect("it prints what it does");
    std::thread::sleep(Duration::from_millis(300));
    signals::Signal { name: "HUP", number: 1 }.send(run.id().into());
    std::thread::sleep(Duration::from_millis(300));
    assert!(run.try_wait().expect("it runs").is_none(), "the end of the terminal is ignored");
    TERMINATE.send(run.id().into());
    let mut out = String::new();
    run.stdout.take().expect("piped").read_to_string(&mut out).expect("text");
    assert_eq!(run.wait().expect("it ends").code(), Some(0), "{out}");
    assert!(count(&summary(&out), &["cases"]) > 0);
}

#[test]
fn an_interrupt_is_not_taken_for_the_end_of_a_program() {
    let place = Place::new();
    place.write("hangs.sh", "echo '{\"hello\":1}'; sleep 60");
    let arguments = ["run", "--preset", "tiny", "--seed", "1", "--json", "--subject", "reference"];
    let arguments = [&arguments[..], &["--subject", "exec:sh hangs.sh"]].concat();
    let Some(json) = ended_by(INTERRUPT, &place, &arguments, 2).map(|out| summary(&out)) else { return };
    assert_eq!(count(&json, &["verdicts", "crash"]), 0);
    assert!(count(&json, &["left_out", "exec:sh hangs.sh: interrupted"]) > 0);
    assert_eq!(count(&json, &["cases"]), 0);
}

/// The program ignores the end of its input and signals to end, and has started another one.
#[cfg(target_os = "linux")]
#[test]
fn a_killed_suite_leaves_no_program_behind() {
    let place = Place::new();
    place.write(
        "stays.sh",
        "trap '' TERM HUP; echo $$ >> pids; sleep 300 & echo $! >> pids; echo '{\"hello\":1}'; sleep 300; sleep 300",
    );
    let arguments = ["run", "--jobs", "1", "--subject", "reference", "--subject", "exec:sh stays.sh"];
    let mut run = place.command(&arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    let pids = || fs::read_to_string(place.path("pids")).unwrap_or_default();
    let begin = Instant::now();
    while pids().lines().count() < 4 && begin.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(20));
    }
    run.kill().expect("killed");
    run.wait().expect("it ends");
    assert!(pids().lines().count() >= 4, "a program for the worker and one for the shrinker: {}", pids());
    let begin = Instant::now();
    while pids().lines().any(is_running) {
        assert!(begin.elapsed() < Duration::from_secs(10), "some of {} are left", pids());
        std::thread::sleep(Duration::from_millis(20));
    }
}
