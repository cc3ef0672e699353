//! The steps of a case: commands with their options, edits before them, and what happens and fails meanwhile.

use std::collections::{BTreeMap, BTreeSet};

use planfuzz_core::json::Json;
use planfuzz_core::plans::Mode;

use super::grow::Grower;
use super::kit::Kind;
use super::project::Repeat;
use super::render::files;
use crate::case::{Command, Step};
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
    steps
}

impl Grower<'_, '_> {
    fn step(&mut self, before: &mut BTreeMap<String, Json>, features: &mut Features) -> Step {
        let mut step = Step::of(if self.choices.chance(8) { Command::Plan } else { Command::Apply });
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
        let after = files(&self.project);
        for (path, contents) in &after {
            if before.get(path) != Some(contents) {
                step.edits.insert(path.clone(), Some(contents.clone()));
            }
        }
        for path in before.keys().filter(|path| !after.contains_key(*path)) {
            step.edits.insert(path.clone(), None);
        }
        *before = after;
        self.options(&mut step, features);
        self.meanwhile(&mut step, 20, features);
        step
    }

    fn options(&mut self, step: &mut Step, features: &mut Features) {
        let options = &mut step.options;
        let name = match self.choices.below(100) {
            0..8 => {
                options.mode = Mode::Destroy;
                "destroy"
            }
            8..12 => {
                options.mode = Mode::RefreshOnly;
                "refresh-only"
            }
            12..20 => {
                let target = self.address(true);
                step.options.targets.extend(target);
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
            _ => return,
        };
        if self.choices.chance(10) {
            step.options.refresh = false;
        }
        features.insert(name);
    }

    /// The address of something of the configuration; of an instance, or of more where that may be.
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

    /// What happens outside, and what fails.
    fn meanwhile(&mut self, step: &mut Step, outside: u32, features: &mut Features) {
        if let Some((_, name)) = self.object().filter(|_| self.choices.chance(outside)) {
            let set = match self.choices.below(3) {
                0 => None,
                1 => Some(Json::object([("out", Json::string("drifted"))])),
                _ => Some(Json::object([("size", Json::int(9))])),
            };
            features.insert(if set.is_none() { "gone outside" } else { "drifted" });
            step.world.outside.push(Outside { name, set });
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
                step.world.fails.push(Fail { call: (*call).to_owned(), name, how });
            }
        }
    }

    /// An object by the name that its provider knows.
    fn object(&mut self) -> Option<(Kind, String)> {
        let places = self.project.places();
        let (module, place) = *self.choices.pick(&places)?;
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
