//! The built-in planners behind a pipe.

use std::io::Write;
use std::process::Stdio;
use std::time::Duration;

use planfuzz_core::json::Json;

use crate::{CommandOutput, Place};

fn serve(place: &Place, requests: &[u8]) -> Vec<Json> {
    let mut serve = place
        .command(&["serve"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut stdin = serve.stdin.take().expect("piped");
    let requests = requests.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&requests));
    let ended = CommandOutput::of(&serve.wait_with_output().expect("it ends"));
    writer.join().expect("no panic").expect("it reads all");
    ended.ends(0, &[]);
    ended.out.lines().map(|line| Json::parse(line).expect("a line of JSON")).collect()
}

#[test]
fn serve_answers_each_line_whatever_is_in_it() {
    let place = Place::new();
    let good = |id: &str| format!(r#"{{"id": {id}, "op": "number_text", "text": "01"}}"#);
    let lines = [
        r#"{"hello": 1, "dialect": "opentofu-1.12"}"#.to_owned(),
        good("\"a\""),
        "nonsense".to_owned(),
        good("7"),
        "[".repeat(100_000),
        good("[null, {\"deep\": 1e5}]"),
        r#"{"id": 1, "op": "guess"}"#.to_owned(),
        r#"{"op": "number_text", "text": "5"}"#.to_owned(),
        r#"{"id": "w", "op": "number_text", "text": "5", "want": {}}"#.to_owned(),
        r#"{"hello": 1, "dialect": "pulumi"}"#.to_owned(),
        String::new(),
        r#"{"id": "end", "op": "number_text", "text": "5"}"#.to_owned(),
    ];
    let answers = serve(&place, lines.join("\n").as_bytes());
    let text = |index: usize| answers[index].to_compact();
    assert_eq!(answers.len(), 11, "one for each line that is not blank");
    assert!(text(0).starts_with(r#"{"hello":1,"name":"planfuzz optimized","ops":["#), "{}", text(0));
    assert!(text(1).starts_with(r#"{"id":"a","ok":"#), "{}", text(1));
    assert!(text(2).contains(r#""error":"line 1, column"#), "{}", text(2));
    assert!(text(3).starts_with(r#"{"id":7,"ok":"#), "{}", text(3));
    assert!(text(4).contains("levels of arrays and objects"), "{}", text(4));
    assert!(text(5).starts_with(r#"{"id":[null,{"deep":1e+5}],"ok":"#), "{}", text(5));
    assert!(text(6).contains(r#"{"id":1,"error":".op: expected an operation"#), "{}", text(6));
    assert!(text(7).starts_with(r#"{"id":null,"ok":"#), "{}", text(7));
    assert!(text(8).contains("want"), "{}", text(8));
    assert!(text(9).starts_with(r#"{"hello":1,"error":""#) && text(9).contains("a dialect such as"), "{}", text(9));
    assert!(text(10).starts_with(r#"{"id":"end","ok":"#), "{}", text(10));
}

#[test]
fn serve_keeps_no_more_of_a_line_than_it_may_have() {
    let place = Place::new();
    let mut requests = vec![b'1'; 70 << 20];
    requests.extend_from_slice(b"\n{\"id\": 2, \"op\": \"number_text\", \"text\": \"5\"}\n");
    let answers = serve(&place, &requests);
    assert_eq!(answers.len(), 2);
    assert!(answers[0].to_compact().contains("expected a line of at most 67108864 bytes"));
    assert!(answers[1].to_compact().starts_with(r#"{"id":2,"ok":"#));
}

/// A client that reads nothing before it has sent everything.
#[test]
fn serve_takes_many_requests_before_an_answer_is_read() {
    let place = Place::new();
    let text = "x".repeat(2_000);
    let request = format!("{{\"id\": 1, \"op\": \"roundtrip\", \"type\": \"string\", \"value\": \"{text}\"}}\n");
    let mut serve = place.command(&["serve"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut stdin = serve.stdin.take().expect("piped");
    let (done, is_done) = std::sync::mpsc::channel();
    let writer = std::thread::spawn(move || {
        stdin.write_all(request.repeat(1_000).as_bytes()).expect("it reads all");
        done.send(()).expect("the test waits");
    });
    let sent = is_done.recv_timeout(Duration::from_secs(20));
    if sent.is_err() {
        serve.kill().expect("it hangs");
    }
    assert!(sent.is_ok(), "it does not read while its answers are not read");
    writer.join().expect("no panic");
    let ended = CommandOutput::of(&serve.wait_with_output().expect("it ends"));
    assert_eq!(ended.out.lines().count(), 1_000);
}
