//! `ignore_changes` (section 8): checks the relations between the written configuration, the prior state and the configuration that Core
//! sends.

use super::calls::Calls;
use super::findings::Findings;
use super::id::Id;
use super::{Lifecycle, show};
use planfuzz_core::planner::{Configured, IgnoreChanges};
use planfuzz_core::schema::{AttributePlace, BlockPlace};
use planfuzz_core::value::{Node, Path, Step, Text, Type, Value, ValueRef, WrittenPath, WrittenStep, raw_equals};

/// I02 and I37 for the first plan call. Returns whether they hold.
pub(super) fn check(
    of: &Lifecycle<'_>,
    findings: &mut Findings,
    calls: &Calls<'_>,
    prior: &Value,
    sent: &Value,
) -> bool {
    let Some(configured) = calls.configured() else { return true };
    let written = configured.config.value();
    let is_active = !prior.is_null() && !written.is_null() && calls.ignores();
    if !is_active {
        return findings.hold(Id::I02, of.is_as_written(written, sent), || {
            format!("expected the configuration as written, {}, found {}", show(written), show(sent))
        });
    }
    match &configured.lifecycle.ignore_changes {
        IgnoreChanges::All => all(of, findings, prior, sent),
        IgnoreChanges::Some(entries) => {
            let walk = Walk { of, ignored: entries };
            let added = walk.added(written.view(), sent.view(), At::root(of));
            let holds = findings.hold_at(Id::I02, added.is_none(), || {
                let message = "expected null as written, or what is written, as nothing here is ignored".to_owned();
                (added.unwrap_or_default(), message)
            });
            some(of, findings, entries, configured, prior, sent) && holds
        }
    }
}

/// L61.
fn all(of: &Lifecycle<'_>, findings: &mut Findings, prior: &Value, sent: &Value) -> bool {
    let (mut computed, mut other) = (None, None);
    compare_all(sent.view(), prior.view(), At::root(of), &mut computed, &mut other);
    let is_clean = findings.hold_at(Id::I02, computed.is_none(), || {
        let message = "expected null for what only the provider sets, found a value".to_owned();
        (computed.unwrap_or_default(), message)
    });
    let is_prior = findings.hold_at(Id::I37, other.is_none(), || {
        (other.unwrap_or_default(), "expected the prior value, as all changes are ignored".to_owned())
    });
    is_clean && is_prior
}

fn compare_all(
    sent: ValueRef<'_>,
    prior: ValueRef<'_>,
    at: At<'_>,
    computed: &mut Option<WrittenPath>,
    other: &mut Option<WrittenPath>,
) {
    if at.is_only_computed() {
        if !sent.is_null() {
            computed.get_or_insert_with(|| at.path());
        }
        return;
    }
    if at.is_computed_block() || raw_equals(sent, prior) && !at.may_hold_computed() {
        return;
    }
    // Computed parts become null, so elements of sets may merge and collections may change their types.
    let is_set = matches!(prior.ty(), Type::Set(_));
    let is_same = match (prior.is_present(), sent.is_present()) {
        (true, true) if is_set => sent.len() <= prior.len() && sent.is_empty() == prior.is_empty(),
        (true, true) if !prior.is_empty() => sent.len() == prior.len() && keys(sent) == keys(prior),
        _ => raw_equals(sent, prior),
    };
    if !is_same {
        other.get_or_insert_with(|| at.path());
        return;
    }
    let parts = if is_set { 0 } else { prior.len() };
    for ((step, sent), (_, prior)) in sent.children().zip(prior.children()).take(parts) {
        compare_all(sent, prior, at.step(&step), computed, other);
    }
}

fn keys(value: ValueRef<'_>) -> Vec<Text> {
    value.entries().map(|(key, _)| key.clone()).collect()
}

/// L62 to L73: every entry that exists in both values keeps the prior value.
fn some(
    of: &Lifecycle<'_>,
    findings: &mut Findings,
    entries: &[WrittenPath],
    configured: &Configured,
    prior: &Value,
    sent: &Value,
) -> bool {
    let written = configured.config.value();
    let mut holds = true;
    for entry in entries {
        let (path, key) = split_key(entry);
        let found = |value: &Value| strict(value, &path).map(|found| found.to_value());
        let (Some(was), Some(is)) = (found(prior), strict(written, &path)) else { continue };
        if !exists(written, &path) || of.rules.has_computed {
            continue;
        }
        let now = found(sent);
        let is_kept = match (is.ty(), &key) {
            (Type::Map(_), _) if is.is_unknown() => continue,
            (Type::Map(_), Some(key)) => now.is_some_and(|now| same_entry(now.view(), was.view(), key)),
            _ => now.is_some_and(|now| now == was),
        };
        let message = || format!("expected what was there, {}, as changes are ignored", show(&was));
        holds &= findings.hold_at(Id::I37, is_kept, || (entry.clone(), message()));
    }
    holds
}

/// L69: in a set of strings each string is its own key.
fn same_entry(now: ValueRef<'_>, was: ValueRef<'_>, key: &str) -> bool {
    let is_key = |part: &ValueRef<'_>| matches!(part.node(), Node::String(text) if text.as_str() == key);
    let was = match was.ty() {
        Type::Set(_) => was.children().map(|(_, part)| part).find(is_key),
        _ => was.entry(key),
    };
    match (now.entry(key), was) {
        (None, None) => true,
        (Some(now), Some(was)) => raw_equals(now, was),
        _ => false,
    }
}

/// L62.
pub(super) fn split_key(entry: &WrittenPath) -> (WrittenPath, Option<Text>) {
    match entry.steps() {
        [path @ .., WrittenStep::Key(key)] => (path.iter().cloned().collect(), Some(key.clone())),
        _ => (entry.clone(), None),
    }
}

/// L63.
fn strict<'a>(value: &'a Value, path: &WrittenPath) -> Option<ValueRef<'a>> {
    value.view().apply_path(&path.to_path()?)
}

/// L65: whether a path exists in a value; a path into an unknown does not.
fn exists(value: &Value, path: &WrittenPath) -> bool {
    let Some(path) = path.to_path() else { return false };
    let mut at = value.view();
    for step in path.steps() {
        let Some(next) = at.apply(step).filter(|_| at.is_present()) else { return false };
        at = next;
    }
    true
}

/// Compares the sent configuration with the written one if single entries are ignored.
struct Walk<'w, 's> {
    of: &'w Lifecycle<'s>,
    ignored: &'w [WrittenPath],
}

impl Walk<'_, '_> {
    /// The first place where the sent value differs from the written one although nothing there is ignored.
    fn added(&self, written: ValueRef<'_>, sent: ValueRef<'_>, at: At<'_>) -> Option<WrittenPath> {
        let is_ignored = at.is_computed_block() && self.of.rules.has_computed;
        if is_ignored || raw_equals(written, sent) {
            return None;
        }
        let path = at.path();
        let (mut covers, mut leads_on) = (false, false);
        for entry in self.ignored {
            let steps = split_key(entry).0;
            covers |= path.steps().starts_with(steps.steps());
            leads_on |= steps.steps().starts_with(path.steps());
        }
        if covers {
            return None;
        }
        let is_alike = written.is_present() && sent.is_present() && written.len() == sent.len();
        if !leads_on || !is_alike || keys(written) != keys(sent) {
            return Some(path);
        }
        written
            .children()
            .zip(sent.children())
            .find_map(|((step, written), (_, sent))| self.added(written, sent, at.step(&step)))
    }
}

/// A place in the schema and in a value.
#[derive(Clone, Debug)]
struct At<'s> {
    attribute: AttributePlace<'s>,
    block: BlockPlace<'s>,
    path: Path,
}

impl<'s> At<'s> {
    fn root(of: &Lifecycle<'s>) -> At<'s> {
        let block = &of.schema.block;
        At { attribute: AttributePlace::in_block(block), block: BlockPlace::root(block), path: Path::root() }
    }

    fn step(&self, step: &Step) -> At<'s> {
        At { attribute: self.attribute.step(step), block: self.block.step(step), path: self.path.step(step.clone()) }
    }

    fn path(&self) -> WrittenPath {
        WrittenPath::from(&self.path)
    }

    fn is_only_computed(&self) -> bool {
        self.attribute.attribute().is_some_and(|attribute| attribute.computed && !attribute.optional)
    }

    /// Whether there may be a computed part below: not in a leaf.
    fn may_hold_computed(&self) -> bool {
        self.attribute.attribute().is_none_or(|attribute| attribute.nested_type().is_some())
    }

    fn is_computed_block(&self) -> bool {
        self.block.block().is_some_and(|nested| nested.block.computed)
    }
}
