//! Builtins and the small programs that scripts in containers use, with the exit codes and words of the real ones.

use super::client::client;
use super::run::Machine;
use super::{World, parse};
use crate::registry::Behaviour;
use std::rc::Rc;

/// What a program wrote and how it ended.
#[derive(Debug, Default)]
pub(super) struct Ran {
    pub(super) out: String,
    pub(super) err: String,
    pub(super) code: i64,
}

pub(super) fn ran(code: i64, out: impl Into<String>, err: impl Into<String>) -> Ran {
    Ran { code, out: out.into(), err: err.into() }
}

/// Programs that even the smallest image has.
const SMALL: &[&str] = &[
    "echo", "printf", "true", "false", "test", "[", "sleep", "cat", "grep", "seq", "expr", "env", "date", "nc", "wget",
    "nslookup", "ping", "head", "tail", "wc", "tr", "cut", "sort", "uniq", "touch", "mkdir", "rm", "cp", "mv", "ls",
    "hostname", "id", "whoami", "pwd", "kill", "basename", "dirname", "tee", "sync", "chmod", "chown", "uname",
    "printenv",
];
/// Programs that images of databases and tools bring along.
const CLIENTS: &[&str] =
    &["curl", "psql", "pg_isready", "mysql", "mysqladmin", "redis-cli", "mongosh", "mongo", "dig", "host", "telnet"];
/// Builtins of the shell itself.
const BUILTINS: &[&str] = &[
    ":", ".", "set", "export", "readonly", "local", "unset", "shift", "read", "cd", "exec", "eval", "trap", "wait",
    "type", "command", "umask", "ulimit", "alias", "source", "let",
];

/// True when the program exists beside the image's own.
pub(super) fn known(name: &str, small: bool) -> bool {
    SMALL.contains(&name) || !small && CLIENTS.contains(&name)
}

/// Runs a builtin or program.
pub(super) fn run(machine: &mut Machine, argv: &[String], world: &dyn World) -> Ran {
    let name = argv[0].rsplit('/').next().unwrap_or("");
    let args: Vec<&str> = argv[1..].iter().map(String::as_str).collect();
    if BUILTINS.contains(&argv[0].as_str()) {
        return builtin(machine, &argv[0], &args, world);
    }
    if known(name, machine.env.small) {
        return match name {
            "nc" | "wget" | "curl" | "nslookup" | "dig" | "host" | "ping" | "telnet" | "psql" | "pg_isready"
            | "mysql" | "mysqladmin" | "redis-cli" | "mongosh" | "mongo" => client(machine, name, &args, world),
            _ => program(machine, name, &args, world),
        };
    }
    if matches!(name, "sh" | "bash" | "ash" | "dash") {
        return shell(machine, &args, world);
    }
    let own =
        !machine.env.own.is_empty() && (name.starts_with(machine.env.own.as_str()) || name == "docker-entrypoint.sh");
    if own || !machine.env.small && argv[0].starts_with('/') {
        return image_program(machine);
    }
    let shell = machine.env.name.clone();
    let words = match (&*shell, machine.env.small) {
        ("bash", _) => format!("bash: line 1: {}: command not found", argv[0]),
        (_, true) => format!("{shell}: {}: not found", argv[0]),
        _ => format!("{shell}: 1: {}: not found", argv[0]),
    };
    ran(127, "", words)
}

/// The image's own program, started by the script.
fn image_program(machine: &mut Machine) -> Ran {
    match machine.env.behaviour.clone() {
        Some(Behaviour::Exits { after, code, log }) => {
            machine.wait(after * 1000);
            let end = if log.is_empty() || log.ends_with('\n') { "" } else { "\n" };
            ran(code, format!("{log}{end}"), "")
        }
        _ => {
            machine.become_image();
            Ran::default()
        }
    }
}

/// A shell in the shell.
fn shell(machine: &mut Machine, args: &[&str], world: &dyn World) -> Ran {
    let flagged = args.iter().position(|a| a.starts_with('-') && a.contains('c'));
    let script = match flagged {
        Some(at) => args.get(at + 1).copied().unwrap_or("").to_string(),
        None => match args.first() {
            Some(file) => machine.env.files.get(*file).map(|f| f.to_string()).unwrap_or_default(),
            None => machine.input.as_deref().unwrap_or("").to_string(),
        },
    };
    match parse::parse(&script) {
        Ok(node) => {
            let (out, err, env) = machine.nested(&node, None, world);
            ran(env.status, out, err)
        }
        Err(words) => ran(2, "", format!("sh: syntax error: {words}")),
    }
}

fn builtin(machine: &mut Machine, name: &str, args: &[&str], world: &dyn World) -> Ran {
    match name {
        "set" => {
            let mut rest = args.iter();
            while let Some(arg) = rest.next() {
                match (arg.chars().next(), *arg) {
                    (Some('-'), "--") => {
                        machine.env.args = rest.by_ref().map(|a| Rc::from(*a)).collect();
                    }
                    (Some(sign @ ('-' | '+')), flags) => {
                        for flag in flags.chars().skip(1) {
                            if flag == 'o' {
                                machine.env.option(rest.next().copied().unwrap_or(""), sign == '-');
                            } else {
                                machine.env.flag(flag, sign == '-');
                            }
                        }
                    }
                    _ => machine.env.args = std::iter::once(arg).chain(rest.by_ref()).map(|a| Rc::from(*a)).collect(),
                }
            }
        }
        "export" | "readonly" | "local" => {
            for arg in args {
                if let Some((name, value)) = arg.split_once('=') {
                    machine.env.vars.insert(name.into(), value.into());
                }
            }
        }
        "unset" => args.iter().for_each(|name| {
            machine.env.vars.remove(*name);
        }),
        "shift" => {
            let count = args.first().and_then(|n| n.parse().ok()).unwrap_or(1).min(machine.env.args.len());
            machine.env.args.drain(..count);
        }
        "read" => {
            let input = machine.input.clone().unwrap_or_default();
            let (line, rest) = input.split_once('\n').unwrap_or((&input, ""));
            let code = i64::from(input.is_empty());
            let names: Vec<&&str> = args.iter().filter(|a| !a.starts_with('-')).collect();
            let mut words = line.split_whitespace();
            for (i, name) in names.iter().enumerate() {
                let value = if i + 1 == names.len() {
                    words.by_ref().collect::<Vec<_>>().join(" ")
                } else {
                    words.next().unwrap_or("").to_string()
                };
                machine.env.vars.insert((**name).into(), value.into());
            }
            machine.input = Some(rest.into());
            return ran(code, "", "");
        }
        "cd" => {
            machine.env.vars.insert("PWD".into(), args.first().copied().unwrap_or("/root").into());
        }
        "exec" | "command" if !args.is_empty() && !args[0].starts_with('-') => {
            let argv: Vec<String> = args.iter().map(|a| a.to_string()).collect();
            let out = run(machine, &argv, world);
            if name == "exec" {
                machine.leave(out.code);
            }
            return out;
        }
        "command" | "type" => {
            let wanted = args.last().copied().unwrap_or("");
            let there = known(wanted, machine.env.small) || BUILTINS.contains(&wanted);
            return if there { ran(0, format!("{wanted}\n"), "") } else { ran(127, "", "") };
        }
        "eval" => machine.evaluate(&args.join(" ")),
        "." | "source" => {
            let text = machine.env.files.get(args.first().copied().unwrap_or("")).cloned();
            match text {
                Some(text) => machine.evaluate(&text),
                None => {
                    let file = args.first().copied().unwrap_or("");
                    machine.leave(2);
                    return ran(2, "", format!("{}: .: can't open '{file}'", machine.env.name));
                }
            }
        }
        _ => {}
    }
    Ran::default()
}

fn program(machine: &mut Machine, name: &str, args: &[&str], world: &dyn World) -> Ran {
    let first = args.iter().find(|a| !a.starts_with('-')).copied();
    match name {
        "true" | "sync" | "chmod" | "chown" | "kill" | "mkdir" => Ran::default(),
        "false" => ran(1, "", ""),
        "echo" => echo(args),
        "printf" => ran(0, printf(args), ""),
        "test" => ran(test(machine, args), "", ""),
        "[" => match args.split_last() {
            Some((&"]", rest)) => ran(test(machine, rest), "", ""),
            _ => ran(2, "", format!("{}: [: missing ]", machine.env.name)),
        },
        "sleep" => sleep(machine, args),
        "seq" => {
            let numbers: Vec<i64> = args.iter().filter_map(|a| a.parse().ok()).collect();
            let (from, step, to) = match numbers.as_slice() {
                [to] => (1, 1, *to),
                [from, to] => (*from, 1, *to),
                [from, step, to] => (*from, *step, *to),
                _ => return ran(1, "", "seq: invalid arguments"),
            };
            if step == 0 {
                return ran(1, "", "seq: invalid increment");
            }
            let mut out = String::new();
            let mut n = from;
            while (if step > 0 { n <= to } else { n >= to }) && out.len() < 1 << 20 {
                out.push_str(&format!("{n}\n"));
                n += step;
            }
            ran(0, out, "")
        }
        "expr" => {
            let text = args.join(" ");
            if let [a, "=", b] = args {
                return ran(i64::from(a != b), format!("{}\n", i64::from(a == b)), "");
            }
            match super::expand::arithmetic(&text, &|_| 0) {
                Some(n) => ran(i64::from(n == 0), format!("{n}\n"), ""),
                None => ran(2, "", "expr: syntax error"),
            }
        }
        "env" | "printenv" => match first {
            Some(name) if name.contains('=') || !args.is_empty() && machine.env.vars.get(name).is_none() => {
                let skip = args.iter().take_while(|a| a.contains('=')).count();
                let argv: Vec<String> = args[skip..].iter().map(|a| a.to_string()).collect();
                if argv.is_empty() { Ran::default() } else { run(machine, &argv, world) }
            }
            Some(name) => ran(0, machine.env.vars.get(name).map(|v| format!("{v}\n")).unwrap_or_default(), ""),
            None => ran(0, machine.env.vars.iter().map(|(k, v)| format!("{k}={v}\n")).collect::<String>(), ""),
        },
        "date" => ran(0, date(machine, first), ""),
        "hostname" => ran(0, format!("{}\n", machine.env.vars.get("HOSTNAME").cloned().unwrap_or_default()), ""),
        "whoami" => ran(0, "root\n", ""),
        "id" => ran(0, if args.contains(&"-u") { "0\n" } else { "uid=0(root) gid=0(root) groups=0(root)\n" }, ""),
        "pwd" => ran(0, format!("{}\n", machine.env.vars.get("PWD").map_or("/", |v| v)), ""),
        "uname" => ran(0, "Linux\n", ""),
        "basename" => ran(0, format!("{}\n", first.unwrap_or("").rsplit('/').next().unwrap_or("")), ""),
        "dirname" => ran(0, format!("{}\n", first.unwrap_or("").rsplit_once('/').map_or(".", |(d, _)| d)), ""),
        "touch" => {
            for file in args {
                let old = machine.env.files.get(*file).cloned().unwrap_or_default();
                machine.env.files.insert((*file).into(), old);
            }
            Ran::default()
        }
        "rm" => {
            for file in args {
                machine.env.files.remove(*file);
            }
            Ran::default()
        }
        "cp" | "mv" => {
            let Some((to, from)) = args.split_last() else { return ran(1, "", "") };
            let Some(file) = from.iter().rfind(|a| !a.starts_with('-')) else { return ran(1, "", "") };
            let text = machine.env.files.get(*file).cloned();
            match text {
                Some(text) => {
                    machine.env.files.insert((*to).into(), text);
                    if name == "mv" {
                        machine.env.files.remove(*file);
                    }
                    Ran::default()
                }
                None => ran(1, "", format!("{name}: can't stat '{file}': No such file or directory")),
            }
        }
        "ls" => match first {
            Some(file) if machine.env.files.get(file).is_some() => ran(0, format!("{file}\n"), ""),
            Some(file) if machine.env.small => ran(1, "", format!("ls: {file}: No such file or directory")),
            Some(file) => ran(2, "", format!("ls: cannot access '{file}': No such file or directory")),
            None => Ran::default(),
        },
        _ => filter(machine, name, args),
    }
}

/// Programs that read lines from files or their input.
fn filter(machine: &mut Machine, name: &str, args: &[&str]) -> Ran {
    let mut flags: Vec<&str> = args.iter().copied().filter(|a| a.starts_with('-') && a.len() > 1).collect();
    let mut plain: Vec<&str> = args.iter().copied().filter(|a| !a.starts_with('-') || a.len() == 1).collect();
    let has = |flags: &[&str], c: char| flags.iter().any(|f| f[1..].contains(c));
    let own = match name {
        "grep" | "tr" => plain.len().min(if name == "tr" { 2 } else { 1 }),
        "head" | "tail" => usize::from(has(&flags, 'n') && flags.contains(&"-n")),
        "cut" => flags.iter().filter(|f| f.len() == 2).count().min(plain.len()),
        _ => 0,
    };
    let words: Vec<&str> = plain.drain(..own.min(plain.len())).collect();
    if name == "tee" {
        let text = machine.input.clone().unwrap_or_default();
        for file in plain {
            machine.env.files.insert(file.into(), text.clone());
        }
        return ran(0, text.to_string(), "");
    }
    let mut input = String::new();
    let mut err = String::new();
    for file in &plain {
        match machine.env.files.get(*file) {
            Some(text) => input.push_str(text),
            None if *file == "-" => input.push_str(machine.input.as_deref().unwrap_or("")),
            None if *file == "/dev/null" => {}
            None => err.push_str(&format!("{name}: {}: No such file or directory\n", shown(machine, file))),
        }
    }
    if plain.is_empty() {
        match (machine.input.clone(), name) {
            (Some(text), _) => input.push_str(&text),
            (None, "tail") if has(&flags, 'f') => machine.wait_forever(),
            _ => {}
        }
    } else if name == "tail" && has(&flags, 'f') {
        machine.wait_forever();
    }
    let failed = i64::from(!err.is_empty());
    let lines: Vec<&str> = input.lines().collect();
    let joined = |lines: &[&str]| lines.iter().map(|l| format!("{l}\n")).collect::<String>();
    let number = || {
        let text = flags.iter().find_map(|f| f[1..].strip_prefix('n').or(Some(&f[1..])).filter(|t| !t.is_empty()));
        words.first().copied().or(text).and_then(|t| t.parse::<usize>().ok()).unwrap_or(10)
    };
    let out = match name {
        "cat" => input.clone(),
        "head" => joined(&lines[..number().min(lines.len())]),
        "tail" => joined(&lines[lines.len().saturating_sub(number())..]),
        "wc" if has(&flags, 'l') => format!("{}\n", lines.len()),
        "wc" if has(&flags, 'c') => format!("{}\n", input.len()),
        "wc" => format!("{} {} {}\n", lines.len(), input.split_whitespace().count(), input.len()),
        "sort" => {
            let mut sorted = lines.clone();
            base::order::sort(&mut sorted);
            if has(&flags, 'r') {
                sorted.reverse();
            }
            if has(&flags, 'u') {
                sorted.dedup();
            }
            joined(&sorted)
        }
        "uniq" => {
            let mut kept = lines.clone();
            kept.dedup();
            joined(&kept)
        }
        "tr" => translate(&input, &words, has(&flags, 'd')),
        "cut" => {
            let value = |c: char| {
                let flag = flags.iter().position(|f| f[1..].starts_with(c))?;
                let rest = &flags[flag][2..];
                if rest.is_empty() {
                    words.get(flags[..flag].iter().filter(|f| f.len() == 2).count()).copied()
                } else {
                    Some(rest)
                }
            };
            let by = value('d').unwrap_or("\t").to_string();
            let field = value('f').and_then(|f| f.parse::<usize>().ok()).unwrap_or(1);
            lines.iter().map(|l| format!("{}\n", l.split(by.as_str()).nth(field - 1).unwrap_or(l))).collect()
        }
        "grep" => {
            let wanted = words.first().copied().unwrap_or("");
            let (fold, invert) = (has(&flags, 'i'), has(&flags, 'v'));
            let matches = |line: &&str| {
                let hit = match fold {
                    true => found(&line.to_lowercase(), &wanted.to_lowercase()),
                    false => found(line, wanted),
                };
                hit != invert
            };
            let hits: Vec<&str> = lines.iter().copied().filter(matches).collect();
            let code = if hits.is_empty() { 1 } else { 0 };
            let code = if failed != 0 { 2 } else { code };
            flags.retain(|f| f.contains('q'));
            let out = match (flags.is_empty(), args.iter().any(|a| a.starts_with('-') && a[1..].contains('c'))) {
                (false, _) => String::new(),
                (true, true) => format!("{}\n", hits.len()),
                (true, false) => joined(&hits),
            };
            return ran(code, out, err);
        }
        _ => String::new(),
    };
    ran(failed, out, err)
}

fn shown(machine: &Machine, file: &str) -> String {
    if machine.env.small { format!("can't open '{file}'") } else { file.to_string() }
}

/// A line against a basic pattern: `^`, `$`, `.*` and alternatives with `|`.
fn found(line: &str, pattern: &str) -> bool {
    pattern.split("\\|").flat_map(|p| p.split('|')).any(|one| {
        let (start, one) = one.strip_prefix('^').map_or((false, one), |p| (true, p));
        let (end, one) = one.strip_suffix('$').map_or((false, one), |p| (true, p));
        let middle = one.replace(".*", "*").replace("\\.", ".");
        glob(&format!("{}{middle}{}", if start { "" } else { "*" }, if end { "" } else { "*" }), line)
    })
}

fn translate(input: &str, sets: &[&str], delete: bool) -> String {
    let expand = |set: &str| -> Vec<char> {
        let set = set.replace("\\n", "\n").replace("[:upper:]", "A-Z").replace("[:lower:]", "a-z");
        let chars: Vec<char> = set.replace("[:space:]", " \n\t").chars().collect();
        let mut out = Vec::new();
        let mut i = 0;
        while i < chars.len() {
            if chars.get(i + 1) == Some(&'-') && i + 2 < chars.len() {
                out.extend(chars[i]..=chars[i + 2]);
                i += 3;
            } else {
                out.push(chars[i]);
                i += 1;
            }
        }
        out
    };
    let from = expand(sets.first().copied().unwrap_or(""));
    let to = expand(sets.get(1).copied().unwrap_or(""));
    let swap = |c: char| match from.iter().position(|f| *f == c) {
        None => Some(c),
        Some(_) if delete => None,
        Some(i) => to.get(i).or(to.last()).copied(),
    };
    input.chars().filter_map(swap).collect()
}

fn echo(args: &[&str]) -> Ran {
    let mut rest = args;
    let (mut newline, mut escapes) = (true, false);
    while let [flag, more @ ..] = rest
        && matches!(*flag, "-n" | "-e" | "-ne" | "-en")
    {
        newline &= !flag.contains('n');
        escapes |= flag.contains('e');
        rest = more;
    }
    let text = rest.join(" ");
    let text = if escapes { escaped(&text) } else { text };
    ran(0, if newline { text + "\n" } else { text }, "")
}

fn escaped(text: &str) -> String {
    text.replace("\\n", "\n").replace("\\t", "\t").replace("\\\\", "\\")
}

fn printf(args: &[&str]) -> String {
    let Some((format, values)) = args.split_first() else { return String::new() };
    let (format, mut values, mut out) = (escaped(format), values.iter(), String::new());
    loop {
        let before = values.len();
        let mut chars = format.chars();
        while let Some(c) = chars.next() {
            if c != '%' {
                out.push(c);
                continue;
            }
            let mut width = String::new();
            let verb = loop {
                match chars.next() {
                    Some(c) if c.is_ascii_digit() || matches!(c, '-' | '.') => width.push(c),
                    other => break other,
                }
            };
            if verb == Some('%') {
                out.push('%');
                continue;
            }
            let value = values.next().copied().unwrap_or(if verb == Some('d') { "0" } else { "" });
            let size = width.trim_start_matches('-').parse().unwrap_or(0).min(200);
            out.push_str(&match (width.starts_with('-'), width.starts_with('0')) {
                (true, _) => format!("{value:<size$}"),
                (_, true) => format!("{value:0>size$}"),
                _ => format!("{value:>size$}"),
            });
        }
        // The format is used again while values are left.
        if values.len() == 0 || values.len() == before {
            return out;
        }
    }
}

fn sleep(machine: &mut Machine, args: &[&str]) -> Ran {
    let mut total = 0.0;
    for arg in args {
        let (number, unit) = match arg.chars().last() {
            Some('s') => (&arg[..arg.len() - 1], 1.0),
            Some('m') => (&arg[..arg.len() - 1], 60.0),
            Some('h') => (&arg[..arg.len() - 1], 3600.0),
            Some('d') => (&arg[..arg.len() - 1], 86_400.0),
            _ => (*arg, 1.0),
        };
        match number.parse::<f64>() {
            Ok(n) if n.is_infinite() => machine.wait_forever(),
            Ok(n) if n >= 0.0 => total += n * unit,
            _ if *arg == "infinity" => machine.wait_forever(),
            _ => return ran(1, "", format!("sleep: invalid number '{arg}'")),
        }
    }
    machine.wait((total * 1000.0) as i64);
    Ran::default()
}

fn date(machine: &Machine, format: Option<&str>) -> String {
    let (year, month, day, hour, minute, second) = machine.clock.civil();
    const MONTHS: &str = "JanFebMarAprMayJunJulAugSepOctNovDec";
    const DAYS: &str = "ThuFriSatSunMonTueWed";
    let three = |table: &'static str, n: usize| table.get(n * 3..n * 3 + 3).unwrap_or("");
    let weekday = three(DAYS, machine.clock.secs().div_euclid(86_400).rem_euclid(7) as usize);
    let name = three(MONTHS, month as usize - 1);
    let Some(format) = format.and_then(|f| f.strip_prefix('+')) else {
        return format!("{weekday} {name} {day:>2} {hour:02}:{minute:02}:{second:02} UTC {year}\n");
    };
    let out = format.replace("%F", "%Y-%m-%d").replace("%T", "%H:%M:%S");
    let parts = [
        ("%Y", format!("{year:04}")),
        ("%m", format!("{month:02}")),
        ("%d", format!("{day:02}")),
        ("%H", format!("{hour:02}")),
        ("%M", format!("{minute:02}")),
        ("%S", format!("{second:02}")),
        ("%s", machine.clock.secs().to_string()),
        ("%Z", "UTC".to_string()),
    ];
    parts.iter().fold(out, |out, (mark, text)| out.replace(mark, text)) + "\n"
}

fn test(machine: &Machine, args: &[&str]) -> i64 {
    match holds(machine, args) {
        Some(true) => 0,
        Some(false) => 1,
        None => 2,
    }
}

/// A `test` expression; `None` when it makes no sense.
fn holds(machine: &Machine, args: &[&str]) -> Option<bool> {
    if let Some(at) = args.iter().position(|a| *a == "-o").filter(|at| *at > 0) {
        return Some(holds(machine, &args[..at])? || holds(machine, &args[at + 1..])?);
    }
    if let Some(at) = args.iter().position(|a| *a == "-a").filter(|at| *at > 0) {
        return Some(holds(machine, &args[..at])? && holds(machine, &args[at + 1..])?);
    }
    let number = |text: &str| text.trim().parse::<i64>().ok();
    match args {
        [] => Some(false),
        ["!", rest @ ..] => holds(machine, rest).map(|b| !b),
        [text] => Some(!text.is_empty()),
        ["-n", text] => Some(!text.is_empty()),
        ["-z", text] => Some(text.is_empty()),
        ["-f" | "-e" | "-r" | "-s", file] => Some(machine.env.files.get(*file).is_some()),
        ["-d" | "-x" | "-w", _] => Some(false),
        [a, "=" | "==", b] => Some(a == b),
        [a, "!=", b] => Some(a != b),
        [a, "-eq", b] => Some(number(a)? == number(b)?),
        [a, "-ne", b] => Some(number(a)? != number(b)?),
        [a, "-lt", b] => Some(number(a)? < number(b)?),
        [a, "-le", b] => Some(number(a)? <= number(b)?),
        [a, "-gt", b] => Some(number(a)? > number(b)?),
        [a, "-ge", b] => Some(number(a)? >= number(b)?),
        _ => None,
    }
}

/// A shell pattern against a whole text: `*`, `?`, `[…]`, `\` before a literal character.
pub(super) fn glob(pattern: &str, text: &str) -> bool {
    let (p, t): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut i, mut j, mut back) = (0, 0, None);
    loop {
        let step = match p.get(i) {
            Some('*') => {
                back = Some((i + 1, j));
                i += 1;
                continue;
            }
            None if j == t.len() => return true,
            None => None,
            Some(_) if j >= t.len() => None,
            Some('?') => Some(1),
            Some('[') => match p[i..].iter().skip(2).position(|c| *c == ']').map(|n| n + 2) {
                Some(end) => class(&p[i + 1..i + end], t[j]).then_some(end + 1),
                None => (t[j] == '[').then_some(1),
            },
            Some('\\') if i + 1 < p.len() => (p[i + 1] == t[j]).then_some(2),
            Some(c) => (*c == t[j]).then_some(1),
        };
        match (step, back) {
            (Some(n), _) => (i, j) = (i + n, j + 1),
            // The star takes one character more.
            (None, Some((after, from))) if from < t.len() => {
                (i, j, back) = (after, from + 1, Some((after, from + 1)));
            }
            _ => return false,
        }
    }
}

fn class(set: &[char], c: char) -> bool {
    let (negated, set) = match set.first() {
        Some('!' | '^') => (true, &set[1..]),
        _ => (false, set),
    };
    let mut i = 0;
    let mut hit = false;
    while i < set.len() {
        if set.get(i + 1) == Some(&'-') && i + 2 < set.len() {
            hit |= (set[i]..=set[i + 2]).contains(&c);
            i += 3;
        } else {
            hit |= set[i] == c;
            i += 1;
        }
    }
    hit != negated
}
