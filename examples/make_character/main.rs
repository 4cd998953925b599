//! Creates the mannequin of the program: body, skeleton, skin weights and a walk cycle, all from the numbers below.
//!
//! `cargo run --release --example make_character [-- FILE]` writes `assets/models/mannequin.glb`.
//!
//! The body is a signed distance field: tubes with elliptical sections, joined by smooth unions. Surface nets turn it
//! into a fine mesh, which is then simplified with quadric error metrics (Garland and Heckbert, 1997). Units are metres.
//! The figure stands on y = 0 and faces +z; its left side is at +x.

mod file;
mod mesh;
mod shape;
mod skeleton;
mod skin;
mod walk;

use file::*;
use glam::DVec3;
use mesh::*;
use shape::*;
use skeleton::*;
use skin::*;
use std::error::Error;
use walk::*;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "assets/models/mannequin.glb".to_owned());
    let (skeleton, body) = (Skeleton::new(), Body::new());
    let mut mesh = surface(&body);
    paint(&mut mesh, &body);
    simplify(&mut mesh, TRIANGLES);
    mesh.positions.iter_mut().for_each(|at| *at = body.nearest(*at));
    let normals: Vec<DVec3> = mesh.positions.iter().map(|&at| body.normal(at)).collect();
    let weights = weights(&mesh, &body, &skeleton);
    let file = glb(&skeleton, &mesh, &normals, &weights, &walk(&skeleton));
    std::fs::write(&path, &file)?;
    println!("{path}: {} triangles, {} vertices, {} bytes", mesh.triangles.len(), mesh.positions.len(), file.len());
    Ok(())
}
