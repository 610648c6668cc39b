//! `tidepool api FILE.jsonl`: runs API cases against an empty cluster each, one answer a line.

use crate::Machine;

/// Runs the command.
pub(crate) fn main(args: &[String], machine: &mut dyn Machine) -> u8 {
    let [path] = args else {
        machine.complain(b"usage: tidepool api CASES.jsonl\n");
        return 2;
    };
    let text = match machine.world().read(path) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) => {
            machine.complain(format!("error: {path}: {error}\n").as_bytes());
            return 1;
        }
    };
    for (i, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let done = base::Json::parse(line)
            .map_err(|error| error.to_string())
            .and_then(|case| machine.print(format!("{}\n", cluster::api::run_case(&case).to_raw_text()).as_bytes()));
        if let Err(error) = done {
            machine.complain(format!("error: {path}: line {}: {error}\n", i + 1).as_bytes());
            return 1;
        }
    }
    0
}
