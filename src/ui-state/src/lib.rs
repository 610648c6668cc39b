//! What the page shows and how it changes, without a browser: [`State`] and the pure step [`State::apply`] from an
//! [`Action`] to new state and [`Effect`]s as data; the [`Outbox`] that decides what the worker is asked next and what
//! happens when it dies; view models; and all texts in both languages. Everything here is tested natively.

mod action;
mod draft;
mod format;
mod highlight;
mod hints;
mod lang;
mod marks;
mod outbox;
mod reduce;
mod shared;
mod state;
mod texts;
mod timeline;
mod tree;
mod update;

pub use action::{Action, Effect};
pub use draft::Draft;
pub use format::{ago, clock, key_column, short, span};
pub use highlight::{Token, highlight};
pub use hints::{layer, message};
pub use lang::{Lang, Theme};
pub use marks::{Mark, Problem, marks, problems};
pub use outbox::{Outbox, Verdict};
pub use shared::Shared;
pub use state::{Banner, Boot, BottomTab, File, Pane, Pending, Picked, RenderState, RightTab, Side, Spot, State, Zoom};
pub use texts::{EN, KO, Texts, fill, texts};
pub use timeline::{Band, Lane, Layout, Tick, WaitLine, layout};
pub use tree::{Row, rows};

#[cfg(test)]
mod tests;
