"""Kinematics of a wheel on a fixed chassis, by the distances of its hardpoints: written apart from the program.

The carrier is a rigid body; what holds it are rods (two points at a constant distance), arms (a point on a circle about a hinge)
and struts (a line of the carrier through a point of the chassis). A pose is found by Newton's method, and how it changes with the
height of the wheel, from the motions that all constraints leave. Lengths in m, angles in rad, axes of ISO 8855, a left wheel.
"""

import numpy as np

X, Y, Z = np.eye(3)


def rotation(r):
    """Matrix of the rotation vector r, by Rodrigues' formula."""
    angle = np.linalg.norm(r)
    k = np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])
    if angle < 1e-9:
        return np.eye(3) + k
    return np.eye(3) + np.sin(angle) / angle * k + (1 - np.cos(angle)) / angle**2 * k @ k


def across(axis):
    """Two unit vectors normal to a direction and to each other."""
    first = np.cross(axis, X if abs(axis[0]) < 0.9 * np.linalg.norm(axis) else Y)
    first /= np.linalg.norm(first)
    return first, np.cross(axis, first) / np.linalg.norm(axis)


class Rod:
    """From a point of the chassis, which may have moved by `shift`, to one of the carrier."""

    def __init__(self, inner, outer, shift=0):
        self.inner, self.outer, self.length = inner + shift, outer, np.linalg.norm(outer - inner)

    def errors(self, place):
        return [np.linalg.norm(place(self.outer) - self.inner) - self.length]

    def directions(self, place):
        outer = place(self.outer)
        return [(outer, outer - self.inner)]


class Arm:
    """A ball joint of the carrier on an arm that turns about a hinge of the chassis."""

    def __init__(self, bush, axis, ball):
        self.bush, self.axis, self.ball = bush, axis / np.linalg.norm(axis), ball

    def errors(self, place):
        before, now = self.ball - self.bush, place(self.ball) - self.bush
        return [np.linalg.norm(now) - np.linalg.norm(before), self.axis @ (now - before)]

    def directions(self, place):
        ball = place(self.ball)
        return [(ball, ball - self.bush), (ball, self.axis)]


class Strut:
    """A line of the carrier that goes through a point of the chassis."""

    def __init__(self, top, axis):
        self.top, self.axis = top, axis

    def errors(self, place):
        return [(self.top - place(self.top)) @ place.turn(side) for side in across(self.axis)]

    def directions(self, place):
        return [(self.top, place.turn(side)) for side in across(self.axis)]


class Place:
    """Where the carrier is: `place(p)` is where its point p of the design position is now."""

    def __init__(self, pose, centre):
        self.matrix, self.shift, self.centre = rotation(pose[3:]), pose[:3], centre

    def __call__(self, point):
        return self.centre + self.shift + self.matrix @ (point - self.centre)

    def turn(self, direction):
        return self.matrix @ direction


class Corner:
    """A left wheel: constraints, centre, radius, 1 in front or -1 behind, direction of the spin axis to the left."""

    def __init__(self, constraints, centre, radius, end, spin=Y):
        self.constraints, self.centre, self.radius, self.end = constraints, centre, radius, end
        self.spin = spin / np.linalg.norm(spin)

    def at(self, height):
        """The carrier with the wheel's centre at this height above the design position."""
        pose = np.zeros(6)

        def errors(pose):
            place = Place(pose, self.centre)
            found = [error for constraint in self.constraints for error in constraint.errors(place)]
            return np.array([*found, pose[2] - height])

        for _ in range(30):
            error = errors(pose)
            if np.abs(error).max() < 1e-15:
                break
            h = 1e-6
            slopes = [(errors(pose + h * e) - errors(pose - h * e)) / (2 * h) for e in np.eye(6)]
            pose = pose - np.linalg.solve(np.transpose(slopes), error)
        assert np.abs(errors(pose)).max() < 1e-13
        return Place(pose, self.centre)

    def motion(self, place):
        """The velocity of the carrier's point at the origin and its angular velocity, which the constraints leave."""
        rows = [np.r_[n, np.cross(p, n)] for c in self.constraints for p, n in c.directions(place)]
        values, base = np.linalg.svd(np.array(rows))[1:]
        assert len(rows) == 5 and values[-1] > 1e-6
        return base[-1][:3], base[-1][3:]

    def wheel(self, place):
        """Spin axis, centre, contact."""
        spin, centre = place.turn(self.spin), place(self.centre)
        down = -Z + spin * spin[2]
        return spin, centre, centre + self.radius * down / np.linalg.norm(down)

    def figures(self, height):
        """What `ballesta rig MODEL kc` measures of a wheel, at this height."""
        place = self.at(height)
        spin, centre, contact = self.wheel(place)
        velocity, angular = self.motion(place)
        scale = 1 / (velocity + np.cross(angular, centre))[2]
        velocity, angular = velocity * scale, angular * scale
        of_contact, of_centre = velocity + np.cross(angular, contact), velocity + np.cross(angular, centre)
        of_spin = np.cross(angular, spin)
        level = spin[0] ** 2 + spin[1] ** 2
        return {
            "toe": np.arctan2(spin[0], spin[1]),
            "camber": -np.arcsin(spin[2]),
            "forward": centre[0] - self.centre[0],
            "outward": centre[1] - self.centre[1],
            "toe_gradient": (spin[1] * of_spin[0] - spin[0] * of_spin[1]) / level,
            "camber_gradient": -of_spin[2] / np.sqrt(level),
            "contact_support": np.arctan2(self.end * of_contact[0], of_contact[2]),
            "centre_support": np.arctan2(self.end * of_centre[0], of_centre[2]),
            "roll_centre.height": contact[1] * of_contact[1] / of_contact[2],
        }

    def steering_axis(self, height, lower, upper):
        """Caster, inclination, scrub radius and trail of the axis through a point of the carrier and one of it or of the chassis."""
        place = self.at(height)
        spin, _, contact = self.wheel(place)
        lower, upper = place(lower), upper.top if isinstance(upper, Strut) else place(upper)
        axis = upper - lower
        offset = contact - lower - axis * (contact - lower)[2] / axis[2]
        outward = np.array([spin[0], spin[1], 0]) / np.hypot(spin[0], spin[1])
        return {
            "caster": np.arctan2(-axis[0], axis[2]),
            "inclination": np.arctan2(-axis[1], axis[2]),
            "scrub_radius": offset @ outward,
            "trail": -offset @ np.cross(outward, Z),
        }
