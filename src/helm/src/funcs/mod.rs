//! The functions of Helm's templates: Sprig 3.3 and Helm's own, one file a family, against [`gotmpl`]'s signatures.

mod args;
mod casing;
mod date;
mod decimal;
mod dicts;
mod encoding;
mod flow;
mod gojson;
mod gotime;
mod host;
mod lists;
mod math;
mod number;
mod path;
mod random;
pub(crate) mod re2;
mod regexp;
mod strings;
mod table;
mod templates;
pub(crate) mod timeparse;
mod toml;
mod tomlread;
mod types;
mod unicode;
mod unsupported;
pub(crate) mod url;
mod versions;
mod yamljson;
mod zones;

pub use host::{RenderHost, Tracer};

pub(crate) use flow::{WARN_END, WARN_START};
pub(crate) use templates::PARENT;

use crate::version::HelmVersion;
use gotmpl::Func;

/// The function tables of a Helm version, in the order in which names are looked up; each is sorted by name.
pub fn tables(version: HelmVersion) -> &'static [&'static [Func]] {
    static V3: &[&[Func]] = &[table::FUNCS];
    static V4: &[&[Func]] = &[table::V4, table::FUNCS];
    if version.is_v4() { V4 } else { V3 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted_for_binary_search() {
        for table in tables(HelmVersion::V4) {
            assert!(table.is_sorted_by(|a, b| a.name < b.name));
        }
    }
}
