//! Every limit of the project in one table. A limit ends as an ordinary diagnostic, never as a panic or a hang.

/// Steps of a template evaluator, one per node executed or element copied, before a render is given up.
pub const RENDER_FUEL: u64 = 50_000_000;
/// Bytes that one render may write in total.
pub const RENDER_OUTPUT: usize = 32 << 20;
/// Bytes of one render's heap.
pub const RENDER_HEAP: usize = 256 << 20;
/// Nested `include` calls of one name before Helm refuses (`rendering template has a nested reference name`).
pub const INCLUDE_DEPTH: u32 = 1000;
/// Nested template calls of any name, as Go's text/template counts them.
pub const TEMPLATE_DEPTH: u32 = 100_000;
/// Nested expressions of one template action, as Go's parser counts them.
pub const EXPRESSION_DEPTH: u32 = 10_000;
/// Nested collections in one YAML or JSON document (Go's YAML library stops at 10 000).
pub const YAML_DEPTH: u32 = 10_000;
/// Nested collections of one decoded value (values, manifests, API objects): what recursive code may rely on.
pub const VALUE_DEPTH: usize = 256;
/// Nodes of one YAML document after aliases are expanded.
pub const YAML_NODES: usize = 4_000_000;
/// Bytes of one chart file (Helm's own limit).
pub const CHART_FILE: usize = 5 << 20;
/// Bytes of one decompressed chart (Helm's own limit).
pub const CHART_TOTAL: usize = 100 << 20;
/// Events that one advance of the virtual clock may process.
pub const ADVANCE_EVENTS: u64 = 1_000_000;
/// Bytes of simulation history kept for scrubbing.
pub const HISTORY_BYTES: usize = 64 << 20;
/// Members of one origin set before it is widened.
pub const ORIGIN_SET: usize = 64;
