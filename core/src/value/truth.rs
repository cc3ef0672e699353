//! Truth values as payloads.

/// A bool that has a word of its own.
///
/// With it every payload of a [`Node`](super::Node) lies in the second of two words. A bool of one byte would lie beside the byte
/// that distinguishes the payloads, and a move of a node would be a move of fifteen bytes: in pieces, each of which waits for the
/// write just before. Values are built in half the time without that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(align(8))]
pub struct Truth(pub bool);

#[cfg(test)]
mod tests {
    use super::Truth;
    use crate::value::Node;

    #[test]
    fn a_node_is_two_words_with_and_without_one() {
        assert_eq!(size_of::<Node>(), 2 * size_of::<Truth>());
        assert_eq!(size_of::<Option<Node>>(), size_of::<Node>());
    }
}
