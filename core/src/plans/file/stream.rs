//! Plan files in streams: the lists that grow with a plan are handed out as they are read, and taken as they are written.
//!
//! Problem: the plan of a hundred thousand instances is read in order to convert it, and need never be in memory as a whole. Idea: on the
//! wire a message is a sequence of its fields, so that the items of its lists are messages of their own; the states have streams already.
//! Guarantee: reading and writing hold one item and the rest of the file without lists; the bytes are those that [`PlanFile::read`] and
//! [`PlanFile::write`] read and write, without the bounds of files, members and messages as wholes: one item takes [`MAX_MESSAGE_BYTES`]
//! of memory at most, and so does the rest.

use std::io::{BufRead, BufReader, Read, Seek, Write};

use prost::Message;
use prost::encoding::encode_varint;
use zip::ZipWriter;

use super::container::{self, Archive};
use super::document::{CheckResult, PlanDocument, RelevantAttribute};
use super::error::{Bound, ContentProblem, PlanFileError};
use super::{
    FileChange, MAX_MESSAGE_BYTES, MAX_TOTAL_BYTES, PLAN, PREVIOUS, PlanFile, STATE, proto, read, scan, write,
};
use crate::dialect::Engine;
use crate::json::{Flowing, JsonError, JsonProblem};
use crate::state::file::{self, Snapshot, StateStreamError, StateWriter, StoredResource};

/// The lists that grow with a plan, in the order in which they stand in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum List {
    /// The changes.
    Changes,
    /// The attributes that outside changes may explain.
    Relevant,
    /// The changes outside of the engine.
    Drift,
    /// The results of checks.
    Checks,
    /// The refreshed state.
    State,
    /// The state of the previous run.
    Previous,
}

impl List {
    /// The lists of the message, each with its number.
    const OF_MESSAGE: [(List, u64, &'static str); 4] = [
        (List::Changes, 3, "resource_changes"),
        (List::Relevant, 15, "relevant_attributes"),
        (List::Drift, 18, "resource_drift"),
        (List::Checks, 19, "check_results"),
    ];
}

/// An item of a list.
#[derive(Debug)]
pub enum Part<'a> {
    /// A planned change, or a change outside.
    Change(FileChange),
    /// An attribute.
    Relevant(RelevantAttribute),
    /// The result of the checks of one object.
    Checks(CheckResult),
    /// A part of a state.
    State(file::Part<'a>),
}

/// Takes an item of a list.
pub type Take<'t> = dyn FnMut(List, Part<'_>) -> Result<(), PlanFileError> + 't;

/// Takes an item of the list that is written.
pub type Put<'p> = dyn FnMut(Part<'_>) -> Result<(), PlanFileError> + 'p;

impl PlanFile {
    /// Reads the plan file of an engine in parts, and hands out the items of its lists; returns the rest: a file whose lists are empty and
    /// whose states have no resources.
    ///
    /// # Errors
    /// What [`PlanFile::read`] refuses, but for an object twice in a state; what `take` refuses.
    pub fn read_in_parts(
        source: impl Read + Seek,
        engine: Engine,
        take: &mut Take<'_>,
    ) -> Result<PlanFile, PlanFileError> {
        let mut archive = container::open(source)?;
        // Before the message: a file without this member is of another version (PF04).
        if archive.index_for_name(PREVIOUS).is_none() {
            return Err(PlanFileError::Missing { name: PREVIOUS });
        }
        let plan = document(&mut container::member(&mut archive, PLAN)?, engine, take)?;
        let state = state(&mut archive, (List::State, STATE), take)?;
        let previous = self::state(&mut archive, (List::Previous, PREVIOUS), take)?;
        let (mut members, mut left) = (read::Members::default(), MAX_TOTAL_BYTES);
        for index in 0..archive.len() {
            if archive
                .name_for_index(index)
                .is_some_and(|name| name.is_ok_and(|name| [PLAN, STATE, PREVIOUS].contains(&&*name)))
            {
                continue;
            }
            let member = container::inflate(&mut archive, index, left)?;
            left -= member.1.len();
            members.sort(member)?;
        }
        members.around(plan, state, previous)
    }

    /// Writes a file in parts: the content of this file, with the items of `give` as its lists. `give` is called once for every list, in
    /// their order, and puts its items; the lists of this file itself are not written.
    ///
    /// # Errors
    /// What [`PlanFile::write`] refuses; an item that does not belong to its list; errors of writing and of `give`.
    pub fn write_in_parts<W: Write + Seek>(
        &self,
        out: W,
        give: &mut dyn FnMut(List, &mut Put<'_>) -> Result<(), PlanFileError>,
    ) -> Result<W, PlanFileError> {
        let engine = self.plan.of_engine.engine();
        let mut archive = ZipWriter::new(out);
        let mut head = Head::of(&self.plan)?;
        container::begin(&mut archive, PLAN)?;
        for (list, number, name) in List::OF_MESSAGE {
            put_all(&mut archive, head.before(number))?;
            let mut index = 0;
            give(list, &mut |part| {
                let item = item(list, part, engine).map_err(|problem| problem.at(format!("{name}[{index}]")))?;
                index += 1;
                let mut bytes = Vec::with_capacity(item.len() + 12);
                encode_varint(number << 3 | u64::from(LENGTH), &mut bytes);
                encode_varint(item.len() as u64, &mut bytes);
                bytes.extend(item);
                put_all(&mut archive, &bytes)
            })?;
        }
        put_all(&mut archive, head.before(u64::MAX))?;
        for (list, name, state) in [(List::State, STATE, &self.state), (List::Previous, PREVIOUS, &self.previous)] {
            container::begin(&mut archive, name)?;
            let checks = state.check_results.as_ref();
            match engine {
                Engine::Terraform => {
                    let mut writer = StateWriter::new(&mut archive, state).map_err(container::unwritten)?;
                    give_state(list, &mut writer, give)?;
                    writer.finish(checks).map(drop).map_err(container::unwritten)?;
                }
                Engine::OpenTofu => {
                    let mut writer = StateWriter::compact(&mut archive, state).map_err(container::unwritten)?;
                    give_state(list, &mut writer, give)?;
                    writer.finish(checks).map(drop).map_err(container::unwritten)?;
                }
            }
        }
        for (name, contents) in write::around(self) {
            container::begin(&mut archive, &name)?;
            put_all(&mut archive, &contents)?;
        }
        container::finish(archive)
    }
}

/// The wire type of a field with its length before it.
const LENGTH: u8 = 2;

/// The message of a plan, whose lists are handed out.
fn document(source: &mut impl Read, engine: Engine, take: &mut Take<'_>) -> Result<PlanDocument, PlanFileError> {
    let mut fields = Fields { source: BufReader::new(source), groups: 0 };
    let (mut rest, mut field, mut counts) = (Vec::new(), Vec::new(), [0_usize; List::OF_MESSAGE.len()]);
    while let Some(found) = fields.next(&mut field)? {
        match List::OF_MESSAGE.iter().position(|(_, number, _)| found.is_item_of(*number)) {
            Some(place) => {
                let (list, number, name) = List::OF_MESSAGE[place];
                let part = part(list, number, &field[found.content..], engine)?;
                let part = part.map_err(|problem| problem.at(format!("{name}[{}]", counts[place])))?;
                counts[place] += 1;
                take(list, part)?;
            }
            None => rest.extend_from_slice(&field),
        }
        if rest.len() > MAX_MESSAGE_BYTES {
            return Err(PlanFileError::TooMuch { bound: Bound::Message });
        }
    }
    PlanDocument::read(&rest, engine)
}

/// An item from the field of a message.
fn part(
    list: List,
    number: u64,
    bytes: &[u8],
    engine: Engine,
) -> Result<Result<Part<'static>, ContentProblem>, PlanFileError> {
    if !scan::field_fits(number, bytes, MAX_MESSAGE_BYTES) {
        return Err(PlanFileError::TooMuch { bound: Bound::Message });
    }
    Ok(match list {
        List::Relevant => read::relevant(proto::RelevantAttribute::decode(bytes)?).map(Part::Relevant),
        List::Checks => read::checks(proto::CheckResults::decode(bytes)?, engine).map(Part::Checks),
        _ => read::change(proto::ResourceInstanceChange::decode(bytes)?, engine).map(Part::Change),
    })
}

/// An item as the field of a message.
fn item(list: List, part: Part<'_>, engine: Engine) -> Result<Vec<u8>, ContentProblem> {
    match (list, part) {
        (List::Changes | List::Drift, Part::Change(it)) => Ok(write::change(&it, engine)?.encode_to_vec()),
        (List::Relevant, Part::Relevant(it)) => Ok(write::relevant(&it)?.encode_to_vec()),
        (List::Checks, Part::Checks(it)) => Ok(write::checks(&it, engine)?.encode_to_vec()),
        _ => Err(ContentProblem::Absent("an item of this list")),
    }
}

/// A field that was read: its key, and where in its bytes its content begins.
struct Field {
    key: u64,
    content: usize,
    is_in_group: bool,
}

impl Field {
    fn is_item_of(&self, number: u64) -> bool {
        self.key == number << 3 | u64::from(LENGTH) && !self.is_in_group
    }
}

/// The fields of a message, one by one.
struct Fields<R> {
    source: R,
    /// The number of open groups, which begin and end without a length: no field in them belongs to a list.
    groups: u64,
}

impl<R: BufRead> Fields<R> {
    /// The next field, as it stands, in `bytes`; `None` at the end, and where the decoder finds no field.
    fn next(&mut self, bytes: &mut Vec<u8>) -> Result<Option<Field>, PlanFileError> {
        bytes.clear();
        let Some(key) = self.varint()? else { return Ok(None) };
        encode_varint(key, bytes);
        let is_in_group = self.groups > 0;
        let length = match key & 7 {
            0 => {
                encode_varint(self.varint()?.ok_or_else(short)?, bytes);
                0
            }
            1 => 8,
            2 => {
                let length = self.varint()?.ok_or_else(short)?;
                encode_varint(length, bytes);
                length
            }
            3 => {
                self.groups += 1;
                0
            }
            4 => {
                self.groups = self.groups.saturating_sub(1);
                0
            }
            5 => 4,
            // An invalid wire type, which the decoder refuses.
            _ => 0,
        };
        if length > MAX_MESSAGE_BYTES as u64 {
            return Err(PlanFileError::TooMuch { bound: Bound::Message });
        }
        let content = bytes.len();
        let read = self.source.by_ref().take(length).read_to_end(bytes).map_err(broken)?;
        if (read as u64) < length { Err(short()) } else { Ok(Some(Field { key, content, is_in_group })) }
    }

    /// A number; `None` at the end.
    fn varint(&mut self) -> Result<Option<u64>, PlanFileError> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let Some(&byte) = self.source.fill_buf().map_err(broken)?.first() else {
                return if shift == 0 { Ok(None) } else { Err(short()) };
            };
            self.source.consume(1);
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(Some(value));
            }
        }
        Err(broken("a number of more than ten bytes"))
    }
}

fn broken(error: impl std::fmt::Display) -> PlanFileError {
    PlanFileError::Broken { name: PLAN.to_owned(), message: error.to_string() }
}

fn short() -> PlanFileError {
    broken("it ends within a field")
}

/// The message without its lists, encoded: its fields in the order of their numbers.
struct Head {
    bytes: Vec<u8>,
    /// The fields that are not written yet: number, and where each ends; the next one last.
    left: Vec<(u64, usize)>,
    written: usize,
}

impl Head {
    fn of(plan: &PlanDocument) -> Result<Head, PlanFileError> {
        let mut message = write::message(plan)?;
        message.resource_changes.clear();
        message.relevant_attributes.clear();
        message.resource_drift.clear();
        message.check_results.clear();
        let bytes = message.encode_to_vec();
        let (mut fields, mut field, mut end, mut left) =
            (Fields { source: bytes.as_slice(), groups: 0 }, Vec::new(), 0, Vec::new());
        while let Some(found) = fields.next(&mut field)? {
            end += field.len();
            left.push((found.key >> 3, end));
        }
        left.reverse();
        Ok(Head { bytes, left, written: 0 })
    }

    /// The fields with lower numbers that were not returned before.
    fn before(&mut self, number: u64) -> &[u8] {
        let from = self.written;
        while let Some((_, end)) = self.left.pop_if(|(next, _)| *next < number) {
            self.written = end;
        }
        &self.bytes[from..self.written]
    }
}

/// Reads the state in a member, and hands out its objects.
fn state<R: Read + Seek>(
    archive: &mut Archive<R>,
    (list, name): (List, &'static str),
    take: &mut Take<'_>,
) -> Result<Snapshot, PlanFileError> {
    let mut refused = None;
    let member = container::member(archive, name)?;
    let read = Snapshot::read_in_parts(BufReader::new(member), &mut |part| {
        take(list, Part::State(part)).map_err(|error| {
            refused = Some(error);
            JsonError::from(JsonProblem::Unexpected { expected: "a part that is taken".into(), found: "one".into() })
        })
    });
    match (read, refused) {
        (_, Some(refused)) => Err(refused),
        (Ok(state), None) => Ok(state),
        (Err(StateStreamError::State(error)), None) => Err(PlanFileError::State { name, error }),
        (Err(StateStreamError::Source(error)), None) => {
            Err(PlanFileError::Broken { name: name.to_owned(), message: error.to_string() })
        }
    }
}

/// Writes the objects of a state.
fn give_state<W: Write, S: Flowing>(
    list: List,
    writer: &mut StateWriter<W, S>,
    give: &mut dyn FnMut(List, &mut Put<'_>) -> Result<(), PlanFileError>,
) -> Result<(), PlanFileError> {
    let mut current: Option<StoredResource> = None;
    give(list, &mut |part| match part {
        Part::State(file::Part::Object(of, object)) => {
            if current.as_ref() != Some(of) {
                writer.resource(current.insert(of.clone())).map_err(container::unwritten)?;
            }
            writer.object(&object).map_err(container::unwritten)
        }
        Part::State(file::Part::Husk(husk)) => writer.resource(current.insert(husk)).map_err(container::unwritten),
        _ => Err(ContentProblem::Absent("a part of a state").at("a state")),
    })
}

fn put_all(archive: &mut impl Write, bytes: &[u8]) -> Result<(), PlanFileError> {
    archive.write_all(bytes).map_err(container::unwritten)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::super::tests::plan;
    use super::super::{Module, PlanFile};
    use super::*;

    /// A file, read in parts and put together again.
    fn together(bytes: &[u8], engine: Engine) -> Result<PlanFile, PlanFileError> {
        let mut whole = PlanFile {
            plan: PlanDocument::new(engine, "", ""),
            state: Snapshot::empty("", "", 0),
            previous: Snapshot::empty("", "", 0),
            config: Vec::new(),
            manifest: vec![Module::root()],
            locks: None,
            schemas: None,
        };
        let rest = PlanFile::read_in_parts(Cursor::new(bytes), engine, &mut |list, part| {
            match (list, part) {
                (List::Changes, Part::Change(change)) => whole.plan.changes.push(change),
                (List::Drift, Part::Change(change)) => whole.plan.drift.push(change),
                (List::Relevant, Part::Relevant(relevant)) => whole.plan.relevant_attributes.push(relevant),
                (List::Checks, Part::Checks(checks)) => whole.plan.checks.push(checks),
                (List::State, Part::State(part)) => keep(&mut whole.state, part),
                (List::Previous, Part::State(part)) => keep(&mut whole.previous, part),
                (list, part) => panic!("{part:?} is none of {list:?}"),
            }
            Ok(())
        })?;
        let PlanDocument { changes, drift, relevant_attributes, checks, .. } = whole.plan;
        Ok(PlanFile {
            plan: PlanDocument { changes, drift, relevant_attributes, checks, ..rest.plan },
            state: Snapshot { resources: whole.state.resources, ..rest.state },
            previous: Snapshot { resources: whole.previous.resources, ..rest.previous },
            ..rest
        })
    }

    fn keep(state: &mut Snapshot, part: file::Part<'_>) {
        match part {
            file::Part::Husk(husk) => state.resources.push(husk),
            file::Part::Object(of, object) => {
                let is_same = state
                    .resources
                    .last()
                    .is_some_and(|last| StoredResource { objects: Vec::new(), ..last.clone() } == *of);
                if !is_same {
                    state.resources.push(of.clone());
                }
                state.resources.last_mut().expect("a resource").objects.push(object);
            }
        }
    }

    /// A file, written in parts.
    fn in_parts(file: &PlanFile) -> Result<Vec<u8>, PlanFileError> {
        let written = file.write_in_parts(Cursor::new(Vec::new()), &mut |list, put| match list {
            List::Changes => file.plan.changes.iter().try_for_each(|it| put(Part::Change(it.clone()))),
            List::Drift => file.plan.drift.iter().try_for_each(|it| put(Part::Change(it.clone()))),
            List::Relevant => file.plan.relevant_attributes.iter().try_for_each(|it| put(Part::Relevant(it.clone()))),
            List::Checks => file.plan.checks.iter().try_for_each(|it| put(Part::Checks(it.clone()))),
            List::State => objects(&file.state, put),
            List::Previous => objects(&file.previous, put),
        })?;
        Ok(written.into_inner())
    }

    fn objects(state: &Snapshot, put: &mut Put<'_>) -> Result<(), PlanFileError> {
        for resource in &state.resources {
            let of = StoredResource { objects: Vec::new(), ..resource.clone() };
            if resource.objects.is_empty() {
                put(Part::State(file::Part::Husk(of.clone())))?;
            }
            for object in &resource.objects {
                put(Part::State(file::Part::Object(&of, object.clone())))?;
            }
        }
        Ok(())
    }

    /// A state with a resource that has objects, and one that has none.
    fn state() -> Snapshot {
        let resource = |name: &str, objects: &str| {
            format!(r#"{{"mode":"managed","type":"t","name":"{name}","provider":"p","instances":[{objects}]}}"#)
        };
        let object = |key: u8| format!(r#"{{"index_key":{key},"schema_version":0,"attributes":{{"a":{key}}}}}"#);
        let resources =
            [resource("a", ""), resource("b", &[object(0), object(1)].join(",")), resource("c", &object(2))];
        let text = format!(
            r#"{{"version":4,"terraform_version":"1.11.4","serial":1,"lineage":"l","outputs":{{}},"resources":[{}]}}"#,
            resources.join(",")
        );
        Snapshot::read(text.as_bytes()).expect("a state")
    }

    #[test]
    fn pf01_a_plan_in_parts_is_the_plan_byte_by_byte() {
        for engine in [Engine::Terraform, Engine::OpenTofu] {
            let file = PlanFile { state: state(), ..plan(engine) };
            assert!(!file.plan.changes.is_empty() && !file.plan.drift.is_empty() && !file.plan.checks.is_empty());
            assert!(!file.plan.relevant_attributes.is_empty() && !file.state.resources.is_empty());
            let bytes = file.write().expect("a plan file");
            assert_eq!(together(&bytes, engine).expect("a plan file"), PlanFile::read(&bytes, engine).expect("one"));
            assert!(in_parts(&file).expect("a plan file") == bytes, "{engine:?}: the file in parts is another");
        }
    }

    #[test]
    fn refusals_have_their_place() {
        let file = plan(Engine::Terraform);
        let refusal = |file: &PlanFile| in_parts(file).expect_err("no plan file").to_string();
        let mut nameless = file.clone();
        nameless.plan.drift[0].addr.clear();
        assert_eq!(refusal(&nameless), "member \"tfplan\", resource_drift[0]: expected an address, found nothing");
        let other =
            file.write_in_parts(Cursor::new(Vec::new()), &mut |_, put| put(Part::Change(file.plan.changes[0].clone())));
        let other = other.expect_err("no change is an attribute").to_string();
        assert!(other.contains("relevant_attributes[0]"), "{other}");
        let file = PlanFile { state: state(), ..file };
        let bytes = file.write().expect("a plan file");
        let taken = PlanFile::read_in_parts(Cursor::new(&bytes), Engine::Terraform, &mut |list, _| match list {
            List::State => Err(ContentProblem::EmptyValue.at("here")),
            _ => Ok(()),
        });
        assert_eq!(
            taken.expect_err("refused").to_string(),
            "member \"tfplan\", here: expected a value, found no bytes"
        );
    }

    /// The field of a message: its key and its content.
    fn field(number: u64, content: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        encode_varint(number << 3 | u64::from(LENGTH), &mut bytes);
        encode_varint(content.len() as u64, &mut bytes);
        bytes.extend(content);
        bytes
    }

    #[test]
    fn messages_that_are_none_are_refused_as_the_decoder_refuses_them() {
        let whole = plan(Engine::Terraform).plan.write().expect("a message");
        let in_a_group = [&[8 << 3 | 3][..], &field(3, b"?"), &[8 << 3 | 4], &whole].concat();
        let cases: [(&str, Vec<u8>); 6] = [
            ("whole", whole.clone()),
            ("in an unknown group", in_a_group),
            ("cut", whole[..whole.len() - 1].to_vec()),
            ("no change", field(3, b"\xff")),
            ("no kind of field", [&[8 << 3 | 7][..], &whole].concat()),
            ("longer than it is", vec![3 << 3 | 2, 0xff, 0xff, 0xff, 0xff, 0x0f]),
        ];
        for (name, bytes) in cases {
            let mut counted = 0;
            let in_parts = document(&mut bytes.as_slice(), Engine::Terraform, &mut |_, _| {
                counted += 1;
                Ok(())
            });
            let at_once = PlanDocument::read(&bytes, Engine::Terraform);
            assert_eq!(in_parts.is_ok(), at_once.is_ok(), "{name}: {in_parts:?}");
            if let Ok(at_once) = at_once {
                let of = [at_once.changes.len(), at_once.relevant_attributes.len(), at_once.drift.len()];
                assert_eq!(counted, of.iter().sum::<usize>() + at_once.checks.len(), "{name}");
            }
        }
    }
}
