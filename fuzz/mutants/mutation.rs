/// Which mutant is switched on.
pub mod mutation {
    use std::sync::LazyLock;
    use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

    /// The number that stands for none, with a note of each that could be.
    pub const TRACING: u32 = u32::MAX;

    /// The mutant that is switched on: none, or what the environment says.
    static ACTIVE: LazyLock<AtomicU32> = LazyLock::new(|| {
        let told = std::env::var("PLANFUZZ_MUTANT").ok().and_then(|text| text.parse().ok());
        AtomicU32::new(told.unwrap_or(0))
    });

    static REACHED: [AtomicBool; MUTANTS] = [const { AtomicBool::new(false) }; MUTANTS];

    /// Whether a mutant is the one.
    #[inline]
    pub fn is(id: u32) -> bool {
        let active = ACTIVE.load(Relaxed);
        if active == TRACING {
            REACHED[id as usize].store(true, Relaxed);
        }
        active == id
    }

    /// Switches one on.
    pub fn choose(id: u32) {
        ACTIVE.store(id, Relaxed);
    }

    /// The mutants that could have been the one since the last time that this was asked.
    pub fn reached() -> Vec<u32> {
        let taken = REACHED.iter().zip(0..).filter(|(reached, _)| reached.swap(false, Relaxed));
        taken.map(|(_, id)| id).collect()
    }
}
