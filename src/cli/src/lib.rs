//! The command line as a library: what `tidepool` does with its words, on any [`Machine`]. Flags, output and exit codes
//! of each command are the real tool's, so that a test can put one in the place of the other.

mod api;
mod flags;
mod helm_template;
mod lesson_check;
mod objects;
mod simulate;

use base::World;

/// What a process has around it: files, streams, environment. The binary gives the real ones, tests give their own.
pub trait Machine {
    /// Files, clock and seed.
    fn world(&self) -> &dyn World;
    /// The absolute form of a path.
    fn absolute(&self, path: &str) -> String;
    /// A variable of the environment.
    fn variable(&self, name: &str) -> Option<String>;
    /// All of standard input.
    fn input(&mut self) -> Result<Vec<u8>, String>;
    /// Writes to standard output.
    fn print(&mut self, bytes: &[u8]) -> Result<(), String>;
    /// Writes to standard error.
    fn complain(&mut self, bytes: &[u8]);
    /// Writes a file, making its folders; `append` keeps what is there.
    fn write(&mut self, path: &str, bytes: &[u8], append: bool) -> Result<(), String>;
}

/// A command by its first word.
struct Command {
    name: &'static str,
    run: fn(&[String], &mut dyn Machine) -> u8,
}

const COMMANDS: &[Command] = &[
    Command { name: "api", run: api::main },
    Command { name: "diff", run: objects::diff },
    Command { name: "health", run: objects::health },
    Command { name: "helm", run: helm_template::main },
    Command { name: "lesson", run: lesson_check::main },
    Command { name: "simulate", run: simulate::main },
];

/// Runs the command line without its first word, the program's name; gives the exit code.
pub fn run(args: &[String], machine: &mut dyn Machine) -> u8 {
    let found = args.first().and_then(|name| COMMANDS.iter().find(|command| command.name == name));
    match found {
        Some(command) => (command.run)(&args[1..], machine),
        None => {
            let names: Vec<&str> = COMMANDS.iter().map(|command| command.name).collect();
            machine.complain(format!("usage: tidepool COMMAND …\ncommands: {}\n", names.join(", ")).as_bytes());
            2
        }
    }
}
