//! The native command line. Flags, output and exit codes of each command are the real tool's, so that a test can put
//! one in the place of the other.
#![expect(clippy::print_stderr, reason = "a command line speaks to its terminal")]

mod disk;
mod flags;
mod helm_template;
mod simulate;

use std::ffi::OsString;
use std::process::ExitCode;

/// A command by its first words.
struct Command {
    name: &'static str,
    run: fn(&[String]) -> ExitCode,
}

const COMMANDS: &[Command] =
    &[Command { name: "helm", run: helm_template::main }, Command { name: "simulate", run: simulate::main }];

fn main() -> ExitCode {
    let args: Vec<String> =
        std::env::args_os().skip(1).map(|arg: OsString| arg.to_string_lossy().into_owned()).collect();
    let found = args.first().and_then(|name| COMMANDS.iter().find(|command| command.name == name));
    match found {
        Some(command) => (command.run)(&args[1..]),
        None => {
            let names: Vec<&str> = COMMANDS.iter().map(|command| command.name).collect();
            eprintln!("usage: tidepool COMMAND …\ncommands: {}", names.join(", "));
            ExitCode::from(2)
        }
    }
}
