//! What Helm writes to its log while it works: warnings that do not stop it. Helm 3 stamps each line with the place
//! in its own source (`coalesce.go:237: …`), Helm 4 writes `level=INFO msg="…"`; both are the reader's to print.

use base::{Diagnostic, Severity};

/// One log line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The words, with a place when one is known.
    pub diagnostic: Diagnostic,
    /// Where Helm 3 logs it (`coalesce.go:237`); empty for lines without a stamp.
    pub stamp: &'static str,
    /// Attributes that Helm 4 prints after the message.
    pub attrs: Vec<(&'static str, String)>,
}

/// Collects the log lines of one run in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log {
    /// The lines, oldest first. Helm coalesces values several times and repeats itself; so does this.
    pub notices: Vec<Notice>,
}

impl Log {
    /// Adds a warning with Helm 3's stamp.
    pub fn warn(&mut self, stamp: &'static str, code: &'static str, message: impl Into<String>) {
        self.notices.push(Notice { diagnostic: Diagnostic::warning(code, message), stamp, attrs: Vec::new() });
    }

    /// Adds an error line of Helm 4, with its cause.
    pub fn error(&mut self, code: &'static str, message: &str, cause: &str) {
        let attrs = vec![("error", cause.to_string())];
        self.notices.push(Notice { diagnostic: Diagnostic::error(code, message), stamp: "", attrs });
    }

    /// Adds a line that is only worth knowing.
    pub fn info(&mut self, stamp: &'static str, code: &'static str, message: impl Into<String>) {
        let diagnostic = Diagnostic { severity: Severity::Info, ..Diagnostic::warning(code, message) };
        self.notices.push(Notice { diagnostic, stamp, attrs: Vec::new() });
    }

    /// The distinct diagnostics, in order of first appearance: what a page shows.
    pub fn distinct(&self) -> Vec<Diagnostic> {
        let mut seen: Vec<Diagnostic> = Vec::new();
        for notice in &self.notices {
            if !seen.contains(&notice.diagnostic) {
                seen.push(notice.diagnostic.clone());
            }
        }
        seen
    }
}
