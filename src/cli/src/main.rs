//! The native binary: [`cli::run`] on this process.

mod process;

use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> =
        std::env::args_os().skip(1).map(|arg: OsString| arg.to_string_lossy().into_owned()).collect();
    ExitCode::from(cli::run(&args, &mut process::Process::new()))
}
