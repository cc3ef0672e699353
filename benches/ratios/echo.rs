//! A program that costs next to nothing: it answers every `proposed_new` with the text of the configuration.

use std::io::{self, BufRead, BufWriter, Write};

/// The option that makes this bench that program.
pub const FLAG: &str = "--echo";

const HELLO: &[u8] = br#"{"hello":1,"name":"echo","ops":["proposed_new"]}"#;

/// Runs until the input ends. Answers are flushed when there is no more input to read.
pub fn run() -> io::Result<()> {
    let mut input = io::BufReader::with_capacity(1 << 16, io::stdin().lock());
    let mut output = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        let member = |name| member(&line, name).unwrap_or(b"null");
        match member("id") {
            b"null" => output.write_all(HELLO)?,
            id => {
                for part in [b"{\"id\":", id, b",\"ok\":{\"value\":", member("config"), b"}}"] {
                    output.write_all(part)?;
                }
            }
        }
        output.write_all(b"\n")?;
        if input.buffer().is_empty() {
            output.flush()?;
        }
        line.clear();
    }
    output.flush()
}

/// The text of a member of the outermost object.
fn member<'a>(line: &'a [u8], name: &str) -> Option<&'a [u8]> {
    let (mut depth, mut at, mut start) = (0, 0, None);
    while at < line.len() {
        match line[at] {
            b'"' => {
                let end = end_of_string(line, at);
                let is_name = depth == 1 && line.get(end) == Some(&b':');
                if is_name && &line[at + 1..end - 1] == name.as_bytes() {
                    start = Some(end + 1);
                }
                at = end;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        let is_over = depth == 0 || (depth == 1 && line[at] == b',');
        if let (true, Some(start)) = (is_over, start) {
            return Some(&line[start..at]);
        }
        at += 1;
    }
    None
}

/// The place after a string that begins at `from`.
fn end_of_string(line: &[u8], from: usize) -> usize {
    let mut at = from + 1;
    while at < line.len() && line[at] != b'"' {
        at += if line[at] == b'\\' { 2 } else { 1 };
    }
    at + 1
}
