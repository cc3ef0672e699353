//! Types and values in the JSON notation of formats.md.
