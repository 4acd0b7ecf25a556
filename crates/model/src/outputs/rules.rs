//! The rows: every admissible pair of target and quantity.

use super::{Level, OutputUnit, Rule, Size, Target};
use crate::schema::Quantity;
use ballesta_solver::system::ScalarKind;

/// Size, type of the variables, and whether `axes` is used.
type Shape = (Size, ScalarKind, bool);
const SCALAR: Shape = (Size::Scalar, ScalarKind::Real, false);
const INTEGER: Shape = (Size::Scalar, ScalarKind::Integer, false);
const BOOLEAN: Shape = (Size::Scalar, ScalarKind::Boolean, false);
const VECTOR: Shape = (Size::Vector, ScalarKind::Real, true);
/// A vector whose axes are fixed by its quantity.
const OWN_VECTOR: Shape = (Size::Vector, ScalarKind::Real, false);
const FORCES: Shape = (Size::Forces, ScalarKind::Real, false);
const MOMENTS: Shape = (Size::Moments, ScalarKind::Real, false);
const ANGLES: Shape = (Size::Angles, ScalarKind::Real, false);
const QUATERNION: Shape = (Size::Quaternion, ScalarKind::Real, false);

/// For every target: quantity, level of the motion on which it depends, shape, unit, text for the
/// documentation.
macro_rules! rules {
    (unit $symbol:literal) => { OutputUnit::Always($symbol) };
    (unit $measured:ident) => { OutputUnit::$measured };
    ($($target:ident {
        $($quantity:ident at $level:ident: $shape:ident in $unit:tt, $meaning:literal;)*
    })*) => {
        /// The whole matrix.
        pub const RULES: &[Rule] = &[$($(Rule {
            target: Target::$target,
            quantity: Quantity::$quantity,
            size: $shape.0,
            unit: rules!(unit $unit),
            level: Level::$level,
            kind: $shape.1,
            axes: $shape.2,
            meaning: $meaning,
        },)*)*];
    };
}

rules! {
    Joint {
        Position at Position: SCALAR in Position, "joint coordinate, 0 in the design position";
        Speed at Velocity: SCALAR in Speed, "its speed";
        Acceleration at Acceleration: SCALAR in Acceleration, "its acceleration";
        ReactionForce at Reaction: VECTOR in "N",
            "force of the joint on its second body, at the joint's point there; includes drives, springs, friction, \
             stops and prescribed motions of the joint's own coordinates";
        ReactionMoment at Reaction: VECTOR in "N.m",
            "moment of the joint on its second body, about the joint's point on that body; includes the same \
             contributions as the force";
        Angles at Position: ANGLES in "rad",
            "roll, pitch and yaw of the second body relative to the first, defined as for a body";
    }
    Body {
        Position at Position: VECTOR in "m", "position of the point, from the origin of W";
        Velocity at Velocity: VECTOR in "m/s", "velocity of the point";
        Acceleration at Acceleration: VECTOR in "m/s2",
            "acceleration of the point relative to W, `gravity` in free fall";
        Rotation at Position: QUATERNION in "1",
            "rotation since the design position: body axes to world axes; its sign is continuous";
        Angles at Position: ANGLES in "rad",
            "roll, pitch and yaw since the design position (ISO 8855: rotation about z by yaw, then about y by pitch, \
             then about x by roll); roll and yaw start within half a turn and continue beyond it";
        AngularVelocity at Velocity: VECTOR in "rad/s", "angular velocity";
        AngularAcceleration at Acceleration: VECTOR in "rad/s2", "angular acceleration";
    }
    Spring {
        Length at Position: SCALAR in Position,
            "length; joint spring or torsion bar: coordinate minus free position; leaf spring: deflection, positive \
             under load; anti-roll bar: difference of the travels; bump stop on a joint: coordinate";
        Speed at Velocity: SCALAR in Speed, "rate of the length";
        Force at Velocity: SCALAR in Effort,
            "force of spring and damper, positive in tension; leaf spring: the force that it carries";
        Pressure at Position: SCALAR in "Pa", "absolute pressure of an air spring";
    }
    Bushing {
        Position at Position: OWN_VECTOR in "m", "deformation along the bushing's own axes";
        Force at Velocity: VECTOR in "N", "force on the second body";
        Torque at Velocity: VECTOR in "N.m", "torque on the second body";
    }
    Constraint {
        Force at Reaction: SCALAR in Effort,
            "rod: tension; coupler, rack and pinion: effort on the last coordinate, or on the coordinate of `joint`; \
             point on line, point in plane: magnitude of the force; curve on a plane or on a curve: \
             normal force";
        TangentialForce at Reaction: SCALAR in "N",
            "curve on curve: friction force that rolling requires, on the second body along the travel of the first \
             curve";
        FrictionAngle at Reaction: SCALAR in "rad",
            "curve on curve: angle of the force from the normal, from 0 to π; friction holds up to atan μ, and beyond \
             π/2 the curves would separate";
        Power at Reaction: SCALAR in "W",
            "coupler, rack and pinion: effort times speed of the same coordinate; the powers of all coordinates sum \
             to 0";
        ReactionForce at Reaction: VECTOR in "N",
            "rod, point on line, point in plane, curve on curve: force on the second body at its point";
        Gap at State: SCALAR in "m", "largest constraint violation";
    }
    Guided {
        Position at Position: SCALAR in Position, "the prescribed coordinate";
        Speed at Velocity: SCALAR in Speed, "its speed";
        Acceleration at Acceleration: SCALAR in Acceleration, "its acceleration";
        Effort at Reaction: SCALAR in Effort, "effort that enforces the motion";
    }
    Drive {
        Effort at Velocity: SCALAR in Effort,
            "gain times value; of a brake: its torque on the coordinate; of a speed control: the sum of its torques";
        Power at Velocity: SCALAR in "W", "effort times speed";
        Gear at Velocity: SCALAR in "1", "gear of a gearbox; a value between two gears during a shift";
    }
    Tyre {
        Force at Velocity: FORCES in "N",
            "force of the road on the tyre, axes of the contact (ISO 8855 W)";
        Torque at Velocity: MOMENTS in "N.m", "moments of the road on the tyre about the contact point";
        Position at Position: VECTOR in "m", "contact point, from the origin of W";
        LongitudinalSlip at Position: SCALAR in "1", "slip κ with its relaxation";
        SlipAngle at Position: SCALAR in "rad", "slip angle α with its relaxation";
        Camber at Position: SCALAR in "rad", "inclination γ of the wheel relative to the road";
        Deflection at Position: SCALAR in "m", "deflection along the road's normal";
        LoadedRadius at Position: SCALAR in "m", "distance from wheel centre to contact point";
    }
    Contact {
        Force at Velocity: VECTOR in "N",
            "force on the body with the points, or on the first solid";
        NormalForce at Velocity: SCALAR in "N",
            "sum of the normal forces of all points or pairs of solids";
        Distance at Position: SCALAR in "m",
            "smallest distance between a sphere and the surface; negative during penetration";
    }
    AerodynamicDrag {
        Force at Velocity: VECTOR in "N", "aerodynamic force";
    }
    Driver {
        PathPosition at State: SCALAR in "m", "position s along the path";
        PathError at Position: SCALAR in "m", "distance of the point from the path, positive to \
                                                                   the left";
        SteeringAngle at State: SCALAR in "rad", "steering wheel angle that the driver applies";
        WantedSpeed at State: SCALAR in "m/s", "target speed for the speed control";
        BrakeDemand at State: SCALAR in "1", "brake demand, 0 to 1";
    }
    FlexibleBody {
        StrainEnergy at Position: SCALAR in "J", "energy of the elastic deformation";
    }
    Section {
        SectionForce at Acceleration: OWN_VECTOR in "N", "N, Vy, Vz in the axes of the section";
        SectionMoment at Acceleration: OWN_VECTOR in "N.m", "T, My, Mz in the axes of the section";
        Stress at Acceleration: SCALAR in "Pa", "normal stress in the `stress_point`, positive in tension";
    }
    Node {
        Displacement at Position: OWN_VECTOR in "m",
            "elastic displacement relative to the floating frame, axes of C";
        RotationAngles at Position: OWN_VECTOR in "rad",
            "small elastic rotations relative to the floating frame, axes of C";
        Position at Position: OWN_VECTOR in "m", "position of the node, from the origin of W";
    }
    Mode {
        Amplitude at Position: SCALAR in "1",
            "amplitude of the mass-normalised mode, in kg^½ m: its energies are ½ speed² and ½ ω² amplitude²";
        AmplitudeSpeed at Velocity: SCALAR in "1", "its speed, in kg^½ m/s";
    }
    System {
        KineticEnergy at Velocity: SCALAR in "J", "kinetic energy";
        PotentialEnergy at Position: SCALAR in "J", "potential energy of gravity and springs";
        DissipatedEnergy at State: SCALAR in "J",
            "energy dissipated by dampers and friction since the start";
        InputWork at State: SCALAR in "J",
            "work of inputs, drives, applied forces and prescribed motions since the start";
        EnergyBalance at Velocity: SCALAR in "J",
            "kinetic + potential + dissipated energy − input work";
        Gap at State: SCALAR in "m", "largest constraint violation of all loops";
        VelocityGap at State: SCALAR in "m/s",
            "largest rate of constraint violation of all loops";
        NearSingular at State: BOOLEAN in "1", "a loop passes a singular position (Boolean)";
        Repartitions at State: INTEGER in "1",
            "changes of the independent coordinates since the start (Integer)";
        LargestGap at State: SCALAR in "m", "maximum over the run so far: `gap` at output points";
        LargestVelocityGap at State: SCALAR in "m/s",
            "maximum over the run so far: `velocity_gap`";
        EnergyChange at State: SCALAR in "J",
            "over the run so far: largest deviation of `energy_balance` from its start value, with its sign";
        EnergyExchanged at State: SCALAR in "J",
            "over the run so far: widest range of kinetic, potential, dissipated energy or input work";
        NearSingularSteps at State: INTEGER in "1",
            "over the run so far: number of steps near a singular position (Integer)";
        HalvedSteps at State: INTEGER in "1",
            "over the run so far: number of halved steps, see `step_halvings` (Integer)";
        Questionable at State: BOOLEAN in "1",
            "over the run so far: a quality limit is exceeded, as in the warnings of `run` and the FMU log (Boolean)";
    }
}
