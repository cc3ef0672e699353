//! Which instance a diagnostic is about, and where in its object.

use std::borrow::Cow;
use std::collections::BTreeSet;

use planfuzz_core::planner::{Diagnostic, summary};
use planfuzz_core::schema::Schema;
use planfuzz_core::value::{Type, WrittenPath};

use super::address::{Named, addresses};
use super::line::{PrintedDiagnostic, SourceRange};
use super::place::{self, Keys};
use super::{go, source};

/// What a job's instance must have for its diagnostics to be read.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The schema of its resource type.
    pub schema: &'a Schema,
    /// The keys in its values: configured, stored, answered.
    pub keys: &'a Keys,
}

/// The subject of a diagnostic.
#[derive(Clone, Debug)]
pub enum About {
    /// A job's instance.
    Instance {
        /// The job.
        job: usize,
        /// The diagnostic.
        diagnostic: Diagnostic,
    },
    /// A job's instance, at a place that cannot be determined.
    Unplaced {
        /// The job.
        job: usize,
        /// The printed diagnostic.
        diagnostic: PrintedDiagnostic,
    },
    /// A helper of a job.
    Helper {
        /// The job.
        job: usize,
        /// The helper.
        helper: usize,
        /// The printed diagnostic.
        diagnostic: PrintedDiagnostic,
    },
    /// No single job: the run as a whole, several jobs, or a job that the engine does not name, as for a call that got no answer and for an
    /// import ([`PrintedDiagnostic::import_id`]).
    NoInstance(PrintedDiagnostic),
}

/// A way in which the engine names a place.
struct Form {
    /// The words that identify it.
    words: &'static str,
    /// Where the path stands.
    place: Place,
    /// The text after the path.
    end: &'static str,
}

/// Where in a text a path stands.
enum Place {
    /// Behind the words, right behind the instance's address.
    Address,
    /// Right behind the words.
    Here,
    /// Right behind the words, without its first dot.
    Bare,
    /// Right behind the words, as sources have it.
    Source,
}

const fn form(words: &'static str, place: Place, end: &'static str) -> Form {
    Form { words, place, end }
}

const WRITE_ONLY: Form = form("write-only attribute \"", Place::Address, "\"");

/// The forms in which diagnostics of this summary name a place; if there is none, Core names no place.
fn forms(summary: &str) -> &'static [Form] {
    match summary {
        summary::INVALID_PLAN => {
            &const {
                [
                    WRITE_ONLY,
                    form("non-existent attribute path ", Place::Source, ""),
                    form("planned an invalid value for ", Place::Address, ": "),
                ]
            }
        }
        summary::INVALID_OBJECT | summary::INVALID_STATE_UPGRADE | summary::IMPORT_WRITE_ONLY => {
            &const { [WRITE_ONLY] }
        }
        summary::INVALID_RESPONSE => &const { [form("write-only attribute \"", Place::Here, "\" while")] },
        summary::EPHEMERAL_CONTEXT => &const { [form("Attribute \"", Place::Here, "\" is referencing")] },
        summary::INCONSISTENT_FINAL_PLAN => &const { [form("an invalid new value for ", Place::Here, ": ")] },
        summary::INCONSISTENT_RESULT => &const { [form("an unexpected new value: ", Place::Here, ": ")] },
        summary::INVALID_RESULT => &const { [form("an unknown value for ", Place::Address, ". All values")] },
        summary::EPHEMERAL => &const { [form("Ephemeral values are not valid for \"", Place::Bare, "\", because")] },
        summary::REDUNDANT_IGNORE => &const { [form("\n\nThe attribute ", Place::Bare, " is decided by")] },
        _ => &[],
    }
}

/// Determines the subject of a diagnostic. `configuration` is the text of the one configuration file; `subject` returns the instance of a
/// job that is in the run, and `None` for any other.
pub fn about<'a>(
    diagnostic: PrintedDiagnostic,
    configuration: &str,
    subject: impl Fn(Named) -> Option<Subject<'a>>,
) -> About {
    let Some(named) =
        whose(&diagnostic, configuration).filter(|named| subject(Named { helper: None, ..*named }).is_some())
    else {
        return About::NoInstance(diagnostic);
    };
    let job = named.job;
    if diagnostic.summary.starts_with(NO_CHANGE) {
        // L103: the text names the trigger of a replacement, but the error belongs to the instance.
        return About::Instance { job, diagnostic: diagnostic.at_root() };
    }
    if let Some(helper) = named.helper {
        return About::Helper { job, helper, diagnostic };
    }
    let Some(path) = subject(named).and_then(|subject| path(&diagnostic, configuration, named, subject)) else {
        return About::Unplaced { job, diagnostic };
    };
    About::Instance { job, diagnostic: diagnostic.at(path) }
}

/// The resource type that a diagnostic is about: the one in its address, the one whose configuration it points at, or the only one that its
/// text names.
fn whose(diagnostic: &PrintedDiagnostic, configuration: &str) -> Option<Named> {
    let named = diagnostic.address.as_deref().and_then(|address| addresses(address).next());
    let configured = || {
        let range = diagnostic.range.as_ref().filter(|range| is_in(range))?;
        let members = source::members_at(configuration, range.start);
        match members.as_slice() {
            ["resource" | "data", type_name, ..] => Named::parse(type_name),
            _ => None,
        }
    };
    named
        .map(|address| address.named)
        .or_else(configured)
        .or_else(|| only_one(&diagnostic.detail))
        .or_else(|| only_one(&diagnostic.summary))
}

/// Whether a place is in the file that contains everything but the modules.
fn is_in(range: &SourceRange) -> bool {
    range.file == "main.tf.json"
}

fn only_one(text: &str) -> Option<Named> {
    let all: BTreeSet<Named> = addresses(text).map(|address| address.named).collect();
    let jobs: BTreeSet<usize> = all.iter().map(|named| named.job).collect();
    match jobs.len() {
        // If the text names both an instance and its helper, it is about the instance.
        1 => all.into_iter().min_by_key(|named| named.helper.is_some()),
        _ => None,
    }
}

/// The place that is named; the root if none is, `None` if one is named that cannot be read.
fn path(
    diagnostic: &PrintedDiagnostic,
    configuration: &str,
    named: Named,
    subject: Subject<'_>,
) -> Option<WrittenPath> {
    if diagnostic.summary == summary::UNSUPPORTED_ATTRIBUTE
        && let Some(range) = diagnostic.range.as_ref().filter(|range| is_in(range))
        && source::members_at(configuration, range.start).ends_with(&["lifecycle", "ignore_changes"])
    {
        // The range covers a step, the entry is the string around it (L04).
        return WrittenPath::parse(&format!(".{}", source::string_at(configuration, range.start)?)).ok();
    }
    let found =
        forms(&diagnostic.summary).iter().find_map(|form| Some((form, diagnostic.detail.split_once(form.words)?.1)));
    // A provider may use Core's summary, but not its sentences.
    let Some((form, text)) = found else { return Some(WrittenPath::default()) };
    let read = |text: &str| match begins_path(text) {
        true => place::read(subject.schema, subject.keys, text, form.end),
        false => Some(WrittenPath::default()),
    };
    if diagnostic.summary == summary::EPHEMERAL && !names_a_primitive(subject.schema, text) {
        // For a place inside an attribute or block, the engine only names the attribute or block.
        return None;
    }
    match form.place {
        Place::Address => read(addresses(text).find(|address| address.named == named)?.rest),
        Place::Here => read(text),
        Place::Bare => read(&format!(".{text}")),
        Place::Source => Some(go::path(text)?.0),
    }
}

/// Whether a text begins with the name of an attribute of a primitive type.
fn names_a_primitive(schema: &Schema, text: &str) -> bool {
    let attribute = text.split_once('"').and_then(|(name, _)| schema.block.attributes.get(name));
    attribute.and_then(|attribute| attribute.leaf_type()).is_some_and(Type::is_primitive)
}

/// Right after a dot follows a name, however odd; in a sentence a space does.
fn begins_path(text: &str) -> bool {
    text.strip_prefix('.').is_some_and(|name| !name.starts_with(' '))
}

/// The beginning of the summary about a trigger without a change; the trigger follows.
const NO_CHANGE: &str = "no change found for ";

/// Core's summary for a failed provisioner, whose plugin puts its own name there, and for a trigger without a change.
fn summary_of(summary: String) -> Cow<'static, str> {
    match summary.as_str() {
        "local-exec provisioner error" => Cow::Borrowed(summary::PROVISIONER),
        no_change if no_change.starts_with(NO_CHANGE) => Cow::Borrowed(summary::NO_TRIGGER),
        _ => Cow::Owned(summary),
    }
}

impl PrintedDiagnostic {
    /// The diagnostic of an instance as a whole, if the instance is known otherwise.
    pub fn at_root(self) -> Diagnostic {
        self.at(WrittenPath::default())
    }

    fn at(self, path: WrittenPath) -> Diagnostic {
        Diagnostic { severity: self.severity, summary: summary_of(self.summary), path, rule: "" }
    }

    /// The id that the user gave for an import; diagnostics of some imports name nothing else.
    pub fn import_id(&self) -> Option<&str> {
        let rest = self.detail.strip_prefix("While attempting to import with ID ")?;
        Some(&rest[..rest.rfind(", the provider")?])
    }
}

#[cfg(test)]
mod tests {
    use planfuzz_core::json::Json;
    use planfuzz_core::planner::Severity;

    use super::*;

    const SCHEMA: &str = r#"{"block": {"attributes": {"a": {"type": "string", "optional": true},
        "n": {"optional": true, "nested_type": {"nesting_mode": "list", "attributes": {"w": {"type": "string", "optional": true}}}}}}}"#;

    fn placed(summary: &str, detail: &str) -> String {
        let schema = Schema::from_json(&Json::parse(SCHEMA).expect("JSON")).expect("a schema");
        let keys = Keys::default();
        let (summary, detail) = (summary.to_owned(), detail.to_owned());
        let printed = PrintedDiagnostic {
            severity: Severity::Error,
            summary,
            detail,
            address: Some("six_0.r".to_owned()),
            range: None,
        };
        match about(printed, "", |_| Some(Subject { schema: &schema, keys: &keys })) {
            About::Instance { diagnostic, .. } => diagnostic.path.to_string(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn ld20_opentofu_names_places_of_write_only_and_ephemeral_values() {
        let leak = |path: &str| {
            format!("The provider returned a value for write-only attribute \"{path}\" while it was asked.")
        };
        assert_eq!(placed(summary::INVALID_RESPONSE, &leak(".a")), ".a");
        assert_eq!(placed(summary::INVALID_RESPONSE, &leak(".n[0].w")), ".n[0].w");
        assert_eq!(placed(summary::INVALID_RESPONSE, "It is no response."), "");
        let misused = "Attribute \".a\" is referencing an ephemeral value but it is not allowed there.";
        assert_eq!(placed(summary::EPHEMERAL_CONTEXT, misused), ".a");
    }
}
