//! Sorts the findings of the target whose inputs are no cases: documents that a reader fails on. The target itself replays them.

use std::fs;
use std::path::{Path, PathBuf};

use planfuzz_core::json::Field as _;
use planfuzz_files::folder;

use super::context::{CODECS, Context};
use super::error::PhaseError;
use super::program::Order;
use super::record::RecordedFinding;
use super::triaged::{Triaged, document, put_aside};
use crate::case::KeptFinding;
use crate::compare::Allowances;

/// How often each is replayed.
const ROUNDS: usize = 3;

/// The exit codes of a target that a document fails: that of a target without a fuzzer, and those of libFuzzer for an input that takes
/// too long, takes too much memory, or crashes.
const SHOWN: [i32; 4] = [1, 70, 71, 77];

/// Replays the documents that were found; those that show nothing any more are put aside.
///
/// # Errors
/// A folder that cannot be read, a target that is not there or cannot be asked, and the end of the time or of the night.
pub fn documents(context: &Context<'_>, triaged: &mut Triaged) -> Result<(), PhaseError> {
    let folder = context.findings_of(CODECS);
    let entries = folder::entries(&folder).map_err(|problem| PhaseError::of_file("read", &folder, &problem))?;
    let files: Vec<PathBuf> =
        entries.iter().map(fs::DirEntry::path).filter(|path| path.is_file() && !is_hidden(path)).collect();
    if files.is_empty() {
        return Ok(());
    }
    let binary = context.binary(CODECS)?;
    let allowances = allowances(context)?;
    let mut failure = None;
    for file in files {
        let (shown, signature) = match rounds(context, &binary, &file) {
            Ok(rounds) => rounds,
            // One bad file does not hide the others.
            Err(error @ PhaseError::Failed(_)) => {
                failure.get_or_insert(error);
                continue;
            }
            Err(error) => return Err(error),
        };
        let is_of_tonight = context.clock.has_seen_written(&file);
        let outcome = match shown {
            0 if !is_of_tonight => "gone",
            ROUNDS => "reproduce",
            _ => "flaky",
        };
        for count in ["files", outcome] {
            *triaged.counts.entry(count.to_owned()).or_default() += 1;
        }
        match shown {
            0 if !is_of_tonight => put_aside(&file, &context.gone())?,
            ROUNDS => triaged.findings.push(finding(&file, &binary, signature, &allowances)),
            _ => {}
        }
    }
    failure.map_or(Ok(()), Err)
}

/// Replays a document; returns how many replays showed a finding, and the first signature.
fn rounds(context: &Context<'_>, binary: &Path, file: &Path) -> Result<(usize, Option<String>), PhaseError> {
    let (mut shown, mut signature) = (0, None);
    for _ in 0..ROUNDS {
        let order = Order::new(binary, context.log("document")).with(file);
        let ended = order.run(context.clock.end_of("triage"), context.stop)?;
        match ended.code {
            Some(0) => {}
            // A signal ended it.
            None => shown += 1,
            Some(code) if SHOWN.contains(&code) => shown += 1,
            // The target could not be asked, so nothing is known of the document, which stays.
            Some(_) => return Err(ended.error(&format!("{CODECS} {}", file.display()))),
        }
        signature = signature.or(signature_in(&ended.printed()?, file));
    }
    Ok((shown, signature))
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
        what: kept.map(|kept| kept.what).filter(|what| !what.is_empty()),
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

#[cfg(all(test, unix))]
mod replays {
    use std::os::unix::fs::PermissionsExt;
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    use super::super::clock::Clock;
    use super::super::context::{Asked, Options};
    use super::*;

    /// A target that ends with the code in the file, or by a signal.
    const TARGET: &str = "#!/bin/sh\ncode=$(cat \"$1\")\n[ \"$code\" = signal ] && kill -9 $$\nexit \"$code\"\n";

    fn options(folder: &Path) -> Options {
        Options {
            time: Duration::from_secs(600),
            workers: 1,
            seed: "7".to_owned(),
            commit: None,
            corpus: folder.to_owned(),
            cache: folder.join("cache"),
            binaries: Some(folder.to_owned()),
            allow: None,
            work: folder.join("work"),
            program: folder.join("planfuzz"),
            asked: Asked::default(),
        }
    }

    #[test]
    fn a_document_that_the_target_does_not_take_stays_and_fails_the_phase() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join(CODECS);
        fs::write(&program, TARGET).unwrap();
        fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
        let options = options(folder.path());
        let stop = AtomicBool::new(false);
        let codes = ["0", "1", "2", "77", "signal"];
        let before = folder.path().join("cache").join(CODECS);
        fs::create_dir_all(&before).unwrap();
        codes.iter().for_each(|code| fs::write(before.join(code), code).unwrap());
        let clock = Clock::start(options.time);
        let context = Context { options: &options, clock, stop: &stop, report: &|_| {} };
        let found = context.findings_of(CODECS);
        assert_eq!(found, before);
        std::thread::sleep(Duration::from_millis(20));
        fs::write(found.join("tonight"), "0").unwrap();
        let mut triaged = Triaged::default();
        let error = documents(&context, &mut triaged).unwrap_err();
        assert!(error.to_string().contains("exit status: 2"), "{error}");
        let counts = ["reproduce", "gone", "flaky", "files"].map(|count| triaged.counts[count]);
        assert_eq!(counts, [3, 1, 1, 5]);
        let left = folder::entries(&found).unwrap().into_iter().map(|entry| entry.file_name());
        assert!(left.eq(["1", "2", "77", "signal", "tonight"]));
    }
}
