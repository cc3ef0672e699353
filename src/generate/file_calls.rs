//! Calls of the operations of plan-files.md, by number: plan documents and states of engines, as bytes.
//!
//! A call is made as the tree of formats.md and written by the naive writer, so that a bug in the code that planners share does not
//! affect the cases. Members of a tree occur in every form; some files are corrupted afterwards, as a disk or a person may do it.

use arbitrary::Unstructured;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use planfuzz_core::dialect::{Dialect, Engine};
use planfuzz_core::json::Json;
use planfuzz_naive::file;

use super::cases::{Stream, fill};
use super::dice::Dice;
use super::file_spoils::{spoiled, spoiled_document};
use super::rough::respelled;
use crate::case::{Call, Case, FileCall, Task};

/// The bytes of dice for one call.
const ENTROPY: usize = 320;

/// The share of files that are corrupted, of 256.
const SPOILED: u8 = 90;

/// The share of members that are present, of 256.
const THERE: u8 = 120;

const TEXTS: [&str; 8] = ["a", "b.c", "", "é", "<&>", "module.m[\"k\"].a.b", "\u{2028}\n\"\\", "1.11.4"];

/// Values as msgpack: null, booleans, numbers, texts, a map, an unknown.
const VALUES: [&[u8]; 7] =
    [b"\xc0", b"\xc3", b"\x01", b"\xa1a", b"\x81\xa1a\xc3", b"\xd4\x00\x00", b"\x92\xc4\x08\"string\"\xc0"];

const ACTIONS: [&str; 10] = [
    "no_op",
    "create",
    "read",
    "update",
    "delete",
    "delete_then_create",
    "create_then_delete",
    "forget",
    "create_then_forget",
    "forget_then_create",
];

const REASONS: [&str; 17] = [
    "",
    "replace_because_tainted",
    "replace_by_request",
    "replace_because_cannot_update",
    "delete_because_no_resource_config",
    "delete_because_wrong_repetition",
    "delete_because_count_index",
    "delete_because_each_key",
    "delete_because_no_module",
    "replace_by_triggers",
    "read_because_config_unknown",
    "read_because_dependency_pending",
    "delete_because_no_move_target",
    "read_because_check_nested",
    "delete_because_enabled_false",
    "forgot_because_lifecycle_destroy_in_state",
    "forgot_because_lifecycle_destroy_in_config",
];

const DEFERRALS: [&str; 6] = [
    "invalid",
    "instance_count_unknown",
    "resource_config_unknown",
    "provider_config_unknown",
    "absent_prerequisite",
    "deferred_prerequisite",
];

const CHECK_KINDS: [&str; 5] = ["unspecified", "resource", "output_value", "check", "input_variable"];

const CHECK_STATUSES: [&str; 4] = ["unknown", "pass", "fail", "error"];

/// The actions and the reasons that files of an engine have a number for.
fn actions(engine: Engine) -> Vec<&'static str> {
    let foreign = if engine == Engine::Terraform { "forget_then_create" } else { "create_then_forget" };
    ACTIONS.into_iter().filter(|action| *action != foreign).collect()
}

fn reasons(engine: Engine) -> &'static [&'static str] {
    if engine == Engine::Terraform { &REASONS[..14] } else { &REASONS }
}

/// The calls of a seed.
#[derive(Debug)]
pub struct FileCalls {
    /// Used in turn.
    dialects: Vec<Dialect>,
    seed: u64,
    buffer: Vec<u8>,
}

impl FileCalls {
    /// The calls of a seed, about files of the dialects' engines in turn.
    pub fn new(dialects: &[Dialect], seed: u64) -> FileCalls {
        FileCalls { dialects: dialects.to_vec(), seed, buffer: Vec::new() }
    }

    /// Call number `number`.
    pub fn case(&mut self, number: u64) -> Case {
        fill(&mut self.buffer, ENTROPY, self.seed, number, Stream::Files);
        let mut bytes = Unstructured::new(&self.buffer);
        let turn = (number / 2) as usize;
        let dialect = self.dialects.get(turn % self.dialects.len().max(1)).copied().unwrap_or_default();
        let mut generator = FileCallGenerator { dice: &mut Dice::new(&mut bytes), engine: dialect.engine() };
        let call = if number.is_multiple_of(2) { generator.plan_call() } else { generator.state_call() };
        Case::new(dialect, Task::Call(Call::File(call)))
    }
}

/// The members of a tree that is being made.
type Members = Vec<(&'static str, Json)>;

/// Makes one call.
struct FileCallGenerator<'c, 'd, 'b> {
    dice: &'c mut Dice<'d, 'b>,
    engine: Engine,
}

impl FileCallGenerator<'_, '_, '_> {
    fn plan_call(&mut self) -> FileCall {
        let spoils = self.dice.chance(SPOILED);
        let tree = self.plan();
        let mut bytes = file::write_plan(&tree, self.engine).unwrap_or_default();
        match (spoils, self.dice.below(4)) {
            (false, _) => {}
            (true, 0) => self.spoil(&mut bytes),
            (true, 1) => {
                let foreign = self.of_the_other_engine();
                bytes = spoiled(self.dice, &foreign);
            }
            (true, _) => bytes = spoiled(self.dice, &bytes),
        }
        FileCall::Plan { bytes }
    }

    fn state_call(&mut self) -> FileCall {
        let spoils = self.dice.chance(SPOILED);
        let tree = self.state();
        let mut text = file::write_state(&tree, self.engine).unwrap_or_default();
        if spoils {
            text = match (Json::parse(&text), self.dice.below(4)) {
                (Ok(json), 0) => respelled(self.dice, &json).to_compact(),
                (Ok(json), 1 | 2) => spoiled_document(self.dice, &json).to_compact(),
                _ => {
                    let mut bytes = text.into_bytes();
                    self.spoil(&mut bytes);
                    String::from_utf8_lossy(&bytes).into_owned()
                }
            };
        }
        FileCall::State { text }
    }

    /// A plan as the other engine writes it.
    fn of_the_other_engine(&mut self) -> Vec<u8> {
        let own = self.engine;
        self.engine = if own == Engine::Terraform { Engine::OpenTofu } else { Engine::Terraform };
        let tree = self.plan();
        let bytes = file::write_plan(&tree, self.engine).unwrap_or_default();
        self.engine = own;
        bytes
    }

    /// Corrupts the bytes: one is changed, inserted or removed, a piece is repeated, or the end is cut off.
    fn spoil(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..=self.dice.below(2) {
            if bytes.is_empty() {
                return;
            }
            let at = self.dice.below(bytes.len());
            match self.dice.below(6) {
                0 => bytes.truncate(at),
                1 => bytes[at] = self.dice.byte(),
                2 => bytes[at] ^= 1 << self.dice.below(8),
                3 => drop(bytes.drain(at..bytes.len().min(at + 1 + self.dice.below(9)))),
                4 => {
                    let piece = bytes[at..bytes.len().min(at + 1 + self.dice.below(40))].to_vec();
                    bytes.extend(piece);
                }
                _ => bytes.insert(at, self.dice.byte()),
            }
        }
    }

    fn plan(&mut self) -> Json {
        let mut tree: Members = vec![("backend", self.backend())];
        let mode = *self.dice.pick(&["", "destroy", "refresh_only"]);
        tree.push(("mode", Json::string(mode)));
        for name in ["terraform_version", "timestamp"] {
            self.add(&mut tree, name, |it| it.text());
        }
        self.add(&mut tree, "errored", |_| Json::Bool(true));
        self.add(&mut tree, "variables", |it| {
            let names = ["v", "a", "é"].into_iter().take(1 + it.dice.below(3)).collect::<Vec<_>>();
            Json::object(names.into_iter().map(|name| (name, it.value())))
        });
        self.add(&mut tree, "changes", |it| it.list(FileCallGenerator::change));
        self.add(&mut tree, "drift", |it| it.list(FileCallGenerator::change));
        self.add(&mut tree, "outputs", |it| it.list(FileCallGenerator::output));
        for name in ["targets", "force_replace"] {
            self.add(&mut tree, name, |it| it.list(FileCallGenerator::text));
        }
        self.add(&mut tree, "relevant_attributes", |it| {
            it.list(|it| {
                let mut tree: Members = Vec::new();
                it.add(&mut tree, "resource", FileCallGenerator::text);
                it.add(&mut tree, "attribute", FileCallGenerator::path);
                Json::object(tree)
            })
        });
        self.add(&mut tree, "checks", |it| it.list(FileCallGenerator::checks));
        self.of_engine(&mut tree);
        Json::object(tree)
    }

    fn of_engine(&mut self, tree: &mut Members) {
        if self.engine == Engine::OpenTofu {
            self.add(tree, "excludes", |it| it.list(FileCallGenerator::text));
            self.add(tree, "ephemeral_variables", |it| it.list(FileCallGenerator::text));
            self.add(tree, "execution_graph", FileCallGenerator::value);
            self.add(tree, "destroying", |_| Json::Bool(true));
            return;
        }
        self.add(tree, "applyable", |_| Json::Bool(true));
        self.add(tree, "complete", |_| Json::Bool(true));
        self.add(tree, "deferred", |it| {
            it.list(|it| {
                let reason = it.one_of(&DEFERRALS);
                Json::object([("reason", reason), ("change", it.change())])
            })
        });
        self.add(tree, "apply_time_variables", |it| it.list(FileCallGenerator::text));
        self.add(tree, "function_results", |it| {
            it.list(|it| {
                let mut tree: Members = Vec::new();
                it.add(&mut tree, "key", FileCallGenerator::value);
                it.add(&mut tree, "result", FileCallGenerator::value);
                Json::object(tree)
            })
        });
    }

    fn add(&mut self, tree: &mut Members, name: &'static str, make: impl FnOnce(&mut Self) -> Json) {
        if self.dice.chance(THERE) {
            let made = make(self);
            tree.push((name, made));
        }
    }

    fn list(&mut self, make: impl Fn(&mut Self) -> Json) -> Json {
        Json::Array((0..=self.dice.below(3)).map(|_| make(self)).collect())
    }

    fn text(&mut self) -> Json {
        self.one_of(&TEXTS)
    }

    fn one_of(&mut self, texts: &[&str]) -> Json {
        Json::string(texts[self.dice.below(texts.len())])
    }

    /// A text that is not empty.
    fn name(&mut self) -> Json {
        self.one_of(&TEXTS[..2])
    }

    fn value(&mut self) -> Json {
        Json::string(&BASE64.encode(self.dice.pick(&VALUES)))
    }

    fn backend(&mut self) -> Json {
        let mut tree: Members = Vec::new();
        self.add(&mut tree, "type", FileCallGenerator::text);
        self.add(&mut tree, "config", FileCallGenerator::value);
        self.add(&mut tree, "workspace", FileCallGenerator::text);
        Json::object(tree)
    }

    fn path(&mut self) -> Json {
        self.list(|it| match it.dice.below(4) {
            0 | 1 => it.text(),
            2 => {
                let index = [0, 1, 300, 1_u64 << 40][it.dice.below(4)];
                Json::object([("index", Json::int(index))])
            }
            _ => Json::object([("key", it.text())]),
        })
    }

    fn change(&mut self) -> Json {
        let mut tree: Members = vec![("addr", self.name())];
        self.add(&mut tree, "prev_run_addr", FileCallGenerator::text);
        self.add(&mut tree, "deposed", |_| Json::string("0000000a"));
        self.add(&mut tree, "provider", FileCallGenerator::text);
        self.values(&mut tree);
        self.add(&mut tree, "private", FileCallGenerator::value);
        self.add(&mut tree, "required_replace", |it| it.list(FileCallGenerator::path));
        let reason = *self.dice.pick(reasons(self.engine));
        tree.push(("reason", Json::string(reason)));
        Json::object(tree)
    }

    fn output(&mut self) -> Json {
        let mut tree: Members = Vec::new();
        self.add(&mut tree, "name", FileCallGenerator::text);
        self.values(&mut tree);
        self.add(&mut tree, "sensitive", |_| Json::Bool(true));
        Json::object(tree)
    }

    fn values(&mut self, tree: &mut Members) {
        let action = *self.dice.pick(&actions(self.engine));
        tree.push(("action", Json::string(action)));
        for side in ["before", "after"] {
            tree.push((side, self.value()));
        }
        for name in ["before_sensitive", "after_sensitive"] {
            self.add(tree, name, |it| it.list(FileCallGenerator::path));
        }
        self.add(tree, "importing", |it| match (it.dice.below(3), it.engine) {
            (0, Engine::Terraform) => Json::object([("unknown", Json::Bool(true))]),
            (0, Engine::OpenTofu) => Json::object([("id", it.text()), ("identity", it.value())]),
            _ => Json::object([("id", it.text())]),
        });
        self.add(tree, "generated_config", FileCallGenerator::text);
        if self.engine == Engine::OpenTofu {
            for name in ["before_identity", "after_identity"] {
                self.add(tree, name, FileCallGenerator::value);
            }
        }
    }

    fn checks(&mut self) -> Json {
        let mut tree: Members = vec![("kind", self.one_of(&CHECK_KINDS)), ("status", self.one_of(&CHECK_STATUSES))];
        self.add(&mut tree, "address", FileCallGenerator::text);
        self.add(&mut tree, "objects", |it| {
            it.list(|it| {
                let mut tree: Members = vec![("status", it.one_of(&CHECK_STATUSES))];
                it.add(&mut tree, "address", FileCallGenerator::text);
                it.add(&mut tree, "failures", |it| it.list(FileCallGenerator::text));
                Json::object(tree)
            })
        });
        Json::object(tree)
    }

    fn state(&mut self) -> Json {
        let mut tree: Members = Vec::new();
        self.add(&mut tree, "resources", |it| it.list(FileCallGenerator::resource));
        self.add(&mut tree, "terraform_version", FileCallGenerator::text);
        self.add(&mut tree, "serial", FileCallGenerator::whole);
        self.add(&mut tree, "lineage", FileCallGenerator::text);
        self.add(&mut tree, "outputs", FileCallGenerator::document);
        self.add(&mut tree, "check_results", |it| match it.dice.below(4) {
            0 => Json::Array(Vec::new()),
            _ => Json::Array(vec![it.document()]),
        });
        Json::object(tree)
    }

    fn whole(&mut self) -> Json {
        Json::int([1, 2, 7, 1_u64 << 33, u64::MAX][self.dice.below(5)])
    }

    /// Any JSON, as attributes and outputs have it.
    fn document(&mut self) -> Json {
        let names = ["b", "a", "é", "<"].into_iter().take(1 + self.dice.below(4)).collect::<Vec<_>>();
        Json::object(names.into_iter().map(|name| {
            let member = match self.dice.below(8) {
                0 => Json::Null,
                1 => Json::Bool(true),
                2 => Json::Number(["1.50", "-0", "1e400", "18446744073709551616"][self.dice.below(4)].into()),
                3 => Json::Array(vec![self.text(), Json::object([])]),
                4 => Json::Array(Vec::new()),
                _ => self.text(),
            };
            (name, member)
        }))
    }

    fn resource(&mut self) -> Json {
        let mut tree: Members =
            vec![("mode", self.one_of(&["managed", "data"])), ("type", self.text()), ("name", self.text())];
        self.add(&mut tree, "module", FileCallGenerator::text);
        self.add(&mut tree, "provider", FileCallGenerator::text);
        self.add(&mut tree, "objects", |it| it.list(FileCallGenerator::object));
        Json::object(tree)
    }

    fn object(&mut self) -> Json {
        let mut tree: Members = Vec::new();
        self.add(&mut tree, "key", |it| match it.dice.below(2) {
            0 => Json::int([0, 2, 10, -1][it.dice.below(4)]),
            _ => it.text(),
        });
        self.add(&mut tree, "deposed", |it| it.one_of(&["0000000a", "ffffffff"]));
        self.add(&mut tree, "provider", FileCallGenerator::text);
        self.add(&mut tree, "tainted", |_| Json::Bool(true));
        self.add(&mut tree, "schema_version", FileCallGenerator::whole);
        match self.dice.below(6) {
            0 => tree.push(("attributes_flat", Json::object([("a", Json::string("1"))]))),
            1 => {}
            _ => tree.push(("attributes", self.document())),
        }
        self.add(&mut tree, "sensitive", |it| it.list(FileCallGenerator::path));
        if self.dice.chance(THERE / 2) {
            tree.push(("identity", self.document()));
            self.add(&mut tree, "identity_schema_version", FileCallGenerator::whole);
        }
        self.add(&mut tree, "private", FileCallGenerator::value);
        for name in ["dependencies", "depends_on"] {
            self.add(&mut tree, name, |it| it.list(FileCallGenerator::text));
        }
        for name in ["create_before_destroy", "skip_destroy"] {
            self.add(&mut tree, name, |_| Json::Bool(true));
        }
        Json::object(tree)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_files_can_be_read_and_some_cannot() {
        for dialect in [Dialect::default(), Dialect::ALL[Dialect::ALL.len() - 1]] {
            let mut calls = FileCalls::new(&[dialect], 5);
            let is_read = |case: &Case| match &case.task {
                Task::Call(Call::File(FileCall::Plan { bytes })) => file::read_plan(bytes, dialect.engine()).is_some(),
                Task::Call(Call::File(FileCall::State { text })) => file::read_state(text.as_bytes()).is_some(),
                _ => false,
            };
            for kind in 0..2 {
                let read = (0..400).filter(|number| is_read(&calls.case(2 * number + kind))).count();
                assert!((200..390).contains(&read), "{dialect} {kind}: {read} of 400");
            }
        }
    }
}
