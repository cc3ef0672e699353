//! Names of generated workspaces. Each is used once in a case, and none is a word of the language, so that names are distinct from all
//! other text: renaming them renames a case.

const POOL: [&str; 40] = [
    "ant", "bee", "cat", "dog", "elk", "fox", "gnu", "hen", "ibis", "jay", "kite", "lark", "mole", "newt", "owl",
    "pony", "quail", "rat", "seal", "toad", "vole", "wren", "yak", "asp", "bat", "cod", "dove", "eel", "finch", "goat",
    "hare", "ibex", "koi", "lynx", "moth", "orca", "pike", "raven", "stork", "tern",
];

/// The name of a number.
pub fn name(number: usize) -> String {
    let word = POOL[number % POOL.len()];
    match number / POOL.len() {
        0 => word.to_owned(),
        round => format!("{word}{}", round + 1),
    }
}

/// Whether a word is a name of a generated workspace, perhaps of a case among many.
pub fn is_name(word: &str) -> bool {
    POOL.contains(&word.trim_end_matches(|digit: char| digit.is_ascii_digit()))
}
