//! "Who set this?" for the page: the engines' explanation, put into the page's places and words.

use crate::session::Playground;
use protocol::{ExplainView, Target, ValuesView};

/// The chain for a place in a rendered manifest or a field of a live object.
pub(crate) fn explain(playground: &Playground, target: &Target) -> Option<ExplainView> {
    let _ = (playground, target);
    None
}

/// All values of an Application, or of the chart in view.
pub(crate) fn values(playground: &Playground, app: Option<&str>) -> ValuesView {
    let _ = playground;
    ValuesView { app: app.unwrap_or("").to_string(), rows: Vec::new() }
}
