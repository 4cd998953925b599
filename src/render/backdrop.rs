//! The background and the floor.

use super::canvas::Canvas;
use super::draw_call::{Quad, opaque, translucent};
use super::error::{DrawError, RenderError};
use super::program::linear;
use super::program::{ShaderSource, compile};
use super::scene_block::SceneBlock;
use super::shadow::ShadowMaps;
use crate::view::frame::{Frame, View};
use glium::backend::Context;
use glium::uniforms::UniformBuffer;
use glium::{Program, uniform};
use std::rc::Rc;

/// Background and floor.
pub(crate) struct Backdrop {
    background: Program,
    floor: Program,
}

impl Backdrop {
    pub(crate) fn new(context: &Rc<Context>) -> Result<Self, RenderError> {
        let background = ShaderSource::new(
            "background",
            include_str!("../../shaders/screen.vert"),
            include_str!("../../shaders/background.frag"),
        );
        let floor = ShaderSource::new(
            "floor",
            include_str!("../../shaders/floor.vert"),
            include_str!("../../shaders/floor.frag"),
        );
        Ok(Backdrop { background: compile(context, &background)?, floor: compile(context, &floor)? })
    }

    /// Draws both, after the opaque things, so that only visible pixels are shaded. Seen from above, the floor fades into the
    /// background and hides what is below it; seen from below, it is translucent.
    pub(crate) fn draw(
        &self,
        quad: &Quad,
        canvas: &mut Canvas<'_>,
        scene: &UniformBuffer<SceneBlock>,
        shadows: &ShadowMaps,
        frame: &Frame,
    ) -> Result<(), DrawError> {
        let below = frame.floor.is_some_and(|floor| sees_underside(&frame.view, floor.height));
        if below {
            quad.draw(canvas, &self.background, &uniform! { Scene: scene }, &opaque())?;
            self.draw_floor(quad, canvas, scene, shadows, frame, true)
        } else {
            self.draw_floor(quad, canvas, scene, shadows, frame, false)?;
            quad.draw(canvas, &self.background, &uniform! { Scene: scene }, &opaque())
        }
    }

    fn draw_floor(
        &self,
        quad: &Quad,
        canvas: &mut Canvas<'_>,
        scene: &UniformBuffer<SceneBlock>,
        shadows: &ShadowMaps,
        frame: &Frame,
        below: bool,
    ) -> Result<(), DrawError> {
        let Some(floor) = frame.floor else { return Ok(()) };
        let environment = &frame.environment;
        let [r, g, b] = environment.floor;
        let [axis_x, axis_z] =
            environment.axes.map(linear).map(|[r, g, b, a]| [r, g, b, if floor.axes { a } else { 0.0 }]);
        let cell = if floor.grid { floor.cell } else { 0.0 };
        let flag = |on: bool| if on { 1.0f32 } else { 0.0 };
        let uniforms = uniform! {
            Scene: scene,
            shade_map: shadows.shade_sampler(),
            disc: [floor.center.x, floor.height, floor.center.z, floor.radius],
            tint: [r, g, b, environment.shadow_floor],
            grid: linear(environment.grid),
            axis_x: axis_x,
            axis_z: axis_z,
            pattern: [cell, 0.3 * floor.radius, flag(below), 0.0],
        };
        quad.draw(canvas, &self.floor, &uniforms, &if below { translucent() } else { opaque() })
    }
}

fn sees_underside(view: &View, height: f32) -> bool {
    if view.orthographic { view.forward.y > 0.0 } else { view.eye.y < height }
}
