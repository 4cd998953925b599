//! A vertex buffer that is rewritten every frame and grows on demand.

use super::error::RenderError;
use glium::backend::Context;
use glium::vertex::VertexBufferSlice;
use glium::{Vertex, VertexBuffer};
use std::rc::Rc;

const FIRST_CAPACITY: usize = 64;

/// Instances of one kind, uploaded once per frame.
pub(crate) struct Stream<T: Vertex> {
    context: Rc<Context>,
    buffer: VertexBuffer<T>,
    len: usize,
}

impl<T: Vertex> Stream<T> {
    pub(crate) fn new(context: &Rc<Context>) -> Result<Self, RenderError> {
        Ok(Stream { context: context.clone(), buffer: allocate(context, FIRST_CAPACITY)?, len: 0 })
    }

    /// Replaces the content. Invalidates the old storage first, so that the driver does not wait for the last frame.
    pub(crate) fn upload(&mut self, data: &[T]) -> Result<(), RenderError> {
        self.len = data.len();
        if data.is_empty() {
            return Ok(());
        }
        if data.len() > self.buffer.len() {
            self.buffer = allocate(&self.context, data.len() + data.len() / 4)?;
        } else {
            self.buffer.invalidate();
        }
        if let Some(slice) = self.buffer.slice(0..data.len()) {
            slice.write(data);
        }
        Ok(())
    }

    /// The instances in `range`; none if it is empty or out of bounds.
    pub(crate) fn part(&self, range: std::ops::Range<usize>) -> Option<VertexBufferSlice<'_, T>> {
        if range.is_empty() || range.end > self.len { None } else { self.buffer.slice(range) }
    }

    /// Waits until everything that was ordered is drawn.
    pub(crate) fn wait(&self) {
        self.context.finish();
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }
}

fn allocate<T: Vertex>(context: &Rc<Context>, len: usize) -> Result<VertexBuffer<T>, RenderError> {
    VertexBuffer::empty_dynamic(context, len).map_err(RenderError::resource("a vertex buffer"))
}
