//! Making null and empty collections those of another value (Z100), row by row.

use crate::model::field;
use crate::schema::object;
use crate::value::{Is, Ty, Val};

/// Z100.
pub fn normalize(dst: &Val, src: &Val, is_apply: bool) -> Val {
    let is_collection = matches!(dst.ty, Ty::List(_) | Ty::Set(_) | Ty::Map(_));
    // 1.
    if src.is_unknown() {
        return if !is_apply && dst.is_null() { src.clone() } else { dst.clone() };
    }
    // 2.
    if is_apply && is_collection && ((dst.is_null() && is_empty(src)) || (src.is_null() && is_empty(dst))) {
        return src.clone();
    }
    // 3.
    if src.is_null() || dst.is_unknown() {
        return dst.clone();
    }
    match (&dst.ty, &dst.is, &src.is) {
        // 4.
        (Ty::Object(_), _, Is::Named(members)) => {
            let member = |(name, src): &(String, Val)| (name.clone(), normalize(&field(dst, name), src, is_apply));
            object(members.iter().map(member).collect())
        }
        // 5.
        (Ty::Map(_), _, Is::Named(wanted)) => of_map(dst, src, wanted, is_apply),
        // 6.
        (Ty::Set(_), ..) if is_apply && src.is_wholly_known() => src.clone(),
        // 7.
        (Ty::List(_), Is::Null, Is::Seq(items)) => {
            let takes = if is_apply { items.is_empty() } else { items.iter().all(Val::is_unknown) };
            if takes { src.clone() } else { dst.clone() }
        }
        // 8.
        (Ty::List(_), Is::Seq(has), Is::Seq(items)) if has.len() == items.len() && !has.is_empty() => {
            let items = has.iter().zip(items).map(|(dst, src)| normalize(dst, src, is_apply)).collect();
            Val { ty: dst.ty.clone(), is: Is::Seq(items) }
        }
        // 9.
        (Ty::String, Is::Null, Is::Str(text)) if text.is_empty() => src.clone(),
        // 10.
        _ => dst.clone(),
    }
}

fn of_map(dst: &Val, src: &Val, wanted: &[(String, Val)], is_apply: bool) -> Val {
    let has = if let Is::Named(entries) = &dst.is { &entries[..] } else { &[][..] };
    let entry = |(key, dst): &(String, Val)| {
        let Some((_, src)) = wanted.iter().find(|(other, _)| other == key) else { return (key.clone(), dst.clone()) };
        let after = normalize(dst, src, is_apply);
        let takes_src = after.is_unknown() && !src.is_unknown() && !src.is_null();
        (key.clone(), if takes_src { src.clone() } else { after })
    };
    let entries: Vec<(String, Val)> = has.iter().map(entry).collect();
    if !entries.is_empty() {
        return Val { ty: dst.ty.clone(), is: Is::Named(entries.into()) };
    }
    if is_apply && dst.is_null() && src.is_wholly_known() { src.clone() } else { dst.clone() }
}

fn is_empty(value: &Val) -> bool {
    match &value.is {
        Is::Seq(items) => items.is_empty(),
        Is::Named(entries) => entries.is_empty(),
        _ => false,
    }
}
