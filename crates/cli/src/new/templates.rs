//! The files of the templates: those in `templates/`, and models of the gallery.

use crate::arguments::Template;

/// What a template is made of: path in its folder, content.
type Files = &'static [(&'static str, &'static str)];

/// The van of the gallery, without what reproduces a paper.
const VEHICLE: Files = &[
    ("model.toml", include_str!("../../../../models/van/model.toml")),
    ("parts/van.toml", include_str!("../../../../models/van/parts/van.toml")),
    ("parts/common.toml", include_str!("../../../../models/van/parts/common.toml")),
    ("parts/chassis.toml", include_str!("../../../../models/van/parts/chassis.toml")),
    ("parts/chassis_forces.toml", include_str!("../../../../models/van/parts/chassis_forces.toml")),
    ("parts/front_corner.toml", include_str!("../../../../models/van/parts/front_corner.toml")),
    ("parts/front_corner_forces.toml", include_str!("../../../../models/van/parts/front_corner_forces.toml")),
    ("parts/rear_axle.toml", include_str!("../../../../models/van/parts/rear_axle.toml")),
    ("parts/rear_axle_parts.toml", include_str!("../../../../models/van/parts/rear_axle_parts.toml")),
    ("parts/rear_side.toml", include_str!("../../../../models/van/parts/rear_side.toml")),
    ("van.tir", include_str!("../../../../models/van/van.tir")),
    ("double_lane_change.csv", include_str!("../../../../models/van/manoeuvres/double_lane_change.csv")),
];

const FLEXIBLE_LINK: Files = &[
    ("model.toml", include_str!("../../../../templates/flexible_link.toml")),
    ("structure.toml", include_str!("../../../../models/structures/arm_link/structure.toml")),
    ("link.rom.toml", include_str!("../../../../models/serial_arm/link.rom.toml")),
];

/// The folder of a template where none is given.
pub fn folder(template: Template) -> &'static str {
    match template {
        Template::Pendulum => "pendulum",
        Template::FourBar => "four_bar",
        Template::QuarterCar => "quarter_car",
        Template::RobotArm => "robot_arm",
        Template::Vehicle => "vehicle",
        Template::FlexibleLink => "flexible_link",
        Template::Structure => "structure",
    }
}

/// The files of a template, without the lines that name a schema of the source tree.
pub fn files(template: Template) -> Vec<(&'static str, String)> {
    let files: Files = match template {
        Template::Pendulum => &[("model.toml", include_str!("../../../../templates/pendulum.toml"))],
        Template::FourBar => &[("model.toml", include_str!("../../../../templates/four_bar.toml"))],
        Template::QuarterCar => &[("model.toml", include_str!("../../../../templates/quarter_car.toml"))],
        Template::RobotArm => &[("model.toml", include_str!("../../../../templates/robot_arm.toml"))],
        Template::Vehicle => VEHICLE,
        Template::FlexibleLink => FLEXIBLE_LINK,
        Template::Structure => &[("structure.toml", include_str!("../../../../templates/structure.toml"))],
    };
    let own = |text: &str| text.split_inclusive('\n').filter(|line| !line.starts_with("#:schema ")).collect();
    files.iter().map(|(name, text)| (*name, own(text))).collect()
}
