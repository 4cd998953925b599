//! The uniform block `Scene` as glium checks it.

use fabrik3d_viewer::raster::SceneBlock;
use glium::program::BlockLayout;
use glium::uniforms::{LayoutMismatchError, UniformBlock, UniformType};

/// A [`SceneBlock`] for glium.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Block(pub(crate) SceneBlock);

// Not with glium's `implement_uniform_block!`, which reads through a null pointer, so that debug builds abort.
impl UniformBlock for Block {
    fn matches(layout: &BlockLayout, base: usize) -> Result<(), LayoutMismatchError> {
        let ours = Self::build_layout(base);
        let (BlockLayout::Struct { members: theirs }, BlockLayout::Struct { members }) = (layout, &ours) else {
            return Err(LayoutMismatchError::LayoutMismatch { expected: layout.clone(), obtained: ours });
        };
        match theirs.iter().all(|member| members.contains(member)) {
            true => Ok(()),
            false => Err(LayoutMismatchError::LayoutMismatch { expected: layout.clone(), obtained: ours }),
        }
    }

    fn build_layout(base: usize) -> BlockLayout {
        let member = |&(name, columns, offset): &(&str, usize, usize)| {
            let ty = if columns == 4 { UniformType::FloatMat4 } else { UniformType::FloatVec4 };
            (name.to_owned(), BlockLayout::BasicType { ty, offset_in_buffer: base + offset })
        };
        BlockLayout::Struct { members: SceneBlock::MEMBERS.iter().map(member).collect() }
    }
}
