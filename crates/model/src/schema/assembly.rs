//! `[[use]]`, subassembly files and `[[frame]]` as plain data.

use super::kinds::*;
use super::{Model, Number};
use crate::document::from_value;
use crate::geometry::Geometry;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// `[[use]]`: includes the tables of another file with a prefix, optionally mirrored and moved, with values for its
/// parameters.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Use {
    /// Path of the subassembly file, relative to the folder of the model file and inside it, with `/` between folders.
    pub file: String,
    /// Prefix of every name that the file defines. Default: none.
    #[serde(default)]
    pub prefix: String,
    /// Normal of the mirror plane through the origin. Default: not mirrored.
    pub mirror: Option<MirrorNormal>,
    /// Translation of the geometry in m, after mirroring. Default: none.
    pub translate: Option<[f64; 3]>,
    /// Frame of the geometry of the file, after mirroring and translation. Default: the frame of the file with this
    /// table.
    #[serde(rename = "in")]
    pub inside: Option<String>,
    /// Values of parameters of the file: a number, or the quoted name of a parameter of the file with this table.
    #[serde(default)]
    pub parameters: BTreeMap<String, Number>,
    /// Maps names of bodies that the file does not define to names in the using file. Other names do not change.
    #[serde(default)]
    pub bodies: BTreeMap<String, String>,
}

/// `[[frame]]`: a local frame for items and points. One of `angles_deg`, `angles`, `quaternion`, `x_axis` with
/// `y_axis`, and `dh_deg` gives its rotation; without any of these keys the frame is not rotated.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry)]
pub struct Frame {
    /// Unique name.
    pub name: FrameName,
    /// Surrounding frame, in which this frame is given. Default: the frame of the file.
    #[serde(rename = "in")]
    pub inside: Option<FrameName>,
    /// Origin in m. Default [0, 0, 0].
    pub position: Option<[Scalar; 3]>,
    /// Roll, pitch and yaw in degrees: rotations about x, then y, then z, all axes of the surrounding frame.
    pub angles_deg: Option<[Scalar; 3]>,
    /// Roll, pitch and yaw in rad, as `rpy` in URDF.
    pub angles: Option<[Scalar; 3]>,
    /// Unit quaternion w, x, y, z of the rotation.
    pub quaternion: Option<[Scalar; 4]>,
    /// Direction of the x axis in the surrounding frame. Default: x, if `y_axis` is given.
    pub x_axis: Option<[Scalar; 3]>,
    /// Direction of the y axis. Only its component normal to `x_axis` is used. Default: y, if `x_axis` is given.
    pub y_axis: Option<[Scalar; 3]>,
    /// Denavit-Hartenberg parameters a (m), α (degrees), d (m), θ (degrees), instead of position and rotation: R_z(θ)
    /// T_z(d) T_x(a) R_x(α).
    pub dh_deg: Option<[Scalar; 4]>,
    /// Hardpoints with coordinates in m in this frame, otherwise as in `[points]`.
    #[serde(default)]
    pub points: BTreeMap<String, [Scalar; 3]>,
}

/// Normal of the plane of a mirror.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum MirrorNormal {
    /// Swaps front and rear if x points forward.
    X,
    /// Swaps left and right if y points to the left.
    Y,
    /// Swaps top and bottom if z points up.
    Z,
}

/// The file of a subassembly: the tables of a model file with many items.
///
/// Its schema is the schema of the model file without the single tables (`[model]`, `[experiment]`). The tables are on
/// the heap: subassemblies are read by recursion, and an FMU may have a small stack.
#[derive(Clone, Debug, PartialEq)]
pub struct Assembly(pub Box<Model>);

impl<'de> Deserialize<'de> for Assembly {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Assembly, D::Error> {
        let mut tables = Map::deserialize(deserializer)?;
        tables.insert("model".to_string(), json!({ "name": "" }));
        from_value(Value::Object(tables)).map(Assembly).map_err(D::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Assembly {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Assembly".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let mut schema = super::Model::json_schema(generator);
        schema.insert("description".into(), "The file of a subassembly.".into());
        keep_tables_of_many(schema.ensure_object());
        schema
    }
}

/// Removes the single tables from the schema of the model file.
pub(super) fn keep_tables_of_many(schema: &mut Map<String, Value>) {
    schema.remove("required");
    if let Some(Value::Object(tables)) = schema.get_mut("properties") {
        tables.retain(|name, table| name == "points" || table.get("type").is_some_and(|kind| kind == "array"));
    }
}
