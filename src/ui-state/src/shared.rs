//! A shared value that is equal only to itself: the page redraws a pane when its view was replaced, without comparing
//! the contents of large views at every keystroke.

use std::ops::Deref;
use std::rc::Rc;

/// An `Rc` that compares by identity.
#[derive(Debug, Default)]
pub struct Shared<T>(Rc<T>);

impl<T> Shared<T> {
    /// Wraps a value.
    pub fn new(value: T) -> Shared<T> {
        Shared(Rc::new(value))
    }
}

impl<T: Clone> Shared<T> {
    /// The value for change in place; afterwards this is equal only to itself again.
    pub fn change(&mut self) -> &mut T {
        // A fresh allocation on purpose: whoever holds the old one must see that it changed.
        self.0 = Rc::new((*self.0).clone());
        Rc::make_mut(&mut self.0)
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Shared(Rc::clone(&self.0))
    }
}

impl<T> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_only_to_itself() {
        let mut a = Shared::new(1);
        let b = a.clone();
        assert!(a == b && a != Shared::new(1));
        *a.change() += 1;
        assert!(a != b && *a == 2 && *b == 1);
    }
}
