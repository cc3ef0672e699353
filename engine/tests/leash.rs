//! A child process ends with the process that started it, however that one ends. This program is its own subject: it starts itself as the
//! parent that is killed.

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("left out: processes are tied to each other on Linux, and can be looked at there");
}

#[cfg(target_os = "linux")]
fn main() {
    linux::main();
}

#[cfg(target_os = "linux")]
mod linux {
    use std::io::{BufRead as _, BufReader};
    use std::path::{Path, PathBuf};
    use std::process::{Child, Command, Stdio};
    use std::sync::atomic::AtomicBool;
    use std::time::{Duration, Instant};

    use planfuzz_engine::process::{RunError, RunOutcome, RunRequest, Runs, end, leash, run};

    const PARENT: &str = "LEASH_TEST_PARENT";

    pub fn main() {
        let parent = std::env::var(PARENT).ok();
        if !parent.as_deref().is_some_and(|how| how.starts_with("free")) {
            leash::begin();
        }
        match parent {
            Some(_) => be_parent(),
            None => {
                for (name, test) in TESTS {
                    println!("test {name} ...");
                    test();
                }
            }
        }
    }

    const TESTS: [(&str, fn()); 5] = [
        ("a_program_that_ends_at_once_leaves_nothing", a_program_that_ends_at_once_leaves_nothing),
        ("a_child_dies_with_a_killed_parent", a_child_dies_with_a_killed_parent),
        ("the_next_start_removes_leftovers_of_a_killed_owner", the_next_start_removes_leftovers_of_a_killed_owner),
        ("a_living_owner_is_left_alone", a_living_owner_is_left_alone),
        ("a_program_on_the_leash_is_run_as_it_would_be_without", a_program_on_the_leash_is_run_as_it_would_be_without),
    ];

    /// Prints a directory below the argument and runs `sleep` in it; it is killed meanwhile.
    fn be_parent() {
        let temp = PathBuf::from(std::env::args_os().nth(1).expect("a directory"));
        let runs = Runs::open(&temp).expect("runs");
        let dir = runs.make().expect("a directory");
        println!("{}", dir.path().display());
        if std::env::var(PARENT).is_ok_and(|how| how.ends_with("ending")) {
            let dir = dir.path().to_owned();
            std::thread::spawn(move || {
                wait_until("the child sleeps", || sleepers(&dir).len() == 1);
                end(7)
            });
        }
        let stop = AtomicBool::new(false);
        let (program, args) = (Path::new("/bin/sleep"), ["100"]);
        let limit = Duration::from_secs(100);
        run(&RunRequest { program, dir: &dir, args: &args, variables: &[], limit, stop: &stop }).expect("run");
    }

    /// Starts a parent; gives it, the directory it runs in, and waits until its child sleeps there.
    fn start_parent(temp: &Path, how: &str) -> (Child, PathBuf) {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.arg(temp).env(PARENT, how).stdout(Stdio::piped());
        let mut parent = command.spawn().expect("a parent");
        let mut line = String::new();
        BufReader::new(parent.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
        let dir = PathBuf::from(line.trim_end());
        wait_until("the child sleeps", || sleepers(&dir).len() == 1);
        (parent, dir)
    }

    /// Who works in a directory and has become `sleep`.
    fn sleepers(dir: &Path) -> Vec<String> {
        let pids = std::fs::read_dir("/proc").expect("processes").filter_map(|entry| {
            let pid = entry.ok()?.file_name().into_string().ok()?;
            let works_there = std::fs::read_link(format!("/proc/{pid}/cwd")).ok()?.starts_with(dir);
            let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).ok()?;
            (works_there && name.trim_end() == "sleep").then_some(pid)
        });
        pids.collect()
    }

    fn wait_until(what: &str, holds: impl Fn() -> bool) {
        let until = Instant::now() + Duration::from_secs(10);
        while !holds() {
            assert!(Instant::now() < until, "waited in vain until {what}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn kill(mut parent: Child) {
        parent.kill().expect("killed");
        parent.wait().expect("gone");
    }

    fn a_child_dies_with_a_killed_parent() {
        let temp = tempfile::tempdir().expect("a directory");
        let (parent, dir) = start_parent(temp.path(), "leashed");
        kill(parent);
        wait_until("the child is gone", || sleepers(&dir).is_empty());
    }

    fn a_program_that_ends_at_once_leaves_nothing() {
        let temp = tempfile::tempdir().expect("a directory");
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        // Without a leash, so that it is not the kernel who ends the child.
        command.arg(temp.path()).env(PARENT, "free ending").stdout(Stdio::piped());
        let ended = command.output().expect("a parent");
        assert_eq!(ended.status.code(), Some(7));
        let dir = PathBuf::from(String::from_utf8(ended.stdout).expect("text").trim_end());
        assert!(sleepers(&dir).is_empty());
        assert_eq!(std::fs::read_dir(temp.path()).expect("a directory").count(), 0);
    }

    fn the_next_start_removes_leftovers_of_a_killed_owner() {
        let temp = tempfile::tempdir().expect("a directory");
        let (parent, dir) = start_parent(temp.path(), "free");
        kill(parent);
        assert_eq!(sleepers(&dir).len(), 1, "without a leash it outlives its parent");
        let runs = Runs::open(temp.path()).expect("runs");
        let swept = runs.swept();
        assert_eq!((swept.directories, swept.processes, swept.left.len()), (1, 1, 0));
        assert!(sleepers(&dir).is_empty() && !dir.exists());
        drop(runs);
        assert_eq!(std::fs::read_dir(temp.path()).expect("a directory").count(), 0);
    }

    fn a_living_owner_is_left_alone() {
        let temp = tempfile::tempdir().expect("a directory");
        let (parent, dir) = start_parent(temp.path(), "leashed");
        let runs = Runs::open(temp.path()).expect("runs");
        assert_eq!((runs.swept().directories, runs.swept().processes), (0, 0));
        assert_eq!(sleepers(&dir).len(), 1);
        kill(parent);
        wait_until("the child is gone", || sleepers(&dir).is_empty());
    }

    fn a_program_on_the_leash_is_run_as_it_would_be_without() {
        let temp = tempfile::tempdir().expect("a directory");
        let runs = Runs::open(temp.path()).expect("runs");
        let (dir, stop) = (runs.make().expect("a directory"), AtomicBool::new(false));
        let limit = Duration::from_secs(20);
        let of = |program: &str, args: &[&str]| {
            run(&RunRequest {
                program: program.as_ref(),
                dir: &dir,
                args,
                variables: &[("A", "b")],
                limit,
                stop: &stop,
            })
        };
        let Ok(RunOutcome::Finished(finished)) =
            of("/bin/sh", &["-c", "echo $A; pwd; env | grep -c LEASH; exit 5", "x"])
        else {
            panic!("expected an end");
        };
        assert_eq!(finished.exit, 5);
        let printed = String::from_utf8(finished.stdout).expect("text");
        assert_eq!(printed, format!("b\n{}\n0\n", dir.path().display()));
        let missing = of("/nowhere/terraform", &[]);
        assert!(matches!(missing, Err(RunError::Start { .. })), "{missing:?}");
    }
}
