//! `shrink`: a failing case made smaller while its bucket stays the same.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::Path;

use planfuzz_core::dialect::Dialect;

use super::args::ShrinkArgs;
use super::error::{CliError, Held};
use super::given::{Given, Sources};
use super::output::{self, DIM, GOOD, HEAD, NOTE, styled};
use super::place::CasePlace;
use super::redact::{self, Redacted};
use super::{files, settings, subjects};
use crate::case::{Case, CaseFile};
use crate::compare::{Judge, KnownDifferences, Signature, Summary};
use crate::subject::Subject;
use crate::triage::{FindingFile, confirm, shrink, signature_of};

/// The subjects that were started, by the dialect and the names that a file gave.
type Benches = BTreeMap<(Dialect, Vec<String>), Bench>;

/// What came of a case.
enum Came {
    /// It shows the same, and is as small as it could be made.
    Small(Box<CaseFile>),
    /// It shows something with its sensitive values only.
    Hidden,
    /// Nothing is found in it.
    Nothing,
    /// Nobody was asked what the others were.
    NotAsked(String),
}

/// Runs the command.
///
/// # Errors
/// Cases that cannot be read, subjects that do not start, a file that cannot be written.
pub fn run(args: &ShrinkArgs) -> Result<Held, CliError> {
    let dialect = args.subjects.one_dialect()?;
    let mut documents = Sources::of_cases(&args.cases)?.documents();
    let mut benches = Benches::new();
    let Some(first) = documents.next() else {
        return Err(CliError::input("expected a case, found none"));
    };
    let Some(second) = documents.next() else { return one(first, args, &mut benches) };
    let (mut held, mut asked, mut why) = (true, false, String::new());
    let mut place = CasePlace::of(args.output.as_deref());
    for given in [first, second].into_iter().chain(documents) {
        let path = given.place.clone();
        let file = given.case(dialect)?;
        output::say(&styled(HEAD, path.display()));
        match small(&path, file, args, &mut benches)? {
            Came::Small(file) => {
                (held, asked) = (false, true);
                place.put(*file)?;
            }
            Came::Hidden => (held, asked) = (false, true),
            Came::Nothing => asked = true,
            Came::NotAsked(reason) => {
                output::say(&styled(NOTE, format!("not compared: {reason}")));
                why = reason;
            }
        }
    }
    place.finish()?;
    if asked { Ok(Held::from(held)) } else { Err(CliError::nothing_compared(why)) }
}

fn one(given: Given, args: &ShrinkArgs, benches: &mut Benches) -> Result<Held, CliError> {
    let path = given.place.clone();
    let file = given.case(args.subjects.one_dialect()?)?;
    match small(&path, file, args, benches)? {
        Came::Nothing => Ok(Held::Yes),
        Came::Hidden => Ok(Held::No),
        Came::NotAsked(why) => Err(CliError::nothing_compared(why)),
        Came::Small(file) => {
            match &args.output {
                Some(path) => files::write_case(path, &file)?,
                None => output::line(&file.to_json().to_pretty())?,
            }
            Ok(Held::No)
        }
    }
}

/// Makes a case small.
fn small(path: &Path, file: CaseFile, args: &ShrinkArgs, benches: &mut Benches) -> Result<Came, CliError> {
    let redacted = redact::redacted(path, &file, args.show_sensitive)?;
    redact::tell(&redacted);
    let (Redacted { case, original }, finding) = (redacted, file.finding);
    let known = settings::judge(None)?.known;
    let named_subjects = subjects::for_finding(&args.subjects, path, finding.as_ref())?;
    let bench = match benches.entry((case.dialect, named_subjects.subjects.clone())) {
        Entry::Occupied(started) => started.into_mut(),
        Entry::Vacant(place) => {
            let subjects = subjects::start_for_shrinking(&named_subjects, case.dialect)?;
            place.insert(Bench { subjects, judge: Judge::default() })
        }
    };
    let named = finding.as_ref().and_then(signature_of);
    let found = unknown_first(bench.signatures(&case), &known, &case);
    if let Some(shown) = original.and_then(|original| chosen(bench.signatures(&original), named))
        && !found.contains(&shown)
    {
        output::say(&redact::only_with_secrets(&shown.to_string()));
        return Ok(Came::Hidden);
    }
    let Some(signature) = chosen(found, named) else {
        if let Some(why) = bench.why_not_asked(&case) {
            return Ok(Came::NotAsked(why));
        }
        output::say(&styled(GOOD, "nothing is found in this case: there is nothing to shrink it to"));
        return Ok(Came::Nothing);
    };
    if let Some(named) = named.filter(|named| *named != signature.to_string()) {
        output::say(&styled(NOTE, format!("{named} is not found in this case any more: another bucket is kept")));
    }
    if let Some(entry) = known.find(&signature, case.dialect) {
        output::say(&styled(NOTE, format!("{signature} is a known difference: {}", entry.name)));
    }
    let narrowed = case.narrowed_to(signature.op).filter(|narrowed| bench.shows(narrowed, &signature));
    let start = narrowed.unwrap_or(case);
    let shrunk = shrink(&start, args.budget, &mut |smaller| bench.shows(smaller, &signature));
    output::say(&styled(DIM, format!("{signature}: asked {} times", shrunk.calls)));
    let target = args.output.as_deref().unwrap_or(path).display().to_string();
    let names = subjects::names(&named_subjects);
    let confirmed = confirm(&shrunk.case, &mut bench.subjects, &bench.judge, &mut Summary::default())
        .into_iter()
        .find(|confirmed| confirmed.found.verdict.signature() == Some(&signature));
    let origin = redact::origin(path, finding.as_ref());
    let file = match &confirmed {
        Some(confirmed) => {
            FindingFile { case: &shrunk.case, confirmed, origin: &origin, subjects: &names, path: &target }
                .to_case_file()
        }
        None => CaseFile { case: shrunk.case.clone(), finding: None },
    };
    Ok(Came::Small(Box::new(file)))
}

/// What is known comes last: it is made smaller where there is nothing else to make smaller, or where it is asked for.
fn unknown_first(found: Vec<Signature>, known: &KnownDifferences, case: &Case) -> Vec<Signature> {
    let (known, mut first): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|signature| known.find(signature, case.dialect).is_some());
    first.extend(known);
    first
}

/// The bucket to keep: the one that the case was kept for, if it is still found, else the first.
fn chosen(found: Vec<Signature>, named: Option<&str>) -> Option<Signature> {
    let is_named = |signature: &Signature| named.is_some_and(|named| signature.to_string() == named);
    let index = found.iter().position(is_named).unwrap_or(0);
    found.into_iter().nth(index)
}

struct Bench {
    subjects: Vec<Box<dyn Subject>>,
    judge: Judge,
}

impl Bench {
    /// The buckets that are found in a case, in the order in which they are found.
    fn signatures(&mut self, case: &Case) -> Vec<Signature> {
        let all = confirm(case, &mut self.subjects, &self.judge, &mut Summary::default());
        all.into_iter().filter_map(|confirmed| confirmed.found.verdict.signature().cloned()).collect()
    }

    fn shows(&mut self, case: &Case, signature: &Signature) -> bool {
        self.signatures(case).contains(signature)
    }

    /// Why a case in which nothing is found says nothing.
    fn why_not_asked(&mut self, case: &Case) -> Option<String> {
        let mut summary = Summary::default();
        confirm(case, &mut self.subjects, &self.judge, &mut summary);
        summary.why_not_asked()
    }
}

#[cfg(test)]
mod tests {
    use planfuzz_core::json::Json;

    use super::*;
    use crate::case::Op;

    #[test]
    fn the_bucket_that_a_case_was_kept_for_is_kept() {
        let bucket = |kind: &str| Signature {
            op: Op::Scenario,
            kind: kind.to_owned(),
            place: "root".to_owned(),
            subjects: "reference/other".to_owned(),
        };
        let found = || vec![bucket("diverge:state"), bucket("rule_broken:I36")];
        let finding = Json::object([("signature", Json::string(&bucket("rule_broken:I36").to_string()))]);
        assert_eq!(chosen(found(), signature_of(&finding)), Some(bucket("rule_broken:I36")));
        assert_eq!(chosen(found(), None), Some(bucket("diverge:state")));
        assert_eq!(chosen(found(), Some("gone")), Some(bucket("diverge:state")));
        assert_eq!(chosen(Vec::new(), Some("gone")), None);
    }
}
