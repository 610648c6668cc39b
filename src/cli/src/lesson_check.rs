//! `tidepool lesson check DIR…`: proves that lessons are sound; a line for each thing that was looked at, exit 1 on a fault.

use crate::Machine;
use base::{World, world::EntryKind};
use lesson::read::{LessonFiles, read};
use playground::lesson::{Report, check_lesson};

/// Runs the command.
pub(crate) fn main(args: &[String], machine: &mut dyn Machine) -> u8 {
    let Some(("check", folders @ [_, ..])) = args.split_first().map(|(first, rest)| (first.as_str(), rest)) else {
        machine.complain(b"usage: tidepool lesson check DIR...\n");
        return 2;
    };
    let mut code = 0;
    for folder in folders {
        let id = folder.trim_end_matches('/').rsplit('/').next().unwrap_or(folder);
        let report = match files(machine.world(), folder).and_then(|files| read(id, &files)) {
            Ok(lesson) => check_lesson(lesson),
            Err(fault) => Report { passed: Vec::new(), faults: vec![fault] },
        };
        let lines = report.passed.iter().map(|line| format!("ok    {line}\n"));
        let text: String = lines.chain(report.faults.iter().map(|line| format!("fault {line}\n"))).collect();
        if !report.sound() || machine.print(text.as_bytes()).is_err() {
            code = 1;
        }
        if !report.sound() {
            machine.complain(text.as_bytes());
        }
    }
    code
}

fn files(world: &dyn World, root: &str) -> Result<LessonFiles, String> {
    let mut files = LessonFiles::new();
    let mut folders = vec![String::new()];
    while let Some(under) = folders.pop() {
        let folder = format!("{root}/{under}");
        for (name, kind) in world.list(folder.trim_end_matches('/')).map_err(|error| format!("{folder}: {error}"))? {
            let path = format!("{under}{name}");
            match kind {
                EntryKind::Dir => folders.push(format!("{path}/")),
                _ => {
                    let bytes = world.read(&format!("{root}/{path}")).map_err(|error| format!("{path}: {error}"))?;
                    files.insert(path, bytes.to_vec());
                }
            }
        }
    }
    Ok(files)
}
