//! The memory that a message will take, counted before it is decoded.
//!
//! An empty message is two bytes in a file and hundreds in memory, so the size of the file is no bound. The walk follows the
//! definition as far as it nests, which is no deeper than the definition; malformed bytes are left for the decoder to refuse.

use std::mem::size_of;

use super::proto;

/// A kind of message whose fields take memory of their own.
#[derive(Clone, Copy)]
enum Kind {
    Plan,
    Variable,
    Change,
    InstanceChange,
    OutputChange,
    RelevantAttribute,
    CheckResults,
    CheckObject,
    Deferred,
    Path,
    Step,
    /// Nothing inside but bytes.
    Leaf,
}

/// The kind of a field of a message, and the memory that one occurrence takes besides its content.
fn field(kind: Kind, number: u64) -> (Kind, usize) {
    const BYTES: (Kind, usize) = (Kind::Leaf, size_of::<String>());
    match (kind, number) {
        // Counted as decoded, and in the table that it goes to.
        (Kind::Plan, 2) => (Kind::Variable, size_of::<proto::Variable>() * 3),
        (Kind::Plan, 3 | 18) | (Kind::Deferred, 2) => {
            (Kind::InstanceChange, size_of::<proto::ResourceInstanceChange>())
        }
        (Kind::Plan, 4) => (Kind::OutputChange, size_of::<proto::OutputChange>()),
        (Kind::Plan, 15) => (Kind::RelevantAttribute, size_of::<proto::RelevantAttribute>()),
        (Kind::Plan, 19) => (Kind::CheckResults, size_of::<proto::CheckResults>()),
        (Kind::Plan, 27) => (Kind::Deferred, size_of::<proto::DeferredChange>()),
        (Kind::CheckResults, 4) => (Kind::CheckObject, size_of::<proto::CheckObject>()),
        (Kind::InstanceChange, 9) | (Kind::OutputChange, 2) => (Kind::Change, size_of::<proto::Change>()),
        (Kind::InstanceChange, 11) | (Kind::Change, 3 | 4) | (Kind::RelevantAttribute, 2) => {
            (Kind::Path, size_of::<proto::Path>())
        }
        (Kind::Path, 1) => (Kind::Step, size_of::<proto::Step>()),
        _ => BYTES,
    }
}

/// Whether the message takes no more than `limit` bytes.
pub(super) fn fits(bytes: &[u8], limit: usize) -> bool {
    let mut left = limit;
    spend(bytes, Kind::Plan, &mut left).is_some()
}

/// Whether one message in the field of this number of a plan takes no more than `limit` bytes.
pub(super) fn field_fits(number: u64, bytes: &[u8], limit: usize) -> bool {
    let (inside, size) = field(Kind::Plan, number);
    let mut left = limit.saturating_sub(size);
    spend(bytes, inside, &mut left).is_some()
}

/// Takes the memory of the message from `left`; `None` if `left` is too little.
fn spend(mut bytes: &[u8], kind: Kind, left: &mut usize) -> Option<()> {
    while let Some(key) = varint(&mut bytes) {
        let read = match key & 7 {
            0 => varint(&mut bytes).map(|_| ()),
            1 => skip(&mut bytes, 8).map(|_| ()),
            5 => skip(&mut bytes, 4).map(|_| ()),
            2 => match varint(&mut bytes).and_then(|length| skip(&mut bytes, usize::try_from(length).ok()?)) {
                None => None,
                Some(content) => {
                    let (inside, size) = field(kind, key >> 3);
                    *left = left.checked_sub(size)?;
                    match inside {
                        Kind::Leaf => *left = left.checked_sub(content.len())?,
                        inside => spend(content, inside, left)?,
                    }
                    Some(())
                }
            },
            // Groups begin and end without a length: their content is counted as if it stood beside them.
            3 | 4 => Some(()),
            _ => None,
        };
        if read.is_none() {
            break;
        }
    }
    Some(())
}

fn skip<'a>(bytes: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (skipped, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(skipped)
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f).checked_shl(shift)?;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use prost::Message;

    use super::*;

    #[test]
    fn empty_messages_cost_what_they_take() {
        let changes = vec![proto::ResourceInstanceChange::default(); 1000];
        let plan = proto::Plan { resource_changes: changes, ..proto::Plan::default() };
        let bytes = plan.encode_to_vec();
        assert_eq!(bytes.len(), 2000);
        let needed = 1000 * size_of::<proto::ResourceInstanceChange>();
        assert!(fits(&bytes, needed) && !fits(&bytes, needed - 1));
    }

    #[test]
    fn nested_messages_are_counted_where_they_are() {
        let path = proto::Path { steps: vec![proto::Step { selector: None }; 100] };
        let change = proto::Change { after_sensitive_paths: vec![path], ..proto::Change::default() };
        let instance = proto::ResourceInstanceChange { change: Some(change), ..Default::default() };
        let plan = proto::Plan { resource_drift: vec![instance], ..proto::Plan::default() };
        assert!(!fits(&plan.encode_to_vec(), 100 * size_of::<proto::Step>()));
        assert!(fits(&plan.encode_to_vec(), 200 * size_of::<proto::Step>()));
    }
}
