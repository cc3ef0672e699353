//! The sort by which the engines order sets, for the one case in which its steps are observable.
//!
//! Where "before" is no order (V56), the outcome of a sort depends on which pairs it compares. Theirs sorts blocks of
//! 20 by insertion and merges neighbouring blocks in place, by symmetric comparisons (Kim and Kutzner, "Stable Minimum
//! Storage Merging by Symmetric Comparisons", ESA 2004). It is total, as theirs is: `before` may answer anything.

/// How many items are sorted by insertion.
const BLOCK: usize = 20;

/// Sorts `items`, in O(n log n) comparisons. Where `before` is a strict weak order, the result is that of any stable sort.
pub(super) fn sort<T>(items: &mut [T], before: &mut dyn FnMut(&T, &T) -> bool) {
    items.chunks_mut(BLOCK).for_each(|block| insert(block, before));
    let mut size = BLOCK;
    while size < items.len() {
        items.chunks_mut(2 * size).filter(|pair| pair.len() > size).for_each(|pair| merge(pair, size, before));
        size *= 2;
    }
}

fn insert<T>(items: &mut [T], before: &mut dyn FnMut(&T, &T) -> bool) {
    for next in 1..items.len() {
        let mut at = next;
        while at > 0 && before(&items[at], &items[at - 1]) {
            items.swap(at, at - 1);
            at -= 1;
        }
    }
}

/// Merges `items[..middle]` and `items[middle..]`, each sorted and neither empty.
fn merge<T>(items: &mut [T], middle: usize, before: &mut dyn FnMut(&T, &T) -> bool) {
    let len = items.len();
    if middle == 1 {
        let (first, rest) = items.split_at(1);
        let place = search(0, rest.len(), |at| !before(&rest[at], &first[0]));
        items[..=place].rotate_left(1);
        return;
    }
    if len - middle == 1 {
        let (rest, last) = items.split_at(middle);
        let place = search(0, middle, |at| before(&last[0], &rest[at]));
        items[place..].rotate_right(1);
        return;
    }
    let half = len / 2;
    let start = first_to_move(items, middle, before);
    let end = half + middle - start;
    if start < middle && middle < end {
        items[start..end].rotate_left(middle - start);
    }
    let (left, right) = items.split_at_mut(half);
    if 0 < start && start < half {
        merge(left, start, before);
    }
    if half < end && end < len {
        merge(right, end - half, before);
    }
}

/// Where, seen from the middle of `items`, the items begin that change places with as many at the mirrored places.
fn first_to_move<T>(items: &[T], middle: usize, before: &mut dyn FnMut(&T, &T) -> bool) -> usize {
    let half = items.len() / 2;
    let sum = half + middle;
    let (low, high) = if middle > half { (sum - items.len(), half) } else { (0, middle) };
    search(low, high, |at| before(&items[sum - 1 - at], &items[at]))
}

/// The first place from `low` that `is_reached`, or `high`, by bisection: the places at which it calls `is_reached` are
/// observable.
fn search(mut low: usize, mut high: usize, mut is_reached: impl FnMut(usize) -> bool) -> usize {
    while low < high {
        let at = low + (high - low) / 2;
        if is_reached(at) {
            high = at;
        } else {
            low = at + 1;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn an_order_is_sorted_as_by_any_stable_sort(keys in prop::collection::vec(0..20_u8, 0..300)) {
            let mut items: Vec<_> = keys.into_iter().enumerate().collect();
            let mut want = items.clone();
            want.sort_by_key(|(_, key)| *key);
            sort(&mut items, &mut |a, b| a.1 < b.1);
            prop_assert_eq!(items, want);
        }

        #[test]
        fn any_answers_at_all_end_with_all_items(seed in any::<u64>(), len in 0..300_usize) {
            let mut items: Vec<_> = (0..len).collect();
            let mut state = seed;
            sort(&mut items, &mut |_, _| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                state >> 63 == 1
            });
            items.sort_unstable();
            prop_assert_eq!(items, (0..len).collect::<Vec<_>>());
        }
    }
}
