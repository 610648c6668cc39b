//! `tidepool simulate SCENARIO`: replays a recorded scenario on virtual time, events to standard output.

use crate::Machine;

/// Runs the command.
pub(crate) fn main(args: &[String], machine: &mut dyn Machine) -> u8 {
    let [path] = args else {
        machine.complain(b"usage: tidepool simulate SCENARIO.json\n");
        return 2;
    };
    let done = match machine.world().read(path) {
        Ok(bytes) => base::Json::parse(&String::from_utf8_lossy(&bytes))
            .map_err(|error| error.to_string())
            .and_then(|scenario| sim::replay(&scenario)),
        Err(error) => Err(format!("{path}: {error}")),
    };
    match done.and_then(|events| machine.print(events.as_bytes())) {
        Ok(()) => 0,
        Err(error) => {
            machine.complain(format!("error: {error}\n").as_bytes());
            1
        }
    }
}
