//! The project held to what it says of itself: its crates, its layers, its files for CI.

#[cfg(unix)]
mod ci_files;
mod independence;
mod layers;
mod library;
mod manifests;
mod messages;
