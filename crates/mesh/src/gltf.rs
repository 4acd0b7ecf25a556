//! Triangles of glTF 2.0, as `.glb` or as `.gltf` with embedded or separate buffers: all meshes of the default scene,
//! placed by its nodes. Axes and units are not converted; the standard specifies y up and metres.

use super::{Complaint, IndexedTriangles, complaint};
use ballesta_model::document::file::read_within;
use data_url::DataUrl;
use gltf::accessor::{DataType, Dimensions};
use gltf::buffer::Source;
use gltf::mesh::Mode;
use gltf::{Accessor, Gltf, Semantic};
use std::path::Path;

/// A transformation, column by column.
type Matrix = [[f64; 4]; 4];

const EXPECTED: &str = "export glTF 2.0 with triangles, without sparse accessors and compression extensions";

fn wrong(what: impl std::fmt::Display) -> Complaint {
    complaint(format!("cannot be drawn: {what}"), EXPECTED)
}

/// The triangles of a file in `folder`.
pub fn soup(bytes: &[u8], folder: Option<&Path>) -> Result<IndexedTriangles, Complaint> {
    let no_file = |error: gltf::Error| complaint(format!("is not a glTF file: {error}"), EXPECTED);
    let Gltf { document, blob } = Gltf::from_slice_without_validation(bytes).map_err(no_file)?;
    let root = document.into_json();
    // The validation of the crate does not check these numbers.
    let primitives = root.meshes.iter().flat_map(|mesh| &mesh.primitives);
    let beyond = |accessor: &&gltf::json::Index<_>| accessor.value() >= root.accessors.len();
    if let Some(accessor) = primitives.flat_map(|primitive| primitive.attributes.values()).find(beyond) {
        return Err(wrong(format!("there is no accessor {}", accessor.value())));
    }
    let file = Gltf { document: gltf::Document::from_json(root).map_err(no_file)?, blob };
    let buffers = buffers(&file, folder)?;
    let scene = file.default_scene().or_else(|| file.scenes().next());
    let mut found: IndexedTriangles = Default::default();
    let mut seen = vec![false; file.nodes().len()];
    let mut pending: Vec<(gltf::Node, Matrix)> =
        scene.into_iter().flat_map(|scene| scene.nodes().map(|node| (node, IDENTITY))).collect();
    while let Some((node, outer)) = pending.pop() {
        if std::mem::replace(&mut seen[node.index()], true) {
            return Err(wrong(format!("node {} has two parents", node.index())));
        }
        let matrix = product(&outer, &node.transform().matrix().map(|column| column.map(f64::from)));
        for primitive in node.mesh().iter().flat_map(|mesh| mesh.primitives()) {
            add(&primitive, &buffers, &matrix, &mut found)?;
        }
        pending.extend(node.children().map(|child| (child, matrix)));
    }
    Ok(found)
}

fn buffers(file: &Gltf, folder: Option<&Path>) -> Result<Vec<Vec<u8>>, Complaint> {
    let read = |buffer: gltf::Buffer| match buffer.source() {
        Source::Bin => file.blob.clone().ok_or_else(|| wrong("the binary chunk is missing")),
        Source::Uri(uri) if uri.starts_with("data:") => {
            let url = DataUrl::process(uri).map_err(|error| wrong(format!("buffer {}: {error:?}", buffer.index())))?;
            let content = url.decode_to_vec();
            content.map(|(bytes, _)| bytes).map_err(|error| wrong(format!("buffer {}: {error}", buffer.index())))
        }
        Source::Uri(uri) if ballesta_model::files::is_inside(uri) => {
            let outside = || complaint(format!("has its vertices in \"{uri}\""), "embed the buffers (`.glb`)");
            read_within(&folder.ok_or_else(outside)?.join(uri), super::MAX_FILE_BYTES)
                .map_err(|error| wrong(format!("\"{uri}\" cannot be read: {error}")))
        }
        Source::Uri(uri) => Err(wrong(format!("\"{uri}\" is not a path inside the folder of the file"))),
    };
    file.buffers().map(read).collect()
}

const IDENTITY: Matrix = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    std::array::from_fn(|column| std::array::from_fn(|row| (0..4).map(|k| a[k][row] * b[column][k]).sum()))
}

fn add(
    primitive: &gltf::Primitive,
    buffers: &[Vec<u8>],
    matrix: &Matrix,
    found: &mut IndexedTriangles,
) -> Result<(), Complaint> {
    let positions = primitive.get(&Semantic::Positions);
    let positions = positions.ok_or_else(|| wrong(format!("primitive {} has no positions", primitive.index())))?;
    if (positions.data_type(), positions.dimensions()) != (DataType::F32, Dimensions::Vec3) {
        return Err(wrong("positions are not triples of floats"));
    }
    for accessor in [Some(&positions), primitive.indices().as_ref()].into_iter().flatten() {
        inside(accessor, buffers)?;
    }
    let reader = primitive.reader(|buffer| buffers.get(buffer.index()).map(Vec::as_slice));
    let first = found.0.len();
    let places = reader.read_positions().into_iter().flatten();
    found.0.extend(places.map(|place| {
        let place = place.map(f64::from);
        std::array::from_fn(|row| (0..3).map(|k| matrix[k][row] * place[k]).sum::<f64>() + matrix[3][row])
    }));
    let count = found.0.len() - first;
    let corners: Vec<u32> = match reader.read_indices() {
        Some(indices) => indices.into_u32().collect(),
        None => (0..count as u32).collect(),
    };
    if let Some(corner) = corners.iter().find(|corner| **corner as usize >= count) {
        return Err(wrong(format!("a triangle refers to vertex {corner} of {count}")));
    }
    let corner = |k: usize| first as u32 + corners[k];
    let last = corners.len();
    // A mirroring node reverses the orientation of its triangles.
    let column = |k: usize| ballesta_solver::math::Vec3::new(matrix[k][0], matrix[k][1], matrix[k][2]);
    let turned = column(0).dot(&column(1).cross(&column(2))) < 0.0;
    let mut push = |a: usize, b: usize, c: usize| {
        found.1.push(if turned { [corner(a), corner(c), corner(b)] } else { [corner(a), corner(b), corner(c)] });
    };
    match primitive.mode() {
        Mode::Triangles => (0..last / 3).for_each(|k| push(3 * k, 3 * k + 1, 3 * k + 2)),
        Mode::TriangleStrip => {
            (2..last).for_each(|k| if k % 2 == 0 { push(k - 2, k - 1, k) } else { push(k - 1, k - 2, k) });
        }
        Mode::TriangleFan => (2..last).for_each(|k| push(0, k - 1, k)),
        // Lines and points have no area.
        Mode::Points | Mode::Lines | Mode::LineLoop | Mode::LineStrip => {}
    }
    Ok(())
}

/// Checks that an accessor is within its view and the view is within its buffer.
fn inside(accessor: &Accessor, buffers: &[Vec<u8>]) -> Result<(), Complaint> {
    let named = |what: &str| wrong(format!("accessor {} {what}", accessor.index()));
    if accessor.sparse().is_some() {
        return Err(named("is sparse"));
    }
    let view = accessor.view().ok_or_else(|| named("has no data"))?;
    let buffer = buffers.get(view.buffer().index()).map_or(0, Vec::len);
    let size = accessor.size();
    let stride = view.stride().unwrap_or(size);
    let fits = || {
        let last = accessor.count().checked_sub(1)?.checked_mul(stride)?;
        let end = accessor.offset().checked_add(last)?.checked_add(size)?;
        (stride >= size && end <= view.length() && view.offset().checked_add(view.length())? <= buffer).then_some(())
    };
    fits().ok_or_else(|| named("exceeds its data"))
}

#[cfg(test)]
pub mod tests {
    use serde_json::{Value, json};

    /// A tetrahedron of unit legs, stored at half size in a node that doubles and mirrors it, as a binary file and as
    /// text.
    pub fn tetrahedron() -> (Vec<u8>, String) {
        let corners: [f32; 12] = [0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.5];
        let indices: [u16; 12] = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3];
        let bytes: Vec<u8> =
            corners.iter().flat_map(|x| x.to_le_bytes()).chain(indices.iter().flat_map(|k| k.to_le_bytes())).collect();
        let file = |buffer: Value| {
            json!({
                "asset": { "version": "2.0" },
                "scene": 0, "scenes": [{ "nodes": [0] }],
                "nodes": [{ "children": [1], "translation": [7, 8, 9] }, { "mesh": 0, "scale": [-2, 2, 2] }],
                "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "indices": 1 }] }],
                "accessors": [
                    { "bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [0, 0, 0], "max": [0.5, 0.5, 0.5] },
                    { "bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR" },
                ],
                "bufferViews": [{ "buffer": 0, "byteLength": 48 }, { "buffer": 0, "byteOffset": 48, "byteLength": 24 }],
                "buffers": [buffer],
            })
            .to_string()
        };
        let json = file(json!({ "byteLength": bytes.len() })).into_bytes();
        let glb = gltf::binary::Glb {
            header: gltf::binary::Header { magic: *b"glTF", version: 2, length: 0 },
            json: json.into(),
            bin: Some(bytes.clone().into()),
        };
        let hex: String = bytes.iter().map(|byte| format!("%{byte:02x}")).collect();
        let text = file(json!({ "byteLength": bytes.len(), "uri": format!("data:application/octet-stream,{hex}") }));
        (glb.to_vec().expect("a small file"), text)
    }

    #[test]
    fn accessors_beyond_their_data_are_refused() {
        let (_, text) = tetrahedron();
        for (right, false_one) in [
            ("\"POSITION\":0", "\"POSITION\":9"),
            ("\"count\":4", "\"count\":5"),
            ("\"count\":12", "\"count\":13"),
            ("\"byteLength\":48", "\"byteLength\":400"),
        ] {
            let broken = text.replacen(right, false_one, 1);
            assert_ne!(broken, text);
            let (found, _) = super::soup(broken.as_bytes(), None).expect_err(false_one);
            assert!(
                found.contains("exceeds its data")
                    || found.contains("not a glTF file")
                    || found.contains("no accessor"),
                "{found}"
            );
        }
    }
}
