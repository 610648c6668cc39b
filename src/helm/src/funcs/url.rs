//! `urlParse` and `urlJoin` as Go's `net/url` reads and writes URLs.

use super::args::{Res, panic, text};
use gotmpl::quote::go_quote;
use gotmpl::{Call, FuncError, Key, MapType, Outcome, Value};

/// The part of a URL that is escaped; each has its own set of plain characters.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Path,
    Host,
    User,
    Fragment,
}

fn plain(b: u8, part: Part) -> bool {
    if b.is_ascii_alphanumeric() || b"-_.~".contains(&b) {
        return true;
    }
    match part {
        Part::Path => b"$&+,/:;=@".contains(&b),
        Part::Host => b"!$&'()*+,;=:[]<>\"".contains(&b),
        Part::User => b"$&+,;=".contains(&b),
        Part::Fragment => b"$&+,/:;=?@!()*".contains(&b),
    }
}

fn escape(text: &[u8], part: Part) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for &b in text {
        if plain(b, part) {
            out.push(b);
        } else {
            out.extend_from_slice(format!("%{b:02X}").as_bytes());
        }
    }
    out
}

fn hex(b: Option<&u8>) -> Option<u8> {
    b.and_then(|b| (*b as char).to_digit(16)).map(|d| d as u8)
}

fn unescape(text: &[u8], part: Part) -> Result<Vec<u8>, String> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        if text[at] == b'%' {
            let shown = &text[at..text.len().min(at + 3)];
            let pair = hex(text.get(at + 1)).zip(hex(text.get(at + 2)));
            let pair = pair.filter(|(high, _)| part != Part::Host || *high >= 8 || shown == b"%25");
            let Some((high, low)) = pair else {
                return Err(format!("invalid URL escape {}", go_quote(shown)));
            };
            out.push(high << 4 | low);
            at += 3;
            continue;
        }
        if part == Part::Host && text[at] < 0x80 && !plain(text[at], part) {
            return Err(format!("invalid character {} in host name", go_quote(&text[at..=at])));
        }
        out.push(text[at]);
        at += 1;
    }
    Ok(out)
}

/// A URL in parts, as `url.URL`.
#[derive(Default)]
struct Url {
    scheme: Vec<u8>,
    opaque: Vec<u8>,
    user: Option<(Vec<u8>, Option<Vec<u8>>)>,
    host: Vec<u8>,
    path: Vec<u8>,
    query: Vec<u8>,
    fragment: Vec<u8>,
}

fn cut(text: &[u8], at: u8) -> (&[u8], Option<&[u8]>) {
    match text.iter().position(|&b| b == at) {
        Some(i) => (&text[..i], Some(&text[i + 1..])),
        None => (text, None),
    }
}

fn scheme(text: &[u8]) -> Result<(&[u8], &[u8]), String> {
    for (i, &b) in text.iter().enumerate() {
        match b {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if i > 0 => {}
            b':' if i == 0 => return Err("missing protocol scheme".into()),
            b':' => return Ok((&text[..i], &text[i + 1..])),
            _ => break,
        }
    }
    Ok((b"", text))
}

fn port_fits(port: &[u8]) -> bool {
    port.is_empty() || port[0] == b':' && port[1..].iter().all(u8::is_ascii_digit)
}

fn host(scheme: &[u8], host: &[u8]) -> Result<Vec<u8>, String> {
    if host.iter().rposition(|&b| b == b'[').is_some_and(|i| i > 0) {
        return Err("invalid IP-literal".into());
    }
    let port = if host.first() == Some(&b'[') {
        let Some(close) = host.iter().rposition(|&b| b == b']') else { return Err("missing ']' in host".into()) };
        close + 1
    } else {
        let first = host.iter().position(|&b| b == b':');
        let last = host.iter().rposition(|&b| b == b':');
        let strict = scheme == b"http" || scheme == b"https";
        (if strict { first } else { last }).unwrap_or(host.len())
    };
    if !port_fits(&host[port..]) {
        return Err(format!("invalid port {} after host", go_quote(&host[port..])));
    }
    if host.first() == Some(&b'[') {
        let inner = &host[1..port - 1];
        let zone = inner.windows(3).position(|w| w == b"%25").unwrap_or(inner.len());
        let address = std::str::from_utf8(&inner[..zone]).unwrap_or("");
        if address.parse::<std::net::Ipv6Addr>().is_err() {
            if address.parse::<std::net::Ipv4Addr>().is_ok() {
                return Err("invalid IP-literal".into());
            }
            let why = if address.is_empty() { "unable to parse IP" } else { "unexpected character" };
            return Err(format!("invalid host: ParseAddr({}): {why}", go_quote(inner)));
        }
        let mut out = host[..=zone].to_vec();
        if zone < inner.len() {
            out.push(b'%');
            out.extend(unescape(&inner[zone + 3..], Part::User)?);
        }
        out.extend_from_slice(&host[port - 1..]);
        return Ok(out);
    }
    unescape(host, Part::Host)
}

impl Url {
    /// `url.Parse`; the error is Go's text with its `parse "…": `.
    fn parse(whole: &[u8]) -> Result<Url, String> {
        let (main, fragment) = cut(whole, b'#');
        let wrap = |shown: &[u8], error: String| format!("parse {}: {error}", go_quote(shown));
        let mut url = Url::parse_main(main).map_err(|error| wrap(main, error))?;
        if let Some(fragment) = fragment {
            url.fragment = unescape(fragment, Part::Fragment).map_err(|error| wrap(whole, error))?;
        }
        Ok(url)
    }

    fn parse_main(text: &[u8]) -> Result<Url, String> {
        if text.iter().any(|&b| b < b' ' || b == 0x7f) {
            return Err("net/url: invalid control character in URL".into());
        }
        if text == b"*" {
            return Ok(Url { path: text.to_vec(), ..Url::default() });
        }
        let (scheme, rest) = scheme(text)?;
        let mut url = Url { scheme: scheme.to_ascii_lowercase(), ..Url::default() };
        let (mut rest, query) = cut(rest, b'?');
        url.query = query.unwrap_or_default().to_vec();
        if !rest.starts_with(b"/") {
            if !url.scheme.is_empty() {
                url.opaque = rest.to_vec();
                return Ok(url);
            }
            if cut(rest, b'/').0.contains(&b':') {
                return Err("first path segment in URL cannot contain colon".into());
            }
        }
        if (!url.scheme.is_empty() || !rest.starts_with(b"///")) && rest.starts_with(b"//") {
            let slash = rest[2..].iter().position(|&b| b == b'/').map_or(rest.len(), |i| i + 2);
            let authority = &rest[2..slash];
            rest = &rest[slash..];
            url.authority(authority)?;
        }
        url.path = unescape(rest, Part::Path)?;
        Ok(url)
    }

    fn authority(&mut self, text: &[u8]) -> Result<(), String> {
        let at = text.iter().rposition(|&b| b == b'@');
        self.host = host(&self.scheme, &text[at.map_or(0, |i| i + 1)..])?;
        let Some(at) = at else { return Ok(()) };
        let user = &text[..at];
        if !user.iter().all(|b| b.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(b)) {
            return Err("net/url: invalid userinfo".into());
        }
        let (name, password) = cut(user, b':');
        let password = password.map(|p| unescape(p, Part::User)).transpose()?;
        self.user = Some((unescape(name, Part::User)?, password));
        Ok(())
    }

    fn userinfo(&self) -> Option<Vec<u8>> {
        let (name, password) = self.user.as_ref()?;
        let mut out = escape(name, Part::User);
        if let Some(password) = password {
            out.push(b':');
            out.extend(escape(password, Part::User));
        }
        Some(out)
    }

    fn hostname(&self) -> Vec<u8> {
        let port = self.host.iter().rposition(|&b| b == b':').filter(|&i| port_fits(&self.host[i..]));
        let name = &self.host[..port.unwrap_or(self.host.len())];
        name.strip_prefix(b"[").and_then(|n| n.strip_suffix(b"]")).unwrap_or(name).to_vec()
    }

    /// `URL.String` of a URL that was put together from parts.
    fn joined(&self) -> Vec<u8> {
        let mut out = self.scheme.clone();
        if !out.is_empty() {
            out.push(b':');
        }
        if self.opaque.is_empty() {
            if (!out.is_empty() || !self.host.is_empty() || self.user.is_some())
                && (!self.host.is_empty() || !self.path.is_empty() || self.user.is_some())
            {
                out.extend_from_slice(b"//");
                if let Some(user) = self.userinfo() {
                    out.extend(user);
                    out.push(b'@');
                }
                out.extend(escape(&self.host, Part::Host));
            }
            let path = if self.path == b"*" { self.path.clone() } else { escape(&self.path, Part::Path) };
            if !path.is_empty() && path[0] != b'/' && !self.host.is_empty() {
                out.push(b'/');
            }
            if out.is_empty() && cut(&path, b'/').0.contains(&b':') {
                out.extend_from_slice(b"./");
            }
            out.extend(path);
        } else {
            out.extend_from_slice(&self.opaque);
        }
        if !self.query.is_empty() {
            out.push(b'?');
            out.extend_from_slice(&self.query);
        }
        if !self.fragment.is_empty() {
            out.push(b'#');
            out.extend(escape(&self.fragment, Part::Fragment));
        }
        out
    }
}

/// Whether a text is a URL or a URL reference; what the schema formats ask about it. The error is Go's text.
pub(crate) struct Reference {
    /// Whether it has a scheme.
    pub(crate) absolute: bool,
    /// Name or address of the host, without brackets.
    pub(crate) hostname: String,
    /// Whether the address is in brackets.
    pub(crate) bracketed: bool,
    /// Whether all after the scheme is opaque.
    pub(crate) opaque: bool,
}

/// Reads a URL as `url.Parse`. The error is Go's text.
pub(crate) fn reference(text: &str) -> Result<Reference, String> {
    let url = Url::parse(text.as_bytes())?;
    Ok(Reference {
        absolute: !url.scheme.is_empty(),
        hostname: String::from_utf8_lossy(&url.hostname()).into_owned(),
        bracketed: url.host.contains(&b'[') && url.host.contains(&b']'),
        opaque: !url.opaque.is_empty(),
    })
}

/// `url.PathUnescape`; the error is Go's text.
pub(crate) fn path_unescape(text: &str) -> Result<String, String> {
    unescape(text.as_bytes(), Part::Path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// Whether a path is written as Go writes it, so that `URL.RawPath` is empty.
pub(crate) fn is_plain_path(text: &str) -> bool {
    unescape(text.as_bytes(), Part::Path).is_ok_and(|path| escape(&path, Part::Path) == text.as_bytes())
}

/// Escapes what may not stand in a path; escapes that are there stay.
pub(crate) fn escape_path(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for b in text.bytes() {
        if plain(b, Part::Path) || b"%!'()*[]".contains(&b) {
            out.push(b as char);
        } else {
            out.push_str(&format!("%{b:02X}"));
        }
    }
    out
}

pub(super) fn parse(call: &mut Call<'_>, args: &[Value]) -> Res {
    let url = match Url::parse(call.heap.bytes(args[0])) {
        Ok(url) => url,
        Err(error) => return panic(format!("unable to parse url: {error}")),
    };
    let parts = [
        ("fragment", url.fragment.clone()),
        ("host", url.host.clone()),
        ("hostname", url.hostname()),
        ("opaque", url.opaque.clone()),
        ("path", url.path.clone()),
        ("query", url.query.clone()),
        ("scheme", url.scheme.clone()),
        ("userinfo", url.userinfo().unwrap_or_default()),
    ];
    let label = call.heap.label_of(args[0]);
    let entries = parts.map(|(key, part)| (Key::from(key.as_bytes()), call.heap.str(part).with_label(label)));
    Ok(Outcome::Value(call.heap.map_of(MapType::ANY, entries.to_vec())))
}

pub(super) fn join(call: &mut Call<'_>, args: &[Value]) -> Res {
    let part = |key: &str| -> Result<Vec<u8>, FuncError> {
        let Some(value) = args[0].as_map().and_then(|map| call.heap.get(map, key.as_bytes())) else {
            return Ok(Vec::new());
        };
        if value.is_nil() {
            return super::args::nil_panic();
        }
        match call.heap.as_str(value) {
            Some(text) => Ok(text.to_vec()),
            None => {
                let kind = call.heap.kind(value).name();
                panic(format!("unable to parse {key} key, must be of type string, but {kind} found"))
            }
        }
    };
    let mut url = Url {
        scheme: part("scheme")?,
        host: part("host")?,
        path: part("path")?,
        query: part("query")?,
        opaque: part("opaque")?,
        fragment: part("fragment")?,
        user: None,
    };
    let userinfo = part("userinfo")?;
    if !userinfo.is_empty() {
        let made = [b"proto://".as_slice(), &userinfo, b"@host"].concat();
        match Url::parse(&made) {
            Ok(parsed) => url.user = parsed.user,
            Err(error) => return panic(format!("unable to parse userinfo in dict: {error}")),
        }
    }
    text(call, url.joined())
}
