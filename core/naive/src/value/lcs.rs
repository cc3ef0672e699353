//! The longest common subsequence (Q01, Q02).

use super::{Val, equals};

/// Q02, with the whole table.
pub fn lcs(xs: &[Val], ys: &[Val]) -> Vec<Val> {
    let same = |x: usize, y: usize| equals(&xs[x - 1], &ys[y - 1]) == Some(true);
    let mut table = vec![vec![0_usize; ys.len() + 1]; xs.len() + 1];
    for x in 1..=xs.len() {
        for y in 1..=ys.len() {
            table[x][y] = if same(x, y) { table[x - 1][y - 1] + 1 } else { table[x - 1][y].max(table[x][y - 1]) };
        }
    }
    let (mut x, mut y, mut taken) = (xs.len(), ys.len(), Vec::new());
    while x > 0 && y > 0 {
        if same(x, y) {
            taken.push(xs[x - 1].clone());
            (x, y) = (x - 1, y - 1);
        } else if table[x - 1][y] > table[x][y - 1] {
            x -= 1;
        } else {
            y -= 1;
        }
    }
    taken.reverse();
    taken
}
