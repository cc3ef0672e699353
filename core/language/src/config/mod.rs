//! Configuration as a tree: what is written in the files of a module, with every source place kept.
