//! The longest common subsequence of two lists (Q01, Q02), by which list changes are rendered.

use super::{Tri, Value, equals};

/// The greatest product of the two lengths, common ends not counted: the bound on the table of Q02.
pub const MAX_CELLS: usize = 1 << 24;

/// Two lists whose table would be too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected lists whose lengths multiply to at most {MAX_CELLS}, found {xs} and {ys}")]
pub struct LcsError {
    /// The length of the first list, its common end with the second not counted.
    pub xs: usize,
    /// The length of the second list, likewise.
    pub ys: usize,
}

/// The longest common subsequence, elements taken from `xs`; if there are several, the one at which the walk of Q02
/// ends. Elements are the same where `Equals` is true (Q01), so an unknown never is.
///
/// # Errors
/// Lists whose lengths multiply to more than `MAX_CELLS`.
pub fn longest_common_subsequence(xs: &[Value], ys: &[Value]) -> Result<Vec<Value>, LcsError> {
    let same = |x: &Value, y: &Value| equals(x.view(), y.view()) == Tri::True;
    // The walk of Q02 starts at the ends and takes all elements that are the same there.
    let end = xs.iter().rev().zip(ys.iter().rev()).take_while(|(x, y)| same(x, y)).count();
    let (rows, columns) = (&xs[..xs.len() - end], &ys[..ys.len() - end]);
    if rows.len().checked_mul(columns.len()).is_none_or(|cells| cells > MAX_CELLS) {
        return Err(LcsError { xs: rows.len(), ys: columns.len() });
    }
    let ways = ways(rows, columns, same);
    let mut taken = Vec::new();
    let (mut x, mut y) = (rows.len(), columns.len());
    while x > 0 && y > 0 {
        match ways[(x - 1) * columns.len() + y - 1] {
            Way::Both => {
                x -= 1;
                y -= 1;
                taken.push(rows[x].clone());
            }
            Way::X => x -= 1,
            Way::Y => y -= 1,
        }
    }
    taken.reverse();
    taken.extend_from_slice(&xs[rows.len()..]);
    Ok(taken)
}

/// The step back from a cell in the walk of Q02.
#[derive(Clone, Copy)]
enum Way {
    /// The two elements are the same.
    Both,
    /// One back in the first list.
    X,
    /// One back in the second list.
    Y,
}

/// The step back from each pair, row by row; of the table of lengths itself only one row is kept.
fn ways(rows: &[Value], columns: &[Value], same: impl Fn(&Value, &Value) -> bool) -> Vec<Way> {
    let mut ways = Vec::with_capacity(rows.len() * columns.len());
    let mut lengths = vec![0u32; columns.len() + 1];
    for x in rows {
        let mut diagonal = 0;
        for (column, y) in columns.iter().enumerate() {
            let (left, upper) = (lengths[column + 1], lengths[column]);
            let (way, length) = if same(x, y) {
                (Way::Both, diagonal + 1)
            } else if left > upper {
                (Way::X, left)
            } else {
                (Way::Y, upper)
            };
            diagonal = left;
            lengths[column + 1] = length;
            ways.push(way);
        }
    }
    ways
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(list: &str) -> Vec<Value> {
        list.chars()
            .map(|char| {
                if char == '?' { Value::unknown(crate::value::Type::String) } else { Value::string(&char.to_string()) }
            })
            .collect()
    }

    fn check(xs: &str, ys: &str, want: &str) {
        let found = longest_common_subsequence(&strings(xs), &strings(ys)).expect("short lists");
        let found: String =
            found.iter().map(|value| value.view().as_text().map_or("?", |text| text.as_str())).collect();
        assert_eq!(found, want, "{xs} {ys}");
    }

    #[test]
    fn q01_an_unknown_is_never_the_same() {
        check("?x", "?x", "x");
        check("?", "?", "");
    }

    #[test]
    fn q02_of_several_the_walk_decides() {
        check("abcd", "bdac", "bd");
        check("ab", "ba", "b");
        check("", "ab", "");
        check("abc", "abc", "abc");
        check("xaybz", "abz", "abz");
    }

    #[test]
    fn q02_lists_beyond_the_bound_are_refused_and_common_ends_do_not_count() {
        let long = vec![Value::bool(true); 5000];
        let other = vec![Value::bool(false); 5000];
        assert_eq!(longest_common_subsequence(&long, &other).err(), Some(LcsError { xs: 5000, ys: 5000 }));
        assert_eq!(longest_common_subsequence(&long, &long).map(|found| found.len()), Ok(5000));
    }
}
