//! Completions for shells, and man pages: both are made from the definition of the options.

use std::io;

use clap::CommandFactory;

use super::args::{Cli, CompletionsArgs, ManArgs};
use super::error::{CliError, Held};
use super::{files, output};

/// The name of the command.
const NAME: &str = "planfuzz";

/// Prints the completions of a shell.
///
/// # Errors
/// Standard output is closed.
pub fn completions(args: &CompletionsArgs) -> Result<Held, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), NAME, &mut script);
    output::bytes(&script)?;
    Ok(Held::Yes)
}

/// Writes a man page for planfuzz, and one for each of its commands.
///
/// # Errors
/// A folder that cannot be written.
pub fn man(args: &ManArgs) -> Result<Held, CliError> {
    files::expect_folder("--output", &args.output)?;
    let mut command = Cli::command();
    command.build();
    let page = |command: clap::Command, name: &str| -> Result<(), CliError> {
        let mut page = Vec::new();
        let made: io::Result<()> =
            clap_mangen::Man::new(command.clone().display_name(name.to_owned())).render(&mut page);
        made.map_err(|problem| CliError::failed(format!("no man page can be made: {problem}")))?;
        files::write(&args.output.join(format!("{name}.1")), &page)
    };
    let mut count = 1;
    for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
        page(sub.clone(), &format!("{NAME}-{}", sub.get_name()))?;
        count += 1;
    }
    page(command, NAME)?;
    output::line(&format!("{count} pages in {}", args.output.display()))?;
    Ok(Held::Yes)
}
