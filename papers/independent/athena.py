#!/usr/bin/env python3
"""ATHENA, a hexapod, walks for 6 s [Rodrigues2024, section 5.1]: a torso with 6 freedoms, legs whose angles are given over time.

Prints NAME = VALUE for the numbers that papers/000.yaml compares with. Only the standard library; shares no code with Jounce. It
takes a minute; `athena.py 0.2` walks for 0.2 s only.

In the axes of the torso, mass moments, inertia and momentum of the legs are functions of time alone: they are tabulated, and what
remains are Newton's and Euler's equations of the torso with the forces of six feet (laws (43) and (48) of the paper).
"""
import math
import sys

STEP, PERIOD = 2.5e-4, 2.0
MASS, TORSO_I, G = 5.5, (0.014083333333333, 0.014083333333333, 0.026666666666667), 9.81
K, CHI, FLOOR, FOOT = 9.6e5, 0.75 * (1 - 0.5 ** 2), 0.01, 0.012
MU_S, MU_D, V0, XI = 0.8, 0.7, 0.02, 20.0
COXA, FEMUR, TIBIA, REACH, DEEP = 0.06, 0.1, 0.16, 0.14, 0.11
GAIT_X = [0.06, 0.045, 0.03, 0.015, 0, -0.015, -0.03, -0.045, -0.06, -0.075, -0.08148, -0.05463, 0, 0.05463, 0.08148, 0.075]
GAIT_Z = [0] * 9 + [0.00335, 0.01688, 0.03296, 0.04, 0.03296, 0.01688, 0.00335]
SIDE = [math.radians(a) for a in (-90, -30, 30, 90, 150, 210)]  # of the legs, from ahead to the left


def show(name, value):
    print(f"{name} = {value:.12g}")


def solve(A, b):
    n = len(b)
    rows = [list(A[i]) + [b[i]] for i in range(n)]
    for k in range(n):
        p = max(range(k, n), key=lambda i: abs(rows[i][k]))
        rows[k], rows[p] = rows[p], rows[k]
        for i in range(k + 1, n):
            f = rows[i][k] / rows[k][k]
            if f:
                rows[i] = [x - f * y for x, y in zip(rows[i], rows[k])]
    x = [0.0] * n
    for k in reversed(range(n)):
        x[k] = (rows[k][n] - sum(rows[k][j] * x[j] for j in range(k + 1, n))) / rows[k][k]
    return x


def spline(values):
    """Periodic cubic spline through equally spaced values; second derivatives from a cyclic system."""
    n, d = len(values), PERIOD / len(values)
    A = [[0.0] * n for _ in range(n)]
    for i in range(n):
        A[i][i], A[i][i - 1], A[i][(i + 1) % n] = 4.0, 1.0, 1.0
    curve = solve(A, [6 * (values[(i + 1) % n] - 2 * values[i] + values[i - 1]) / d ** 2 for i in range(n)])

    def at(t):
        x = (t % PERIOD) / d
        i = int(x) % n
        b = x - int(x)
        a, j = 1 - b, (i + 1) % n
        return a * values[i] + b * values[j] + ((a ** 3 - a) * curve[i] + (b ** 3 - b) * curve[j]) * d * d / 6
    return at


gait_x, gait_z = spline(GAIT_X), spline(GAIT_Z)


def leg(side, t):
    """Bodies of a leg in the axes of the torso: mass, place, inertia, angles of yaw and of the link; last the foot. Knee up."""
    x, z = gait_x(t), gait_z(t) - DEEP
    yaw = math.atan2(-x * math.sin(side), REACH + x * math.cos(side))
    r = math.hypot(REACH + x * math.cos(side), x * math.sin(side)) - COXA
    d = r * r + z * z
    pitch = math.atan2(z, r) + math.acos((FEMUR ** 2 - TIBIA ** 2 + d) / (2 * FEMUR * math.sqrt(d)))
    knee = math.asin((d - FEMUR ** 2 - TIBIA ** 2) / (2 * FEMUR * TIBIA))
    c, s = math.cos(side + yaw), math.sin(side + yaw)
    hip = (0.15 * math.cos(side), 0.15 * math.sin(side))

    def point(out, up):
        return (hip[0] + c * out, hip[1] + s * out, up)

    def matrix(tilt, own):
        """Inertia with `own` about the link's axis, level across it and the third; the axis rises by tilt."""
        ct, st = math.cos(tilt), math.sin(tilt)
        axes = ((c * ct, s * ct, st), (-s, c, 0.0), (-c * st, -s * st, ct))
        return [[sum(k * a[i] * a[j] for k, a in zip(own, axes)) for j in range(3)] for i in range(3)]
    cp, sp = math.cos(pitch), math.sin(pitch)
    tip = (COXA + FEMUR * cp, FEMUR * sp)
    down = pitch + knee - math.pi / 2  # of the tibia, which hangs when the knee is at 0
    cd, sd = math.cos(down), math.sin(down)
    place = lambda f: point(tip[0] + f * TIBIA * cd, tip[1] + f * TIBIA * sd)
    return [(0.15, point(COXA / 2, 0.0), matrix(0.0, (4e-05, 6.5e-05, 6.5e-05)), (yaw, 0.0)),
            (0.2, point(COXA + FEMUR / 2 * cp, FEMUR / 2 * sp), matrix(pitch, (3e-05, 0.000181666666667, 0.000181666666667)), (yaw, pitch)),
            (0.12, place(0.5), matrix(down, (1.25e-05, 0.00026225, 0.00026225)), (yaw, down)),
            (0.03, place(1.0), matrix(0.0, (1.728e-06,) * 3), (yaw, down))]


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def apply(A, x):
    return tuple(A[i][0] * x[0] + A[i][1] * x[1] + A[i][2] * x[2] for i in range(3))


class Legs:
    """What the legs do in the axes of the torso, at half steps: sums over their bodies, and rates by differences over time."""

    def __init__(self):
        self.h, self.n, self.kept = STEP / 2, round(2 * PERIOD / STEP), {}

    def once(self, what, k):
        key = what.__name__, k % self.n
        if key not in self.kept:
            self.kept[key] = what(k % self.n)
        return self.kept[key]

    def bodies(self, k):
        """(mass, place, inertia, angles) of all bodies; both tripods half a period apart."""
        return [body for i, side in enumerate(SIDE) for body in leg(side, k * self.h + (0.0 if i % 2 == 0 else 1.0))]

    def rate(self, values, k):
        a, b, c, d = values(k - 2), values(k - 1), values(k + 1), values(k + 2)
        return [(w - 8 * x + 8 * y - z) / (12 * self.h) for w, x, y, z in zip(a, b, c, d)]

    def spin(self, k, i):
        """Angular velocity of a body against the torso: yaw about z, pitch about the level axis across the leg."""
        angles = lambda k: self.once(self.bodies, k)[i][3]
        yaw, pitch = self.rate(angles, k)
        heading = SIDE[i // 4] + angles(k)[0]
        return pitch * math.sin(heading), -pitch * math.cos(heading), yaw

    def first(self, k):
        """Sum of m r."""
        return [sum(m * p[a] for m, p, _, _ in self.once(self.bodies, k)) for a in range(3)]

    def inertia(self, k):
        """Of all bodies about the centre of the torso, row by row."""
        out = [TORSO_I[0], 0.0, 0.0, 0.0, TORSO_I[1], 0.0, 0.0, 0.0, TORSO_I[2]]
        for m, p, I, _ in self.once(self.bodies, k):
            pp = p[0] ** 2 + p[1] ** 2 + p[2] ** 2
            for i in range(3):
                for j in range(3):
                    out[3 * i + j] += I[i][j] + m * ((pp if i == j else 0.0) - p[i] * p[j])
        return out

    def momentum(self, k):
        """Angular momentum of the legs about the centre of the torso, in a torso at rest."""
        L = [0.0] * 3
        for i, (m, p, I, _) in enumerate(self.once(self.bodies, k)):
            v = self.rate(lambda k: self.once(self.bodies, k)[i][1], k)
            for a, (x, y) in enumerate(zip(cross(p, v), apply(I, self.spin(k, i)))):
                L[a] += m * x + y
        return L

    def slope(self, k):
        return self.rate(lambda k: self.once(self.first, k), k)

    def row(self, k):
        """All that the equations of the torso need."""
        inertia, inertia_rate = self.once(self.inertia, k), self.rate(lambda k: self.once(self.inertia, k), k)
        feet = [(self.once(self.bodies, k)[i][1], self.rate(lambda k: self.once(self.bodies, k)[i][1], k), self.spin(k, i))
                for i in range(3, 24, 4)]
        return dict(S=self.once(self.first, k), S1=self.once(self.slope, k), S2=self.rate(lambda k: self.once(self.slope, k), k),
                    I=[inertia[3 * i:3 * i + 3] for i in range(3)], I1=[inertia_rate[3 * i:3 * i + 3] for i in range(3)],
                    L=self.once(self.momentum, k), L1=self.rate(lambda k: self.once(self.momentum, k), k), feet=feet)


def rotate(q, v):
    w, x, y, z = q
    t = (2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0]))
    c = cross((x, y, z), t)
    return tuple(v[i] + w * t[i] + c[i] for i in range(3))


def back(q, v):
    return rotate((q[0], -q[1], -q[2], -q[3]), v)


def foot_force(p, v, speed):
    """Force of the floor on a foot: normal and tangential sizes, and the vector. v: of its material point on the floor."""
    depth, rate = FOOT - p[2], -v[2]
    if depth <= 0:
        return 0.0, 0.0, (0.0, 0.0, 0.0)
    normal = max(0.0, K * depth ** 1.5 * (1 + CHI * rate / max(abs(speed), FLOOR)))
    slip = math.hypot(v[0], v[1])
    x = slip / V0 - 1
    mu = MU_S * (1 - x * x) if x < 0 else MU_D + (MU_S - MU_D) * math.exp(-XI * (slip - V0))
    k = -mu * normal / slip if slip > 0 else 0.0
    return normal, mu * normal, (k * v[0], k * v[1], normal)


def look(state, row, speed):
    """Forces of the feet in a state."""
    x, q, v, w = state[0:3], state[3:7], state[7:10], state[10:13]
    out = []
    for k, (p, dp, wf) in enumerate(row["feet"]):
        P, U = rotate(q, p), rotate(q, tuple(a + b for a, b in zip(dp, cross(w, p))))
        turn = rotate(q, tuple(a + b for a, b in zip(w, wf)))
        place = tuple(a + b for a, b in zip(x, P))
        arm = (0.0, 0.0, -FOOT)  # to its lowest point
        low = tuple(a + b + c for a, b, c in zip(v, U, cross(turn, arm)))
        out.append((foot_force(place, low, speed[k]), tuple(a + b for a, b in zip(P, arm)), place[2] - FOOT, low[2]))
    return out


def rates(state, row, speed):
    q, v, w = state[3:7], state[7:10], state[10:13]
    F, M = [0.0, 0.0, -MASS * G], [0.0, 0.0, 0.0]
    for (_, _, f), arm, _, _ in look(state, row, speed):
        if f[2]:
            m = cross(arm, f)
            for i in range(3):
                F[i] += f[i]
                M[i] += m[i]
    S, S1, S2 = row["S"], row["S1"], row["S2"]
    down = back(q, (0.0, 0.0, -G))
    weight = cross(S, down)
    F, M = back(q, F), back(q, M)
    # m a + alpha x S = F - ...; S x a + I alpha = M - ...  (torso axes, a: acceleration of its centre)
    c1, c2 = cross(w, cross(w, S)), cross(w, S1)
    f = [F[i] - c1[i] - 2 * c2[i] - S2[i] for i in range(3)]
    Iw, dIw = apply(row["I"], w), apply(row["I1"], w)
    gyro = cross(w, tuple(Iw[i] + row["L"][i] for i in range(3)))
    m = [M[i] + weight[i] - dIw[i] - row["L1"][i] - gyro[i] for i in range(3)]
    I = row["I"]
    # eliminate a = (f - alpha x S)/m:  (I + [S][S]/m) alpha = m - S x f/m
    SS = S[0] ** 2 + S[1] ** 2 + S[2] ** 2
    A = [[I[i][j] - ((SS if i == j else 0.0) - S[i] * S[j]) / MASS for j in range(3)] for i in range(3)]
    Sf = cross(S, f)
    alpha = solve(A, [m[i] - Sf[i] / MASS for i in range(3)])
    aS = cross(alpha, S)
    a = rotate(q, tuple((f[i] - aS[i]) / MASS for i in range(3)))
    qw, qx, qy, qz = q
    dq = (0.5 * (-qx * w[0] - qy * w[1] - qz * w[2]), 0.5 * (qw * w[0] + qy * w[2] - qz * w[1]),
          0.5 * (qw * w[1] + qz * w[0] - qx * w[2]), 0.5 * (qw * w[2] + qx * w[1] - qy * w[0]))
    return tuple(v) + dq + a + tuple(alpha)


def walk(until):
    legs = Legs()
    z0 = 0.122 - (MASS * G / (6 * K)) ** (2 / 3)
    state = (0.0, 0.0, z0, 1.0, 0.0, 0.0, 0.0, 0.12159, 0.0, 0.0, 0.0, 0.0, 0.0)
    speed, closed, h = [0.0] * 6, [True] * 6, STEP
    seen = dict(z=[z0, z0], y=[0.0, 0.0], vx=0.12159, peak=[0.0] * 6, ratio=[0.0] * 6, deep=[0.0] * 6, mean=[0.0] * 6)
    steps = round(until / h)
    for k in range(steps):
        a, b, c = (legs.once(legs.row, 2 * k + i) for i in range(3))
        for f, ((fn, ft, _), _, gap, rate) in enumerate(look(state, a, speed)):
            if gap < 0 and not closed[f]:
                speed[f] = rate
            closed[f] = gap < 0
            seen["peak"][f], seen["deep"][f] = max(seen["peak"][f], fn), max(seen["deep"][f], -gap)
            if fn > 0.5:
                seen["ratio"][f] = max(seen["ratio"][f], ft / fn)
            if k * h >= 2 - 1e-9:
                seen["mean"][f] += fn * h / (until - 2)
        k1 = rates(state, a, speed)
        k2 = rates(tuple(x + h / 2 * y for x, y in zip(state, k1)), b, speed)
        k3 = rates(tuple(x + h / 2 * y for x, y in zip(state, k2)), b, speed)
        k4 = rates(tuple(x + h * y for x, y in zip(state, k3)), c, speed)
        state = tuple(x + h / 6 * (p + 2 * q + 2 * r + s) for x, p, q, r, s in zip(state, k1, k2, k3, k4))
        seen["z"] = [min(seen["z"][0], state[2]), max(seen["z"][1], state[2])]
        seen["y"] = [min(seen["y"][0], state[1]), max(seen["y"][1], state[1])]
        seen["vx"] = max(seen["vx"], state[7])
    return state, seen


if __name__ == "__main__":
    until = float(sys.argv[1]) if len(sys.argv) > 1 else 6.0
    state, seen = walk(until)
    name = "" if until == 6.0 else f"_{until:g}s"
    show("x" + name, state[0])
    show("z" + name, state[2])
    show("vx" + name, state[7])
    if until == 6.0:
        show("speed", state[0] / 6)
        show("z_min", seen["z"][0])
        show("z_max", seen["z"][1])
        show("y_min", seen["y"][0])
        show("y_max", seen["y"][1])
        show("vx_max", seen["vx"])
        for k in range(6):
            show(f"mean_{k + 1}", seen["mean"][k])
            show(f"peak_{k + 1}", seen["peak"][k])
            show(f"ratio_{k + 1}", seen["ratio"][k])
        show("deepest_2", seen["deep"][1])
