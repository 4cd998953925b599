//! What stands behind everything: the background and the floor.

use super::error::{DrawError, RenderError};
use super::pen::{Quad, film, solid};
use super::program::{Recipe, compile};
use super::scene_block::SceneBlock;
use super::shadow::ShadowMaps;
use super::srgb::linear;
use crate::view::frame::{Frame, View};
use glium::backend::Context;
use glium::uniforms::UniformBuffer;
use glium::{Program, Surface, uniform};
use std::rc::Rc;

/// Background and floor.
pub(crate) struct Stage {
    background: Program,
    floor: Program,
}

impl Stage {
    pub(crate) fn new(context: &Rc<Context>) -> Result<Self, RenderError> {
        let background = Recipe {
            name: "background",
            vertex: include_str!("../../shaders/screen.vert"),
            fragment: include_str!("../../shaders/background.frag"),
            defines: &[],
        };
        let floor = Recipe {
            name: "floor",
            vertex: include_str!("../../shaders/floor.vert"),
            fragment: include_str!("../../shaders/floor.frag"),
            defines: &[],
        };
        Ok(Stage { background: compile(context, &background)?, floor: compile(context, &floor)? })
    }

    /// Drawn after the solids, so that only what is seen of it is worked on. From above the floor mixes itself with
    /// the background and hides what lies under it; from below it is a thin film.
    pub(crate) fn draw(
        &self,
        quad: &Quad,
        surface: &mut impl Surface,
        scene: &UniformBuffer<SceneBlock>,
        shadows: &ShadowMaps,
        frame: &Frame,
    ) -> Result<(), DrawError> {
        let below = frame.floor.is_some_and(|floor| sees_underside(&frame.view, floor.height));
        if below {
            quad.draw(surface, &self.background, &uniform! { Scene: scene }, &solid())?;
            self.draw_floor(quad, surface, scene, shadows, frame, true)
        } else {
            self.draw_floor(quad, surface, scene, shadows, frame, false)?;
            quad.draw(surface, &self.background, &uniform! { Scene: scene }, &solid())
        }
    }

    fn draw_floor(
        &self,
        quad: &Quad,
        surface: &mut impl Surface,
        scene: &UniformBuffer<SceneBlock>,
        shadows: &ShadowMaps,
        frame: &Frame,
        below: bool,
    ) -> Result<(), DrawError> {
        let Some(floor) = frame.floor else { return Ok(()) };
        let look = &frame.look;
        let [r, g, b] = look.floor;
        let [axis_x, axis_z] = look.axes.map(linear).map(|[r, g, b, a]| [r, g, b, if floor.axes { a } else { 0.0 }]);
        let cell = if floor.grid { floor.cell } else { 0.0 };
        let flag = |on: bool| if on { 1.0f32 } else { 0.0 };
        let uniforms = uniform! {
            Scene: scene,
            shade_map: shadows.shade_sampler(),
            disc: [floor.center.x, floor.height, floor.center.z, floor.radius],
            tint: [r, g, b, look.shadow_floor],
            grid: linear(look.grid),
            axis_x: axis_x,
            axis_z: axis_z,
            pattern: [cell, 0.3 * floor.radius, flag(below), 0.0],
        };
        quad.draw(surface, &self.floor, &uniforms, &if below { film() } else { solid() })
    }
}

fn sees_underside(view: &View, height: f32) -> bool {
    if view.orthographic { view.forward.y > 0.0 } else { view.eye.y < height }
}
