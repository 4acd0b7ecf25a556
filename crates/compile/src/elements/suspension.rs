//! Elements of suspensions and brakes from their tables.

use super::{Lookup, marker};
use ballesta_model::schema;
use ballesta_solver::force::vehicle::air_spring::Charge;
use ballesta_solver::force::vehicle::damper::Law;
use ballesta_solver::force::vehicle::leaf_spring::axes;
use ballesta_solver::force::vehicle::torsion_bar::stiffness;
use ballesta_solver::force::vehicle::*;
use ballesta_solver::force::{Bristle, Characteristic, Coefficient, JointSpring, Table};
use ballesta_solver::math::Vec3;

/// Builds the joint spring of a validated `[[torsion_bar]]`.
pub fn torsion_bar(bar: &schema::TorsionBar, lookup: &dyn Lookup) -> JointSpring {
    let stiffness = match (&bar.stiffness, &bar.length, &bar.diameter) {
        (Some(stiffness), ..) => lookup.coefficient(stiffness),
        (None, Some(length), Some(diameter)) => {
            let [length, diameter, inner, modulus] =
                [length, diameter, &bar.inner_diameter, &bar.shear_modulus].map(|number| lookup.number(number));
            Coefficient::Value(stiffness(length, diameter, inner, modulus))
        }
        _ => Coefficient::Value(0.0),
    };
    JointSpring {
        name: bar.name.clone(),
        coordinate: lookup.coordinate(&bar.joint, bar.coordinate.as_deref()),
        stiffness: Characteristic::Linear(stiffness),
        damping: Characteristic::Linear(lookup.coefficient(&bar.damping)),
        free_position: lookup.coefficient(&bar.free_angle),
        preload: lookup.coefficient(&bar.preload),
    }
}

fn law(
    damping: &schema::Number,
    degressivity: &schema::Number,
    table: Option<&[[f64; 2]]>,
    lookup: &dyn Lookup,
) -> Law {
    Law {
        damping: Characteristic::new(lookup.coefficient(damping), table),
        degressivity: lookup.coefficient(degressivity),
    }
}

/// Builds the damper of a validated table.
pub fn damper(damper: &schema::Damper, lookup: &dyn Lookup) -> Damper {
    let end = |i: usize| marker(lookup, &damper.bodies[i], &damper.points[i]);
    let law = |damping, degressivity, table: &Option<Vec<[f64; 2]>>| {
        self::law(damping, degressivity, table.as_deref(), lookup)
    };
    Damper {
        name: damper.name.clone(),
        ends: [end(0), end(1)],
        bump: law(&damper.bump_damping, &damper.bump_degressivity, &damper.bump_table),
        rebound: law(&damper.rebound_damping, &damper.rebound_degressivity, &damper.rebound_table),
        gas_force: lookup.coefficient(&damper.gas_force),
        transition: lookup.number(&damper.transition),
        design_length: (lookup.place(&damper.points[1]) - lookup.place(&damper.points[0])).norm(),
    }
}

/// Builds the leaf spring of a validated table.
pub fn leaf_spring(spring: &schema::LeafSpring, lookup: &dyn Lookup) -> LeafSpring {
    let vector = |vector: &Option<schema::Vector>, default: Vec3| {
        vector.as_ref().map_or(default, |v| Vec3::from(v.each_ref().map(|number| lookup.number(number))))
    };
    let seat = |i: usize| marker(lookup, &spring.bodies[i], &spring.point);
    let value = |number| lookup.coefficient(number);
    LeafSpring {
        name: spring.name.clone(),
        seats: [seat(0), seat(1)],
        axes: axes(&vector(&spring.axis, Vec3::z()), &vector(&spring.lateral_axis, Vec3::y())),
        stiffness: Characteristic::new(value(&spring.stiffness), spring.force_table.as_deref()),
        load: value(&spring.load),
        damping: value(&spring.damping),
        helper: [value(&spring.helper_stiffness), value(&spring.helper_deflection)],
        helper_transition: lookup.number(&spring.helper_transition),
        friction: [value(&spring.friction), value(&spring.friction_coefficient)],
        bristle: Bristle::gradual(lookup.number(&spring.friction_travel), lookup.number(&spring.friction_time)),
        side_stiffness: [value(&spring.longitudinal_stiffness), value(&spring.lateral_stiffness)],
        side_damping: [value(&spring.longitudinal_damping), value(&spring.lateral_damping)],
        wind_up: [value(&spring.wind_up_stiffness), value(&spring.wind_up_damping)],
        state: 0,
    }
}

/// Builds the air spring of a validated table.
pub fn air_spring(spring: &schema::AirSpring, lookup: &dyn Lookup) -> AirSpring {
    let end = |i: usize| marker(lookup, &spring.bodies[i], &spring.points[i]);
    let area = match (&spring.area_table, &spring.area) {
        (Some(rows), _) => Table::new(rows),
        (None, Some(area)) => Table::new(&[[0.0, lookup.number(area)]]),
        (None, None) => Table::new(&[]),
    };
    let design = || (lookup.place(&spring.points[1]) - lookup.place(&spring.points[0])).norm();
    let height = spring.height.as_ref().map_or_else(design, |height| lookup.number(height));
    let bellows = spring.volume.as_ref().map_or(area.value(height) * height, |volume| lookup.number(volume));
    let charge = match (&spring.pressure, &spring.force) {
        (Some(pressure), _) => Charge::Pressure(lookup.coefficient(pressure)),
        (None, Some(force)) => Charge::Force(lookup.coefficient(force)),
        (None, None) => Charge::Force(Coefficient::Value(0.0)),
    };
    AirSpring {
        name: spring.name.clone(),
        ends: [end(0), end(1)],
        area,
        height,
        volume: bellows + lookup.number(&spring.reservoir),
        charge,
        exponent: lookup.number(&spring.exponent),
        ambient_pressure: lookup.number(&spring.ambient_pressure),
    }
}

/// Builds the anti-roll bar of a validated table.
pub fn anti_roll_bar(bar: &schema::AntiRollBar, lookup: &dyn Lookup) -> AntiRollBar {
    let axis = bar
        .axis
        .as_ref()
        .map_or(Vec3::z(), |axis| Vec3::from(axis.each_ref().map(|number| lookup.number(number))).normalize());
    let end = |i: usize| marker(lookup, &bar.bodies[1 + i], &bar.points[i]);
    let arm = bar.arm_length.as_ref().map_or(1.0, |arm| lookup.number(arm));
    let stiffness = bar.stiffness.as_ref().or(bar.torsional_stiffness.as_ref());
    AntiRollBar {
        name: bar.name.clone(),
        frame: lookup.body(&bar.bodies[0]),
        ends: [end(0), end(1)],
        axis,
        design: axis.dot(&(lookup.place(&bar.points[0]) - lookup.place(&bar.points[1]))),
        stiffness: stiffness.map_or(Coefficient::Value(0.0), |number| lookup.coefficient(number)),
        arm_squared: if bar.stiffness.is_some() { 1.0 } else { arm * arm },
        damping: lookup.coefficient(&bar.damping),
    }
}

/// Builds the brake of a validated table.
pub fn brake(brake: &schema::Brake, lookup: &dyn Lookup) -> Brake {
    Brake {
        name: brake.name.clone(),
        coordinate: lookup.coordinate(&brake.joint, brake.coordinate.as_deref()),
        torque: lookup.coefficient(&brake.torque),
        gain: lookup.coefficient(&brake.gain),
        bristle: Bristle::sharp(lookup.number(&brake.presliding), lookup.number(&brake.time)),
        state: 0,
    }
}

/// Builds the drag of a validated table.
pub fn aerodynamic_drag(drag: &schema::AerodynamicDrag, lookup: &dyn Lookup) -> AerodynamicDrag {
    let axis = drag
        .lift_axis
        .as_ref()
        .map_or(Vec3::z(), |axis| Vec3::from(axis.each_ref().map(|number| lookup.number(number))).normalize());
    AerodynamicDrag {
        name: drag.name.clone(),
        point: marker(lookup, &drag.body, &drag.point),
        drag_area: lookup.coefficient(&drag.drag_area),
        lift_area: lookup.coefficient(&drag.lift_area),
        lift_axis: axis,
        density: lookup.coefficient(&drag.density),
        wind: drag.wind.each_ref().map(|signal| lookup.coefficient(signal)),
    }
}
