//! Flags as Go's pflag reads them, with its error texts: `--name value`, `--name=value`, `-n value`, `-nvalue`,
//! grouped short switches, `--` to end.

/// What a flag takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    /// Nothing, or `=true` / `=false`.
    Switch,
    /// One value.
    Value,
    /// A value that may be left out; then this one stands.
    Optional(&'static str),
    /// Values separated by commas, as in a CSV line.
    List,
}

/// One known flag.
#[derive(Debug)]
pub(crate) struct Flag {
    /// Long name without dashes.
    pub(crate) name: &'static str,
    /// Short name; `\0` for none.
    pub(crate) short: char,
    /// What it takes.
    pub(crate) takes: Takes,
}

/// A command line after reading.
#[derive(Debug, Default)]
pub(crate) struct Parsed {
    /// Flags in order: name and value.
    pub(crate) flags: Vec<(&'static str, String)>,
    /// What is no flag, in order.
    pub(crate) args: Vec<String>,
}

impl Parsed {
    /// The last value of a flag.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        self.flags.iter().rev().find(|(flag, _)| *flag == name).map(|(_, value)| value.as_str())
    }

    /// Whether a switch is on.
    pub(crate) fn on(&self, name: &str) -> bool {
        self.value(name) == Some("true")
    }

    /// All values of a flag in order.
    pub(crate) fn all(&self, name: &str) -> Vec<String> {
        self.flags.iter().filter(|(flag, _)| *flag == name).map(|(_, value)| value.clone()).collect()
    }
}

/// Reads a command line. The error is pflag's text.
pub(crate) fn parse(args: &[String], known: &'static [Flag]) -> Result<Parsed, String> {
    let mut parsed = Parsed::default();
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        if arg == "--" {
            parsed.args.extend(rest.cloned());
            break;
        }
        if let Some(long) = arg.strip_prefix("--") {
            let (name, given) = match long.split_once('=') {
                Some((name, value)) => (name, Some(value.to_string())),
                None => (long, None),
            };
            if name.is_empty() || name.starts_with('-') {
                return Err(format!("bad flag syntax: {arg}"));
            }
            let flag = known.iter().find(|flag| flag.name == name).ok_or_else(|| format!("unknown flag: --{name}"))?;
            let value = match (given, flag.takes) {
                (Some(value), _) => value,
                (None, Takes::Switch) => "true".to_string(),
                (None, Takes::Optional(default)) => default.to_string(),
                (None, _) => rest.next().cloned().ok_or_else(|| format!("flag needs an argument: {arg}"))?,
            };
            set(&mut parsed, flag, value)?;
        } else if let Some(shorts) = arg.strip_prefix('-').filter(|shorts| !shorts.is_empty()) {
            let mut shorts = shorts;
            while let Some(c) = shorts.chars().next() {
                let after = &shorts[c.len_utf8()..];
                let unknown = || format!("unknown shorthand flag: {} in -{shorts}", quote_char(c));
                let flag = known.iter().find(|flag| flag.short == c && c != '\0').ok_or_else(unknown)?;
                let (value, left) = match (after.strip_prefix('='), flag.takes) {
                    (Some(value), _) => (value.to_string(), ""),
                    (None, Takes::Switch) => ("true".to_string(), after),
                    (None, Takes::Optional(default)) => (default.to_string(), after),
                    (None, _) if !after.is_empty() => (after.to_string(), ""),
                    (None, _) => {
                        let missing = || format!("flag needs an argument: {} in -{shorts}", quote_char(c));
                        (rest.next().cloned().ok_or_else(missing)?, "")
                    }
                };
                set(&mut parsed, flag, value)?;
                shorts = left;
            }
        } else {
            parsed.args.push(arg.clone());
        }
    }
    Ok(parsed)
}

fn quote_char(c: char) -> String {
    format!("'{c}'")
}

fn set(parsed: &mut Parsed, flag: &'static Flag, value: String) -> Result<(), String> {
    match flag.takes {
        Takes::Switch => {
            let on = match value.as_str() {
                "1" | "t" | "T" | "true" | "TRUE" | "True" => "true",
                "0" | "f" | "F" | "false" | "FALSE" | "False" => "false",
                _ => {
                    let name = match flag.short {
                        '\0' => format!("--{}", flag.name),
                        c => format!("-{c}, --{}", flag.name),
                    };
                    return Err(format!(
                        "invalid argument {value:?} for {name:?} flag: strconv.ParseBool: parsing {value:?}: invalid syntax"
                    ));
                }
            };
            parsed.flags.push((flag.name, on.to_string()));
        }
        Takes::List => parsed.flags.extend(csv(&value).into_iter().map(|item| (flag.name, item))),
        _ => parsed.flags.push((flag.name, value)),
    }
    Ok(())
}

/// The fields of one CSV line; quotes protect commas and are doubled inside.
fn csv(line: &str) -> Vec<String> {
    if line.is_empty() {
        return Vec::new();
    }
    let mut fields = Vec::new();
    let mut rest = line;
    loop {
        if let Some(mut quoted) = rest.strip_prefix('"') {
            let mut field = String::new();
            loop {
                let Some(end) = quoted.find('"') else {
                    field.push_str(quoted);
                    quoted = "";
                    break;
                };
                field.push_str(&quoted[..end]);
                quoted = &quoted[end + 1..];
                match quoted.strip_prefix('"') {
                    Some(after) => {
                        field.push('"');
                        quoted = after;
                    }
                    None => break,
                }
            }
            fields.push(field);
            rest = quoted;
        } else {
            let end = rest.find(',').unwrap_or(rest.len());
            fields.push(rest[..end].to_string());
            rest = &rest[end..];
        }
        match rest.strip_prefix(',') {
            Some(after) => rest = after,
            None => return fields,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: &[Flag] = &[
        Flag { name: "values", short: 'f', takes: Takes::List },
        Flag { name: "set", short: '\0', takes: Takes::Value },
        Flag { name: "debug", short: '\0', takes: Takes::Switch },
    ];

    #[test]
    fn reads_as_pflag_does() {
        let read = |line: &str| parse(&line.split(' ').map(str::to_string).collect::<Vec<_>>(), KNOWN);
        let parsed = read("a -f x,y --set=k=v b --debug -fz").expect("valid");
        assert_eq!(parsed.args, ["a", "b"]);
        assert_eq!(parsed.all("values"), ["x", "y", "z"]);
        assert_eq!(parsed.value("set"), Some("k=v"));
        assert!(parsed.on("debug"));
        assert_eq!(read("--nope").err().as_deref(), Some("unknown flag: --nope"));
        assert_eq!(read("-x").err().as_deref(), Some("unknown shorthand flag: 'x' in -x"));
        assert_eq!(read("--set").err().as_deref(), Some("flag needs an argument: --set"));
    }
}
