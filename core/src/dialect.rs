//! Every decision on which engine versions differ, one named method each (D01 to D14; section 22 of lifecycle.md).

use std::fmt;
use std::str::FromStr;

use crate::json::{Field, Json, JsonError};

/// An engine and a version of it, whose decisions a planner follows.
///
/// ```
/// use planfuzz_core::dialect::Dialect;
///
/// let dialect: Dialect = "terraform-1.13".parse()?;
/// assert!(dialect.merges_new_map_elements());
/// assert_eq!(dialect.to_string(), "terraform-1.13");
/// # Ok::<(), planfuzz_core::dialect::DialectError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Dialect {
    engine: Engine,
    minor: u16,
}

/// The engines there are. Every known version of either is a 1.x.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Engine {
    /// HashiCorp Terraform.
    Terraform,
    /// OpenTofu.
    OpenTofu,
}

impl Engine {
    /// The display name of the engine.
    pub fn title(self) -> &'static str {
        match self {
            Engine::Terraform => "Terraform",
            Engine::OpenTofu => "OpenTofu",
        }
    }

    /// The host of the engine's default registry, which source addresses omit (PL73).
    pub fn registry(self) -> &'static str {
        match self {
            Engine::Terraform => "registry.terraform.io",
            Engine::OpenTofu => "registry.opentofu.org",
        }
    }
}

/// The error for a text that names no dialect.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a dialect such as terraform-1.11 or opentofu-1.12, found {found:?}")]
pub struct DialectError {
    found: String,
}

impl Dialect {
    /// Terraform 1.11, the default.
    pub const TERRAFORM_1_11: Dialect = Dialect { engine: Engine::Terraform, minor: 11 };
    /// Terraform 1.17.
    pub const TERRAFORM_1_17: Dialect = Dialect { engine: Engine::Terraform, minor: 17 };
    /// OpenTofu 1.12, which stands for 1.11 too.
    pub const OPENTOFU_1_12: Dialect = Dialect { engine: Engine::OpenTofu, minor: 12 };
    /// OpenTofu 1.13.
    pub const OPENTOFU_1_13: Dialect = Dialect { engine: Engine::OpenTofu, minor: 13 };
    /// The release of the default dialect. Files that planfuzz writes name it as the engine that wrote them, whatever their dialect, and
    /// providers receive it as the engine that asks.
    pub const RELEASE: &str = "1.11.4";
    /// The dialects that vectors name.
    pub const ALL: [Dialect; 4] =
        [Dialect::TERRAFORM_1_11, Dialect::TERRAFORM_1_17, Dialect::OPENTOFU_1_12, Dialect::OPENTOFU_1_13];

    /// The engine.
    pub fn engine(self) -> Engine {
        self.engine
    }

    /// The minor version: 11 of 1.11.
    pub fn minor(self) -> u16 {
        self.minor
    }

    /// D01, M18: a map element of the configuration without a prior is merged with null (or unknown), not taken as is.
    /// D02, M41 is a consequence: computed attributes in map elements of data resources become unknown.
    pub fn merges_new_map_elements(self) -> bool {
        self.is_terraform_since(12)
    }

    /// D03, P05 c: whether a write-only attribute is decided before anything else that follows in P05; otherwise only a
    /// null plan is excused, late (P05 g).
    pub fn decides_write_only_first(self) -> bool {
        self.engine == Engine::Terraform
    }

    /// D04, P04: whether null objects of nested types have null members in plan validity; otherwise a null planned
    /// or configured one crashes the engine.
    pub fn reads_members_of_null_nested_objects(self) -> bool {
        self.engine == Engine::Terraform
    }

    /// D05, P10-0: a null planned for a block that is not single is a violation even where it equals the configuration.
    pub fn forbids_null_planned_blocks(self) -> bool {
        self.is_terraform_since(16)
    }

    /// D06: whether blocks may be computed (S05, S26, P10-2b, C01 to C10).
    pub fn has_computed_blocks(self) -> bool {
        self.is_terraform_since(16)
    }

    /// D07: whether nested types may have the mode group (S13, S31, S48); merging one crashes all the same (M11).
    pub fn has_group_nested_types(self) -> bool {
        self.is_terraform_since(15)
    }

    /// D08: whether write-only attributes are forbidden inside sets (S15, S23).
    pub fn forbids_write_only_in_sets(self) -> bool {
        self.engine == Engine::Terraform
    }

    /// D09, S45: whether coercion makes an object of a map block by the schema having `dynamic`; otherwise by the types
    /// of the elements.
    pub fn coerces_dynamic_map_blocks_by_schema(self) -> bool {
        self.engine == Engine::Terraform
    }

    /// D11, S72: whether the sensitive attributes of a null or unknown block value are listed.
    pub fn lists_sensitive_of_absent_blocks(self) -> bool {
        self.engine == Engine::OpenTofu
    }

    /// D12, S25: whether a deprecation message without deprecation is a problem.
    pub fn checks_deprecation_messages(self) -> bool {
        self.is_terraform_since(15)
    }

    /// D13, AC15: whether comparing two sets tries every pair of elements, so that a pair that crashes the engine is always reached.
    pub fn tries_every_pair(self) -> bool {
        !self.is_terraform_since(13)
    }

    /// Section 22 of lifecycle.md, "unknown in read": whether an unknown value in an object that a provider read, imported or upgraded is an
    /// error of the provider (L05, L11); otherwise the plan goes on with it, and the states have a null.
    pub fn refuses_unknowns_in_reads(self) -> bool {
        self.engine == Engine::Terraform
    }

    /// Section 22, "write-only not null": whether a write-only value in an answer is found where the answer is decoded, as an error of the
    /// call (`IPR`), whichever provider sent it; otherwise Core looks for it later (L13, L39, A28).
    pub fn decodes_write_only_strictly(self) -> bool {
        self.engine == Engine::OpenTofu
    }

    /// Section 22, "non-conforming apply result" and "write-only not null": whether the prior object is kept where the result of an
    /// apply is unusable (A27, A28); otherwise the object leaves the state.
    pub fn keeps_prior_of_unusable_result(self) -> bool {
        self.is_terraform_since(17)
    }

    /// Section 22, "legacy normalisation": whether every object that was read is normalised; otherwise only where the schema can be one of
    /// the legacy SDK (L14, K03).
    pub fn normalizes_every_read(self) -> bool {
        !self.is_terraform_since(17)
    }

    /// LD03: whether an ephemeral value in a wrong place is found where the configuration is decoded, before the provider's validation is
    /// called; otherwise the validation is called all the same.
    pub fn finds_ephemeral_values_first(self) -> bool {
        self.engine == Engine::OpenTofu
    }

    /// L05: whether an upgrade to a value that no state can store, an infinite number, crashes; otherwise it is an error.
    pub fn dies_of_unstorable_upgrades(self) -> bool {
        self.engine == Engine::OpenTofu
    }

    /// L15: whether the old object and the object that was read are compared for the log; a crash of the comparison crashes the engine.
    pub fn compares_what_it_read(self) -> bool {
        self.engine == Engine::OpenTofu
    }

    /// L21: whether an import of more than one object goes on with the first.
    pub fn reads_first_of_many(self) -> bool {
        self.engine == Engine::Terraform
    }

    /// L22: whether an imported object has the marks of the configuration.
    pub fn marks_imported_by_configuration(self) -> bool {
        self.engine == Engine::OpenTofu
    }

    /// LD26: whether the flags of an imported object are in the refreshed state where the refresh is skipped.
    pub fn stores_flags_of_imported(self) -> bool {
        self.engine == Engine::OpenTofu
    }

    /// L06, A16, A36: whether an apply knows of a forced create-before-destroy for every action; otherwise only where the plan creates first.
    pub fn forces_create_before_destroy_in_applies(self) -> bool {
        self.engine == Engine::Terraform
    }

    /// L130: whether a deposed object that is to be kept (`skip_destroy`) is forgotten also where the refresh found it gone.
    pub fn forgets_absent_deposed(self) -> bool {
        self.engine == Engine::OpenTofu
    }

    /// L129: whether the engine warns when an orphan or a deposed object is forgotten.
    pub fn warns_of_forgetting(self) -> bool {
        self.engine == Engine::OpenTofu
    }

    /// L141, L144: whether the marks of a data object are those of the schema too; otherwise only the configuration's.
    pub fn marks_data_by_schema(self) -> bool {
        self.engine == Engine::Terraform
    }

    /// Section 22, "orphan before": whether an orphan is refreshed before its destruction is planned (L123).
    pub fn refreshes_orphans_first(self) -> bool {
        self.engine == Engine::OpenTofu || self.is_terraform_since(17)
    }

    /// Section 22, `replace_triggered_by`: whether the creation of an instance that an entry names fires the entry (L101).
    pub fn is_triggered_by_creation(self) -> bool {
        self.engine == Engine::OpenTofu
    }

    /// L102: whether marks count where a trigger looks for a difference.
    pub fn triggers_see_marks(self) -> bool {
        self.engine == Engine::Terraform
    }

    /// Section 22, "prior private in apply-phase plan": whether the planned private data are sent with the plan call of an apply
    /// (A04); otherwise the stored ones.
    pub fn sends_planned_private(self) -> bool {
        self.is_terraform_since(17)
    }

    /// Section 22, `lifecycle.destroy=false`: whether a resource can say that its objects are kept instead of destroyed (L49, L129).
    pub fn can_keep_on_destroy(self) -> bool {
        self.engine == Engine::OpenTofu
    }

    /// L111: whether `prevent_destroy` is an expression, so that it can be invalid.
    pub fn evaluates_prevent_destroy(self) -> bool {
        self.engine == Engine::OpenTofu
    }

    /// L127: whether a block can be switched off by `enabled`.
    pub fn has_enabled(self) -> bool {
        self.engine == Engine::OpenTofu
    }

    /// L129: whether an object that is to be forgotten is refreshed first.
    pub fn refreshes_what_it_forgets(self) -> bool {
        self.engine == Engine::OpenTofu
    }

    /// L56a: whether a provider can defer its answer; otherwise the engine ignores the field.
    pub fn has_deferrals(self) -> bool {
        self.engine == Engine::Terraform
    }

    /// JS23: whether marks inside a set are shown as a mark of the whole set.
    pub fn marks_sets_whole(self) -> bool {
        self.engine == Engine::Terraform
    }

    /// E85: whether `false && x` and `true || x` are decided without `x`.
    pub fn short_circuits(self) -> bool {
        self.is_terraform_since(12)
    }

    /// E88: whether a conditional has the marks of its condition and of both branches; otherwise those of the branch that is taken.
    pub fn marks_conditionals_by_all_parts(self) -> bool {
        self.engine == Engine::Terraform
    }

    /// E95: whether the result of `lookup` in an object by an unknown key keeps the marks of its arguments.
    pub fn keeps_marks_of_unknown_lookups(self) -> bool {
        self.engine == Engine::Terraform
    }

    /// FN07: whether `element` refuses a negative index of a tuple; otherwise it counts from the end, as in a list.
    pub fn refuses_negative_elements_of_tuples(self) -> bool {
        self.engine == Engine::Terraform && self.minor < 12
    }

    /// FN12, FN13: whether a conversion of an unknown value to another type forgets its marks.
    pub fn forgets_marks_of_unknown_conversions(self) -> bool {
        self.engine == Engine::OpenTofu
    }

    /// FN18: whether `format` and `formatlist` with an argument of type `dynamic` return an unknown of type `dynamic`; otherwise such an
    /// argument is treated as any null or unknown.
    pub fn leaves_untyped_formats_open(self) -> bool {
        self.engine == Engine::Terraform && self.minor < 12
    }

    /// FN27: whether an unknown answer of `issensitive` is known not to be null.
    pub fn knows_sensitivity_is_not_null(self) -> bool {
        self.engine == Engine::OpenTofu
    }

    /// Section 14 of workspace-language.md: whether there are functions that OpenTofu has beside Terraform's.
    pub fn has_functions_of_opentofu(self) -> bool {
        self.engine == Engine::OpenTofu
    }

    /// E130: whether a validation that fails with an unknown message counts as failed; otherwise that is an error of its own.
    pub fn fails_by_unknown_message(self) -> bool {
        self.engine == Engine::OpenTofu
    }

    /// E130: whether the validation walk reports nothing for a validation that fails while its message is unknown.
    pub fn waits_for_messages(self) -> bool {
        self.engine == Engine::Terraform
    }

    /// E130: whether the validations of a variable that is declared sensitive see it as sensitive.
    pub fn hides_validated_variable(self) -> bool {
        self.engine == Engine::OpenTofu
    }

    /// G49: whether the block of every import target is looked for before the plan walk; otherwise that of a target with a key, and in child
    /// modules already by the validation walk.
    pub fn looks_for_import_blocks_first(self) -> bool {
        self.engine == Engine::OpenTofu
    }

    /// G49: whether a target that its block does not declare is reported after the walk, in place of all other diagnostics; otherwise its
    /// block fails.
    pub fn reports_undeclared_imports_late(self) -> bool {
        self.engine == Engine::OpenTofu
    }

    /// G12: whether import targets are checked before a destruction.
    pub fn looks_at_imports_in_destructions(self) -> bool {
        self.engine == Engine::Terraform
    }

    /// Section 17 of workspace-plan.md, G31: whether an object of another type or provider is moved in the walk, in place of its upgrade;
    /// otherwise before it.
    pub fn moves_across_in_walks(self) -> bool {
        self.engine == Engine::OpenTofu
    }

    /// U05, U06: whether applying a saved plan requires the ephemeral variables of the plan again and refuses a variable that the plan was
    /// not given; otherwise missing and additional variables are ignored.
    pub fn holds_variables_to_plan(self) -> bool {
        self.engine == Engine::Terraform
    }

    /// U05: the summary for a variable whose value differs from the one that the saved plan was given.
    pub fn changed_variable_of_plan(self) -> &'static str {
        match self.engine {
            Engine::Terraform => "Can't change variable when applying a saved plan",
            Engine::OpenTofu => "Mismatch between input and plan variable value",
        }
    }

    /// G74, G83: whether stored lists order deposed objects.
    pub fn orders_deposed_by_lists(self) -> bool {
        self.engine == Engine::Terraform
    }

    /// G48, G49: whether the validation walk evaluates import blocks, their keys and their ids; otherwise it only finds a block that repeats
    /// and a target without key.
    pub fn evaluates_imports_in_validation(self) -> bool {
        self.engine == Engine::Terraform
    }

    /// G156: whether a refresh-only plan can be applied because the states differ, a number or a flag included, and only known outputs count;
    /// otherwise the answers of the instance planners count, and any output.
    pub fn compares_refreshed_states(self) -> bool {
        self.engine == Engine::Terraform
    }

    /// Section 17 of workspace-plan.md: whether postconditions of an element that does not exist report an invalid index, where nothing is
    /// planned; otherwise their status is unknown.
    pub fn misses_elements_in_postconditions(self) -> bool {
        self.engine == Engine::Terraform
    }

    /// Section 17 of workspace-plan.md: whether expressions see an object with the marks of its schema, beside its own.
    pub fn marks_seen_by_schema(self) -> bool {
        self.engine == Engine::OpenTofu
    }

    /// Section 19 of workspace-language.md: whether the type of a single resource is known in the validation walk.
    pub fn knows_types_in_validation(self) -> bool {
        self.engine == Engine::OpenTofu
    }

    /// U18, U24: whether blocks, providers and values that nothing with a change waits for are dropped from an apply.
    pub fn drops_unused_in_applies(self) -> bool {
        self.engine == Engine::OpenTofu
    }

    /// Section 15 of workspace-apply.md, L06: whether only instances that have a node force what they reach in an apply, as if the flag were
    /// its own; otherwise every block with the flag does.
    pub fn forces_by_made_instances(self) -> bool {
        self.engine == Engine::OpenTofu
    }

    /// U33: whether the changes in an instance of a module with a key wait for no change in another instance.
    pub fn separates_module_instances(self) -> bool {
        self.engine == Engine::OpenTofu
    }

    /// `CIF`: the summary for an inconsistency between the two plans that Core itself caused.
    pub fn inconsistent_core_plan(self) -> &'static str {
        match self.engine {
            Engine::Terraform => "Terraform produced inconsistent final plan",
            Engine::OpenTofu => "OpenTofu produced inconsistent final plan",
        }
    }

    /// Whether a call of a missing provider function has a summary of its own (section 7 of workspace-language.md).
    pub fn distinguishes_provider_functions(self) -> bool {
        self.engine == Engine::Terraform
    }

    /// The summary for an ephemeral value in an output that is not declared so (E78).
    pub fn ephemeral_in_output(self) -> &'static str {
        match self.engine {
            Engine::Terraform => "Ephemeral value not allowed",
            Engine::OpenTofu => "Output does not allow ephemeral value",
        }
    }

    /// The summary for an ephemeral value in a variable that is not declared so (E78).
    pub fn ephemeral_in_variable(self) -> &'static str {
        match self.engine {
            Engine::Terraform => "Ephemeral value not allowed",
            Engine::OpenTofu => "Variable does not allow ephemeral value",
        }
    }

    /// The summary for an output of the root that is declared ephemeral (E78).
    pub fn ephemeral_output_of_root(self) -> &'static str {
        match self.engine {
            Engine::Terraform => "Ephemeral output not allowed",
            Engine::OpenTofu => "Invalid output configuration",
        }
    }

    /// Whether an output that is declared ephemeral has to get an ephemeral value (E78).
    pub fn ephemeral_outputs_want_ephemeral(self) -> bool {
        self.engine == Engine::Terraform
    }

    /// The summary for an ephemeral value where none may be (L03).
    pub const fn ephemeral_misused(self) -> &'static str {
        match self.engine {
            Engine::Terraform => "Invalid use of ephemeral value",
            Engine::OpenTofu => "Ephemeral value used in non-ephemeral context",
        }
    }

    /// `PD`: the summary for a destruction that `prevent_destroy` forbids (L111).
    pub fn destruction_prevented(self) -> &'static str {
        match self.engine {
            Engine::Terraform => "Instance cannot be destroyed",
            Engine::OpenTofu => "Resource instance cannot be destroyed",
        }
    }

    fn is_terraform_since(self, minor: u16) -> bool {
        self.engine == Engine::Terraform && self.minor >= minor
    }
}

impl Default for Dialect {
    fn default() -> Dialect {
        Dialect::TERRAFORM_1_11
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let engine = match self.engine {
            Engine::Terraform => "terraform",
            Engine::OpenTofu => "opentofu",
        };
        write!(f, "{engine}-1.{}", self.minor)
    }
}

impl Field for Dialect {
    fn write(&self) -> Json {
        Json::string(&self.to_string())
    }

    fn read(json: &Json) -> Result<Dialect, JsonError> {
        json.expect_string()?.parse().map_err(|_| json.unexpected("a dialect"))
    }
}

impl FromStr for Dialect {
    type Err = DialectError;

    fn from_str(name: &str) -> Result<Dialect, DialectError> {
        let parsed = name.split_once("-1.").and_then(|(engine, minor)| {
            let engine = match engine {
                "terraform" => Engine::Terraform,
                "opentofu" => Engine::OpenTofu,
                _ => return None,
            };
            let digits = !minor.is_empty() && minor.bytes().all(|byte| byte.is_ascii_digit());
            Some(Dialect { engine, minor: digits.then(|| minor.parse().ok())?? })
        });
        parsed.ok_or_else(|| DialectError { found: name.chars().take(60).collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_and_others_are_refused() {
        for dialect in Dialect::ALL {
            assert_eq!(dialect.to_string().parse(), Ok(dialect));
        }
        for name in ["", "terraform", "terraform-1.", "terraform-1.x", "tofu-1.1", "terraform-2.0", "opentofu-1.+1"] {
            assert!(name.parse::<Dialect>().is_err(), "{name}");
        }
    }

    #[test]
    fn versions_between_take_the_last_change_before_them() {
        let of = |name: &str| name.parse::<Dialect>().expect("a dialect");
        assert!(!of("terraform-1.11").merges_new_map_elements() && of("terraform-1.12").merges_new_map_elements());
        assert!(!of("terraform-1.14").has_group_nested_types() && of("terraform-1.15").has_group_nested_types());
        assert!(!of("terraform-1.15").has_computed_blocks() && of("terraform-1.16").has_computed_blocks());
        assert!(!of("opentofu-1.20").has_computed_blocks());
    }
}
