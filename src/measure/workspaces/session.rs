//! What planning again costs a session of the optimized planner.
//!
//! The providers measure their own time: these operations have few calls, and a clock for each costs little.

use std::time::Duration;

use cpu_time::ThreadTime;
use planfuzz_core::address::Notation;
use planfuzz_core::state::{InstanceState, Status};
use planfuzz_workspace::{Answer, Call, Providers, WorkspacePlanner};
use planfuzz_workspace_cases::model::Simulated;
use planfuzz_workspace_cases::shapes::{leaf, workspace};
use planfuzz_workspace_optimized::edits::Edit;
use planfuzz_workspace_optimized::{Library, Optimized, Replanned, Session};

use super::{Cost, Each, SizedShape, read_back, refusal};

/// The address of the object of [`leaf`].
const LEAF: &str = "w_thing.leaf0";

/// A change of one leaf, after which a session plans again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeafEdit {
    /// Its file.
    File,
    /// Its stored object.
    Object,
}

impl LeafEdit {
    /// Both of them with their names.
    pub const ALL: [(LeafEdit, &'static str); 2] = [(LeafEdit::File, "file_again"), (LeafEdit::Object, "object_again")];
}

/// A session that has planned, and edits that change one leaf and change it back.
pub struct PlannedSession<'a> {
    /// The session.
    pub session: Session<'a>,
    /// Its providers.
    pub providers: Simulated,
    file: [Edit; 2],
    object: [Edit; 2],
}

impl PlannedSession<'_> {
    /// An edit, and the one that reverts it.
    pub fn edits(&self, of: LeafEdit) -> &[Edit; 2] {
        match of {
            LeafEdit::File => &self.file,
            LeafEdit::Object => &self.object,
        }
    }
}

/// Providers that measure their own time: for operations of few calls.
struct Timed<'s> {
    of: &'s Simulated,
    took: Duration,
    calls: u64,
}

impl Providers for Timed<'_> {
    fn call(&mut self, call: &Call) -> Answer {
        self.calls += 1;
        let begun = ThreadTime::now();
        let answer = self.of.answer(call);
        self.took += begun.elapsed();
        answer
    }
}

impl SizedShape {
    /// What planning again after one change costs a session of the optimized planner: of a file with one block, and of
    /// a stored object. The plan itself is not returned: that would take time in proportion to its length.
    ///
    /// # Errors
    /// A plan that is refused, or is made again as a whole.
    pub fn of_session(self, rounds: usize) -> Result<Vec<Cost>, String> {
        let library = Library::default();
        let mut standing = self.session(&library)?;
        LeafEdit::ALL.into_iter().map(|(edit, name)| again(&mut standing, edit, name, rounds)).collect()
    }

    /// A session that has planned the workload with one leaf more, and edits of this leaf: each there and back.
    ///
    /// # Errors
    /// A plan that is refused.
    pub fn session(self, library: &Library) -> Result<PlannedSession<'_>, String> {
        let unusable = |problem: &dyn std::fmt::Display| problem.to_string();
        let mut files = self.shape.files(self.instances, false);
        files.extend([leaf(false)]);
        let (mut workspace, providers) = workspace(&files, None).map_err(|problem| unusable(&problem))?;
        let planned = Optimized.plan(&workspace, &mut &providers);
        let plan = planned.plan.as_ref().ok_or_else(|| refusal(&planned))?;
        let applied = Optimized.apply(&workspace, plan, &mut &providers);
        drop(planned);
        let state = read_back(&workspace, &applied.state)?;
        drop(applied);
        let address =
            Notation { engine: workspace.dialect.engine() }.instance(LEAF).map_err(|problem| unusable(&problem))?;
        let stored = state.instance(&address).cloned().ok_or("no leaf is stored")?;
        let mut tainted = stored.clone();
        tainted.current.iter_mut().for_each(|object| object.status = Status::Tainted);
        workspace.state = Some(state);
        let mut session = Session::new(library, workspace);
        session.plan(&mut &providers);
        let file = |changed| {
            let (path, json) = leaf(changed);
            Edit::File(path, Some(json.to_compact().into_bytes()))
        };
        let object = |instance: &InstanceState| Edit::Object(address.clone(), instance.clone());
        let (file, object) = ([file(true), file(false)], [object(&tainted), object(&stored)]);
        Ok(PlannedSession { session, providers, file, object })
    }
}

/// Plans again after each of some edits, in rounds; the least counts.
fn again(standing: &mut PlannedSession<'_>, edit: LeafEdit, op: &'static str, rounds: usize) -> Result<Cost, String> {
    let (mut least, mut calls) = (Duration::MAX, 0);
    let edits = standing.edits(edit).clone();
    let PlannedSession { session, providers: of, .. } = standing;
    for edit in edits.iter().cycle().take(edits.len() * rounds.max(1)) {
        let mut providers = Timed { of, took: Duration::ZERO, calls: 0 };
        let edit = edit.clone();
        let begun = ThreadTime::now();
        session.edit(edit).map_err(|problem| problem.to_string())?;
        let replanned = session.replan(&mut providers);
        least = least.min(begun.elapsed().saturating_sub(providers.took));
        calls = providers.calls;
        if let Replanned::Whole(why) = replanned {
            return Err(format!("{op}: everything was planned again: {why}"));
        }
        let news: Vec<String> = session.news().map(|change| change.addr.to_string()).collect();
        if news != [LEAF] {
            return Err(format!("{op}: {news:?} was planned again"));
        }
    }
    Ok(Cost { op, time: least.as_secs_f64() * 1e9, each: Each::Change, bytes: None, calls })
}
