//! COLLADA (DAE): triangles and polygons of all geometries in the scene, with colours and textures.

use super::MAX_INSTANCES;
use super::corners::{self, Corner, coordinate};
use super::materials::{Companions, Material};
use crate::error::SceneError;
use crate::formats::xml::{self, child, children, fault, number};
use crate::mesh::{Mesh, MeshFile};
use crate::options::Up;
use crate::printable::short;
use crate::syntax_tree::fault::Read;
use fabrik3d_ik::maths;
use glam::{DMat4, DVec3, Vec2, Vec3};
use roxmltree::Node;
use std::collections::HashMap;
use std::str::FromStr;

/// Deepest nesting of nodes.
const MAX_DEPTH: usize = 64;

/// Elements by their `id`.
type Ids<'a, 'i> = HashMap<&'a str, Node<'a, 'i>>;

/// Reads a file. Lengths are in metres.
pub(crate) fn read(bytes: Vec<u8>, origin: &str, companions: &mut Companions<'_>) -> Result<MeshFile, SceneError> {
    let text = xml::text(bytes, origin)?;
    read_text(&text, companions).and_then(corners::not_empty).map_err(|fault| fault.in_text(origin, &text))
}

fn read_text(text: &str, companions: &mut Companions<'_>) -> Read<MeshFile> {
    let document = xml::parse(text)?;
    let root = document.root_element();
    if root.tag_name().name() != "COLLADA" {
        let found = short(root.tag_name().name());
        return Err(fault(root, format!("this is not COLLADA: expected <COLLADA>, found <{found}>")));
    }
    let asset = child(root, "asset");
    let unit = asset.and_then(|asset| child(asset, "unit"));
    let meter = unit.map_or(Ok(None), |unit| number(unit, "meter"))?.filter(|&meter| meter > 0.0).unwrap_or(1.0);
    let up = asset.and_then(|asset| child(asset, "up_axis")).and_then(|up| up.text());
    let ids: Ids<'_, '_> = root.descendants().filter_map(|node| node.attribute("id").map(|id| (id, node))).collect();
    let mut reader = Reader { ids, companions, parts: Vec::new(), instances: 0 };
    let size = DMat4::from_scale(DVec3::splat(meter));
    let scene = child(root, "scene").and_then(|scene| child(scene, "instance_visual_scene"));
    match scene.and_then(|instance| reader.target(instance, "url")) {
        Some(scene) => {
            for node in children(scene, "node") {
                reader.node(node, size, 0)?;
            }
        }
        // A file without a scene is a library of geometries.
        None => {
            for geometry in root.descendants().filter(|&node| is(node, "geometry")) {
                reader.geometry(geometry, size, &HashMap::new())?;
            }
        }
    }
    let up = match up.map(str::trim) {
        Some("Z_UP") => Some(Up::Z),
        Some("Y_UP") | None => Some(Up::Y),
        Some(_) => None,
    };
    Ok(MeshFile { parts: reader.parts, up, ..MeshFile::default() })
}

/// Whether an element has a tag. The namespace is ignored, since it differs between versions.
fn is(node: Node<'_, '_>, tag: &str) -> bool {
    node.is_element() && node.tag_name().name() == tag
}

struct Reader<'a, 'i, 'c, 'p> {
    ids: Ids<'a, 'i>,
    companions: &'c mut Companions<'p>,
    parts: Vec<Mesh>,
    instances: usize,
}

impl<'a, 'i> Reader<'a, 'i, '_, '_> {
    /// The element that an attribute refers to as `#id`.
    fn target(&self, node: Node<'a, 'i>, attribute: &str) -> Option<Node<'a, 'i>> {
        self.ids.get(node.attribute(attribute)?.trim().strip_prefix('#')?).copied()
    }

    fn node(&mut self, node: Node<'a, 'i>, above: DMat4, depth: usize) -> Read<()> {
        if depth > MAX_DEPTH {
            return Err(fault(node, "nodes are nested too deep, or contain themselves"));
        }
        let transform = above * read_transform(node)?;
        for element in node.children().filter(Node::is_element) {
            match element.tag_name().name() {
                "node" => self.node(element, transform, depth + 1)?,
                "instance_node" => {
                    if let Some(target) = self.target(element, "url") {
                        self.node(target, transform, depth + 1)?;
                    }
                }
                "instance_geometry" => {
                    if let Some(geometry) = self.target(element, "url") {
                        let materials = self.bound_materials(element)?;
                        self.geometry(geometry, transform, &materials)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The materials that an instance binds to the symbols of its geometry.
    fn bound_materials(&mut self, instance: Node<'a, 'i>) -> Read<HashMap<&'a str, Material>> {
        let mut materials = HashMap::new();
        for bound in instance.descendants().filter(|&node| is(node, "instance_material")) {
            let effect = self
                .target(bound, "target")
                .and_then(|material| child(material, "instance_effect"))
                .and_then(|effect| self.target(effect, "url"));
            let Some((symbol, effect)) = bound.attribute("symbol").zip(effect) else { continue };
            let Some(diffuse) = effect.descendants().find(|&node| is(node, "diffuse")) else { continue };
            let mut material = Material::default();
            if let Some(color) = child(diffuse, "color")
                && let [r, g, b, ..] = read_numbers(color)?[..]
            {
                let [r, g, b] = [r, g, b].map(|value| value.clamp(0.0, 1.0) as f32);
                material.color = Some([r, g, b, 1.0]);
            }
            if let Some(file) = child(diffuse, "texture").and_then(|texture| self.picture(effect, texture)) {
                material.paint.texture = self.companions.texture(file);
                material.color = material.paint.texture.is_some().then_some([1.0; 4]).or(material.color);
            }
            if material.color.is_some() {
                materials.insert(symbol, material);
            }
        }
        Ok(materials)
    }

    /// The image file of a `<texture>` of an effect. The texture refers to a sampler, the sampler to a surface, the surface to
    /// an image. Since 1.5 the sampler refers to the image. In files of careless exporters the texture does.
    fn picture(&self, effect: Node<'a, 'i>, texture: Node<'a, 'i>) -> Option<&'a str> {
        let parameter = |name: &str, kind: &'static str| {
            let mut found = effect.descendants().filter(|&node| is(node, "newparam"));
            found.find(|node| node.attribute("sid") == Some(name)).and_then(|node| child(node, kind))
        };
        let text = |node: Node<'a, 'i>| node.text().map(str::trim);
        let name = texture.attribute("texture")?;
        let image = match parameter(name, "sampler2D") {
            None => self.ids.get(name).copied(),
            Some(sampler) => match child(sampler, "instance_image") {
                Some(instance) => self.target(instance, "url"),
                None => {
                    let surface = child(sampler, "source").and_then(text).and_then(|name| parameter(name, "surface"));
                    let image = surface.and_then(|surface| child(surface, "init_from")).and_then(text);
                    image.and_then(|id| self.ids.get(id).copied())
                }
            },
        };
        let from = child(image?, "init_from")?;
        child(from, "ref").map_or(text(from), text)
    }

    fn geometry(&mut self, geometry: Node<'a, 'i>, transform: DMat4, materials: &HashMap<&str, Material>) -> Read<()> {
        self.instances += 1;
        if self.instances > MAX_INSTANCES {
            return Err(fault(geometry, format!("the scene has more than {MAX_INSTANCES} geometries")));
        }
        let Some(mesh) = child(geometry, "mesh") else { return Ok(()) };
        let name = geometry.attribute("name").unwrap_or_default();
        for primitive in mesh.children().filter(Node::is_element) {
            let corners = match primitive.tag_name().name() {
                "triangles" | "polylist" | "polygons" | "tristrips" | "trifans" => self.primitive(primitive)?,
                _ => continue,
            };
            let material = primitive.attribute("material").and_then(|symbol| materials.get(symbol));
            let Material { color, paint } = material.cloned().unwrap_or_default();
            if !corners.is_empty() {
                self.parts.push(corners::mesh(name, &corners, color, &paint).transformed(transform));
            }
        }
        Ok(())
    }

    /// The corners of the triangles of a primitive such as `<triangles>` or `<polylist>`.
    fn primitive(&self, primitive: Node<'a, 'i>) -> Read<Vec<Corner>> {
        let mut stride = 0;
        let (mut positions, mut normals, mut uvs) = (None, None, None);
        for input in children(primitive, "input") {
            let offset: usize = input.attribute("offset").and_then(|text| text.trim().parse().ok()).unwrap_or(0);
            if offset > 64 {
                return Err(fault(input, "the offset of an <input> is too large"));
            }
            stride = stride.max(offset + 1);
            match input.attribute("semantic").unwrap_or_default() {
                "VERTEX" => {
                    for input in self.target(input, "source").into_iter().flat_map(|node| children(node, "input")) {
                        match input.attribute("semantic").unwrap_or_default() {
                            "POSITION" => positions = Some((offset, self.source(input)?)),
                            "NORMAL" => normals = Some((offset, self.source(input)?)),
                            "TEXCOORD" => uvs = self.source::<2>(input).ok().map(|uvs| (offset, uvs)),
                            _ => {}
                        }
                    }
                }
                "NORMAL" => normals = Some((offset, self.source(input)?)),
                "TEXCOORD" if uvs.is_none() => uvs = self.source::<2>(input).ok().map(|uvs| (offset, uvs)),
                _ => {}
            }
        }
        let (at, positions) = positions.ok_or_else(|| fault(primitive, "this has no <input> for positions"))?;
        let corner = |indices: &[usize]| {
            let find = |index: usize, list: &[[f32; 3]]| {
                let missing = || fault(primitive, format!("there is no vertex {index} of {}", list.len()));
                list.get(index).copied().map(Vec3::from_array).ok_or_else(missing)
            };
            let normal = normals.as_ref().map(|(at, list)| find(indices[*at], list)).transpose()?;
            // Missing texture coordinates are no error.
            let uv = uvs.as_ref().and_then(|(at, list)| list.get(indices[*at])).map(|&uv| Vec2::from_array(uv));
            Ok(Corner { position: find(indices[at], &positions)?, normal, uv })
        };
        let mut list = Vec::new();
        for outline in outlines(primitive, stride)? {
            let corners = outline.chunks_exact(stride).map(corner).collect::<Read<Vec<Corner>>>()?;
            let triangles = match primitive.tag_name().name() {
                "triangles" => corners::triples(corners.len()),
                "tristrips" => corners::strip(corners.len()),
                "trifans" => corners::fan(corners.len()),
                _ => corners::triangulate(&corners.iter().map(|corner| corner.position).collect::<Vec<_>>()),
            };
            list.extend(triangles.into_iter().flatten().map(|at| corners[at]));
        }
        Ok(list)
    }

    /// The elements of the `<source>` of an `<input>`, the first `N` numbers of each.
    fn source<const N: usize>(&self, input: Node<'a, 'i>) -> Read<Vec<[f32; N]>> {
        let name = short(input.attribute("source").unwrap_or_default());
        let missing = || fault(input, format!("there is no <source> named {name} with {N} numbers per element"));
        let source = self.target(input, "source").ok_or_else(missing)?;
        let array = child(source, "float_array").ok_or_else(missing)?;
        let accessor = child(source, "technique_common").and_then(|technique| child(technique, "accessor"));
        let stride =
            accessor.and_then(|accessor| accessor.attribute("stride")).and_then(|text| text.trim().parse().ok());
        let stride = stride.unwrap_or(N);
        if stride < N {
            return Err(missing());
        }
        let element = |values: &[f64]| {
            let mut element = [0.0; N];
            for (number, &value) in element.iter_mut().zip(values) {
                *number = coordinate(value).ok_or_else(|| fault(array, "a number here is not finite"))?;
            }
            Ok(element)
        };
        read_numbers(array)?.chunks_exact(stride).map(element).collect()
    }
}

/// The index lists of a primitive: one per polygon, strip or fan, or one for all triangles.
fn outlines(primitive: Node<'_, '_>, stride: usize) -> Read<Vec<Vec<usize>>> {
    let indices = |node: Node<'_, '_>| words::<usize>(node, "an index");
    let lists = children(primitive, "p").map(indices).collect::<Read<Vec<_>>>()?;
    let Some(counts) = child(primitive, "vcount").filter(|_| primitive.tag_name().name() == "polylist") else {
        return Ok(lists);
    };
    let list = lists.first().map_or(&[][..], Vec::as_slice);
    let mut outlines = Vec::new();
    let mut at = 0_usize;
    for count in indices(counts)? {
        let end = count.checked_mul(stride).and_then(|length| at.checked_add(length)).filter(|&end| end <= list.len());
        let end = end.ok_or_else(|| fault(counts, "<vcount> has more corners than <p>"))?;
        outlines.push(list[at..end].to_vec());
        at = end;
    }
    Ok(outlines)
}

fn read_numbers(node: Node<'_, '_>) -> Read<Vec<f64>> {
    words(node, "a number")
}

/// The words of an element's text, each of which is `what`.
fn words<T: FromStr>(node: Node<'_, '_>, what: &str) -> Read<Vec<T>> {
    let words = node.text().unwrap_or_default().split_ascii_whitespace();
    words.map(|word| word.parse().map_err(|_| fault(node, format!("`{}` is not {what}", short(word))))).collect()
}

/// The transform of a node: the product of its elements in file order.
fn read_transform(node: Node<'_, '_>) -> Read<DMat4> {
    let mut transform = DMat4::IDENTITY;
    for element in node.children().filter(Node::is_element) {
        let wrong =
            |count: usize| fault(element, format!("<{}> must be {count} finite numbers", element.tag_name().name()));
        let exactly = |count: usize| {
            let values = read_numbers(element)?;
            if values.len() == count && values.iter().all(|value| value.abs() < 1e18) {
                Ok(values)
            } else {
                Err(wrong(count))
            }
        };
        transform *= match element.tag_name().name() {
            "matrix" => DMat4::from_cols_slice(&exactly(16)?).transpose(),
            "translate" => DMat4::from_translation(DVec3::from_slice(&exactly(3)?)),
            "scale" => DMat4::from_scale(DVec3::from_slice(&exactly(3)?)),
            "rotate" => {
                let values = exactly(4)?;
                let axis = DVec3::from_slice(&values).try_normalize().ok_or_else(|| wrong(4))?;
                DMat4::from_quat(maths::turn(axis, values[3].to_radians()))
            }
            _ => continue,
        };
    }
    Ok(transform)
}
