//! The command from its start to its end, in a folder of its own.

#[path = "output.rs"]
mod output;
#[path = "place.rs"]
mod place;

pub use output::CommandOutput;
pub use place::Place;

impl Place {
    /// Runs the command here to its end.
    #[track_caller]
    pub fn run(&self, arguments: &[&str]) -> CommandOutput {
        CommandOutput::of(&self.command(arguments).output().expect("it starts"))
    }
}
