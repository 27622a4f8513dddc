#!/usr/bin/env python3
"""Kinematics and inverse dynamics of the arm with six joints and of CHARMIE [Rodrigues2024, section 5.2].

Prints NAME = VALUE for the numbers that papers/000.yaml compares with. Only the standard library; shares no code with Jounce: it
reads masses, joints and motions from the model files, places the bodies by turning them about their joints, takes velocities and
accelerations by differences over time, and sums forces and moments of all that a joint carries (Newton and Euler).
"""
import math
import os
import re

MODELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "models", "rodrigues2024")
G, H = 9.81, 2e-3  # [m/s^2]; [s] of differences


def show(name, value):
    print(f"{name} = {value:.12g}")


# ---------------------------------------------------------------------------------------------------- vectors

def add(a, b): return [x + y for x, y in zip(a, b)]
def sub(a, b): return [x - y for x, y in zip(a, b)]
def scale(k, a): return [k * x for x in a]
def dot(a, b): return sum(x * y for x, y in zip(a, b))
def cross(a, b): return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
def apply(R, a): return [dot(row, a) for row in R]
def product(A, B): return [[sum(A[i][k] * B[k][j] for k in range(3)) for j in range(3)] for i in range(3)]
def transposed(A): return [list(row) for row in zip(*A)]


def turn(axis, angle):
    x, y, z = scale(1 / math.sqrt(dot(axis, axis)), axis)
    c, s = math.cos(angle), math.sin(angle)
    return [[c + x * x * (1 - c), x * y * (1 - c) - z * s, x * z * (1 - c) + y * s],
            [y * x * (1 - c) + z * s, c + y * y * (1 - c), y * z * (1 - c) - x * s],
            [z * x * (1 - c) - y * s, z * y * (1 - c) + x * s, c + z * z * (1 - c)]]


STAY = ([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [0, 0, 0])


def about(point, R, shift=(0, 0, 0)):
    """The motion x -> point + R (x - point) + shift, as (R, p): x -> R x + p."""
    return R, add(sub(point, apply(R, point)), list(shift))


def after(first, second):
    """first(second(x))"""
    return product(first[0], second[0]), add(apply(first[0], second[1]), first[1])


def place(T, x):
    return add(apply(T[0], x), T[1])


# ---------------------------------------------------------------------------------------------------- model files

def numbers(text, key):
    found = re.search(key + r": \[([^\]]*)\]", text)
    return [float(x) for x in found.group(1).split(",")] if found else None


def read(*names):
    """Bodies, joints and points of model files that say one of them per line, in numbers."""
    out = {"bodies": {}, "joints": {}, "points": {}}
    for name in names:
        part = None
        for line in open(os.path.join(MODELS, name), encoding="utf-8"):
            head = re.match(r"(\w+):(.*)", line)
            if head:
                part = head.group(1)
                line = re.sub(r"^\w+: \{(\w+:.*)\}$", r"  \1", line.rstrip())  # points: {tool: {...}}
            row = re.match(r"  (\w+): \{(.*)\}", line)
            if not row or part not in out:
                continue
            text = row.group(2)
            if part == "bodies" and "mass:" in text:
                inertia = numbers(text, "inertia")
                xx, yy, zz, xy, xz, yz = inertia + [0.0] * (6 - len(inertia))
                out[part][row.group(1)] = dict(mass=float(re.search(r"mass: ([\d.e+-]+)", text).group(1)), com=numbers(text, "com"),
                                               inertia=[[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            elif part == "joints":
                motion = re.search(r"motion: ([^,}]+)", text)
                out[part][row.group(1)] = dict(type=re.search(r"type: (\w+)", text).group(1), loop="loop: true" in text,
                                               between=re.search(r"between: \[(\w+), (\w+)\]", text).groups(), at=numbers(text, "at"),
                                               axis=numbers(text, "axis"), motion=motion.group(1).replace("^", "**") if motion else "0")
            elif part == "points":
                out[part][row.group(1)] = (re.search(r"on: (\w+)", text).group(1), numbers(text, "at"))
    return out


class Robot:
    def __init__(self, *names):
        self.__dict__.update(read(*names))
        self.parent = {j["between"][1]: (name, j) for name, j in self.joints.items() if not j["loop"]}
        self.cache = {}

    def angle(self, joint, t):
        return eval(joint["motion"], {"t": t, "sin": math.sin, "cos": math.cos})

    def pose(self, body, t):
        """Motion of a body from where it is drawn."""
        if body == "ground":
            return STAY
        if (body, t) not in self.cache:
            self.cache[body, t] = self.loop_pose(body, t) or self.tree_pose(body, t)
        return self.cache[body, t]

    def tree_pose(self, body, t):
        _, joint = self.parent[body]
        q, first = self.angle(joint, t), self.pose(joint["between"][0], t)
        if joint["type"] == "revolute":
            return after(first, about(joint["at"], turn(joint["axis"], q)))
        return after(first, (STAY[0], scale(q, joint["axis"]) if joint["type"] == "prismatic" else STAY[1]))

    def loop_pose(self, body, t):
        """CHARMIE's lift: two parallel bars carry the hip, which does not turn; cylinders point from pin to pin."""
        if body in ("bar2", "hip"):
            base, lift = self.pose("base", t), self.joints["R_bar1_base_L"]
            R = turn(lift["axis"], self.angle(lift, t))
            if body == "bar2":
                return after(base, about(self.joints["R_bar2_base_L"]["at"], R))
            arm = sub(self.joints["R_bar1_hip_L"]["at"], lift["at"])
            return after(base, (STAY[0], sub(apply(R, arm), arm)))
        cylinder = re.match(r"(cyl|rod)_(\w+)", body)
        if not cylinder:
            return None
        foot, head = (self.joints[f"R_{part}_{cylinder.group(2)}"] for part in ("cyl", "rod"))
        low, high = self.pose(foot["between"][0], t), self.pose(head["between"][1], t)
        a, b = place(low, foot["at"]), place(high, head["at"])
        old, new = sub(head["at"], foot["at"]), sub(b, a)
        R = turn([0, 1, 0], math.atan2(new[0], new[2]) - math.atan2(old[0], old[2]))
        home, now = (foot["at"], a) if cylinder.group(1) == "cyl" else (head["at"], b)
        return R, sub(now, apply(R, home))

    def point(self, name, t):
        body, at = self.points[name]
        return place(self.pose(body, t), at)

    def load(self, body, t):
        """Where the centre of mass is, force and moment about it that its motion needs, gravity included."""
        b = self.bodies[body]
        places = [place(self.pose(body, t + k * H), b["com"]) for k in (-2, -1, 0, 1, 2)]
        spins = [self.spin(body, t + k * H) for k in (-2, -1, 1, 2)]
        a = [(-p[0] + 16 * p[1] - 30 * p[2] + 16 * p[3] - p[4]) / (12 * H * H) for p in zip(*places)]
        n = [(s[0] - 8 * s[1] + 8 * s[2] - s[3]) / (12 * H) for s in zip(*spins)]
        return places[2], scale(b["mass"], add(a, [0, 0, G])), n

    def spin(self, body, t):
        """Angular momentum about the centre of mass."""
        R = [self.pose(body, t + k * H)[0] for k in (-2, -1, 0, 1, 2)]
        rate = [[(R[0][i][j] - 8 * R[1][i][j] + 8 * R[3][i][j] - R[4][i][j]) / (12 * H) for j in range(3)] for i in range(3)]
        w = product(rate, transposed(R[2]))  # skew
        I = product(product(R[2], self.bodies[body]["inertia"]), transposed(R[2]))
        return apply(I, [w[2][1], w[0][2], w[1][0]])

    def carried(self, body):
        return [body] + [c for child, (_, j) in self.parent.items() if j["between"][0] == body for c in self.carried(child)]

    def drive(self, name, t):
        """Force or torque of a driver on an open chain."""
        joint = self.joints[name]
        T = self.pose(joint["between"][0], t)
        at, axis = place(T, joint["at"]), apply(T[0], joint["axis"])
        total = 0.0
        for body in self.carried(joint["between"][1]):
            com, f, n = self.load(body, t)
            total += dot(axis, f if joint["type"] == "prismatic" else add(n, cross(sub(com, at), f)))
        return total

    def power(self, name, t, h=1e-5):
        """Torque of a driver inside loops, by the work of all bodies when it alone moves on."""
        joint, work = self.joints[name], 0.0
        motion, loads = joint["motion"], {b: self.load(b, t) for b in self.bodies}
        side = {}
        for sign in (-1, 1):
            joint["motion"], self.cache = f"{motion} + {sign * h}", {}
            side[sign] = {b: self.pose(b, t) for b in self.bodies}
        joint["motion"], self.cache = motion, {}
        for b, (_, f, n) in loads.items():
            low, high = side[-1][b], side[1][b]
            move = scale(0.5 / h, sub(place(high, self.bodies[b]["com"]), place(low, self.bodies[b]["com"])))
            w = product(scale_matrix(0.5 / h, high[0], low[0]), transposed(self.pose(b, t)[0]))
            work += dot(f, move) + dot(n, [w[2][1], w[0][2], w[1][0]])
        return work


def scale_matrix(k, A, B):
    return [[k * (A[i][j] - B[i][j]) for j in range(3)] for i in range(3)]


def arm():
    robot = Robot("arm6.yaml")
    show("arm_J2", robot.drive("J2", 0.0))
    h = H / 4
    p = [robot.point("tool", k * h) for k in (-2, -1, 1, 2)]
    show("arm_tool_vx", (p[0][0] - 8 * p[1][0] + 8 * p[2][0] - p[3][0]) / (12 * h))


def charmie(name, files, t):
    robot = Robot(*files)
    for hand in ("right", "left"):
        for axis, value in zip("xyz", robot.point(f"{hand}_tcp", t)):
            show(f"{name}_{hand}_{axis}", value)
    for k in range(4, 11):
        show(f"{name}_{k}a", robot.drive(f"R_arm_{k}a", t))
    show(f"{name}_lift", robot.power("R_bar1_base_L", t))
    show(f"{name}_tilt", robot.power("R_trunk_L", t))


if __name__ == "__main__":
    arm()
    charmie("pose", ("charmie_robot.yml", "charmie.yaml"), 0.0)
    charmie("motion", ("charmie_robot.yml", "charmie_motion.yaml"), 1.0)
