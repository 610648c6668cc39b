//! Places of the engines (file in the repository, bytes) as places of the page (file on the disk, UTF-16, line and
//! column).

use base::SortedMap;
use base::{Place, utf16};
use protocol::PlaceView;
use std::rc::Rc;

/// Converts places against one state of the files.
pub(crate) struct Places<'a> {
    work_tree: &'a str,
    files: &'a SortedMap<Rc<str>, Rc<[u8]>>,
}

impl<'a> Places<'a> {
    /// `work_tree` ends with a slash; `files` are absolute.
    pub(crate) fn new(work_tree: &'a str, files: &'a SortedMap<Rc<str>, Rc<[u8]>>) -> Places<'a> {
        Places { work_tree, files }
    }

    /// The absolute path of a file that an engine named.
    pub(crate) fn path(&self, file: &str) -> String {
        if file.starts_with('/') { file.to_string() } else { format!("{}{file}", self.work_tree) }
    }

    /// The text of a file.
    pub(crate) fn text(&self, path: &str) -> String {
        self.files.get(path).map(|bytes| String::from_utf8_lossy(bytes).into_owned()).unwrap_or_default()
    }

    /// The page's form of a place.
    pub(crate) fn view(&self, place: &Place) -> PlaceView {
        let file = self.path(&place.file);
        let text = self.text(&file);
        of_text(file, &text, place.span.start as usize, place.span.end as usize)
    }

    /// The source text at a place, cut to a readable length.
    pub(crate) fn excerpt(&self, place: &Place) -> String {
        let text = self.text(&self.path(&place.file));
        crate::field::cut(text.get(place.span.range()).unwrap_or("").trim(), 160)
    }
}

/// The place of bytes `start..end` of a text.
pub(crate) fn of_text(file: String, text: &str, start: usize, end: usize) -> PlaceView {
    let units = |offset: usize| u32::try_from(utf16::from_byte(text, offset)).unwrap_or(u32::MAX);
    let mut at = start.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let before = &text[..at];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = before.matches('\n').count() + 1;
    PlaceView {
        file,
        from: units(start),
        to: units(end.max(start)),
        line: u32::try_from(line).unwrap_or(u32::MAX),
        col: units(start).saturating_sub(units(line_start)) + 1,
    }
}

/// The byte offset of a line and column (both from 1, UTF-16) in a text.
pub(crate) fn offset(text: &str, line: u32, col: u32) -> usize {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1) as usize).map(str::len).sum();
    let rest = text[start..].split('\n').next().unwrap_or("");
    start + utf16::to_byte(rest, col.saturating_sub(1) as usize)
}
