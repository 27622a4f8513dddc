#!/usr/bin/env python3
"""When a contact begins [Flores2009]: ball and pendulum with Hertz's force, and the kinematics of the quick-return mechanism.

Prints NAME = VALUE for the numbers that papers/003.yaml compares with. Only the standard library; shares no code with Jounce.
"""
from math import asin, cos, hypot, pi, sin, sqrt


def show(name, value):
    print(f"{name} = {value:.12g}")


def bisect(f, low, high):
    """Root of f between low (f < 0) and high."""
    for _ in range(200):
        mid = (low + high) / 2
        low, high = (mid, high) if f(mid) < 0 else (low, mid)
    return (low + high) / 2


def ball():
    """1 kg falls 0.9 m onto K = 4.8e10 N/m^1.5, without loss: energy at the deepest point."""
    K, g, m = 47955419461.894104, 9.81, 1.0
    show("ball_deepest", bisect(lambda d: K * d ** 2.5 / 2.5 - m * g * (0.9 + d), 0.0, 1e-2))


def pendulum():
    """1 kg on 1 m, released at 60 degrees, strikes a wall at its lowest point, K = 3.39e10 N/m^1.5; Runge-Kutta in the contact."""
    K, g, L, m = 3.39e10, 9.81, 1.0, 1.0

    def rate(q, w):
        force = K * max(0.0, L * sin(q)) ** 1.5
        return w, -g / L * sin(q) - force * cos(q) / (m * L)
    q, w, t, h = 0.0, sqrt(2 * g / L * (1 - cos(pi / 3))), 0.0, 2e-9
    deepest, largest = 0.0, 0.0
    while True:
        k1 = rate(q, w)
        k2 = rate(q + h / 2 * k1[0], w + h / 2 * k1[1])
        k3 = rate(q + h / 2 * k2[0], w + h / 2 * k2[1])
        k4 = rate(q + h * k3[0], w + h * k3[1])
        q_new = q + h / 6 * (k1[0] + 2 * k2[0] + 2 * k3[0] + k4[0])
        if q_new < 0:
            break
        q, w, t = q_new, w + h / 6 * (k1[1] + 2 * k2[1] + 2 * k3[1] + k4[1]), t + h
        deepest, largest = max(deepest, L * sin(q)), max(largest, K * (L * sin(q)) ** 1.5)
    show("pendulum_duration", t - q / w)  # free from the last point on
    show("pendulum_deepest", deepest)
    show("pendulum_force", largest)


def quick_return():
    """Ram of the ideal mechanism over a turn of the crank at 3 rad/s: speeds by differences of closed positions."""
    l2, l3, l5, y3, y6, omega = 0.1, 0.5, 0.12, -0.25, 0.23, 3.0

    def ram(phi):
        x, y = l2 * cos(phi), l2 * sin(phi) - y3
        r = hypot(x, y)
        xe, ye = l3 * x / r, y3 + l3 * y / r
        return xe + l5 * cos(asin((y6 - ye) / l5))
    n, h = 40000, 1e-5
    speeds = [omega * (8 * (ram(a + h) - ram(a - h)) - ram(a + 2 * h) + ram(a - 2 * h)) / (12 * h)
              for a in (2 * pi * k / n for k in range(n))]
    show("ram_fastest", max(speeds))
    show("ram_slowest", min(speeds))


if __name__ == "__main__":
    ball()
    pendulum()
    quick_return()
