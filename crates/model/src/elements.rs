//! The tables of force elements: one row each, from which all lists of them are generated.
//!
//! A row contains, in this order: the table in the file and the field of [`Model`] that holds it; the variant of
//! `force::Element`, its type (with the trait `force::ForceElement`) and the function that builds it. The key of
//! `[[output]]` that reads the element follows, with quantities that only some tables have. Then follow the joints,
//! coordinates and bodies on which an item acts, the word for it in drawings, and the function that checks an item (in
//! `validate`).
//!
//! The rows are in the order of the elements of a system, in which their loads are summed: another order changes the
//! rounding.
//!
//! CONTRIBUTING.md lists the changes that a new element needs.

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
            joint_spring joint_springs JointSpring(JointSpring) = springs::joint_spring;
                reads [Some(Target::Spring)] [];
                on item => vec![(Some(&item.joint), &item.coordinate)];
                between vec![]; word "spring";
                check forces::joint_spring;
            bushing bushings Bushing(Box<Bushing>) = springs::bushing;
                reads [Some(Target::Bushing)] [];
                on item => vec![];
                between vec![item.bodies.iter().collect()]; word "bushing";
                check forces::bushing;
            bump_stop bump_stops BumpStop(BumpStop) = springs::bump_stop;
                reads [Some(Target::Spring)] [];
                on item => vec![(item.joint.as_ref(), &item.coordinate)];
                between item.bodies.iter().map(|bodies| bodies.iter().collect()).collect(); word "stop";
                check forces::bump_stop;
            force forces Force(Force) = loads::force;
                reads [None] [];
                on item => vec![];
                between vec![vec![&item.body]]; word "force";
                check forces::force;
            torque torques Torque(Torque) = loads::torque;
                reads [None] [];
                on item => vec![];
                between vec![vec![&item.body]]; word "torque";
                check forces::torque;
            friction frictions Friction(Friction) = loads::friction;
                reads [None] [];
                on item => vec![(Some(&item.joint), &item.coordinate)];
                between vec![]; word "friction";
                check forces::friction;
            drive drives Drive(Drive) = loads::drive;
                reads [Some(Target::Drive)] [];
                on item => vec![(Some(&item.joint), &item.coordinate)];
                between vec![]; word "drive";
                check forces::drive;
            tyre tyres Tyre(Box<Tyre>) = tyres::tyre;
                reads [Some(Target::Tyre)] [];
                on item => vec![(Some(&item.joint), &None)];
                between vec![]; word "tyre";
                check tyres::tyre;
            contact contacts Contact(Box<Contact>) = contacts::contact;
                reads [Some(Target::Contact)] [];
                on item => vec![];
                between vec![item.bodies.iter().collect()]; word "contact";
                check contact::contact;
            solid_contact solid_contacts SolidContact(Box<SolidContact>) = contacts::solid_contact;
                reads [Some(Target::Contact)] [];
                on item => vec![];
                between => model: item.bodies(&model.solids); word "contact";
                check solids::contact;
            torsion_bar torsion_bars TorsionBar(JointSpring) = suspension::torsion_bar;
                reads [Some(Target::Spring)] [];
                on item => vec![(Some(&item.joint), &item.coordinate)];
                between vec![]; word "torsion bar";
                check suspension::torsion_bar;
            damper dampers Damper(Damper) = suspension::damper;
                reads [Some(Target::Spring)] [];
                on item => vec![];
                between vec![item.bodies.iter().collect()]; word "damper";
                check suspension::damper;
            leaf_spring leaf_springs LeafSpring(Box<LeafSpring>) = suspension::leaf_spring;
                reads [Some(Target::Spring)] [];
                on item => vec![];
                between vec![item.bodies.iter().collect()]; word "leaf spring";
                check suspension::leaf_spring;
            air_spring air_springs AirSpring(Box<AirSpring>) = suspension::air_spring;
                reads [Some(Target::Spring)] [Quantity::Pressure];
                on item => vec![];
                between vec![item.bodies.iter().collect()]; word "air spring";
                check suspension::air_spring;
            anti_roll_bar anti_roll_bars AntiRollBar(AntiRollBar) = suspension::anti_roll_bar;
                reads [Some(Target::Spring)] [];
                on item => vec![];
                between [1, 2].map(|link| vec![&item.bodies[0], &item.bodies[link]]).to_vec(); word "anti-roll bar";
                check suspension::anti_roll_bar;
            brake brakes Brake(Brake) = suspension::brake;
                reads [Some(Target::Drive)] [];
                on item => vec![(Some(&item.joint), &item.coordinate)];
                between vec![]; word "brake";
                check suspension::brake;
            aerodynamic_drag drags AerodynamicDrag(AerodynamicDrag) = suspension::aerodynamic_drag;
                reads [Some(Target::AerodynamicDrag)] [];
                on item => vec![];
                between vec![vec![&item.body]]; word "air drag";
                check suspension::aerodynamic_drag;
            speed_control speed_controls SpeedControl(SpeedControl) = powertrain::speed_control;
                reads [Some(Target::Drive)] [];
                on item => item.drives.iter().map(|drive| (Some(&drive.joint), &drive.coordinate)).collect();
                between vec![]; word "speed control";
                check suspension::speed_control;
            driver drivers Driver(Box<Driver>) = powertrain::driver;
                reads [Some(Target::Driver)] [];
                on item => vec![];
                between vec![]; word "driver";
                check driver::driver;
            brake_line brake_lines BrakeLine(Box<BrakeLine>) = powertrain::brake_line;
                reads [Some(Target::Drive)] [];
                on item => vec![(Some(&item.joint), &item.coordinate)];
                between vec![]; word "brake line";
                check powertrain::brake_line;
            engine engines Engine(Box<Engine>) = powertrain::engine;
                reads [Some(Target::Drive)] [];
                on item => vec![(Some(&item.joint), &item.coordinate)];
                between vec![]; word "engine";
                check powertrain::engine;
            clutch clutches Clutch(Box<Clutch>) = powertrain::clutch;
                reads [Some(Target::Drive)] [];
                on item => item.coordinates.iter().map(|on| (Some(&on.joint), &on.coordinate)).collect();
                between vec![]; word "clutch";
                check powertrain::clutch;
            gearbox gearboxes Gearbox(Box<Clutch>) = powertrain::gearbox;
                reads [Some(Target::Drive)] [Quantity::Gear];
                on item => item.coordinates.iter().map(|on| (Some(&on.joint), &on.coordinate)).collect();
                between vec![]; word "gearbox";
                check powertrain::gearbox;
            torque_converter torque_converters TorqueConverter(Box<TorqueConverter>) = powertrain::torque_converter;
                reads [Some(Target::Drive)] [];
                on item => item.coordinates.iter().map(|on| (Some(&on.joint), &on.coordinate)).collect();
                between vec![]; word "torque converter";
                check powertrain::torque_converter;
            wheel_port wheel_ports WheelPort(WheelPort) = powertrain::wheel_port;
                reads [None] [];
                on item => vec![];
                between vec![]; word "wheel port";
                check tyres::wheel_port;
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
        on $item:ident => $on:expr; between $(=> $model:ident:)? $between:expr; word $word:literal; check $check:path;)*) => {
        /// All tables of force elements, in the order in which a system has its elements.
        pub const TABLES: &[Table] = &[$(Table {
            name: stringify!($table),
            read_by: $read_by,
            own_quantities: &[$($quantity),*],
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
