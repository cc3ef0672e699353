//! The operations that there are, by the names of formats.md.

use std::fmt;
use std::str::FromStr;

macro_rules! ops {
    ($($(#[$doc:meta])* $variant:ident = $name:literal),* $(,)?) => {
        /// An operation: what a vector's `op` names.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Op { $($(#[$doc])* $variant),* }

        impl Op {
            /// All operations.
            pub const ALL: &'static [Op] = &[$(Op::$variant),*];

            /// The name in files and in the line protocol.
            pub fn name(self) -> &'static str {
                match self { $(Op::$variant => $name),* }
            }
        }
    };
}

ops! {
    /// The object that Core proposes (M01).
    ProposedNew = "proposed_new",
    /// The planned object of a data resource (M40).
    PlannedDataResource = "planned_data_resource",
    /// Plan validity (P01).
    AssertPlanValid = "assert_plan_valid",
    /// Apply-result compatibility (AC01).
    AssertObjectCompatible = "assert_object_compatible",
    /// Objects from the legacy SDK (LN01).
    NormalizeLegacy = "normalize_legacy",
    /// Computed blocks (C01).
    PrepareComputedBlocks = "prepare_computed_blocks",
    /// A value against a type to msgpack (V70).
    MsgpackEncode = "msgpack_encode",
    /// msgpack to a value (V80).
    MsgpackDecode = "msgpack_decode",
    /// The type of a msgpack document (V90).
    ImpliedType = "implied_type",
    /// A value read and written: set order, what refinements collapse to.
    Roundtrip = "roundtrip",
    /// Raw equality (V30).
    RawEquals = "raw_equals",
    /// Equality with its third answer (V32).
    Equals = "equals",
    /// Whether a value is in the range of another (V44).
    Includes = "includes",
    /// The length of a value, as a value (V45).
    Length = "length",
    /// Canonical and key text of a number (V19, V20).
    NumberText = "number_text",
    /// Conformance of types (V03).
    Conforms = "conforms",
    /// Conversion (V60).
    Convert = "convert",
    /// The most general common type (V64).
    Unify = "unify",
    /// The longest common subsequence (Q02).
    Lcs = "lcs",
    /// The message of a plan file, read and written again (PF02).
    PlanFile = "plan_file",
    /// A state file, read and written again (ST01).
    StateFile = "state_file",
    /// The implied type of a schema (S30).
    SchemaType = "schema_type",
    /// The empty value of a schema (S35).
    EmptyValue = "empty_value",
    /// Whether a schema is valid (section 2 of schema.md).
    ValidateSchema = "validate_schema",
    /// A value forced into a schema (S40).
    Coerce = "coerce",
    /// Sensitive paths (S70).
    SensitivePaths = "sensitive_paths",
    /// Write-only paths (S73).
    WriteOnlyPaths = "write_only_paths",
    /// An expression of the configuration language over named values (E80).
    Expression = "expression",
    /// One instance's way through a plan, with the provider's answers given (formats.md).
    PlanInstance = "plan_instance",
    /// One instance's way through an apply, likewise.
    ApplyInstance = "apply_instance",
    /// The trace of an instance under a provider model (lifecycle.md, provider-model.md).
    Scenario = "scenario",
    /// A plan of a framework provider (F10).
    FwPlan = "fw_plan",
    /// Computed attributes marked unknown, by itself (F41).
    FwMarkUnknown = "fw_mark_unknown",
    /// One plan modifier, by itself (F70).
    FwModifier = "fw_modifier",
    /// Create, update and delete of a framework provider (F100).
    FwApply = "fw_apply",
    /// Read of a framework provider (F110).
    FwRead = "fw_read",
    /// A plan of an SDK provider (Z50).
    SdkPlan = "sdk_plan",
    /// Create, update and delete of an SDK provider (Z130).
    SdkApply = "sdk_apply",
    /// Read of an SDK provider (Z140).
    SdkRead = "sdk_read",
    /// A whole workspace and what people do with it (workspace-plan.md, workspace-apply.md).
    Workspace = "workspace",
    /// A recorded run of a whole workspace.
    WorkspaceRun = "workspace_run",
    /// The schema that Core sees of an SDK schema (Z02).
    SdkCoreSchema = "sdk_core_schema",
    /// The state shim (Z51).
    SdkShimState = "sdk_shim_state",
    /// The diff of a state and a configuration (Z52).
    SdkDiff = "sdk_diff",
    /// Null and empty as in another value (Z100).
    SdkNormalize = "sdk_normalize",
    /// Equivalence as the SDK sees it (Z110).
    SdkEquivalent = "sdk_equivalent",
    /// Computed attributes filled on create (Z112).
    SdkSetUnknowns = "sdk_set_unknowns",
}

impl Op {
    /// The operations of merge-and-rules.md that planners answer.
    pub const MERGE: [Op; 6] = [
        Op::ProposedNew,
        Op::PlannedDataResource,
        Op::AssertPlanValid,
        Op::AssertObjectCompatible,
        Op::NormalizeLegacy,
        Op::PrepareComputedBlocks,
    ];

    /// The operations of provider-model.md, which the provider pipelines answer.
    pub const PROVIDER: [Op; 14] = [
        Op::FwPlan,
        Op::FwMarkUnknown,
        Op::FwModifier,
        Op::FwApply,
        Op::FwRead,
        Op::SdkPlan,
        Op::SdkApply,
        Op::SdkRead,
        Op::SdkCoreSchema,
        Op::SdkShimState,
        Op::SdkDiff,
        Op::SdkNormalize,
        Op::SdkEquivalent,
        Op::SdkSetUnknowns,
    ];

    /// Whether a provider pipeline answers this, and no planner.
    pub fn is_provider(self) -> bool {
        Op::PROVIDER.contains(&self)
    }

    /// Whether this is an operation of values.md.
    pub fn is_value(self) -> bool {
        self.is_shared() && !self.is_provider() && !self.is_schema() && !self.is_file()
    }

    /// Whether this is an operation of plan-files.md.
    pub fn is_file(self) -> bool {
        matches!(self, Op::PlanFile | Op::StateFile)
    }

    /// Whether this is an operation of schema.md.
    pub fn is_schema(self) -> bool {
        matches!(
            self,
            Op::SchemaType | Op::EmptyValue | Op::ValidateSchema | Op::Coerce | Op::SensitivePaths | Op::WriteOnlyPaths
        )
    }

    /// Whether this is answered by what all planners share: values, msgpack, schemas, plan and state files, the pipelines of
    /// providers.
    pub fn is_shared(self) -> bool {
        !self.is_merge()
            && !self.is_of_workspaces()
            && !matches!(self, Op::Scenario | Op::PlanInstance | Op::ApplyInstance | Op::Expression)
    }

    /// Whether this is about whole workspaces, which planners of workspaces answer.
    pub fn is_of_workspaces(self) -> bool {
        matches!(self, Op::Workspace | Op::WorkspaceRun)
    }

    /// The operation of generated cases from which this one's are recorded; `None` if its own are generated.
    pub fn recorded_from(self) -> Option<Op> {
        match self {
            Op::PlanInstance | Op::ApplyInstance => Some(Op::Scenario),
            Op::WorkspaceRun => Some(Op::Workspace),
            _ => None,
        }
    }

    /// Whether a planner answers this; the others are answered by values and schemas, which planners share, and
    /// by provider pipelines.
    pub fn is_merge(self) -> bool {
        Op::MERGE.contains(&self)
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why a name is no operation.
#[derive(Clone, Debug, thiserror::Error)]
#[error("expected an operation such as proposed_new or assert_plan_valid, found {found:?}")]
pub struct OpError {
    found: String,
}

impl FromStr for Op {
    type Err = OpError;

    fn from_str(name: &str) -> Result<Op, OpError> {
        let found = Op::ALL.iter().copied().find(|op| op.name() == name);
        found.ok_or_else(|| OpError { found: name.chars().take(60).collect() })
    }
}
