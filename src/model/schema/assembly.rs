//! `[[use]]` and the files it names, and `[[frame]]`, as plain data.

use super::{Model, Number, Vector};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// `[[use]]`: takes in the tables of another file, with other names, mirrored, moved, with values for its parameters.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Use {
    /// File of the subassembly: a path from the folder of the model file that stays inside it. `/` separates folders.
    pub file: String,
    /// Text put before every name that the file defines. Default: none.
    #[serde(default)]
    pub prefix: String,
    /// Mirrors the geometry in the plane through the origin with this normal. Default: not mirrored.
    pub mirror: Option<MirrorNormal>,
    /// Moves the geometry by three numbers in m, after mirroring. Default: not moved.
    pub translate: Option<[f64; 3]>,
    /// Frame in which the geometry of the file stands, after mirroring and moving. Default: that of the file with this
    /// table.
    #[serde(rename = "in")]
    pub inside: Option<String>,
    /// Values of parameters of the file: name to a number, or to the name of a parameter of the file with this table in
    /// quotes.
    #[serde(default)]
    pub parameters: BTreeMap<String, Number>,
    /// Bodies that the file names but does not define: name there to name here, such as the frame that carries an axle.
    /// Others keep their name.
    #[serde(default)]
    pub bodies: BTreeMap<String, String>,
}

/// `[[frame]]`: a frame of its own for items and points whose numbers are given in it. One of `angles_deg`, `angles`,
/// `quaternion`, `x_axis` with `y_axis`, and `dh_deg` says how it is turned; without any it is not.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Frame {
    /// Unique name.
    pub name: String,
    /// The frame in which this one is given. Default: that of the file.
    #[serde(rename = "in")]
    pub inside: Option<String>,
    /// Its origin, m. Default [0, 0, 0].
    pub position: Option<Vector>,
    /// Roll, pitch and yaw in degrees: turned about x, then y, then z, all three axes those of the surrounding frame.
    pub angles_deg: Option<Vector>,
    /// The same in rad, as `rpy` in URDF.
    pub angles: Option<Vector>,
    /// Unit quaternion w, x, y, z of the rotation.
    pub quaternion: Option<[Number; 4]>,
    /// Direction of its x axis in the surrounding frame. Default: x, where `y_axis` is given.
    pub x_axis: Option<Vector>,
    /// Direction of its y axis, as far as it is perpendicular to `x_axis`. Default: y, where `x_axis` is given.
    pub y_axis: Option<Vector>,
    /// Row of a table of Denavit and Hartenberg, instead of position and rotation: a in m, α in degrees, d in m, θ in
    /// degrees. From the surrounding frame: turned by θ about z, moved by d along z and by a along the new x, turned by
    /// α about that.
    pub dh_deg: Option<[Number; 4]>,
    /// Hardpoints: name to coordinates in m in this frame. They are points like those of `[points]`.
    #[serde(default)]
    pub points: BTreeMap<String, Vector>,
}

/// Normal of the plane of a mirror.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MirrorNormal {
    /// Front and rear change places where x points forward.
    X,
    /// Left and right change places where y points to the left.
    Y,
    /// Top and bottom change places where z points up.
    Z,
}

/// The file of a subassembly: the tables of a model file that hold many items, as they were read.
///
/// Its schema is that of the model file without what a model has once (`[model]`, `[experiment]`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(transparent)]
pub struct Assembly(pub Map<String, Value>);

impl JsonSchema for Assembly {
    fn schema_name() -> Cow<'static, str> {
        "Assembly".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = Model::json_schema(generator);
        schema.insert("description".into(), "The file of a subassembly.".into());
        keep_tables_of_many(schema.ensure_object());
        schema
    }
}

/// Takes what a model has once out of the schema of its file.
pub(super) fn keep_tables_of_many(schema: &mut Map<String, Value>) {
    schema.remove("required");
    if let Some(Value::Object(tables)) = schema.get_mut("properties") {
        tables.retain(|name, table| name == "points" || table.get("type").is_some_and(|kind| kind == "array"));
    }
}
