//! The numbers of section 2.1 and of sections 2.4, 2.5 and 2.7, beside the names that `docs/formats.md` has for them.

use planfuzz_core::dialect::Engine;

/// Names with their numbers, and the engine that has the name, where only one has it.
type Table = &'static [(&'static str, i32, Option<Engine>)];

pub(super) const MODES: Table = &[("normal", 0, None), ("destroy", 1, None), ("refresh_only", 2, None)];

/// Section 2.4.
pub(super) const ACTIONS: Table = &[
    ("no_op", 0, None),
    ("create", 1, None),
    ("read", 2, None),
    ("update", 3, None),
    ("delete", 5, None),
    ("delete_then_create", 6, None),
    ("create_then_delete", 7, None),
    ("forget", 8, None),
    ("create_then_forget", 9, Some(Engine::Terraform)),
    ("forget_then_create", 10, Some(Engine::OpenTofu)),
];

/// Section 2.5.
pub(super) const REASONS: Table = &[
    ("", 0, None),
    ("replace_because_tainted", 1, None),
    ("replace_by_request", 2, None),
    ("replace_because_cannot_update", 3, None),
    ("delete_because_no_resource_config", 4, None),
    ("delete_because_wrong_repetition", 5, None),
    ("delete_because_count_index", 6, None),
    ("delete_because_each_key", 7, None),
    ("delete_because_no_module", 8, None),
    ("replace_by_triggers", 9, None),
    ("read_because_config_unknown", 10, None),
    ("read_because_dependency_pending", 11, None),
    ("delete_because_no_move_target", 12, None),
    ("read_because_check_nested", 13, None),
    ("delete_because_enabled_false", 14, Some(Engine::OpenTofu)),
    ("forgot_because_lifecycle_destroy_in_state", 15, Some(Engine::OpenTofu)),
    ("forgot_because_lifecycle_destroy_in_config", 16, Some(Engine::OpenTofu)),
];

/// Field 27 of section 2.1.
pub(super) const DEFERRALS: Table = &[
    ("invalid", 0, None),
    ("instance_count_unknown", 1, None),
    ("resource_config_unknown", 2, None),
    ("provider_config_unknown", 3, None),
    ("absent_prerequisite", 4, None),
    ("deferred_prerequisite", 5, None),
];

/// Section 2.7.
pub(super) const CHECK_KINDS: Table = &[
    ("unspecified", 0, None),
    ("resource", 1, None),
    ("output_value", 2, None),
    ("check", 3, None),
    ("input_variable", 4, None),
];

pub(super) const CHECK_STATUSES: Table =
    &[("unknown", 0, None), ("pass", 1, None), ("fail", 2, None), ("error", 3, None)];

/// The number of a name in the files of an engine; `None` where it has none.
pub(super) fn number(table: Table, name: &str, engine: Engine) -> Option<u64> {
    let (_, number, of) = table.iter().find(|(probe, _, _)| *probe == name)?;
    if of.is_some_and(|of| of != engine) { None } else { u64::try_from(*number).ok() }
}

/// The name of a number, likewise (PF32).
pub(super) fn name(table: Table, number: i32, engine: Engine) -> Option<&'static str> {
    let (name, _, of) = table.iter().find(|(_, probe, _)| *probe == number)?;
    if of.is_some_and(|of| of != engine) { None } else { Some(name) }
}
