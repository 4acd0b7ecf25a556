//! Templates for models and a structure: the files in `templates/`, and models of the gallery.

/// File of a template: path in its folder and content.
type Files = &'static [(&'static str, &'static str)];

/// A template: a folder with initial files.
#[derive(Clone, Copy, Debug)]
pub struct Template {
    /// Its name.
    pub name: &'static str,
    /// Alternative name.
    pub alias: Option<&'static str>,
    /// One-line description.
    pub about: &'static str,
    files: Files,
}

const fn template(name: &'static str, about: &'static str, files: Files) -> Template {
    Template { name, alias: None, about, files }
}

/// All templates.
pub const TEMPLATES: [Template; 8] = [
    template(
        "pendulum",
        "One body with a joint, motor and damper",
        &[("model.toml", include_str!("../../../templates/pendulum.toml"))],
    ),
    template(
        "four-bar",
        "A crank-rocker linkage (one loop) at a prescribed speed",
        &[("model.toml", include_str!("../../../templates/four_bar.toml"))],
    ),
    template(
        "quarter-car",
        "Body, suspension, wheel, tyre as a spring, rising road",
        &[("model.toml", include_str!("../../../templates/quarter_car.toml"))],
    ),
    template(
        "robot-arm",
        "Three joints with prescribed motion, and the required torques",
        &[("model.toml", include_str!("../../../templates/robot_arm.toml"))],
    ),
    Template {
        alias: Some("van"),
        ..template("vehicle", "A van with suspensions, tyres, driver and road, as subassemblies", VEHICLE)
    },
    template("car", "Cars assembled from files: suspension types and hardpoints", CAR),
    template("flexible-link", "A flexible body on a motor, with its unreduced structure", FLEXIBLE_LINK),
    template(
        "structure",
        "A beam structure for reduction",
        &[("structure.toml", include_str!("../../../templates/structure.toml"))],
    ),
];

/// The van of the gallery, without the parts that reproduce a paper.
const VEHICLE: Files = &[
    ("model.toml", include_str!("../../../models/van/model.toml")),
    ("parts/van.toml", include_str!("../../../models/van/parts/van.toml")),
    ("parts/common.toml", include_str!("../../../models/van/parts/common.toml")),
    ("parts/chassis.toml", include_str!("../../../models/van/parts/chassis.toml")),
    ("parts/chassis_forces.toml", include_str!("../../../models/van/parts/chassis_forces.toml")),
    ("parts/body.obj", include_str!("../../../models/van/parts/body.obj")),
    ("parts/glass.obj", include_str!("../../../models/van/parts/glass.obj")),
    ("parts/front_corner.toml", include_str!("../../../models/van/parts/front_corner.toml")),
    ("parts/front_corner_forces.toml", include_str!("../../../models/van/parts/front_corner_forces.toml")),
    ("parts/rear_axle.toml", include_str!("../../../models/van/parts/rear_axle.toml")),
    ("parts/rear_axle_parts.toml", include_str!("../../../models/van/parts/rear_axle_parts.toml")),
    ("parts/rear_side.toml", include_str!("../../../models/van/parts/rear_side.toml")),
    ("van.tir", include_str!("../../../models/van/van.tir")),
    ("double_lane_change.csv", include_str!("../../../models/van/manoeuvres/double_lane_change.csv")),
];

/// The cars of the gallery, without the comparison files.
const CAR: Files = &[
    ("model.toml", include_str!("../../../models/car/model.toml")),
    ("hardpoints/compact_front.toml", include_str!("../../../models/car/hardpoints/compact_front.toml")),
    ("saloon.toml", include_str!("../../../models/car/saloon.toml")),
    ("hardpoints/saloon_front.toml", include_str!("../../../models/car/hardpoints/saloon_front.toml")),
    ("hardpoints/saloon_rear.toml", include_str!("../../../models/car/hardpoints/saloon_rear.toml")),
    ("pickup.toml", include_str!("../../../models/car/pickup.toml")),
    ("shapes/compact.obj", include_str!("../../../models/car/shapes/compact.obj")),
    ("shapes/compact_glass.obj", include_str!("../../../models/car/shapes/compact_glass.obj")),
    ("shapes/saloon.obj", include_str!("../../../models/car/shapes/saloon.obj")),
    ("shapes/saloon_glass.obj", include_str!("../../../models/car/shapes/saloon_glass.obj")),
    ("shapes/pickup.obj", include_str!("../../../models/car/shapes/pickup.obj")),
    ("shapes/pickup_glass.obj", include_str!("../../../models/car/shapes/pickup_glass.obj")),
    ("car.tir", include_str!("../../../models/car/car.tir")),
    ("twist_beam.rom.toml", include_str!("../../../models/car/twist_beam.rom.toml")),
    ("parts/anti_roll_bar.toml", include_str!("../../../models/car/parts/anti_roll_bar.toml")),
    ("parts/anti_roll_half.toml", include_str!("../../../models/car/parts/anti_roll_half.toml")),
    ("parts/body.toml", include_str!("../../../models/car/parts/body.toml")),
    ("parts/double_wishbone.toml", include_str!("../../../models/car/parts/double_wishbone.toml")),
    ("parts/driving.toml", include_str!("../../../models/car/parts/driving.toml")),
    ("parts/five_link.toml", include_str!("../../../models/car/parts/five_link.toml")),
    ("parts/mcpherson.toml", include_str!("../../../models/car/parts/mcpherson.toml")),
    ("parts/solid_axle.toml", include_str!("../../../models/car/parts/solid_axle.toml")),
    ("parts/solid_axle_side.toml", include_str!("../../../models/car/parts/solid_axle_side.toml")),
    ("parts/steering.toml", include_str!("../../../models/car/parts/steering.toml")),
    ("parts/twist_beam.toml", include_str!("../../../models/car/parts/twist_beam.toml")),
    ("parts/twist_beam_side.toml", include_str!("../../../models/car/parts/twist_beam_side.toml")),
    ("parts/wheel.toml", include_str!("../../../models/car/parts/wheel.toml")),
    ("structure.toml", include_str!("../../../models/structures/twist_beam/structure.toml")),
];

const FLEXIBLE_LINK: Files = &[
    ("model.toml", include_str!("../../../templates/flexible_link.toml")),
    ("structure.toml", include_str!("../../../models/structures/arm_link/structure.toml")),
    ("link.rom.toml", include_str!("../../../models/serial_arm/link.rom.toml")),
];

impl Template {
    /// Template with this name.
    pub fn named(name: &str) -> Option<Template> {
        TEMPLATES.into_iter().find(|template| template.name == name || template.alias == Some(name))
    }

    /// The templates of models.
    pub fn models() -> impl Iterator<Item = Template> {
        TEMPLATES.into_iter().filter(Template::is_model)
    }

    /// Default folder.
    pub fn folder(&self) -> String {
        self.name.replace('-', "_")
    }

    /// Whether the template is a model, not a structure.
    pub fn is_model(&self) -> bool {
        self.files.iter().any(|(path, _)| *path == "model.toml")
    }

    /// Path and content of its files, without the lines that name a schema of the source tree.
    pub fn files(&self) -> Vec<(&'static str, String)> {
        let own = |text: &str| text.split_inclusive('\n').filter(|line| !line.starts_with("#:schema ")).collect();
        self.files.iter().map(|(path, text)| (*path, own(text))).collect()
    }
}
