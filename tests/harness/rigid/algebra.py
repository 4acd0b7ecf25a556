"""Vectors, rotations and quaternions with numpy, analytic in what may carry a derivative as its imaginary part (derivative.py): decisions are
taken on real parts."""

import numpy as np


def vector(values):
    return np.array([float(value) for value in values])


def cross(a, b):
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def skew(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def length(a):
    return np.sqrt(a @ a)


def unit(a):
    return a / length(a)


def arctan2(y, x):
    """With an imaginary part of first order, that of y and x."""
    angle = np.arctan2(np.real(y), np.real(x))
    if not np.iscomplexobj(y) and not np.iscomplexobj(x):
        return angle
    (a, b), (c, d) = (np.real(x), np.imag(x)), (np.real(y), np.imag(y))
    return angle + 1j * (a * d - c * b) / (a * a + c * c)


def sign(x):
    return np.sign(np.real(x))


def magnitude(x):
    return x if np.real(x) >= 0 else -x


def between(low, x, high):
    return low if np.real(x) < low else high if np.real(x) > high else x


def exponential(turn):
    """The rotation by |turn| about turn."""
    angle = np.linalg.norm(turn)
    k = skew(turn)
    # sin(x)/x and (1 − cos x)/x².
    return np.eye(3) + np.sinc(angle / np.pi) * k + 0.5 * np.sinc(angle / (2 * np.pi)) ** 2 * (k @ k)


def of_quaternion(q):
    w, x, y, z = unit(np.asarray(q))
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def quaternion(r):
    """w, x, y, z of a rotation matrix, w ≥ 0."""
    candidates = [[1 + r[0, 0] + r[1, 1] + r[2, 2], r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]],
                  [r[2, 1] - r[1, 2], 1 + r[0, 0] - r[1, 1] - r[2, 2], r[0, 1] + r[1, 0], r[0, 2] + r[2, 0]],
                  [r[0, 2] - r[2, 0], r[0, 1] + r[1, 0], 1 - r[0, 0] + r[1, 1] - r[2, 2], r[1, 2] + r[2, 1]],
                  [r[1, 0] - r[0, 1], r[0, 2] + r[2, 0], r[1, 2] + r[2, 1], 1 - r[0, 0] - r[1, 1] + r[2, 2]]]
    q = unit(np.array(candidates[int(np.argmax([np.real(candidates[k][k]) for k in range(4)]))]))
    return q if np.real(q[0]) >= 0 else -q


def rotation_vector(r):
    q = quaternion(r)
    sine = length(q[1:])
    return 2 * q[1:] if np.real(sine) < 1e-12 else q[1:] * (2 * arctan2(sine, q[0]) / sine)


def left_jacobian(turn):
    """ω = J(θ) θ' for the rotation exp(θ), in the axes in which it turns; the series."""
    k, term, total = skew(turn), np.eye(3), np.eye(3)
    for n in range(2, 60):
        term = term @ k / n
        total = total + term
    return total


def across(axis):
    """Two unit vectors that make a right-handed triad with a unit vector in front: axis × first = second."""
    first = np.zeros(3)
    first[int(np.argmin(np.abs(axis)))] = 1.0
    first = unit(first - axis * (axis @ first))
    return first, cross(axis, first)


def symmetric(six):
    """The matrix of xx, yy, zz, xy, yz, xz."""
    xx, yy, zz, xy, yz, xz = six
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], dtype=float)


def six(matrix):
    return [float(matrix[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2))]
