//! The groups of a folder of findings: a folder each, as `run` leaves them, and a file each, as `triage` does.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use planfuzz_core::json::Field as _;
use planfuzz_core::record;
use planfuzz_files::folder;

use crate::case::KeptFinding;
use crate::cli::error::CliError;
use crate::cli::files;
use crate::cli::given::{Kind, Sources};
use crate::compare::Allowances;

/// The file in a group's folder that records which regression was kept of it. Its name has no ending, so that it is not
/// taken for a case.
const MARK: &str = "KEPT";

/// What a review kept of a group.
struct Mark {
    /// The file of the regression.
    kept: String,
    /// The signatures for which that counts.
    signatures: BTreeSet<String>,
}

record!(Mark, "what a review kept": kept, signatures);

/// The content of a folder.
pub struct Read {
    /// The groups, the largest first.
    pub groups: Vec<Group>,
    /// The errors of files that are no cases.
    pub unreadable: Vec<CliError>,
    /// How many cases have no finding.
    pub without: usize,
}

/// Findings that one mistake likely made.
pub struct Group {
    /// The name of its folder, or of its file.
    pub name: String,
    /// Its folder; `None` if the group is a single file.
    folder: Option<PathBuf>,
    /// Its findings, the smallest first.
    pub files: Vec<GroupedFinding>,
    /// How many findings there were.
    pub count: usize,
    /// What was decided.
    pub standing: Decision,
}

/// A finding's file.
pub struct GroupedFinding {
    /// Its path.
    pub path: PathBuf,
    /// Its bucket.
    pub signature: String,
    /// The finding, in words; `None` if its file has no words for it.
    pub what: Option<String>,
    /// The length of the file.
    pub size: usize,
}

impl GroupedFinding {
    /// The finding, in words for people.
    pub fn description(&self) -> &str {
        self.what.as_deref().unwrap_or("no description")
    }
}

/// The decision about a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// No decision.
    Open,
    /// It is allowed, for a reason.
    Allowed(String),
    /// Its smallest case is a regression.
    Kept(PathBuf),
}

impl Decision {
    /// In words.
    pub fn in_words(&self) -> String {
        match self {
            Decision::Open => "left open".to_owned(),
            Decision::Allowed(reason) => format!("allowed: {reason}"),
            Decision::Kept(path) => format!("kept as {}", path.display()),
        }
    }
}

/// Reads a folder. One bad file does not hide the others.
///
/// # Errors
/// A folder that does not exist.
pub fn read(findings: &Path, allowed: &Allowances) -> Result<Read, CliError> {
    if !findings.is_dir() {
        let message = format!("expected a folder of findings, found none at {}", findings.display());
        return Err(CliError::input(message).with_hint("planfuzz run makes one where it finds something"));
    }
    let mut read = Read { groups: Vec::new(), unreadable: Vec::new(), without: 0 };
    for entry in folder::entries(findings).map_err(|problem| files::unreadable(findings, &problem))? {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if !is_folder && !name.trim_end_matches(".gz").ends_with(".json") {
            continue;
        }
        let found = read.findings(&path)?;
        if !found.is_empty() {
            read.groups.push(Group::new(name, is_folder.then_some(path), found, allowed)?);
        }
    }
    read.groups.sort_by(|one, other| other.count.cmp(&one.count).then_with(|| one.name.cmp(&other.name)));
    Ok(read)
}

impl Read {
    fn findings(&mut self, path: &Path) -> Result<Vec<GroupedFinding>, CliError> {
        let paths = files::case_files(&[path.to_owned()])?;
        let mut found = Vec::new();
        for given in
            if paths.is_empty() { None } else { Some(Sources::of_cases(&paths)?.documents()) }.into_iter().flatten()
        {
            let place = given.place.clone();
            let finding = match given.read(None) {
                Ok(Kind::Case(file)) => file.finding,
                Ok(Kind::Codec(_, finding)) => finding,
                Ok(Kind::Call(..)) => None,
                Err(problem) => {
                    self.unreadable.push(problem);
                    continue;
                }
            };
            let Some(KeptFinding { signature, what, .. }) = finding else {
                self.without += 1;
                continue;
            };
            let size = fs::metadata(&place).map_or(usize::MAX, |about| about.len() as usize);
            let what = Some(what).filter(|what| !what.is_empty());
            found.push(GroupedFinding { signature, what, size, path: place });
        }
        // The finding that the group is named after comes first, as the run showed it; the rest by size.
        let leads = |finding: &GroupedFinding| hash_of(&finding.path).is_some_and(|hash| hash_of(path) == Some(hash));
        found.sort_by_key(|finding| (!leads(finding), finding.size, finding.path.clone()));
        Ok(found)
    }
}

/// The hash at the end of a name that `run` gave: a group's folder has the hash of its smallest case's signature.
fn hash_of(path: &Path) -> Option<&str> {
    path.file_name()?.to_str()?.trim_end_matches(".json").rsplit_once(['-', '_'].as_slice()).map(|(_, hash)| hash)
}

/// The index of the group that a number of the list, or a name, means.
///
/// # Errors
/// No such group.
pub fn position(groups: &[Group], named: &str, findings: &Path) -> Result<usize, CliError> {
    let by_name = groups.iter().position(|group| group.name == named);
    let by_number =
        || named.parse().ok().and_then(|number: usize| number.checked_sub(1)).filter(|index| *index < groups.len());
    by_name.or_else(by_number).ok_or_else(|| {
        let message =
            format!("expected a group of {}, found {named:?}: there are {}", findings.display(), groups.len());
        CliError::input(message).with_hint("planfuzz review --json lists them")
    })
}

impl Group {
    fn new(
        name: String,
        folder: Option<PathBuf>,
        files: Vec<GroupedFinding>,
        allowed: &Allowances,
    ) -> Result<Group, CliError> {
        let mut group = Group { name, folder, count: files.len(), files, standing: Decision::Open };
        let mark = group.mark()?;
        // What was kept counts on, so that a review changes no numbers of groups.
        group.count += usize::from(mark.is_some());
        let reasons: Option<Vec<&str>> = group.files.iter().map(|finding| allowed.reason(&finding.signature)).collect();
        if let Some(reason) = reasons.and_then(|reasons| reasons.first().map(|reason| (*reason).to_owned())) {
            group.standing = Decision::Allowed(reason);
        } else if let Some((path, kept)) = mark
            && group.signatures().is_subset(&kept)
        {
            group.standing = Decision::Kept(path);
        }
        Ok(group)
    }

    /// The signatures of its findings.
    pub fn signatures(&self) -> BTreeSet<String> {
        self.files.iter().map(|finding| finding.signature.clone()).collect()
    }

    /// The regression that an earlier review kept of the group, and the signatures for which that counts.
    fn mark(&self) -> Result<Option<(PathBuf, BTreeSet<String>)>, CliError> {
        let Some(path) = self.folder.as_ref().map(|folder| folder.join(MARK)).filter(|path| path.exists()) else {
            return Ok(None);
        };
        let mark = Mark::read(&files::read_json(&path)?).map_err(|problem| CliError::in_file(&path, problem))?;
        Ok(Some((PathBuf::from(mark.kept), mark.signatures)))
    }

    /// Records that its smallest case is a regression now: the finding's file is removed, and the others are marked.
    ///
    /// # Errors
    /// A file that cannot be written or removed.
    pub fn kept_as(&mut self, kept: &Path) -> Result<(), CliError> {
        let signatures = self.signatures();
        if let Some(folder) = self.folder.as_ref().filter(|_| self.files.len() > 1) {
            let mark = Mark { kept: kept.display().to_string(), signatures };
            files::write(&folder.join(MARK), format!("{}\n", mark.write().to_compact()).as_bytes())?;
        }
        let moved = self.files.remove(0);
        fs::remove_file(&moved.path).map_err(|problem| CliError::writing(&moved.path, problem))?;
        if let Some(folder) = self.folder.as_ref().filter(|_| self.files.is_empty()) {
            fs::remove_file(folder.join(MARK)).ok();
            // A folder with other files stays.
            fs::remove_dir(folder).ok();
        }
        self.standing = Decision::Kept(kept.to_owned());
        Ok(())
    }
}
