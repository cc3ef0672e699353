//! Tests of kept programs.

use super::*;
use crate::process::Runs;

static NEVER: AtomicBool = AtomicBool::new(false);
const WIDE: Allowance = Allowance { memory: 1 << 30, processes: 64, log: 1 << 20 };

/// A kept program, and the directory that it works below.
fn kept(script: &str, allowance: Allowance) -> (Kept, tempfile::TempDir) {
    let temp = tempfile::tempdir().expect("a directory");
    let runs = Runs::open(temp.path()).expect("runs");
    let dir = runs.make().expect("a directory");
    let args = ["-c".to_owned(), script.to_owned()];
    let wanted = Wanted { program: Path::new("/bin/sh"), args: &args, variables: &[], allowance, stop: &NEVER };
    (Kept::start(&wanted, dir).expect("a keeper"), temp)
}

const SOON: Duration = Duration::from_secs(20);

#[test]
fn the_first_line_is_returned_and_the_program_is_ended() {
    let (mut kept, _temp) = kept("echo one; echo two; sleep 600", WIDE);
    assert_eq!(kept.first_line(SOON).as_deref(), Some("one"));
    assert_eq!(kept.death(Duration::ZERO), None);
    assert_eq!(kept.end(), Death::Ended);
    assert!(!kept.dir().exists());
}

#[test]
fn a_program_that_ends_by_itself_is_reported_with_its_log() {
    let (mut kept, _temp) = kept("echo why >&2; exit 3", WIDE);
    assert_eq!(kept.first_line(SOON), None);
    assert_eq!(kept.death(SOON), Some(Death::Itself { how: "exit status: 3".into() }));
    assert_eq!(kept.log(), "why\n");
}

#[test]
fn a_flood_is_ended_and_a_page_is_turned() {
    let (flood, _temp) = kept("while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx >&2; done", WIDE);
    assert_eq!(flood.death(SOON), Some(Death::Log(1 << 20)));
    assert!(flood.log().len() <= KEPT_LOG);
    let (quiet, _temp) = kept("head -c 900000 /dev/zero >&2; sleep 1; head -c 900000 /dev/zero >&2; sleep 600", WIDE);
    let until = Instant::now() + SOON;
    while quiet.shared.logged.load(Ordering::Relaxed) < 900_000 && Instant::now() < until {
        thread::sleep(LOOK_UP);
    }
    quiet.turn_page();
    assert_eq!(quiet.death(Duration::from_secs(2)), None);
}

#[test]
#[cfg(target_os = "linux")]
fn a_program_that_takes_too_much_is_ended() {
    let (many, _temp) = kept("sleep 600 & sleep 600 & sleep 600 & wait", Allowance { processes: 3, ..WIDE });
    assert_eq!(many.death(SOON), Some(Death::Processes(3)));
    let (fat, _temp) = kept("sleep 600", Allowance { memory: 1 << 10, ..WIDE });
    assert_eq!(fat.death(SOON), Some(Death::Memory(1 << 10)));
}

#[test]
fn a_program_that_does_not_start_is_reported() {
    let temp = tempfile::tempdir().expect("a directory");
    let dir = Runs::open(temp.path()).expect("runs").make().expect("a directory");
    let program = Path::new("/nowhere/provider");
    let wanted = Wanted { program, args: &[], variables: &[], allowance: WIDE, stop: &NEVER };
    let kept = Kept::start(&wanted, dir).expect("a keeper");
    assert!(matches!(kept.death(SOON), Some(Death::Start(_))));
}
