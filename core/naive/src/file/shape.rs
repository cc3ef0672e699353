//! The fields of a plan's messages (sections 2.1 to 2.7): every message is checked against them before any part of it is
//! read.

use planfuzz_core::dialect::Engine;

use super::fields::{Content, Field, fields};

/// A kind of message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Plan,
    Variable,
    Dynamic,
    InstanceChange,
    Change,
    ImportingById,
    ImportingByIdentity,
    Path,
    Step,
    OutputChange,
    Backend,
    RelevantAttribute,
    CheckResults,
    CheckObject,
    DeferredChange,
    Deferred,
    FunctionResult,
}

/// The content that a field must have.
enum Holds {
    Number,
    Text,
    Bytes,
    Message(Kind),
    /// An unknown field, which is skipped.
    Anything,
}

/// Section 2, field by field.
fn holds(kind: Kind, number: u32, engine: Engine) -> Holds {
    use Holds::{Anything, Bytes, Message, Number, Text};
    let is_terraform = engine == Engine::Terraform;
    match (kind, number) {
        (Kind::Plan, 1 | 17 | 20 | 25 | 26 | 500_000_001) => Number,
        (Kind::Plan, 2) => Message(Kind::Variable),
        (Kind::Plan, 3 | 18) => Message(Kind::InstanceChange),
        (Kind::Plan, 4) => Message(Kind::OutputChange),
        (Kind::Plan, 5 | 6 | 14 | 16 | 21 | 28) => Text,
        (Kind::Plan, 13) => Message(Kind::Backend),
        (Kind::Plan, 15) => Message(Kind::RelevantAttribute),
        (Kind::Plan, 19) => Message(Kind::CheckResults),
        (Kind::Plan, 22) => {
            if is_terraform {
                Message(Kind::FunctionResult)
            } else {
                Text
            }
        }
        (Kind::Plan, 27) => Message(Kind::DeferredChange),
        (Kind::Plan, 500_000_000) => Bytes,
        (Kind::Variable, 1) => Text,
        (Kind::Variable, 2) => Message(Kind::Dynamic),
        (Kind::Dynamic, 1) => Bytes,
        (Kind::InstanceChange, 7 | 8 | 13 | 14) => Text,
        (Kind::InstanceChange, 9) => Message(Kind::Change),
        (Kind::InstanceChange, 10) => Bytes,
        (Kind::InstanceChange, 11) => Message(Kind::Path),
        (Kind::InstanceChange, 12) => Number,
        (Kind::Change, 1) => Number,
        (Kind::Change, 2 | 7 | 8) => Message(Kind::Dynamic),
        (Kind::Change, 3 | 4) => Message(Kind::Path),
        (Kind::Change, 5) => Message(if is_terraform { Kind::ImportingById } else { Kind::ImportingByIdentity }),
        (Kind::Change, 6) => Text,
        (Kind::ImportingById | Kind::ImportingByIdentity, 1) => Text,
        (Kind::ImportingById, 2) => Number,
        (Kind::ImportingByIdentity, 2) => Message(Kind::Dynamic),
        (Kind::Path, 1) => Message(Kind::Step),
        (Kind::Step, 1) => Text,
        (Kind::Step, 2) => Message(Kind::Dynamic),
        (Kind::OutputChange, 1) => Text,
        (Kind::OutputChange, 2) => Message(Kind::Change),
        (Kind::OutputChange, 3) => Number,
        (Kind::Backend, 1 | 3) => Text,
        (Kind::Backend, 2) => Message(Kind::Dynamic),
        (Kind::RelevantAttribute, 1) => Text,
        (Kind::RelevantAttribute, 2) => Message(Kind::Path),
        (Kind::CheckResults, 1 | 3) => Number,
        (Kind::CheckResults, 2) => Text,
        (Kind::CheckResults, 4) => Message(Kind::CheckObject),
        (Kind::CheckObject, 1 | 3) => Text,
        (Kind::CheckObject, 2) => Number,
        (Kind::DeferredChange, 1) => Message(Kind::Deferred),
        (Kind::DeferredChange, 2) => Message(Kind::InstanceChange),
        (Kind::Deferred, 1) => Number,
        (Kind::FunctionResult, 1 | 2) => Bytes,
        _ => Anything,
    }
}

/// A message whose fields have the required content, at every depth.
#[derive(Clone, Debug)]
pub(super) struct Message<'b> {
    fields: Vec<Field<'b>>,
}

impl<'b> Message<'b> {
    /// The message of a plan; `None` where the bytes are no message of a plan.
    pub(super) fn plan(bytes: &'b [u8], engine: Engine) -> Option<Message<'b>> {
        checked(bytes, Kind::Plan, engine, 0)?;
        Message::of(&[bytes])
    }

    /// A message in several pieces: a repeated one adds to the ones before it (PF23).
    fn of(pieces: &[&'b [u8]]) -> Option<Message<'b>> {
        let mut all = Vec::new();
        for piece in pieces {
            all.extend(fields(piece, 0)?);
        }
        Some(Message { fields: all })
    }

    /// Every occurrence of a field.
    fn all(&self, number: u32) -> impl Iterator<Item = &Content<'b>> {
        self.fields.iter().filter(move |field| field.number == number).map(|field| &field.content)
    }

    /// All fields, in order.
    pub(super) fn fields(&self) -> &[Field<'b>] {
        &self.fields
    }

    /// The last number of a field, or 0.
    pub(super) fn number(&self, number: u32) -> u64 {
        match self.all(number).last() {
            Some(Content::Number(number)) => *number,
            _ => 0,
        }
    }

    /// The last number of an enumeration field: 32 bits of it count.
    pub(super) fn code(&self, number: u32) -> i32 {
        (self.number(number) as u32).cast_signed()
    }

    /// The last bytes of a field, or none.
    pub(super) fn bytes(&self, number: u32) -> &'b [u8] {
        self.list(number).last().copied().unwrap_or_default()
    }

    /// The bytes of every occurrence of a field.
    pub(super) fn list(&self, number: u32) -> Vec<&'b [u8]> {
        let bytes = |content: &Content<'b>| match content {
            Content::Bytes(bytes) => Some(*bytes),
            _ => None,
        };
        self.all(number).filter_map(bytes).collect()
    }

    /// The message in a field, of all its pieces; `None` where it is absent.
    pub(super) fn message(&self, number: u32) -> Option<Message<'b>> {
        let pieces = self.list(number);
        if pieces.is_empty() { None } else { Message::of(&pieces) }
    }

    /// Each message of a list.
    pub(super) fn messages(&self, number: u32) -> Vec<Message<'b>> {
        self.list(number).into_iter().filter_map(|bytes| Message::of(&[bytes])).collect()
    }
}

/// Checks that the fields of a message have the required content.
fn checked(bytes: &[u8], kind: Kind, engine: Engine, level: usize) -> Option<()> {
    for Field { number, content } in fields(bytes, level)? {
        match (holds(kind, number, engine), content) {
            (Holds::Anything, _) | (Holds::Number, Content::Number(_)) | (Holds::Bytes, Content::Bytes(_)) => {}
            (Holds::Text, Content::Bytes(bytes)) => _ = std::str::from_utf8(bytes).ok()?,
            (Holds::Message(kind), Content::Bytes(bytes)) => checked(bytes, kind, engine, level + 1)?,
            _ => return None,
        }
    }
    Some(())
}
