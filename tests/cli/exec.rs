//! Programs as subjects: right ones agree with the planner behind them, wrong ones get the outcome that they deserve, at
//! the request that caused it, and no wait exceeds its limit.

use std::time::{Duration, Instant};

use planfuzz::case::{Call, Case, CaseFile, Op, Task, ValueCall};
use planfuzz::compare::{Answers, Arbiter, Judge, Kind, Summary};
use planfuzz::generate::{Cases, Generator, Scenarios, Settings};
use planfuzz::scenario::NoAnswer;
use planfuzz::subject::{Exec, ExecError, ExecOptions, InProcess, LeftOut, Outcome, Shown, Subject};
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::value::Type;
use planfuzz_reference::Reference;
use tempfile::TempDir;

use crate::running::{is_running, state};

/// For programs that answer: long enough that a busy machine makes none of them late.
const AMPLE: Duration = Duration::from_secs(20);

/// For programs that hang.
const SHORT: Duration = Duration::from_millis(700);

/// A shell script as a program, in a folder that is removed with it.
struct Script {
    folder: TempDir,
}

/// A program that greets and then runs `body` for each request, with the line in `$line`, its id in `$id`, its number in
/// `$n`.
fn answering(body: &str) -> Script {
    let greeting = r#"{"hello":1,"name":"sh","ops":["number_text","roundtrip"]}"#;
    script(&format!(
        r#"n=0
ok() {{ printf '{{"id":"%s","ok":{{"text":"1","short":"1"}}}}\n' "$1"; }}
IFS= read -r hello
printf '%s\n' '{greeting}'
while IFS= read -r line; do
  n=$((n + 1)); id=${{line#*\"id\":\"}}; id=${{id%%\"*}}
  {body}
done
"#
    ))
}

fn script(text: &str) -> Script {
    let folder = tempfile::tempdir().expect("a folder");
    let text = text.replace("DIR", &folder.path().display().to_string());
    std::fs::write(folder.path().join("program"), text).expect("a file");
    Script { folder }
}

impl Script {
    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    fn try_start(&self, answer_time: Duration) -> Result<Exec, ExecError> {
        start(&format!("sh {}", self.path("program")), answer_time)
    }

    fn start(&self, answer_time: Duration) -> Exec {
        self.try_start(answer_time).expect("it starts")
    }

    /// The process ids that the program wrote to a file.
    fn pids(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.path("pids")).expect("the program wrote it");
        text.lines().map(str::to_owned).collect()
    }
}

fn start(command: &str, answer_time: Duration) -> Result<Exec, ExecError> {
    let options = ExecOptions { dialect: Dialect::default(), answer_time, patience: 3, stop: None };
    Exec::start(command, &options)
}

fn number(text: &str) -> Case {
    Case::new(Dialect::default(), Task::Call(Call::Value(ValueCall::NumberText { text: text.to_owned() })))
}

fn numbers(count: usize) -> Vec<Case> {
    (0..count).map(|number_of| number(&number_of.to_string())).collect()
}

fn roundtrip() -> Case {
    let call = ValueCall::Roundtrip { ty: Type::String, value: Json::string("s") };
    Case::new(Dialect::default(), Task::Call(Call::Value(call)))
}

/// The outcomes, a word for each.
fn kinds(exec: &mut Exec, cases: &[Case]) -> Vec<String> {
    let answers = exec.answer(cases);
    assert_eq!(answers.len(), cases.len());
    answers.into_iter().map(|mut of_case| kind(&of_case.remove(0))).collect()
}

fn kind(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Value(_) | Outcome::Paths(_) | Outcome::Want(_) | Outcome::Trace(_) | Outcome::Workspace(_) => {
            "answer".to_owned()
        }
        Outcome::Refused(_) => "refused".to_owned(),
        Outcome::Crashed { site, .. } => site.clone(),
        Outcome::OverBudget { .. } => "late".to_owned(),
        Outcome::LeftOut(reason) => reason.reason().into_owned(),
    }
}

/// `count` answers, with another outcome at some places.
fn answers_but(count: usize, others: &[(usize, &str)]) -> Vec<String> {
    let other = |index| others.iter().find(|(place, _)| *place == index).map(|(_, kind)| (*kind).to_owned());
    (0..count).map(|index| other(index).unwrap_or_else(|| "answer".to_owned())).collect()
}

fn planfuzz(arguments: &str) -> String {
    let binary = shlex::try_quote(env!("CARGO_BIN_EXE_planfuzz")).expect("a path without NUL").into_owned();
    format!("{binary} {arguments}")
}

#[test]
fn a_right_planner_agrees_and_is_fast() {
    let mut exec = start(&planfuzz("serve --subject reference"), AMPLE).expect("it starts");
    assert_eq!(exec.name(), "planfuzz reference");
    let mut reference = InProcess::new(Reference);
    let generator = Generator::new(Settings::SMALL).in_dialects(&[Dialect::default()]);
    let mut generated = Cases::new(generator, 7);
    let (mut requests, mut time, mut summary) = (0, Duration::ZERO, Summary::default());
    for chunk in 0..32 {
        let cases: Vec<Case> = (chunk * 64..(chunk + 1) * 64).map(|index| generated.case(index)).collect();
        let begin = Instant::now();
        let answers = exec.answer(&cases);
        time += begin.elapsed();
        for ((case, of_exec), of_reference) in cases.iter().zip(answers).zip(reference.answer(&cases)) {
            assert_eq!(of_exec.len(), of_reference.len());
            requests += of_exec.len();
            assert!(of_exec.iter().all(Outcome::is_answer), "{of_exec:?}");
            let answers = [Answers::of(&reference, &of_reference), Answers::of(&exec, &of_exec)];
            let found = Judge::default().judge(case, &answers, &mut summary);
            assert!(found.is_empty(), "{found:?}");
        }
    }
    // What lines cannot express is tolerated, and rare.
    assert_eq!(summary.comparisons, requests as u64);
    assert!(summary.tally.tolerated * 100 < requests as u64, "{:?}", summary.tally);
    println!("{requests} requests in {time:?}: {:.0} a second", requests as f64 / time.as_secs_f64());
}

/// The proposed value has a null whose type, an object with a string inside, the notation does not write: it is read back
/// as one of the declared type, with `dynamic` inside, which M10 forbids.
const UNWRITTEN: &str = r#"{"format": 1, "dialect": "terraform-1.11", "op": "proposed_new",
"schema": {"block": {"attributes": {"a": {"optional": true, "nested_type": {"nesting_mode": "list", "attributes": {"a": {
    "computed": true, "nested_type": {"nesting_mode": "single", "attributes": {"a": {"type": "dynamic", "optional": true}}}
}}}}}}},
"prior": {"a": [null, {"a": {"a": {"type": "string", "value": null}}}]},
"config": {"a": [{"a": null}]}}"#;

/// The same for an empty set: its element type does not appear in the text.
const UNWRITTEN_SET: &str = include_str!(
    "../../corpus/regressions/m10-an-empty-set-whose-type-its-schema-leaves-open-is-of-the-type-of-its-neighbo.json"
);

#[test]
fn a_rule_that_the_line_breaks_is_no_finding_in_any_order_of_subjects() {
    for text in [UNWRITTEN, UNWRITTEN_SET] {
        the_line_breaks_a_rule(text);
    }
}

fn the_line_breaks_a_rule(text: &str) {
    let case = CaseFile::from_json(&Json::parse(text).expect("JSON")).expect("a case").case;
    let over_a_line = || start(&planfuzz("serve --subject reference"), AMPLE).expect("it starts");
    let in_process = || InProcess::new(Reference);
    let judged = |subjects: &mut [&mut dyn Subject]| {
        let outcomes: Vec<Vec<Outcome>> =
            subjects.iter_mut().map(|subject| subject.answer(std::slice::from_ref(&case)).remove(0)).collect();
        let answers = subjects.iter().zip(&outcomes).map(|(subject, outcomes)| Answers::of(&**subject, outcomes));
        let answers: Vec<Answers<'_>> = answers.collect();
        let mut summary = Summary::default();
        let judge = Judge { arbiter: Some(Arbiter(&Reference)), ..Judge::default() };
        let found = judge.judge(&case, &answers, &mut summary);
        let findings: Vec<_> = found.into_iter().map(|found| found.signature).collect();
        assert_eq!(findings, [], "{summary:?}");
        summary.tally
    };
    let beside = judged(&mut [&mut in_process(), &mut over_a_line()]);
    assert_eq!((beside.tolerated, beside.agree), (2, 0), "the difference, and the rule");
    let first = judged(&mut [&mut over_a_line(), &mut over_a_line()]);
    assert_eq!((first.tolerated, first.agree), (1, 1), "the rule alone");
    let alone = judged(&mut [&mut in_process()]);
    assert_eq!(alone.tolerated, 0);
}

/// Scenarios whose first walk is a plan with calls of the provider.
fn scenarios(count: u64) -> Vec<Case> {
    let generator = Generator::new(Settings::SMALL).in_dialects(&[Dialect::default()]);
    let mut scenarios = Scenarios::new(generator, 7);
    (0..count).map(|number| scenarios.case(number)).collect()
}

#[test]
fn a_right_planner_lives_as_the_one_behind_it() {
    let mut exec = start(&planfuzz("serve --subject reference"), AMPLE).expect("it starts");
    let cases = scenarios(200);
    let begin = Instant::now();
    let answers = exec.answer(&cases);
    let time = begin.elapsed();
    let (judge, mut summary) = (Judge::default(), Summary::default());
    let reference = InProcess::new(Reference).answer(&cases);
    for ((case, of_exec), of_reference) in cases.iter().zip(&answers).zip(&reference) {
        let answers = [
            Answers { subject: "reference", outcomes: of_reference, shown: Shown::Whole, is_of_shared_code: false },
            Answers { subject: "exec", outcomes: of_exec, shown: Shown::Written, is_of_shared_code: false },
        ];
        let found = judge.judge(case, &answers, &mut summary);
        let differs = found.iter().find(|found| matches!(found.signature.kind, Kind::Diverge(_) | Kind::Crash(_)));
        assert!(differs.is_none(), "{differs:?}: {}", case.to_json().to_compact());
    }
    assert!(summary.steps > 300 && summary.comparisons > 300, "{} steps", summary.steps);
    println!("{} steps in {time:?}", summary.steps);
}

/// A program that greets as a planner of walks, and runs `body` for the first request, with its id in `$id`.
fn walking(body: &str) -> Script {
    let greeting = r#"{"hello":1,"name":"sh","ops":["plan","apply"]}"#;
    script(&format!(
        r#"IFS= read -r hello
printf '%s\n' '{greeting}'
IFS= read -r line; id=${{line#*\"id\":\"}}; id=${{id%%\"*}}
ask() {{ printf '{{"id":"%s","ask":{{"call":"import","id":"i"}}}}\n' "$id"; }}
{body}
"#
    ))
}

/// How the first walk of a run over a line ended.
fn end_of_trace(script: &Script, answer_time: Duration) -> String {
    let mut exec = script.start(answer_time);
    let case = scenarios(1).remove(0);
    match exec.answer(&[case]).remove(0).remove(0) {
        Outcome::Trace(trace) => match trace.stopped.as_ref().map(|stopped| &stopped.halt) {
            Some(NoAnswer::Refused(message)) => message.clone(),
            Some(NoAnswer::Crashed { site, .. }) => site.clone(),
            Some(NoAnswer::OverBudget { .. }) => "late".to_owned(),
            Some(NoAnswer::LeftOut(reason)) => reason.clone(),
            None => "whole".to_owned(),
        },
        other => kind(&other),
    }
}

#[test]
fn a_wrong_planner_is_reported_with_the_walk_in_which_it_went_wrong() {
    let refuses = walking(r#"ask; IFS= read -r answer; printf '{"id":"%s","error":"no"}\n' "$id"; cat >/dev/null"#);
    assert_eq!(end_of_trace(&refuses, AMPLE), "no");
    let dies = walking("ask; IFS= read -r answer; exit 3");
    assert_eq!(end_of_trace(&dies, AMPLE), "exit status: 3");
    let nonsense = walking(r#"printf '{"id":"%s","ask":{"call":"what"}}\n' "$id"; cat >/dev/null"#);
    assert_eq!(end_of_trace(&nonsense, AMPLE), "answer is no outcome");
    let other = walking(r#"printf '{"id":"x","ok":{}}\n'; cat >/dev/null"#);
    assert_eq!(end_of_trace(&other, AMPLE), "answer out of order");
    let asks_for_ever = walking("while ask; do IFS= read -r answer || exit; done");
    assert_eq!(end_of_trace(&asks_for_ever, AMPLE), "too many calls of the provider");
    let hangs = walking("ask; IFS= read -r answer; sleep 30");
    assert_eq!(end_of_trace(&hangs, SHORT), "late");
}

#[test]
fn a_program_that_does_not_start_is_reported_at_the_start() {
    let error = |command: &str| start(command, SHORT).err().expect("it does not start").to_string();
    assert!(error("'unbalanced").contains("expected a command after exec:"));
    assert!(error("").contains("expected a command after exec:"));
    assert!(error("/no/such/program").contains("cannot start /no/such/program"));
    let gone = script("echo so it is >&2; exit 3").try_start(AMPLE).err().expect("it ended").to_string();
    assert!(gone.contains("did not answer the greeting") && gone.contains("exit status: 3"), "{gone}");
    assert!(gone.contains("so it is"), "{gone}");
    let begin = Instant::now();
    let hung = script("exec sleep 60").try_start(SHORT).err().expect("it hangs").to_string();
    assert!(hung.contains("no answer within 700 ms"), "{hung}");
    assert!(begin.elapsed() < Duration::from_secs(10));
}

#[test]
fn a_program_may_answer_the_greeting_with_an_error() {
    let refuses =
        script(r#"IFS= read -r hello; echo '{"hello":1,"error":"expected an older dialect"}'; cat >/dev/null"#);
    let problem = refuses.try_start(AMPLE).err().expect("it does not take part");
    assert!(
        matches!(&problem, ExecError::Refused { problem, .. } if problem == "expected an older dialect"),
        "{problem}"
    );
}

#[test]
fn ends_after_some_answers() {
    // Every program answers five requests; at the sixth it ends, in a window and alone.
    let program = answering(r#"[ $n -gt 5 ] && { echo "enough of $n" >&2; exit 4; }; ok $id"#);
    let mut exec = program.start(AMPLE);
    let answers = exec.answer(&numbers(14));
    let ended: Vec<&Outcome> = answers.iter().flatten().filter(|one| kind(one) == "exit status: 4").collect();
    // In the window it ends at the sixth, and alone at the eleventh, which is asked then.
    assert_eq!(ended.len(), 1, "{answers:?}");
    assert!(matches!(ended[0], Outcome::Crashed { message, .. } if message.contains("enough of 6")), "{ended:?}");
    assert_eq!(answers.iter().flatten().filter(|one| one.is_answer()).count(), 13);
}

#[test]
fn an_end_that_does_not_happen_again_is_not_lost() {
    let program = answering(r#"[ $n = 3 ] && [ ! -e DIR/once ] && { : > DIR/once; exit 5; }; ok $id"#);
    let mut exec = program.start(AMPLE);
    let answers = exec.answer(&numbers(8));
    let Outcome::Crashed { site, message, .. } = &answers[2][0] else { panic!("{answers:?}") };
    assert_eq!(site, "exit status: 5");
    assert!(message.contains("not again when each was asked alone"), "{message}");
    assert_eq!(answers.iter().flatten().filter(|one| one.is_answer()).count(), 7);
}

#[test]
fn dies_on_one_request_in_the_middle_of_a_window() {
    let program = answering(r#"case "$line" in *'"37"'*) kill -9 $$;; esac; ok $id"#);
    let mut exec = program.start(AMPLE);
    assert_eq!(kinds(&mut exec, &numbers(60)), answers_but(60, &[(37, "signal: 9 (SIGKILL)")]));
    // The next batch is answered normally.
    assert_eq!(kinds(&mut exec, &numbers(5)), answers_but(5, &[]));
}

#[test]
fn dies_in_the_middle_of_an_answer() {
    let program = answering(r#"[ "${line%\"2\"*}" != "$line" ] && { printf '{"id":"'; exit 6; }; ok $id"#);
    assert_eq!(kinds(&mut program.start(AMPLE), &numbers(4)), answers_but(4, &[(2, "exit status: 6")]));
}

#[test]
fn hangs_without_reading() {
    let program = script(r#"echo '{"hello":1}'; exec sleep 60"#);
    let mut exec = program.start(SHORT);
    let begin = Instant::now();
    // More than the pipe holds, so that the writer blocks.
    let big = number(&"1".repeat(300_000));
    let cases = [big, number("1"), number("2"), number("3"), number("4")];
    let given_up = LeftOut::GivenUp.reason();
    assert_eq!(kinds(&mut exec, &cases), ["late", "late", "late", &*given_up, &*given_up]);
    assert_eq!(kinds(&mut exec, &cases[..1]), [given_up]);
    assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
}

#[test]
fn hangs_on_one_request_after_reading_it() {
    let program = answering(r#"case "$line" in *'"3"'*) sleep 60;; esac; ok $id"#);
    assert_eq!(kinds(&mut program.start(SHORT), &numbers(6)), answers_but(6, &[(3, "late")]));
}

#[test]
fn the_time_is_for_each_answer() {
    let program = answering("sleep 0.2; ok $id");
    let begin = Instant::now();
    assert_eq!(kinds(&mut program.start(SHORT), &numbers(6)), answers_but(6, &[]));
    assert!(begin.elapsed() > SHORT, "the test is of no use");
}

#[test]
fn answers_out_of_order() {
    let program = answering(r#"[ $((n % 2)) = 1 ] && { held=$id; continue; }; ok $id; ok $held"#);
    let kinds = kinds(&mut program.start(SHORT), &numbers(2));
    assert!(kinds.contains(&"late".to_owned()) || kinds.contains(&"answer out of order".to_owned()), "{kinds:?}");
    let other = answering("ok 0");
    assert_eq!(self::kinds(&mut other.start(AMPLE), &numbers(2)), ["answer out of order"; 2]);
}

#[test]
fn answers_twice() {
    let program = answering("ok $id; ok $id");
    let kinds = kinds(&mut program.start(AMPLE), &numbers(4));
    assert!(kinds.contains(&"answer out of order".to_owned()), "{kinds:?}");
    assert!(kinds.contains(&"answer".to_owned()), "{kinds:?}");
}

#[test]
fn answers_nonsense() {
    for (body, site) in [
        ("echo nonsense", "answer is no JSON"),
        ("echo", "answer is no JSON"),
        ("printf '\\377\\n'", "answer is no JSON"),
        (r#"printf '{"id":"%s"}\n' $id"#, "answer without ok or error"),
        (r#"printf '{"id":%s,"ok":{}}\n' $id"#, "answer out of order"),
        (r#"printf '{"id":"%s","ok":[]}\n' $id"#, "answer is no outcome"),
        (r#"printf '{"id":"%s","ok":{"panic":false}}\n' $id"#, "answer is no outcome"),
        (r#"printf '["%s"]\n' $id"#, "answer out of order"),
    ] {
        assert_eq!(kinds(&mut answering(body).start(AMPLE), &[number("1"), number("2")]), [site; 2], "{body}");
    }
    let deep = format!("echo '{}'", "[".repeat(100_000));
    assert_eq!(kinds(&mut answering(&deep).start(AMPLE), &[number("1")]), ["answer is no JSON"]);
}

#[test]
fn answers_with_wrong_types() {
    for answer in [r#"{"value":5}"#, r#"{"value":"s","more":1}"#, r#"{}"#, r#"{"value":{"$unknown":{"length_min":1}}}"#]
    {
        let program = answering(&format!(r#"printf '{{"id":"%s","ok":%s}}\n' $id '{answer}'"#));
        assert_eq!(kinds(&mut program.start(AMPLE), &[roundtrip()]), ["answer is no outcome"], "{answer}");
    }
    let right = answering(r#"printf '{"id":"%s","ok":{"value":"s"}}\n' $id"#);
    assert_eq!(kinds(&mut right.start(AMPLE), &[roundtrip()]), ["answer"]);
}

#[test]
fn refuses_everything() {
    let program = answering(r#"printf '{"id":"%s","error":"no"}\n' $id"#);
    assert_eq!(kinds(&mut program.start(AMPLE), &numbers(3)), ["refused"; 3]);
}

#[test]
fn prints_a_line_of_a_hundred_megabytes() {
    let program = answering(r#"[ $n = 2 ] && { head -c 100000000 /dev/zero | tr '\0' x; echo; }; ok $id"#);
    let kinds = kinds(&mut program.start(AMPLE), &numbers(3));
    assert!(kinds.contains(&"answer too long".to_owned()), "{kinds:?}");
}

#[test]
fn prints_without_end_and_unasked() {
    // The program blocks on the pipe; the memory of this process does not grow.
    let program = script(r#"echo '{"hello":1}'; exec yes '{"id":"0","ok":{}}'"#);
    let mut exec = program.start(AMPLE);
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(kinds(&mut exec, &numbers(2)), ["answer out of order"; 2]);
}

#[test]
fn answers_the_greeting_with_something_else_and_is_asked_everything() {
    for greeting in ["{}", r#"{"id":null,"error":"unknown op"}"#] {
        let program =
            script(&format!("IFS= read -r hello; echo '{greeting}'; while IFS= read -r line; do {}; done", {
                r#"id=${line#*\"id\":\"}; id=${id%%\"*}; printf '{"id":"%s","error":"no"}\n' $id"#
            }));
        let exec = program.start(AMPLE);
        let asked = |op: &Op| exec.can(*op, Dialect::default());
        let is_of_old = |op: &Op| {
            !op.is_provider()
                && !matches!(op, Op::PlanInstance | Op::ApplyInstance | Op::Scenario | Op::Workspace | Op::WorkspaceRun)
        };
        assert!(Op::ALL.iter().all(|op| asked(op) == is_of_old(op)), "later operations go to those that list them");
        assert!(exec.name().starts_with("exec:sh "));
    }
}

#[test]
fn a_greeting_that_is_no_json_is_a_mistake() {
    let problem = script("read hello; echo 'usage: planner FILE'; cat").try_start(AMPLE).err().expect("it is none");
    assert!(matches!(&problem, ExecError::NoPlanner { line, .. } if line == "usage: planner FILE"), "{problem}");
}

/// A program that ends by itself, and leaves a process that holds no pipe of the suite.
#[test]
fn processes_of_a_program_end_with_it_however_it_ended() {
    let program = script(
        r#"sleep 60 >/dev/null 2>&1 </dev/null & echo $! >> DIR/pids; echo $$ >> DIR/pids
echo '{"hello":1}'; cat >/dev/null; exit 0"#,
    );
    let exec = program.start(AMPLE);
    let pids = program.pids();
    assert!(pids.len() == 2 && pids.iter().all(is_running), "{pids:?}");
    drop(exec);
    let begin = Instant::now();
    while pids.iter().any(is_running) {
        assert!(begin.elapsed() < Duration::from_secs(5), "{pids:?} are left");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_name_is_one_short_printable_line() {
    let long = "n".repeat(500);
    let program = script(&format!(r#"printf '%s\n' '{{"hello":1,"name":"a\n\u001b[31m{long}"}}'; cat >/dev/null"#));
    let name = program.start(AMPLE).name().to_owned();
    assert!(name.starts_with("a[31mnnn") && name.len() == 60, "{name:?}");
}

#[test]
fn operations_that_it_did_not_announce_are_counted_with_the_reason() {
    let program = answering("ok $id");
    let mut exec = program.start(AMPLE);
    let mut reference = InProcess::new(Reference);
    let mut generated = Cases::new(Generator::new(Settings::TINY).in_dialects(&[Dialect::default()]), 1);
    let case = generated.case(0);
    let mut summary = Summary::default();
    let one = reference.answer(std::slice::from_ref(&case)).remove(0);
    let other = exec.answer(std::slice::from_ref(&case)).remove(0);
    let answers = [
        Answers { subject: "reference", outcomes: &one, shown: Shown::Whole, is_of_shared_code: false },
        Answers { subject: "sh", outcomes: &other, shown: Shown::Written, is_of_shared_code: false },
    ];
    assert!(Judge::default().judge(&case, &answers, &mut summary).is_empty());
    assert_eq!(summary.left_out.get(&("sh".to_owned(), LeftOut::UnknownOp.reason().into_owned())), Some(&5));
    assert_eq!((summary.cases, summary.comparisons), (0, 0), "it did not reach every subject");
}

#[test]
fn closes_its_input() {
    let program = answering("exec <&-; ok $id; sleep 60");
    let begin = Instant::now();
    let kinds = kinds(&mut program.start(SHORT), &numbers(2));
    assert!(kinds.iter().any(|kind| kind != "answer"), "{kinds:?}");
    assert!(begin.elapsed() < Duration::from_secs(10));
}

#[test]
fn writes_lots_to_standard_error() {
    let program = answering("yes noise | head -c 3000000 >&2; ok $id");
    assert_eq!(kinds(&mut program.start(AMPLE), &numbers(3)), ["answer"; 3]);
    let last = answering(r#"yes noise | head -c 300000 >&2; echo "the reason" >&2; exit 1"#);
    let answers = last.start(AMPLE).answer(&numbers(1));
    assert!(
        matches!(&answers[0][0], Outcome::Crashed { message, .. } if message.ends_with("the reason")),
        "{answers:?}"
    );
}

#[test]
fn many_big_requests_and_answers() {
    let program = start(&planfuzz("serve"), AMPLE);
    let mut exec = program.expect("it starts");
    let text = "x".repeat(200_000);
    let call = ValueCall::Roundtrip { ty: Type::String, value: Json::string(&text) };
    let cases = vec![Case::new(Dialect::default(), Task::Call(Call::Value(call))); 300];
    assert!(kinds(&mut exec, &cases).iter().all(|kind| kind == "answer"));
}

#[test]
fn no_process_is_left_behind() {
    // It leaves a process of its own, which holds all pipes open, and does not end when its input does.
    let program = script(
        r#"echo $$ >> DIR/pids; sleep 60 & echo $! >> DIR/pids
echo '{"hello":1}'; trap '' TERM; sleep 60; sleep 60"#,
    );
    let exec = program.start(AMPLE);
    let pids = program.pids();
    assert!(pids.len() == 2 && pids.iter().all(is_running), "{pids:?}");
    drop(exec);
    // The group's other member is init's to reap, which may take a moment.
    let begin = Instant::now();
    while pids.iter().any(is_running) {
        assert!(begin.elapsed() < Duration::from_secs(5), "{pids:?} are left");
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(state(&pids[0]), "", "the program is a zombie");
}

#[test]
fn processes_left_behind_do_not_hide_its_end() {
    let program = answering("sleep 60 & exit 7");
    let answers = program.start(SHORT).answer(&numbers(1));
    assert_eq!(kind(&answers[0][0]), "exit status: 7");
}
