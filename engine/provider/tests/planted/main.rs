//! Tests with a provider that has planted breaches: each is found, minimized and shown again without the provider; bad providers get one
//! clear error each; and nothing is left behind. This program starts itself as the provider, and as the suite that is killed.

#[cfg(not(unix))]
fn main() {
    println!("left out: the test provider listens on unix sockets");
}

#[cfg(unix)]
mod provider;
#[cfg(unix)]
mod serve;

#[cfg(unix)]
fn main() {
    planfuzz_engine::process::leash::begin();
    unix::main();
}

#[cfg(unix)]
mod unix {
    use std::path::{Path, PathBuf};
    use std::process::{Command, Stdio};
    use std::sync::atomic::AtomicBool;
    use std::time::{Duration, Instant};

    use clap::Parser;
    use planfuzz_core::json::Json;
    use planfuzz_engine::plugin::{CallError, Launch, Limits, Plugin};
    use planfuzz_engine::process::{Allowance, Death, Runs};
    use planfuzz_provider::{Kept, ProviderArgs, run};

    use super::serve;

    static STOP: AtomicBool = AtomicBool::new(false);

    /// How often the suite, or its provider, is killed; `PLANFUZZ_KILLS` sets another number.
    const KILLS: u32 = 4;

    #[derive(Parser)]
    struct Words {
        #[command(flatten)]
        args: ProviderArgs,
    }

    pub fn main() {
        let words: Vec<String> = std::env::args().skip(1).collect();
        match words.first().map(String::as_str) {
            Some("provider") => return serve::serve(&words[1..]),
            Some("suite") => {
                let args = Words::parse_from(&words).args;
                let held = run(&args, &|_, _| Err("expected JSON".into()), &STOP, &mut |line| println!("{line}"))
                    .expect("a result");
                std::process::exit(i32::from(held == Kept::No));
            }
            _ => {}
        }
        let wanted = words.iter().find(|word| !word.starts_with('-'));
        for (name, test) in TESTS {
            if wanted.is_none_or(|wanted| name.contains(wanted.as_str())) {
                println!("test {name} ...");
                test();
            }
        }
    }

    const TESTS: [(&str, fn()); 12] = [
        ("a_good_provider_has_no_findings", a_good_provider_has_no_findings),
        ("planted_breaches_of_plans_are_found_and_made_small", planted_breaches_of_plans_are_found_and_made_small),
        ("planted_breaches_of_applies_are_found_and_made_small", planted_breaches_of_applies_are_found_and_made_small),
        ("a_replacement_without_a_change_is_counted", a_replacement_without_a_change_is_counted),
        ("reports_are_written", reports_are_written),
        ("bad_providers_get_one_clear_error_each", bad_providers_get_one_clear_error_each),
        ("a_process_that_refuses_its_configuration_is_not_asked", a_process_that_refuses_its_configuration),
        (
            "a_provider_that_takes_too_much_is_ended_and_the_next_call_starts_another",
            a_provider_that_takes_too_much_is_ended,
        ),
        ("a_killed_suite_leaves_nothing", a_killed_suite_leaves_nothing),
        ("kills_and_crashes_leave_no_object_and_lose_no_finding", kills_and_crashes_leave_no_object),
        ("the_same_seed_gives_the_same_runs_with_more_processes", the_same_seed_gives_the_same_runs),
        ("data_sources_and_ephemeral_resources_are_held", data_sources_and_ephemeral_resources_are_held),
    ];

    fn this() -> PathBuf {
        std::env::current_exe().expect("this program")
    }

    /// The output of the command for a provider with that breach.
    fn held(how: &str, breach: &str, options: &[&str], findings: &Path) -> (Kept, Vec<Json>) {
        let (this, at) = (this().display().to_string(), findings.display().to_string());
        let mut words = vec!["suite", &this, "--json", "--runs", "60", "--findings", &at];
        words.extend(options);
        words.extend(["--", "provider", how, breach]);
        let args = Words::parse_from(&words).args;
        let mut lines = Vec::new();
        let held = run(&args, &|_, _| Err("expected JSON".into()), &STOP, &mut |line| {
            lines.push(Json::parse(line).expect("JSON"))
        })
        .expect("a result");
        (held, lines)
    }

    fn text<'j>(json: &'j Json, name: &str) -> &'j str {
        json.member(name).map_or("", |it| it.expect_string().expect("a string"))
    }

    fn number(json: &Json, name: &str) -> i64 {
        json.member(name).expect(name).expect_i64().expect("a number")
    }

    fn a_good_provider_has_no_findings() {
        let applied = &["--apply", "x_thing"][..];
        let good = [
            ("unix", "none", &[][..]),
            ("tcp5", "none", &["--jobs", "2"]),
            ("unix", "none", applied),
            ("unix", "refined", applied),
        ];
        for (how, kind, options) in good {
            let temp = tempfile::tempdir().expect("a directory");
            let (held, lines) = held(how, kind, options, temp.path());
            assert_eq!(held, Kept::Yes, "{lines:?}");
            let whole = lines.last().expect("a line");
            assert_eq!((number(whole, "findings"), number(whole, "left")), (0, 0));
            assert!(number(whole, "runs") >= 40 && number(whole, "calls") > 200, "{}", whole.to_compact());
            let applies = options.contains(&"--apply");
            assert_eq!(number(whole, "created") > 0, applies);
            assert_eq!(whole.member("not_asked").map(Json::to_compact).as_deref(), Some(r#"{"functions":1}"#));
            let promises = whole.member("promises").expect("promises");
            let tried: &[&str] = match applies {
                true => &[
                    "I24",
                    "I25",
                    "I36",
                    "read-back",
                    "import-empty",
                    "gone",
                    "refused-early",
                    "identity-given",
                    "identity-kept",
                ],
                false => &["same-answer", "final-plan", "settled-plan", "upgrade-identity", "I06", "I45"],
            };
            assert!(tried.iter().all(|id| promises.member(id).is_some()), "{}", promises.to_compact());
        }
    }

    /// A breach by its name, the promise that it breaks, its place, and how many values its smallest configurations set.
    type Planted = (&'static str, &'static str, &'static str, usize);

    fn planted_breaches_of_plans_are_found_and_made_small() {
        let planted: [Planted; 14] = [
            ("config-changed", "I06", ".mode", 2),
            ("unset-set", "I07", ".size", 1),
            ("unstable", "same-answer", ".note", 1),
            ("perpetual", "settled-plan", ".stamp", 1),
            ("bad-replace", "I12", ".nosuch", 3),
            ("unknown-refused", "I46", "", 2),
            ("final-plan", "final-plan", ".note", 2),
            ("secret-kept", "I11", ".secret", 2),
            ("block-lost", "I09", ".disk", 2),
            ("upgrade-changes", "upgrade-identity", ".note", 1),
            ("bad-diagnostic", "diagnostic-path", ".nosuch", 2),
            ("destroy-kept", "I45", "", 1),
            ("dies", "answers", "plan", 1),
            ("junk", "answers", "plan", 1),
        ];
        all_are_found(&planted, &[]);
    }

    fn planted_breaches_of_applies_are_found_and_made_small() {
        let planted: [Planted; 15] = [
            ("outside-refinement", "I24", ".stamp", 1),
            ("identity-lost-apply", "identity-given", "apply", 1),
            ("identity-lost-read", "identity-given", "read", 1),
            ("identity-unknown", "identity-given", "apply", 1),
            ("identity-other-read", "identity-kept", "read.zone", 1),
            ("identity-other-apply", "identity-kept", "upgrade.zone", 1),
            ("identity-other-upgrade", "identity-kept", "upgrade.zone", 1),
            ("identity-other-import", "identity-kept", "import.zone", 1),
            ("result-differs", "I24", ".size", 2),
            ("unknown-left", "I25", ".stamp", 1),
            ("read-differs", "read-back", ".size", 2),
            ("import-partial", "import-empty", ".mode", 2),
            ("late-refusal", "refused-early", "", 1),
            ("not-gone", "gone", "", 1),
            ("fails", "answers", "plan", 1),
        ];
        all_are_found(&planted, &["--apply", "x_thing"]);
    }

    /// Engines drop a path that does not change, so that is no finding, and is counted.
    fn a_replacement_without_a_change_is_counted() {
        let temp = tempfile::tempdir().expect("a directory");
        let (held, lines) = held("unix", "vain-replace", &["--type", "x_thing"], temp.path());
        assert_eq!(held, Kept::Yes, "{lines:?}");
        let of = lines.iter().find(|line| text(line, "type") == "x_thing").expect("the type's line");
        let counts = of.member("promises").and_then(|it| it.member("replace-truth")).expect("the promise");
        assert!(number(counts, "tolerated") > 0 && number(counts, "broken") == 0, "{}", counts.to_compact());
    }

    /// On every core: a run waits for its provider most of the time.
    fn all_are_found(planted: &[Planted], options: &[&str]) {
        let workers = std::thread::available_parallelism().map_or(2, usize::from);
        std::thread::scope(|scope| {
            for part in planted.chunks(planted.len().div_ceil(workers)) {
                scope.spawn(move || part.iter().for_each(|planted| is_found(planted, options)));
            }
        });
    }

    fn is_found((breach, promise, place, most): &Planted, options: &[&str]) {
        let temp = tempfile::tempdir().expect("a directory");
        let (held, lines) = held("unix", breach, options, temp.path());
        assert_eq!(held, Kept::No, "{breach} is found");
        let findings: Vec<&Json> = lines.iter().filter(|line| line.member("finding").is_some()).collect();
        let found = findings.iter().find(|line| text(line, "finding") == *promise && text(line, "place") == *place);
        let listed: Vec<String> = findings.iter().map(|line| line.to_compact()).collect();
        let found = found.unwrap_or_else(|| panic!("{breach}: expected {promise} at {place:?}, found {listed:#?}"));
        let file = std::fs::read_to_string(text(found, "file")).expect("a file");
        let case = Json::parse(&file).expect("JSON");
        let size = size(&case);
        assert!(size <= *most, "{breach}: expected at most {most} values, found {size} in {}", case.to_pretty());
        println!("  {breach}: {promise} {place}, {size} values, {} findings", findings.len());
        replays(text(found, "file"));
    }

    /// How many values the configurations set that the run uses.
    fn size(case: &Json) -> usize {
        let acts = case.member("acts").expect("acts").expect_array().expect("an array");
        let used: Vec<i64> = acts.iter().filter_map(|act| act.member("config")?.expect_i64().ok()).collect();
        let configs = case.member("configs").expect("configs").expect_array().expect("an array");
        let is_used = |index: usize| used.contains(&(index as i64));
        configs.iter().enumerate().filter(|(index, _)| is_used(*index)).map(|(_, it)| set(it)).max().unwrap_or_default()
    }

    fn set(json: &Json) -> usize {
        match json {
            Json::Null => 0,
            Json::Object(members) => members.iter().map(|(_, it)| set(it)).sum(),
            Json::Array(items) => items.iter().map(set).sum(),
            Json::Bool(_) | Json::Number(_) | Json::String(_) => 1,
        }
    }

    fn replays(file: &str) {
        let args = Words::parse_from(["suite", "--json", "--replay", file]).args;
        let mut lines = Vec::new();
        let held = run(&args, &|_, _| Err("expected JSON".into()), &STOP, &mut |line| lines.push(line.to_owned()))
            .expect("a result");
        assert_eq!((held, lines.len()), (Kept::No, 1), "{lines:?}");
    }

    fn reports_are_written() {
        let temp = tempfile::tempdir().expect("a directory");
        let at = |name: &str| temp.path().join(name).display().to_string();
        let (sarif, junit) = (at("sarif.json"), at("junit.xml"));
        held("unix", "perpetual", &["--sarif", &sarif, "--junit", &junit], temp.path());
        let sarif = Json::parse(&std::fs::read_to_string(sarif).expect("a file")).expect("JSON");
        let runs = sarif.member("runs").expect("runs").expect_array().expect("an array");
        let results = runs[0].member("results").expect("results").expect_array().expect("an array");
        assert_eq!(text(&results[0], "ruleId"), "settled-plan");
        let junit = std::fs::read_to_string(junit).expect("a file");
        assert!(junit.contains("failures=\"1\"") && junit.contains("name=\"settled-plan\"><failure"), "{junit}");
    }

    fn launch(breach: &str, limits: Limits) -> Launch {
        let args = ["provider", "unix", breach].map(str::to_owned).to_vec();
        Launch { program: this(), args, variables: Vec::new(), limits, tls: true, stop: &STOP }
    }

    const SHORT: Duration = Duration::from_secs(2);

    fn limits() -> Limits {
        let allowance = Allowance { memory: 512 << 20, processes: 16, log: 4 << 20 };
        Limits { start: Duration::from_secs(20), call: Duration::from_secs(20), answer: 16 << 20, allowance }
    }

    fn bad_providers_get_one_clear_error_each() {
        let temp = tempfile::tempdir().expect("a directory");
        let runs = Runs::open(temp.path()).expect("runs");
        let error = |breach: &str| {
            let limits = Limits { start: if breach == "silent" { SHORT } else { limits().start }, ..limits() };
            Plugin::launch(&launch(breach, limits), &runs).expect_err(breach).to_string()
        };
        for (breach, words) in [
            ("silent", "made no handshake within 2s"),
            ("dead", "ended before its handshake: it ended by itself (exit status: 3); its log ends with:\nno licence"),
            ("old", "expected version 5 or 6 of the provider protocol, found \"4\""),
            ("chatty", "as the first line, found \"Hello, I am a provider.\""),
        ] {
            let message = error(breach);
            assert!(message.contains(words), "{breach}: {message}");
        }
        assert!(is_empty_but_for_one(temp.path()), "directories of providers are left");
    }

    fn a_process_that_refuses_its_configuration() {
        let temp = tempfile::tempdir().expect("a directory");
        let at = |name: &str| temp.path().join(name).display().to_string();
        let (this, pids, findings) = (this().display().to_string(), at("pids"), at("findings"));
        let store = temp.path().display().to_string();
        let words = ["suite", &this, "--runs", "5", "--findings", &findings, "--"];
        let provider = ["provider", "unix", "configured-once", &pids, &store];
        let args = Words::parse_from(words.into_iter().chain(provider)).args;
        let error = run(&args, &|_, _| Err("expected JSON".into()), &STOP, &mut |_| {}).expect_err("no process to ask");
        let message = "the provider refuses its configuration: another process is configured";
        assert!(error.to_string().contains(message), "{error}");
    }

    /// Whether only the directory for runs of this process is left, with nothing but its settings.
    fn is_empty_but_for_one(temp: &Path) -> bool {
        let homes = std::fs::read_dir(temp).expect("a directory").flatten().filter(|entry| entry.path().is_dir());
        homes
            .flat_map(|home| std::fs::read_dir(home.path()).expect("a directory").flatten())
            .all(|it| !it.path().is_dir())
    }

    fn a_provider_that_takes_too_much_is_ended() {
        use planfuzz_core::dialect::Dialect;
        use planfuzz_core::planner::PlanChange;
        use planfuzz_core::state::Private;
        use planfuzz_engine::plugin::{Kind, Question};

        let temp = tempfile::tempdir().expect("a directory");
        let runs = Runs::open(temp.path()).expect("runs");
        for breach in ["hang", "flood", "giant", "gigabyte", "fat", "dies"] {
            let mut limits = Limits { call: if breach == "hang" { SHORT } else { limits().call }, ..limits() };
            if breach == "gigabyte" {
                // The provider has the answer twice: as a value and as a message.
                limits.allowance.memory = 4 << 30;
                limits.call = Duration::from_secs(60);
            }
            let mut plugin = Plugin::launch(&launch(breach, limits), &runs).expect("a provider");
            let schemas = plugin.schemas().expect("schemas");
            let kind = Kind::new("x_thing", &schemas.resources["x_thing"], Dialect::default());
            let ty = schemas.resources["x_thing"].implied_type(Dialect::default());
            let config = r#"{"id":null,"mode":null,"name":"n","note":null,"secret":null,"size":null,"stamp":null,"tags":{"a":"b"},"disk":[]}"#;
            let config =
                planfuzz_core::value::Value::from_json(&Json::parse(config).expect("JSON"), &ty).expect("a value");
            let prior = planfuzz_core::value::Value::null(ty);
            let asked = PlanChange { prior, config: config.clone(), proposed: config, private: Private::NONE };
            let error = plugin.ask(&kind, Question::Plan(asked), None).expect_err(breach);
            let is_right = match breach {
                "hang" => error == CallError::Late(SHORT),
                "flood" => matches!(&error, CallError::Died { death: Death::Log(_), .. }),
                "giant" | "gigabyte" => error == CallError::TooLarge(16 << 20),
                "fat" => {
                    matches!(&error, CallError::Died { death: Death::Memory(_), .. }) || !cfg!(target_os = "linux")
                }
                _ => {
                    matches!(&error, CallError::Died { death: Death::Itself { how }, .. } if how.contains("main.plan: tags"))
                }
            };
            assert!(is_right, "{breach}: {error:?}");
            // The next question starts another process.
            assert!(plugin.schemas().is_ok(), "{breach}");
            assert_eq!(plugin.starts(), 2, "{breach}");
        }
        assert!(is_empty_but_for_one(temp.path()), "directories of providers are left");
    }

    fn is_running(pid: i32) -> bool {
        // A process that was not reaped is gone, too.
        let output = Command::new("ps").args(["-o", "stat=", "-p", &pid.to_string()]).output().expect("ps");
        let state = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        !state.is_empty() && !state.starts_with('Z')
    }

    fn wait(what: &str, until: impl Fn() -> bool) {
        let end = Instant::now() + Duration::from_secs(30);
        while !until() {
            assert!(Instant::now() < end, "waited in vain: {what}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn a_killed_suite_leaves_nothing() {
        if !cfg!(target_os = "linux") {
            println!("left out: processes are tied to each other on Linux");
            return;
        }
        let kills = std::env::var("PLANFUZZ_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(KILLS);
        for kill in 0..kills {
            let temp = tempfile::tempdir().expect("a directory");
            let (traces, findings) = (temp.path().join("pids"), temp.path().join("findings"));
            let runs = temp.path().join("runs");
            std::fs::create_dir(&runs).expect("a directory");
            let mut suite = Command::new(this());
            suite.args(["suite", &this().display().to_string(), "--time", "60s", "--findings"]).arg(&findings);
            suite.args(["--apply", "x_thing", "--", "provider", "unix", "none"]).arg(&traces);
            suite.env("TMPDIR", &runs).stdout(Stdio::null()).stderr(Stdio::null());
            let mut suite = suite.spawn().expect("it starts");
            let pids = || -> Vec<i32> {
                let text = std::fs::read_to_string(&traces).unwrap_or_default();
                text.lines().filter_map(|line| line.parse().ok()).collect()
            };
            // The first process returns the schemas; the second one plays runs.
            wait("the provider starts", || pids().len() >= if kill % 2 == 0 { 2 } else { 4 });
            std::thread::sleep(Duration::from_millis(u64::from(kill % 7) * 30));
            suite.kill().expect("killed");
            suite.wait().expect("reaped");
            let providers: Vec<i32> = pids().into_iter().step_by(2).collect();
            wait("the provider dies with the suite", || !providers.iter().any(|pid| is_running(*pid)));
            // The next start ends what a provider had started itself, and removes its directory.
            drop(Runs::open(&runs).expect("runs"));
            wait("nothing is left", || !pids().iter().any(|pid| is_running(*pid)));
            assert_eq!(std::fs::read_dir(&runs).expect("a directory").count(), 0);
        }
    }

    /// A suite that applies, with a provider whose objects outlive it.
    struct Scene {
        temp: tempfile::TempDir,
    }

    impl Scene {
        fn new() -> Scene {
            let scene = Scene { temp: tempfile::tempdir().expect("a directory") };
            for name in ["runs", "store"] {
                std::fs::create_dir(scene.at(name)).expect("a directory");
            }
            scene
        }

        fn at(&self, name: &str) -> PathBuf {
            self.temp.path().join(name)
        }

        fn suite(&self, breach: &str, runs: &str) -> Command {
            let mut suite = Command::new(this());
            suite.args(["suite", &this().display().to_string(), "--runs", runs, "--seed", "3", "--findings"]);
            suite.arg(self.at("findings")).args([
                "--apply",
                "x_thing",
                "--jobs",
                "2",
                "--most-objects",
                "100000",
                "--",
            ]);
            suite.args(["provider", "unix", breach]).arg(self.at("pids")).arg(self.at("store"));
            suite.env("TMPDIR", self.at("runs")).stdout(Stdio::null()).stderr(Stdio::null());
            suite
        }

        fn pids(&self) -> Vec<i32> {
            let text = std::fs::read_to_string(self.at("pids")).unwrap_or_default();
            text.lines().filter_map(|line| line.parse().ok()).collect()
        }

        /// The process ids of the providers: each wrote its own and that of its child.
        fn providers(&self) -> Vec<i32> {
            self.pids().into_iter().step_by(2).collect()
        }

        fn names(&self, folder: &str) -> Vec<String> {
            let Ok(entries) = std::fs::read_dir(self.at(folder)) else { return Vec::new() };
            entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
        }
    }

    fn kills_and_crashes_leave_no_object() {
        if !cfg!(target_os = "linux") {
            println!("left out: processes are tied to each other on Linux");
            return;
        }
        let kills = std::env::var("PLANFUZZ_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(KILLS);
        let scene = Scene::new();
        let mut findings = std::collections::BTreeSet::new();
        let mut lost = 0;
        for kill in 0..kills {
            let begun = scene.providers().len();
            let breach = ["result-differs", "crashes"][kill as usize % 2];
            let mut suite = scene.suite(breach, "100000").spawn().expect("it starts");
            wait("objects are there", || {
                scene.providers().len() >= begun + 3 && !(scene.names("store").is_empty() && kill % 4 == 0)
            });
            std::thread::sleep(Duration::from_millis(u64::from(kill % 7) * 40));
            // Every third time the provider is killed first.
            if kill % 3 == 2 {
                for pid in scene.providers().iter().skip(begun).filter(|pid| is_running(**pid)) {
                    Command::new("kill").args(["-9", &pid.to_string()]).status().expect("kill");
                    lost += 1;
                }
                std::thread::sleep(Duration::from_millis(100));
            }
            suite.kill().expect("killed");
            suite.wait().expect("reaped");
            wait("the providers die with the suite", || !scene.providers().iter().any(|pid| is_running(*pid)));
            let now: std::collections::BTreeSet<String> = scene.names("findings").into_iter().collect();
            let kept: Vec<&String> =
                now.iter().filter(|name| name.ends_with(".json") && !name.starts_with('.')).collect();
            assert!(findings.iter().all(|name| now.contains(name)), "{findings:?} became {now:?}");
            kept.iter().for_each(|name| replays(&scene.at("findings").join(name).display().to_string()));
            findings.extend(kept.into_iter().cloned());
        }
        let reported = cleaned(&scene);
        let (left, made) = (scene.names("store").len(), scene.providers().len());
        println!(
            "  {kills} kills of the suite, {lost} of providers, {made} providers, {} findings, {left} objects whose apply never answered, {reported} reported",
            findings.len()
        );
        assert!(left <= reported, "{left} objects are left, and {reported} are reported: {:?}", scene.names("store"));
        assert!(!findings.is_empty(), "findings outlive a kill");
        wait("nothing is left", || !scene.pids().iter().any(|pid| is_running(*pid)));
        assert_eq!(scene.names("runs"), Vec::<String>::new());
        assert_eq!(scene.names("findings").iter().filter(|name| name.ends_with(".jsonl")).count(), 0);
    }

    /// Runs once without a kill, which destroys what earlier runs left; returns how many unanswered applies it reports.
    fn cleaned(scene: &Scene) -> usize {
        let output = scene.suite("none", "4").stdout(Stdio::piped()).output().expect("it ends");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let reported = text.lines().filter(|line| line.contains("never answered")).count();
        // What was reported is not reported again.
        let again = scene.suite("none", "4").stdout(Stdio::piped()).output().expect("it ends");
        assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stdout));
        reported
    }

    fn the_same_seed_gives_the_same_runs() {
        let results = |jobs: &str, breach: &str, seed: &str| {
            let temp = tempfile::tempdir().expect("a directory");
            let options = ["--jobs", jobs, "--seed", seed];
            let (_, lines) = held("unix", breach, &options, temp.path());
            let stays = |line: &&Json| line.member("calls").is_none();
            let shown = |line: &Json| line.to_compact().replace(&temp.path().display().to_string(), "");
            let lines: Vec<String> = lines.iter().filter(stays).map(shown).collect();
            let mut files: Vec<(String, String)> = std::fs::read_dir(temp.path())
                .expect("a directory")
                .map(|entry| entry.expect("an entry").path())
                .map(|path| {
                    (
                        path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
                        std::fs::read_to_string(path).expect("a file"),
                    )
                })
                .collect();
            files.sort();
            (lines, files)
        };
        for breach in ["none", "perpetual", "unset-set"] {
            let (one, three) = (results("1", breach, "11"), results("3", breach, "11"));
            assert_eq!(one.0, three.0, "{breach}");
            assert_eq!(one.1, three.1, "{breach}");
            assert!(breach == "none" || !one.1.is_empty(), "{breach} is found");
        }
        let other = results("3", "none", "12").0;
        assert_ne!(other, results("3", "none", "11").0, "another seed gives other runs");
    }

    fn data_sources_and_ephemeral_resources_are_held() {
        let both = ["--apply", "data.x_thing", "--apply", "ephemeral.x_token", "--type", "data.x_thing"];
        let run = |breach: &str, options: &[&str]| {
            let temp = tempfile::tempdir().expect("a directory");
            let (held, lines) = held("unix", breach, options, temp.path());
            let found: Vec<String> = lines
                .iter()
                .filter(|line| line.member("finding").is_some())
                .map(|line| format!("{} {}", text(line, "type"), text(line, "finding")))
                .collect();
            for line in lines.iter().filter(|line| line.member("finding").is_some()) {
                replays(text(line, "file"));
            }
            (held, found, lines)
        };
        let (held, found, lines) = run("none", &both);
        assert_eq!((held, found.as_slice()), (Kept::Yes, [].as_slice()), "{lines:?}");
        let promises = lines.last().and_then(|line| line.member("promises")).expect("promises");
        assert!(number(promises, "I33") > 0, "{}", promises.to_compact());
        // Nothing is read unless `--apply` names it.
        let (held, _, lines) = run("data-null", &["--type", "data.x_thing", "--type", "ephemeral.x_token"]);
        let promises = lines.last().and_then(|line| line.member("promises")).expect("promises");
        assert!(held == Kept::Yes && promises.member("I33").is_none(), "{}", promises.to_compact());
        for breach in ["data-null", "data-unknown"] {
            let (held, found, _) = run(breach, &both);
            assert_eq!(
                (held, found),
                (Kept::No, ["data.x_thing I33", "ephemeral.x_token I33"].map(str::to_owned).to_vec())
            );
        }
        let (_, found, _) = run("close-fails", &both);
        assert_eq!(found, ["ephemeral.x_token answers"]);
    }
}
