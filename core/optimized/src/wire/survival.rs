//! M21 on bytes: whether the prior's objects have a configured part, so that they are kept for a null configuration.

use planfuzz_core::schema::Nesting;

use super::super::program::Inner;
use super::layout::Layout;
use super::scan::{Cursor, Start};

/// M21 of a member whose bytes are readable; `None` where a part of them has to be decoded. It only asks whether there
/// is any, so neither the order of sets matters, nor elements that equal another (V50).
pub(super) fn was_configured(inner: &Inner, layout: &Layout, mut cursor: Cursor<'_>) -> Option<bool> {
    if cursor.start()? != Start::Other {
        return Some(false);
    }
    let count = match inner.mode {
        Nesting::Single | Nesting::Group => return is_configured(inner, layout, &mut cursor),
        Nesting::List | Nesting::Set => cursor.array()?,
        Nesting::Map => cursor.map()?,
    };
    for _ in 0..count {
        if inner.mode == Nesting::Map {
            cursor.text()?;
        }
        if is_configured(inner, layout, &mut cursor)? {
            return Some(true);
        }
    }
    Some(false)
}

/// The same for one object; if it has no such part the cursor is behind it.
fn is_configured(inner: &Inner, layout: &Layout, cursor: &mut Cursor<'_>) -> Option<bool> {
    if cursor.start()? != Start::Other {
        *cursor = cursor.readable(&inner.object.ty)?;
        return Some(false);
    }
    cursor.expect(&layout.header)?;
    let members = inner.object.members.iter().zip(&layout.keys).zip(&layout.inner);
    for ((member, key), below) in members {
        cursor.expect(key)?;
        if cursor.start()? != Start::Nil {
            let nested = match member.inner().zip(below.as_ref()) {
                Some((inner, layout)) => was_configured(inner, layout, *cursor)?,
                None => false,
            };
            if !member.computed || nested {
                return Some(true);
            }
        }
        *cursor = cursor.readable(&member.ty)?;
    }
    Some(false)
}
