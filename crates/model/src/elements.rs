//! The list of the tables of force elements, and the properties of their items.
//!
//! A row has the name of the table, the field of [`Model`] that contains it, and its type. The variant of
//! `force::Element` has the name of the type. The type implements [`ForceTable`] in its own file. The functions with
//! the name of the table check an item (in `validate`) and build the element (in `ballesta-compile`).
//!
//! The rows are in the order of the elements of a system, in which their loads are summed: another order changes the
//! rounding.
//!
//! CONTRIBUTING.md lists the changes that a new element needs.

use super::outputs::Target;
use super::schema::{self, Model, Quantity};

/// Calls the macro `$receive` with all rows.
#[macro_export]
macro_rules! force_elements {
    ($receive:ident) => {
        $receive! {
            spring springs Spring;
            joint_spring joint_springs JointSpring;
            bushing bushings Bushing;
            bump_stop bump_stops BumpStop;
            force forces Force;
            torque torques Torque;
            friction frictions Friction;
            drive drives Drive;
            cable cables Cable;
            freewheel freewheels Freewheel;
            ball_stop ball_stops BallStop;
            expression expressions Expression;
            tyre tyres Tyre;
            contact contacts Contact;
            solid_contact solid_contacts SolidContact;
            torsion_bar torsion_bars TorsionBar;
            damper dampers Damper;
            leaf_spring leaf_springs LeafSpring;
            air_spring air_springs AirSpring;
            anti_roll_bar anti_roll_bars AntiRollBar;
            brake brakes Brake;
            aerodynamic_drag drags AerodynamicDrag;
            speed_control speed_controls SpeedControl;
            driver drivers Driver;
            brake_line brake_lines BrakeLine;
            engine engines Engine;
            clutch clutches Clutch;
            gearbox gearboxes Gearbox;
            torque_converter torque_converters TorqueConverter;
            wheel_port wheel_ports WheelPort;
        }
    };
}
pub use crate::force_elements;

/// A joint, and its coordinate if it has several.
pub type JointCoordinate<'m> = (&'m str, Option<&'m str>);
/// Name of an item, and its joints and coordinates.
pub type OfItem<'m> = (&'m str, Vec<JointCoordinate<'m>>);
/// Name of an item, and the bodies of each of its forces: two between which it acts, or one.
type BetweenBodies<'m> = (&'m str, Vec<Vec<&'m String>>);

/// Properties of the items of a table of force elements.
pub trait ForceTable {
    /// The term for an item in drawings.
    const WORD: &str;
    /// Key of `[[output]]` that reads the elements.
    const READ_BY: Option<Target> = None;
    /// Quantities of that key that only some tables have, including this one.
    const OWN_QUANTITIES: &[Quantity] = &[];

    /// Joints and coordinates on which the item acts or which it reads. Such joints remain in the tree, and the first
    /// gives the units of its outputs. Empty if it acts between points.
    fn coordinates(&self) -> Vec<JointCoordinate<'_>> {
        Vec::new()
    }

    /// The bodies of each force of the item; empty if it acts on coordinates.
    fn between<'m>(&'m self, _: &'m Model) -> Vec<Vec<&'m String>> {
        Vec::new()
    }
}

/// Data on a table of force elements for the layers of the file, see [`ForceTable`].
pub struct Table {
    /// Name of the table in the file.
    pub name: &'static str,
    /// Key of `[[output]]` that reads its elements.
    pub read_by: Option<Target>,
    /// Quantities of that key that only some tables have, including this one.
    pub own_quantities: &'static [Quantity],
    /// Names of the items of a model, in the order of the file.
    pub names: fn(&Model) -> Vec<&str>,
    /// For every item its name, with its joints and coordinates.
    pub coordinates: for<'m> fn(&'m Model) -> Vec<OfItem<'m>>,
    /// For every item its name, with the bodies of each of its forces.
    pub bodies: for<'m> fn(&'m Model) -> Vec<BetweenBodies<'m>>,
    /// The term for an item in drawings.
    pub word: &'static str,
}

macro_rules! tables {
    ($($table:ident $field:ident $variant:ident;)*) => {
        /// All tables of force elements, in the order in which a system has its elements.
        pub const TABLES: &[Table] = &[$(Table {
            name: stringify!($table),
            read_by: schema::$variant::READ_BY,
            own_quantities: schema::$variant::OWN_QUANTITIES,
            names: |model| model.$field.iter().map(|item| item.name.as_str()).collect(),
            coordinates: |model| model.$field.iter().map(|item| (item.name.as_str(), item.coordinates())).collect(),
            bodies: |model| model.$field.iter().map(|item| (item.name.as_str(), item.between(model))).collect(),
            word: schema::$variant::WORD,
        }),*];
    };
}
force_elements!(tables);
