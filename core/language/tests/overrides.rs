//! Override files (E06): a module that has one is rejected, because reading it like any other file would change the meaning.

use planfuzz_language::Sources;
use planfuzz_language::config::load;

fn summaries(path: &str) -> Vec<String> {
    let mut sources = Sources::new();
    sources.add("main.tf.json", r#"{"locals": {"a": 1}}"#).expect("a small file");
    sources.add(path, r#"{"locals": {"a": 2}}"#).expect("a small file");
    load(&sources, "").diagnostics.into_iter().map(|one| one.summary.to_string()).collect()
}

#[test]
fn e06_an_override_file_is_refused() {
    for path in ["override.tf.json", "main_override.tf.json"] {
        assert_eq!(summaries(path), ["Override files are not supported"], "{path}");
    }
    for path in ["overrides.tf.json", "override_a.tf.json", "nooverride.tf.json"] {
        assert_ne!(summaries(path), ["Override files are not supported"], "{path}");
    }
}
