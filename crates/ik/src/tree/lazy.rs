//! Buffers that are created on first use.

use std::ops::{Deref, DerefMut};
use std::sync::OnceLock;

/// A value on the heap, created on first use. Scenes have many islands whose solvers never need some of their buffers.
#[derive(Clone, Debug)]
pub(crate) struct Lazy<T>(OnceLock<Box<T>>);

impl<T> Default for Lazy<T> {
    fn default() -> Self {
        Lazy(OnceLock::new())
    }
}

impl<T: Default> Deref for Lazy<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.0.get_or_init(Box::default)
    }
}

impl<T: Default> DerefMut for Lazy<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        if self.0.get().is_none() {
            self.0 = OnceLock::from(Box::default());
        }
        // The line above has created it.
        self.0.get_mut().unwrap_or_else(|| unreachable!())
    }
}
