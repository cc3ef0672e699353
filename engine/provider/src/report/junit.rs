//! Promises as JUnit XML: a test case for each promise of each resource type, which passes where it was tried and kept.

use std::io;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};

use crate::outcome::{Outcome, order};

/// The document.
///
/// # Errors
/// None in memory.
pub fn junit(outcome: &Outcome) -> io::Result<Vec<u8>> {
    let mut cases = Writer::new(Vec::new());
    let (mut tests, mut failures) = (0u64, 0u64);
    for (name, of) in &outcome.types {
        for id in order(&of.tried) {
            let own = outcome.findings.iter().filter(|it| it.case.type_name() == name && it.case.breach.promise == id);
            let said: Vec<String> = own.map(|it| it.case.purpose()).collect();
            tests += 1;
            failures += u64::from(!said.is_empty());
            test_case(&mut cases, name, id, &said)?;
        }
    }
    let mut writer = Writer::new(Vec::new());
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    for tag in ["testsuites", "testsuite"] {
        let mut start = BytesStart::new(tag);
        start.push_attribute(("name", "provider"));
        start.push_attribute(("tests", &*tests.to_string()));
        start.push_attribute(("failures", &*failures.to_string()));
        writer.write_event(Event::Start(start))?;
    }
    writer.get_mut().extend_from_slice(cases.get_ref());
    for tag in ["testsuite", "testsuites"] {
        writer.write_event(Event::End(BytesEnd::new(tag)))?;
    }
    Ok(writer.into_inner())
}

fn test_case(writer: &mut Writer<Vec<u8>>, class: &str, name: &str, said: &[String]) -> io::Result<()> {
    let mut case = BytesStart::new("testcase");
    case.push_attribute(("classname", class));
    case.push_attribute(("name", name));
    let Some(first) = said.first() else { return writer.write_event(Event::Empty(case)) };
    let mut failure = BytesStart::new("failure");
    failure.push_attribute(("message", &*readable(first)));
    writer.write_event(Event::Start(case))?;
    writer.write_event(Event::Start(failure))?;
    writer.write_event(Event::Text(BytesText::new(&readable(&said.join("\n")))))?;
    writer.write_event(Event::End(BytesEnd::new("failure")))?;
    writer.write_event(Event::End(BytesEnd::new("testcase")))
}

/// A text without what no XML document may have, not even escaped.
fn readable(text: &str) -> String {
    let may_be = |char: char| matches!(char, '\t' | '\n' | '\r' | '\u{20}'..='\u{fffd}' | '\u{10000}'..='\u{10ffff}');
    text.chars().map(|char| if may_be(char) { char } else { '\u{fffd}' }).collect()
}
