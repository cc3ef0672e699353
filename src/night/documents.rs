//! The findings of the target whose inputs are no cases: documents that a reader does not stand. The target itself replays them.

use std::fs;
use std::path::{Path, PathBuf};

use planfuzz_core::json::Json;

use super::ground::{CODECS, Ground};
use super::program::Order;
use super::record::Finding;
use super::triaged::{Triaged, document, put_aside};
use super::trouble::Trouble;

/// How often each is replayed.
const ROUNDS: usize = 3;

/// Replays the documents that were found; those that show nothing any more are put aside.
///
/// # Errors
/// A folder that cannot be read, a target that is not there, and the end of the time or of the night.
pub fn documents(ground: &Ground<'_>, triaged: &mut Triaged) -> Result<(), Trouble> {
    let folder = ground.findings_of(CODECS);
    let unreadable = |problem| Trouble::of_file("read", &folder, &problem);
    let entries =
        fs::read_dir(&folder).and_then(|entries| entries.collect::<Result<Vec<_>, _>>()).map_err(unreadable)?;
    let mut files: Vec<PathBuf> =
        entries.into_iter().map(|entry| entry.path()).filter(|path| path.is_file() && !is_hidden(path)).collect();
    files.sort();
    if files.is_empty() {
        return Ok(());
    }
    let binary = ground.binary(CODECS)?;
    for file in files {
        let mut shown = 0;
        for _ in 0..ROUNDS {
            let order = Order::new(&binary, ground.log("document")).with(&file);
            let ended = order.run(ground.clock.end_of("triage"), ground.stop)?;
            shown += usize::from(ended.code != Some(0));
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
            0 => put_aside(&file, &ground.gone())?,
            ROUNDS => triaged.findings.push(finding(&file, &binary)),
            _ => {}
        }
    }
    Ok(())
}

/// A draft of somebody who was killed.
fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
}

fn finding(file: &Path, binary: &Path) -> Finding {
    let document = document(file);
    let said = |name: &str| match document.as_ref()?.member("finding")?.member(name)? {
        Json::String(text) => Some(text.to_string()),
        _ => None,
    };
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    Finding {
        signature: said("signature").unwrap_or_else(|| format!("{CODECS} {name}")),
        new: true,
        known: None,
        what: said("what"),
        count: 1,
        size: fs::metadata(file).map_or(0, |about| about.len()),
        case: file.display().to_string(),
        command: format!("{} {}", binary.display(), file.display()),
        document,
    }
}
