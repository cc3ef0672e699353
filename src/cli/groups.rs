//! The last step of a run: groups its findings by likely cause, the largest group first, each in a folder of its own.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use planfuzz_core::record;
use planfuzz_files::folder;

use super::error::CliError;
use super::output::{self, BAD, DIM, HEAD, NOTE, counted, styled};
use super::probe::Probed;
use super::shrinker::{AllMade, Made};
use super::totals::Totals;
use super::{files, settings};
use crate::case::{CaseFile, KeptFinding};
use crate::compare::Signature;
use crate::triage::{Seen, causes, quoted};

/// How many groups are printed.
const MAX_PRINTED: usize = 20;

/// How many groups are printed with their smallest case.
const SHOWN: usize = 3;

/// The longest document of a case that is printed, in bytes: for a longer one there is a command.
const MAX_SHOWN: usize = 4_000;

/// Findings of this run that one mistake likely made.
struct Group {
    /// The signatures, the one with the smallest case first.
    signatures: Vec<Signature>,
    count: u64,
    /// The smallest case and what it shows, if one could be minimized.
    made: Option<Made>,
}

/// The groups of a run.
pub struct Groups(Vec<Group>);

/// A group as it is kept and printed.
#[derive(Clone, Debug, Default)]
pub struct GroupRecord {
    /// The signatures of its buckets, the one with the smallest case first.
    pub signatures: Vec<String>,
    /// How many findings it has.
    pub count: u64,
    /// What the smallest case shows, in words.
    pub what: String,
    /// The file of the bucket with the smallest case.
    pub case: String,
}

impl Groups {
    /// Groups the buckets of a run.
    pub fn of(buckets: &BTreeMap<Signature, u64>, files: &BTreeMap<String, String>, made: &AllMade) -> Groups {
        let is_on_disk = |signature: &Signature| files.contains_key(&signature.to_string());
        let seen = buckets.iter().filter(|(signature, _)| is_on_disk(signature)).map(|(signature, count)| {
            let made = made.get(signature);
            let (small, shows) = (made.map(|made| made.small.clone()), made.map(|made| made.shows.clone()));
            Seen { signature: signature.clone(), count: *count, small, shows: shows.unwrap_or_default() }
        });
        let seen: Vec<Seen> = seen.collect();
        let group = |cause: crate::triage::Cause| {
            let signatures: Vec<Signature> =
                cause.buckets.iter().map(|number| seen[*number].signature.clone()).collect();
            let made = signatures.first().and_then(|signature| made.get(signature)).cloned();
            Group { signatures, count: cause.count, made }
        };
        Groups(causes(&seen).into_iter().map(group).collect())
    }

    /// Moves the files of each group into a folder, and returns their new paths. The error contains the paths too: a file that could not be
    /// moved is still at its old one.
    ///
    /// # Errors
    /// A file that cannot be read or written.
    pub fn file(
        &self,
        findings: &Path,
        mut files: BTreeMap<String, String>,
    ) -> Result<BTreeMap<String, String>, (BTreeMap<String, String>, CliError)> {
        for group in &self.0 {
            let folder = match group.folder(findings, &files) {
                Ok(folder) => folder,
                Err(problem) => return Err((files, problem)),
            };
            for signature in group.signatures.iter().map(Signature::to_string) {
                let Some(path) = files.get(&signature).map(PathBuf::from) else { continue };
                let Some(to) = path.file_name().map(|name| folder.join(name)) else { continue };
                match moved(&path, &to, findings) {
                    Ok(to) => _ = files.insert(signature, to.display().to_string()),
                    Err(problem) => return Err((files, problem)),
                }
            }
        }
        Ok(files)
    }

    /// The groups in the form in which they are kept.
    pub fn records(&self, files: &BTreeMap<String, String>) -> Vec<GroupRecord> {
        let record = |group: &Group| {
            let signatures: Vec<String> = group.signatures.iter().map(Signature::to_string).collect();
            let case = signatures.first().and_then(|first| files.get(first)).cloned().unwrap_or_default();
            let made = group.made.as_ref();
            let what = made.map_or_else(String::new, |made| made.small.finding.what.clone());
            GroupRecord { signatures, count: group.count, what, case }
        };
        self.0.iter().map(record).collect()
    }

    /// Prints the groups of a campaign, and what to type next.
    ///
    /// # Errors
    /// Standard output is closed.
    pub fn print(&self, totals: &Totals, findings: &Path) -> Result<(), CliError> {
        let groups = totals.groups();
        let Some(first) = groups.first() else { return Ok(()) };
        let buckets: usize = groups.iter().map(|group| group.signatures.len()).sum();
        let causes = counted(groups.len() as u64, "likely cause");
        output::line("")?;
        let all = format!(
            "{} of {} come from {causes}",
            counted(totals.findings(), "finding"),
            counted(buckets as u64, "kind")
        );
        output::line(&styled(BAD, all))?;
        for (number, group) in (1..).zip(groups.iter().take(MAX_PRINTED)) {
            let made =
                self.0.iter().find(|own| own.signatures.iter().any(|one| group.signatures.contains(&one.to_string())));
            let made = made.and_then(|own| own.made.as_ref()).filter(|_| number <= SHOWN);
            print(number, group, made)?;
        }
        if groups.len() > MAX_PRINTED {
            output::line(&styled(DIM, format!("{} more groups: --json has all", groups.len() - MAX_PRINTED)))?;
        }
        output::line("")?;
        output::line(&styled(HEAD, "next"))?;
        let folder = quoted(&findings.display().to_string());
        let next = [
            (format!("planfuzz probe {}", quoted(&first.case)), "shows the smallest case with all answers"),
            (format!("planfuzz triage {folder}"), "makes one case of each group small, at leisure"),
            (format!("planfuzz promote {} --purpose LINE", quoted(&first.case)), "keeps it as a regression"),
            (format!("planfuzz replay {folder}"), "asks again, when the planner has changed"),
        ];
        for (command, why) in next {
            output::line(&format!("  {command}"))?;
            output::line(&styled(DIM, format!("      {why}")))?;
        }
        Ok(())
    }
}

fn print(number: usize, group: &GroupRecord, made: Option<&Made>) -> Result<(), CliError> {
    let GroupRecord { signatures, count, what, case } = group;
    let lead = signatures.first().map(String::as_str).unwrap_or_default();
    let kinds = if signatures.len() == 1 { String::new() } else { format!(" of {} kinds", signatures.len()) };
    output::line("")?;
    let findings = counted(*count, "finding");
    output::line(&format!("{} {findings}{kinds}: {lead}", styled(HEAD, format!("{number}."))))?;
    if !what.is_empty() {
        output::line(&format!("   {}", styled(NOTE, what)))?;
    }
    output::line(&format!("   {}", styled(DIM, case)))?;
    let Some(Made { small, .. }) = made else { return Ok(()) };
    if small.size() > MAX_SHOWN {
        return output::line(&styled(DIM, format!("   a case of {} bytes: too long to show here", small.size())));
    }
    match Probed::of(&small.case, &small.finding) {
        Some(probed) => probed.print_inline(),
        None => Ok(()),
    }
}

impl Group {
    /// The folder of the group: the one that has a file of the group from an earlier run, else a new one, named after its smallest case.
    fn folder(&self, findings: &Path, files: &BTreeMap<String, String>) -> Result<PathBuf, CliError> {
        let names: Vec<_> = self
            .signatures
            .iter()
            .filter_map(|signature| Path::new(files.get(&signature.to_string())?).file_name())
            .collect();
        let has_one = |folder: &PathBuf| names.iter().any(|name| folder.join(name).exists());
        let found = folders_in(findings)?.into_iter().find(has_one);
        Ok(found.unwrap_or_else(|| findings.join(self.name())))
    }

    fn name(&self) -> String {
        let Some(Signature { op, kind, place, subjects: _ }) = self.signatures.first() else { return String::new() };
        let hash = crc32fast::hash(self.signatures[0].to_string().as_bytes());
        format!("{}-{hash:08x}", settings::slug(&format!("{op} {kind} {place}")))
    }
}

/// Moves a finding's file, with the command in it, and returns its new path. A parallel run may have found the same and moved the file
/// first, into a group of its own.
fn moved(from: &Path, to: &Path, findings: &Path) -> Result<PathBuf, CliError> {
    match move_file(from, to) {
        Ok(()) => Ok(to.to_owned()),
        Err(problem) if from.exists() => Err(problem),
        Err(problem) => {
            let name = to.file_name().unwrap_or_default();
            let mut paths = folders_in(findings)?.into_iter().map(|folder| folder.join(name));
            paths.find(|path| path.is_file()).ok_or(problem)
        }
    }
}

/// The folders of the groups, in the order of their names.
fn folders_in(findings: &Path) -> Result<Vec<PathBuf>, CliError> {
    let entries = folder::entries(findings).map_err(|problem| files::unreadable(findings, &problem))?;
    Ok(entries.iter().map(fs::DirEntry::path).filter(|path| path.is_dir()).collect())
}

fn move_file(from: &Path, to: &Path) -> Result<(), CliError> {
    if from == to {
        return Ok(());
    }
    let CaseFile { case, mut finding } = files::read_case(from)?;
    if let Some(KeptFinding { command, .. }) = &mut finding {
        let [from, to] = [from, to].map(|path| quoted(&path.display().to_string()));
        *command = command.replacen(&from, &to, 1);
    }
    files::write_case(to, &CaseFile { case, finding })?;
    fs::remove_file(from).map_err(|problem| CliError::writing(from, problem))
}

record!(GroupRecord, "a group": count, what, case, signatures);
