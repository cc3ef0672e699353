//! The JSON syntax: read exactly (E08 to E12), and written from the tree.
