//! `tidepool simulate SCENARIO`: replays a recorded scenario on virtual time, events to stdout.
#![expect(clippy::disallowed_methods, reason = "the command line reads files for the engines")]
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line speaks to its terminal")]

use std::process::ExitCode;

/// Runs the command.
pub(crate) fn main(args: &[String]) -> ExitCode {
    let [path] = args else {
        eprintln!("usage: tidepool simulate SCENARIO.json");
        return ExitCode::from(2);
    };
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("error: {path}: {error}");
            return ExitCode::from(1);
        }
    };
    let done = base::Json::parse(&text).map_err(|e| e.to_string()).and_then(|scenario| sim::replay(&scenario));
    match done {
        Ok(events) => {
            print!("{events}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(1)
        }
    }
}
