//! How large generated workspaces are, and how much of the language is in them.

/// What a generator makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How many blocks a module has at most at first.
    pub blocks: usize,
    /// How many calls the root has at most.
    pub modules: usize,
    /// How deep modules are nested.
    pub depth: usize,
    /// How many steps follow the first one at most.
    pub steps: usize,
    /// How often rare parts of the language occur, in hundredths of the usual.
    pub exotic: u32,
}

impl Settings {
    /// A few blocks of the root.
    pub const TINY: Settings = Settings { blocks: 2, modules: 0, depth: 0, steps: 1, exotic: 30 };
    /// Quick to compare and small to read.
    pub const SMALL: Settings = Settings { blocks: 4, modules: 1, depth: 1, steps: 2, exotic: 70 };
    /// Modules to depth 3, and several steps.
    pub const MEDIUM: Settings = Settings { blocks: 6, modules: 3, depth: 3, steps: 4, exotic: 100 };

    /// A preset by its name.
    pub fn preset(name: &str) -> Option<Settings> {
        match name {
            "tiny" => Some(Settings::TINY),
            "small" => Some(Settings::SMALL),
            "medium" => Some(Settings::MEDIUM),
            _ => None,
        }
    }
}
