//! `planfuzz provider` as a user runs it: exit codes, the last line of `--json`, reports, findings shown again, cleaning up of created
//! objects, and one clear error for each provider that cannot be asked. This program is its own provider (`provider/`).

#[cfg(not(unix))]
fn main() {
    println!("left out: the test provider listens on unix sockets");
}

#[cfg(unix)]
#[path = "common/command.rs"]
mod command;
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
    use std::process::{Child, Command, Stdio};

    use planfuzz_core::json::Json;

    use crate::command::{CommandOutput, Place};

    pub const ALL: [(&str, fn()); 7] = [
        ("a_provider_that_keeps_its_promises_ends_with_0", a_good_provider),
        ("a_finding_ends_with_1_and_is_shown_again_without_the_provider", a_finding),
        ("applied_objects_are_destroyed_and_others_are_not_applied", applied_objects),
        ("configuration_and_environment_come_from_the_user", options_of_the_user),
        ("values_of_the_users_files_are_tried", seeds),
        ("a_provider_that_runs_already_is_asked_and_left_running", one_that_runs),
        ("a_provider_that_cannot_be_asked_ends_with_2_and_a_reason", bad_providers),
    ];

    impl CommandOutput {
        fn last(&self) -> Json {
            Json::parse(self.out.lines().last().expect("a line")).expect("a line of JSON")
        }
    }

    fn number(json: &Json, name: &str) -> i64 {
        json.member(name).expect(name).expect_i64().expect("a number")
    }

    impl Place {
        /// The command with this program as the provider, with temporary files here and with a user's variables.
        #[track_caller]
        fn provider(&self, options: &[&str], how: &[&str]) -> CommandOutput {
            let this = std::env::current_exe().expect("this program").display().to_string();
            let words: Vec<&str> = ["provider", &this, "--seed", "3"]
                .into_iter()
                .chain(options.iter().copied())
                .chain(["--", "provider"])
                .chain(how.iter().copied())
                .collect();
            let mut command = self.command(&words);
            command.env("TMPDIR", self.0.path());
            command.env("PLANFUZZ_TRIAL_TOKEN", "let-me-in").env("PLANFUZZ_TRIAL_OTHER", "not for the provider");
            CommandOutput::of(&command.output().expect("it starts"))
        }
    }

    fn a_good_provider() {
        let place = Place::new();
        let ended = place.provider(&["--json", "--runs", "20"], &["unix", "none"]);
        ended.ends(0, &[]);
        let last = ended.last();
        let names = ["calls", "runs", "promises", "findings"];
        assert!(names.iter().all(|name| last.member(name).is_some()), "{}", ended.out);
        assert_eq!((number(&last, "runs"), number(&last, "findings"), number(&last, "created")), (20, 0, 0));
        for dialect in ["terraform-1.17", "opentofu-1.12"] {
            let options = ["--json", "--runs", "20", "--jobs", "2", "--dialect", dialect];
            let ended = place.provider(&options, &["tcp5", "none"]);
            assert_eq!((ended.code, number(&ended.last(), "runs")), (0, 20), "{dialect}: {}{}", ended.out, ended.err);
        }
        let page = place.provider(&["--runs", "20", "--verbose"], &["unix", "none"]);
        assert!(page.out.contains("x_thing: ") && page.out.contains("settled-plan     tried"), "{}", page.out);
        assert!(page.out.contains("never asked: 1 functions"), "{}", page.out);
        assert!(!place.path("provider-findings").exists(), "nothing was found and nothing applied");
    }

    fn a_finding() {
        let place = Place::new();
        let options = ["--json", "--runs", "20", "--sarif", "it.sarif", "--junit", "it.xml"];
        let ended = place.provider(&options, &["unix", "perpetual"]);
        ended.ends(1, &[]);
        assert_eq!(number(&ended.last(), "findings"), 1);
        let text = |name: &str| std::fs::read_to_string(place.path(name)).expect("a file");
        assert!(text("it.sarif").contains("settled-plan") && text("it.xml").contains("<failure"));
        for words in [&["replay", "provider-findings"][..], &["provider", "--replay", "provider-findings"]] {
            let again = place.run(words);
            again.ends(1, &[]);
            assert!(again.out.contains("breaks settled-plan at .stamp"), "{}", again.out);
        }
        let shown = place.run(&["probe", "provider-findings"]);
        assert!(shown.code == 1 && shown.out.contains("run: plan 0"), "{}{}", shown.out, shown.err);
        assert!(shown.out.contains("\n    planned: ") && shown.out.contains("it breaks the promise"), "{}", shown.out);
        let sorted = place.run(&["triage", "provider-findings", "--json"]);
        assert!(sorted.code == 1 && number(&sorted.last(), "breaks") == 1, "{}{}", sorted.out, sorted.err);
    }

    fn applied_objects() {
        let place = Place::new();
        let options = ["--json", "--runs", "10", "--apply", "x_thing", "--type", "x_thing", "--most-objects", "12"];
        let ended = place.provider(&options, &["unix", "none"]);
        ended.ends(0, &[]);
        let created = number(&ended.last(), "created");
        assert!((1..=12).contains(&created) && number(&ended.last(), "left") == 0, "{}", ended.out);
        // Objects that cannot be destroyed are reported.
        let ended = place.provider(&["--runs", "3", "--apply", "x_thing", "--type", "x_thing"], &["unix", "undying"]);
        ended.ends(1, &[]);
        assert!(ended.out.contains("left: x_thing"), "{}", ended.out);
    }

    fn options_of_the_user() {
        let place = Place::new();
        place.write("wrong.json", r#"{"nosuch":1}"#);
        place.write("token.json", r#"{"token":"let-me-in"}"#);
        let refused = |options: &[&str], how: &str, words: &str| {
            let ended = place.provider(options, &["unix", how]);
            assert!(ended.code == 2 && ended.err.contains(words), "{options:?}: {}{}", ended.out, ended.err);
        };
        refused(&["--config", "wrong.json"], "none", "wrong.json");
        refused(&[], "wants-token", "the provider refuses its configuration: the token is wrong");
        refused(&["--env", "PLANFUZZ_NO_SUCH_VARIABLE"], "none", "PLANFUZZ_NO_SUCH_VARIABLE");
        refused(&[], "wants-variable", "found the variable \"\", and others: false");
        refused(&["--type", "x_other"], "none", "found x_other");
        for (options, how) in
            [(["--config", "token.json"], "wants-token"), (["--env", "PLANFUZZ_TRIAL_TOKEN"], "wants-variable")]
        {
            let ended = place.provider(&[&options[..], &["--runs", "5", "--json"]].concat(), &["unix", how]);
            assert!(ended.code == 0 && number(&ended.last(), "runs") == 5, "{how}: {}{}", ended.out, ended.err);
        }
    }

    /// The user's values contain a name that is nowhere else.
    fn seeds() {
        let place = Place::new();
        let attributes = r#"{"name":"of-the-user","size":null}"#;
        place.write(
            "terraform.tfstate",
            format!(r#"{{"resources":[{{"type":"x_thing","instances":[{{"attributes":{attributes}}}]}}]}}"#),
        );
        let change = format!(r#"{{"resources":[{{"address":"x_thing.a","type":"x_thing","values":{attributes}}}]}}"#);
        place.write("plan.json", format!(r#"{{"planned_values":{{"root_module":{change}}}}}"#));
        place.write("main.tf.json", r#"{"resource":{"x_thing":{"a":{"name":"of-the-user"}}}}"#);
        let accepted = |options: &[&str]| {
            let all = [options, &["--runs", "20", "--time", "5s", "--type", "x_thing", "--json"]].concat();
            let ended = place.provider(&all, &["unix", "wants-seed"]);
            ended.ends(0, &[]);
            number(&ended.last(), "accepted")
        };
        assert_eq!(accepted(&[]), 0);
        place.write("main.tf", "resource \"x_thing\" \"a\" {\n  name = \"of-the-user\"\n}\n");
        place.write("wrong.tf", "resource {");
        place.provider(&["--seeds", "wrong.tf"], &["unix", "none"]).ends(2, &["wrong.tf: "]);
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
        running.args(["provider", "unix", "unset-set"]).env("TMPDIR", place.0.path()).stdout(Stdio::piped());
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
        let ended = place.run(&["provider", "--reattach", &entry(&socket), "--runs", "10", "--json"]);
        ended.ends(1, &[]);
        assert!(ended.out.contains(r#""finding":"I07""#), "{}", ended.out);
        assert!(running.0.try_wait().expect("its status").is_none(), "it is left running");
        place.run(&["provider", "--reattach", &entry("missing.sock")]).ends(2, &["missing.sock"]);
    }

    fn bad_providers() {
        let place = Place::new();
        place.run(&["provider", "no-such-file"]).ends(2, &["no-such-file"]);
        for (how, words) in [
            ("dead", "ended before its handshake"),
            ("old", "expected version 5 or 6 of the provider protocol"),
            ("chatty", "found \"Hello, I am a provider.\""),
        ] {
            let ended = place.provider(&[], &["unix", how]);
            let errors = ended.err.lines().filter(|line| line.starts_with("error")).count();
            assert!(ended.code == 2 && ended.err.contains(words) && errors == 1, "{how}: {}", ended.err);
        }
        // A provider that starts but fails at a question has that as its finding.
        for (how, words) in
            [("hang", "no answer within 1s"), ("flood", "it logged more than"), ("giant", "an answer of more than")]
        {
            let options = ["--runs", "1", "--call-time", "1s", "--type", "x_thing", "--memory", "4096"];
            let options = if how == "hang" { &options[..] } else { &[&options[..2], &options[4..]].concat()[..] };
            let ended = place.provider(options, &["unix", how]);
            assert!(
                ended.code == 1 && ended.out.contains("breaks answers at plan"),
                "{how}: {}{}",
                ended.out,
                ended.err
            );
            assert!(ended.out.contains(words), "{how}: {}", ended.out);
        }
    }
}
