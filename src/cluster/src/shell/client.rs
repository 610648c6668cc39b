//! Network clients: nc, wget, curl, psql and their like. They succeed or fail by what the [`World`] says.

use super::programs::{Ran, ran};
use super::run::Machine;
use super::{Reach, World};

/// What was asked of a network client: host, port, seconds it waits.
struct Call {
    host: String,
    port: Option<i64>,
    wait: i64,
    quiet: bool,
}

fn call(name: &str, args: &[&str], default_wait: i64) -> Call {
    let mut out = Call { host: String::new(), port: None, wait: default_wait, quiet: false };
    let mut rest = args.iter();
    let mut plain: Vec<&str> = Vec::new();
    while let Some(arg) = rest.next() {
        let seconds = |text: &str| text.parse::<f64>().map_or(default_wait, |s| s.ceil() as i64);
        match *arg {
            "-w" | "-T" | "-m" | "--max-time" | "--connect-timeout" | "-t" | "-W" => {
                out.wait = seconds(rest.next().copied().unwrap_or(""));
            }
            "-h" | "--host" => out.host = rest.next().copied().unwrap_or("").to_string(),
            "-p" | "-P" | "--port" if name != "wget" => out.port = rest.next().and_then(|p| p.parse().ok()),
            "-o" | "-O" | "-d" | "-U" | "-X" | "-H" | "-c" | "-e" | "-u" | "--retry" | "--data" | "--header" | "-a" => {
                if !(name == "nc" && matches!(*arg, "-u" | "-e")) {
                    rest.next();
                }
            }
            arg if arg.starts_with("--timeout=") => out.wait = seconds(&arg[10..]),
            arg if arg.starts_with("--host=") => out.host = arg[7..].to_string(),
            arg if arg.starts_with("--port=") => out.port = arg[7..].parse().ok(),
            arg if arg.starts_with("-h") && matches!(name, "psql" | "mysql" | "mysqladmin" | "pg_isready") => {
                out.host = arg[2..].to_string();
            }
            arg if arg.starts_with('-') => {
                out.quiet |=
                    !arg.starts_with("--") && arg.contains(['s', 'q']) || matches!(arg, "--silent" | "--quiet");
            }
            arg => plain.push(arg),
        }
    }
    if let Some(target) = plain.first().filter(|_| out.host.is_empty()) {
        let (scheme, rest) = target.split_once("://").unwrap_or(("", target));
        let authority = rest.split(['/', '?']).next().unwrap_or("");
        let authority = authority.rsplit('@').next().unwrap_or("");
        let (host, port) = authority.split_once(':').map_or((authority, None), |(h, p)| (h, p.parse().ok()));
        out.host = host.to_string();
        out.port = out.port.or(port).or(if scheme == "https" { Some(443) } else { None });
        if matches!(name, "nc" | "telnet") {
            out.port = plain.get(1).and_then(|p| p.parse().ok()).or(out.port);
        }
    }
    out
}

pub(super) fn client(machine: &mut Machine, name: &str, args: &[&str], world: &dyn World) -> Ran {
    let (port, wait) = match name {
        "wget" | "curl" => (Some(80), 130),
        "psql" | "pg_isready" => (Some(5432), if name == "psql" { 130 } else { 3 }),
        "mysql" | "mysqladmin" => (Some(3306), 10),
        "redis-cli" => (Some(6379), 10),
        "mongosh" | "mongo" => (Some(27_017), 30),
        _ => (None, 10),
    };
    let mut call = call(name, args, wait);
    call.port = call.port.or(port);
    if call.host.is_empty() && matches!(name, "psql" | "pg_isready") {
        call.host = machine.env.vars.get("PGHOST").map_or("localhost".to_string(), |v| v.to_string());
    }
    if call.host.is_empty() {
        call.host = "localhost".to_string();
    }
    let named = matches!(name, "nslookup" | "dig" | "host" | "ping");
    let found = world.reach(&call.host, if named { None } else { call.port });
    if matches!(found, Reach::Silent(_)) {
        machine.wait(call.wait * 1000);
    }
    answer(name, &call, &found, args, machine.env.small)
}

fn answer(name: &str, call: &Call, found: &Reach, args: &[&str], small: bool) -> Ran {
    let host = &call.host;
    let port = call.port.unwrap_or(0);
    match (name, found) {
        ("nslookup" | "dig" | "host", Reach::Unknown) => ran(1, "", format!("** server can't find {host}: NXDOMAIN")),
        ("nslookup" | "dig" | "host", Reach::Open(ip) | Reach::Refused(ip) | Reach::Silent(ip)) => {
            ran(0, format!("Name:\t{host}\nAddress: {ip}\n"), "")
        }
        ("ping", Reach::Unknown) => ran(1, "", format!("ping: bad address '{host}'")),
        ("ping", Reach::Silent(_)) => ran(1, "", ""),
        ("ping", _) => ran(0, "", ""),
        ("nc" | "telnet", Reach::Unknown) => ran(1, "", format!("nc: bad address '{host}'")),
        ("nc" | "telnet", Reach::Refused(ip)) => {
            let loud =
                args.iter().any(|a| a.starts_with('-') && a.contains('v')) || !args.iter().any(|a| a.contains('z'));
            ran(1, "", if loud { format!("nc: {host} ({ip}:{port}): Connection refused") } else { String::new() })
        }
        ("nc" | "telnet", Reach::Silent(_)) => ran(1, "", "nc: timed out"),
        ("nc" | "telnet", Reach::Open(ip)) => {
            let loud = args.iter().any(|a| a.starts_with('-') && a.contains('v'));
            ran(0, "", if loud { format!("{host} ({ip}:{port}) open") } else { String::new() })
        }
        ("wget", Reach::Unknown) if small => ran(1, "", format!("wget: bad address '{host}:{port}'")),
        ("wget", Reach::Unknown) => ran(4, "", format!("wget: unable to resolve host address '{host}'")),
        ("wget", Reach::Refused(ip)) => {
            let line = format!("wget: can't connect to remote host ({ip}): Connection refused");
            ran(if small { 1 } else { 4 }, "", line)
        }
        ("wget", Reach::Silent(_)) => ran(if small { 1 } else { 4 }, "", "wget: download timed out"),
        ("curl", Reach::Unknown) => loud(6, call, format!("curl: (6) Could not resolve host: {host}")),
        ("curl", Reach::Refused(_)) => loud(
            7,
            call,
            format!("curl: (7) Failed to connect to {host} port {port} after 0 ms: Could not connect to server"),
        ),
        ("curl", Reach::Silent(_)) => {
            let ms = call.wait * 1000;
            loud(28, call, format!("curl: (28) Connection timed out after {ms} milliseconds"))
        }
        ("psql", Reach::Unknown) => {
            let words = "to address: Name or service not known";
            ran(2, "", format!("psql: error: could not translate host name \"{host}\" {words}"))
        }
        ("psql", Reach::Refused(ip)) => ran(
            2,
            "",
            format!(
                "psql: error: connection to server at \"{host}\" ({ip}), port {port} failed: Connection refused\n\tIs the server running on that host and accepting TCP/IP connections?"
            ),
        ),
        ("psql", Reach::Silent(ip)) => {
            let at = format!("connection to server at \"{host}\" ({ip}), port {port} failed");
            ran(
                2,
                "",
                format!(
                    "psql: error: {at}: Connection timed out\n\tIs the server running on that host and accepting TCP/IP connections?"
                ),
            )
        }
        ("pg_isready", Reach::Open(_)) => ran(0, format!("{host}:{port} - accepting connections\n"), ""),
        ("pg_isready", _) => ran(2, format!("{host}:{port} - no response\n"), ""),
        ("mysql" | "mysqladmin", Reach::Unknown) => {
            ran(1, "", format!("ERROR 2005 (HY000): Unknown MySQL server host '{host}' (-2)"))
        }
        ("mysql" | "mysqladmin", Reach::Refused(_) | Reach::Silent(_)) => {
            ran(1, "", format!("ERROR 2003 (HY000): Can't connect to MySQL server on '{host}:{port}' (111)"))
        }
        ("redis-cli", Reach::Unknown) => {
            ran(1, "", format!("Could not connect to Redis at {host}:{port}: Name or service not known"))
        }
        ("redis-cli", Reach::Refused(_) | Reach::Silent(_)) => {
            ran(1, "", format!("Could not connect to Redis at {host}:{port}: Connection refused"))
        }
        ("redis-cli", Reach::Open(_)) => ran(0, if args.contains(&"ping") { "PONG\n" } else { "OK\n" }, ""),
        ("mongosh" | "mongo", Reach::Unknown) => ran(1, "", format!("MongoNetworkError: getaddrinfo ENOTFOUND {host}")),
        ("mongosh" | "mongo", Reach::Refused(_) | Reach::Silent(_)) => {
            ran(1, "", format!("MongoNetworkError: connect ECONNREFUSED {host}:{port}"))
        }
        _ => Ran::default(),
    }
}

fn loud(code: i64, call: &Call, line: String) -> Ran {
    ran(code, "", if call.quiet { String::new() } else { line })
}
