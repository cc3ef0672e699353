//! Finds the configuration of a resource in the files that have it.

use std::collections::HashMap;

use planfuzz_core::address::{AbsResourceInstance, ResourceMode};
use planfuzz_core::json::Json;
use planfuzz_core::plans::file::ConfigFile;
use planfuzz_core::schema::Block;

use super::config::{Body, LifecycleBlock, Resources, json_body, json_resource, native_resources, tree_body};

/// The configuration of a plan, in whichever form the file has it.
#[derive(Debug)]
pub enum Configuration<'a> {
    /// There is none.
    Absent,
    /// The tree of `show -json`.
    Tree(&'a Json),
    /// The files themselves, by module.
    Files(Files),
}

/// The files of a configuration, read.
#[derive(Debug, Default)]
pub struct Files {
    native: HashMap<Key, Resources>,
    json: Vec<(String, Json)>,
    /// How many files could not be read as configuration.
    pub unread: u64,
}

/// A resource: the names of its module's calls joined with dots, whether it is a data resource, type and name.
type Key = (String, bool, String, String);

impl Files {
    /// Reads the files of a plan file.
    pub fn read(files: &[ConfigFile]) -> Files {
        let mut read = Files::default();
        for file in files {
            if file.name.ends_with(".json") {
                match Json::parse_bytes(&file.contents) {
                    Ok(json) => read.json.push((file.module.clone(), json)),
                    Err(_) => read.unread += 1,
                }
                continue;
            }
            match native_resources(&file.contents) {
                Ok(resources) => {
                    for of in resources {
                        let key = (file.module.clone(), of.is_data, of.type_name.clone(), of.name.clone());
                        read.native.insert(key, of);
                    }
                }
                Err(_) => read.unread += 1,
            }
        }
        read
    }
}

impl Configuration<'_> {
    /// The body and `lifecycle` block that are written for a resource with this schema; `None` if there are none.
    pub fn of(&self, address: &AbsResourceInstance, block: &Block) -> Option<(Body, LifecycleBlock)> {
        let is_data = address.resource.mode == ResourceMode::Data;
        let resource = &address.resource;
        match self {
            Configuration::Absent => None,
            Configuration::Tree(tree) => {
                let module = address.module.0.iter().try_fold(tree.member("root_module")?, |module, step| {
                    module.member("module_calls")?.member(&step.name)?.member("module")
                })?;
                let is_it = |found: &&Json| {
                    let is = |name: &str, want: &str| found.member(name) == Some(&Json::string(want));
                    let mode = if is_data { "data" } else { "managed" };
                    is("mode", mode) && is("type", &resource.type_name) && is("name", &resource.name)
                };
                let found = module.member("resources")?.expect_array().ok()?.iter().find(is_it)?;
                let expressions = found.member("expressions").unwrap_or(&Json::Null);
                Some((tree_body(expressions, block), LifecycleBlock::default()))
            }
            Configuration::Files(files) => {
                let names: Vec<&str> = address.module.0.iter().map(|step| step.name.as_str()).collect();
                let module = names.join(".");
                let key = (module, is_data, resource.type_name.clone(), resource.name.clone());
                if let Some(found) = files.native.get(&key) {
                    return Some((found.body.clone(), found.lifecycle.clone()));
                }
                let mut json = files.json.iter().filter(|(module, _)| *module == key.0);
                let found = json.find_map(|(_, file)| json_resource(file, is_data, &key.2, &key.3))?;
                Some(json_body(found, block))
            }
        }
    }
}
