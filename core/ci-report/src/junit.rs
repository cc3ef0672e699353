//! Results as JUnit XML, which CI systems show beside the commit.

use std::io;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};

/// The outcome of a test case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CaseResult {
    /// It held.
    Passed,
    /// It did not: in a line, and in full.
    Failed {
        /// The line.
        message: String,
        /// The whole report.
        text: String,
    },
    /// The outcome is unknown.
    Error {
        /// Why.
        message: String,
    },
    /// It was not asked.
    Skipped {
        /// Why.
        reason: String,
    },
}

/// A document with one suite.
pub struct Junit {
    name: String,
    cases: Writer<Vec<u8>>,
    tests: u64,
    failures: u64,
    errors: u64,
    skipped: u64,
}

impl Junit {
    /// An empty suite.
    pub fn new(name: &str) -> Junit {
        let cases = Writer::new(Vec::new());
        Junit { name: name.to_owned(), cases, tests: 0, failures: 0, errors: 0, skipped: 0 }
    }

    /// Adds a test case.
    ///
    /// # Errors
    /// None in memory.
    pub fn add(&mut self, class: &str, name: &str, outcome: &CaseResult) -> io::Result<()> {
        self.tests += 1;
        let mut case = BytesStart::new("testcase");
        case.push_attribute(("classname", &*readable(class)));
        case.push_attribute(("name", &*readable(name)));
        let (count, tag, message, text) = match outcome {
            CaseResult::Passed => return self.write([Event::Empty(case)]),
            CaseResult::Failed { message, text } => (&mut self.failures, "failure", message, text.as_str()),
            CaseResult::Error { message } => (&mut self.errors, "error", message, ""),
            CaseResult::Skipped { reason } => (&mut self.skipped, "skipped", reason, ""),
        };
        *count += 1;
        let mut inside = BytesStart::new(tag);
        inside.push_attribute(("message", &*readable(message)));
        let text = readable(text);
        self.write([
            Event::Start(case),
            Event::Start(inside),
            Event::Text(BytesText::new(&text)),
            Event::End(BytesEnd::new(tag)),
            Event::End(BytesEnd::new("testcase")),
        ])
    }

    fn write<'a>(&mut self, events: impl IntoIterator<Item = Event<'a>>) -> io::Result<()> {
        for event in events {
            self.cases.write_event(event)?;
        }
        self.cases.get_mut().push(b'\n');
        Ok(())
    }

    /// The document.
    ///
    /// # Errors
    /// None in memory.
    pub fn finish(self) -> io::Result<Vec<u8>> {
        let mut writer = Writer::new(Vec::new());
        writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
        writer.get_mut().push(b'\n');
        let counts =
            [("tests", self.tests), ("failures", self.failures), ("errors", self.errors), ("skipped", self.skipped)];
        for tag in ["testsuites", "testsuite"] {
            let mut start = BytesStart::new(tag);
            start.push_attribute(("name", &*readable(&self.name)));
            for (name, count) in counts {
                start.push_attribute((name, &*count.to_string()));
            }
            writer.write_event(Event::Start(start))?;
            writer.get_mut().push(b'\n');
        }
        writer.get_mut().extend_from_slice(self.cases.get_ref());
        for tag in ["testsuite", "testsuites"] {
            writer.write_event(Event::End(BytesEnd::new(tag)))?;
            writer.get_mut().push(b'\n');
        }
        Ok(writer.into_inner())
    }
}

/// A text without what no XML document may have, not even escaped.
fn readable(text: &str) -> String {
    let may_be = |char: char| matches!(char, '\t' | '\n' | '\r' | '\u{20}'..='\u{fffd}' | '\u{10000}'..='\u{10ffff}');
    text.chars().map(|char| if may_be(char) { char } else { '\u{fffd}' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suite_counts_its_cases_and_escapes_their_texts() {
        let mut junit = Junit::new("replay");
        let failed = CaseResult::Failed { message: "a < \"b\"".to_owned(), text: "]]> & \u{1b}[31m\u{0}".to_owned() };
        let all = [
            CaseResult::Passed,
            failed,
            CaseResult::Error { message: "'no' case".to_owned() },
            CaseResult::Skipped { reason: "other".to_owned() },
        ];
        for outcome in &all {
            junit.add("corpus", "a&b\u{8}.json", outcome).unwrap();
        }
        let text = String::from_utf8(junit.finish().unwrap()).unwrap();
        assert_eq!(
            text,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
            <testsuites name=\"replay\" tests=\"4\" failures=\"1\" errors=\"1\" skipped=\"1\">\n\
            <testsuite name=\"replay\" tests=\"4\" failures=\"1\" errors=\"1\" skipped=\"1\">\n\
            <testcase classname=\"corpus\" name=\"a&amp;b\u{fffd}.json\"/>\n\
            <testcase classname=\"corpus\" name=\"a&amp;b\u{fffd}.json\"><failure message=\"a &lt; &quot;b&quot;\">]]&gt; &amp; \u{fffd}[31m\u{fffd}</failure></testcase>\n\
            <testcase classname=\"corpus\" name=\"a&amp;b\u{fffd}.json\"><error message=\"&apos;no&apos; case\"></error></testcase>\n\
            <testcase classname=\"corpus\" name=\"a&amp;b\u{fffd}.json\"><skipped message=\"other\"></skipped></testcase>\n\
            </testsuite>\n</testsuites>\n"
        );
    }
}
