//! Puts two renderings beside each other, or one below the other, with differing lines marked.

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::line::{Line, Tone};

/// The separators of two columns, for equal and for different lines.
const SAME: &str = "   ";
const DIFFERS: &str = " ! ";
/// The most lines of a side that are aligned; longer ones are compared line by line.
const MAX_ALIGNED: usize = 4_000;

/// Two renderings under their names: beside each other where both fit into `width` columns, else one below the other.
/// Differing lines are marked with `!`.
pub fn side_by_side(left: (&str, &[Line]), right: (&str, &[Line]), width: usize) -> Vec<Line> {
    let widest = |(name, lines): (&str, &[Line])| {
        lines.iter().map(Line::width).chain([Line::of(Tone::Plain, name).width()]).max().unwrap_or(0)
    };
    let column = widest(left);
    if column + SAME.len() + widest(right) <= width { beside(left, right, column) } else { below(left, right) }
}

/// A row: a line of each side, and whether they differ.
type Row<'a> = (Option<&'a Line>, Option<&'a Line>, bool);

fn rows<'a>(left: &'a [Line], right: &'a [Line]) -> Vec<Row<'a>> {
    let texts = |lines: &[Line]| lines.iter().map(Line::text).collect::<Vec<_>>();
    let mut rows = Vec::new();
    if left.len().max(right.len()) > MAX_ALIGNED {
        let places = 0..left.len().max(right.len());
        return places.map(|at| (left.get(at), right.get(at), left.get(at) != right.get(at))).collect();
    }
    for op in capture_diff_slices(Algorithm::Myers, &texts(left), &texts(right)) {
        let (old, new, differs) = match op {
            DiffOp::Equal { old_index, new_index, len } => {
                (old_index..old_index + len, new_index..new_index + len, false)
            }
            other => (other.old_range(), other.new_range(), true),
        };
        let (old, new) = (&left[old], &right[new]);
        rows.extend((0..old.len().max(new.len())).map(|index| (old.get(index), new.get(index), differs)));
    }
    rows
}

fn beside(left: (&str, &[Line]), right: (&str, &[Line]), column: usize) -> Vec<Line> {
    let heading = Line::of(Tone::Heading, format!("{:column$}{SAME}{}", left.0, right.0));
    let row = |(old, new, differs): Row<'_>| {
        let empty = Line::empty();
        let (old, new) = (old.unwrap_or(&empty), new.unwrap_or(&empty));
        let padding = " ".repeat(column.saturating_sub(old.width()));
        let line = joined(Line::empty(), old).with(Tone::Plain, padding);
        match (differs, new.width()) {
            (true, 0) => line.with(Tone::Bad, DIFFERS.trim_end()),
            (true, _) => joined(line.with(Tone::Bad, DIFFERS), new),
            (false, _) => joined(line.with(Tone::Plain, SAME), new),
        }
    };
    [heading].into_iter().chain(rows(left.1, right.1).into_iter().map(row)).collect()
}

fn below(left: (&str, &[Line]), right: (&str, &[Line])) -> Vec<Line> {
    let rows = rows(left.1, right.1);
    let side = |name: &str, pick: fn(&Row<'_>) -> Option<Line>| {
        let lines = rows.iter().filter_map(move |row| {
            let mark = if row.2 { Line::of(Tone::Bad, "! ") } else { Line::of(Tone::Plain, "  ") };
            pick(row).map(|line| joined(mark, &line))
        });
        [Line::of(Tone::Heading, name)].into_iter().chain(lines).collect::<Vec<_>>()
    };
    let mut lines = side(left.0, |row| row.0.cloned());
    lines.extend(side(right.0, |row| row.1.cloned()));
    lines
}

fn joined(line: Line, more: &Line) -> Line {
    more.spans().iter().fold(line, |line, (tone, text)| line.with(*tone, text))
}

#[cfg(test)]
mod tests {
    use super::super::line::plain;
    use super::*;

    fn lines(text: &str) -> Vec<Line> {
        text.lines().map(|line| Line::of(Tone::Plain, line)).collect()
    }

    #[test]
    fn lines_that_differ_are_marked() {
        let (left, right) = (lines("{\n  a = 1\n}"), lines("{\n  a = 2\n  b = 3\n}"));
        let beside = plain(&side_by_side(("one", &left), ("two", &right), 100));
        assert_eq!(beside, "one       two\n{         {\n  a = 1 !   a = 2\n        !   b = 3\n}         }\n");
        let below = plain(&side_by_side(("one", &left), ("two", &right), 10));
        assert_eq!(below, "one\n  {\n!   a = 1\n  }\ntwo\n  {\n!   a = 2\n!   b = 3\n  }\n");
    }

    #[test]
    fn long_renderings_are_compared_place_by_place() {
        let long = vec![Line::of(Tone::Plain, "x"); MAX_ALIGNED + 1];
        let text = plain(&side_by_side(("one", &long[1..]), ("two", &long), 100));
        assert!(text.ends_with("x     x\n    ! x\n"), "{}", &text[text.len() - 20..]);
    }
}
