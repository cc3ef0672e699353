//! The options of the command.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use planfuzz_core::dialect::Dialect;

/// The options of `provider`.
#[derive(Args, Clone, Debug)]
#[allow(missing_docs, reason = "each is described in its help")]
pub struct ProviderArgs {
    /// The provider's binary
    #[arg(value_name = "PROVIDER", required_unless_present_any = ["reattach", "replay"])]
    pub program: Option<PathBuf>,
    /// Arguments for the binary, after --
    #[arg(last = true, value_name = "ARGS")]
    pub args: Vec<String>,
    /// Never ask the provider to speak over TLS; as engines do, it is asked otherwise
    #[arg(long)]
    pub plain: bool,
    /// A provider that runs already, in a debugger for one: the JSON of TF_REATTACH_PROVIDERS that it prints
    #[arg(long, value_name = "JSON", conflicts_with_all = ["program", "replay"])]
    pub reattach: Option<String>,
    /// Show and judge saved findings again, without the provider: files or folders
    #[arg(long, value_name = "PATH", num_args = 1.., conflicts_with = "program")]
    pub replay: Vec<PathBuf>,
    /// The provider's own configuration: a JSON object of its attributes
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Never configure the provider, for one that cannot be without its remote system; runs that it dies of are left out
    #[arg(long, conflicts_with_all = ["config", "apply"])]
    pub unconfigured: bool,
    /// A variable of this environment that the provider gets, by its name (repeatable; no other is handed over)
    #[arg(long, value_name = "NAME")]
    pub env: Vec<String>,
    /// Only these types (repeatable): a resource type, data.NAME, ephemeral.NAME
    #[arg(long = "type", value_name = "TYPE")]
    pub types: Vec<String>,
    /// Apply, too, resources of this type (repeatable); everything that is created is destroyed in the end. data.NAME is read, ephemeral.NAME opened and closed
    #[arg(long, value_name = "TYPE")]
    pub apply: Vec<String>,
    /// Create no more objects than this, divided among the types that are applied
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub most_objects: u64,
    /// Files with values that the provider takes: states, plans and configuration in JSON (repeatable)
    #[arg(long, value_name = "FILE")]
    pub seeds: Vec<PathBuf>,
    /// The engine version that Core is
    #[arg(long, value_name = "NAME", default_value = "terraform-1.11", help = dialect_help())]
    pub dialect: Dialect,
    /// The choices
    #[arg(long, value_name = "N", default_value_t = 7)]
    pub seed: u64,
    /// Stop after so much time, such as 90s, 10m, 2h
    #[arg(long, value_name = "DURATION", default_value = "60s", value_parser = humantime::parse_duration)]
    pub time: Duration,
    /// Stop after so many runs
    #[arg(long, value_name = "N", alias = "lives")]
    pub runs: Option<u64>,
    /// Processes of the provider
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub jobs: u16,
    /// How long a call may take
    #[arg(long, value_name = "DURATION", default_value = "60s", value_parser = humantime::parse_duration)]
    pub call_time: Duration,
    /// Mebibytes of memory that the provider may take
    #[arg(long, value_name = "MIB", default_value_t = 2048)]
    pub memory: u64,
    /// Where findings go, each as soon as it is there, and the list of objects that are there
    #[arg(long, value_name = "DIR", default_value = "provider-findings")]
    pub findings: PathBuf,
    /// Also hold planfuzz's model of the classic SDK to what the provider plans: ForceNew, Default and DiffSuppress are inferred from some plans, the others compared
    #[arg(long, conflicts_with = "replay")]
    pub model: bool,
    /// Findings as SARIF 2.1.0
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,
    /// Promises as JUnit XML: a test case for each promise of each resource type
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Also what engines let pass, place by place
    #[arg(long)]
    pub verbose: bool,
    /// The result as JSON Lines on standard output: findings, resource types, and the whole last
    #[arg(long)]
    pub json: bool,
}

/// The dialects that are tested; versions between them are read too.
fn dialect_help() -> String {
    let known: Vec<String> = Dialect::ALL.iter().map(ToString::to_string).collect();
    format!("The engine version that Core is: one of {}, or between them", known.join(", "))
}
