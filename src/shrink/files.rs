//! Shrinks plan files and state files: as trees if they can be read, else as bytes.
//!
//! Members and items of the tree are removed, the largest first, then texts become plain. The tree of a state is its document as it
//! stands, because the order may matter; that of a plan is what the naive reader makes of it, and the naive writer makes the file of each
//! smaller tree. From a file without a tree, pieces of its bytes are removed.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use planfuzz_core::json::Json;
use planfuzz_naive::file;

use super::Shrunk;
use crate::case::{Call, Case, FileCall, Task};

/// Makes a case of a file smaller while `holds` stays true of it, calling it at most `budget` times.
pub(super) fn shrink(
    case: &Case,
    budget: u64,
    is_over: &dyn Fn() -> bool,
    holds: &mut dyn FnMut(&Case) -> bool,
) -> Shrunk {
    let mut shrinker = Shrinker { best: case.clone(), calls: 0, budget, is_over, holds };
    shrinker.edit_tree(removals, removed);
    shrinker.edit_tree(|tree| texts(tree).len(), plainer);
    shrinker.cut_bytes();
    Shrunk { case: shrinker.best, calls: shrinker.calls }
}

struct Shrinker<'a> {
    best: Case,
    calls: u64,
    budget: u64,
    is_over: &'a dyn Fn() -> bool,
    holds: &'a mut dyn FnMut(&Case) -> bool,
}

impl Shrinker<'_> {
    fn offer(&mut self, call: FileCall) -> bool {
        let candidate = Case { task: Task::Call(Call::File(call)), ..self.best.clone() };
        self.calls += 1;
        let holds = (self.holds)(&candidate);
        if holds {
            self.best = candidate;
        }
        holds
    }

    fn is_spent(&self) -> bool {
        self.calls >= self.budget || (self.is_over)()
    }

    /// Tries each edit of the tree of the file. After an edit that holds, the next one has the same number.
    fn edit_tree(&mut self, count: impl Fn(&Json) -> usize, edited: impl Fn(&Json, usize) -> Option<Json>) {
        let mut number = 0;
        while let Some(tree) = tree(&self.best) {
            if number >= count(&tree) || self.is_spent() {
                return;
            }
            let smaller = edited(&tree, number).and_then(|tree| call(&tree, &self.best));
            if !smaller.is_some_and(|call| self.offer(call)) {
                number += 1;
            }
        }
    }

    /// Removes pieces of the bytes, of decreasing size.
    fn cut_bytes(&mut self) {
        let mut piece = bytes(&self.best).len();
        while piece > 0 && !self.is_spent() {
            let mut at = 0;
            while at < bytes(&self.best).len() && !self.is_spent() {
                let mut left = bytes(&self.best).to_vec();
                left.drain(at..left.len().min(at + piece));
                let call = match &self.best.task {
                    Task::Call(Call::File(FileCall::State { .. })) => {
                        String::from_utf8(left).ok().map(|text| FileCall::State { text })
                    }
                    _ => Some(FileCall::Plan { bytes: left }),
                };
                if !call.is_some_and(|call| self.offer(call)) {
                    at += piece;
                }
            }
            piece /= 2;
        }
    }
}

fn bytes(case: &Case) -> &[u8] {
    match &case.task {
        Task::Call(Call::File(FileCall::Plan { bytes })) => bytes,
        Task::Call(Call::File(FileCall::State { text })) => text.as_bytes(),
        _ => &[],
    }
}

/// The tree of a file; `None` if the file cannot be read.
fn tree(case: &Case) -> Option<Json> {
    match &case.task {
        Task::Call(Call::File(FileCall::Plan { bytes })) => file::read_plan(bytes, case.dialect.engine()),
        Task::Call(Call::File(FileCall::State { text })) => Json::parse(text).ok(),
        _ => None,
    }
}

/// The file of a tree, of the same kind as the case's file.
fn call(tree: &Json, like: &Case) -> Option<FileCall> {
    let engine = like.dialect.engine();
    match &like.task {
        Task::Call(Call::File(FileCall::State { .. })) => Some(FileCall::State { text: tree.to_compact() }),
        _ => file::write_plan(tree, engine).map(|bytes| FileCall::Plan { bytes }),
    }
}

/// How many members and items a tree has, at every depth.
fn removals(tree: &Json) -> usize {
    match tree {
        Json::Object(members) => members.iter().map(|(_, member)| 1 + removals(member)).sum(),
        Json::Array(items) => items.iter().map(|item| 1 + removals(item)).sum(),
        _ => 0,
    }
}

/// The tree without the member or item with a number.
fn removed(tree: &Json, number: usize) -> Option<Json> {
    let mut tree = tree.clone();
    remove(&mut tree, &mut { number }).then_some(tree)
}

fn remove(tree: &mut Json, left: &mut usize) -> bool {
    let count = match tree {
        Json::Object(members) => members.len(),
        Json::Array(items) => items.len(),
        _ => 0,
    };
    for place in 0..count {
        if *left == 0 {
            match tree {
                Json::Object(members) => drop(members.remove(place)),
                Json::Array(items) => drop(items.remove(place)),
                _ => {}
            }
            return true;
        }
        *left -= 1;
        let inner = match tree {
            Json::Object(members) => &mut members[place].1,
            Json::Array(items) => &mut items[place],
            _ => return false,
        };
        if remove(inner, left) {
            return true;
        }
    }
    false
}

/// The plainest text, and the plainest value in base64: null.
const PLAIN: [&str; 2] = ["a", "wA=="];

/// The texts of a tree that could be plainer.
fn texts(tree: &Json) -> Vec<&str> {
    match tree {
        Json::Object(members) => members.iter().flat_map(|(_, member)| texts(member)).collect(),
        Json::Array(items) => items.iter().flat_map(texts).collect(),
        Json::String(text) if text.len() > 1 && !PLAIN.contains(&&**text) => vec![text],
        _ => Vec::new(),
    }
}

/// The tree with the text with a number made plain.
fn plainer(tree: &Json, number: usize) -> Option<Json> {
    let text = *texts(tree).get(number)?;
    let plain = if BASE64.decode(text).is_ok() { PLAIN[1] } else { PLAIN[0] };
    let mut tree = tree.clone();
    exchange(&mut tree, text, plain);
    Some(tree)
}

/// Replaces a text by another one wherever it occurs.
fn exchange(tree: &mut Json, text: &str, plain: &str) {
    match tree {
        Json::Object(members) => members.iter_mut().for_each(|(_, member)| exchange(member, text, plain)),
        Json::Array(items) => items.iter_mut().for_each(|item| exchange(item, text, plain)),
        Json::String(found) if **found == *text => *found = plain.into(),
        _ => {}
    }
}
