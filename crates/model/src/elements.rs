//! The tables of force elements: one row each, from which all lists of them are generated.
//!
//! A row contains, in this order: the table in the file and the field of [`Model`] that holds it; the variant of
//! `force::Element`, its type (with the trait `force::ForceElement`) and the function that builds it. The key of
//! `[[output]]` that reads the element follows, with quantities that only some tables have. Then follow the joints,
//! coordinates and bodies on which an item acts, the word for it in drawings, and the function that checks an item (in
//! `validate`). The last entries are the mirror rules of its keys, and the defaults of keys that a mirror changes. Keys
//! without a rule are plain numbers that a mirror does not change.
//!
//! The rows are in the order of the elements of a system, in which their loads are summed: another order changes the
//! rounding.
//!
//! CONTRIBUTING.md lists the changes that a new element needs.

use super::assembly::defaults::{Implied, ONE, X, Y, Z};
use super::assembly::mirror::Rule;
use super::outputs::Target;
use super::schema::{Model, Quantity};

/// Calls the macro `$receive` with all rows.
#[macro_export]
macro_rules! force_elements {
    ($receive:ident) => {
        $receive! {
            spring springs Spring(Spring) = springs::spring;
                reads [Some(Target::Spring)] [];
                on item => vec![];
                between vec![item.bodies.iter().collect()]; word "spring";
                check forces::spring;
                mirror ["force_table": Unchanged, "damping_table": Unchanged] defaults [];
            joint_spring joint_springs JointSpring(JointSpring) = springs::joint_spring;
                reads [Some(Target::Spring)] [];
                on item => vec![(Some(&item.joint), &item.coordinate)];
                between vec![]; word "spring";
                check forces::joint_spring;
                mirror [
                    "stiffness": Unchanged, "damping": Unchanged, "free_position": Coordinate, "preload": Coordinate,
                    "force_table": OddRows, "damping_table": OddRows
                ] defaults [];
            bushing bushings Bushing(Box<Bushing>) = springs::bushing;
                reads [Some(Target::Bushing)] [];
                on item => vec![];
                between vec![item.bodies.iter().collect()]; word "bushing";
                check forces::bushing;
                mirror [
                    "axis": Bushing, "second_axis": Bushing, "preload": Bushing,
                    "stiffness": Unchanged, "damping": Unchanged
                ] defaults [];
            bump_stop bump_stops BumpStop(BumpStop) = springs::bump_stop;
                reads [Some(Target::Spring)] [];
                on item => vec![(item.joint.as_ref(), &item.coordinate)];
                between item.bodies.iter().map(|bodies| bodies.iter().collect()).collect(); word "stop";
                check forces::bump_stop;
                mirror [
                    "lower": Ends, "upper": Ends, "stiffness": Unchanged, "exponent": Unchanged, "damping": Unchanged,
                    "force_table": Unchanged, "damping_depth": Unchanged
                ] defaults [];
            force forces Force(Force) = loads::force;
                reads [None] [];
                on item => vec![];
                between vec![vec![&item.body]]; word "force";
                check forces::force;
                mirror ["value": Polar] defaults [];
            torque torques Torque(Torque) = loads::torque;
                reads [None] [];
                on item => vec![];
                between vec![vec![&item.body]]; word "torque";
                check forces::torque;
                mirror ["value": Axial] defaults [];
            friction frictions Friction(Friction) = loads::friction;
                reads [None] [];
                on item => vec![(Some(&item.joint), &item.coordinate)];
                between vec![]; word "friction";
                check forces::friction;
                mirror [
                    "coulomb": Unchanged, "static": Unchanged, "stribeck_speed": Unchanged, "presliding": Unchanged,
                    "time": Unchanged, "viscous": Unchanged
                ] defaults [];
            drive drives Drive(Drive) = loads::drive;
                reads [Some(Target::Drive)] [];
                on item => vec![(Some(&item.joint), &item.coordinate)];
                between vec![]; word "drive";
                check forces::drive;
                mirror ["gain": Gain, "value": Unchanged] defaults [("gain", ONE)];
            tyre tyres Tyre(Box<Tyre>) = tyres::tyre;
                reads [Some(Target::Tyre)] [];
                on item => vec![(Some(&item.joint), &None)];
                between vec![]; word "tyre";
                check tyres::tyre;
                mirror [
                    "twin_spacing": Unchanged, "pressure": Unchanged, "road_height": Unchanged, "friction": Unchanged,
                    "turn_slip": Unchanged, "enveloping": Unchanged, "side": Side
                ] defaults [];
            contact contacts Contact(Box<Contact>) = contacts::contact;
                reads [Some(Target::Contact)] [];
                on item => vec![];
                between vec![item.bodies.iter().collect()]; word "contact";
                check contact::contact;
                mirror [
                    "axis": Polar, "x_axis": Polar, "y_axis": Polar, "radius": Unchanged, "size": Unchanged,
                    "surface_radius": Unchanged, "length": Unchanged, "stiffness": Unchanged, "exponent": Unchanged,
                    "restitution": Unchanged, "impact_speed": Unchanged, "friction": Unchanged,
                    "tangential_stiffness": Unchanged, "time": Unchanged
                ] defaults [("axis", Z), ("x_axis", X), ("y_axis", Y)];
            solid_contact solid_contacts SolidContact(Box<SolidContact>) = contacts::solid_contact;
                reads [Some(Target::Contact)] [];
                on item => vec![];
                between => model: item.bodies(&model.solids); word "contact";
                check solids::contact;
                mirror [
                    "stiffness": Unchanged, "restitution": Unchanged, "impact_speed": Unchanged, "friction": Unchanged,
                    "tangential_stiffness": Unchanged, "time": Unchanged, "rolling_resistance": Unchanged,
                    "spinning_resistance": Unchanged
                ] defaults [];
            torsion_bar torsion_bars TorsionBar(JointSpring) = suspension::torsion_bar;
                reads [Some(Target::Spring)] [];
                on item => vec![(Some(&item.joint), &item.coordinate)];
                between vec![]; word "torsion bar";
                check suspension::torsion_bar;
                mirror [
                    "length": Unchanged, "diameter": Unchanged, "inner_diameter": Unchanged, "shear_modulus": Unchanged,
                    "stiffness": Unchanged, "damping": Unchanged, "preload": Coordinate, "free_angle": Coordinate
                ] defaults [];
            damper dampers Damper(Damper) = suspension::damper;
                reads [Some(Target::Spring)] [];
                on item => vec![];
                between vec![item.bodies.iter().collect()]; word "damper";
                check suspension::damper;
                mirror ["bump_table": Unchanged, "rebound_table": Unchanged] defaults [];
            leaf_spring leaf_springs LeafSpring(Box<LeafSpring>) = suspension::leaf_spring;
                reads [Some(Target::Spring)] [];
                on item => vec![];
                between vec![item.bodies.iter().collect()]; word "leaf spring";
                check suspension::leaf_spring;
                mirror ["axis": Polar, "lateral_axis": Axial, "force_table": Unchanged]
                defaults [("axis", Z), ("lateral_axis", Y)];
            air_spring air_springs AirSpring(Box<AirSpring>) = suspension::air_spring;
                reads [Some(Target::Spring)] [Quantity::Pressure];
                on item => vec![];
                between vec![item.bodies.iter().collect()]; word "air spring";
                check suspension::air_spring;
                mirror ["area_table": Unchanged] defaults [];
            anti_roll_bar anti_roll_bars AntiRollBar(AntiRollBar) = suspension::anti_roll_bar;
                reads [Some(Target::Spring)] [];
                on item => vec![];
                between [1, 2].map(|link| vec![&item.bodies[0], &item.bodies[link]]).to_vec(); word "anti-roll bar";
                check suspension::anti_roll_bar;
                mirror ["axis": Polar] defaults [("axis", Z)];
            brake brakes Brake(Brake) = suspension::brake;
                reads [Some(Target::Drive)] [];
                on item => vec![(Some(&item.joint), &item.coordinate)];
                between vec![]; word "brake";
                check suspension::brake;
                mirror ["torque": Unchanged, "gain": Unchanged, "presliding": Unchanged, "time": Unchanged] defaults [];
            aerodynamic_drag drags AerodynamicDrag(AerodynamicDrag) = suspension::aerodynamic_drag;
                reads [Some(Target::AerodynamicDrag)] [];
                on item => vec![];
                between vec![vec![&item.body]]; word "air drag";
                check suspension::aerodynamic_drag;
                mirror ["lift_axis": Polar, "wind": Polar] defaults [("lift_axis", Z)];
            speed_control speed_controls SpeedControl(SpeedControl) = powertrain::speed_control;
                reads [Some(Target::Drive)] [];
                on item => item.drives.iter().map(|drive| (Some(&drive.joint), &drive.coordinate)).collect();
                between vec![]; word "speed control";
                check suspension::speed_control;
                mirror [
                    "axis": Polar, "drives.share": Shares, "target": Unchanged, "proportional": Unchanged,
                    "integral": Unchanged, "max_torque": Unchanged, "min_torque": Unchanged
                ] defaults [("axis", X), ("drives.share", Implied::Share)];
            driver drivers Driver(Box<Driver>) = powertrain::driver;
                reads [Some(Target::Driver)] [];
                on item => vec![];
                between vec![]; word "driver";
                check driver::driver;
                mirror [
                    "axis": Polar, "steering_ratio": Steering, "speed": Unchanged, "limits": Unchanged,
                    "stop.at": Unchanged,
                    "stop.hold": Unchanged, "leg.speed": Unchanged, "leg.hold": Unchanged, "brakes.gain": Unchanged
                ] defaults [("axis", X), ("steering_ratio", ONE)];
            brake_line brake_lines BrakeLine(Box<BrakeLine>) = powertrain::brake_line;
                reads [Some(Target::Drive)] [];
                on item => vec![(Some(&item.joint), &item.coordinate)];
                between vec![]; word "brake line";
                check powertrain::brake_line;
                mirror [
                    "axis": Polar, "demand": Unchanged, "gain": Unchanged, "time": Unchanged, "build_rate": Unchanged,
                    "release_rate": Unchanged, "valve": Unchanged, "radius": Coordinate, "slip": Unchanged,
                    "min_speed": Unchanged
                ] defaults [("axis", X)];
            engine engines Engine(Box<Engine>) = powertrain::engine;
                reads [Some(Target::Drive)] [];
                on item => vec![(Some(&item.joint), &item.coordinate)];
                between vec![]; word "engine";
                check powertrain::engine;
                mirror [
                    "ratio": Coordinate, "speeds": Unchanged, "throttles": Unchanged, "torques": Unchanged,
                    "throttle": Unchanged, "idle_speed": Unchanged, "idle_throttle": Unchanged, "time": Unchanged
                ] defaults [("ratio", ONE)];
            clutch clutches Clutch(Box<Clutch>) = powertrain::clutch;
                reads [Some(Target::Drive)] [];
                on item => item.coordinates.iter().map(|on| (Some(&on.joint), &on.coordinate)).collect();
                between vec![]; word "clutch";
                check powertrain::clutch;
                mirror [
                    "coordinates.ratio": Shares, "torque": Unchanged, "engagement": Unchanged, "bias": Unchanged,
                    "viscous": Unchanged, "presliding": Unchanged, "time": Unchanged
                ] defaults [("coordinates.ratio", ONE)];
            gearbox gearboxes Gearbox(Box<Clutch>) = powertrain::gearbox;
                reads [Some(Target::Drive)] [Quantity::Gear];
                on item => item.coordinates.iter().map(|on| (Some(&on.joint), &on.coordinate)).collect();
                between vec![]; word "gearbox";
                check powertrain::gearbox;
                mirror [
                    "coordinates.ratio": Shares, "ratios": Unchanged, "reverse": Unchanged, "gear": Unchanged,
                    "torque": Unchanged, "presliding": Unchanged, "time": Unchanged, "shifts.throttle": Unchanged,
                    "shifts.throttles": Unchanged, "shifts.up": Unchanged, "shifts.down": Unchanged,
                    "shifts.time": Unchanged
                ] defaults [("coordinates.ratio", ONE)];
            torque_converter torque_converters TorqueConverter(Box<TorqueConverter>) = powertrain::torque_converter;
                reads [Some(Target::Drive)] [];
                on item => item.coordinates.iter().map(|on| (Some(&on.joint), &on.coordinate)).collect();
                between vec![]; word "torque converter";
                check powertrain::torque_converter;
                mirror ["coordinates.ratio": Shares, "table": Unchanged] defaults [("coordinates.ratio", ONE)];
            wheel_port wheel_ports WheelPort(WheelPort) = powertrain::wheel_port;
                reads [None] [];
                on item => vec![];
                between vec![]; word "wheel port";
                check tyres::wheel_port;
                mirror [] defaults [];
        }
    };
}
pub use crate::force_elements;

/// A joint, and its coordinate if it has several.
pub type JointCoordinate<'m> = (&'m str, Option<&'m str>);
/// Name of an item, and its joints and coordinates.
pub type OfItem<'m> = (&'m str, Vec<JointCoordinate<'m>>);
/// As stored in a table; no joint if the item acts between points.
type OnCoordinate<'m> = (Option<&'m String>, &'m Option<String>);
/// Name of an item, and the bodies of each of its forces: two between which it acts, or one.
type BetweenBodies<'m> = (&'m str, Vec<Vec<&'m String>>);

/// Data on a table of force elements for the layers of the file.
pub struct Table {
    /// Name of the table in the file.
    pub name: &'static str,
    /// Key of `[[output]]` that reads its elements.
    pub read_by: Option<Target>,
    /// Quantities of that key that only some tables have, including this one.
    pub own_quantities: &'static [Quantity],
    /// Keys that a mirror changes or leaves unchanged; plain numbers without a rule are unchanged.
    pub mirror: &'static [(&'static str, Rule)],
    /// Defaults of keys that a mirror or a frame changes; zeros need no row.
    pub defaults: &'static [(&'static str, Implied)],
    /// Names of the items of a model, in the order of the file.
    pub names: fn(&Model) -> Vec<&str>,
    /// For every item its name, with the joints and coordinates on which it acts or which it reads. Such joints remain
    /// in the tree, and the first gives the units of its outputs. Empty if it acts between points.
    pub coordinates: for<'m> fn(&'m Model) -> Vec<OfItem<'m>>,
    /// For every item its name, with the bodies of each of its forces; empty if it acts on coordinates.
    pub bodies: for<'m> fn(&'m Model) -> Vec<BetweenBodies<'m>>,
    /// The term for an item in drawings.
    pub word: &'static str,
}

fn named<'m>((joint, coordinate): OnCoordinate<'m>) -> Option<JointCoordinate<'m>> {
    Some((joint?.as_str(), coordinate.as_deref()))
}

macro_rules! tables {
    ($($table:ident $field:ident $variant:ident($payload:ty) = $build:path; reads [$read_by:expr] [$($quantity:expr),*];
        on $item:ident => $on:expr; between $(=> $model:ident:)? $between:expr; word $word:literal; check $check:path;
        mirror [$($key:literal : $rule:ident),*] defaults [$($default:expr),*];)*) => {
        /// All tables of force elements, in the order in which a system has its elements.
        pub const TABLES: &[Table] = &[$(Table {
            name: stringify!($table),
            read_by: $read_by,
            own_quantities: &[$($quantity),*],
            mirror: &[$(($key, Rule::$rule)),*],
            defaults: &[$($default),*],
            names: |model| model.$field.iter().map(|item| item.name.as_str()).collect(),
            coordinates: |model| model.$field.iter().map(|$item| {
                let on: Vec<OnCoordinate> = $on;
                ($item.name.as_str(), on.into_iter().filter_map(named).collect())
            }).collect(),
            bodies: |all| {
                $(let $model = all;)?
                all.$field.iter().map(|$item| ($item.name.as_str(), $between)).collect()
            },
            word: $word,
        }),*];
    };
}
force_elements!(tables);

/// The row of a table of the file; `None` if it has no force elements.
pub fn table(name: &str) -> Option<&'static Table> {
    TABLES.iter().find(|table| table.name == name)
}
