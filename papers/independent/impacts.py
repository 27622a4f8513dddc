#!/usr/bin/env python3
"""Simultaneous impacts with friction [Rodriguez2014]: velocities over the sum of the normal impulses, event by event.

Prints NAME = VALUE for the numbers that papers/004.yaml compares with. Only the standard library; shares no code with Jounce.

Every contact has tangential rows and one separating normal row of J. During an impact dp_n = c dl, c >= 0, sum c = 1. A contact that
slides has dp_t = -mu_d t dp_n; one that sticks has dv_t = 0. Rows B (dp of neighbouring contacts of one body along the line
between them) fix c. An impact event ends where the work of the normal impulses has returned to (1 - e^2) of its minimum.
"""
from math import sqrt


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def solve(A, b):
    """x of A x = b; Gauss with pivots."""
    n = len(b)
    rows = [list(A[i]) + [b[i]] for i in range(n)]
    for k in range(n):
        pivot = max(range(k, n), key=lambda i: abs(rows[i][k]))
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for i in range(k + 1, n):
            f = rows[i][k] / rows[k][k]
            rows[i] = [x - f * y for x, y in zip(rows[i], rows[k])]
    x = [0.0] * n
    for k in reversed(range(n)):
        x[k] = (rows[k][n] - dot(rows[k][k + 1:n], x[k + 1:])) / rows[k][k]
    return x


def unit(a):
    size = sqrt(dot(a, a))
    return [x / size for x in a]


class Impact:
    """mass: diagonal of M. contacts: rows of J, tangential ones and then the normal one. pairs: (i, j, row on i, row on j) of B."""

    def __init__(self, mass, contacts, pairs, mu_s, mu_d, split=False, step=4e-3):
        self.mass, self.pairs, self.mu_s, self.mu_d, self.split, self.step = mass, pairs, mu_s, mu_d, split, step * mass[0]
        self.J = [row for contact in contacts for row in contact]
        self.d, self.N = len(contacts[0]), len(contacts)
        self.beta = [[dot(a, [x / m for x, m in zip(b, mass)]) for b in self.J] for a in self.J]

    def normal(self, i):
        return self.d * i + self.d - 1

    def tangents(self, i):
        return range(self.d * i, self.d * i + self.d - 1)

    def slip(self, v, i):
        return [v[k] for k in self.tangents(i)]

    # ------------------------------------------------------------------------------------------------ rates

    def columns(self, active, way):
        """dp for dp_n of one contact at a time; way: direction of slip of a contact, None where it sticks."""
        P = [[0.0] * self.N for _ in self.J]
        for i in active:
            P[self.normal(i)][i] = 1.0
            if way[i] is not None:
                for k, t in zip(self.tangents(i), way[i]):
                    P[k][i] = -self.mu_d * t
        stuck = [k for i in active if way[i] is None for k in self.tangents(i)]
        if stuck and self.mu_s > 0:
            A = [[self.beta[a][b] for b in stuck] for a in stuck]
            for i in active:
                x = solve(A, [-sum(self.beta[a][k] * P[k][i] for k in range(len(P)) if k not in stuck) for a in stuck])
                for a, value in zip(stuck, x):
                    P[a][i] = value
        return P

    def shares(self, active, P):
        """c: null vector of B P, or an even split where the rows say nothing."""
        K = []
        for i, j, bi, bj in self.pairs:
            if i in active and j in active:
                row = [sum(b * P[self.d * i + r][k] for r, b in enumerate(bi)) +
                       sum(b * P[self.d * j + r][k] for r, b in enumerate(bj)) for k in active]
                if max(map(abs, row)) > 1e-12:
                    K.append(row)
        n = len(active)
        if n == 1 or not K:
            c = [1.0 / n] * n
        elif n == 2:
            c = [K[0][1], -K[0][0]]
        elif len(K) == 1:
            k = [x - sum(K[0]) / n for x in K[0]]  # one row for three: nearest to an even split
            f = sum(K[0]) / n / dot(k, k) if dot(k, k) > 1e-24 else 0.0
            c = [1.0 / n - f * x for x in k]
        else:
            a, b = K
            c = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
        c = [x / sum(c) for x in c]
        if min(c) < -1e-9:
            raise ValueError("no shares of one sign")
        full = [0.0] * self.N
        for i, x in zip(active, c):
            full[i] = x
        return full

    def rates(self, active, way):
        P = self.columns(active, way)
        c = self.shares(active, P)
        dp = [dot(row, c) for row in P]
        return dp, [dot(row, dp) for row in self.beta], c

    # ------------------------------------------------------------------------------------------------ states of slip

    def ways(self, active, v, way):
        """Directions of slip at the velocities v."""
        out = list(way)
        for i in active:
            if way[i] is not None and sqrt(dot(self.slip(v, i), self.slip(v, i))) > 1e-13:
                out[i] = unit(self.slip(v, i))
        return out

    def sticks(self, i, dp, c):
        return sqrt(sum(dp[k] ** 2 for k in self.tangents(i))) <= self.mu_s * c[i] + 1e-12

    def holds(self, state, active, way):
        dp, _, c = self.rates(active, self.ways(active, state[0], way))
        return all(self.sticks(i, dp, c) for i in active if way[i] is None)

    def release(self, active, v, way, i):
        """A contact at rest that cannot stick slides the way in which its slip grows [isoclinic direction]."""
        dp, _, _ = self.rates(active, [None if k == i else w for k, w in enumerate(way)])
        t = unit([-dp[k] for k in self.tangents(i)])
        for _ in range(200):
            trial = [t if k == i else w for k, w in enumerate(way)]
            new = unit(self.slip(self.rates(active, trial)[1], i))
            if max(abs(a - b) for a, b in zip(new, t)) < 1e-15:
                break
            t = new
        return t

    # ------------------------------------------------------------------------------------------------ march

    def advance(self, state, active, way, h):
        """One step of Runge and Kutta over the impulse: velocities, impulses, work."""
        def rate(y):
            v = y[0]
            dp, dv, c = self.rates(active, self.ways(active, v, way))
            return dv, dp, sum(c[i] * v[self.normal(i)] for i in active)

        def add(y, k, f):
            return [a + f * b for a, b in zip(y[0], k[0])], [a + f * b for a, b in zip(y[1], k[1])], y[2] + f * k[2]
        k1 = rate(state)
        k2 = rate(add(state, k1, h / 2))
        k3 = rate(add(state, k2, h / 2))
        k4 = rate(add(state, k3, h))
        out = state
        for k, f in ((k1, h / 6), (k2, h / 3), (k3, h / 3), (k4, h / 6)):
            out = add(out, k, f)
        return out

    def work(self, state, v0):
        """Of the normal impulses; with split, (4.7): kinetic energy by velocities of the contacts, its tangential part left out."""
        if not self.split:
            return state[2]
        def energy(v):
            n = len(self.mass)
            A = [[sum(r[a] * r[b] for r in self.J) for b in range(n)] for a in range(n)]
            whole = solve(A, [sum(r[a] * x for r, x in zip(self.J, v)) for a in range(n)])
            sliding = [0.0 if k % self.d == self.d - 1 else x for k, x in enumerate(v)]
            part = solve(A, [sum(r[a] * x for r, x in zip(self.J, sliding)) for a in range(n)])
            return 0.5 * sum(m * (x * x - y * y) for m, x, y in zip(self.mass, whole, part))
        return energy(state[0]) - energy(v0)

    def slope(self, state, active, way, v0):
        """Of the work over the impulse."""
        _, dv, c = self.rates(active, self.ways(active, state[0], way))
        if not self.split:
            return sum(c[i] * state[0][self.normal(i)] for i in active)
        ahead, behind = ([a + f * b for a, b in zip(state[0], dv)] for f in (1e-3, -1e-3))
        return (self.work((ahead, None, 0.0), v0) - self.work((behind, None, 0.0), v0)) / 2e-3  # quadratic in v

    def event(self, v, active, e, log=None):
        """One impact event from the velocities v of the contacts with the coefficient e. Velocities, impulses, work."""
        way = [unit(self.slip(v, i)) if i in active and self.mu_d > 0 and dot(self.slip(v, i), self.slip(v, i)) > 0
               else ([0.0] * (self.d - 1) if self.mu_d == 0 else None) for i in range(self.N)]
        state, v0, length, lowest, step = (list(v), [0.0] * len(v), 0.0), list(v), 0.0, 0.0, self.step
        if e < 0:  # fitted to measurements: ends in the compression; rates are constant here
            dp, dv, c = self.rates(active, way)
            slope, bend = sum(c[i] * v[self.normal(i)] for i in active), sum(c[i] * dv[self.normal(i)] for i in active)
            length = (1 + e) * -slope / bend
            state = self.advance(state, active, way, length)
            return state[0], state[1], self.work(state, v0), length
        marks = {}
        for _ in range(10 ** 6):
            h = step
            dp, dv, c = self.rates(active, self.ways(active, state[0], way))
            for i in active:  # towards rest no more than half of the slip at once
                s, ds = self.slip(state[0], i), self.slip(dv, i)
                speed = sqrt(dot(s, s))
                if way[i] is not None and self.mu_d > 0 and speed > 1e-13 and dot(s, ds) < 0:
                    h = min(h, 0.5 * speed * speed / -dot(s, ds))
            new = self.advance(state, active, way, h)
            if any(way[i] is None for i in active) and not self.holds(new, active, way):
                low, high = 0.0, h  # where a contact stops sticking
                for _ in range(40):
                    mid = (low + high) / 2
                    low, high = (mid, high) if self.holds(self.advance(state, active, way, mid), active, way) else (low, mid)
                h = high
                new = self.advance(state, active, way, h)
            W, before = self.work(new, v0), self.work(state, v0)
            if self.slope(state, active, way, v0) < 0 <= self.slope(new, active, way, v0):
                low, high = 0.0, h  # a minimum of the work
                for _ in range(44):
                    mid = (low + high) / 2
                    low, high = (mid, high) if self.slope(self.advance(state, active, way, mid), active, way, v0) < 0 else (low, mid)
                bottom = self.advance(state, active, way, low)
                if self.work(bottom, v0) < lowest:
                    lowest = self.work(bottom, v0)
                    marks = {"compression": length + low, "work_c": lowest}
            if W > before and W >= (1 - e * e) * lowest and before < (1 - e * e) * lowest:
                low, high = 0.0, h
                for _ in range(44):
                    mid = (low + high) / 2
                    low, high = (mid, high) if self.work(self.advance(state, active, way, mid), v0) < (1 - e * e) * lowest else (low, mid)
                end = self.advance(state, active, way, high)
                if log is not None:
                    log.update(marks)
                return end[0], end[1], self.work(end, v0), length + high
            state, length = new, length + h
            for i in active:
                s = self.slip(state[0], i)
                if self.mu_d > 0 and way[i] is not None and dot(s, s) < 1e-24 and dot(s, self.slip(dv, i)) < 0:
                    trial = [None if k == i else w for k, w in enumerate(self.ways(active, state[0], way))]
                    if log is not None:
                        log.setdefault("rest", []).append((i, length))
                    dp, _, c = self.rates(active, trial)
                    way[i] = None if self.sticks(i, dp, c) else self.release(active, state[0], trial, i)
                    for k in self.tangents(i):
                        state[0][k] = 0.0
                elif way[i] is None:
                    now = self.ways(active, state[0], way)
                    dp, _, c = self.rates(active, now)
                    if not self.sticks(i, dp, c):
                        way[i] = self.release(active, state[0], now, i)
                elif dot(s, s) > 1e-26:
                    way[i] = unit(s)
        raise RuntimeError("the impact does not end")

    def collide(self, qd, coefficients, events=99):
        """Impact events until nothing approaches. Velocities of the bodies, and a record of each event."""
        v = [dot(row, qd) for row in self.J]
        total, records = [0.0] * len(v), []
        while min(v[self.normal(i)] for i in range(self.N)) < -1e-9 and len(records) < events:
            active = [i for i in range(self.N) if v[self.normal(i)] <= 1e-9]
            log = {}
            v, p, W, length = self.event(v, active, coefficients[min(len(records), len(coefficients) - 1)], log)
            total = [a + b for a, b in zip(total, p)]
            records.append(dict(log, p=p, work=W, length=length, v=list(v)))
        out = [x + sum(row[k] * p for row, p in zip(self.J, total)) / self.mass[k] for k, x in enumerate(qd)]
        return out, records


def show(name, value):
    print(f"{name} = {value:.12g}")


def planar_ball():
    """A disc of 1 kg and 0.5 m into a corner: ground (tangent x, normal y), wall (tangent y, normal -x)."""
    mass, start = [1.0, 1.0, 0.125], [8.0, -sqrt(2 * 9.81), 0.0]
    contacts = [[[1, 0, 0.5], [0, 1, 0]], [[0, 1, 0.5], [-1, 0, 0]]]
    magnitude = [(0, 1, [1, 1], [-1, -1])]   # along the line between both points, normals by their sizes
    true = [(0, 1, [1, 1], [1, -1])]         # by their directions; both normals squeeze the body, so the forces add up
    for name, rows in (("magnitude", magnitude), ("true", true)):
        after, _ = Impact(mass, contacts, rows, 0.6, 0.35).collide(start, [0.715])
        for key, value in zip(("vx", "vy", "w"), after):
            show(f"ball_{name}_{key}", value)
    _, records = Impact(mass, contacts, magnitude, 0.6, 0.35, split=True).collide(start, [0.718593128653])
    first = records[0]
    for contact, at in first["rest"]:
        show(f"ball_printed_rest_{('ground', 'wall')[contact]}", at)
    show("ball_printed_work_c", first["work_c"])
    show("ball_printed_p_ground", first["p"][1])
    show("ball_printed_p_wall", first["p"][3])


def planar_block():
    """Block of 2.5 kg, 0.1087 m by 0.0645 m, frictionless; its right edge comes down while the left one touches."""
    b, h, m = 0.1087, 0.0645, 2.5
    mass = [m, m, m * (b * b + h * h) / 12]
    contacts = [[[1, 0, h / 2], [0, 1, -b / 2]], [[1, 0, h / 2], [0, 1, b / 2]]]
    impact = Impact(mass, contacts, [], 0.0, 0.0)
    after, records = impact.collide([0.0, -0.5, -1 / b], [-0.803, 0.654])
    show("block_work_1", records[0]["work"])
    show("block_length_1", records[0]["length"])
    show("block_work_2", records[1]["work"])
    show("block_compression_2", records[1]["compression"])
    show("block_left", after[1] - b / 2 * after[2])
    show("block_right", after[1] + b / 2 * after[2])


def cradle():
    """Three spheres of 0.166 kg rigid on their strings; along x only. Both contacts of the middle one push alike."""
    m = 0.166 * (0.3 ** 2 + 0.4 * 0.05 ** 2) / 0.3 ** 2  # of a string's turn, at the ball's centre
    contacts = [[[0, 0, 0], [-1, 1, 0]], [[0, 0, 0], [0, -1, 1]]]
    impact = Impact([m, m, m], contacts, [(0, 1, [0, 1], [0, -1])], 0.0, 0.0)
    _, records = impact.collide([1.0, 0.0, 0.0], [0.85, 0.85])
    show("cradle_work_1", records[0]["work"])
    show("cradle_impulse_1", records[0]["p"][1])
    show("cradle_work_2", records[1]["work"])
    show("cradle_length_2", records[1]["length"])
    show("cradle_loss", records[0]["work"] + records[1]["work"])


def rigid(r, n, tangents):
    """Rows of a point r of a body in space: tangents and then the normal."""
    def row(a):
        return [a[0], a[1], a[2], r[1] * a[2] - r[2] * a[1], r[2] * a[0] - r[0] * a[2], r[0] * a[1] - r[1] * a[0]]
    return [row(t) for t in tangents] + [row(n)]


def between(points, normals, tangents, sizes):
    """Rows B of neighbouring points: d . (f_i - f_j), d the unit vector between them. sizes: normals made positive along their axis;
    else normals as they are, and d . (f_i + f_j) where they squeeze the body."""
    rows = []
    for i in range(len(points) - 1):
        d = unit([a - b for a, b in zip(points[i], points[i + 1])])
        parts = []
        for k in (i, i + 1):
            n = [abs(x) for x in normals[k]] if sizes else normals[k]
            parts.append([dot(d, t) for t in tangents[k]] + [dot(d, n)])
        squeezed = not sizes and parts[0][-1] * parts[1][-1] < 0
        rows.append((i, i + 1, parts[0], parts[1] if squeezed else [-x for x in parts[1]]))
    return rows


def sphere_corner():
    """Sphere of 1 kg and 0.5 m into a corner of three planes with (4, -3, -5) m/s, e = 0.5."""
    R, mass = 0.5, [1.0, 1.0, 1.0, 0.1, 0.1, 0.1]
    points = [[0, 0, -R], [R, 0, 0], [0, -R, 0]]
    normals = [[0, 0, 1], [-1, 0, 0], [0, 1, 0]]
    tangents = [[[1, 0, 0], [0, 1, 0]], [[0, 1, 0], [0, 0, 1]], [[1, 0, 0], [0, 0, 1]]]
    contacts = [rigid(p, n, t) for p, n, t in zip(points, normals, tangents)]
    for name, sizes in (("magnitude", True), ("true", False)):
        impact = Impact(mass, contacts, between(points, normals, tangents, sizes), 0.6, 0.35)
        after, records = impact.collide([4.0, -3.0, -5.0, 0.0, 0.0, 0.0], [0.5])
        for key, value in zip(("vx", "vy", "vz", "wx", "wy", "wz"), after):
            show(f"sphere_{name}_{key}", value)
        show(f"sphere_{name}_work", sum(r["work"] for r in records))
        show(f"sphere_{name}_kinetic", 0.5 * sum(m * x * x for m, x in zip(mass, after)))


def block_corners():
    """Block of 2.5 kg, 0.2 m by 0.1087 m by 0.0645 m, on three corners A, B, C; slip 0.05 m/s, e = 0.5."""
    l, b, h, m = 0.2, 0.1087, 0.0645, 2.5
    mass = [m, m, m, m * (b * b + h * h) / 12, m * (l * l + h * h) / 12, m * (l * l + b * b) / 12]
    points = [[-l / 2, b / 2, -h / 2], [l / 2, b / 2, -h / 2], [l / 2, -b / 2, -h / 2]]
    normals = [[0, 0, 1]] * 3
    tangents = [[[0, 1, 0], [1, 0, 0]]] * 3
    contacts = [rigid(p, n, t) for p, n, t in zip(points, normals, tangents)]
    impact = Impact(mass, contacts, between(points, normals, tangents, True), 0.6, 0.35, step=2.5e-4)
    after, records = impact.collide([0.0, 0.05 - 0.03225 / b, -0.5, 1 / b, 0.0, 0.0], [0.5])
    show("corners_vx", after[0])
    show("corners_vz", after[2])
    show("corners_wx", after[3])
    show("corners_work_1", records[0]["work"])
    show("corners_compression_1", records[0]["compression"])
    show("corners_work_2", records[1]["work"])
    show("corners_length_2", records[1]["length"])


if __name__ == "__main__":
    planar_ball()
    planar_block()
    cradle()
    sphere_corner()
    block_corners()
