//! A run with a real engine that is ended at any moment: no process outlives it, no finding is half written, and the next start
//! removes what a kill leaves.
#![cfg(target_os = "linux")]

#[path = "common/engine.rs"]
mod engine;
#[path = "common/place.rs"]
mod place;
#[path = "common/signals.rs"]
mod signals;

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use place::Place;
use planfuzz::case::CaseFile;
use planfuzz_core::json::Json;
use signals::Signal;

/// The signal of Ctrl-C at a terminal.
const INTERRUPT: Signal = Signal { name: "INT", number: 2 };

/// The signal that asks a process to end.
const TERMINATE: Signal = Signal { name: "TERM", number: 15 };

/// The time limit of every wait.
const LIMIT: Duration = Duration::from_secs(30);

/// A planner that refuses every walk, so that there are findings.
const REFUSES: &str = r#"IFS= read -r hello; echo '{"hello":1,"name":"refuser","ops":["plan","apply"]}'
while IFS= read -r line; do id=${line#*\"id\":\"}; printf '{"id":"%s","error":"no"}\n' "${id%%\"*}"; done
"#;

/// Random numbers from a seed.
struct Dice(u64);

impl Dice {
    /// Random numbers from the user's seed, or one from the clock.
    fn roll() -> Dice {
        let given = std::env::var("PLANFUZZ_KILLS").ok().and_then(|text| text.parse().ok());
        let clock =
            || SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(1, |time| time.subsec_nanos().into());
        let seed = given.unwrap_or_else(clock);
        println!("PLANFUZZ_KILLS={seed}");
        Dice(seed)
    }

    /// A random time below a bound.
    fn below(&mut self, bound: Duration) -> Duration {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        bound.mul_f64((self.0 >> 32) as f64 / f64::from(u32::MAX))
    }
}

/// When a run is ended.
#[derive(Clone, Copy, Debug)]
enum Moment {
    /// This long after its start.
    Started(Duration),
    /// This long after it has begun to write its first finding.
    Drafting(Duration),
    /// This long after its first finding is there.
    Found(Duration),
}

impl Moment {
    /// Moments of every kind.
    fn all(count: usize, dice: &mut Dice) -> Vec<Moment> {
        let moment = |number: usize| match number % 4 {
            0 | 1 => Moment::Started(dice.below(Duration::from_millis(600))),
            2 => Moment::Drafting(dice.below(Duration::from_millis(2))),
            _ => Moment::Found(dice.below(Duration::from_millis(300))),
        };
        (0..count).map(moment).collect()
    }

    /// Waits for the moment.
    fn wait(self, place: &Place, run: &mut Child) {
        let (files, then): (fn(&str) -> bool, _) = match self {
            Moment::Started(time) => return thread::sleep(time),
            Moment::Drafting(time) => (|name| is_draft(name) || is_finding(name), time),
            Moment::Found(time) => (is_finding, time),
        };
        wait_until("it finds something", Duration::from_micros(300), || {
            assert!(run.try_wait().expect("a child").is_none(), "it ended by itself");
            place.findings().iter().any(|name| files(name))
        });
        thread::sleep(then);
    }
}

fn is_draft(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.starts_with(".planfuzz-") && name.ends_with(".draft")
}

fn is_finding(name: &str) -> bool {
    name.ends_with(".json")
}

fn wait_until(what: &str, look_up: Duration, mut holds: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !holds() {
        assert!(begin.elapsed() < LIMIT, "waited in vain until {what}");
        thread::sleep(look_up);
    }
}

/// A folder for runs, with a folder for temporary files and one for findings.
fn place() -> Place {
    let place = Place::new();
    fs::create_dir(place.temporary()).expect("a folder");
    place.write("refuses.sh", REFUSES);
    place
}

impl Place {
    fn temporary(&self) -> PathBuf {
        self.path("t")
    }

    fn state(&self) -> PathBuf {
        self.path("state.json")
    }

    /// A run that resumes the last one, and writes its messages to a file.
    fn campaign(&self, more: &[&str]) -> Command {
        let mut command = self.command(&["run", "--subject", "reference", "--subject", "terraform"]);
        command.args(["--op", "scenario", "--preset", "tiny", "--seed", "1", "--resume", "state.json"]).args(more);
        let messages = fs::File::create(self.path("messages")).expect("a file");
        command.env("TMPDIR", self.temporary()).stdout(Stdio::null()).stderr(messages);
        command
    }

    /// Starts a run with two workers: a short one soon has findings, a long one has many cases.
    fn start(&self, is_short: bool) -> Child {
        // The run belongs to another campaign than those before.
        fs::remove_file(self.state()).ok();
        for name in self.findings().iter().filter(|name| is_finding(name)) {
            fs::remove_file(self.path("findings").join(name)).expect("removed");
        }
        let cases = if is_short { "2" } else { "100000" };
        let refuser = format!("exec:sh {}", self.path("refuses.sh").display());
        self.campaign(&["--jobs", "2", "--cases", cases, "--subject", &refuser]).spawn().expect("it starts")
    }

    /// The messages of the last run.
    fn messages(&self) -> String {
        fs::read_to_string(self.path("messages")).expect("a text file")
    }

    /// The files of the findings and of their folders, one for each likely cause.
    fn findings(&self) -> Vec<String> {
        let top = self.path("findings");
        let within = |name: String| match top.join(&name).is_dir() {
            true => names(&top.join(&name)).into_iter().map(|file| format!("{name}/{file}")).collect(),
            false => vec![name],
        };
        names(&top).into_iter().flat_map(within).collect()
    }

    /// The running processes that work in this place, or have its path in their environment or arguments.
    fn processes(&self) -> Vec<String> {
        let place = self.0.path().as_os_str().as_encoded_bytes();
        let holds = |bytes: &[u8]| bytes.windows(place.len()).any(|window| window == place);
        let is_here = |pid: &str| {
            let of = |name: &str| Path::new("/proc").join(pid).join(name);
            fs::read_link(of("cwd")).is_ok_and(|cwd| cwd.starts_with(self.0.path()))
                || ["environ", "cmdline"].iter().any(|name| fs::read(of(name)).is_ok_and(|bytes| holds(&bytes)))
        };
        let description = |pid: String| {
            let words = fs::read(Path::new("/proc").join(&pid).join("cmdline")).unwrap_or_default();
            format!("{pid}: {}", String::from_utf8_lossy(&words).replace('\0', " "))
        };
        names(Path::new("/proc")).into_iter().filter(|name| is_here(name)).map(description).collect()
    }

    /// Checks what holds whenever and however a run ends.
    fn check_files(&self) {
        for name in self.findings() {
            if is_draft(&name) {
                continue;
            }
            let text = fs::read_to_string(self.path("findings").join(&name)).expect("a text file");
            let json = Json::parse(&text).unwrap_or_else(|problem| panic!("{name}: {problem}"));
            let file = CaseFile::from_json(&json).unwrap_or_else(|problem| panic!("{name}: {problem}"));
            let finding = file.finding.unwrap_or_else(|| panic!("{name}: expected a finding"));
            let is_of_the_end = finding.signature.contains("crash") || finding.what.contains("interrupt");
            assert!(!is_of_the_end, "{name}: {finding:?}");
        }
        if let Ok(text) = fs::read_to_string(self.state()) {
            Json::parse(&text).unwrap_or_else(|problem| panic!("the state of the campaign: {problem}"));
        }
    }

    /// How many files a run left that have to be removed.
    fn left(&self) -> usize {
        let here = names(self.0.path());
        let drafts = here.iter().chain(&self.findings()).filter(|name| is_draft(name)).count();
        names(&self.temporary()).len() + drafts
    }
}

fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect()
}

/// Does work for each of some moments, in parallel lanes, each in a place of its own.
fn in_lanes(moments: &[Moment], work: impl Fn(&Place, usize, Moment) + Sync) {
    const LANES: usize = 3;
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..LANES {
            scope.spawn(|| {
                let place = place();
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(moment) = moments.get(number) else { break };
                    work(&place, number, *moment);
                }
                // The next start, which belongs to another campaign.
                fs::remove_file(place.state()).ok();
                let last = place.campaign(&["--cases", "24"]).status().expect("it starts");
                assert!(matches!(last.code(), Some(0 | 1)), "{last}: {}", place.messages());
                assert_eq!(place.left(), 0, "{:?} {:?}", names(&place.temporary()), place.findings());
                place.check_files();
            });
        }
    });
}

#[test]
fn a_killed_run_leaves_no_process_and_the_next_start_removes_its_files() {
    if engine::terraform().is_none() {
        return;
    }
    let (left, drafts, findings) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    let moments = Moment::all(20, &mut Dice::roll());
    in_lanes(&moments, |place, number, moment| {
        let mut run = place.start(!matches!(moment, Moment::Started(_)));
        moment.wait(place, &mut run);
        run.kill().expect("it runs");
        run.wait().expect("it ends");
        wait_until("no process is left", Duration::from_millis(5), || place.processes().is_empty());
        place.check_files();
        let here = place.findings();
        drafts.fetch_add(here.iter().filter(|name| is_draft(name)).count(), Ordering::Relaxed);
        findings.fetch_add(here.iter().filter(|name| is_finding(name)).count(), Ordering::Relaxed);
        left.fetch_add(place.left(), Ordering::Relaxed);
        println!("{number}: killed {moment:?}, {} to be removed, findings {here:?}", place.left());
    });
    let (left, drafts, findings) = (left.into_inner(), drafts.into_inner(), findings.into_inner());
    println!("{left} to be removed, {drafts} of them drafts, and {findings} findings");
    assert!(left > 0 && findings > 0, "nothing was in the making");
}

/// Ends runs by a signal; returns how long the slowest took to end.
fn end_by(signal: Signal) -> Duration {
    let slowest = std::sync::Mutex::new(Duration::ZERO);
    let moments = Moment::all(5, &mut Dice::roll());
    in_lanes(&moments, |place, number, moment| {
        let mut run = place.start(!matches!(moment, Moment::Started(_)));
        moment.wait(place, &mut run);
        let begin = Instant::now();
        signal.send(run.id().into());
        let status = run.wait().expect("it ends");
        let time = begin.elapsed();
        println!("{number}: SIG{} {moment:?}, {status} after {time:?}, findings {:?}", signal.name, place.findings());
        assert!(is_an_end(status, moment), "{status}: {}", place.messages());
        assert_eq!(place.left(), 0, "{:?} {:?}", names(&place.temporary()), place.findings());
        assert_eq!(place.processes(), [""; 0]);
        place.check_files();
        let mut slowest = slowest.lock().expect("no thread panicked");
        *slowest = time.max(*slowest);
    });
    slowest.into_inner().expect("no thread panicked")
}

/// Whether a status is right: a summary, or none if nothing was compared yet; the signal itself if nothing had begun.
fn is_an_end(status: ExitStatus, moment: Moment) -> bool {
    match moment {
        Moment::Started(_) => matches!(status.code(), Some(0..=2 | 130)) || status.signal().is_some(),
        Moment::Drafting(_) | Moment::Found(_) => status.code() == Some(1),
    }
}

#[test]
fn an_interrupted_run_leaves_nothing() {
    if engine::terraform().is_none() || INTERRUPT.is_ignored() {
        return;
    }
    let slowest = end_by(INTERRUPT);
    assert!(slowest < Duration::from_secs(5), "{slowest:?}");
}

#[test]
fn a_terminated_run_leaves_nothing() {
    if engine::terraform().is_none() || TERMINATE.is_ignored() {
        return;
    }
    let slowest = end_by(TERMINATE);
    assert!(slowest < Duration::from_secs(5), "{slowest:?}");
}
