//! The text that `helm template` prints (`cmd/helm/template.go`).

use crate::glob;
use crate::manifest::{Manifest, split};
use crate::options::TemplateOptions;
use crate::session::Rendered;
use base::Diagnostic;

/// Standard output of `helm template` for a render. An error when `--show-only` names nothing.
pub fn text(rendered: &Rendered, options: &TemplateOptions) -> Result<Vec<u8>, Diagnostic> {
    let mut out = Vec::new();
    for (source, data) in &rendered.crds {
        document(&mut out, source, data);
    }
    for manifest in &rendered.manifests {
        document(&mut out, &manifest.source, &manifest.text.bytes);
    }
    let range = crate::manifest::trim_range(&out, 0..out.len());
    let mut out = out[range].to_vec();
    out.push(b'\n');
    for hook in hooks(rendered, options) {
        document(&mut out, &hook.source, &hook.text.bytes);
    }
    if options.show_only.is_empty() { Ok(out) } else { only(&out, options) }
}

/// The hooks that are printed.
pub fn hooks<'r>(rendered: &'r Rendered, options: &TemplateOptions) -> impl Iterator<Item = &'r Manifest> {
    let (none, skip_tests) = (options.no_hooks, options.skip_tests);
    rendered.hooks.iter().filter(move |hook| !(none || skip_tests && hook.is_test()))
}

fn document(out: &mut Vec<u8>, source: &str, data: &[u8]) {
    out.extend_from_slice(b"---\n# Source: ");
    out.extend_from_slice(source.as_bytes());
    out.push(b'\n');
    out.extend_from_slice(data);
    out.push(b'\n');
}

/// `--show-only`: the printed text is split again and its pieces are chosen by the path in their `# Source:` line.
fn only(text: &[u8], options: &TemplateOptions) -> Result<Vec<u8>, Diagnostic> {
    let pieces: Vec<&[u8]> = split(text, options.version).into_iter().map(|range| &text[range]).collect();
    let mut out = Vec::new();
    for pattern in &options.show_only {
        let mut found = false;
        for piece in &pieces {
            let Some(path) = source_path(piece) else { continue };
            if glob::matches(pattern, &path) != Ok(true) {
                continue;
            }
            found = true;
            out.extend_from_slice(b"---\n");
            out.extend_from_slice(piece);
            out.push(b'\n');
        }
        if !found {
            let message = format!("could not find template {pattern} in chart");
            return Err(Diagnostic::error("helm/show-only", message));
        }
    }
    Ok(out)
}

/// What the first `# Source: CHART/…` of a document names, without the chart.
fn source_path(piece: &[u8]) -> Option<String> {
    const MARK: &[u8] = b"# Source: ";
    let mut from = 0;
    while let Some(at) = piece[from..].windows(MARK.len()).position(|window| window == MARK) {
        let start = from + at + MARK.len();
        let rest = &piece[start..];
        // The chart's name may, by the letter of Helm's pattern, span lines; the path ends with its line.
        if let Some(slash) = rest.iter().position(|&b| b == b'/').filter(|slash| *slash > 0) {
            let path = rest[slash + 1..].split(|&b| b == b'\n').next().unwrap_or_default();
            if !path.is_empty() {
                return Some(String::from_utf8_lossy(path).into_owned());
            }
        }
        from = start;
    }
    None
}
