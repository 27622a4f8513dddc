#!/usr/bin/env python3
"""Slider-crank with clearance in its guide [Flores2010], event-driven: exact instants of impact, no time-stepping scheme.

Prints NAME = VALUE for the numbers that papers/002.yaml compares with. Only the standard library; shares no code with Jounce.

With the printed initial conditions the slider stays parallel to its guide: two coordinates, the angles a of the crank and b of the
rod, and one unilateral constraint |y| <= c with friction along x. Impacts by Newton's law with Coulomb's friction; a sequence of
impacts that dies out ends in sliding contact.
"""
from math import cos, pi, sin

L1, L2, C = 0.153, 0.306, 1e-3
M1, M2, M3, J1, J2 = 0.038, 0.038, 0.076, 7.4e-5, 5.9e-4
E, MU, G = 0.4, 0.01, 9.81
STEP, SLOW = 2e-6, 1e-7  # [s] of the integration, [m/s] of impacts that have died out


def show(name, value):
    print(f"{name} = {value:.12g}")


def inertia(a, b):
    k = (M2 / 2 + M3) * L1 * L2 * cos(a - b)
    return J1 + L1 * L1 * (M1 / 4 + M2 + M3), k, J2 + L2 * L2 * (M2 / 4 + M3)


def jacobian(a, b):
    """Rows of x and y of the slider."""
    return (-L1 * sin(a), -L2 * sin(b)), (L1 * cos(a), L2 * cos(b))


def solve(m, f):
    det = m[0] * m[2] - m[1] * m[1]
    return (m[2] * f[0] - m[1] * f[1]) / det, (m[0] * f[1] - m[1] * f[0]) / det


def forces(q, u):
    """Gravity and what centrifugal effects do."""
    a, b = q
    k = (M2 / 2 + M3) * L1 * L2 * sin(a - b)
    return (-k * u[1] ** 2 - G * L1 * cos(a) * (M1 / 2 + M2 + M3), k * u[0] ** 2 - G * L2 * cos(b) * (M2 / 2 + M3))


def height(q):
    return L1 * sin(q[0]) + L2 * sin(q[1])


def speeds(q, u):
    x, y = jacobian(*q)
    return x[0] * u[0] + x[1] * u[1], y[0] * u[0] + y[1] * u[1]


def acceleration(q, u, side):
    """side: 0 in flight, +1 or -1 on that guide. Accelerations and the normal force."""
    m, f = inertia(*q), forces(q, u)
    free = solve(m, f)
    if not side:
        return free, 0.0
    x, y = jacobian(*q)
    slip = speeds(q, u)[0]
    way = -side                                    # of the guide's force
    mu = MU if slip > 0 else -MU if slip < 0 else 0.0
    load = (way * y[0] - mu * x[0], way * y[1] - mu * x[1])  # generalised force of a unit normal force
    per = solve(m, load)
    bias = -L1 * sin(q[0]) * u[0] ** 2 - L2 * sin(q[1]) * u[1] ** 2
    normal = -(y[0] * free[0] + y[1] * free[1] + bias) / (y[0] * per[0] + y[1] * per[1])
    return (free[0] + per[0] * normal, free[1] + per[1] * normal), normal


def advance(q, u, side, h):
    """Classical Runge-Kutta step; on a guide the height stays with it."""
    def rate(q, u):
        return u, acceleration(q, u, side)[0]
    k1 = rate(q, u)
    k2 = rate([x + h / 2 * k for x, k in zip(q, k1[0])], [x + h / 2 * k for x, k in zip(u, k1[1])])
    k3 = rate([x + h / 2 * k for x, k in zip(q, k2[0])], [x + h / 2 * k for x, k in zip(u, k2[1])])
    k4 = rate([x + h * k for x, k in zip(q, k3[0])], [x + h * k for x, k in zip(u, k3[1])])
    mix = lambda x, i: [v + h / 6 * (k1[i][n] + 2 * k2[i][n] + 2 * k3[i][n] + k4[i][n]) for n, v in enumerate(x)]
    return mix(q, 0), mix(u, 1)


def strike(q, u, side, e):
    """Velocities after an impact on a guide: v_y+ = -e v_y-, friction that opposes the slip or ends it."""
    m, (x, y) = inertia(*q), jacobian(*q)
    way = -side
    vx, vy = speeds(q, u)
    n = solve(m, (way * y[0], way * y[1]))
    t = solve(m, x)
    nn, nt, tt = way * (y[0] * n[0] + y[1] * n[1]), x[0] * n[0] + x[1] * n[1], x[0] * t[0] + x[1] * t[1]
    want = -(1 + e) * way * vy
    for mu in (MU, -MU, None):  # slip goes on forwards, backwards, or ends
        if mu is None:
            det = nn * tt - nt * nt
            p, f = (tt * want + nt * vx) / det, (-nn * vx - nt * want) / det
        else:
            p = want / (nn - mu * nt)
            f = -mu * p
            after = vx + nt * p + tt * f
            if after * mu <= 0:
                continue
        return [u[0] + n[0] * p + t[0] * f, u[1] + n[1] * p + t[1] * f]


def energy(q, u):
    m = inertia(*q)
    return (m[0] * u[0] ** 2 + 2 * m[1] * u[0] * u[1] + m[2] * u[1] ** 2) / 2 + G * (
        sin(q[0]) * L1 * (M1 / 2 + M2 + M3) + sin(q[1]) * L2 * (M2 / 2 + M3))


def run(until, looks, found):
    q, u, t, side, impacts = [0.0, 0.0], [150.0, -75.0], 0.0, 0, []
    looks = sorted(looks) + [until]
    while True:
        h = min(STEP, looks[0] - t)
        q1, u1 = advance(q, u, side, h)
        turned = 4 * pi - q[0]
        if 0 < turned <= q1[0] - q[0]:
            found["two_turns"] = t + h * turned / (q1[0] - q[0])
        if side:
            vx, new_vx = speeds(q, u)[0], speeds(q1, u1)[0]
            force = acceleration(q1, u1, side)[1]
            if force < 0:
                side = 0
            elif vx * new_vx < 0:                  # slip turns round: go to that instant, then on with the other sign
                h *= vx / (vx - new_vx)
                q1, u1 = advance(q, u, side, h)
                h2 = 1e-12
                q1 = [a + h2 * b for a, b in zip(q1, u1)]
        elif abs(height(q1)) > C and height(q1) * speeds(q1, u1)[1] > 0:
            side_hit = 1 if height(q1) > 0 else -1
            low, high = 0.0, h
            for _ in range(60):
                mid = (low + high) / 2
                low, high = (mid, high) if side_hit * height(advance(q, u, 0, mid)[0]) < C else (low, mid)
            h = high
            q1, u1 = advance(q, u, 0, h)
            speed = side_hit * speeds(q1, u1)[1]
            if speed < SLOW:                       # died out: sliding from here on, if pressed
                u1 = strike(q1, u1, side_hit, 0.0)
                side = side_hit if acceleration(q1, u1, side_hit)[1] > 0 else 0
            else:
                u1 = strike(q1, u1, side_hit, E)
                impacts.append((t + h, speed))
        q, u, t = q1, u1, t + h
        if t >= looks[0] - 1e-13:
            found[looks[0]] = (list(q), list(u))
            looks.pop(0)
            if not looks:
                return impacts


if __name__ == "__main__":
    found = {}
    impacts = run(0.15, [8e-3, 40e-3, 84e-3], found)
    show("impact_1", impacts[0][0])
    show("impact_2", impacts[1][0])
    show("impact_1_speed", -impacts[0][1])
    show("two_turns", found["two_turns"])
    show("crank_speed_8ms", found[8e-3][1][0])
    show("crank_speed_40ms", found[40e-3][1][0])
    show("crank_angle_84ms", found[84e-3][0][0])
    show("energy_150ms", energy(*found[0.15]))
