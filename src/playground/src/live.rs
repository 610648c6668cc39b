//! The live render: the chart of the file in view, from the work tree as it is typed.

use crate::session::Playground;
use protocol::RenderView;

/// What is rendered, and the last good render.
#[derive(Debug, Default)]
pub(crate) struct Live {
    sent: Option<RenderView>,
}

impl Live {
    /// The view; `None` when nothing changed.
    pub(crate) fn view(&mut self, playground: &Playground, whole: bool, revision: u64) -> Option<RenderView> {
        let _ = playground;
        let view = RenderView { revision, fresh: true, ..RenderView::default() };
        if !whole && self.sent.is_some() {
            return None;
        }
        self.sent = Some(view.clone());
        Some(view)
    }
}
