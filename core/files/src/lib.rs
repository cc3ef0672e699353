//! planfuzz-files: files that are written whole or not at all, and read up to a bound.
//!
//! | file | holds |
//! | --- | --- |
//! | `bounded.rs` | files that are read up to a bound |
//! | `draft.rs` | files under a temporary name until they are whole |
//! | `folder.rs` | the entries of folders, and the folder of a file |

#![forbid(unsafe_code)]

pub mod bounded;
pub mod draft;
pub mod folder;
