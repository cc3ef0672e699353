//! `planfuzz provider` as a user runs it: exit codes, the last line of `--json`, reports, findings shown again, an account that is tidied up, and
//! one clear error for each provider that cannot be asked. This program is its own provider (`provider/`).

#[cfg(not(unix))]
fn main() {
    println!("left out: the test provider listens on unix sockets");
}

#[cfg(unix)]
#[path = "../engine/provider/tests/planted/provider.rs"]
mod provider;
#[cfg(unix)]
#[path = "../engine/provider/tests/planted/serve.rs"]
mod serve;

#[cfg(unix)]
fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.first().is_some_and(|word| word == "provider") {
        return serve::serve(&words[1..]);
    }
    let wanted = words.iter().find(|word| !word.starts_with('-'));
    for (name, test) in tests::ALL {
        if wanted.is_none_or(|wanted| name.contains(wanted.as_str())) {
            println!("test {name} ...");
            test();
        }
    }
}

#[cfg(unix)]
mod tests {
    use std::path::PathBuf;
    use std::process::{Child, Command, Stdio};

    use planfuzz_core::json::Json;
    use tempfile::TempDir;

    pub const ALL: [(&str, fn()); 7] = [
        ("a_provider_that_keeps_its_promises_ends_with_0", a_good_provider),
        ("a_finding_ends_with_1_and_is_shown_again_without_the_provider", a_finding),
        ("what_is_applied_is_destroyed_and_what_is_not_asked_for_is_not", what_is_applied),
        ("configuration_and_environment_come_from_the_user", what_the_user_gives),
        ("values_of_the_users_files_are_tried", seeds),
        ("a_provider_that_runs_already_is_asked_and_left_running", one_that_runs),
        ("a_provider_that_cannot_be_asked_ends_with_2_and_says_why", bad_providers),
    ];

    /// What the command came to.
    struct CommandOutput {
        code: Option<i32>,
        out: String,
        err: String,
    }

    impl CommandOutput {
        fn lines(&self) -> Vec<Json> {
            self.out.lines().map(|line| Json::parse(line).expect("a line of JSON")).collect()
        }

        fn last(&self) -> Json {
            self.lines().pop().expect("a line")
        }
    }

    fn number(json: &Json, name: &str) -> i64 {
        json.member(name).expect(name).expect_i64().expect("a number")
    }

    /// A folder that the command runs in.
    struct Place {
        folder: TempDir,
    }

    impl Place {
        fn new() -> Place {
            Place { folder: tempfile::tempdir().expect("a folder") }
        }

        fn at(&self, name: &str) -> PathBuf {
            self.folder.path().join(name)
        }

        fn write(&self, name: &str, text: &str) {
            std::fs::write(self.at(name), text).expect("written");
        }

        fn command(&self, words: &[&str]) -> CommandOutput {
            let mut command = Command::new(env!("CARGO_BIN_EXE_planfuzz"));
            command.current_dir(&self.folder).env("TMPDIR", self.folder.path()).args(words).stdin(Stdio::null());
            command.env("PLANFUZZ_TRIAL_TOKEN", "let-me-in").env("PLANFUZZ_TRIAL_OTHER", "not for the provider");
            let output = command.output().expect("it starts");
            let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("it prints UTF-8");
            CommandOutput { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
        }

        /// The command with this program as the provider.
        fn provider(&self, options: &[&str], how: &[&str]) -> CommandOutput {
            let this = std::env::current_exe().expect("this program").display().to_string();
            let words: Vec<&str> = ["provider", &this, "--seed", "3"]
                .into_iter()
                .chain(options.iter().copied())
                .chain(["--", "provider"])
                .chain(how.iter().copied())
                .collect();
            self.command(&words)
        }
    }

    fn a_good_provider() {
        let place = Place::new();
        let ended = place.provider(&["--json", "--lives", "20"], &["unix", "none"]);
        assert_eq!(ended.code, Some(0), "{}{}", ended.out, ended.err);
        let last = ended.last();
        let names = ["calls", "lives", "promises", "findings"];
        assert!(names.iter().all(|name| last.member(name).is_some()), "{}", ended.out);
        assert_eq!((number(&last, "lives"), number(&last, "findings"), number(&last, "created")), (20, 0, 0));
        for dialect in ["terraform-1.17", "opentofu-1.12"] {
            let options = ["--json", "--lives", "20", "--jobs", "2", "--dialect", dialect];
            let ended = place.provider(&options, &["tcp5", "none"]);
            assert_eq!(
                (ended.code, number(&ended.last(), "lives")),
                (Some(0), 20),
                "{dialect}: {}{}",
                ended.out,
                ended.err
            );
        }
        let page = place.provider(&["--lives", "20", "--verbose"], &["unix", "none"]);
        assert!(page.out.contains("x_thing: ") && page.out.contains("settled-plan     tried"), "{}", page.out);
        assert!(page.out.contains("never asked: 1 functions"), "{}", page.out);
        assert!(!place.at("provider-findings").exists(), "nothing was found and nothing applied");
    }

    fn a_finding() {
        let place = Place::new();
        let options = ["--json", "--lives", "20", "--sarif", "it.sarif", "--junit", "it.xml"];
        let ended = place.provider(&options, &["unix", "perpetual"]);
        assert_eq!(ended.code, Some(1), "{}{}", ended.out, ended.err);
        assert_eq!(number(&ended.last(), "findings"), 1);
        let text = |name: &str| std::fs::read_to_string(place.at(name)).expect("a file");
        assert!(text("it.sarif").contains("settled-plan") && text("it.xml").contains("<failure"));
        for words in [&["replay", "provider-findings"][..], &["provider", "--replay", "provider-findings"]] {
            let again = place.command(words);
            assert_eq!(again.code, Some(1), "{}{}", again.out, again.err);
            assert!(again.out.contains("breaks settled-plan at .stamp"), "{}", again.out);
        }
        let shown = place.command(&["probe", "provider-findings"]);
        assert!(shown.code == Some(1) && shown.out.contains("life: plan 0"), "{}{}", shown.out, shown.err);
        assert!(shown.out.contains("\n    planned: ") && shown.out.contains("it breaks the promise"), "{}", shown.out);
        let sorted = place.command(&["triage", "provider-findings", "--json"]);
        assert!(sorted.code == Some(1) && number(&sorted.last(), "breaks") == 1, "{}{}", sorted.out, sorted.err);
    }

    fn what_is_applied() {
        let place = Place::new();
        let options = ["--json", "--lives", "10", "--apply", "x_thing", "--type", "x_thing", "--most-objects", "12"];
        let ended = place.provider(&options, &["unix", "none"]);
        assert_eq!(ended.code, Some(0), "{}{}", ended.out, ended.err);
        let created = number(&ended.last(), "created");
        assert!((1..=12).contains(&created) && number(&ended.last(), "left") == 0, "{}", ended.out);
        // What cannot be destroyed is told.
        let ended = place.provider(&["--lives", "3", "--apply", "x_thing", "--type", "x_thing"], &["unix", "undying"]);
        assert_eq!(ended.code, Some(1), "{}{}", ended.out, ended.err);
        assert!(ended.out.contains("left: x_thing"), "{}", ended.out);
    }

    fn what_the_user_gives() {
        let place = Place::new();
        place.write("wrong.json", r#"{"nosuch":1}"#);
        place.write("token.json", r#"{"token":"let-me-in"}"#);
        let refused = |options: &[&str], how: &str, words: &str| {
            let ended = place.provider(options, &["unix", how]);
            assert!(ended.code == Some(2) && ended.err.contains(words), "{options:?}: {}{}", ended.out, ended.err);
        };
        refused(&["--config", "wrong.json"], "none", "wrong.json");
        refused(&[], "wants-token", "the provider refuses its configuration: the token is wrong");
        refused(&["--env", "PLANFUZZ_NO_SUCH_VARIABLE"], "none", "PLANFUZZ_NO_SUCH_VARIABLE");
        refused(&[], "wants-variable", "found the variable \"\", and others: false");
        refused(&["--type", "x_other"], "none", "found x_other");
        for (options, how) in
            [(["--config", "token.json"], "wants-token"), (["--env", "PLANFUZZ_TRIAL_TOKEN"], "wants-variable")]
        {
            let ended = place.provider(&[&options[..], &["--lives", "5", "--json"]].concat(), &["unix", how]);
            assert!(ended.code == Some(0) && number(&ended.last(), "lives") == 5, "{how}: {}{}", ended.out, ended.err);
        }
    }

    /// A name that only the user knows.
    fn seeds() {
        let place = Place::new();
        let attributes = r#"{"name":"of-the-user","size":null}"#;
        place.write(
            "terraform.tfstate",
            &format!(r#"{{"resources":[{{"type":"x_thing","instances":[{{"attributes":{attributes}}}]}}]}}"#),
        );
        let change = format!(r#"{{"resources":[{{"address":"x_thing.a","type":"x_thing","values":{attributes}}}]}}"#);
        place.write("plan.json", &format!(r#"{{"planned_values":{{"root_module":{change}}}}}"#));
        place.write("main.tf.json", r#"{"resource":{"x_thing":{"a":{"name":"of-the-user"}}}}"#);
        let accepted = |options: &[&str]| {
            let all = [options, &["--lives", "20", "--time", "5s", "--type", "x_thing", "--json"]].concat();
            let ended = place.provider(&all, &["unix", "wants-seed"]);
            assert_eq!(ended.code, Some(0), "{}{}", ended.out, ended.err);
            number(&ended.last(), "accepted")
        };
        assert_eq!(accepted(&[]), 0);
        place.write("main.tf", "resource \"x_thing\" \"a\" {\n  name = \"of-the-user\"\n}\n");
        place.write("wrong.tf", "resource {");
        let ended = place.provider(&["--seeds", "wrong.tf"], &["unix", "none"]);
        assert!(ended.code == Some(2) && ended.err.contains("wrong.tf: "), "{}", ended.err);
        for file in ["terraform.tfstate", "plan.json", "main.tf.json", "main.tf"] {
            assert!(accepted(&["--seeds", file]) > 0, "{file}");
        }
    }

    /// A process that is ended with the test.
    struct Running(Child);

    impl Drop for Running {
        fn drop(&mut self) {
            self.0.kill().ok();
            self.0.wait().ok();
        }
    }

    fn one_that_runs() {
        let place = Place::new();
        let mut running = Command::new(std::env::current_exe().expect("this program"));
        running.args(["provider", "unix", "unset-set"]).env("TMPDIR", place.folder.path()).stdout(Stdio::piped());
        let mut running = Running(running.spawn().expect("it starts"));
        let mut line = String::new();
        let out = running.0.stdout.take().expect("its output");
        std::io::BufRead::read_line(&mut std::io::BufReader::new(out), &mut line).expect("a line");
        let socket = line.split('|').nth(3).expect("an address").to_owned();
        let entry = |socket: &str| {
            let address = format!(r#"{{"Network":"unix","String":"{socket}"}}"#);
            format!(
                r#"{{"tf.example.com/x/x":{{"Protocol":"grpc","ProtocolVersion":6,"Pid":1,"Test":true,"Addr":{address}}}}}"#
            )
        };
        let ended = place.command(&["provider", "--reattach", &entry(&socket), "--lives", "10", "--json"]);
        assert_eq!(ended.code, Some(1), "{}{}", ended.out, ended.err);
        assert!(ended.out.contains(r#""finding":"I07""#), "{}", ended.out);
        assert!(running.0.try_wait().expect("its status").is_none(), "it is left running");
        let ended = place.command(&["provider", "--reattach", &entry("nobody.sock")]);
        assert!(ended.code == Some(2) && ended.err.contains("nobody.sock"), "{}", ended.err);
    }

    fn bad_providers() {
        let place = Place::new();
        let ended = place.command(&["provider", "no-such-file"]);
        assert!(ended.code == Some(2) && ended.err.contains("no-such-file"), "{}", ended.err);
        for (how, words) in [
            ("dead", "ended before its handshake"),
            ("old", "expected version 5 or 6 of the provider protocol"),
            ("chatty", "found \"Hello, I am a provider.\""),
        ] {
            let ended = place.provider(&[], &["unix", how]);
            let errors = ended.err.lines().filter(|line| line.starts_with("error")).count();
            assert!(ended.code == Some(2) && ended.err.contains(words) && errors == 1, "{how}: {}", ended.err);
        }
        // One that starts, and fails of a question, has that as its finding.
        for (how, words) in
            [("hang", "no answer within 1s"), ("flood", "it logged more than"), ("giant", "an answer of more than")]
        {
            let options = ["--lives", "1", "--call-time", "1s", "--type", "x_thing", "--memory", "4096"];
            let options = if how == "hang" { &options[..] } else { &[&options[..2], &options[4..]].concat()[..] };
            let ended = place.provider(options, &["unix", how]);
            assert!(
                ended.code == Some(1) && ended.out.contains("breaks answers at plan"),
                "{how}: {}{}",
                ended.out,
                ended.err
            );
            assert!(ended.out.contains(words), "{how}: {}", ended.out);
        }
    }
}
