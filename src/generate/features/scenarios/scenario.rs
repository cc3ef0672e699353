//! Features of scenarios: each command, option, event and fact.

use planfuzz_core::address::ResourceKind;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{
    Configured, IgnoreChanges, KeyKind, Lifecycle, Link, Orphan, Presence, PreventDestroy, Provisioner, Repetition,
};
use planfuzz_core::plans::Action;
use planfuzz_core::state::{Object, Status, Stored};
use planfuzz_core::value::{Tri, WrittenPath, WrittenStep};

use super::Mark;
use crate::scenario::{Command, Outside, Scenario, Step, StepOptions};

pub(super) const ROWS: &[&str] = &[
    "kind.managed",
    "kind.data",
    "steps.1",
    "steps.2",
    "steps.3_or_4",
    "steps.more",
    "command.plan",
    "command.apply",
    "command.import",
    "command.refresh",
    "command.destroy",
    "option.skip_refresh",
    "option.replace",
    "option.moved_from",
    "option.forget",
    "option.destroy_moved_unrefreshed",
    "outside.drift",
    "outside.drift_inside",
    "outside.vanish",
    "outside.appear",
    "outside.taint",
    "outside.untaint",
    "presence.configured",
    "presence.orphan",
    "presence.removed",
    "presence.configured_again",
    "config.unknown",
    "config.resolved",
    "config.still_unknown",
    "config.at_validation",
    "config.sensitive",
    "config.ephemeral",
    "lifecycle.create_before_destroy",
    "lifecycle.forced_create_before_destroy",
    "lifecycle.prevent_destroy_yes",
    "lifecycle.prevent_destroy_bad",
    "lifecycle.ignore_all",
    "lifecycle.ignore_name",
    "lifecycle.ignore_inside",
    "lifecycle.ignore_key",
    "lifecycle.ignore_key_and_whole",
    "lifecycle.ignore_keys_of_one_map",
    "lifecycle.keep_on_destroy",
    "trigger.resource",
    "trigger.attribute",
    "trigger.none",
    "trigger.several",
    "condition.pre_true",
    "condition.pre_unknown",
    "condition.pre_false",
    "condition.post_true",
    "condition.post_unknown",
    "condition.post_false",
    "provisioner.create",
    "provisioner.create_fails",
    "provisioner.destroy",
    "provisioner.destroy_fails",
    "provisioner.continues",
    "dependency.reference",
    "dependency.depends_on",
    "dependency.transitive",
    "dependency.pending",
    "dependency.data",
    "in_check",
    "orphan.no_block",
    "orphan.moved",
    "orphan.no_module",
    "orphan.unkeyed_repetition",
    "orphan.enabled",
    "orphan.index_no_count",
    "orphan.index_undeclared",
    "orphan.text_no_for_each",
    "orphan.text_undeclared",
    "orphan.declared",
    "orphan.prevent_destroy",
    "orphan.keep_on_destroy",
    "state.absent",
    "state.current",
    "state.tainted",
    "state.raw_same_version",
    "state.raw_older",
    "state.raw_newer",
    "state.deposed",
    "state.deposed_only",
    "state.private",
    "state.dependencies",
    "state.create_before_destroy",
    "state.sensitive",
    "state.skip_destroy",
    "state.without_remote",
];

/// The rows of dialects.
pub(super) fn dialect_rows() -> impl Iterator<Item = String> {
    Dialect::ALL.iter().map(|dialect| format!("dialect.{dialect}"))
}

/// Marks the features of a scenario, except those of its model.
pub(super) fn observe(scenario: &Scenario, dialect: Dialect, mark: Mark<'_>) {
    if Dialect::ALL.contains(&dialect) {
        mark(&format!("dialect.{dialect}"));
    }
    let mut walk = Walk { mark };
    let Scenario { schema, kind, model: _, state, remote, steps } = scenario;
    walk.mark(match kind {
        ResourceKind::Managed => "kind.managed",
        ResourceKind::Data => "kind.data",
    });
    walk.mark(match steps.len() {
        0 | 1 => "steps.1",
        2 => "steps.2",
        3 | 4 => "steps.3_or_4",
        _ => "steps.more",
    });
    walk.mark_if("state.absent", state.is_absent());
    walk.mark_if("state.current", state.current.is_some());
    walk.mark_if("state.deposed", !state.deposed.is_empty());
    walk.mark_if("state.deposed_only", !state.deposed.is_empty() && state.current.is_none());
    let objects = || state.current.iter().chain(state.deposed.values());
    walk.mark_if("state.without_remote", objects().count() > remote.len());
    objects().for_each(|object| walk.object(object, schema.version));
    let mut absent = false;
    for step in steps {
        walk.step(step);
        let configured = matches!(&*step.presence, Presence::Configured(_));
        walk.mark_if("presence.configured_again", absent && configured);
        absent = !configured;
    }
}

struct Walk<'m> {
    mark: Mark<'m>,
}

impl Walk<'_> {
    fn mark(&mut self, row: &str) {
        (self.mark)(row);
    }

    fn mark_if(&mut self, row: &str, hit: bool) {
        if hit {
            self.mark(row);
        }
    }

    fn object(&mut self, object: &Object, version: u64) {
        let Object { stored, private, status, dependencies, create_before_destroy, sensitive, skip_destroy } = object;
        if let Stored::Raw { version: stored, attributes: _ } = stored {
            self.mark(match stored.cmp(&version) {
                std::cmp::Ordering::Less => "state.raw_older",
                std::cmp::Ordering::Equal => "state.raw_same_version",
                std::cmp::Ordering::Greater => "state.raw_newer",
            });
        }
        self.mark_if("state.tainted", *status == Status::Tainted);
        self.mark_if("state.private", !private.is_none());
        self.mark_if("state.dependencies", !dependencies.is_empty());
        self.mark_if("state.create_before_destroy", *create_before_destroy);
        self.mark_if("state.sensitive", !sensitive.is_empty());
        self.mark_if("state.skip_destroy", *skip_destroy);
    }

    fn step(&mut self, step: &Step) {
        let Step { outside, command, options, presence, at_apply } = step;
        for outside in outside {
            self.outside(outside);
        }
        self.mark(match command {
            Command::Plan => "command.plan",
            Command::Apply => "command.apply",
            Command::Import { .. } => "command.import",
            Command::Refresh => "command.refresh",
            Command::Destroy => "command.destroy",
        });
        let StepOptions { skip_refresh, replace, moved_from, forget } = options;
        self.mark_if("option.skip_refresh", *skip_refresh);
        self.mark_if("option.replace", *replace);
        self.mark_if("option.moved_from", moved_from.is_some());
        self.mark_if("option.forget", *forget);
        let unrefreshed = *command == Command::Destroy && *skip_refresh;
        self.mark_if("option.destroy_moved_unrefreshed", unrefreshed && moved_from.is_some());
        match &**presence {
            Presence::Configured(configured) => {
                self.configured(configured);
                let unknown = !configured.config.value().is_wholly_known();
                self.mark_if("config.unknown", unknown);
                self.mark_if("config.resolved", unknown && at_apply.is_some());
                self.mark_if("config.still_unknown", unknown && at_apply.is_none() && *command != Command::Plan);
            }
            Presence::Orphan(orphan) => {
                self.mark("presence.orphan");
                self.orphan(orphan, moved_from.is_some());
            }
            Presence::Removed(_) => self.mark("presence.removed"),
        }
    }

    fn outside(&mut self, outside: &Outside) {
        self.mark(match outside {
            Outside::Drift { path, .. } if path.steps().len() > 1 => "outside.drift_inside",
            Outside::Drift { .. } => "outside.drift",
            Outside::Vanish => "outside.vanish",
            Outside::Appear(_) => "outside.appear",
            Outside::Taint => "outside.taint",
            Outside::Untaint => "outside.untaint",
        });
    }

    fn configured(&mut self, configured: &Configured) {
        let Configured {
            config,
            ephemeral,
            at_validation,
            lifecycle,
            preconditions,
            postconditions,
            provisioners,
            dependencies,
            in_check,
        } = configured;
        self.mark("presence.configured");
        self.mark_if("config.sensitive", !config.sensitive().is_empty());
        self.mark_if("config.ephemeral", !ephemeral.is_empty());
        self.mark_if("config.at_validation", at_validation.is_some());
        self.lifecycle(lifecycle);
        for condition in preconditions {
            self.mark(match condition {
                Tri::True => "condition.pre_true",
                Tri::Unknown => "condition.pre_unknown",
                Tri::False => "condition.pre_false",
            });
        }
        for condition in postconditions {
            self.mark(match condition {
                Tri::True => "condition.post_true",
                Tri::Unknown => "condition.post_unknown",
                Tri::False => "condition.post_false",
            });
        }
        for Provisioner { on_destroy, fails, on_failure_continue } in provisioners {
            self.mark(match (on_destroy, fails) {
                (false, false) => "provisioner.create",
                (false, true) => "provisioner.create_fails",
                (true, false) => "provisioner.destroy",
                (true, true) => "provisioner.destroy_fails",
            });
            self.mark_if("provisioner.continues", *fails && *on_failure_continue);
        }
        for dependency in dependencies {
            self.mark(match dependency.link {
                Link::Reference => "dependency.reference",
                Link::DependsOn => "dependency.depends_on",
                Link::Transitive => "dependency.transitive",
            });
            self.mark_if("dependency.pending", dependency.actions.iter().any(|action| *action != Action::NoOp));
            self.mark_if("dependency.data", dependency.kind == ResourceKind::Data);
        }
        self.mark_if("in_check", *in_check);
    }

    fn lifecycle(&mut self, lifecycle: &Lifecycle) {
        let Lifecycle {
            create_before_destroy,
            forced_create_before_destroy,
            prevent_destroy,
            ignore_changes,
            replace_triggered_by,
            keep_on_destroy,
        } = lifecycle;
        self.mark_if("lifecycle.create_before_destroy", *create_before_destroy);
        self.mark_if("lifecycle.forced_create_before_destroy", *forced_create_before_destroy);
        self.mark_if("lifecycle.prevent_destroy_yes", *prevent_destroy == PreventDestroy::Yes);
        self.mark_if("lifecycle.prevent_destroy_bad", *prevent_destroy == PreventDestroy::Bad);
        self.mark_if("lifecycle.keep_on_destroy", *keep_on_destroy);
        match ignore_changes {
            IgnoreChanges::All => self.mark("lifecycle.ignore_all"),
            IgnoreChanges::Some(paths) => {
                let whole = |path: &WrittenPath| match path.steps() {
                    [outer @ .., WrittenStep::Key(_)] => paths.iter().any(|other| other.steps() == outer),
                    _ => false,
                };
                self.mark_if("lifecycle.ignore_key_and_whole", paths.iter().any(whole));
                self.mark_if("lifecycle.ignore_keys_of_one_map", has_keys_of_one_map(paths));
                for path in paths {
                    self.mark(match path.steps() {
                        [_] => "lifecycle.ignore_name",
                        [.., WrittenStep::Key(_)] => "lifecycle.ignore_key",
                        _ => "lifecycle.ignore_inside",
                    });
                }
            }
        }
        self.mark_if("trigger.several", replace_triggered_by.len() > 1);
        for trigger in replace_triggered_by {
            self.mark(match (trigger.changes.is_empty(), &trigger.attribute) {
                (true, _) => "trigger.none",
                (false, Some(_)) => "trigger.attribute",
                (false, None) => "trigger.resource",
            });
        }
    }

    fn orphan(&mut self, orphan: &Orphan, moved: bool) {
        let Orphan { block, module, key, repetition, declared, prevent_destroy, keep_on_destroy } = orphan;
        self.mark(match (block, module, key, repetition, declared) {
            (false, ..) if moved => "orphan.moved",
            (false, ..) => "orphan.no_block",
            (true, false, ..) => "orphan.no_module",
            (true, true, KeyKind::None, Repetition::Enabled, _) => "orphan.enabled",
            (true, true, KeyKind::None, Repetition::Count | Repetition::ForEach, _) => "orphan.unkeyed_repetition",
            (true, true, KeyKind::Index, Repetition::Count, false) => "orphan.index_undeclared",
            (true, true, KeyKind::Text, Repetition::ForEach, false) => "orphan.text_undeclared",
            (true, true, KeyKind::Index, repetition, _) if *repetition != Repetition::Count => "orphan.index_no_count",
            (true, true, KeyKind::Text, repetition, _) if *repetition != Repetition::ForEach => {
                "orphan.text_no_for_each"
            }
            _ => "orphan.declared",
        });
        self.mark_if("orphan.prevent_destroy", *prevent_destroy != PreventDestroy::No);
        self.mark_if("orphan.keep_on_destroy", *keep_on_destroy);
    }
}

/// Whether two entries of `ignore_changes` name different keys of one map (L69).
fn has_keys_of_one_map(paths: &[WrittenPath]) -> bool {
    let key_of = |path: &WrittenPath| match path.steps() {
        [outer @ .., WrittenStep::Key(key)] => Some((outer.to_vec(), key.clone())),
        _ => None,
    };
    let keys: Vec<_> = paths.iter().filter_map(key_of).collect();
    keys.iter().enumerate().any(|(at, (outer, key))| keys[..at].iter().any(|(other, its)| other == outer && its != key))
}
