//! One run of the binary in a directory of its own.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use planfuzz_core::address::ResourceKind;
use planfuzz_engine::{Finished, ProviderAddress, ServedTypes, Server};

/// The result.
pub struct Run {
    /// Whether it exited with 0.
    pub ok: bool,
    /// What it printed.
    pub printed: String,
    /// How long it took.
    #[allow(dead_code, reason = "only what measures looks at it")]
    pub took: Duration,
}

/// The binary, if there is one on the path; otherwise that is printed.
pub fn terraform() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|dir| dir.join("terraform")).find(|file| file.is_file());
    if found.is_none() {
        assert!(std::env::var_os("PLANFUZZ_REQUIRE_ENGINE").is_none(), "expected terraform on the path");
        println!("skipped: no terraform on the path");
    }
    found
}

impl Run {
    /// Runs it with resources and stored objects: for each its type, version and attributes.
    pub fn of(
        binary: &Path,
        served_types: ServedTypes,
        resources: &str,
        stored: &[(&str, u64, &str)],
        args: &[&str],
    ) -> (Run, Finished) {
        let dir = tempfile::tempdir().expect("a directory");
        let data: BTreeSet<&str> = served_types
            .served
            .iter()
            .filter(|served| served.kind == ResourceKind::Data)
            .map(|served| served.type_name.as_str())
            .collect();
        std::fs::write(dir.path().join("main.tf.json"), configuration(resources, &data)).expect("a file");
        std::fs::write(dir.path().join("terraform.tfstate"), state(stored)).expect("a file");
        std::fs::write(dir.path().join("rc"), "").expect("a file");
        let server = Server::start(dir.path()).expect("a server");
        server.serve(served_types).expect("servable types");
        let begun = Instant::now();
        let output = Command::new(binary)
            .args(args)
            .args(["-input=false", "-json"])
            .current_dir(dir.path())
            .env("TF_REATTACH_PROVIDERS", server.reattach())
            .env("CHECKPOINT_DISABLE", "1")
            .env("TF_CLI_CONFIG_FILE", dir.path().join("rc"))
            .env("TF_IN_AUTOMATION", "1")
            .output()
            .expect("a run");
        let took = begun.elapsed();
        let printed = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        (Run { ok: output.status.success(), printed, took }, server.finish())
    }
}

/// An engine takes no empty `resource` or `data`.
fn configuration(resources: &str, data: &BTreeSet<&str>) -> String {
    let provider = |provider_address: ProviderAddress| {
        format!(r#""{}":{{"source":"{}"}}"#, provider_address.name(), provider_address.source())
    };
    let providers = ProviderAddress::ALL.map(provider).join(",");
    let mut members = vec![format!(r#""terraform":{{"required_providers":{{{providers}}}}}"#)];
    if resources != "{}" {
        members.push(format!(r#""resource":{resources}"#));
    }
    if !data.is_empty() {
        let data: Vec<String> = data.iter().map(|name| format!(r#""{name}":{{"r":{{}}}}"#)).collect();
        members.push(format!(r#""data":{{{}}}"#, data.join(",")));
    }
    format!("{{{}}}", members.join(","))
}

fn state(stored: &[(&str, u64, &str)]) -> String {
    let resource = |(name, version, attributes): &(&str, u64, &str)| {
        let provider_address = ProviderAddress::ALL
            .into_iter()
            .find(|provider_address| name.split('_').next() == Some(provider_address.name()))
            .expect("a provider address");
        format!(
            r#"{{"mode":"managed","type":"{name}","name":"r","provider":"provider[\"{}\"]",
                "instances":[{{"schema_version":{version},"attributes":{attributes}}}]}}"#,
            provider_address.source()
        )
    };
    let resources: Vec<String> = stored.iter().map(resource).collect();
    let resources = resources.join(",");
    format!(
        r#"{{"version":4,"terraform_version":"1.11.4","serial":1,"lineage":"any","outputs":{{}},"resources":[{resources}]}}"#
    )
}
