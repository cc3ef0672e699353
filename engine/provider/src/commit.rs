//! Commits the results of runs: counts, lessons, findings.
//!
//! A breach is written to disk as soon as it is found, in its original size. When its run is committed, it is played again, minimized
//! while there is time, and written in place of the first version.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use planfuzz_engine::plugin::Plugin;
use planfuzz_files::draft::write_whole;

use crate::campaign::{Campaign, Shared};
use crate::case::Case;
use crate::generate::Lesson;
use crate::judge::{Breach, judge};
use crate::lock::lock;
use crate::outcome::{BrokenPromise, CampaignReport, TypeReport};
use crate::place::text;
use crate::script::Script;
use crate::shrink::{has, shrink};
use crate::worker::{PlayedTrace, RunResult};

/// How long minimizing a finding may take.
const SHRINKING: Duration = Duration::from_secs(20);

/// How many findings of one promise of one type are kept.
const MOST_FINDINGS: usize = 5;

/// The files of findings.
#[derive(Debug, Default)]
pub(crate) struct WrittenFindings {
    files: BTreeMap<PathBuf, bool>,
    /// The first file that could not be written.
    problem: Option<(PathBuf, io::Error)>,
}

impl Shared<'_> {
    /// Commits runs of a type; returns their lessons, and how many objects of the type were created so far.
    pub(crate) fn commit(
        &self,
        line: usize,
        runs: Vec<RunResult>,
        mut plugin: Option<&mut Plugin>,
    ) -> (Vec<Lesson>, u64) {
        let (name, _) = self.subject(line);
        let mut lessons = Vec::new();
        for mut result in runs {
            lessons.append(&mut result.lessons);
            for (breach, trace) in std::mem::take(&mut result.breaches) {
                if self.is_new(name, &breach) {
                    let finding = self.finding(plugin.as_deref_mut(), name, &trace, &breach);
                    lock(&self.outcome).findings.push(finding);
                }
            }
            add(&mut lock(&self.outcome), name, result);
        }
        let created = lock(&self.outcome).types.get(name).map_or(0, |of| of.created);
        (lessons, created)
    }

    /// Commits the runs of incomplete generations when time is over, and returns the results of the campaign.
    pub(crate) fn end(&self) -> CampaignReport {
        let rest = self.schedule.rest();
        let has_breaches = rest.iter().flatten().any(|result| !result.breaches.is_empty());
        // Their findings are minimized, too.
        let mut plugin = if has_breaches { (self.campaign.start)().ok() } else { None };
        for (line, runs) in rest.into_iter().enumerate() {
            self.commit(line, runs, plugin.as_mut());
        }
        plugin.iter().for_each(|plugin| self.count(plugin));
        let WrittenFindings { files, problem } = std::mem::take(&mut *lock(&self.saved));
        let mut outcome = std::mem::take(&mut *lock(&self.outcome));
        // More were written early than are kept.
        for (file, _) in files.iter().filter(|(_, is_kept)| !**is_kept) {
            fs::remove_file(file).ok();
        }
        outcome.unwritten = problem;
        outcome
    }

    /// Writes the new breaches of a run to disk.
    pub(crate) fn save_early(&self, line: usize, result: &RunResult) {
        let (name, _) = self.subject(line);
        for (breach, trace) in &result.breaches {
            let file = self.file(name, breach);
            let is_new = match lock(&self.saved).files.entry(file.clone()) {
                Entry::Vacant(free) => !*free.insert(false),
                Entry::Occupied(_) => false,
            };
            if is_new {
                self.save(&file, &self.case(trace, breach));
            }
        }
    }

    fn file(&self, name: &str, breach: &Breach) -> PathBuf {
        self.campaign.findings.join(file_name(name, breach))
    }

    fn save(&self, file: &Path, case: &Case) {
        let text = case.to_json().to_pretty() + "\n";
        if let Err(problem) = write_whole(file, |file| file.write_all(text.as_bytes())) {
            lock(&self.saved).problem.get_or_insert((file.to_owned(), problem));
        }
    }

    fn case(&self, (script, call_log): &PlayedTrace, breach: &Breach) -> Case {
        let Campaign { dialect, plan_destroy, .. } = *self.campaign;
        Case { dialect, plan_destroy, script: script.clone(), breach: breach.clone(), call_log: call_log.clone() }
    }

    fn is_new(&self, name: &str, breach: &Breach) -> bool {
        let mut seen = lock(&self.seen);
        let places = seen.entry((name.to_owned(), breach.promise)).or_default();
        places.len() < MOST_FINDINGS && places.insert(breach.place.clone())
    }

    /// Makes a finding of a breach.
    fn finding(&self, plugin: Option<&mut Plugin>, name: &str, trace: &PlayedTrace, breach: &Breach) -> BrokenPromise {
        let small = plugin.and_then(|plugin| self.made_small(plugin, name, &trace.0, breach));
        let is_stable = small.is_some();
        let case = small.unwrap_or_else(|| self.case(trace, breach));
        let file = self.file(name, breach);
        self.save(&file, &case);
        lock(&self.saved).files.insert(file.clone(), true);
        BrokenPromise { case, is_stable, file: file.display().to_string() }
    }

    /// The smallest run found that breaks the promise, as it was last played; `None` if the first does not break it again.
    fn made_small(&self, plugin: &mut Plugin, name: &str, script: &Script, breach: &Breach) -> Option<Case> {
        let until = Instant::now() + SHRINKING;
        let mut once = |script: &Script| {
            let played = self.play(plugin, name, script);
            self.created_again(name, played.created, played.left.as_ref().map(text));
            let judged = judge(script, &played, self.campaign.dialect);
            let same = judged.breaches.into_iter().find(|it| has(std::slice::from_ref(it), breach))?;
            Some((played.call_log, same))
        };
        once(script)?;
        let has_room = || !script.applies() || self.room_left(name) > 0;
        let small = shrink(script, self.campaign.dialect, until, &mut |it| has_room() && once(it).is_some());
        // The message and the call log must be those of the saved run.
        let (call_log, same) = once(&small)?;
        Some(self.case(&(small, call_log), &same))
    }

    fn created_again(&self, name: &str, created: u64, left: Option<String>) {
        let mut outcome = lock(&self.outcome);
        outcome.types.entry(name.to_owned()).or_default().created += created;
        outcome.left.extend(left.map(|left| (name.to_owned(), left)));
    }

    fn room_left(&self, name: &str) -> u64 {
        let created = lock(&self.outcome).types.get(name).map_or(0, |of| of.created);
        self.campaign.room(name, created)
    }
}

/// Adds the counts of a run to the total.
fn add(outcome: &mut CampaignReport, name: &str, result: RunResult) {
    let RunResult { report, validated, plans, left, created, .. } = result;
    outcome.counts.runs += report.runs;
    outcome.left.extend(left.into_iter().map(|it| (name.to_owned(), it)));
    if !plans.is_empty() {
        outcome.plans.entry(name.to_owned()).or_default().extend(plans);
    }
    let of = outcome.types.entry(name.to_owned()).or_default();
    for is_accepted in validated {
        if of.first.0 < 100 {
            of.first.0 += 1;
            of.first.1 += u64::from(is_accepted);
        }
    }
    let TypeReport { configs, accepted, refusals, runs, refused_plans, plan_refusals, left_out, .. } = report;
    let TypeReport { tried, broken, tolerated, .. } = report;
    of.created += created;
    of.configs += configs;
    of.accepted += accepted;
    of.runs += runs;
    of.refused_plans += refused_plans;
    of.left_out += left_out;
    for (text, count) in refusals {
        *of.refusals.entry(text).or_default() += count;
    }
    for (text, count) in plan_refusals {
        *of.plan_refusals.entry(text).or_default() += count;
    }
    for (promise, count) in tried {
        *of.tried.entry(promise).or_default() += count;
    }
    for (promise, count) in broken {
        *of.broken.entry(promise).or_default() += count;
    }
    for (place, (count, message)) in tolerated {
        of.tolerated.entry(place).or_insert((0, message)).0 += count;
    }
}

/// The name of a finding's file: the type, the promise and the place, the same in every run.
fn file_name(name: &str, breach: &Breach) -> String {
    const LONGEST: usize = 160;
    let whole = format!("{name}-{}{}", breach.promise, breach.place);
    let plain = |it: char| it.is_ascii_alphanumeric() || matches!(it, '.' | '_' | '-' | '[' | ']');
    let escaped: String =
        whole.chars().map(|it| if plain(it) { it.to_string() } else { format!("%{:X}", u32::from(it)) }).collect();
    match escaped.len() > LONGEST {
        true => format!("{}-{:08x}.json", &escaped[..LONGEST], fnv(&whole)),
        false => escaped + ".json",
    }
}

/// A hash (FNV-1a) that distinguishes long names with the same beginning.
fn fnv(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_has_a_file_of_its_own() {
        let name = |place: &str| {
            let breach = Breach { promise: "I06", place: place.into(), message: String::new(), tolerated: false };
            file_name("data.x_a", &breach)
        };
        assert_eq!(name(".disk[].gigs"), "data.x_a-I06.disk[].gigs.json");
        assert_eq!(name("../../etc/é"), "data.x_a-I06..%2F..%2Fetc%2F%E9.json");
        let (a, b) = (name(&"a".repeat(500)), name(&"a".repeat(501)));
        assert!(a != b && a.len() < 200, "{a} {b}");
    }
}
