//! The Yew page. It draws what `ui_state` holds and does what its effects say; the worker is reached through
//! [`engine`] alone, the browser's storage through [`store`] alone. The `data-testid` attributes are listed in
//! `src/app/README.md`.

mod app;
mod browser;
mod engine;
mod letterbox;
mod store;
#[cfg(test)]
mod tests;
mod timing;
mod view;

fn main() {
    yew::Renderer::<app::App>::new().render();
}
