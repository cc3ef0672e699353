//! The command line: what scripts and CI may rely on.

use std::fmt;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use planfuzz_core::dialect::{Dialect, DialectError};
use planfuzz_workspace_cases::shapes::Shape;

use super::error::CliError;
use super::names;
use crate::case::Op;
use crate::fuzz::Target;

/// Fuzzing and differential testing for planners of the Terraform and OpenTofu kind.
///
/// With no command: `run`, one minute of generated cases on all cores.
#[derive(Debug, Parser)]
#[command(name = "planfuzz", version, args_conflicts_with_subcommands = true)]
#[command(
    after_help = "Example: planfuzz --time 5m --preset small\nplanfuzz COMMAND --help has an example of each command."
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// The options of `run`, for a call without a command.
    #[command(flatten)]
    pub run: RunArgs,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a campaign: generated cases over subjects and rules.
    #[command(after_help = "Example: planfuzz run --time 60s --preset small --seed 7")]
    Run(Box<RunArgs>),
    /// Print generated cases as JSON Lines.
    #[command(after_help = "Example: planfuzz gen --cases 10 --preset tiny --seed 7")]
    Gen(GenArgs),
    /// Count how often each feature of the generator is hit.
    #[command(after_help = "Example: planfuzz features --cases 20000 --seed 7")]
    Features(FeaturesArgs),
    /// Put a case to every subject and show inputs and answers side by side.
    #[command(after_help = "Example: planfuzz probe corpus/planner/plan-of-set-blocks.json")]
    Probe(ProbeArgs),
    /// Put saved cases to the subjects: a line each.
    #[command(after_help = "Example: planfuzz replay corpus/regressions findings")]
    Replay(ReplayArgs),
    /// Make a failing case smaller while its bucket stays the same.
    #[command(after_help = "Example: planfuzz shrink findings/proposed_new-1.json --output small.json")]
    Shrink(ShrinkArgs),
    /// Sort findings and fuzzer artifacts: replay each, bucket them, make one of each bucket small.
    #[command(after_help = "Example: planfuzz triage findings fuzz/artifacts --allow known.jsonl --output triage.json")]
    Triage(Box<TriageArgs>),
    /// Keep a case in corpus/regressions/ with a purpose line, so that the tests replay it.
    #[command(
        after_help = "Example: planfuzz promote small.json --purpose \"A null map block keeps its keys\"\n         planfuzz promote triage.json --bucket 2 --purpose \"A null map block keeps its keys\""
    )]
    Promote(PromoteArgs),
    /// Make a small corpus out of a big one, as readable files.
    #[command(
        after_help = "Example: planfuzz distil --target planner --binary target/release/planner --output corpus/planner work/planner"
    )]
    Distil(DistilArgs),
    /// Check subjects against recorded vectors.
    #[command(after_help = "Example: planfuzz conform vectors.jsonl --dialect opentofu-1.12")]
    Conform(ConformArgs),
    /// Put cases to an engine and write what it did as vectors.
    #[command(
        after_help = "Example: planfuzz record --op scenario --cases 5000 --seed 7 --keep 1000 --output scenarios.jsonl.gz"
    )]
    Record(Box<RecordArgs>),
    /// Make cases of plan files, plan JSON and states, with their schemas.
    #[command(
        after_help = "Example: terraform show -json plan.tfplan > plan.json\n         terraform providers schema -json > schemas.json\n         planfuzz import plan.json --schemas schemas.json --output cases"
    )]
    Import(Box<ImportArgs>),
    /// Time subjects on given cases, or both planners beside a deep clone on built-in ones, in process, decoding left out.
    #[command(after_help = "Example: planfuzz measure\n         planfuzz measure corpus/planner --json")]
    Measure(MeasureArgs),
    /// Hold finished plans and states against the rules: plan files, what `show -json` prints, state files.
    #[command(after_help = "Example: planfuzz lint tfplan terraform.tfstate --schemas schemas.json")]
    Lint(LintArgs),
    /// Hold a provider binary to its promises: validate and plan only, unless types to apply are named.
    #[cfg(feature = "engine")]
    #[command(
        after_help = "Example: planfuzz provider ./terraform-provider-x --time 5m --jobs 2\n         planfuzz replay provider-findings"
    )]
    Provider(Box<planfuzz_provider::ProviderArgs>),
    /// Spend the night: fuzz, distil, triage and measure within a given time, and append one record to a history.
    #[command(
        after_help = "Example: planfuzz night --minutes 30 --binaries target/night --history night/history.jsonl"
    )]
    Night(NightArgs),
    /// Hunt the planted faults, and print after how many cases and how soon each is found (builds with the cargo feature faults).
    #[command(
        after_help = "Example: cargo run --release --features faults -- kills --seed 7\n         planfuzz kills B161 X01 --time 10s"
    )]
    Kills(KillsArgs),
    /// Make one page of the records of nights.
    #[command(after_help = "Example: planfuzz report night/history.jsonl --output night/page.html")]
    Report(ReportArgs),
    /// Look at the findings of a run, one likely cause after the other: accept it as allowed, keep its smallest case as a regression, or leave it.
    #[command(
        after_help = "Example: planfuzz review\n         planfuzz review findings --keep 1 --accept 2 --reason \"mended in 2.0\""
    )]
    Review(ReviewArgs),
    /// Print the completions of a shell.
    #[command(after_help = "Example: planfuzz completions bash > ~/.local/share/bash-completion/completions/planfuzz")]
    Completions(CompletionsArgs),
    /// Write man pages: one for planfuzz, and one for each command.
    #[command(after_help = "Example: planfuzz man --output ~/.local/share/man/man1")]
    Man(ManArgs),
    /// Answer the line protocol on standard input and output.
    #[command(after_help = "Example: echo '{\"hello\":1,\"dialect\":\"terraform-1.11\"}' | planfuzz serve")]
    Serve(ServeArgs),
}

/// Options about who takes part.
#[derive(Args, Clone, Debug, Default)]
pub struct SubjectArgs {
    /// A subject: reference, optimized, shared (what planners share), naive (its second writing), incremental (the optimized planner of workspaces, each step planned again from the one before it), concurrent (the optimized planner of workspaces with three workers, who take one instance at a time), wire (proposed_new over msgpack), provider (pipelines of providers alone), terraform, terraform:PATH, terraform-at-once (plans and applies in one run), exec:COMMAND (repeatable; the first is compared with every other)
    #[arg(long = "subject", value_name = "NAME")]
    pub subjects: Vec<String>,
    /// The engine version whose decisions count, such as terraform-1.11 or opentofu-1.12; run takes all, and has a share of each by default
    #[arg(long, value_name = "NAME", value_parser = names::dialects::<Dialects>())]
    pub dialect: Option<Dialects>,
    /// Only these operations (repeatable)
    #[arg(long = "op", value_name = "NAME", value_parser = names::ops())]
    pub ops: Vec<Op>,
    /// What one answer of a program may take
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "10s")]
    pub answer_time: Duration,
}

/// One dialect, or all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialects {
    /// All.
    All,
    /// One.
    One(Dialect),
}

impl Dialects {
    /// Each of them.
    pub fn list(self) -> Vec<Dialect> {
        match self {
            Dialects::All => Dialect::ALL.to_vec(),
            Dialects::One(dialect) => vec![dialect],
        }
    }
}

impl Default for Dialects {
    fn default() -> Dialects {
        Dialects::One(Dialect::default())
    }
}

impl fmt::Display for Dialects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Dialects::All => f.write_str("all"),
            Dialects::One(dialect) => dialect.fmt(f),
        }
    }
}

impl FromStr for Dialects {
    type Err = DialectError;

    fn from_str(name: &str) -> Result<Dialects, DialectError> {
        if name == "all" { Ok(Dialects::All) } else { name.parse().map(Dialects::One) }
    }
}

impl SubjectArgs {
    /// The dialect, for commands that take one only.
    ///
    /// # Errors
    /// All dialects are named.
    pub fn one_dialect(&self) -> Result<Option<Dialect>, CliError> {
        match self.dialect {
            None => Ok(None),
            Some(Dialects::One(dialect)) => Ok(Some(dialect)),
            Some(Dialects::All) => Err(CliError::input(
                "expected one dialect, found all: cases of files have theirs, and only run, gen and features make some of each",
            )),
        }
    }
}

/// Options about generated cases.
#[derive(Args, Clone, Debug, Default)]
pub struct GeneratorArgs {
    /// The size of generated cases
    #[arg(long, value_enum, default_value_t = Preset::Mixed)]
    pub preset: Preset,
    /// A number or a commit id; the same seed gives the same cases
    #[arg(long, value_name = "SEED")]
    pub seed: Option<String>,
    /// Resource schemas from `terraform providers schema -json`, used beside invented ones (repeatable)
    #[arg(long = "schemas", value_name = "FILE")]
    pub schemas: Vec<PathBuf>,
    /// Use --schemas instead of invented ones
    #[arg(long, requires = "schemas")]
    pub only_schemas: bool,
    /// Only these resource types of --schemas (repeatable)
    #[arg(long = "type", value_name = "NAME", requires = "schemas")]
    pub types: Vec<String>,
    /// One-step scenarios that only plan; gives the most plans per second
    #[arg(long)]
    pub plans: bool,
    /// No step of a scenario refreshes; one that would only refresh is a plan
    #[arg(long)]
    pub no_refresh: bool,
}

/// Sizes of generated cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Preset {
    /// One to three attributes.
    Tiny,
    /// A handful of attributes and blocks.
    Small,
    /// As real resources are.
    Medium,
    /// Long collections and wide schemas.
    Large,
    /// Extremes of everything.
    Hostile,
    /// A share of each.
    #[default]
    Mixed,
}

/// The options of `run`.
#[derive(Args, Clone, Debug, Default)]
pub struct RunArgs {
    #[command(flatten)]
    #[allow(missing_docs, reason = "see the type")]
    pub subjects: SubjectArgs,
    #[command(flatten)]
    #[allow(missing_docs, reason = "see the type")]
    pub generator: GeneratorArgs,
    /// Stop after so many cases
    #[arg(long, value_name = "N")]
    pub cases: Option<u64>,
    /// Stop after so much time, such as 90s, 10m, 2h; 60s where --cases is not given either
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub time: Option<Duration>,
    /// Workers; all cores by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// Where findings go
    #[arg(long, value_name = "DIR", default_value = "findings")]
    pub findings: PathBuf,
    /// Stop once there are so many buckets; those of cases under way are kept too
    #[arg(long, value_name = "N")]
    pub max_findings: Option<u64>,
    /// Keep the campaign's state in FILE and go on from it
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// Known findings, by signature with a reason: counted, not reported
    #[arg(long, value_name = "FILE")]
    pub allow: Option<PathBuf>,
    /// Run every case of the tiny scope, to the end, instead of generated ones
    #[arg(long, conflicts_with_all = ["cases", "time", "schemas", "resume"])]
    pub exhaustive: bool,
    /// Workspaces that begin with this state file (version 4): edits, commands and failures on what it has; --schemas give its types, else its values do
    #[arg(long, value_name = "FILE", conflicts_with_all = ["exhaustive", "only_schemas", "types", "plans"])]
    pub state: Option<PathBuf>,
    /// The configuration that made the state of --state: the root module, in either syntax, with what it calls; made of the state where none is named
    #[arg(long, value_name = "DIR", requires = "state")]
    pub config: Option<PathBuf>,
    /// Values of variables of --config, after those that an engine takes by itself (repeatable)
    #[arg(long = "var-file", value_name = "FILE", requires = "config")]
    pub var_files: Vec<PathBuf>,
    /// Take sensitive values of --state and --config as they are instead of replacing them by placeholders
    #[arg(long, requires = "state")]
    pub show_sensitive: bool,
    /// What was counted too: runs, phases, every bucket
    #[arg(long)]
    pub verbose: bool,
    /// The result as JSON on standard output
    #[arg(long)]
    pub json: bool,
}

/// The options of `gen`.
#[derive(Args, Clone, Debug)]
#[allow(missing_docs, reason = "each is described in its help")]
pub struct GenArgs {
    #[command(flatten)]
    pub generator: GeneratorArgs,
    /// Only cases about this operation: scenario, expression, workspace, or one of the merge or of shared code; may be given several times, and several kinds give cases of all kinds
    #[arg(long = "op", value_name = "NAME", value_parser = names::ops())]
    pub ops: Vec<Op>,
    /// The engine version that the cases are for, or all; terraform-1.11 by default
    #[arg(long, value_name = "NAME", value_parser = names::dialects::<Dialects>())]
    pub dialect: Option<Dialects>,
    /// How many cases
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub cases: u64,
}

/// The options of `features`.
#[derive(Args, Clone, Debug)]
#[allow(missing_docs, reason = "each is described in its help")]
pub struct FeaturesArgs {
    #[command(flatten)]
    pub generator: GeneratorArgs,
    /// Only cases about this operation: scenario, expression, workspace, or one of the merge or of shared code; may be given several times, and several kinds give cases of all kinds
    #[arg(long = "op", value_name = "NAME", value_parser = names::ops())]
    pub ops: Vec<Op>,
    /// The engine version that the cases are for; all by default
    #[arg(long, value_name = "NAME", value_parser = names::dialects::<Dialects>())]
    pub dialect: Option<Dialects>,
    /// How many cases
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    pub cases: u64,
    /// A line of JSON for each feature
    #[arg(long)]
    pub json: bool,
}

/// The options of `probe`.
#[derive(Args, Clone, Debug)]
#[allow(missing_docs, reason = "each is described in its help")]
pub struct ProbeArgs {
    /// Cases: files, lines of them as FILE:LINE, folders, JSON Lines, compressed or not, and - for standard input
    #[arg(required = true, value_name = "CASE")]
    pub cases: Vec<PathBuf>,
    #[command(flatten)]
    pub subjects: SubjectArgs,
    /// A line of JSON for each operation
    #[arg(long)]
    pub json: bool,
    /// Show and write sensitive values as they are, instead of placeholders
    #[arg(long)]
    pub show_sensitive: bool,
    /// The graphs of a workspace, as a picture in FILE.svg or for graphviz in FILE.dot
    #[arg(long, value_name = "FILE")]
    pub graph: Option<PathBuf>,
}

/// The options of `replay`.
#[derive(Args, Clone, Debug)]
#[allow(missing_docs, reason = "each is described in its help")]
pub struct ReplayArgs {
    /// Cases: files, lines of them as FILE:LINE, folders, JSON Lines of cases or of vectors, compressed or not, and - for standard input
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub subjects: SubjectArgs,
    /// Known findings, by signature with a reason: counted, not reported
    #[arg(long, value_name = "FILE")]
    pub allow: Option<PathBuf>,
    /// A line of JSON for each case
    #[arg(long)]
    pub json: bool,
    /// A test case for each saved case, as JUnit XML in FILE
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// What the command may take of memory, address space and all: it ends where it takes more
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    pub memory: Option<u64>,
    /// Show and write sensitive values as they are, instead of placeholders
    #[arg(long)]
    pub show_sensitive: bool,
}

/// The options of `shrink`.
#[derive(Args, Clone, Debug)]
#[allow(missing_docs, reason = "each is described in its help")]
pub struct ShrinkArgs {
    /// Cases: files, lines of them as FILE:LINE, folders, JSON Lines, compressed or not, and - for standard input
    #[arg(required = true, value_name = "CASE")]
    pub cases: Vec<PathBuf>,
    #[command(flatten)]
    pub subjects: SubjectArgs,
    /// Where the smaller case goes; of several a file of JSON Lines (.jsonl, .jsonl.gz), or a folder with a file each; standard output by default
    #[arg(long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// How often the subjects may be asked
    #[arg(long, value_name = "N", default_value_t = 5_000)]
    pub budget: u64,
    /// Show and write sensitive values as they are, instead of placeholders
    #[arg(long)]
    pub show_sensitive: bool,
}

/// The options of `triage`.
#[derive(Args, Clone, Debug)]
#[allow(missing_docs, reason = "each is described in its help")]
pub struct TriageArgs {
    /// Cases and fuzzer artifacts: files, folders, JSON Lines, compressed or not, and - for standard input
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub subjects: SubjectArgs,
    /// Known findings, by signature with a reason: counted, not reported
    #[arg(long, value_name = "FILE")]
    pub allow: Option<PathBuf>,
    /// Regression cases: what they show too is not new
    #[arg(long, value_name = "DIR", default_value = REGRESSIONS)]
    pub regressions: PathBuf,
    /// Where the small cases go, a file for each new bucket
    #[arg(long, value_name = "DIR", default_value = "triaged")]
    pub shrunk: PathBuf,
    /// Workers; all cores by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// What one replay of one file may take
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "60s")]
    pub file_time: Duration,
    /// What one replay of an `oom-` artifact or of a document for a reader may take of memory
    #[arg(long, value_name = "MIB", default_value_t = 2048, value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    pub file_memory: u64,
    /// What making one case small may take
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "20s")]
    pub shrink_time: Duration,
    /// How often the subjects may be asked to make one case small
    #[arg(long, value_name = "N", default_value_t = 3_000)]
    pub budget: u64,
    /// Everything as one JSON document on standard output, instead of the table
    #[arg(long)]
    pub json: bool,
    /// Everything as one JSON document in FILE, beside what is printed
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Show and write sensitive values as they are, instead of placeholders
    #[arg(long)]
    pub show_sensitive: bool,
}

/// The folder of regressions that the test suite replays.
pub const REGRESSIONS: &str = "corpus/regressions";

/// The options of `promote`.
#[derive(Args, Clone, Debug)]
#[allow(missing_docs, reason = "each is described in its help")]
pub struct PromoteArgs {
    /// The shrunk case, a file, FILE:LINE or - for standard input; with --bucket the document of a triage
    #[arg(value_name = "CASE")]
    pub case: PathBuf,
    /// The bucket of the triage: its number in the table, or its signature
    #[arg(long, value_name = "N|SIGNATURE")]
    pub bucket: Option<String>,
    /// Why the case is kept, in one line
    #[arg(long, value_name = "LINE")]
    pub purpose: String,
    /// The folder of regressions
    #[arg(long, value_name = "DIR", default_value = REGRESSIONS)]
    pub into: PathBuf,
    /// Show and write sensitive values as they are, instead of placeholders
    #[arg(long)]
    pub show_sensitive: bool,
}

/// The options of `distil`.
#[derive(Args, Clone, Debug)]
#[allow(missing_docs, reason = "each is described in its help")]
pub struct DistilArgs {
    /// Folders of inputs, readable or compact, and single files
    #[arg(value_name = "PATH", required = true)]
    pub folders: Vec<PathBuf>,
    /// The fuzz target whose inputs they are: planner, lifecycle, workspace or codecs
    #[arg(long, value_name = "NAME")]
    pub target: Target,
    /// The fuzz target's binary, by whose coverage inputs are chosen; without it all of them are kept, as readable files
    #[arg(long, value_name = "PATH")]
    pub binary: Option<PathBuf>,
    /// The folder that what is kept is written to
    #[arg(long, value_name = "DIR")]
    pub output: PathBuf,
    /// The most that is kept, in KiB
    #[arg(long, value_name = "N")]
    pub kib: Option<usize>,
    /// Use edge hit counts, not only edges; keeps many more inputs
    #[arg(long)]
    pub fine: bool,
    /// Remove what an earlier run kept there and this one does not
    #[arg(long)]
    pub prune: bool,
}

/// The options of `conform`.
#[derive(Args, Clone, Debug)]
#[allow(missing_docs, reason = "each is described in its help")]
pub struct ConformArgs {
    /// Vectors: JSON Lines, compressed or not, Markdown with them in fences, folders of these, and - for standard input
    #[arg(required = true, value_name = "PATH")]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub subjects: SubjectArgs,
    /// A line of JSON for each failure, and last the counts
    #[arg(long)]
    pub json: bool,
    /// A test case for each vector and subject, as JUnit XML in FILE
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
}

/// The options of `record`.
#[derive(Args, Clone, Debug)]
#[allow(missing_docs, reason = "each is described in its help")]
pub struct RecordArgs {
    /// Cases, or vectors, which are asked anew: files, folders, JSON Lines, compressed or not, and - for standard input; generated cases where there are none
    #[arg(value_name = "PATH", conflicts_with_all = ["cases", "seed", "schemas"])]
    pub paths: Vec<PathBuf>,
    /// Who is recorded: terraform, terraform:PATH, reference, optimized, exec:COMMAND
    #[arg(long, value_name = "NAME", default_value = "terraform")]
    pub subject: String,
    /// The engine version that the cases are for, such as terraform-1.11 or opentofu-1.12
    #[arg(long, value_name = "NAME", value_parser = names::dialect())]
    pub dialect: Option<Dialect>,
    /// Only these operations (repeatable)
    #[arg(long = "op", value_name = "NAME", value_parser = names::ops())]
    pub ops: Vec<Op>,
    /// What one answer of a program may take
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "10s")]
    pub answer_time: Duration,
    #[command(flatten)]
    pub generator: GeneratorArgs,
    /// How many cases are generated; 1000 where --time is not given either
    #[arg(long, value_name = "N")]
    pub cases: Option<u64>,
    /// Take no more cases after so much time, such as 90s, 10m, 2h
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub time: Option<Duration>,
    /// Workers, each with an engine of its own; all cores by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// Keep so many vectors, the smallest that show the most: every feature with every outcome once before any twice
    #[arg(long, value_name = "N")]
    pub keep: Option<usize>,
    /// Put apart what another subject answers otherwise (repeatable)
    #[arg(long = "against", value_name = "NAME")]
    pub against: Vec<String>,
    /// Where vectors go that are put apart; nowhere by default
    #[arg(long, value_name = "FILE", requires = "against")]
    pub apart: Option<PathBuf>,
    /// Where vectors go, compressed where the name ends in .gz; standard output by default
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// The counts as JSON on standard output
    #[arg(long, requires = "output")]
    pub json: bool,
    /// Show and write sensitive values as they are, instead of placeholders
    #[arg(long)]
    pub show_sensitive: bool,
}

/// The options of `import`.
#[derive(Args, Clone, Debug)]
#[allow(missing_docs, reason = "each is described in its help")]
pub struct ImportArgs {
    /// Plan files, plan JSON and state JSON of `show -json`, state files, compressed ones too; and folders of a root module, each of which becomes a workspace
    #[arg(required = true, value_name = "FILE|DIR")]
    pub files: Vec<PathBuf>,
    /// The state of the folder (version 4); its terraform.tfstate where none is named, and nothing stored where there is none
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,
    /// Values of the folder's variables, after those that an engine takes by itself (repeatable)
    #[arg(long = "var-file", value_name = "FILE")]
    pub var_files: Vec<PathBuf>,
    /// Resource schemas from `terraform providers schema -json`; of several of a type the first one that fits counts (repeatable)
    #[arg(long = "schemas", value_name = "FILE")]
    pub schemas: Vec<PathBuf>,
    /// Only these resource types (repeatable)
    #[arg(long = "type", value_name = "NAME")]
    pub types: Vec<String>,
    /// Only objects whose address begins so (repeatable)
    #[arg(long = "address", value_name = "ADDRESS")]
    pub addresses: Vec<String>,
    /// Only these cases of files: proposed_new (for the whole merge), plan_instance, scenario (repeatable)
    #[arg(long = "op", value_name = "NAME", value_parser = names::ops_such_as(&[Op::ProposedNew, Op::PlanInstance, Op::Scenario]))]
    pub ops: Vec<Op>,
    /// The engine version that the cases are for; by default the one that wrote the file, or the oldest that is known
    #[arg(long, value_name = "NAME", value_parser = names::dialect())]
    pub dialect: Option<Dialect>,
    /// Keep sensitive values instead of replacing them by placeholders
    #[arg(long, alias = "keep-sensitive")]
    pub show_sensitive: bool,
    /// Where cases go: a file of JSON Lines (.jsonl, .jsonl.gz), or a folder with a file each; standard output by default
    #[arg(long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// The counts as JSON on standard output
    #[arg(long, requires = "output")]
    pub json: bool,
}

/// The options of `measure`.
#[derive(Args, Clone, Debug)]
#[allow(missing_docs, reason = "each is described in its help")]
pub struct MeasureArgs {
    /// Cases and vectors: files, folders, JSON Lines, compressed or not, and - for standard input; without any, built-in cases by size, and the workloads of the benches
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub subjects: SubjectArgs,
    /// How long each operation of each case is timed (default: 50ms; built-in cases: 5ms)
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub time: Option<Duration>,
    /// Planners of whole workspaces instead, on a workspace that grows in one way; takes --subject terraform, and --subject untraced (the optimized planner without the trace of its calls)
    #[arg(long, value_name = "SHAPE", value_parser = names::shape(), conflicts_with_all = ["files", "time"])]
    pub workspace: Option<Shape>,
    /// How many instances the workspace has
    #[arg(long, value_name = "N", default_value = "1000", requires = "workspace")]
    pub instances: NonZeroUsize,
    /// Compare K workers of the optimized planner with one, by the clock, with the trace of its calls and without; measures nothing else
    #[arg(long, value_name = "K", requires = "workspace")]
    pub workers: Option<NonZeroUsize>,
    /// A line of JSON for each file, subject and operation; of built-in cases, for each size
    #[arg(long)]
    pub json: bool,
    /// Measure in this process alone, once: what `measure` starts to measure memory
    #[arg(long, hide = true, requires = "workspace")]
    pub alone: bool,
}

/// The options of `lint`.
#[derive(Args, Clone, Debug)]
#[allow(missing_docs, reason = "each is described in its help")]
pub struct LintArgs {
    /// Plan files, plans and states as `show -json` prints them, state files, compressed or not; and folders of them (.tfplan, .tfstate, .json)
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Resource schemas from `terraform providers schema -json`, a file or a folder of them (repeatable; the first that fits counts)
    #[arg(long = "schemas", value_name = "FILE")]
    pub schemas: Vec<PathBuf>,
    /// Whose files these are, such as opentofu-1.12, where they do not show it
    #[arg(long, value_name = "NAME", value_parser = names::dialect())]
    pub dialect: Option<Dialect>,
    /// Known findings, by signature with a reason: counted, not reported
    #[arg(long, value_name = "FILE")]
    pub allow: Option<PathBuf>,
    /// SARIF 2.1.0, in FILE or on standard output
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, conflicts_with = "json")]
    #[allow(clippy::option_option, reason = "absent, without a file, with one")]
    pub sarif: Option<Option<PathBuf>>,
    /// A line of JSON for each finding, and last the counts
    #[arg(long)]
    pub json: bool,
}

impl LintArgs {
    /// Whether SARIF is wanted.
    pub fn is_sarif(&self) -> bool {
        self.sarif.is_some()
    }
}

/// The options of `night`.
#[derive(Args, Clone, Debug)]
#[allow(missing_docs, reason = "each is described in its help")]
pub struct NightArgs {
    #[command(flatten)]
    #[allow(missing_docs, reason = "see the type")]
    pub subjects: SubjectArgs,
    /// Resource schemas from `terraform providers schema -json`, used beside invented ones (repeatable)
    #[arg(long = "schemas", value_name = "FILE")]
    pub schemas: Vec<PathBuf>,
    /// Use --schemas instead of invented ones
    #[arg(long, requires = "schemas")]
    pub only_schemas: bool,
    /// Only these resource types of --schemas (repeatable)
    #[arg(long = "type", value_name = "NAME", requires = "schemas")]
    pub types: Vec<String>,
    /// How long the night is, all in all; parts of a minute too
    #[arg(long, value_name = "N", value_parser = minutes)]
    pub minutes: f64,
    /// How many processes fuzz at a time; all cores by default
    #[arg(long, alias = "workers", value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// A number or a commit id, from which all random choices come; random by default
    #[arg(long, value_name = "SEED")]
    pub seed: Option<String>,
    /// The commit that is tested, for the record
    #[arg(long, value_name = "ID")]
    pub commit: Option<String>,
    /// The committed corpus: folders of cases
    #[arg(long, value_name = "DIR", default_value = "corpus")]
    pub corpus: PathBuf,
    /// What goes on from night to night: distilled corpora, and all that was found
    #[arg(long, value_name = "DIR", default_value = "night/cache")]
    pub cache: PathBuf,
    /// The binaries of the coverage-guided targets, and planfuzz-faults; without it nothing is guided
    #[arg(long, value_name = "DIR")]
    pub binaries: Option<PathBuf>,
    /// Where the record is appended
    #[arg(long, value_name = "FILE", default_value = "night/history.jsonl")]
    pub history: PathBuf,
    /// What is only of this night goes to DIR/tonight, in the place of what is there
    #[arg(long, value_name = "DIR", default_value = "night/work")]
    pub work: PathBuf,
    /// Known findings, by signature with a reason: counted, not reported
    #[arg(long, value_name = "FILE")]
    pub allow: Option<PathBuf>,
    /// The record on standard output too
    #[arg(long)]
    pub json: bool,
}

/// The options of `kills`.
#[derive(Args, Clone, Debug)]
#[allow(missing_docs, reason = "each is described in its help")]
pub struct KillsArgs {
    /// Faults by name, or by the id of a known bug or of a provider's fault, such as B161 or X01; all of them by default
    #[arg(value_name = "FAULT")]
    pub faults: Vec<String>,
    /// A number or a commit id; the same seed gives the same cases
    #[arg(long, value_name = "SEED")]
    pub seed: Option<String>,
    /// How long each fault is looked for
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "60s")]
    pub time: Duration,
    /// In how many cases each fault is looked for, at most
    #[arg(long, value_name = "N")]
    pub cases: Option<u64>,
    /// How long all of them together are looked for: the seed decides which come first, the others are counted
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub within: Option<Duration>,
    /// How many faults are hunted at a time; as many as there are cores by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// A line of JSON for each fault
    #[arg(long)]
    pub json: bool,
}

/// The options of `report`.
#[derive(Args, Clone, Debug)]
#[allow(missing_docs, reason = "each is described in its help")]
pub struct ReportArgs {
    /// Histories of nights
    #[arg(required = true, value_name = "HISTORY")]
    pub histories: Vec<PathBuf>,
    /// Where the page goes
    #[arg(long, value_name = "FILE")]
    pub output: PathBuf,
}

/// The options of `serve`.
#[derive(Args, Clone, Debug)]
#[allow(missing_docs, reason = "each is described in its help")]
pub struct ServeArgs {
    /// The planner that answers
    #[arg(long = "subject", value_name = "NAME", default_value = "optimized")]
    pub subject: String,
}

/// The options of `review`.
#[derive(Args, Clone, Debug)]
#[allow(missing_docs, reason = "each is described in its help")]
pub struct ReviewArgs {
    /// The folder of findings, as run and triage leave them
    #[arg(value_name = "DIR", default_value = "findings")]
    pub findings: PathBuf,
    /// Accept these groups as allowed: a line for each signature goes to --allow (a number of the list, or a folder's name; repeatable)
    #[arg(long = "accept", value_name = "GROUP")]
    pub accept: Vec<String>,
    /// Keep the smallest case of these groups as a regression (likewise)
    #[arg(long = "keep", value_name = "GROUP")]
    pub keep: Vec<String>,
    /// Known findings, by signature with a reason: what is accepted is added here, and what is in it is not asked
    #[arg(long, value_name = "FILE", default_value = "known.jsonl")]
    pub allow: PathBuf,
    /// Why it is accepted, in one line; asked where there is a terminal
    #[arg(long, value_name = "LINE")]
    pub reason: Option<String>,
    /// The folder of regressions
    #[arg(long, value_name = "DIR", default_value = REGRESSIONS)]
    pub into: PathBuf,
    /// Why the case is kept, in one line; asked where there is a terminal
    #[arg(long, value_name = "LINE")]
    pub purpose: Option<String>,
    /// The groups, and what was decided, as JSON on standard output; nothing is asked
    #[arg(long)]
    pub json: bool,
    /// Show and write sensitive values as they are, instead of placeholders
    #[arg(long)]
    pub show_sensitive: bool,
}

/// The options of `completions`.
#[derive(Args, Clone, Debug)]
#[allow(missing_docs, reason = "each is described in its help")]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

/// The options of `man`.
#[derive(Args, Clone, Debug)]
#[allow(missing_docs, reason = "each is described in its help")]
pub struct ManArgs {
    /// The folder that the pages are written to
    #[arg(long, value_name = "DIR")]
    pub output: PathBuf,
}

/// A duration such as `90s` or `10m`.
fn duration(text: &str) -> Result<Duration, humantime::DurationError> {
    humantime::parse_duration(text)
}

/// A number of minutes, up to a week.
fn minutes(text: &str) -> Result<f64, String> {
    let minutes: f64 = text.parse().map_err(|_| "expected a number of minutes".to_owned())?;
    if (0.05..=10_080.0).contains(&minutes) { Ok(minutes) } else { Err("expected 0.05 to 10080 minutes".to_owned()) }
}
