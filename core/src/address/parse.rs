//! Addresses from text (PL75 to PL81).

use super::key::InstanceKey;
use super::module::{Module, ModuleInstance, ModuleStep};
use super::output::OutputAddress;
use super::provider::{ProviderConfig, ProviderSource};
use super::resource::{AbsResource, AbsResourceInstance, Resource, ResourceMode};
use super::target::Target;
use super::tokens::{Token, Tokens};
use crate::dialect::Engine;

/// Why a text is no address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected} at byte {offset} of the address {text:?}")]
pub struct AddressError {
    /// What may stand there.
    pub expected: &'static str,
    /// Where, in bytes from the start.
    pub offset: usize,
    /// The whole text.
    pub text: String,
    /// The summaries that an engine reports when it reads this text by itself (PL83).
    pub summaries: Vec<&'static str>,
}

/// The summary for a traversal that is no address.
const NO_ADDRESS: &str = "Invalid address";
/// The summary for `module` without a name, or with two keys.
const NO_MODULE: &str = "Invalid address operator";

pub(super) fn error(text: &str, offset: usize, expected: &'static str) -> AddressError {
    AddressError { expected, offset, text: text.to_owned(), summaries: vec![NO_ADDRESS] }
}

impl AddressError {
    /// The same error with these summaries.
    pub(super) fn called(self, summaries: impl IntoIterator<Item = &'static str>) -> AddressError {
        AddressError { summaries: summaries.into_iter().collect(), ..self }
    }
}

/// The engine whose rules addresses are read by (PL78).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Notation {
    /// The engine.
    pub engine: Engine,
}

/// Words that Terraform does not take for a resource type (PL78).
const RESERVED: [&str; 11] =
    ["count", "each", "local", "module", "path", "self", "terraform", "var", "template", "lazy", "arg"];

impl Notation {
    /// Reads the address of a resource instance (PL76).
    ///
    /// # Errors
    /// Anything else.
    pub fn instance(self, text: &str) -> Result<AbsResourceInstance, AddressError> {
        let mut reader = Reader::new(text)?;
        let module = reader.module_instance()?;
        let resource = self.resource(&mut reader)?;
        let key = reader.key();
        reader.finish()?;
        Ok(AbsResourceInstance { module, resource, key })
    }

    /// Reads a target, which restricts a plan (PL79).
    ///
    /// # Errors
    /// Anything else.
    pub fn target(self, text: &str) -> Result<Target, AddressError> {
        let mut reader = Reader::new(text)?;
        let module = reader.module_instance()?;
        if !module.is_root() && reader.is_at_end() {
            return Ok(Target::Module(module));
        }
        let resource = self.resource(&mut reader)?;
        let key = reader.key();
        reader.finish()?;
        Ok(match key {
            InstanceKey::None => Target::Resource(AbsResource { module, resource }),
            key => Target::Instance(AbsResourceInstance { module, resource, key }),
        })
    }

    fn resource(self, reader: &mut Reader<'_>) -> Result<Resource, AddressError> {
        let is_prefixed = self.engine == Engine::Terraform && reader.peek_name() == Some("resource");
        if is_prefixed {
            reader.name()?;
        }
        let mode = match reader.peek_name() {
            Some("data") if !is_prefixed => ResourceMode::Data,
            Some("ephemeral") if !is_prefixed => ResourceMode::Ephemeral,
            _ => ResourceMode::Managed,
        };
        if mode != ResourceMode::Managed {
            reader.name()?;
        }
        let is_reserved = |name: &str| self.engine == Engine::Terraform && RESERVED.contains(&name);
        if !is_prefixed && mode == ResourceMode::Managed && reader.peek_name().is_some_and(is_reserved) {
            return Err(reader.expected("a resource type"));
        }
        Ok(Resource { mode, type_name: reader.name()?, name: reader.name()? })
    }
}

impl ModuleInstance {
    /// Reads an instance of a module; the root is the empty text.
    ///
    /// # Errors
    /// Anything else.
    pub fn parse(text: &str) -> Result<ModuleInstance, AddressError> {
        if text.is_empty() {
            return Ok(ModuleInstance::ROOT);
        }
        let mut reader = Reader::new(text)?;
        let module = reader.module_instance()?;
        reader.finish()?;
        Ok(module)
    }
}

impl OutputAddress {
    /// Reads the address of an output.
    ///
    /// # Errors
    /// Anything else.
    pub fn parse(text: &str) -> Result<OutputAddress, AddressError> {
        let mut reader = Reader::new(text)?;
        let module = reader.module_instance()?;
        if reader.peek_name() != Some("output") {
            return Err(reader.expected("\"output\""));
        }
        reader.name()?;
        let name = reader.name()?;
        reader.finish()?;
        Ok(OutputAddress { module, name })
    }
}

impl ProviderConfig {
    /// Reads the address of a provider's configuration.
    ///
    /// # Errors
    /// Anything else.
    pub fn parse(text: &str) -> Result<ProviderConfig, AddressError> {
        let mut reader = Reader::new(text)?;
        let mut names = Vec::new();
        while reader.peek_name() == Some("module") {
            reader.name()?;
            names.push(reader.name()?);
        }
        if reader.peek_name() != Some("provider") {
            return Err(reader.expected("\"provider\""));
        }
        reader.name()?;
        let at = reader.offset();
        let source = match reader.key() {
            InstanceKey::Text(source) => ProviderSource::parse(&source),
            _ => None,
        };
        let source = source.ok_or_else(|| error(text, at, "the source of a provider, with three parts"))?;
        let alias = reader.peek_name().is_some().then(|| reader.name()).transpose()?;
        let key = reader.key();
        reader.finish()?;
        Ok(ProviderConfig { module: Module(names), source, alias, key })
    }
}

/// Reads the steps of an address one after the other.
struct Reader<'t> {
    text: &'t str,
    tokens: std::vec::IntoIter<(usize, Token)>,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str) -> Result<Reader<'t>, AddressError> {
        Ok(Reader { text, tokens: Tokens::new(text).read()?.into_iter() })
    }

    /// Where the next step begins.
    fn offset(&self) -> usize {
        self.tokens.as_slice().first().map_or(self.text.len(), |(at, _)| *at)
    }

    fn expected(&self, what: &'static str) -> AddressError {
        error(self.text, self.offset(), what)
    }

    fn is_at_end(&self) -> bool {
        self.tokens.as_slice().is_empty()
    }

    fn peek_name(&self) -> Option<&str> {
        match self.tokens.as_slice().first() {
            Some((_, Token::Name(name))) => Some(name),
            _ => None,
        }
    }

    fn name(&mut self) -> Result<String, AddressError> {
        let at = self.offset();
        match self.tokens.next() {
            Some((_, Token::Name(name))) => Ok(name),
            _ => Err(error(self.text, at, "a name")),
        }
    }

    /// The key that follows, if one does.
    fn key(&mut self) -> InstanceKey {
        match self.tokens.as_slice().first() {
            Some((_, Token::Key(_))) => match self.tokens.next() {
                Some((_, Token::Key(key))) => key,
                _ => InstanceKey::None,
            },
            _ => InstanceKey::None,
        }
    }

    fn module_instance(&mut self) -> Result<ModuleInstance, AddressError> {
        let mut steps = Vec::new();
        while self.peek_name() == Some("module") {
            self.name()?;
            let name = self.name().map_err(|error| error.called([NO_MODULE]))?;
            steps.push(ModuleStep { name, key: self.key() });
            if matches!(self.tokens.as_slice().first(), Some((_, Token::Key(_)))) {
                return Err(self.expected("one key of a module").called([NO_MODULE]));
            }
        }
        Ok(ModuleInstance(steps))
    }

    fn finish(&self) -> Result<(), AddressError> {
        if self.is_at_end() { Ok(()) } else { Err(self.expected("the end")) }
    }
}
