//! The steps of a case: commands with their options, edits before them, and what happens and fails meanwhile.

use std::collections::{BTreeMap, BTreeSet};

use planfuzz_core::json::Json;
use planfuzz_core::plans::Mode;
use planfuzz_workspace::{Import, Interrupt, Meanwhile, Options, Saved};

use super::choices::Choices;
use super::grow::Grower;
use super::kit::Kind;
use super::project::{Id, Repeat};
use super::render::files;
use crate::case::{Command, Step, edits_between};
use crate::model::{Fail, How, Outside};

type Features = BTreeSet<&'static str>;

/// All steps; the first one begins with nothing stored.
pub(super) fn steps(grower: &mut Grower<'_, '_>, features: &mut Features) -> Vec<Step> {
    let mut before = files(&grower.project);
    let mut first = Step::of(if grower.choices.chance(6) { Command::Plan } else { Command::Apply });
    grower.meanwhile(&mut first, 8, features);
    let mut steps = vec![first];
    for _ in 0..grower.choices.below(grower.settings.steps + 1) {
        steps.push(grower.step(&mut before, features));
    }
    // Last, so that the draws before it do not depend on it.
    steps.iter_mut().for_each(|step| grower.interrupted(step, features));
    steps
}

/// Replaces targets by excludes; no step has both.
pub(super) fn exclude(step: &mut Step, choices: &mut Choices<'_>, features: &mut Features) {
    if !step.options.targets.is_empty() && choices.chance(35) {
        step.options.excludes = std::mem::take(&mut step.options.targets);
        features.insert("exclude");
    }
}

/// Options without those that a command does not take.
pub(crate) fn fit(step: &mut Step) {
    let options = std::mem::take(&mut step.options);
    step.options = match step.command {
        Command::Plan | Command::Apply | Command::ApplySaved(_) => options,
        Command::Refresh => {
            let Options { targets, excludes, variables, .. } = options;
            Options { targets, excludes, variables, ..Options::default() }
        }
        Command::Import(_) => Options { variables: options.variables, ..Options::default() },
    };
}

/// The name that the object of an instance has, by the key as it is written in an address.
fn named(name: &str, repeat: &Repeat, key: &str) -> String {
    match repeat {
        Repeat::One => name.to_owned(),
        Repeat::Count(..) | Repeat::Each(..) => {
            format!("{name}-{}", key.trim_matches(|char| matches!(char, '[' | ']' | '"')))
        }
    }
}

impl Grower<'_, '_> {
    fn step(&mut self, before: &mut BTreeMap<String, Json>, features: &mut Features) -> Step {
        let mut step = Step::of(Command::Apply);
        self.edited.clear();
        if self.choices.chance(70) {
            for module in &mut self.project.modules {
                module.moved.clear();
                module.removed.clear();
                module.imports.clear();
            }
        }
        if self.choices.chance(70) {
            for _ in 0..1 + self.choices.below(2) {
                features.extend(self.edit());
            }
        }
        if self.leaves_old.is_some() && self.choices.chance(20) {
            features.extend(self.switch_provider_of_old());
        }
        step.command = self.command(features);
        let after = files(&self.project);
        step.edits = edits_between(before, &after);
        *before = after;
        self.options(&mut step, features);
        fit(&mut step);
        self.meanwhile(&mut step, 20, features);
        step
    }

    /// The command. An import is mostly of a new block.
    fn command(&mut self, features: &mut Features) -> Command {
        match self.choices.below(100) {
            0..76 => Command::Apply,
            76..84 => Command::Plan,
            84..89 => {
                features.insert("command: refresh");
                Command::Refresh
            }
            89..94 => {
                let imports = self.importing();
                features.extend(imports.as_ref().map(|_| "command: import"));
                imports.map_or(Command::Apply, Command::Import)
            }
            _ => {
                features.insert("command: apply of a saved plan");
                Command::ApplySaved(Saved::default())
            }
        }
    }

    fn importing(&mut self) -> Option<Import> {
        if self.choices.chance(60) {
            self.push_block(0);
        }
        let mut places = self.project.places();
        places.retain(|(module, place)| self.project.modules[*module].blocks[*place].kind.is_managed());
        let newest =
            places.iter().max_by_key(|(module, place)| self.project.modules[*module].blocks[*place].id).copied();
        let any = self.choices.pick(&places).copied();
        let (module, place) = if self.choices.chance(70) { newest? } else { any? };
        let path = self.keyed(module)?;
        let whereabouts = self.whereabouts(module);
        let block = self.project.modules[module].blocks.get(place)?.clone();
        let key = self.choices.pick(&block.repeat.keys())?.clone();
        let name = format!("{}{whereabouts}", block.name);
        let id = match self.choices.below(10) {
            0 => "none".to_owned(),
            1 => format!("id-{}", block.name),
            _ => format!("id-{}", named(&name, &block.repeat, &key)),
        };
        Some(Import { to: format!("{path}{}{key}", block.address()), id })
    }

    /// What differs when a saved plan is applied.
    fn saved(&mut self, given: &[(String, String)]) -> Saved {
        let state = match self.choices.below(7) {
            0 => Meanwhile::Written,
            1 => Meanwhile::Foreign,
            _ => Meanwhile::Nothing,
        };
        let mut variables = Vec::new();
        if self.choices.chance(70) {
            let again = self.choices.chance(70);
            variables.extend(
                given.first().map(|(name, value)| (name.clone(), if again { value.clone() } else { "other".into() })),
            );
        }
        if self.choices.chance(40) {
            let mut left = self.root_variables();
            left.retain(|name| given.iter().all(|(known, _)| known != name));
            variables.extend(self.choices.pick(&left).map(|name| (name.clone(), "late".to_owned())));
        }
        Saved { state, variables }
    }

    /// The names of the variables of the root module.
    fn root_variables(&self) -> Vec<String> {
        self.project.modules[0].variables.iter().map(|variable| variable.name.clone()).collect()
    }

    fn options(&mut self, step: &mut Step, features: &mut Features) {
        if self.choices.chance(12) {
            let root = self.root_variables();
            let given = self.choices.pick(&root).map(|name| (name.clone(), "given".to_owned()));
            features.extend(given.as_ref().map(|_| "variable given"));
            step.options.variables.extend(given);
        }
        if let Command::ApplySaved(_) = step.command {
            let saved = self.saved(&step.options.variables);
            if saved.state != Meanwhile::Nothing {
                features.insert("saved plan of another state");
            }
            if !saved.variables.is_empty() {
                features.insert("saved plan with variables");
            }
            step.command = Command::ApplySaved(saved);
        }
        if self.choices.chance(8) {
            step.options.parallelism = [1, 1, 2, 5][self.choices.below(4)];
            features.insert("parallelism");
        }
        let Some(name) = self.mode_or_scope(step, features) else { return };
        if self.choices.chance(10) {
            step.options.refresh = false;
        }
        features.insert(name);
    }

    /// Another mode, targets, replacements, or no refresh; the name of the feature.
    fn mode_or_scope(&mut self, step: &mut Step, features: &mut Features) -> Option<&'static str> {
        let options = &mut step.options;
        // An object that a failure left behind gets a destruction more often.
        let drawn = self.choices.below(100);
        let drawn = if self.leaves_old.take().is_some() { drawn / 4 } else { drawn };
        Some(match drawn {
            0..8 => {
                options.mode = Mode::Destroy;
                if self.choices.chance(25) {
                    let target = self.address(true);
                    features.extend(target.as_ref().map(|_| "destroy of a target"));
                    step.options.targets.extend(target);
                }
                "destroy"
            }
            8..12 => {
                options.mode = Mode::RefreshOnly;
                if self.choices.chance(25) {
                    let target = self.address(true);
                    features.extend(target.as_ref().map(|_| "refresh-only of a target"));
                    step.options.targets.extend(target);
                }
                "refresh-only"
            }
            12..20 => {
                let target = self.address(true);
                step.options.targets.extend(target);
                if self.choices.chance(25) {
                    let other = self.other_target();
                    step.options.targets.extend(other);
                }
                "target"
            }
            20..25 => {
                let address = self.address(false);
                step.options.replace.extend(address);
                "replace"
            }
            25..29 => {
                let address = self.address(false);
                step.taint.extend(address);
                "taint"
            }
            29..33 => {
                options.refresh = false;
                "no refresh"
            }
            _ => return None,
        })
    }

    /// A second target: also data in a check, or an instance that does not exist.
    fn other_target(&mut self) -> Option<String> {
        let modules = self.project.modules.iter().enumerate();
        let in_checks = modules.flat_map(|(module, of)| {
            let data = of.checks.iter().filter_map(|check| check.data.as_ref());
            data.map(move |data| (module, data.address()))
        });
        let in_checks: Vec<(usize, String)> = in_checks.collect();
        match self.choices.pick(&in_checks).filter(|_| self.choices.chance(50)) {
            Some((module, address)) => Some(format!("{}{address}", self.project.path_to(*module)?)),
            None if self.choices.chance(30) => Some(format!("{}[\"none\"]", self.address(false)?.split('[').next()?)),
            None => self.address(true),
        }
    }

    /// The address of an instance; of a block or module, too, if `may_be_more`.
    fn address(&mut self, may_be_more: bool) -> Option<String> {
        let places = self.project.places();
        let (module, place) = *self.choices.pick(&places)?;
        let path = self.project.path_to(module)?;
        let path = match self.choices.chance(50) {
            true => self.keyed(module).unwrap_or(path),
            false if may_be_more => path,
            false => self.keyed(module).unwrap_or(path),
        };
        if may_be_more && module > 0 && self.choices.chance(25) {
            return Some(path.trim_end_matches('.').to_owned());
        }
        let block = self.project.modules[module].blocks.get(place)?;
        if !block.kind.is_managed() && !may_be_more || block.kind == Kind::Ephemeral {
            return None;
        }
        let address = block.address();
        let keys = block.repeat.keys();
        let key = match may_be_more && self.choices.chance(40) {
            true => String::new(),
            false => self.choices.pick(&keys)?.clone(),
        };
        Some(format!("{path}{address}{key}"))
    }

    /// The way to a module, by the first instance of each call.
    fn keyed(&self, module: usize) -> Option<String> {
        if module == 0 {
            return Some(String::new());
        }
        let (parent, call) = self
            .project
            .modules
            .iter()
            .enumerate()
            .find_map(|(parent, it)| Some((parent, it.calls.iter().find(|call| call.module == module)?)))?;
        let key = call.repeat.keys().into_iter().next()?;
        Some(format!("{}module.{}{key}.", self.keyed(parent)?, call.name))
    }

    /// What the first instances of the modules around add to the names of objects.
    fn whereabouts(&self, module: usize) -> String {
        let calls = self.project.modules.iter().enumerate();
        let mut calls = calls.filter(|(parent, _)| *parent < module);
        let found = calls.find_map(|(parent, it)| Some((parent, it.calls.iter().find(|call| call.module == module)?)));
        let Some((parent, call)) = found else { return String::new() };
        let own = match &call.repeat {
            Repeat::One => String::new(),
            Repeat::Count(..) => "-0".into(),
            Repeat::Each(keys, _) => format!("-{}", keys.first().map_or("", String::as_str)),
        };
        format!("{}{own}", self.whereabouts(parent))
    }

    /// A signal in an apply: what had been made before it, and what was under way.
    fn interrupted(&mut self, step: &mut Step, features: &mut Features) {
        if !matches!(step.command, Command::Apply | Command::ApplySaved(_)) || !self.choices.chance(5) {
            return;
        }
        let mut interrupt = Interrupt::default();
        let under_way = self.node();
        interrupt.under_way.extend(under_way);
        for _ in 0..self.choices.below(8) {
            let finished = self.node();
            interrupt.finished.extend(finished.filter(|node| !interrupt.under_way.contains(node)));
        }
        features.insert("signal");
        step.options.interrupt = Some(interrupt);
    }

    /// A node of an apply that makes or destroys something.
    fn node(&mut self) -> Option<String> {
        let address = self.address(false)?;
        Some(if self.choices.chance(30) { format!("{address} (destroy)") } else { address })
    }

    /// What happens outside, and what fails.
    fn meanwhile(&mut self, step: &mut Step, outside: u32, features: &mut Features) {
        if let Some((_, name)) = self.object().filter(|_| self.choices.chance(outside)) {
            let set = match self.choices.below(3) {
                0 => None,
                1 => Some(Json::object([("out", Json::string("drifted"))])),
                _ => Some(Json::object([("size", Json::int(9))])),
            };
            features.insert(if set.is_none() { "gone outside" } else { "drifted" });
            step.events.outside.push(Outside { name, set });
        }
        if let Some((id, name)) = self.replaced_first().filter(|_| self.choices.chance(25)) {
            features.insert("old object stays");
            step.events.fails.push(Fail { call: "delete".into(), name, how: How::Error });
            self.leaves_old = Some(id);
        }
        if let Some((id, name)) = self.left_behind.clone().filter(|_| self.choices.chance(40)) {
            features.insert("old object stays");
            step.events.fails.push(Fail { call: "delete".into(), name, how: How::Error });
            self.leaves_old = Some(id);
        }
        if self.choices.chance(14) {
            for _ in 0..1 + self.choices.below(2) {
                let Some((kind, name)) = self.object() else { continue };
                let calls: &[&str] = match kind {
                    Kind::Info => &["read_data", "read_data", "validate_data"],
                    Kind::Ephemeral => &["open", "validate_ephemeral"],
                    _ => &[
                        "apply",
                        "apply",
                        "apply",
                        "apply",
                        "delete",
                        "delete",
                        "plan",
                        "read",
                        "validate",
                        "upgrade",
                        "plan_delete",
                    ],
                };
                let Some(call) = self.choices.pick(calls) else { continue };
                let hows = [How::Error, How::Error, How::Null, How::Prior, How::Warning, How::Lost];
                let how = *self.choices.pick(&hows).unwrap_or(&How::Error);
                features.insert(match *call {
                    "apply" => "apply fails",
                    "delete" => "delete fails",
                    _ => "another call fails",
                });
                step.events.fails.push(Fail { call: (*call).to_owned(), name, how });
            }
        }
    }

    /// The object of a block that was edited and is created before it is destroyed.
    fn replaced_first(&mut self) -> Option<(Id, String)> {
        let creates_first = |block: &super::project::Block| block.lifecycle.create_before_destroy == Some(true);
        let mut places = self.edited_places();
        places.retain(|(module, place)| creates_first(&self.project.modules[*module].blocks[*place]));
        let (module, place) = *self.choices.pick(&places)?;
        let id = self.project.modules[module].blocks[place].id;
        self.object_of(module, place).map(|(_, name)| (id, name))
    }

    /// Where the blocks are that were edited before this step.
    fn edited_places(&self) -> Vec<(usize, usize)> {
        let is_edited =
            |(module, place): &(usize, usize)| self.edited.contains(&self.project.modules[*module].blocks[*place].id);
        self.project.places().into_iter().filter(is_edited).collect()
    }

    /// An object by the name that its provider knows; often one of a block that was edited.
    fn object(&mut self) -> Option<(Kind, String)> {
        let edited = self.edited_places();
        let places = match !edited.is_empty() && self.choices.chance(50) {
            true => edited,
            false => self.project.places(),
        };
        let (module, place) = *self.choices.pick(&places)?;
        self.object_of(module, place)
    }

    fn object_of(&mut self, module: usize, place: usize) -> Option<(Kind, String)> {
        let block = self.project.modules[module].blocks.get(place)?;
        let (kind, repeat) = (block.kind, block.repeat.clone());
        let name = format!("{}{}", block.name, self.whereabouts(module));
        let name = match repeat {
            Repeat::One => name,
            Repeat::Count(count, _) => format!("{name}-{}", self.choices.below(count.max(1))),
            Repeat::Each(keys, _) => format!("{name}-{}", self.choices.pick(&keys)?),
        };
        Some((kind, name))
    }
}
