//! `moved`, `removed`, `import` and `check` blocks (E22 to E25).

use planfuzz_core::address::{ConfigResource, Module, Resource, ResourceMode};

use super::Decoder;
use super::address::{AddressStep, steps};
use crate::config::body::Block;
use crate::config::content::{ContentSchema, content};
use crate::config::statics;
use crate::config::tree::{
    Check, Expr, Import, ImportTarget, KeyExpressions, Moved, Removed, StepKind, TargetKey, Traversal,
};
use crate::diagnostic::Diagnostic;
use crate::expression::Expression;
use crate::place::SourcePlace;

/// The kind of object that an address names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Module,
    Resource,
}

impl Decoder<'_> {
    pub(super) fn moved(&mut self, block: Block) {
        let schema = ContentSchema { attributes: &[("from", true), ("to", true)], blocks: &[] };
        let mut found = content(block.body, schema, &mut self.diagnostics);
        let from = found.take("from").and_then(|attribute| self.reference(&attribute));
        let to = found.take("to").and_then(|attribute| self.reference(&attribute));
        let from = from.and_then(|from| Some((self.target(&from)?, from)));
        let to = to.and_then(|to| Some((self.target(&to)?, to)));
        let (Some((from_kind, from)), Some((to_kind, to))) = (from, to) else { return };
        if from_kind != to_kind && !fault!(MovedToModule) {
            let detail =
                "The \"from\" and \"to\" addresses must either both refer to resources or both refer to modules.";
            self.error("Invalid \"moved\" addresses", detail, block.header);
            return;
        }
        self.module.moved.push(Moved { from, to, header: block.header });
    }

    /// Whether an address names a module or a resource; anything else is reported (E22).
    fn target(&mut self, address: &Traversal) -> Option<Target> {
        let mut names = Names { traversal: address, at: 0 };
        let mut word = names.name();
        while word == Some("module") {
            if names.name().is_none() {
                self.error(
                    "Invalid address",
                    "Module call prefix \"module\" must be followed by a name.",
                    address.place,
                );
                return None;
            }
            names.key();
            if names.is_at_end() {
                return Some(Target::Module);
            }
            word = names.name();
        }
        if matches!(word, Some("data" | "resource")) {
            word = names.name();
        } else if let Some(word) = word.filter(|word| RESERVED.contains(word)) {
            let detail = format!("The keyword {word:?} is reserved and cannot be used to target a resource address.");
            self.error("Invalid address", detail, address.place);
            return None;
        }
        let (Some(_), Some(_)) = (word, names.name()) else {
            let detail = "Resource specification must include a resource type and name.";
            self.error("Invalid address", detail, address.place);
            return None;
        };
        if let Some(StepKind::Attribute(_)) = names.peek() {
            let place = names.place();
            self.error("Invalid address", "Resource instance key must be given in square brackets.", place);
            return None;
        }
        names.key();
        if !names.is_at_end() {
            let place = names.place();
            self.error("Invalid address", "Unexpected extra operators after address.", place);
            return None;
        }
        Some(Target::Resource)
    }

    pub(super) fn removed(&mut self, block: Block) {
        let schema = ContentSchema {
            attributes: &[("from", true)],
            blocks: &[("lifecycle", &[]), ("connection", &[]), ("provisioner", &["type"])],
        };
        let mut found = content(block.body, schema, &mut self.diagnostics);
        let from = found.take("from").and_then(|attribute| self.reference(&attribute));
        let mut removed = from.and_then(|from| {
            self.without_keys(&from).then(|| Removed {
                from,
                destroy: None,
                connection: None,
                provisioners: Vec::new(),
                header: block.header,
            })
        });
        for block in found.blocks {
            let header = block.header;
            match block.kind.text.as_str() {
                "lifecycle" => {
                    let schema = ContentSchema { attributes: &[("destroy", false)], blocks: &[] };
                    let mut lifecycle = content(block.body, schema, &mut self.diagnostics);
                    let destroy = lifecycle.take("destroy");
                    let destroy = self.bool(destroy);
                    if let Some(removed) = &mut removed {
                        removed.destroy = destroy;
                    }
                }
                "connection" => {
                    if let Some(removed) = &mut removed {
                        removed.connection = Some(block.body);
                    }
                }
                _ => {
                    let Some(provisioner) = self.provisioner(block) else { continue };
                    if !provisioner.at_destroy {
                        let detail = "Only destroy-time provisioners are valid in \"removed\" blocks. To declare a destroy-time provisioner, use: when = destroy";
                        self.error("Invalid provisioner block", detail, header);
                    }
                    if let Some(removed) = &mut removed {
                        removed.provisioners.push(provisioner);
                    }
                }
            }
        }
        self.module.removed.extend(removed);
    }

    /// Whether an address has no instance key and names no data resource (E23); reports it otherwise.
    fn without_keys(&mut self, address: &Traversal) -> bool {
        let rest = behind_name(address);
        if rest.is_none() && self.target(address).is_none() {
            return false;
        }
        let (what, key) = match rest {
            Some(rest) => ("Resource", address.steps.get(rest)),
            None => ("Module", None),
        };
        let key = key.or_else(|| address.steps.iter().find(|step| matches!(step.kind, StepKind::Index(_))));
        if let Some(key) = key.filter(|_| !fault!(InstanceRemoved)) {
            let detail = format!("{what} address must not have an instance key.");
            self.error(format!("{what} instance keys not allowed"), detail, key.place);
            return false;
        }
        let names: Vec<&str> = std::iter::once(address.root.as_str())
            .chain(address.steps.iter().filter_map(|step| match &step.kind {
                StepKind::Attribute(name) => Some(name.as_str()),
                StepKind::Index(_) => None,
            }))
            .collect();
        let rest = after_modules(&names);
        if rest.first() == Some(&"data") {
            let detail = "Data sources are never destroyed, so they are not valid targets of removed blocks.";
            self.error("Data source address not allowed", detail, address.place);
            return false;
        }
        true
    }

    pub(super) fn import(&mut self, block: Block) {
        let schema = ContentSchema {
            attributes: &[("to", true), ("id", true), ("provider", false), ("for_each", false)],
            blocks: &[],
        };
        let before = self.diagnostics.len();
        let mut found = content(block.body, schema, &mut self.diagnostics);
        let has_faults = self.diagnostics.len() > before;
        let (id, for_each) = (found.take("id"), found.take("for_each"));
        let id = id.map(|attribute| self.expr(attribute));
        let for_each = for_each.map(|attribute| self.expr(attribute));
        let mut place = block.header;
        let to = found.take("to").map(|attribute| {
            place = attribute.place();
            Expr::read_reference(attribute.value, self.sources)
        });
        let address = to.as_ref().map(|to| self.address_expression(&to.written));
        // E24: an address that is read is looked at, and the provider beside it, where the block has the arguments that it must have.
        if address.as_ref().is_some_and(|address| address.is_err() || has_faults) {
            return;
        }
        let target = to.as_ref().zip(address).and_then(|(to, address)| {
            let target = self.import_target(to, &address.ok()?);
            if target.is_none() {
                self.error("Invalid import address", "Only managed resources can be imported.", place);
            }
            target
        });
        let provider = found.take("provider").and_then(|attribute| {
            let form = statics::read(&attribute.value, self.sources);
            self.provider_ref(form, &attribute.value)
        });
        let (Some(to), Some(target)) = (to, target) else { return };
        let text = crate::config::expr::text_of(&to.written, self.sources).to_owned();
        if provider.is_some() && !target.resource.module.0.is_empty() {
            let detail = "Blocks of modules have the providers that they are given: an import to one names none.";
            self.error("Invalid import provider argument", detail, place);
        }
        // An import with errors does not count, and keys that are expressions are unknown here.
        let is_sound = !self.diagnostics[before..].iter().any(Diagnostic::is_error);
        if is_sound && target.expressions.is_none() {
            self.imported_once(&target.resource, &without_spaces(&text), to.written.place());
        }
        self.module.imports.push(Import { to, target, id, for_each, provider, header: block.header });
    }

    /// E24: reports an import once for each earlier import to the same object, with the address of its resource.
    fn imported_once(&mut self, resource: &ConfigResource, object: &str, place: SourcePlace) {
        let before = self.declared.count("import", object);
        for _ in (0..before).filter(|_| !fault!(DuplicatesTaken)) {
            let detail = format!("Another import block is for {object} already.");
            self.error(format!("Duplicate import configuration for {:?}", resource.to_string()), detail, place);
        }
    }

    /// The managed resource that an address names; keys may be expressions. Anything else is reported (E24).
    fn import_target(&mut self, to: &Expr, address: &Expression) -> Option<ImportTarget> {
        let written = &to.written;
        let Some(steps) = steps(address) else {
            let detail = "A single static variable reference is required: only attribute access and indexing.";
            self.error("Invalid expression", detail, written.place());
            return None;
        };
        // Keys that are expressions are ignored here.
        let is_open = |step: &AddressStep<'_>| step.key() == Some(TargetKey::Expression);
        let is_static = |step: &&AddressStep<'_>| !is_open(step);
        let mut names = steps.iter().filter(is_static).peekable();
        let mut module = Vec::new();
        while names.next_if(|step| matches!(step, AddressStep::Name("module"))).is_some() {
            let Some(AddressStep::Name(name)) = names.next() else {
                let detail = "Prefix \"module.\" must be followed by a module name.";
                self.error("Invalid address operator", detail, written.place());
                return None;
            };
            module.push((*name).to_owned());
            names.next_if(|step| step.key().is_some());
            if matches!(names.peek(), Some(AddressStep::Key(_))) {
                let detail = "Module address prefix must be followed by dot and then a name.";
                self.error("Invalid address operator", detail, written.place());
                return None;
            }
        }
        let rest: Vec<&AddressStep<'_>> = names.collect();
        let (rest, mode) = match rest.split_first() {
            Some((AddressStep::Name(mode @ ("resource" | "data" | "ephemeral")), rest)) => (rest, Some(*mode)),
            _ => (&rest[..], None),
        };
        let detail = match rest {
            [] => "A resource instance address is required here.".to_owned(),
            [AddressStep::Name(word), ..] if mode.is_none() && RESERVED.contains(word) => {
                format!("The keyword {word:?} is reserved and cannot be used to target a resource address.")
            }
            [_] => "Resource specification must include a resource type and name.".to_owned(),
            [AddressStep::Name(type_name), AddressStep::Name(name), rest @ ..] => match rest {
                [AddressStep::Name(_), ..] => "Resource instance key must be given in square brackets.".to_owned(),
                [step] if step.key().is_none() => "A key is a number or a text.".to_owned(),
                [] | [AddressStep::Key(_)] => {
                    let key = steps.last().and_then(AddressStep::key).unwrap_or(TargetKey::None);
                    let (type_name, name) = ((*type_name).to_owned(), (*name).to_owned());
                    let resource = Resource { mode: ResourceMode::Managed, type_name, name };
                    let resource = ConfigResource { module: Module(module), resource };
                    let is_managed = matches!(mode, None | Some("resource"));
                    let expressions = steps.iter().any(is_open).then(|| key_expressions(to, address));
                    return is_managed.then_some(ImportTarget { resource, key, expressions });
                }
                _ => "Unexpected extra operators after address.".to_owned(),
            },
            _ => "A resource name is required.".to_owned(),
        };
        self.error("Invalid address", detail, written.place());
        None
    }

    pub(super) fn check(&mut self, block: Block) {
        let Some(name) = block.labels.into_iter().next() else { return };
        let schema = ContentSchema { attributes: &[], blocks: &[("data", &["type", "name"]), ("assert", &[])] };
        let found = content(block.body, schema, &mut self.diagnostics);
        self.checked_name(&name, "Invalid check block name");
        self.declared_once("check", &name.text, block.header, || {
            let detail = format!(
                "A check block named {:?} was already declared. Check blocks must be unique within each module.",
                name.text.as_str()
            );
            (format!("Duplicate check {:?} configuration", name.text.as_str()), detail)
        });
        let (mut data, mut asserts, mut has_data) = (None, Vec::new(), false);
        for block in found.blocks {
            let place = block.header;
            if &*block.kind.text == "assert" {
                let before = self.diagnostics.len();
                let rule = self.rule(block, "assert", None);
                // An assert with errors is ignored.
                if self.diagnostics.len() == before {
                    asserts.extend(rule);
                }
                continue;
            }
            if std::mem::replace(&mut has_data, true) {
                self.error(
                    "Multiple data resource blocks",
                    "This check block already has a data resource defined.",
                    place,
                );
                continue;
            }
            data = self.scoped_data(block);
        }
        if asserts.is_empty() && !fault!(CheckWithoutAssert) {
            self.error("Zero assert blocks", "Check blocks must have at least one assert block.", block.header);
        }
        self.module.checks.push(Check { name, data, asserts, header: block.header });
    }

    /// The data resource of a check; it must not repeat (E19).
    fn scoped_data(&mut self, block: Block) -> Option<crate::config::Resource> {
        let attributes: Vec<crate::config::Name> = match &block.body {
            crate::config::Body::Native(body) => {
                body.attributes.iter().map(|attribute| attribute.name.clone()).collect()
            }
            crate::config::Body::Json(body) => {
                body.members.iter().map(|member| crate::config::Name::new(&member.name, member.name_place)).collect()
            }
        };
        for name in attributes {
            if matches!(name.text.as_str(), "count" | "for_each") {
                let detail =
                    "The \"count\" and \"for_each\" meta-arguments are not supported within nested data blocks.";
                self.error(format!("Invalid {:?} attribute", name.text.as_str()), detail, name.place);
            }
        }
        let header = block.header;
        let data = self.resource(block, ResourceMode::Data)?;
        self.declare(&data, ResourceMode::Data, header);
        Some(data)
    }
}

/// Names that no resource type can have.
const RESERVED: [&str; 11] =
    ["arg", "count", "each", "lazy", "local", "module", "path", "self", "template", "terraform", "var"];

/// Whether keys that are expressions can be evaluated.
fn key_expressions(to: &Expr, address: &Expression) -> KeyExpressions {
    let is_seen = |reference: &Traversal| reference.root.as_str() == "each";
    if address.has_call() {
        return KeyExpressions::Flawed("Function calls not allowed");
    }
    // The first reference is the target itself.
    match to.references.iter().skip(1).all(is_seen) {
        true => KeyExpressions::Sound,
        false => KeyExpressions::Flawed("Unknown variable"),
    }
}

/// The names of an address after its modules.
fn after_modules<'n>(names: &'n [&'n str]) -> &'n [&'n str] {
    let mut rest = names;
    while let ["module", _, behind @ ..] = rest {
        rest = behind;
    }
    rest
}

/// The index of the step after the name of a resource in the configuration, even if there is no such step; `None` if the address names no
/// resource.
fn behind_name(address: &Traversal) -> Option<usize> {
    let mut names = Names { traversal: address, at: 0 };
    let mut word = names.name()?;
    while word == "module" {
        names.name()?;
        names.key();
        word = names.name()?;
    }
    if word == "data" {
        names.name()?;
    }
    names.name()?;
    Some(names.at - 1)
}

/// A walk over the steps of an address.
struct Names<'t> {
    traversal: &'t Traversal,
    /// 0 is the root, then the steps.
    at: usize,
}

impl<'t> Names<'t> {
    fn peek(&self) -> Option<&'t StepKind> {
        self.traversal.steps.get(self.at.checked_sub(1)?).map(|step| &step.kind)
    }

    fn place(&self) -> crate::place::SourcePlace {
        self.at
            .checked_sub(1)
            .and_then(|at| self.traversal.steps.get(at))
            .map_or(self.traversal.place, |step| step.place)
    }

    fn name(&mut self) -> Option<&'t str> {
        let name = if self.at == 0 {
            self.traversal.root.as_str()
        } else {
            match self.peek()? {
                StepKind::Attribute(name) => name.as_str(),
                StepKind::Index(_) => return None,
            }
        };
        self.at += 1;
        Some(name)
    }

    fn key(&mut self) {
        if let Some(StepKind::Index(_)) = self.peek() {
            self.at += 1;
        }
    }

    fn is_at_end(&self) -> bool {
        self.at > self.traversal.steps.len()
    }
}

/// An address without the spaces between its parts; spaces within keys are kept.
fn without_spaces(address: &str) -> String {
    let mut is_key = false;
    let is_kept = |char: &char| {
        is_key ^= *char == '"';
        is_key || !char.is_whitespace()
    };
    address.chars().filter(is_kept).collect()
}
