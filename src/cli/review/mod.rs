//! `review`: decides the findings of a run, one likely cause after the other, as `cargo insta review` does with snapshots.
//!
//! Accepting adds a line for each signature to the file that `--allow` takes everywhere; keeping moves the smallest case to the
//! regressions. Each writes a file whole and then, for a move, removes another: however the command ends, nothing is lost or half written.

mod ask;
mod folder;

use std::collections::BTreeSet;
use std::path::Path;

use planfuzz_core::json::{Field as _, Json};
use planfuzz_core::record;

use self::ask::{Answer, Prompt};
use self::folder::{Decision, Group};
use super::args::{REGRESSIONS, ReviewArgs};
use super::error::{CliError, Held};
use super::given::one_case;
use super::output::{self, BAD, DIM, GOOD, HEAD, NOTE, counted, styled};
use super::probe::{Heading, print_answers, print_case};
use super::{files, promote, settings};
use crate::case::{KeptFinding, Task};
use crate::compare::{Allowance, Allowances};
use crate::subject::{Outcome, outcome_of};

/// The longest case that is printed in full, in bytes.
const MAX_SHOWN: usize = 20_000;

/// Runs the command.
///
/// # Errors
/// No such folder or group, files that are no findings, files that cannot be written.
pub fn run(args: &ReviewArgs) -> Result<Held, CliError> {
    let allowed = allowances(&args.allow)?;
    let folder::Read { mut groups, unreadable, without } = folder::read(&args.findings, &allowed)?;
    for problem in &unreadable {
        output::error(problem);
    }
    if without > 0 {
        let text = format!(
            "{} in {} without a finding: passed over",
            counted(without as u64, "case"),
            args.findings.display()
        );
        output::report(&styled(DIM, text));
    }
    let has_decisions = !args.accept.is_empty() || !args.keep.is_empty();
    if has_decisions {
        decide_by_options(&mut groups, args)?;
    } else if let Some(mut prompt) = Prompt::of_terminal().filter(|_| !args.json) {
        decide_by_asking(&mut groups, args, &mut prompt)?;
    }
    let open = groups.iter().filter(|group| group.standing == Decision::Open).count();
    if args.json {
        let groups = (1..).zip(&groups).map(printed).collect();
        output::json_line(&PrintedGroups { groups, open: open as u64 })?;
    } else {
        list(&groups, open, &args.findings)?;
    }
    match unreadable.len() {
        0 => Ok(Held::from(open == 0)),
        many => Err(CliError::input(format!(
            "{} in {} are no findings",
            counted(many as u64, "file"),
            args.findings.display()
        ))),
    }
}

/// The known findings; empty if the file does not exist yet.
fn allowances(path: &Path) -> Result<Allowances, CliError> {
    settings::allowances(path.exists().then_some(path))
}

fn decide_by_options(groups: &mut [Group], args: &ReviewArgs) -> Result<(), CliError> {
    let find = |named: &String| folder::position(groups, named, &args.findings);
    let accept = args.accept.iter().map(find).collect::<Result<Vec<_>, _>>()?;
    let keep = args.keep.iter().map(find).collect::<Result<Vec<_>, _>>()?;
    if let Some(both) = accept.iter().find(|index| keep.contains(index)) {
        return Err(CliError::input(format!("expected one decision for {}, found two", groups[*both].name)));
    }
    let expected = |option: &Option<String>, name: &str, asked: bool| match option.as_deref().map(str::trim) {
        Some(line) if !line.is_empty() && !line.contains('\n') => Ok(line.to_owned()),
        None if !asked => Ok(String::new()),
        _ => Err(CliError::input(format!("expected {name} with a line that explains why"))),
    };
    let reason = expected(&args.reason, "--reason", !accept.is_empty())?;
    let purpose = expected(&args.purpose, "--purpose", !keep.is_empty())?;
    for index in accept {
        accept_group(&mut groups[index], &args.allow, &reason)?;
    }
    keep.into_iter().try_for_each(|index| keep_group(&mut groups[index], args, &purpose))
}

fn decide_by_asking(groups: &mut [Group], args: &ReviewArgs, prompt: &mut Prompt) -> Result<(), CliError> {
    let of = groups.iter().filter(|group| group.standing == Decision::Open).count();
    let mut waiting: Vec<usize> = (0..groups.len()).filter(|index| groups[*index].standing == Decision::Open).collect();
    let mut seen = 0;
    // Skipped groups are asked once more, after all others.
    for round in 0..2 {
        for index in std::mem::take(&mut waiting) {
            let group = &mut groups[index];
            seen += usize::from(round == 0);
            show(group, (seen, of))?;
            match decided(group, args, prompt)? {
                Answer::Skip if round == 0 => waiting.push(index),
                Answer::Quit => return Ok(()),
                _ => {}
            }
        }
    }
    Ok(())
}

/// Asks until there is a decision that can be carried out; problems are printed.
fn decided(group: &mut Group, args: &ReviewArgs, prompt: &mut Prompt) -> Result<Answer, CliError> {
    loop {
        let answer = prompt.key()?;
        let done = match answer {
            Answer::Accept => match prompt.line("why is it allowed?", args.reason.as_deref())? {
                Some(reason) => accept_group(group, &args.allow, &reason),
                None => continue,
            },
            Answer::Keep => match prompt.line("what has to hold?", args.purpose.as_deref())? {
                Some(purpose) => keep_group(group, args, &purpose),
                None => continue,
            },
            Answer::Leave | Answer::Skip | Answer::Quit => return Ok(answer),
        };
        match done {
            Ok(()) if group.standing != Decision::Open => {
                output::report(&styled(GOOD, group.standing.in_words()));
                return Ok(answer);
            }
            Ok(()) => {}
            Err(problem @ CliError::Input { .. }) => output::error(&problem),
            Err(problem) => return Err(problem),
        }
    }
}

/// Adds the signatures of a group to the allowances.
fn accept_group(group: &mut Group, allow: &Path, reason: &str) -> Result<(), CliError> {
    let known = allowances(allow)?;
    let mut bytes = if allow.exists() { files::read(allow)? } else { Vec::new() };
    if !bytes.is_empty() && !bytes.ends_with(b"\n") {
        bytes.push(b'\n');
    }
    for signature in group.signatures().into_iter().filter(|signature| known.reason(signature).is_none()) {
        let line = Allowance { signature, reason: reason.to_owned() };
        bytes.extend_from_slice(line.write().to_compact().as_bytes());
        bytes.push(b'\n');
    }
    if allow.extension().is_some_and(|extension| extension == "gz") {
        return Err(CliError::input(format!("{}: expected a file that is not compressed, to add to", allow.display())));
    }
    files::write(allow, &bytes)?;
    group.standing = Decision::Allowed(reason.to_owned());
    Ok(())
}

/// Moves the smallest case of a group to the regressions.
fn keep_group(group: &mut Group, args: &ReviewArgs, purpose: &str) -> Result<(), CliError> {
    let Some(smallest) = group.files.first() else { return Ok(()) };
    let (from, file) = one_case(&smallest.path, None)?;
    let kept = match promote::kept_already(&args.into, &file.case)? {
        Some(path) => path,
        None => {
            let path = promote::free_name(&args.into, &smallest.signature);
            let wanted =
                promote::Wanted { into: &args.into, path: &path, purpose, show_sensitive: args.show_sensitive };
            if promote::keep(&from, &file, &wanted)?.is_none() {
                return Ok(());
            }
            path
        }
    };
    group.kept_as(&kept)?;
    Ok(())
}

/// Shows a group: its finding, the smallest case, and the answers of the subjects.
fn show(group: &Group, (number, of): (usize, usize)) -> Result<(), CliError> {
    let Some(smallest) = group.files.first() else { return Ok(()) };
    output::line("")?;
    let kinds = counted(group.files.len() as u64, "kind");
    output::line(&format!("{} {} ({kinds})", styled(HEAD, format!("{number} of {of}")), group.name))?;
    output::line(&format!("{} {}", styled(BAD, "✗"), smallest.description()))?;
    output::line(&styled(DIM, format!("  {}", smallest.signature)))?;
    output::line(&styled(DIM, format!("  {}", smallest.path.display())))?;
    if smallest.size > MAX_SHOWN {
        let text = format!("  a case of {} bytes: planfuzz probe {} shows it", smallest.size, smallest.path.display());
        return output::line(&styled(NOTE, text));
    }
    let Ok((_, file)) = one_case(&smallest.path, None) else {
        return output::line(&styled(
            NOTE,
            "  a document for a reader of bytes: it can be allowed, and not kept as a case",
        ));
    };
    print_case(&file.case)?;
    let [op] = file.case.ops()[..] else { return Ok(()) };
    let Some(KeptFinding { answers: recorded, .. }) = &file.finding else { return Ok(()) };
    let Task::Call(call) = &file.case.task else { return Ok(()) };
    // Outcomes that are no answers are stored in words, which cannot be parsed.
    let read = |answer: &Json| outcome_of(call, answer, file.case.dialect).ok();
    let outcomes: Vec<(&str, Option<Outcome>)> =
        recorded.iter().map(|(name, answer)| (name.as_str(), read(answer))).collect();
    let answers: Vec<(&str, &Outcome)> =
        outcomes.iter().filter_map(|(name, outcome)| Some((*name, outcome.as_ref()?))).collect();
    print_answers(&file.case, op, &answers, Heading::Answered)?;
    for ((name, answer), _) in recorded.iter().zip(&outcomes).filter(|(_, (_, outcome))| outcome.is_none()) {
        let words = answer.expect_string().map_or_else(|_| answer.to_compact(), str::to_owned);
        output::line(&format!("{} {words}", styled(DIM, format!("{name}:"))))?;
    }
    Ok(())
}

/// Prints the status of the groups, and what to type next.
fn list(groups: &[Group], open: usize, findings: &Path) -> Result<(), CliError> {
    if groups.is_empty() {
        return output::line(&styled(GOOD, format!("no findings in {}", findings.display())));
    }
    output::line("")?;
    for (number, group) in (1..).zip(groups) {
        let (style, word) = match &group.standing {
            Decision::Open => (BAD, "open"),
            Decision::Allowed(_) => (GOOD, "allowed"),
            Decision::Kept(_) => (GOOD, "kept"),
        };
        let kinds = counted(group.count as u64, "kind");
        output::line(&format!("{number:>3}. {} {} ({kinds})", styled(style, format!("{word:<7}")), group.name))?;
        let below = match &group.standing {
            Decision::Open => {
                group.files.first().map_or_else(String::new, |smallest| smallest.description().to_owned())
            }
            decided => decided.in_words(),
        };
        output::line(&styled(DIM, format!("     {below}")))?;
    }
    let decided = groups.len() - open;
    output::line(&format!("{}: {decided} decided, {open} open", counted(groups.len() as u64, "likely cause")))?;
    if open > 0 {
        let next = "next: planfuzz review in a terminal asks one after the other; --accept N --reason LINE, --keep N --purpose LINE decide without one";
        output::report(&styled(DIM, next));
    }
    if groups.iter().any(|group| matches!(&group.standing, Decision::Kept(path) if path.starts_with(REGRESSIONS))) {
        output::report(&styled(DIM, "next: cargo test --test corpus replays what is kept, and fails until it holds"));
    }
    Ok(())
}

/// The groups as `--json` has them.
struct PrintedGroups {
    groups: Vec<PrintedGroup>,
    /// How many are undecided.
    open: u64,
}

record!(PrintedGroups, "groups of findings": groups, open);

/// A likely cause.
struct PrintedGroup {
    number: u64,
    group: String,
    standing: String,
    /// Why it is allowed, or where its case is kept.
    why: Option<String>,
    what: Option<String>,
    case: String,
    signatures: BTreeSet<String>,
}

record!(PrintedGroup, "a group": number, group, standing, why, what, case, signatures);

fn printed((number, group): (u64, &Group)) -> PrintedGroup {
    let smallest = group.files.first();
    let (standing, why) = match &group.standing {
        Decision::Open => ("open", None),
        Decision::Allowed(reason) => ("allowed", Some(reason.clone())),
        Decision::Kept(path) => ("kept", Some(path.display().to_string())),
    };
    PrintedGroup {
        number,
        group: group.name.clone(),
        standing: standing.to_owned(),
        why,
        what: smallest.and_then(|smallest| smallest.what.clone()),
        case: smallest.map_or_else(String::new, |smallest| smallest.path.display().to_string()),
        signatures: group.signatures(),
    }
}
