//! The messages, made from their definition in `proto/planfile.proto` by `engine/proto/generate`.

include!(concat!(env!("CARGO_MANIFEST_DIR"), "/proto/planfile.rs"));
