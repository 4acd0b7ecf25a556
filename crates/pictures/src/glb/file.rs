//! Builder of a glTF 2.0 file: nodes, meshes, materials, one animation, and the bytes behind them.

use super::meshes::Indexed;
use ballesta::math::elementary::pow;
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// Components of a float.
const FLOAT: u32 = 5126;
/// Components of a whole number.
const UNSIGNED: u32 = 5125;
/// Target of a view: corners.
const CORNERS: u32 = 34962;
/// Target of a view: indices.
const INDICES: u32 = 34963;

/// Red, green, blue from 0 to 1 as on a screen, and the opacity.
pub type Colour = [f64; 4];

/// A property of a node that an animation changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Path {
    /// Three numbers, m.
    Translation,
    /// A quaternion x, y, z, w.
    Rotation,
    /// Three numbers.
    Scale,
}

impl Path {
    fn word(self) -> &'static str {
        match self {
            Path::Translation => "translation",
            Path::Rotation => "rotation",
            Path::Scale => "scale",
        }
    }
}

/// The file.
#[derive(Default)]
pub struct File {
    nodes: Vec<Map<String, Value>>,
    meshes: Vec<Value>,
    materials: Vec<Value>,
    accessors: Vec<Value>,
    views: Vec<Value>,
    samplers: Vec<Value>,
    channels: Vec<Value>,
    bytes: Vec<u8>,
    /// Accessors of a geometry by its name: positions, normals, indices.
    geometries: HashMap<String, [usize; 3]>,
    /// Meshes by geometry and material.
    pairs: HashMap<(String, usize), usize>,
    /// Accessor of the times.
    times: Option<usize>,
    count: usize,
}

impl File {
    fn view(&mut self, bytes: impl Iterator<Item = [u8; 4]>, target: Option<u32>) -> usize {
        let start = self.bytes.len();
        self.bytes.extend(bytes.flatten());
        let mut view = json!({ "buffer": 0, "byteOffset": start, "byteLength": self.bytes.len() - start });
        if let Some(target) = target {
            view["target"] = target.into();
        }
        self.views.push(view);
        self.views.len() - 1
    }

    /// Rows of `N` floats.
    fn floats<const N: usize>(&mut self, rows: &[[f32; N]], target: Option<u32>, bounded: bool) -> usize {
        let view = self.view(rows.iter().flatten().map(|x| x.to_le_bytes()), target);
        let kind = ["", "SCALAR", "", "VEC3", "VEC4"][N];
        let mut accessor = json!({ "bufferView": view, "componentType": FLOAT, "count": rows.len(), "type": kind });
        if bounded {
            let bound = |pick: fn(f32, f32) -> f32| -> Vec<f32> {
                (0..N).map(|k| rows.iter().map(|row| row[k]).reduce(pick).unwrap_or(0.0)).collect()
            };
            (accessor["min"], accessor["max"]) = (json!(bound(f32::min)), json!(bound(f32::max)));
        }
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    /// The mesh of a geometry in a colour; `geometry` is called once per name.
    pub fn mesh(&mut self, name: &str, colour: Colour, geometry: impl FnOnce() -> Indexed) -> usize {
        // In glTF the material belongs to the mesh, so a mesh exists once per geometry and colour.
        let material = self.material(colour);
        let key = (name.to_string(), material);
        if let Some(known) = self.pairs.get(&key) {
            return *known;
        }
        // Vertices, normals and indices of a geometry are stored once for all colours.
        let accessors = match self.geometries.get(name) {
            Some(known) => *known,
            None => {
                let solid = geometry();
                let places = self.floats(&solid.places, Some(CORNERS), true);
                let normals = self.floats(&solid.normals, Some(CORNERS), false);
                let view = self.view(solid.indices.iter().map(|k| k.to_le_bytes()), Some(INDICES));
                let count = solid.indices.len();
                self.accessors
                    .push(json!({ "bufferView": view, "componentType": UNSIGNED, "count": count, "type": "SCALAR" }));
                let made = [places, normals, self.accessors.len() - 1];
                self.geometries.insert(name.to_string(), made);
                made
            }
        };
        // A mesh refers to the shared accessors and to its material.
        let [places, normals, indices] = accessors;
        self.meshes.push(json!({
            "name": name,
            "primitives": [{
                "attributes": { "POSITION": places, "NORMAL": normals }, "indices": indices, "material": material
            }],
        }));
        self.pairs.insert(key, self.meshes.len() - 1);
        self.meshes.len() - 1
    }

    fn material(&mut self, colour: Colour) -> usize {
        // Material colours are linear in light, unlike screen colours (IEC 61966-2-1).
        let linear = |x: f64| if x <= 0.04045 { x / 12.92 } else { pow((x + 0.055) / 1.055, 2.4) };
        let [r, g, b] = [colour[0], colour[1], colour[2]].map(|x| (linear(x) * 1e5).round() / 1e5);
        let mut material = json!({
            "pbrMetallicRoughness": { "baseColorFactor": [r, g, b, colour[3]], "metallicFactor": 0, "roughnessFactor": 0.6 },
            // Meshes of files need not be closed.
            "doubleSided": true,
        });
        if colour[3] < 1.0 {
            material["alphaMode"] = "BLEND".into();
        }
        let known = self.materials.iter().position(|other| *other == material);
        known.unwrap_or_else(|| {
            self.materials.push(material);
            self.materials.len() - 1
        })
    }

    /// A node below another node; the first node of a file has no parent.
    pub fn node(&mut self, name: &str, parent: Option<usize>) -> usize {
        let mut node = Map::new();
        if !name.is_empty() {
            node.insert("name".into(), name.into());
        }
        self.nodes.push(node);
        let number = self.nodes.len() - 1;
        if let Some(parent) = parent {
            let children = self.nodes[parent].entry("children").or_insert_with(|| json!([]));
            children.as_array_mut().into_iter().for_each(|children| children.push(number.into()));
        }
        number
    }

    /// Names a node.
    pub fn name(&mut self, node: usize, name: &str) {
        self.nodes[node].insert("name".into(), name.into());
    }

    /// Gives a node a mesh.
    pub fn show(&mut self, node: usize, mesh: usize) {
        self.nodes[node].insert("mesh".into(), mesh.into());
    }

    /// Sets a property of a node; default values are omitted.
    pub fn set(&mut self, node: usize, path: Path, value: &[f64]) {
        let plain: &[f32] = match path {
            Path::Translation => &[0.0; 3],
            Path::Rotation => &[0.0, 0.0, 0.0, 1.0],
            Path::Scale => &[1.0; 3],
        };
        let value: Vec<f32> = value.iter().map(|x| *x as f32).collect();
        if value != plain {
            self.nodes[node].insert(path.word().into(), json!(value));
        }
    }

    /// The instants of the animation, s, ascending starting at 0.
    pub fn set_times(&mut self, times: &[f32]) {
        self.count = times.len();
        if times.len() > 1 {
            let rows: Vec<[f32; 1]> = times.iter().map(|time| [*time]).collect();
            self.times = Some(self.floats(&rows, None, true));
        }
    }

    /// Sets a property at every instant; a single value if it changes by at most `resolution`.
    pub fn animate<const N: usize>(&mut self, node: usize, path: Path, rows: &[[f64; N]], resolution: f64) {
        let Some(first) = rows.first() else { return };
        self.set(node, path, first);
        let still = |row: &[f64; N]| row.iter().zip(first).all(|(a, b)| (a - b).abs() <= resolution);
        let Some(times) = self.times.filter(|_| rows.len() == self.count && !rows.iter().all(still)) else { return };
        let rows: Vec<[f32; N]> = rows.iter().map(|row| row.map(|x| x as f32)).collect();
        let output = self.floats(&rows, None, false);
        self.samplers.push(json!({ "input": times, "output": output, "interpolation": "LINEAR" }));
        let sampler = self.samplers.len() - 1;
        self.channels.push(json!({ "sampler": sampler, "target": { "node": node, "path": path.word() } }));
    }

    /// The bytes of the file; `None` beyond the limit of 4 GB of its length fields.
    pub fn into_bytes(self, name: &str) -> Option<Vec<u8>> {
        let mut root = json!({
            "asset": { "version": "2.0", "generator": concat!("ballesta ", env!("CARGO_PKG_VERSION")) },
            "scene": 0,
            "scenes": [{ "name": name, "nodes": [0] }],
            "nodes": self.nodes,
        });
        // Empty lists are invalid.
        for (key, list) in [
            ("meshes", self.meshes),
            ("materials", self.materials),
            ("accessors", self.accessors),
            ("bufferViews", self.views),
        ] {
            if !list.is_empty() {
                root[key] = list.into();
            }
        }
        if !self.channels.is_empty() {
            root["animations"] = json!([{ "name": name, "channels": self.channels, "samplers": self.samplers }]);
        }
        let bin = (!self.bytes.is_empty()).then_some(self.bytes);
        if let Some(bin) = &bin {
            root["buffers"] = json!([{ "byteLength": bin.len() }]);
        }
        container(root.to_string().into_bytes(), bin)
    }
}

/// The binary container of glTF 2.0: a header of 12 bytes, then chunks, each preceded by its length and kind and padded
/// to 4 bytes.
fn container(mut json: Vec<u8>, bin: Option<Vec<u8>>) -> Option<Vec<u8>> {
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut chunks = vec![(*b"JSON", json)];
    if let Some(mut bin) = bin {
        bin.resize(bin.len().next_multiple_of(4), 0);
        chunks.push((*b"BIN\0", bin));
    }
    let length = 12 + chunks.iter().map(|(_, content)| 8 + content.len()).sum::<usize>();
    let mut file = Vec::with_capacity(length);
    file.extend(b"glTF");
    file.extend(2_u32.to_le_bytes());
    file.extend(u32::try_from(length).ok()?.to_le_bytes());
    for (kind, content) in chunks {
        file.extend(u32::try_from(content.len()).ok()?.to_le_bytes());
        file.extend(kind);
        file.extend(content);
    }
    Some(file)
}
