/// The switch: which mutant is on.
pub mod mutation {
    use std::sync::LazyLock;
    use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

    /// The number that switches none on, and records each mutant that is reached.
    pub const TRACING: u32 = u32::MAX;

    /// The mutant that is switched on: none, or the one that the environment names.
    static ACTIVE: LazyLock<AtomicU32> = LazyLock::new(|| {
        let named = std::env::var_os("PLANFUZZ_MUTANT");
        AtomicU32::new(
            named.map_or(0, |text| text.to_str().and_then(|text| text.parse().ok()).unwrap_or_else(|| refuse(&text))),
        )
    });

    /// Ends the process: with the original in place of a mutant, nothing would notice that mutant. A panic would pass for a crash of a
    /// planner, and tests would capture a message that is printed by a macro.
    fn refuse(text: &std::ffi::OsStr) -> ! {
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), "PLANFUZZ_MUTANT: expected the number of a mutant, found {text:?}");
        std::process::exit(2)
    }

    static REACHED: [AtomicBool; MUTANTS] = [const { AtomicBool::new(false) }; MUTANTS];

    /// Whether a mutant is switched on.
    #[inline]
    pub fn is(id: u32) -> bool {
        let active = ACTIVE.load(Relaxed);
        if active == TRACING {
            REACHED[id as usize].store(true, Relaxed);
        }
        active == id
    }

    /// Switches a mutant on.
    pub fn choose(id: u32) {
        ACTIVE.store(id, Relaxed);
    }

    /// The mutants reached since the last call.
    pub fn reached() -> Vec<u32> {
        let taken = REACHED.iter().zip(0..).filter(|(reached, _)| reached.swap(false, Relaxed));
        taken.map(|(_, id)| id).collect()
    }
}
