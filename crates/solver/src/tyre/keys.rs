//! Supported keys of tyre files: one table for the reader, the laws and the documentation.
//!
//! A coefficient keeps its published name, in lower case as a field. Coefficients of the Magic Formula are numbers
//! without unit, or refer to radians: by convention they are never converted, whatever `[UNITS]` says.

use alloc::string::String;

/// Physical dimension of a key, converted by the file's `[UNITS]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// A number, never converted.
    One,
    /// m.
    Length,
    /// N.
    Force,
    /// rad.
    Angle,
    /// kg.
    Mass,
    /// m/s.
    Speed,
    /// N/m.
    Stiffness,
    /// N s/m.
    Damping,
    /// Pa.
    Pressure,
}

impl Dimension {
    /// SI unit for tables.
    pub fn unit(self) -> &'static str {
        match self {
            Dimension::One => "1",
            Dimension::Length => "m",
            Dimension::Force => "N",
            Dimension::Angle => "rad",
            Dimension::Mass => "kg",
            Dimension::Speed => "m/s",
            Dimension::Stiffness => "N/m",
            Dimension::Damping => "N s/m",
            Dimension::Pressure => "Pa",
        }
    }
}

/// The value of a key that is missing in a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MissingKey {
    /// The key is required.
    Required,
    /// This number (SI).
    Number(f64),
    /// Zero in [`Coefficients`], replaced as described by the text.
    Derived(&'static str),
}

/// Keys with a common dimension, default and meaning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// Heading of the table in the documentation.
    pub section: &'static str,
    /// Names of the keys, in lower case.
    pub keys: &'static [&'static str],
    /// Dimension.
    pub dimension: Dimension,
    /// The value when the key is missing.
    pub default: MissingKey,
    /// Its meaning.
    pub meaning: &'static str,
}

/// Other spellings: (in files, key of the table).
pub const ALIASES: &[(&str, &str)] = &[
    ("ip", "inflpres"),
    ("ip_nom", "nompres"),
    ("qfcx1", "q_fcx"),
    ("qfcy1", "q_fcy"),
    ("qpfz1", "pfz1"),
    ("lfz0", "lfzo"),
    ("bottoming_stiffness", "bottom_stiff"),
    ("pa1", "q_ra1"),
    ("pa2", "q_ra2"),
    ("pls", "ellips_shift"),
    ("pce", "ellips_order"),
];

/// Letters of a key without underscores, in upper case: `Q_V1` and `QV1` are the same key.
#[expect(clippy::disallowed_methods, reason = "reads a tyre file, before the first step")]
pub fn normal(key: &str) -> String {
    key.chars().filter(|c| *c != '_').flat_map(char::to_uppercase).collect()
}

macro_rules! keys {
    ($($section:literal { $([$($field:ident)+] $dimension:ident $default:expr => $meaning:literal;)+ })+) => {
        /// Every number used from a tyre file, in SI units, under its published name.
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[expect(missing_docs, reason = "the meaning of each field is in ROWS")]
        #[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
        pub struct Coefficients { $($($(pub $field: f64,)+)+)+ }

        /// The table of keys.
        pub const ROWS: &[Row] = &[$($(Row {
            section: $section,
            keys: &[$(stringify!($field)),+],
            dimension: Dimension::$dimension,
            default: { use MissingKey::*; $default },
            meaning: $meaning,
        },)+)+];

        impl Coefficients {
            /// The defaults; zero for required keys.
            pub fn defaults() -> Self {
                use MissingKey::*;
                let number = |default: MissingKey| if let Number(value) = default { value } else { 0.0 };
                Coefficients { $($($($field: number($default),)+)+)+ }
            }

            /// The field of a key of [`ROWS`].
            pub fn field_mut(&mut self, key: &str) -> Option<&mut f64> {
                match key {
                    $($($(stringify!($field) => Some(&mut self.$field),)+)+)+
                    _ => None,
                }
            }
        }
    };
}

keys! {
    "Model and dimensions" {
        [longvl] Speed Number(16.7) => "reference speed V0";
        [vxlow] Speed Number(1.0) => "speed below which offsets fade (`Law::rolling`)";
        [unloaded_radius] Length Required => "free radius R0";
        [rim_radius] Length Number(0.0) => "rim radius, for bottoming with `BOTTOM_OFFST`";
        [width rim_width] Length Number(0.0) => "section and rim width, not used by the laws";
        [aspect_ratio] One Number(0.0) => "aspect ratio, not used by the laws";
        [mass] Mass Number(0.0) => "mass of the tyre, not used by the laws";
    }
    "Operating conditions" {
        [inflpres] Pressure Derived("`NOMPRES`") => "inflation pressure";
        [nompres] Pressure Derived("`INFLPRES`; without both, pressure has no effect") => "nominal pressure of the \
            coefficients";
    }
    "Ranges" {
        [kpumin] One Number(-10.0) => "smallest longitudinal slip";
        [kpumax] One Number(10.0) => "largest longitudinal slip";
        [alpmin] Angle Number(-1.5) => "smallest slip angle";
        [alpmax] Angle Number(1.5) => "largest slip angle";
        [cammin] Angle Number(-1.0) => "smallest inclination angle";
        [cammax] Angle Number(1.0) => "largest inclination angle";
        [fzmin] Force Number(0.0) => "smallest load; below it, and below `FNOMIN`/1000, forces decrease in proportion";
        [fzmax] Force Derived("3 `FNOMIN`") => "largest load; above it forces increase in proportion";
        [presmin presmax] Pressure Derived("no bound") => "range of the pressure";
    }
    "Vertical" {
        [fnomin] Force Required => "nominal load Fz0";
        [vertical_stiffness] Stiffness Derived("slope of the curve or of `Q_FZ1`, `Q_FZ2` at `FNOMIN`; one of them is \
            required") => "stiffness at the nominal load";
        [vertical_damping] Damping Number(0.0) => "damping";
        [breff] One Number(8.4) => "effective rolling radius: low-load stiffness";
        [dreff] One Number(0.27) => "effective rolling radius: peak value";
        [freff] One Number(0.045) => "effective rolling radius: high-load stiffness";
        [q_re0] One Number(1.0) => "ratio of the free radius to `UNLOADED_RADIUS`";
        [q_v1] One Number(0.0) => "growth of the radius with speed";
        [q_v2] One Number(0.0) => "stiffening with speed";
        [q_fz1] One Derived("from `VERTICAL_STIFFNESS`") => "linear term of the load";
        [q_fz2 q_fz3] One Number(0.0) => "quadratic term of the load, influence of camber";
        [q_fcx q_fcy] One Number(0.0) => "influence of Fx and Fy on the stiffness";
        [pfz1] One Number(0.0) => "influence of the pressure on the stiffness";
        [bottoming_radius] Length Number(0.0) => "radius at which `[BOTTOMING_CURVE]` begins; 0: no curve";
        [bottom_offst] Length Number(0.0) => "distance to the rim at which `BOTTOM_STIFF` begins";
        [bottom_stiff] Stiffness Number(0.0) => "stiffness of the rim on the road; 0: no rim contact";
    }
    "Carcass (MF 6.1)" {
        [longitudinal_stiffness lateral_stiffness] Stiffness Derived("`PTX1`..., `PTY1`... (MF 5.2)") => "carcass \
            stiffnesses, for the relaxation lengths";
        [pcfx1 pcfx2 pcfx3] One Number(0.0) => "longitudinal stiffness: load, load squared, pressure";
        [pcfy1 pcfy2 pcfy3] One Number(0.0) => "lateral stiffness: load, load squared, pressure";
    }
    "Scaling" {
        [lfzo lcx lmux lex lkx lhx lvx lcy lmuy ley lky lhy lvy] One Number(1.0) => "nominal load; shape, friction, \
            curvature, stiffness and shifts of Fx and Fy";
        [lgax lgay lgaz] One Number(1.0) => "camber in Fx, Fy, Mz (MF 5.2)";
        [lkyc lkzc] One Number(1.0) => "camber stiffness of Fy and Mz (MF 6.1)";
        [ltr lres] One Number(1.0) => "pneumatic trail, residual torque";
        [lxal lyka lvyka ls] One Number(1.0) => "combined slip: weights of Fx and Fy, ply-steer, arm of Fx";
        [lsgkp lsgal] One Number(1.0) => "relaxation lengths";
        [lmx lvmx lmy] One Number(1.0) => "overturning couple, its offset, rolling resistance";
        [lmp] One Number(1.0) => "parking torque (turn slip)";
    }
    "Longitudinal force" {
        [pcx1] One Required => "shape factor";
        [pdx1] One Required => "friction at the nominal load";
        [pkx1] One Required => "slip stiffness over load, at the nominal load";
        [pdx2 pdx3] One Number(0.0) => "friction: load, camber squared";
        [pex1 pex2 pex3 pex4] One Number(0.0) => "curvature: constant, load, load squared, sign of slip";
        [pkx2 pkx3] One Number(0.0) => "stiffness: load, exponent of load";
        [phx1 phx2 pvx1 pvx2] One Number(0.0) => "shifts: horizontal, vertical, each with load";
        [ppx1 ppx2 ppx3 ppx4] One Number(0.0) => "pressure: stiffness and friction, linear and quadratic (MF 6.1)";
        [rbx1 rbx2 rbx3 rcx1 rex1 rex2 rhx1] One Number(0.0) => "weight of slip angle; zero: no effect";
        [ptx1 ptx2 ptx3] One Number(0.0) => "relaxation length (MF 5.2); zero: no relaxation";
    }
    "Lateral force" {
        [pcy1] One Required => "shape factor";
        [pdy1] One Required => "friction at the nominal load";
        [pky1] One Required => "largest cornering stiffness over nominal load, negative";
        [pky2] One Required => "load of the largest cornering stiffness over nominal load";
        [pdy2 pdy3] One Number(0.0) => "friction: load, camber squared";
        [pey1 pey2 pey3 pey4 pey5] One Number(0.0) => "curvature: constant, load, sign of slip angle, camber with \
            sign, camber squared";
        [pky3] One Number(0.0) => "stiffness: camber";
        [pky4] One Number(2.0) => "stiffness: curvature (MF 6.1; MF 5.2 has 2)";
        [pky5 pky6 pky7] One Number(0.0) => "stiffness: camber squared; camber stiffness, its load (MF 6.1)";
        [phy1 phy2 phy3] One Number(0.0) => "horizontal shift: constant, load, camber (`PHY3`: MF 5.2)";
        [pvy1 pvy2 pvy3 pvy4] One Number(0.0) => "vertical shift: constant, load, camber, camber with load";
        [ppy1 ppy2 ppy3 ppy4 ppy5] One Number(0.0) => "pressure: stiffness and its load, friction linear and \
            quadratic, camber stiffness (MF 6.1)";
        [rby1 rby2 rby3 rby4 rcy1 rey1 rey2 rhy1 rhy2] One Number(0.0) => "weight of longitudinal slip; zero: no \
                                                                           effect";
        [rvy1 rvy2 rvy3 rvy4 rvy5 rvy6] One Number(0.0) => "ply-steer by longitudinal slip";
        [pty1 pty2] One Number(0.0) => "relaxation length (MF 5.2); zero: no relaxation";
    }
    "Turn slip" {
        [pecp1] One Number(0.5) => "part of the camber that is not treated as spin";
        [pecp2] One Number(0.0) => "part of the camber that is not treated as spin: load";
        [pdxp1] One Number(0.4) => "peak of Fx: spin";
        [pdxp2 pdxp3] One Number(0.0) => "peak of Fx: load, slip";
        [pkyp1] One Number(1.0) => "cornering stiffness: spin";
        [pdyp1] One Number(0.4) => "peak of Fy: spin";
        [pdyp2 pdyp3 pdyp4] One Number(0.0) => "peak of Fy: load, slip angle, root of spin";
        [phyp1] One Number(1.0) => "lateral shift by spin: shape";
        [phyp2] One Number(0.15) => "lateral shift by spin: peak";
        [phyp3] One Number(0.0) => "lateral shift by spin: load";
        [phyp4] One Number(-4.0) => "lateral shift by spin: curvature";
        [qdtp1] One Number(10.0) => "trail: spin";
        [qcrp1] One Number(0.2) => "parking torque: turning on the spot";
        [qcrp2] One Number(0.1) => "spin torque at a slip angle of 90°";
        [qbrp1] One Number(0.1) => "slope of the residual torque: spin";
        [qdrp1] One Number(1.0) => "spin torque: shape";
        [qdrp2] One Number(0.0) => "spin torque: curvature";
    }
    "Contact patch" {
        [q_ra1] One Number(0.5) => "half length: root of the load";
        [q_ra2] One Number(1.0) => "half length: load";
        [ellips_shift] One Number(0.8) => "distance of the two cams as a fraction of the contact length at `FNOMIN` \
                                           (enveloping)";
        [ellips_length ellips_height] One Number(1.0) => "half length and half height of a cam over R0";
        [pae pbe] Length Derived("`ELLIPS_LENGTH` R0, `ELLIPS_HEIGHT` R0") => "half length and half height of a cam";
        [ellips_order] One Number(1.8) => "exponent of a cam";
        [ellips_max_step] Length Number(0.05) => "height of a cam above its lowest point up to which it can touch";
    }
    "Overturning couple" {
        [qsx1 qsx2 qsx3] One Number(0.0) => "offset, camber, lateral force";
        [qsx4 qsx5 qsx6 qsx7 qsx8 qsx9 qsx10 qsx11 qsx12 qsx13 qsx14] One Number(0.0) => "further terms (MF 6.1)";
        [ppmx1] One Number(0.0) => "influence of pressure on `QSX2` (MF 6.1)";
    }
    "Rolling resistance" {
        [qsy1 qsy2 qsy3 qsy4] One Number(0.0) => "constant, Fx, speed, speed to the fourth";
        [qsy5 qsy6] One Number(0.0) => "camber squared, with load (MF 6.1)";
        [qsy7] One Number(1.0) => "exponent of the load (MF 6.1; MF 5.2 has 1)";
        [qsy8] One Number(0.0) => "exponent of the pressure (MF 6.1)";
    }
    "Aligning moment" {
        [qbz1 qbz2 qbz3 qbz4 qbz5 qbz9 qbz10] One Number(0.0) => "slope factors of trail and residual torque";
        [qcz1] One Number(0.0) => "shape factor of the trail";
        [qdz1 qdz2 qdz3 qdz4] One Number(0.0) => "trail: constant, load, camber, camber squared";
        [qdz6 qdz7 qdz8 qdz9 qdz10 qdz11] One Number(0.0) => "residual torque: constant, load, camber, camber with \
                                                              load, camber times its magnitude, camber times its \
                                                              magnitude with load";
        [qez1 qez2 qez3 qez4 qez5] One Number(0.0) => "curvature of the trail";
        [qhz1 qhz2 qhz3 qhz4] One Number(0.0) => "shift of the trail";
        [ssz1 ssz2 ssz3 ssz4] One Number(0.0) => "arm of Fx";
        [ppz1 ppz2] One Number(0.0) => "pressure: trail, camber torque (MF 6.1)";
    }
}
