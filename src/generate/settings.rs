//! What the generator makes, in numbers.

use planfuzz_pipelines::model::FaultName;

/// The settings of a generator. A *share* is out of 256.
///
/// The presets are sizes; `Settings::MIXED` is a share of each, drawn anew for every schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The sizes to draw from, each with a weight: more than one only in the mixed preset.
    pub sizes: &'static [(u8, Size)],
    /// The bytes of dice for one schema of a seeded case. A schema that needs more reads zeros, which end it plainly.
    pub schema_entropy: usize,
    /// How many cases in a row share a schema, so that subjects prepare it once. At least 1.
    pub cases_per_schema: u32,
    /// The share of schemas that are taken from the real ones, where there are any (all with `only_real`).
    pub real: u8,
    /// Whether to take real schemas only, where there are any.
    pub only_real: bool,
    /// Swarm: the share of cases in which a given feature is switched off. Each feature on its own.
    pub swarm: u8,
    /// The share of configurations that merely conform to the implied type: null and unknown blocks and block
    /// elements, records on unknown blocks, values at computed attributes. The rest is config-shaped (S50 to S53).
    pub loose: u8,
    /// The requirements for the providers of scenarios.
    pub providers: Providers,
}

/// The requirements for the providers of scenarios; what they leave open is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Providers {
    /// The fault or control of each provider, which is well-behaved otherwise. A provider whose schema has no place for the fault has
    /// none.
    pub fault: Option<FaultName>,
    /// The pipeline of each provider. A schema that the SDK cannot declare, as every real one, is written with the framework.
    pub pipeline: Option<Pipeline>,
}

/// The pipeline that a provider is written with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pipeline {
    /// provider-framework.md.
    Framework,
    /// provider-sdk.md.
    Sdk,
}

/// How big one case is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// The most attributes and block types that are tried for at the root of an invented schema.
    pub root_width: u8,
    /// The same in blocks and nested types.
    pub inner_width: u8,
    /// The greatest depth of an invented schema: 1 is a resource without blocks and nested types.
    pub depth: u8,
    /// The greatest depth of constructors in a leaf type; 0 is a primitive.
    pub type_depth: u8,
    /// Fuel for schemas: the most attributes and blocks of an invented one.
    pub schema_fuel: u16,
    /// Fuel for values: about the most parts of each of the four values. Objects of a schema are as wide as it says,
    /// so a value of a wide schema is bigger by the width of its last object.
    pub value_fuel: u16,
    /// The bytes of dice for the four values of one seeded case.
    pub value_entropy: usize,
    /// The most elements that are tried for in a list, set, map or tuple.
    pub elements: u8,
    /// How many block types and nested types of an object are present on average, at most. Values of schemas with thousands of
    /// blocks stay small, while every block is still reached.
    pub present: u8,
    /// The most edits that make a value *slightly* different from another.
    pub edits: u8,
    /// Whether long texts and many elements are made.
    pub long: bool,
    /// The most steps of a scenario.
    pub steps: u8,
}

impl Size {
    /// One or two attributes or a block of that; a handful of values.
    pub const TINY: Size = Size {
        root_width: 3,
        inner_width: 2,
        depth: 2,
        type_depth: 1,
        schema_fuel: 6,
        value_fuel: 16,
        value_entropy: 384,
        elements: 2,
        present: 3,
        edits: 1,
        long: false,
        steps: 2,
    };
    /// What a person would write as a test.
    pub const SMALL: Size = Size {
        root_width: 5,
        inner_width: 3,
        depth: 3,
        type_depth: 2,
        schema_fuel: 16,
        value_fuel: 40,
        value_entropy: 768,
        elements: 3,
        present: 4,
        edits: 2,
        long: false,
        steps: 4,
    };
    /// A usual resource.
    pub const MEDIUM: Size = Size {
        root_width: 14,
        inner_width: 5,
        depth: 5,
        type_depth: 3,
        schema_fuel: 60,
        value_fuel: 160,
        value_entropy: 3072,
        elements: 4,
        present: 5,
        edits: 3,
        long: false,
        steps: 6,
    };
    /// The tail of real providers.
    pub const LARGE: Size = Size {
        root_width: 60,
        inner_width: 12,
        depth: 13,
        type_depth: 5,
        schema_fuel: 400,
        value_fuel: 1200,
        value_entropy: 24576,
        elements: 8,
        present: 6,
        edits: 5,
        long: true,
        steps: 6,
    };
    /// Inputs that only a fuzzer would write: deep, odd names, long texts, many elements.
    pub const HOSTILE: Size = Size {
        root_width: 9,
        inner_width: 4,
        depth: 16,
        type_depth: 12,
        schema_fuel: 120,
        value_fuel: 600,
        value_entropy: 12288,
        elements: 24,
        present: 3,
        edits: 6,
        long: true,
        steps: 10,
    };

    /// The size for a real schema: a resource of a hundred attributes needs more than a tiny one to show anything.
    #[must_use]
    pub fn for_real_schema(self) -> Size {
        Size {
            value_fuel: self.value_fuel.max(64),
            value_entropy: self.value_entropy.max(Size::MEDIUM.value_entropy),
            ..self
        }
    }
}

impl Settings {
    /// Cases of [`Size::TINY`].
    pub const TINY: Settings = Settings::of(&[(1, Size::TINY)], 192);
    /// Cases of [`Size::SMALL`].
    pub const SMALL: Settings = Settings::of(&[(1, Size::SMALL)], 384);
    /// Cases of [`Size::MEDIUM`].
    pub const MEDIUM: Settings = Settings::of(&[(1, Size::MEDIUM)], 1536);
    /// Cases of [`Size::LARGE`].
    pub const LARGE: Settings = Settings::of(&[(1, Size::LARGE)], 8192);
    /// Cases of [`Size::HOSTILE`].
    pub const HOSTILE: Settings = Settings::of(&[(1, Size::HOSTILE)], 4096);
    /// A share of each size, the small ones most.
    pub const MIXED: Settings = Settings::of(
        &[(100, Size::TINY), (110, Size::SMALL), (36, Size::MEDIUM), (3, Size::LARGE), (7, Size::HOSTILE)],
        4096,
    );

    /// The presets with their names on the command line; the first is the default.
    pub const PRESETS: [(&'static str, Settings); 6] = [
        ("mixed", Settings::MIXED),
        ("tiny", Settings::TINY),
        ("small", Settings::SMALL),
        ("medium", Settings::MEDIUM),
        ("large", Settings::LARGE),
        ("hostile", Settings::HOSTILE),
    ];

    const fn of(sizes: &'static [(u8, Size)], schema_entropy: usize) -> Settings {
        let providers = Providers { fault: None, pipeline: None };
        Settings {
            sizes,
            schema_entropy,
            cases_per_schema: 4,
            real: 96,
            only_real: false,
            swarm: 40,
            loose: 52,
            providers,
        }
    }

    /// The preset of a name.
    pub fn preset(name: &str) -> Option<Settings> {
        Settings::PRESETS.into_iter().find(|(preset, _)| *preset == name).map(|(_, settings)| settings)
    }
}

impl Default for Settings {
    fn default() -> Settings {
        Settings::MIXED
    }
}
