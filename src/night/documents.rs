//! Sorts the findings of the target whose inputs are no cases: documents that a reader fails on. The target itself replays them.

use std::fs;
use std::path::{Path, PathBuf};

use planfuzz_core::json::Field as _;

use super::context::{CODECS, Context};
use super::error::PhaseError;
use super::program::Order;
use super::record::RecordedFinding;
use super::triaged::{Triaged, document, put_aside};
use crate::case::KeptFinding;
use crate::compare::Allowances;

/// How often each is replayed.
const ROUNDS: usize = 3;

/// Replays the documents that were found; those that show nothing any more are put aside.
///
/// # Errors
/// A folder that cannot be read, a target that is not there, and the end of the time or of the night.
pub fn documents(context: &Context<'_>, triaged: &mut Triaged) -> Result<(), PhaseError> {
    let folder = context.findings_of(CODECS);
    let unreadable = |problem| PhaseError::of_file("read", &folder, &problem);
    let entries =
        fs::read_dir(&folder).and_then(|entries| entries.collect::<Result<Vec<_>, _>>()).map_err(unreadable)?;
    let mut files: Vec<PathBuf> =
        entries.into_iter().map(|entry| entry.path()).filter(|path| path.is_file() && !is_hidden(path)).collect();
    files.sort();
    if files.is_empty() {
        return Ok(());
    }
    let binary = context.binary(CODECS)?;
    let allowances = allowances(context)?;
    for file in files {
        let (mut shown, mut signature) = (0, None);
        for _ in 0..ROUNDS {
            let order = Order::new(&binary, context.log("document")).with(&file);
            let ended = order.run(context.clock.end_of("triage"), context.stop)?;
            shown += usize::from(ended.code != Some(0));
            signature = signature.or(signature_in(&ended.printed()?, &file));
        }
        let outcome = match shown {
            0 => "gone",
            ROUNDS => "reproduce",
            _ => "flaky",
        };
        for count in ["files", outcome] {
            *triaged.counts.entry(count.to_owned()).or_default() += 1;
        }
        match shown {
            0 => put_aside(&file, &context.gone())?,
            ROUNDS => triaged.findings.push(finding(&file, &binary, signature, &allowances)),
            _ => {}
        }
    }
    Ok(())
}

/// A draft, left by a process that was killed.
fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
}

/// The known findings of the user.
fn allowances(context: &Context<'_>) -> Result<Allowances, PhaseError> {
    let Some(path) = &context.options.allow else { return Ok(Allowances::default()) };
    let text = fs::read_to_string(path).map_err(|problem| PhaseError::of_file("read", path, &problem))?;
    Allowances::parse(&text).map_err(|problem| PhaseError::Failed(format!("{}: {problem}", path.display())))
}

/// The signature that the target prints for a document; `None` if the target crashed.
fn signature_in(printed: &str, file: &Path) -> Option<String> {
    let begin = format!("failed {}: ", file.display());
    printed.lines().find_map(|line| line.strip_prefix(&begin)).map(str::to_owned)
}

fn finding(file: &Path, binary: &Path, shown: Option<String>, allowances: &Allowances) -> RecordedFinding {
    let document = document(file);
    let kept = document.as_ref().and_then(|document| KeptFinding::read(document.member("finding")?).ok());
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let recorded = kept.as_ref().map(|kept| kept.signature.clone());
    let signature = shown.or(recorded).unwrap_or_else(|| format!("{CODECS} {name}"));
    let known = allowances.reason(&signature).map(str::to_owned);
    RecordedFinding {
        new: known.is_none(),
        known,
        signature,
        what: kept.map(|kept| kept.what),
        count: 1,
        size: fs::metadata(file).map_or(0, |about| about.len()),
        case: file.display().to_string(),
        command: format!("{} {}", binary.display(), file.display()),
        document,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_allowed_signature_of_a_target_is_known() {
        let printed = "failed a/b.json: codecs law:a law is broken json\n  in words\n0 held, 1 did not\n";
        let shown = signature_in(printed, "a/b.json".as_ref());
        assert_eq!(shown.as_deref(), Some("codecs law:a law is broken json"));
        assert_eq!(signature_in(printed, "b.json".as_ref()), None);
        let line = r#"{"signature": "codecs law:a law is broken json", "reason": "by design"}"#;
        let allowances = Allowances::parse(line).unwrap();
        let known = finding("none".as_ref(), "codecs".as_ref(), shown, &allowances);
        assert_eq!((known.new, known.known.as_deref()), (false, Some("by design")));
        let new = finding("none".as_ref(), "codecs".as_ref(), None, &allowances);
        assert_eq!((new.new, new.signature.as_str()), (true, "codecs none"));
    }
}
