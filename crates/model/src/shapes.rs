//! Shapes in the design position, and the triangles of their meshes.
//!
//! Only the command line, which draws meshes, reads them: the library of an FMU draws nothing, and a model file in an
//! FMU names files that are not in the FMU.

use super::schema::{Model, Shape, ShapeKind};
use ballesta_solver::math::{Mat3, Vec3};

/// Triangles of a file, in its units and axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Corners.
    pub corners: Vec<[f64; 3]>,
    /// Three corners each, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// The kind of a shape, with its sizes in m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    /// Lengths of its edges.
    Box([f64; 3]),
    /// Along z.
    Cylinder {
        /// Radius.
        radius: f64,
        /// Length.
        length: f64,
    },
    /// A sphere.
    Sphere {
        /// Radius.
        radius: f64,
    },
    /// Along z.
    Capsule {
        /// Radius.
        radius: f64,
        /// Distance of the centres of its half spheres.
        length: f64,
    },
    /// The mesh of the shape times these factors per axis.
    Mesh([f64; 3]),
}

/// A shape in the design position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlacedShape {
    /// Its centre, for a mesh the origin of its file, in W, m.
    pub at: Vec3,
    /// Its axes x, y, z in W as columns, right-handed and of unit length.
    pub axes: Mat3,
    /// The kind of shape.
    pub form: Form,
}

impl Model {
    /// Placement of a valid shape, with `values` for the parameters.
    pub fn placed_shape(&self, shape: &Shape, values: &[f64]) -> PlacedShape {
        let number =
            |number: &Option<_>, usual: f64| number.as_ref().map_or(usual, |number| self.resolve(number, values));
        let place = |place: &_| self.resolve_place(place, values);
        let direction =
            |axis: &Option<_>, usual: Vec3| axis.as_ref().map_or(usual, |axis| self.resolve_vector(axis, values));
        // Centre, axis and length, or the two end points of a long shape.
        let mut at = shape.point.as_ref().map_or_else(Vec3::zeros, place);
        let mut axis = direction(&shape.axis, Vec3::z());
        let mut length = number(&shape.length, 0.0);
        if let Some(points) = &shape.points {
            let [a, b] = points.each_ref().map(place);
            (at, axis, length) = (0.5 * (a + b), b - a, (b - a).norm());
        }
        let radius = number(&shape.radius, 0.0);
        // Dimensions and axes of each kind; a mirrored mesh has a negative scale in z.
        let (form, axes) = match shape.kind {
            ShapeKind::Box => {
                let size =
                    shape.size.as_ref().map_or([0.0; 3], |size| size.each_ref().map(|x| self.resolve(x, values)));
                (Form::Box(size), frame(direction(&shape.x_axis, Vec3::x()), direction(&shape.y_axis, Vec3::y())))
            }
            ShapeKind::Mesh => {
                let scale = number(&shape.scale, 1.0);
                let factors = [scale, scale, if shape.mirrored { -scale } else { scale }];
                (Form::Mesh(factors), frame(direction(&shape.x_axis, Vec3::x()), direction(&shape.y_axis, Vec3::y())))
            }
            ShapeKind::Sphere => (Form::Sphere { radius }, Mat3::identity()),
            ShapeKind::Cylinder => (Form::Cylinder { radius, length }, along(axis)),
            ShapeKind::Capsule => (Form::Capsule { radius, length }, along(axis)),
        };
        PlacedShape { at, axes, form }
    }
}

/// The right-handed frame with x along `x` and y along the component of `y` perpendicular to it.
fn frame(x: Vec3, y: Vec3) -> Mat3 {
    let x = x.normalize();
    let y = (y - x * x.dot(&y)).normalize();
    Mat3::from_columns(&[x, y, x.cross(&y)])
}

/// A right-handed frame with z along `axis`.
fn along(axis: Vec3) -> Mat3 {
    let z = axis.normalize();
    let helper = if z.x.abs() < 0.9 { Vec3::x() } else { Vec3::y() };
    let y = z.cross(&helper).normalize();
    Mat3::from_columns(&[y.cross(&z), y, z])
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPES: &str = "
        [model]
        name = 'shapes'
        [points]
        A = [1, 2, 3]
        B = [1, 2, 5]
        [[shape]]
        body = 'ground'
        type = 'capsule'
        points = ['A', 'B']
        radius = 'r'
        [[shape]]
        body = 'ground'
        type = 'box'
        point = 'A'
        size = [1, 2, 3]
        x_axis = [0, 2, 0]
        y_axis = [0, 1, 1]
        colour = '#ff8000'
        [[shape]]
        body = 'ground'
        type = 'mesh'
        file = 'part.stl'
        scale = 0.001
        mirrored = true
        [[parameter]]
        name = 'r'
        value = 0.25
    ";

    #[test]
    fn shapes_stand_where_their_points_and_axes_say() {
        let document = crate::parse(SHAPES, "shapes.toml").unwrap_or_else(|errors| panic!("{errors}"));
        let model = &document.model;
        let placed = |index: usize| model.placed_shape(&model.shapes[index], &[0.25]);
        let capsule = placed(0);
        assert_eq!((capsule.at, capsule.form), (Vec3::new(1.0, 2.0, 4.0), Form::Capsule { radius: 0.25, length: 2.0 }));
        assert!((capsule.axes.column(2) - Vec3::z()).norm() < 1e-15);
        let block = placed(1);
        assert_eq!(block.form, Form::Box([1.0, 2.0, 3.0]));
        let expected = Mat3::from_columns(&[Vec3::y(), Vec3::z(), Vec3::x()]);
        assert!((block.axes - expected).norm() < 1e-15, "{}", block.axes);
        assert_eq!(model.shapes[1].rgb(), Some([1.0, 128.0 / 255.0, 0.0]));
        let mesh = placed(2);
        assert_eq!((mesh.at, mesh.form), (Vec3::zeros(), Form::Mesh([1e-3, 1e-3, -1e-3])));
        for shape in [capsule, block, mesh] {
            assert!((shape.axes.determinant() - 1.0).abs() < 1e-14);
        }
    }
}
