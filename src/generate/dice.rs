//! Decisions from bytes.
//!
//! Every decision takes one byte (or two), and bytes that have run out read as zero. So each decision is written
//! such that zero is the plain answer: no, the first, the fewest. A generator that has used up its bytes still ends,
//! with a plain case, and never fails.

use arbitrary::Unstructured;

/// A source of decisions.
#[derive(Debug)]
pub(super) struct Dice<'d, 'b> {
    bytes: &'d mut Unstructured<'b>,
}

/// Draws one of several expressions by weight: `weighted! { dice; 3 => one, 1 => other, }`. Only the drawn one is evaluated.
macro_rules! weighted {
    ($dice:expr; $($weight:expr => $drawn:expr),+ $(,)?) => {{
        let place = $dice.weighted(&[$($weight),+]);
        let mut places = 0_usize..;
        'drawn: {
            $(if places.next() == Some(place) {
                break 'drawn ($drawn);
            })+
            unreachable!("one of the weights is drawn")
        }
    }};
}

pub(super) use weighted;

/// A share of 256: `0` never, `255` nearly always.
pub(super) type Share = u8;

impl<'d, 'b> Dice<'d, 'b> {
    /// Decisions from these bytes.
    pub(super) fn new(bytes: &'d mut Unstructured<'b>) -> Dice<'d, 'b> {
        Dice { bytes }
    }

    /// The next byte, 0 where there is none.
    pub(super) fn byte(&mut self) -> u8 {
        self.bytes.arbitrary().unwrap_or_default()
    }

    /// True with the probability `share`; false if the bytes have run out.
    pub(super) fn chance(&mut self, share: Share) -> bool {
        u16::from(self.byte()) + u16::from(share) >= 256
    }

    /// A number below `bound`, 0 where bytes have run out or the bound is 0. Near enough to uniform.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        match bound {
            0 | 1 => 0,
            2..=256 => (usize::from(self.byte()) * bound) >> 8,
            _ => {
                let wide = usize::from(self.byte()) << 8 | usize::from(self.byte());
                (wide * bound.min(1 << 16)) >> 16
            }
        }
    }

    /// One of `items`, which are not empty; the first where bytes have run out.
    pub(super) fn pick<'i, T>(&mut self, items: &'i [T]) -> &'i T {
        &items[self.below(items.len())]
    }

    /// The index of a weight, drawn in proportion; the first that is not 0 if the bytes have run out.
    pub(super) fn weighted(&mut self, weights: &[u8]) -> usize {
        let total: usize = weights.iter().map(|weight| usize::from(*weight)).sum();
        let mut rest = self.below(total);
        for (place, weight) in weights.iter().enumerate() {
            if rest < usize::from(*weight) {
                return place;
            }
            rest -= usize::from(*weight);
        }
        0
    }

    /// How often in a row a draw with the probability `share` succeeds, `most` at most.
    pub(super) fn run(&mut self, share: Share, most: usize) -> usize {
        let mut count = 0;
        while count < most && self.chance(share) {
            count += 1;
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_ran_out_give_the_plain_answer() {
        let mut bytes = Unstructured::new(&[]);
        let mut dice = Dice::new(&mut bytes);
        assert!(!dice.chance(255));
        assert_eq!((dice.below(9), dice.below(999), dice.run(255, 4)), (0, 0, 0));
        assert_eq!(dice.weighted(&[0, 3, 1]), 1);
    }

    #[test]
    fn draws_stay_below_their_bound_and_reach_all_of_it() {
        let data: Vec<u8> = (0..=255).collect();
        let mut bytes = Unstructured::new(&data);
        let mut dice = Dice::new(&mut bytes);
        let drawn: std::collections::BTreeSet<usize> = (0..256).map(|_| dice.below(7)).collect();
        assert_eq!(drawn, (0..7).collect());
    }
}
