//! What the JSON schema of glTF 2.0 requires of every object: keys, references to other objects, lists that are not empty,
//! and extensions in their places. Values that only tell how something looks are not checked.

use super::findings::Findings;
use crate::formats::gltf::lists::{Lists, get, index, list};
use crate::syntax_tree::Value;
use crate::syntax_tree::fields::Item;

/// A kind of object.
struct Kind {
    /// Keys that it must have.
    required: &'static [&'static str],
    /// A key, and another one that it must not be without.
    needs: &'static [(&'static str, &'static str)],
    /// Keys with an index into a list of the document, or with a list or table of such indices.
    references: &'static [(&'static str, &'static Target)],
    /// Keys with an object, or with a list of objects.
    parts: &'static [(&'static str, &'static Kind)],
    /// Extensions that belong here.
    extensions: &'static [&'static str],
}

/// A list of the document that indices refer to.
struct Target {
    noun: &'static str,
    list: for<'a> fn(&'a Lists<'a>) -> &'a [Item<'a>],
}

const KIND: Kind = Kind { required: &[], needs: &[], references: &[], parts: &[], extensions: &[] };

static ACCESSORS: Target = Target { noun: "accessor", list: |lists| &lists.accessors };
static BUFFERS: Target = Target { noun: "buffer", list: |lists| &lists.buffers };
static BUFFER_VIEWS: Target = Target { noun: "buffer view", list: |lists| &lists.buffer_views };
static CAMERAS: Target = Target { noun: "camera", list: |lists| &lists.cameras };
static IMAGES: Target = Target { noun: "image", list: |lists| &lists.images };
static MATERIALS: Target = Target { noun: "material", list: |lists| &lists.materials };
static MESHES: Target = Target { noun: "mesh", list: |lists| &lists.meshes };
static NODES: Target = Target { noun: "node", list: |lists| &lists.nodes };
static SAMPLERS: Target = Target { noun: "sampler", list: |lists| &lists.samplers };
static SCENES: Target = Target { noun: "scene", list: |lists| &lists.scenes };
static SKINS: Target = Target { noun: "skin", list: |lists| &lists.skins };
static TEXTURES: Target = Target { noun: "texture", list: |lists| &lists.textures };

static DOCUMENT: Kind = Kind {
    required: &["asset"],
    needs: &[("extensionsRequired", "extensionsUsed")],
    references: &[("scene", &SCENES)],
    parts: &[
        ("accessors", &ACCESSOR),
        ("animations", &ANIMATION),
        ("asset", &ASSET),
        ("bufferViews", &BUFFER_VIEW),
        ("buffers", &BUFFER),
        ("cameras", &CAMERA),
        ("images", &IMAGE),
        ("materials", &MATERIAL),
        ("meshes", &MESH),
        ("nodes", &NODE),
        ("samplers", &KIND_WITHOUT_RULES),
        ("scenes", &SCENE),
        ("skins", &SKIN),
        ("textures", &TEXTURE),
    ],
    extensions: &["KHR_lights_punctual", "KHR_materials_variants"],
};
static KIND_WITHOUT_RULES: Kind = KIND;
static ASSET: Kind = Kind { required: &["version"], ..KIND };
static ACCESSOR: Kind = Kind {
    required: &["componentType", "count", "type"],
    needs: &[("byteOffset", "bufferView")],
    references: &[("bufferView", &BUFFER_VIEWS)],
    parts: &[("sparse", &SPARSE)],
    ..KIND
};
static SPARSE: Kind = Kind {
    required: &["count", "indices", "values"],
    parts: &[("indices", &SPARSE_INDICES), ("values", &SPARSE_VALUES)],
    ..KIND
};
static SPARSE_INDICES: Kind =
    Kind { required: &["bufferView", "componentType"], references: &[("bufferView", &BUFFER_VIEWS)], ..KIND };
static SPARSE_VALUES: Kind = Kind { required: &["bufferView"], references: &[("bufferView", &BUFFER_VIEWS)], ..KIND };
static BUFFER_VIEW: Kind = Kind {
    required: &["buffer", "byteLength"],
    references: &[("buffer", &BUFFERS)],
    extensions: &["EXT_meshopt_compression"],
    ..KIND
};
static BUFFER: Kind = Kind { required: &["byteLength"], extensions: &["EXT_meshopt_compression"], ..KIND };
static ANIMATION: Kind = Kind {
    required: &["channels", "samplers"],
    parts: &[("channels", &CHANNEL), ("samplers", &ANIMATION_SAMPLER)],
    ..KIND
};
// The samplers of an animation are a list of its own; the reader of clips checks the references to it.
static CHANNEL: Kind = Kind { required: &["sampler", "target"], parts: &[("target", &CHANNEL_TARGET)], ..KIND };
static CHANNEL_TARGET: Kind =
    Kind { required: &["path"], references: &[("node", &NODES)], extensions: &["KHR_animation_pointer"], ..KIND };
static ANIMATION_SAMPLER: Kind =
    Kind { required: &["input", "output"], references: &[("input", &ACCESSORS), ("output", &ACCESSORS)], ..KIND };
static CAMERA: Kind =
    Kind { required: &["type"], parts: &[("perspective", &PERSPECTIVE), ("orthographic", &ORTHOGRAPHIC)], ..KIND };
static PERSPECTIVE: Kind = Kind { required: &["yfov", "znear"], ..KIND };
static ORTHOGRAPHIC: Kind = Kind { required: &["xmag", "ymag", "zfar", "znear"], ..KIND };
static IMAGE: Kind =
    Kind { needs: &[("bufferView", "mimeType")], references: &[("bufferView", &BUFFER_VIEWS)], ..KIND };
static MATERIAL: Kind = Kind {
    parts: &[
        ("pbrMetallicRoughness", &METALLIC_ROUGHNESS),
        ("normalTexture", &TEXTURE_REFERENCE),
        ("occlusionTexture", &TEXTURE_REFERENCE),
        ("emissiveTexture", &TEXTURE_REFERENCE),
    ],
    extensions: &[
        "KHR_materials_anisotropy",
        "KHR_materials_clearcoat",
        "KHR_materials_dispersion",
        "KHR_materials_emissive_strength",
        "KHR_materials_ior",
        "KHR_materials_iridescence",
        "KHR_materials_pbrSpecularGlossiness",
        "KHR_materials_sheen",
        "KHR_materials_specular",
        "KHR_materials_transmission",
        "KHR_materials_unlit",
        "KHR_materials_volume",
    ],
    ..KIND
};
static METALLIC_ROUGHNESS: Kind = Kind {
    parts: &[("baseColorTexture", &TEXTURE_REFERENCE), ("metallicRoughnessTexture", &TEXTURE_REFERENCE)],
    ..KIND
};
static TEXTURE_REFERENCE: Kind =
    Kind { required: &["index"], references: &[("index", &TEXTURES)], extensions: &["KHR_texture_transform"], ..KIND };
static MESH: Kind = Kind { required: &["primitives"], parts: &[("primitives", &PRIMITIVE)], ..KIND };
static PRIMITIVE: Kind = Kind {
    required: &["attributes"],
    references: &[
        ("attributes", &ACCESSORS),
        ("indices", &ACCESSORS),
        ("material", &MATERIALS),
        ("targets", &ACCESSORS),
    ],
    extensions: &["KHR_draco_mesh_compression", "KHR_materials_variants"],
    ..KIND
};
static NODE: Kind = Kind {
    needs: &[("skin", "mesh"), ("weights", "mesh")],
    references: &[("camera", &CAMERAS), ("children", &NODES), ("mesh", &MESHES), ("skin", &SKINS)],
    extensions: &["EXT_mesh_gpu_instancing", "KHR_lights_punctual"],
    ..KIND
};
static SCENE: Kind = Kind { references: &[("nodes", &NODES)], ..KIND };
static SKIN: Kind = Kind {
    required: &["joints"],
    references: &[("inverseBindMatrices", &ACCESSORS), ("joints", &NODES), ("skeleton", &NODES)],
    ..KIND
};
static TEXTURE: Kind = Kind {
    references: &[("sampler", &SAMPLERS), ("source", &IMAGES)],
    extensions: &["EXT_texture_webp", "KHR_texture_basisu", "MSFT_texture_dds"],
    ..KIND
};

/// All kinds of objects that extensions belong to.
static EXTENDED: [&Kind; 9] =
    [&DOCUMENT, &BUFFER_VIEW, &BUFFER, &CHANNEL_TARGET, &MATERIAL, &TEXTURE_REFERENCE, &PRIMITIVE, &NODE, &TEXTURE];

/// Checks all objects of a document.
pub(super) fn check(lists: &Lists<'_>, findings: &mut Findings) {
    let used = list(&lists.root, "extensionsUsed").unwrap_or_default();
    let used: Vec<&str> = used.iter().filter_map(|name| name.text().ok()).collect();
    for name in list(&lists.root, "extensionsRequired").unwrap_or_default() {
        if name.text().is_ok_and(|text| !used.contains(&text)) {
            findings.add("UNUSED_EXTENSION_REQUIRED", &name, "this extension is not in `extensionsUsed`");
        }
    }
    Checker { lists, used, findings }.object(&lists.root, &DOCUMENT);
}

struct Checker<'a> {
    lists: &'a Lists<'a>,
    /// The extensions that the document declares.
    used: Vec<&'a str>,
    findings: &'a mut Findings,
}

impl Checker<'_> {
    fn object(&mut self, item: &Item<'_>, kind: &Kind) {
        let Value::Table(entries) = &item.node.value else { return };
        let has = |key: &str| entries.iter().any(|entry| entry.key == key);
        for key in kind.required.iter().filter(|key| !has(key)) {
            self.findings.add("UNDEFINED_PROPERTY", item, format!("lacks the key `{key}`"));
        }
        for (key, other) in kind.needs.iter().filter(|(key, other)| has(key) && !has(other)) {
            self.findings.add("UNSATISFIED_DEPENDENCY", item, format!("has the key `{key}`, but lacks `{other}`"));
        }
        for entry in entries.iter().filter(|entry| entry.key != "extras") {
            // Paths of numbers and texts would be made for nothing.
            let reference = kind.references.iter().find(|(key, _)| *key == entry.key);
            if reference.is_none() && !matches!(entry.node.value, Value::List(_) | Value::Table(_)) {
                continue;
            }
            let Some(value) = get(item, &entry.key) else { continue };
            if entry.key == "extensions" {
                self.extensions(&value, kind);
                continue;
            }
            if matches!(&entry.node.value, Value::List(items) if items.is_empty()) {
                self.findings.add("EMPTY_ENTITY", &value, "an empty list; the key should be absent");
            }
            if let Some((_, target)) = reference {
                self.references(&value, target);
            }
            if let Some((_, part)) = kind.parts.iter().find(|(key, _)| *key == entry.key) {
                match value.list() {
                    Ok(items) => items.iter().for_each(|item| self.object(item, part)),
                    Err(_) => self.object(&value, part),
                }
            }
        }
    }

    /// Checks an index, or all indices in a list or a table.
    fn references(&mut self, value: &Item<'_>, target: &Target) {
        match &value.node.value {
            Value::List(_) => {
                value.list().iter().flatten().for_each(|item| self.references(item, target));
            }
            Value::Table(entries) if entries.is_empty() => {
                self.findings.add("EMPTY_ENTITY", value, "an empty object");
            }
            Value::Table(_) => {
                value.entries().iter().flatten().for_each(|(_, item)| self.references(item, target));
            }
            _ => {
                if let Err(fault) = index(value, (target.list)(self.lists), target.noun) {
                    self.findings.push("UNRESOLVED_REFERENCE", fault.message);
                }
            }
        }
    }

    /// Checks the extensions of an object: each is declared, and known ones are where they belong.
    fn extensions(&mut self, extensions: &Item<'_>, kind: &Kind) {
        for (name, item) in extensions.entries().unwrap_or_default() {
            if !self.used.contains(&name) {
                self.findings.add("UNDECLARED_EXTENSION", &item, "this extension is not in `extensionsUsed`");
            }
            let is_known = EXTENDED.iter().any(|kind| kind.extensions.contains(&name));
            if is_known && !kind.extensions.contains(&name) {
                self.findings.add("UNEXPECTED_EXTENSION_OBJECT", &item, "this extension does not belong here");
            }
        }
    }
}
