//! Writes a value as msgpack (V70 to V74).

use crate::value::{Is, Num, Record, Ty, UNBOUNDED, Val, convert, wire_prefix};

/// The bytes of a value against a type; `None` where it cannot be converted.
pub fn encode(value: &Val, ty: &Ty) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    if value.ty.conforms(ty) {
        write(value, ty, &mut out);
    } else {
        write(&convert(value, ty).ok()?, ty, &mut out);
    }
    Some(out)
}

/// V70.
fn write(value: &Val, ty: &Ty, out: &mut Vec<u8>) {
    if *ty == Ty::Dynamic && value.ty != Ty::Dynamic {
        out.push(0x92);
        bin(value.ty.to_text().as_bytes(), out);
        return write(value, &value.ty, out);
    }
    match (&value.is, ty) {
        (Is::Unknown(record), _) => unknown(record.as_ref(), &value.ty, out),
        (Is::Null, _) => out.push(0xc0),
        (Is::Bool(bool), _) => out.push(if *bool { 0xc3 } else { 0xc2 }),
        (Is::Num(number), _) => write_number(number, out),
        (Is::Str(text), _) => string(text, out),
        (Is::Seq(items), Ty::Tuple(types)) => {
            header(items.len(), 0x90, 0xdc, out);
            items.iter().zip(types).for_each(|(item, ty)| write(item, ty, out));
        }
        (Is::Seq(items), ty) => {
            header(items.len(), 0x90, 0xdc, out);
            items.iter().for_each(|item| write(item, ty.element().unwrap_or(&item.ty), out));
        }
        (Is::Named(entries), Ty::Object(attributes)) => {
            header(entries.len(), 0x80, 0xde, out);
            for ((name, item), attribute) in entries.iter().zip(attributes) {
                string(name, out);
                write(item, &attribute.ty, out);
            }
        }
        (Is::Named(entries), ty) => {
            header(entries.len(), 0x80, 0xde, out);
            for (name, item) in entries {
                string(name, out);
                write(item, ty.element().unwrap_or(&item.ty), out);
            }
        }
    }
}

/// The header of an array or a map: one byte below 16, else two or four bytes behind a code.
fn header(count: usize, few: u8, many: u8, out: &mut Vec<u8>) {
    if count < 16 {
        out.push(few + count as u8);
    } else if count < 1 << 16 {
        out.push(many);
        out.extend((count as u16).to_be_bytes());
    } else {
        out.push(many + 1);
        out.extend((count as u32).to_be_bytes());
    }
}

fn string(text: &str, out: &mut Vec<u8>) {
    if text.len() < 32 {
        out.push(0xa0 + text.len() as u8);
    } else {
        sized(text.len(), 0xd9, out);
    }
    out.extend(text.as_bytes());
}

fn bin(bytes: &[u8], out: &mut Vec<u8>) {
    sized(bytes.len(), 0xc4, out);
    out.extend(bytes);
}

/// A code and a length of one, two or four bytes.
fn sized(length: usize, code: u8, out: &mut Vec<u8>) {
    if length < 1 << 8 {
        out.extend([code, length as u8]);
    } else if length < 1 << 16 {
        out.push(code + 1);
        out.extend((length as u16).to_be_bytes());
    } else {
        out.push(code + 2);
        out.extend((length as u32).to_be_bytes());
    }
}

/// V71: an integer of 64 bits in the shortest form, a float that is exact, or the text.
fn write_number(number: &Num, out: &mut Vec<u8>) {
    if let Some(int) = number.to_i64() {
        return integer(int, out);
    }
    let is_whole = match number {
        Num::Finite(value, _) => value.is_whole(),
        _ => false,
    };
    match number.to_f64() {
        Some(float) if !is_whole => {
            out.push(0xcb);
            out.extend(float.to_be_bytes());
        }
        _ => string(&number.text(), out),
    }
}

fn integer(int: i64, out: &mut Vec<u8>) {
    let bytes = int.to_be_bytes();
    let (code, length) = match int {
        -32..=0x7f => return out.push(bytes[7]),
        0x80..=0xff => (0xcc, 1),
        0x100..=0xffff => (0xcd, 2),
        0x1_0000..=0xffff_ffff => (0xce, 4),
        0x1_0000_0000.. => (0xcf, 8),
        -0x80..=-33 => (0xd0, 1),
        -0x8000..=-0x81 => (0xd1, 2),
        -0x8000_0000..=-0x8001 => (0xd2, 4),
        ..=-0x8000_0001 => (0xd3, 8),
    };
    out.push(code);
    out.extend(&bytes[8 - length..]);
}

/// V72, V73.
fn unknown(record: Option<&Record>, ty: &Ty, out: &mut Vec<u8>) {
    let plain = [0xd4, 0, 0];
    let Some(record) = record.filter(|_| *ty != Ty::Dynamic) else { return out.extend(plain) };
    let mut body = Vec::new();
    let mut count = 0;
    if record.not_null {
        count += 1;
        body.extend([1, 0xc2]);
    }
    if !record.prefix.is_empty() {
        count += 1;
        body.push(2);
        string(&wire_prefix(&record.prefix), &mut body);
    }
    for (key, bound) in [(3, &record.min), (4, &record.max)] {
        if let Some((number, inclusive)) = bound {
            count += 1;
            body.extend([key, 0x92]);
            write_number(number, &mut body);
            body.push(if *inclusive { 0xc3 } else { 0xc2 });
        }
    }
    if record.least > 0 {
        count += 1;
        body.push(5);
        integer(record.least.cast_signed(), &mut body);
    }
    if let Some(greatest) = record.greatest.filter(|greatest| *greatest < UNBOUNDED) {
        count += 1;
        body.push(6);
        integer(greatest.cast_signed(), &mut body);
    }
    if count == 0 {
        return out.extend(plain);
    }
    body.insert(0, 0x80 + count);
    match body.len() {
        1 => out.push(0xd4),
        2 => out.push(0xd5),
        4 => out.push(0xd6),
        8 => out.push(0xd7),
        16 => out.push(0xd8),
        length => sized(length, 0xc7, out),
    }
    out.push(0x0c);
    out.extend(body);
}
