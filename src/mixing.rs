//! Numbers that look random and depend on one number alone.

/// Spreads the bits of a number over a word (the finalizer of splitmix64, by Sebastiano Vigna). Different numbers stay different, and 0
/// stays 0.
pub(crate) fn mixed(bits: u64) -> u64 {
    let bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}
