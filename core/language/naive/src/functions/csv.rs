//! `csvdecode`: a table with a row of names, as RFC 4180 has it.

use planfuzz_core::value::{Text, Type, Value};
use planfuzz_language::expression::Marked;

use super::{Answer, CALL, all_marks, converted, dynamic, text};

pub(super) fn call(name: &str, a: &[Marked]) -> Option<Answer> {
    (name == "csvdecode").then(|| decode(a))
}

fn decode(a: &[Marked]) -> Answer {
    let marks = all_marks(a);
    let values = converted(a, &[Type::String])?;
    if values[0].is_unknown() {
        return Ok(dynamic().with(marks));
    }
    let mut rows = rows(text(&values[0])).ok_or(CALL)?.into_iter();
    let names: Vec<Text> = rows.next().ok_or(CALL)?.iter().map(|name| Text::new(name)).collect();
    let distinct: std::collections::BTreeSet<&Text> = names.iter().collect();
    if distinct.len() < names.len() {
        return Err(CALL);
    }
    let ty = Type::object(names.iter().map(|name| (name.clone(), Type::String)));
    let object = |row: Vec<String>| {
        let fields = row.iter().map(|field| Value::string(field));
        (row.len() == names.len()).then(|| Value::object(names.iter().cloned().zip(fields).collect())).ok_or(CALL)
    };
    let objects = rows.map(object).collect::<Answer<Vec<_>>>()?;
    Ok(Marked::from(Value::list(&ty, objects).map_err(|_| CALL)?).with(marks))
}

/// The rows that are not empty; `None` if a quote is misplaced.
fn rows(text: &str) -> Option<Vec<Vec<String>>> {
    let text = text.replace("\r\n", "\n");
    let mut rest = text.as_str();
    let mut rows = Vec::new();
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('\n') {
            rest = after;
            continue;
        }
        let mut row = Vec::new();
        loop {
            let (field, after) = field(rest)?;
            row.push(field);
            match after.strip_prefix(',') {
                Some(after) => rest = after,
                None => {
                    rest = after.strip_prefix('\n').unwrap_or(after);
                    break;
                }
            }
        }
        rows.push(row);
    }
    Some(rows)
}

/// A field, and the rest from the separator on.
fn field(text: &str) -> Option<(String, &str)> {
    let Some(mut rest) = text.strip_prefix('"') else {
        let end = text.find([',', '\n']).unwrap_or(text.len());
        let (field, after) = text.split_at(end);
        return (!field.contains('"')).then(|| (field.to_owned(), after));
    };
    let mut field = String::new();
    loop {
        let (before, after) = rest.split_once('"')?;
        field.push_str(before);
        match after.strip_prefix('"') {
            Some(after) => {
                field.push('"');
                rest = after;
            }
            None => return (after.is_empty() || after.starts_with([',', '\n'])).then_some((field, after)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::rows;

    #[test]
    fn quotes_and_empty_lines() {
        let read = rows("a,b\r\n\n\"x,\"\"y\n\",\n").expect("a table");
        assert_eq!(read, [["a", "b"], ["x,\"y\n", ""]]);
        assert_eq!(rows("a\"b"), None);
        assert_eq!(rows("\"a\"b"), None);
        assert_eq!(rows("\"a"), None);
    }
}
