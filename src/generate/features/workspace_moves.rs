//! Features of moves in workspaces, found from the `moved` statements and from what the files held before.

use planfuzz_core::json::Json;
use planfuzz_workspace_cases::case::edited;
use planfuzz_workspace_cases::{Case, PlayedStep};

use super::workspaces::{Rows, mark};

/// One end of a statement.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct End {
    /// The module calls on its path, without their keys.
    modules: Vec<String>,
    /// The resource that it names there, without its key; empty if the path ends with a module call.
    resource: String,
    /// Whether it names a module call.
    pub(super) is_module: bool,
}

impl End {
    /// The end that a text describes. Keys are removed first, because they may hold any character.
    pub(super) fn of(text: &str) -> End {
        let plain = without_keys(text);
        let mut rest = plain.as_str();
        let mut modules = Vec::new();
        while let Some(after) = rest.strip_prefix("module.") {
            let (name, next) = after.split_once('.').unwrap_or((after, ""));
            modules.push(name.to_owned());
            rest = next;
        }
        End { is_module: rest.is_empty() && !modules.is_empty(), resource: rest.to_owned(), modules }
    }
}

fn without_keys(text: &str) -> String {
    let mut plain = String::new();
    let (mut is_key, mut is_text) = (false, false);
    for char in text.chars() {
        match char {
            '"' if is_key => is_text = !is_text,
            '[' if !is_key => is_key = true,
            ']' if is_key && !is_text => is_key = false,
            _ if is_key => {}
            _ => plain.push(char),
        }
    }
    plain
}

/// The rows of the statements that each step adds.
pub(super) fn of_case(case: &Case, rows: &mut Rows) {
    let mut files = case.files.clone();
    for step in &case.steps {
        let before = files.clone();
        edited(&mut files, step);
        for (path, file) in &files {
            let old = before.get(path);
            let known = old.map_or(&[][..], statements);
            let new: Vec<&Json> = statements(file).iter().filter(|one| !known.contains(one)).collect();
            for statement in &new {
                of_statement(statement, old, file, rows);
            }
            let all: Vec<(&str, &str)> = statements(file).iter().filter_map(ends).collect();
            let is_chain = all.iter().any(|(from, _)| all.iter().any(|(_, to)| from == to));
            mark(rows, is_chain, "workspace.G.move.chain");
        }
    }
}

fn statements(file: &Json) -> &[Json] {
    file.items_of("moved")
}

fn ends(statement: &Json) -> Option<(&str, &str)> {
    let end = |name| statement.member(name)?.expect_string().ok();
    Some((end("from")?, end("to")?))
}

fn of_statement(statement: &Json, old: Option<&Json>, new: &Json, rows: &mut Rows) {
    let Some((from, to)) = ends(statement).map(|(from, to)| (End::of(from), End::of(to))) else { return };
    mark(rows, from.is_module && to.is_module, "workspace.G.move.of_module");
    mark(rows, from == to, "workspace.G.move.between_keys");
    let is_resource = !from.is_module && !to.is_module;
    let enters = is_resource && from.modules.len() < to.modules.len();
    let leaves = is_resource && from.modules.len() > to.modules.len();
    mark(rows, enters, "workspace.G.move.into_module");
    mark(rows, leaves, "workspace.G.move.out_of_module");
    mark(rows, enters && !old.is_some_and(|old| calls(old, &to)), "workspace.G.move.split");
    mark(rows, leaves && !calls(new, &from), "workspace.G.move.merge");
    mark(rows, from != to && old.is_some_and(|old| declares(old, &to)), "workspace.G.move.takes_a_name");
}

/// Whether a file has the first module call of an end.
fn calls(file: &Json, end: &End) -> bool {
    let call = |name: &String| file.member("module").is_some_and(|calls| calls.member(name).is_some());
    end.modules.first().is_some_and(call)
}

/// Whether a file declares what an end names in the file's own module.
fn declares(file: &Json, end: &End) -> bool {
    match (&end.modules[..], end.resource.split_once('.')) {
        ([_], None) => calls(file, end),
        ([], Some((type_name, name))) => {
            let of_type = file.member("resource").and_then(|resources| resources.member(type_name));
            of_type.is_some_and(|blocks| blocks.member(name).is_some())
        }
        _ => false,
    }
}

/// G21: an object moved to another key of its own resource, without a statement.
pub(super) fn of_played(step: &PlayedStep, rows: &mut Rows) {
    let is_silent = step.files.values().all(|file| statements(file).is_empty());
    let changes = step.planned.plan.as_ref().map_or(&[][..], |plan| &plan.changes);
    let moves = changes.iter().any(|change| change.planned.moved_from.is_some());
    mark(rows, is_silent && moves, "workspace.G.move.implied");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn g20_an_end_is_read_without_its_keys() {
        let end = End::of("module.a[\"x.y]\"].module.b[0].t.n[\"z\"]");
        assert_eq!((end.modules, end.resource.as_str(), end.is_module), (vec!["a".into(), "b".into()], "t.n", false));
        assert!(End::of("module.a[0]").is_module && !End::of("t.n").is_module && !End::of("").is_module);
    }

    #[test]
    fn a_name_that_was_taken_and_a_module_that_is_new_are_seen() {
        let file = |text: &str| Json::parse(text).expect("JSON");
        let old = file(r#"{"resource": {"t": {"a": {}, "b": {}}}}"#);
        let of = |statement: &str, new: &Json| {
            let mut rows = Rows::new();
            of_statement(&file(statement), Some(&old), new, &mut rows);
            rows.into_iter().collect::<Vec<_>>()
        };
        assert_eq!(of(r#"{"from": "t.a", "to": "t.b"}"#, &old), ["workspace.G.move.takes_a_name"]);
        assert_eq!(of(r#"{"from": "t.a", "to": "t.a[0]"}"#, &old), ["workspace.G.move.between_keys"]);
        let split = of(r#"{"from": "t.a", "to": "module.m.t.a"}"#, &old);
        assert_eq!(split, ["workspace.G.move.into_module", "workspace.G.move.split"]);
        let merged = of(r#"{"from": "module.m.t.a", "to": "t.c"}"#, &old);
        assert_eq!(merged, ["workspace.G.move.merge", "workspace.G.move.out_of_module"]);
    }
}
