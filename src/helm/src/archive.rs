//! Charts packed as `.tgz` (Helm's `pkg/chart/loader/archive.go`): gzip, tar, and the checks on member names.

use crate::gzip::{self, BAD_HEADER};
use crate::strvals::quote;
use base::limits::{CHART_FILE, CHART_TOTAL};
use std::io::Read;
use std::rc::Rc;

/// A file of a chart before it is sorted in.
#[derive(Clone, Debug)]
pub struct Member {
    /// Path inside the chart.
    pub name: String,
    /// Its bytes, without a byte order mark.
    pub data: Rc<[u8]>,
}

/// The files of an archive in its order, without their first path component. The error is Helm's text.
pub fn unpack(bytes: &[u8]) -> Result<Vec<Member>, String> {
    if bytes.is_empty() {
        return Err("EOF".to_string());
    }
    if bytes.len() < 10 && bytes.starts_with(&[0x1f, 0x8b]) {
        return Err("unexpected EOF".to_string());
    }
    if !bytes.starts_with(&[0x1f, 0x8b, 8]) {
        return Err(BAD_HEADER.to_string());
    }
    let too_large = || format!("decompressed chart is larger than the maximum file size {CHART_TOTAL}");
    // A little above the limit, for the headers between the files.
    let cap = CHART_TOTAL + (8 << 20);
    let tar_bytes = gzip::unpack(bytes, cap)?;
    if tar_bytes.len() == cap {
        return Err(too_large());
    }
    let mut members = Vec::new();
    let mut remaining = CHART_TOTAL;
    let mut archive = tar::Archive::new(tar_bytes.as_slice());
    let entries = archive.entries().map_err(|error| tar_text(&error))?;
    for entry in entries {
        let mut entry = entry.map_err(|error| tar_text(&error))?;
        let full = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let kind = entry.header().entry_type();
        if kind.is_dir() || full.ends_with('/') || kind.is_pax_global_extensions() || kind.is_pax_local_extensions() {
            continue;
        }
        let name = member_name(&full)?;
        let size = entry.size() as usize;
        if size > remaining {
            return Err(too_large());
        }
        if size > CHART_FILE {
            let name = quote(&full);
            return Err(format!("decompressed chart file {name} is larger than the maximum file size {CHART_FILE}"));
        }
        let mut data = Vec::with_capacity(size);
        entry.read_to_end(&mut data).map_err(|error| tar_text(&error))?;
        if data.len() < size {
            return Err("unexpected EOF".to_string());
        }
        remaining -= data.len();
        members.push(Member { name, data: strip_mark(&data).into() });
    }
    if members.is_empty() { Err("no files in chart archive".to_string()) } else { Ok(members) }
}

/// The path inside the chart of an archive member, checked.
fn member_name(full: &str) -> Result<String, String> {
    let separator = if full.contains('\\') { '\\' } else { '/' };
    let (first, rest) = full.split_once(separator).unwrap_or((full, ""));
    let rest = rest.replace(separator, "/");
    if rest.starts_with('/') {
        return Err("chart illegally contains absolute paths".to_string());
    }
    let name = clean(&rest);
    if name == "." {
        return Err(format!("chart illegally contains content outside the base directory: {}", quote(full)));
    }
    if name.starts_with("..") {
        return Err("chart illegally references parent directory".to_string());
    }
    if let [drive, b':', b'/', ..] = name.as_bytes()
        && drive.is_ascii_alphabetic()
    {
        return Err("chart contains illegally named files".to_string());
    }
    if first == "Chart.yaml" {
        return Err("chart yaml not in base directory".to_string());
    }
    Ok(name)
}

/// Go's `path.Clean` of a relative path.
fn clean(path: &str) -> String {
    let cleaned = base::world::clean(path);
    if cleaned.is_empty() { ".".to_string() } else { cleaned }
}

/// The bytes without a leading UTF-8 byte order mark.
pub fn strip_mark(data: &[u8]) -> &[u8] {
    data.strip_prefix(b"\xef\xbb\xbf").unwrap_or(data)
}

fn tar_text(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::UnexpectedEof => "unexpected EOF".to_string(),
        _ => "archive/tar: invalid tar header".to_string(),
    }
}

/// What is wrong with a file that was given as a chart and does not look like an archive: Helm's text, or `None`.
pub fn not_an_archive(path: &str, bytes: &[u8]) -> Option<String> {
    if bytes.starts_with(&[0x1f, 0x8b, 8]) {
        return None;
    }
    if path.ends_with(".yml") || path.ends_with(".yaml") {
        return Some(format!("file '{path}' seems to be a YAML file, but expected a gzipped archive"));
    }
    // Helm sniffs a buffer of 512 bytes, so a shorter file looks binary by its padding.
    let binary = |b: &u8| matches!(b, 0..=8 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f);
    let kind = if bytes.starts_with(b"%PDF-") {
        "application/pdf"
    } else if bytes.starts_with(b"PK\x03\x04") {
        "application/zip"
    } else if bytes.len() < 512 || bytes[..512].iter().any(binary) {
        "application/octet-stream"
    } else {
        "text/plain; charset=utf-8"
    };
    Some(format!("file '{path}' does not appear to be a gzipped archive; got '{kind}'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked() {
        assert_eq!(member_name("c/Chart.yaml").as_deref(), Ok("Chart.yaml"));
        assert_eq!(member_name("c\\templates\\a.yaml").as_deref(), Ok("templates/a.yaml"));
        assert_eq!(member_name("c//etc").err().as_deref(), Some("chart illegally contains absolute paths"));
        assert_eq!(member_name("c/../x").err().as_deref(), Some("chart illegally references parent directory"));
        assert_eq!(member_name("c/x/../c:/y").err().as_deref(), Some("chart contains illegally named files"));
        assert!(member_name("top").is_err());
    }
}
