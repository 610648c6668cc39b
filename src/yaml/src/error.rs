//! Errors of reading and converting, worded as go-yaml v2 and `sigs.k8s.io/yaml` word them.

use base::Span;

/// Why a text could not be read, converted or written.
///
/// `Display` gives Go's exact text: `yaml: line 3: did not find expected key`, or without the line part when
/// go-yaml knows none (its line is 0). Messages that do not come from the YAML library itself (an unsupported
/// map key, a number JSON has no form for) have no `yaml: ` prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The line go-yaml names, from 1; 0 when it names none. It is not always the line of [`Error::span`].
    pub line: u32,
    /// The bare message, such as `did not find expected key`.
    pub message: String,
    /// Where the reader stood, in bytes of the text.
    pub span: Span,
    /// True when the message is one of the YAML library's own, which carry the `yaml: ` prefix.
    pub library: bool,
}

impl Error {
    /// An error of the YAML library at `span` that names no line.
    pub fn new(message: impl Into<String>, span: Span) -> Error {
        Error { line: 0, message: message.into(), span, library: true }
    }

    /// An error of the YAML-to-JSON step, printed without the `yaml: ` prefix.
    pub fn conversion(message: impl Into<String>, span: Span) -> Error {
        Error { line: 0, message: message.into(), span, library: false }
    }

    /// The text `sigs.k8s.io/yaml` gives when it unmarshals: `error converting YAML to JSON: …`.
    pub fn converting(&self) -> String {
        format!("error converting YAML to JSON: {self}")
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.library {
            f.write_str("yaml: ")?;
        }
        if self.line != 0 {
            write!(f, "line {}: ", self.line)?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
