//! `import`: makes cases of plans and states.

use std::path::PathBuf;

use super::args::ImportArgs;
use super::error::{CliError, Held};
use super::output::{self, DIM, NOTE, styled};
use super::place::CasePlace;
use super::{files, import_workspace};
use crate::artifact::{Artifact, Catalogue};
use crate::case::{CaseFile, Op};
use crate::import::{Importer, Kind, Report, Wanted};

/// Runs the command.
///
/// # Errors
/// Files that cannot be read, or contain nothing to import; cases that cannot be written.
pub fn run(args: &ImportArgs) -> Result<Held, CliError> {
    let wanted = wanted(args)?;
    let mut schemas = Catalogue::default();
    for path in &args.schemas {
        let json = files::read_json(path)?;
        schemas.add(&files::name_of(path), &json).map_err(|problem| CliError::in_file(path, problem))?;
    }
    let mut importer = Importer::new(&wanted, &schemas);
    let mut place = CasePlace::of(args.output.as_deref());
    let mut unreadable = 0_u64;
    let mut workspaces = Report::default();
    let (folders, files): (Vec<&PathBuf>, Vec<&PathBuf>) = args.files.iter().partition(|path| path.is_dir());
    check(args, folders.len())?;
    for folder in folders {
        match import_workspace::of_folder(args, folder) {
            Ok(imported) => {
                output::report(&format!("{}: the reference plans: {}", folder.display(), imported.planned));
                workspaces.workspace(imported.objects);
                place.put(CaseFile { case: imported.case, finding: None })?;
            }
            Err(problem) if args.files.len() == 1 => return Err(problem),
            Err(problem) => {
                output::error(&problem);
                unreadable += 1;
            }
        }
    }
    for path in files {
        let read = files::read(path).and_then(|bytes| {
            let artifact = Artifact::read(&bytes, None).map_err(|problem| CliError::in_file(path, problem))?;
            Ok((bytes, artifact))
        });
        // One bad file does not hide the cases of the others.
        match read {
            Ok((bytes, artifact)) => {
                for case in importer.import(&files::name_of(path), &artifact, &bytes) {
                    place.put(CaseFile { case, finding: None })?;
                }
            }
            Err(problem) if args.files.len() == 1 => return Err(problem),
            Err(problem) => {
                output::error(&problem);
                unreadable += 1;
            }
        }
    }
    place.finish()?;
    workspaces.add(importer.report().clone());
    let report = &workspaces;
    print_counts(report);
    if args.json {
        output::json_line(report)?;
    }
    if unreadable > 0 {
        return Err(CliError::input(format!(
            "{unreadable} of {} are no plans, states or workspaces",
            args.files.len()
        )));
    }
    if report.total() + report.repeated == 0 {
        let is_narrowed = !args.types.is_empty() || !args.addresses.is_empty();
        if is_narrowed && !args.schemas.is_empty() {
            let hint = "without --type and --address all objects are imported";
            return Err(CliError::input("expected objects of these types and addresses, found none").with_hint(hint));
        }
        let hint = "give the schemas of the providers: terraform providers schema -json > schemas.json, --schemas schemas.json";
        return Err(CliError::input("expected objects to import, found none").with_hint(hint));
    }
    Ok(Held::Yes)
}

/// Checks that options for folders are given with a folder only, and options for files with files only.
fn check(args: &ImportArgs, folders: usize) -> Result<(), CliError> {
    let of_folders = [("--state", args.state.is_some()), ("--var-file", !args.var_files.is_empty())];
    let of_files =
        [("--type", !args.types.is_empty()), ("--address", !args.addresses.is_empty()), ("--op", !args.ops.is_empty())];
    let stray = |names: &[(&str, bool)]| names.iter().find(|(_, is_given)| *is_given).map(|(name, _)| name.to_string());
    match (folders, stray(&of_folders), stray(&of_files)) {
        (0, Some(name), _) => Err(CliError::input(format!("expected {name} beside a folder, found files alone"))),
        (2.., Some(name), _) => Err(CliError::input(format!("expected {name} beside one folder, found {folders}"))),
        (1.., _, Some(name)) => Err(CliError::input(format!(
            "expected {name} beside files alone: a folder becomes one workspace as a whole"
        ))),
        _ => Ok(()),
    }
}

fn wanted(args: &ImportArgs) -> Result<Wanted, CliError> {
    let mut kinds = Vec::new();
    for op in &args.ops {
        match Kind::of(*op) {
            Some(kind) if *op == Op::ProposedNew || !op.is_merge() => kinds.push(kind),
            Some(_) | None => {
                let message =
                    format!("expected proposed_new (for the whole merge), plan_instance or scenario, found {op}");
                return Err(CliError::input(message));
            }
        }
    }
    Ok(Wanted {
        types: args.types.clone(),
        addresses: args.addresses.clone(),
        kinds,
        dialect: args.dialect,
        show_sensitive: args.show_sensitive,
    })
}

/// Prints the counts of an import.
fn print_counts(report: &Report) {
    let Report { objects, imported, cases, repeated, configurations, left_out } = report;
    let list = |counts: &mut dyn Iterator<Item = (String, u64)>| {
        counts.map(|(name, count)| format!("{count} {name}")).collect::<Vec<_>>().join(", ")
    };
    let kinds = list(&mut cases.iter().map(|(name, count)| ((*name).to_owned(), *count)));
    let repeated = if *repeated > 0 { format!(", {repeated} that were there already") } else { String::new() };
    let total = match report.total() {
        1 => "1 case".to_owned(),
        total => format!("{total} cases"),
    };
    output::report(&format!("{imported} of {objects} objects imported: {total} ({kinds}){repeated}"));
    if !configurations.is_empty() {
        let origins = list(&mut configurations.iter().map(|(name, count)| ((*name).to_owned(), *count)));
        output::report(&styled(DIM, origins));
    }
    for (reason, count) in left_out {
        output::report(&styled(NOTE, format!("left out {count}: {reason}")));
    }
}
