//! Classic problems of contact: a spinning top on a ball beside its steady precession, Painlevé's rod beside its
//! equations in the plane.

use crate::verification::support::{Run, parse};
use ballesta::math::Vec3;

/// A top of 0.1 kg that spins on a ball at its lower end.
struct Top {
    /// Radius of the ball, m.
    radius: f64,
    /// From the middle of the ball to the centre of mass, m.
    length: f64,
    /// About an axis across and along the top, through its centre of mass, kg m².
    inertia: [f64; 2],
    /// Of its axis against the vertical, rad.
    tilt: f64,
    /// Along its axis, rad/s.
    spin: f64,
}

const MASS: f64 = 0.1;
const GRAVITY: f64 = 9.81;
const STIFFNESS: f64 = 1e4;

impl Top {
    /// How far its weight presses the ball in, m.
    fn depth(&self) -> f64 {
        MASS * GRAVITY / STIFFNESS
    }

    /// From the middle of the ball to where the ground acts, halfway into the depth, m.
    fn arm(&self) -> f64 {
        self.radius - 0.5 * self.depth()
    }

    /// Speed of the centre of mass along its circle when the axis turns about the vertical at `rate`, the ball rolling.
    fn speed(&self, rate: f64) -> f64 {
        let own = self.spin - rate * self.tilt.cos();
        (rate * self.length - own * self.arm()) * self.tilt.sin()
    }

    /// Rate of the angular momentum less the moment about the centre of mass, across the plane of the tilt, N m: 0 in a
    /// steady precession.
    fn excess(&self, rate: f64) -> f64 {
        let (sin, cos) = self.tilt.sin_cos();
        let friction = -MASS * self.speed(rate) * rate;
        let moment = self.length * (MASS * GRAVITY * sin - friction * cos) - self.arm() * friction;
        rate * sin * (self.inertia[1] * self.spin - self.inertia[0] * rate * cos) - moment
    }

    /// Rate of the slow steady precession, between 1 and 5 rad/s.
    fn precession(&self) -> f64 {
        let (mut low, mut high) = (1.0, 5.0);
        assert!(self.excess(low) < 0.0 && self.excess(high) > 0.0);
        for _ in 0..80 {
            let middle = 0.5 * (low + high);
            if self.excess(middle) < 0.0 { low = middle } else { high = middle }
        }
        low
    }

    /// The model that starts with that motion, its axis in the xz plane.
    fn model(&self, rate: f64) -> String {
        let (sin, cos) = self.tilt.sin_cos();
        let axis = Vec3::new(sin, 0.0, cos);
        let ball = Vec3::new(0.0, 0.0, self.radius - self.depth());
        let com = ball + axis * self.length;
        let turn = Vec3::z() * rate + axis * (self.spin - rate * cos);
        let [across, along] = self.inertia;
        let inertia = |i: usize, j: usize| {
            let one = if i == j { across } else { 0.0 };
            one + (along - across) * axis[i] * axis[j]
        };
        format!(
            r#"
            [model]
            name = "top"
            gravity = [0, 0, {}]
            step = 1e-4
            [[body]]
            name = "top"
            mass = {MASS}
            com = {com:?}
            inertia = {:?}
            [[joint]]
            name = "free"
            type = "floating"
            bodies = ["ground", "top"]
            point = {com:?}
            speed = {:?}
            [[contact]]
            name = "ball"
            bodies = ["ground", "top"]
            points = [{ball:?}]
            radius = {}
            surface = "plane"
            point = [0, 0, 0]
            stiffness = {STIFFNESS}
            restitution = 0.5
            friction = 0.5
            [[output]]
            name = "com"
            body = "top"
            quantity = "position"
            [[output]]
            name = "ball"
            body = "top"
            point = {ball:?}
            quantity = "position"
            [[output]]
            name = "balance"
            quantity = "energy_balance"
            "#,
            -GRAVITY,
            [inertia(0, 0), inertia(1, 1), inertia(2, 2), inertia(0, 1), inertia(1, 2), inertia(0, 2)],
            [0.0, self.speed(rate), 0.0, turn.x, turn.y, turn.z],
            self.radius,
            com = com.as_slice(),
            ball = ball.as_slice(),
        )
    }
}

#[test]
fn a_top_on_its_ball_or_its_tip_precesses_steadily() {
    // The spring of the friction starts without its deflection: the ball nutates a little.
    for (radius, near) in [(0.0, 3e-5), (2e-3, 3e-4)] {
        let top = Top { radius, length: 0.04, inertia: [3e-5, 5e-5], tilt: 0.4, spin: 300.0 };
        let rate = top.precession();
        let mut run = Run::new(&parse(&top.model(rate)));
        let before = run.get("balance");
        let height = top.length * top.tilt.cos();
        for _ in 0..20 {
            run.advance(0.1);
            let [x, y, z] = ["x", "y", "z"].map(|k| run.get(&format!("com.{k}")) - run.get(&format!("ball.{k}")));
            // Turned back by the precession, the axis stands where it was.
            let angle = y.atan2(x) - rate * run.time();
            let angle = angle - (angle / std::f64::consts::TAU).round() * std::f64::consts::TAU;
            assert!(angle.abs() < near && (z - height).abs() < 3e-6, "{radius}: {angle:e}, {:e}", z - height);
        }
        assert!((run.get("balance") - before).abs() < 1e-7, "{:e}", run.get("balance") - before);
    }
}

/// A slender rod of 1 kg and 1 m whose lower end slides on the ground: in the plane, with the equations written out.
struct Rod {
    friction: f64,
    /// Of the normal force, s/m.
    loss: f64,
}

const HALF: f64 = 0.5;
const TILT: f64 = std::f64::consts::FRAC_PI_3;
const SLIDES: f64 = -5.0;
const MAX_PENETRATION: f64 = 1e-5;
const K: f64 = 1e5;
const TIME: f64 = 0.005;
const RESTITUTION: f64 = 0.5;

/// The loss of a mass that comes at 1 m/s, from the equation in the reference, s/m.
fn loss() -> f64 {
    let (mut low, mut high) = (0.1, 1.0 / RESTITUTION);
    for _ in 0..100 {
        let d = 0.5 * (low + high);
        if ((1.0 + d) / (1.0 - RESTITUTION * d)).ln() < d * (1.0 + RESTITUTION) { low = d } else { high = d }
    }
    low
}

impl Rod {
    /// Rates of x, z and angle of the centre, of their speeds, and of the deflection of the ground's spring along
    /// itself; and the normal force.
    fn rates(&self, state: &[f64; 7]) -> ([f64; 7], f64) {
        let [_, z, angle, vx, vz, turn, bent] = *state;
        let (sin, cos) = angle.sin_cos();
        let depth = HALF * sin - z;
        // The ground acts halfway into the depth.
        let arm = [-HALF * cos, -HALF * sin + 0.5 * depth];
        let v = [vx - turn * arm[1], vz + turn * arm[0]];
        let push = if depth > 0.0 { (K * depth * (1.0 - self.loss * v[1])).max(0.0) } else { 0.0 };
        let (limit, damping) = (self.friction * push, K * TIME);
        let stuck = K * bent + damping * v[0];
        let held = stuck.clamp(-limit, limit);
        let rate = match limit > 0.0 {
            true if stuck == held => v[0],
            true => (held - K * bent) / damping,
            false => -bent / TIME,
        };
        let force = [-held, push];
        let moment = arm[0] * force[1] - arm[1] * force[0];
        ([vx, vz, turn, force[0], force[1] - GRAVITY, moment / (HALF * HALF / 3.0), rate], push)
    }

    /// The motion until `end`, by steps of 1 us: the state and the largest normal force.
    fn motion(&self, end: f64) -> ([f64; 7], f64) {
        let mut state = [HALF * TILT.cos(), HALF * TILT.sin() - MAX_PENETRATION, TILT, SLIDES, 0.0, 0.0, 0.0];
        let (h, mut largest) = (1e-6, 0.0_f64);
        for _ in 0..(end / h).round() as usize {
            let next = |rates: &[f64; 7], by: f64| std::array::from_fn(|k| state[k] + by * rates[k]);
            let (a, push) = self.rates(&state);
            let b = self.rates(&next(&a, 0.5 * h)).0;
            let c = self.rates(&next(&b, 0.5 * h)).0;
            let d = self.rates(&next(&c, h)).0;
            largest = largest.max(push);
            state = std::array::from_fn(|k| state[k] + h / 6.0 * (a[k] + 2.0 * (b[k] + c[k]) + d[k]));
        }
        (state, largest)
    }

    fn model(&self) -> String {
        let (x, z) = (HALF * TILT.cos(), HALF * TILT.sin() - MAX_PENETRATION);
        format!(
            r#"
            [model]
            name = "rod"
            gravity = [0, 0, {}]
            step = 1e-5
            [[body]]
            name = "rod"
            mass = 1
            com = [{x}, 0, {z}]
            inertia = [0.1, {inertia}, 0.1, 0, 0, 0]
            [[joint]]
            name = "plane"
            type = "planar"
            bodies = ["ground", "rod"]
            point = [{x}, 0, {z}]
            axis = [0, 1, 0]
            second_axis = [1, 0, 0]
            speed = [{SLIDES}, 0, 0]
            [[contact]]
            name = "end"
            bodies = ["ground", "rod"]
            points = [[0, 0, {}]]
            surface = "plane"
            point = [0, 0, 0]
            stiffness = {K}
            restitution = {RESTITUTION}
            friction = {}
            time = {TIME}
            [[output]]
            name = "com"
            body = "rod"
            quantity = "position"
            [[output]]
            name = "v"
            body = "rod"
            quantity = "velocity"
            [[output]]
            name = "turn"
            body = "rod"
            quantity = "angular_velocity"
            component = "y"
            "#,
            -GRAVITY,
            -MAX_PENETRATION,
            self.friction,
            inertia = HALF * HALF / 3.0
        )
    }
}

#[test]
fn a_rod_that_jams_as_painleve_describes_moves_as_its_equations_say() {
    // Below 1.40 the ground pushes the end away at this angle; above it, the more it pushes the deeper the end goes.
    for (friction, end, jams) in [(0.5, 0.1, false), (1.6, 0.1, true)] {
        let rod = Rod { friction, loss: loss() };
        let (state, largest) = rod.motion(end);
        let mut run = Run::new(&parse(&rod.model()));
        run.advance(end);
        let found = [run.get("com.x"), run.get("com.z"), run.get("v.x"), run.get("v.z"), -run.get("turn")];
        let wanted = [state[0], state[1], state[3], state[4], state[5]];
        println!("friction {friction}: {found:?}, {wanted:?}, {largest} N");
        for (found, wanted) in found.iter().zip(wanted) {
            assert!((found - wanted).abs() < 1e-5, "{friction}: {found} {wanted}");
        }
        assert_eq!(largest > 20.0 * GRAVITY, jams, "{largest} N");
    }
}
