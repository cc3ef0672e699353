//! The summary that people read at the end of a campaign.

use std::collections::BTreeMap;
use std::time::Duration;

use planfuzz_workspace_optimized::IN_PART;

use super::{Bucket, PROMISES, Totals, TypesVisited};
use crate::campaign::Phases;
use crate::case::Op;
use crate::cli::error::CliError;
use crate::cli::output::{self, BAD, DIM, GOOD, HEAD, NOTE, styled};
use crate::compare::{PLANNED_AGAIN, Tally, UNCHECKED};
use crate::grouped::grouped;
use crate::subject::Effort;

impl Totals {
    /// Prints the summary for people: what was compared, what agreed, what was left out and why.
    ///
    /// # Errors
    /// Standard output is closed.
    pub fn print(&self, verbose: bool, not_asked: &[String], next: &[&str]) -> Result<(), CliError> {
        self.print_compared()?;
        self.print_oracles()?;
        let Tally { agree, both_refuse, tolerated, diverge, rule_broken, crash, over_budget } = self.tally;
        output::line(&styled(HEAD, "agreed"))?;
        let refused = match both_refuse {
            0 => String::new(),
            count => format!("; on {} inputs both refuse, as the engine itself crashes there", thousands(count)),
        };
        output::line(&format!("  {} answers{refused}", thousands(agree)))?;
        if tolerated > 0 {
            output::line(&styled(DIM, format!("  {} differences are tolerated:", thousands(tolerated))))?;
        }
        for (what, count) in &self.tolerated {
            output::line(&styled(DIM, format!("  tolerated {count}: {what}")))?;
        }
        self.print_left_out(not_asked)?;
        if verbose {
            self.print_counts()?;
        }
        if self.why_nothing_compared().is_some() {
            return Ok(());
        }
        if self.findings() == 0 {
            output::line(&styled(GOOD, "no findings"))?;
            return output::line(&styled(DIM, format!("next: {}", next.join(", "))));
        }
        output::line(&styled(
            BAD,
            format!("{diverge} diverge, {rule_broken} break a rule, {crash} crash, {over_budget} over budget"),
        ))?;
        if !verbose && !self.groups.is_empty() {
            return Ok(());
        }
        output::line(&styled(HEAD, "findings by bucket"))?;
        for (signature, Bucket { count, case }) in &self.buckets {
            output::line(&format!("  {count:>8}  {signature}\n            {}", styled(DIM, case)))?;
        }
        Ok(())
    }

    /// Prints what was not asked, not checked, or not compared.
    fn print_left_out(&self, not_asked: &[String]) -> Result<(), CliError> {
        let unchecked = self.workspaces.get(UNCHECKED).into_iter().flatten();
        let unchecked: Vec<_> = unchecked.filter(|(_, count)| **count > 0).collect();
        if self.left_out.is_empty() && unchecked.is_empty() && not_asked.is_empty() {
            return Ok(());
        }
        output::line(&styled(HEAD, "left out"))?;
        for (what, count) in &self.left_out {
            output::line(&styled(NOTE, format!("  {} operations of {what}", thousands(*count))))?;
        }
        for (why, count) in unchecked {
            output::line(&styled(DIM, format!("  not checked {} times: {why}", thousands(*count))))?;
        }
        not_asked.iter().try_for_each(|what| output::line(&styled(DIM, format!("  {what}"))))
    }

    /// Prints how often each shared operation was compared with its second implementation.
    fn print_calls(&self) -> Result<(), CliError> {
        let Some((rarest, least)) = self.calls.iter().min_by_key(|(_, count)| **count) else { return Ok(()) };
        let all: u64 = self.calls.values().sum();
        let of = Op::ALL.iter().filter(|op| op.is_shared()).count();
        let line = format!(
            "  calls of what planners share: {all}, of {} of {of} operations, {rarest} least: {least} times",
            self.calls.len()
        );
        output::line(&styled(DIM, line))
    }

    /// Prints what was compared and checked, and how often.
    fn print_compared(&self) -> Result<(), CliError> {
        output::line(&styled(HEAD, "compared"))?;
        let cases = format!("  {} cases in {:.1} s", thousands(self.cases), self.seconds);
        output::line(&match &*self.subjects {
            [first, others @ ..] if !others.is_empty() => {
                let (comparisons, others) = (thousands(self.comparisons), others.join(", "));
                format!("{cases}: {comparisons} answers of {first} beside those of {others}")
            }
            _ => format!("{cases}, with the rules only: there is one subject"),
        })?;
        let steps = match self.steps {
            0 => String::new(),
            steps => format!("; {} steps of scenarios", thousands(steps)),
        };
        output::line(&format!("  {} checks of answers against the rules{steps}", thousands(self.checks)))?;
        match self.types_visited {
            Some(TypesVisited { visited, of }) => output::line(&format!("  {visited} of {of} resource types visited")),
            None => Ok(()),
        }
    }

    /// Prints counts for developers of the suite.
    fn print_counts(&self) -> Result<(), CliError> {
        output::line(&styled(HEAD, "counted"))?;
        let per_second = self.comparisons as f64 / self.cpu_seconds.max(0.001);
        output::line(&styled(DIM, format!("  {per_second:.0} comparisons per CPU second")))?;
        if self.steps > 0 {
            self.print_traces()?;
        }
        self.print_workspaces()?;
        self.print_calls()?;
        self.print_phases()?;
        self.print_efforts()
    }

    /// Prints how often each oracle checked something, and which never did.
    fn print_oracles(&self) -> Result<(), CliError> {
        let (asked, never): (Vec<_>, Vec<_>) = self.oracles.iter().partition(|(_, count)| **count > 0);
        let asked: Vec<String> = asked.iter().map(|(name, count)| format!("{name} {count}")).collect();
        output::line(&styled(DIM, format!("  checks by oracle: {}{}", asked.join(", "), names(&never))))
    }

    /// Prints what occurred in runs of scenarios, and what never did.
    fn print_traces(&self) -> Result<(), CliError> {
        for (what, counts) in &self.traces {
            if what == PROMISES {
                let of = |name: &str| counts.get(name).copied().unwrap_or(0);
                let line = format!(
                    "  well-behaved providers: {} checked against their contract, {} exempt (the scenario made it unkeepable)",
                    of("held"),
                    of("waived")
                );
                output::line(&styled(DIM, line))?;
                continue;
            }
            let (seen, never): (Vec<_>, Vec<_>) = counts.iter().partition(|(_, count)| **count > 0);
            let rarest = seen.iter().min_by_key(|(_, count)| **count);
            let rarest = rarest.map_or_else(String::new, |(name, count)| format!(", {name} least: {count} times"));
            let line = format!("  {what}: {} of {}{rarest}{}", seen.len(), counts.len(), names(&never));
            output::line(&styled(DIM, line))?;
        }
        Ok(())
    }

    /// Prints how often the rules and the laws of workspaces were checked, and which never were.
    fn print_workspaces(&self) -> Result<(), CliError> {
        let played = self.workspaces.get("played");
        let of = |name: &str| played.and_then(|played| played.get(name)).copied().unwrap_or(0);
        for what in ["rules", "laws"] {
            let Some(counts) = self.workspaces.get(what) else { continue };
            let (held, never): (Vec<_>, Vec<_>) = counts.iter().partition(|(_, count)| **count > 0);
            let times: u64 = counts.values().sum();
            let (some, all) = (held.len(), counts.len());
            let line = format!("  {what} of workspaces: {some} of {all} held {times} times{}", names(&never));
            output::line(&styled(DIM, line))?;
        }
        if let Some(counts) = self.workspaces.get(PLANNED_AGAIN) {
            self.print_planned_again(counts)?;
        }
        match played {
            None => Ok(()),
            Some(_) => output::line(&styled(
                DIM,
                format!("  workspaces: {} steps with {} calls of providers", of("steps"), of("calls")),
            )),
        }
    }

    /// Prints how often plans were made again in part, and why the others were made as a whole, the most frequent reason first.
    fn print_planned_again(&self, counts: &BTreeMap<String, u64>) -> Result<(), CliError> {
        let parts = counts.get(IN_PART).copied().unwrap_or(0);
        let mut wholes: Vec<(&String, &u64)> = counts.iter().filter(|(reason, _)| *reason != IN_PART).collect();
        wholes.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let all: u64 = wholes.iter().map(|(_, count)| **count).sum();
        output::line(&styled(DIM, format!("  planned again: {parts} {IN_PART}, {all} as a whole, for")))?;
        for (reason, count) in wholes {
            output::line(&styled(DIM, format!("    {count}: {reason}")))?;
        }
        Ok(())
    }

    /// Prints the work of other processes, and this process's share of the whole.
    fn print_efforts(&self) -> Result<(), CliError> {
        for (name, Effort { runs, asked, alone, cpu }) in &self.efforts {
            let theirs = cpu.as_secs_f64();
            let share = 100.0 * self.cpu_seconds / (self.cpu_seconds + theirs).max(0.001);
            let alone = if *alone == 0 { String::new() } else { format!(", {alone} of them alone in a run") };
            let line = format!(
                "  {name}: {runs} runs, asked {asked} walks{alone}, {theirs:.1} s of its processor time; ours {:.1} s, {share:.0} %",
                self.cpu_seconds
            );
            output::line(&styled(DIM, line))?;
        }
        Ok(())
    }

    fn print_phases(&self) -> Result<(), CliError> {
        let total = self.phases.total().as_secs_f64().max(f64::EPSILON);
        let share = |time: Duration| 100.0 * time.as_secs_f64() / total;
        let Phases { generating, planning, comparing, properties } = self.phases;
        output::line(&styled(
            DIM,
            format!(
                "  time: generating {:.0} %, planning {:.0} %, comparing {:.0} %, properties {:.0} %",
                share(generating),
                share(planning),
                share(comparing),
                share(properties),
            ),
        ))
    }
}

/// What never occurred, by name.
fn names(never: &[(&String, &u64)]) -> String {
    let names: Vec<&str> = never.iter().map(|(name, _)| name.as_str()).collect();
    if names.is_empty() { String::new() } else { format!("; never: {}", names.join(", ")) }
}

fn thousands(number: u64) -> String {
    grouped(number, ',')
}
