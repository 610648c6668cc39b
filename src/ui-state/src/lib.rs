//! Pure reducers, view models and texts of the page.
