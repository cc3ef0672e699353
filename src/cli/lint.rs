//! `lint`: checks the rules on finished plans and states.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use planfuzz_core::record;

use super::args::LintArgs;
use super::error::{CliError, Held, with_causes};
use super::output::{self, BAD, DIM, GOOD, HEAD, NOTE, counted, styled};
use super::{files, settings};
use crate::artifact::{Artifact, Catalogue};
use crate::compare::Allowances;
use crate::lint::{LintFinding, Report, SarifFile, Severity, lint, sarif};

/// The endings of files that are read in folders; `tfplan` alone is a usual name.
const ENDINGS: [&str; 3] = ["tfplan", ".tfstate", ".json"];

/// The result for one file.
struct Looked {
    path: String,
    report: Result<Report, String>,
    /// Known findings by their place in the report, with the reasons.
    allowed: BTreeMap<usize, String>,
}

/// Runs the command.
///
/// # Errors
/// Paths that do not exist, files that are neither plans nor states, and malformed schemas.
pub fn run(args: &LintArgs) -> Result<Held, CliError> {
    let given = schemas(&args.schemas)?;
    let allowances = settings::allowances(args.allow.as_deref())?;
    let mut paths = files::files_below(&args.files, &ENDINGS)?;
    // The schemas that the plans are checked with often lie beside them.
    let beside: Vec<PathBuf> = args.schemas.iter().filter_map(|path| path.canonicalize().ok()).collect();
    let is_schemas = |path: &Path| path.canonicalize().is_ok_and(|path| beside.contains(&path));
    paths.retain(|path| args.files.contains(path) || !is_schemas(path));
    if paths.is_empty() {
        return Err(CliError::input("expected plans or states, found no files")
            .with_hint("name a plan file, the output of `show -json`, a state file, or a folder of them"));
    }
    let mut total = Total::default();
    let mut kept = Vec::new();
    for path in &paths {
        let looked = look(path, args, &given, &allowances)?;
        total.add(&looked);
        if !args.is_sarif() {
            print(&looked, args.json)?;
        } else {
            kept.push(looked);
        }
    }
    if args.is_sarif() {
        write_sarif(args, &kept)?;
    }
    total.print(args)?;
    if total.unread > 0 {
        let message = format!("{} of {} files are neither plans nor states", total.unread, paths.len());
        return Err(CliError::input(message));
    }
    Ok(Held::from(total.findings == 0))
}

/// The schemas of files, in their order; of folders by name.
fn schemas(paths: &[PathBuf]) -> Result<Catalogue, CliError> {
    let mut given = Catalogue::default();
    let files = files::files_below(paths, &[".json"])?;
    if let ([folder, ..], []) = (paths, &files[..]) {
        return Err(CliError::input(format!("{}: expected files of schemas, found none", folder.display())));
    }
    for path in files {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        given.add(&name, &files::read_json(&path)?).map_err(|problem| CliError::in_file(&path, problem))?;
    }
    Ok(given)
}

/// Checks a file. A bad one is part of the result: it does not hide the results of the others.
fn look(path: &Path, args: &LintArgs, given: &Catalogue, allowances: &Allowances) -> Result<Looked, CliError> {
    let bytes = files::read_as_it_is(path)?;
    let engine = args.dialect.map(|dialect| dialect.engine());
    let report = match Artifact::read(&bytes, engine) {
        Ok(artifact) => Ok(lint(&artifact, given)),
        Err(problem) => Err(with_causes(&problem)),
    };
    let findings = report.as_ref().map_or(&[][..], |report| report.findings.as_slice());
    let reason = |finding: &LintFinding| allowances.reason(&finding.signature()).map(str::to_owned);
    let allowed = findings.iter().enumerate().filter_map(|(index, it)| Some((index, reason(it)?))).collect();
    Ok(Looked { path: path.display().to_string(), report, allowed })
}

impl Looked {
    /// The findings that are not known.
    fn findings(&self) -> impl Iterator<Item = &LintFinding> {
        let all = self.report.as_ref().map_or(&[][..], |report| report.findings.as_slice());
        let is_known = |index: usize| self.allowed.contains_key(&index);
        all.iter().enumerate().filter(move |(index, _)| !is_known(*index)).map(|(_, finding)| finding)
    }
}

fn print(looked: &Looked, json: bool) -> Result<(), CliError> {
    match &looked.report {
        Err(problem) if json => output::json_line(&UnreadFile { file: looked.path.clone(), error: problem.clone() }),
        Err(problem) => {
            output::report(&format!("{} {}: {}", styled(BAD, "error:"), plain(&looked.path), plain(problem)));
            Ok(())
        }
        Ok(_) if json => looked.findings().try_for_each(|finding| output::json_line(&of(&looked.path, finding))),
        Ok(report) => {
            let count = looked.findings().count();
            let style = if count == 0 { GOOD } else { HEAD };
            output::line(&format!("{} {}", styled(style, plain(&looked.path)), styled(DIM, plain(&report.what))))?;
            looked.findings().try_for_each(|finding| output::line(&as_text(finding)))
        }
    }
}

fn as_text(finding: &LintFinding) -> String {
    let style = match finding.severity {
        Severity::Error => BAD,
        Severity::Warning => NOTE,
    };
    let address = finding.address.as_deref().unwrap_or_default();
    let place = match (address, finding.path.as_str()) {
        ("", "") => String::new(),
        ("", path) => format!(" {}", plain(path)),
        (address, "") => format!(" {}", plain(address)),
        (address, path) => format!(" {} {}", plain(address), plain(path)),
    };
    format!("  {} {}{place}: {}", styled(style, finding.severity.name()), finding.check, plain(&finding.message))
}

/// A file that is neither plan nor state, as a line of `--json` has it.
struct UnreadFile {
    file: String,
    error: String,
}

record!(UnreadFile, "a file that is not read": file, error);

/// A finding as a line of `--json` has it.
struct PrintedLint {
    file: String,
    check: String,
    severity: String,
    /// The object, if the check is of one.
    address: Option<String>,
    place: String,
    path: String,
    message: String,
    signature: String,
}

record!(PrintedLint, "a finding in a file": file, check, severity, address, place, path, message, signature);

fn of(file: &str, finding: &LintFinding) -> PrintedLint {
    PrintedLint {
        file: file.to_owned(),
        check: finding.check.to_owned(),
        severity: finding.severity.name().to_owned(),
        address: finding.address.clone(),
        place: finding.place.clone(),
        path: finding.path.clone(),
        message: finding.message.clone(),
        signature: finding.signature(),
    }
}

/// Text from a file, with control characters escaped for the terminal.
fn plain(text: &str) -> String {
    text.chars()
        .flat_map(|char| if char.is_control() { char.escape_default().collect::<Vec<_>>() } else { vec![char] })
        .collect()
}

fn write_sarif(args: &LintArgs, looked: &[Looked]) -> Result<(), CliError> {
    let files: Vec<SarifFile<'_>> = looked
        .iter()
        .map(|it| SarifFile {
            path: &it.path,
            report: it.report.as_ref().map_err(String::as_str),
            allowed: &it.allowed,
        })
        .collect();
    let document = sarif(&files);
    match &args.sarif {
        Some(Some(path)) => {
            let mut text = document.to_indented();
            text.push('\n');
            files::write(path, text.as_bytes())
        }
        _ => output::json_line(&document),
    }
}

/// The totals of all files.
#[derive(Default)]
struct Total {
    files: u64,
    unread: u64,
    objects: u64,
    checks: u64,
    findings: u64,
    /// Allowed findings, by the reason.
    known: BTreeMap<String, u64>,
    /// Checks that were not made, by the reason.
    unchecked: BTreeMap<String, u64>,
    /// Objects that were read, by where their schemas are from.
    schemas: BTreeMap<String, u64>,
}

record!(Total, "counts of checked files": files, unread, objects, checks, findings, known, unchecked, schemas);

impl Total {
    fn add(&mut self, looked: &Looked) {
        self.files += 1;
        let Ok(report) = &looked.report else {
            self.unread += 1;
            return;
        };
        self.objects += report.objects as u64;
        self.checks += report.checks;
        self.findings += looked.findings().count() as u64;
        for reason in looked.allowed.values() {
            *self.known.entry(reason.clone()).or_default() += 1;
        }
        for (why, count) in &report.unchecked {
            *self.unchecked.entry(why.text().to_owned()).or_default() += count;
        }
        for (source, count) in &report.schemas {
            *self.schemas.entry(source.clone()).or_default() += *count as u64;
        }
    }

    fn print(&self, args: &LintArgs) -> Result<(), CliError> {
        if args.is_sarif() {
            output::report(&self.summary());
            return Ok(());
        }
        if args.json {
            return output::json_line(self);
        }
        for (source, count) in &self.schemas {
            output::line(&styled(DIM, format!("read {count} with the schemas of {}", plain(source))))?;
        }
        for (reason, count) in &self.known {
            output::line(&styled(DIM, format!("known {count}: {}", plain(reason))))?;
        }
        for (why, count) in &self.unchecked {
            output::line(&styled(DIM, format!("not checked {count}: {why}")))?;
        }
        output::line(&self.summary())
    }

    fn summary(&self) -> String {
        let unchecked: u64 = self.unchecked.values().sum();
        format!(
            "{}, {}, {} made, {unchecked} not made, {}",
            counted(self.files, "file"),
            counted(self.objects, "object"),
            counted(self.checks, "check"),
            counted(self.findings, "finding")
        )
    }
}
