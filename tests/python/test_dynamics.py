"""Terms of the equations, linear models, parameters and models in code, against closed forms, identities and the C side's own steps."""

import copy
import multiprocessing
import os
import pickle
import tempfile
import threading
import unittest

import jounce
import numpy as np
from models import ARM, BALL, CART_POLE, FOLDER, FOUR_BAR, PENDULUM


def states(m, count, seed):
    """Random states: angles of any size, unit quaternions."""
    rng, s = np.random.default_rng(seed), m.sim()
    for _ in range(count):
        q = s.q + 0
        yield m.q_moved(q, rng.normal(size=m.nv)), rng.normal(size=m.nv), rng


class Terms(unittest.TestCase):
    def test_identities(self):
        for text in (ARM, CART_POLE, PENDULUM):
            m = jounce.parse(text)
            for q, u, rng in states(m, 100, 1):
                M, h = m.mass_matrix(q), m.forces(q, u)
                np.testing.assert_allclose(M, M.T, atol=1e-12)
                self.assertGreater(np.linalg.eigvalsh(M).min(), 0)
                tau = rng.normal(size=m.nv)
                a = m.accelerations(q, u, tau=tau)
                np.testing.assert_allclose(M @ a, h + tau, atol=1e-9)
                np.testing.assert_allclose(m.inverse_dynamics(q, u, a), tau, atol=1e-9)
                self.assertAlmostEqual(m.energies(q, u)[0], 0.5 * u @ M @ u, places=9)
        g, c = m.gravity_forces(q), m.coriolis_forces(q, u)
        np.testing.assert_allclose(h, g - c, atol=1e-12)  # the pendulum has no other forces

    def test_jacobian(self):
        m = jounce.parse(ARM)
        s = m.sim()
        for q, u, _ in states(m, 50, 2):
            s.q, s.u = q, u
            for place, at in (("tip", (0, 0, 0)), ("b", (0, 0, 0)), ("c", (0.2, 0, 0))):
                v = m.jacobian(place, q, at) @ u
                name = "point.tip" if place == "tip" or place == "c" else "body.b"
                np.testing.assert_allclose(v[:3], [s[f"{name}.v{x}"] for x in "xyz"], atol=1e-9)
            a = m.jacobian("tip", q) @ m.accelerations(q, u) + m.jacobian_bias("tip", q, u)
            np.testing.assert_allclose(a[:3], [s[f"point.tip.a{x}"] for x in "xyz"], atol=1e-8)
        for wrong in (lambda: m.jacobian("nobody", q), lambda: m.jacobian("b", q, frame="up"), lambda: m.jacobian(99, q),
                      lambda: m.jacobian("b", q[:-1]), lambda: m.jacobian("b", q * np.nan)):
            with self.assertRaises((KeyError, ValueError, IndexError)):
                wrong()

    def test_derivatives_by_differences(self):
        for text in (ARM, CART_POLE, PENDULUM):
            m = jounce.parse(text)
            for q, u, rng in states(m, 10, 3):
                lin, e = m.linearise(q, u), 1e-6
                self.assertEqual(lin.independent, list(range(m.nv)))
                for k in range(m.nv):
                    d = np.eye(m.nv)[k] * e
                    by_q = (m.accelerations(m.q_moved(q, d), u) - m.accelerations(m.q_moved(q, -d), u)) / (2 * e)
                    by_u = (m.accelerations(q, u + d) - m.accelerations(q, u - d)) / (2 * e)
                    np.testing.assert_allclose(lin.A[m.nv:, k], by_q, atol=1e-6 * (1 + np.abs(by_q).max()))
                    np.testing.assert_allclose(lin.A[m.nv:, m.nv + k], by_u, atol=1e-6 * (1 + np.abs(by_u).max()))
                np.testing.assert_allclose(lin.B[m.nv:], np.linalg.inv(m.mass_matrix(q)), atol=1e-9)
                np.testing.assert_allclose(lin.a, m.accelerations(q, u), atol=1e-12)

    def test_loops(self):
        m = jounce.parse(FOUR_BAR)
        s = m.sim()
        s.advance(0.3)
        G, gamma = m.constraint_jacobian(s.q), m.constraint_accelerations(s.q, s.u)
        np.testing.assert_allclose(m.constraint_residual(s.q, s.u), 0, atol=1e-9)
        np.testing.assert_allclose(G @ m.accelerations(s.q, s.u), gamma, atol=1e-9)
        np.testing.assert_allclose(m.accelerations(s.q, s.u), s.accelerations(), atol=1e-9)
        lin = s.linearise()
        self.assertEqual(lin.A.shape, (2, 2))
        np.testing.assert_allclose(G @ lin.Z, 0, atol=1e-9)
        crank = m.inverse_dynamics(s.q, s.u, s.accelerations(), actuated=["a"])
        np.testing.assert_allclose(crank, 0, atol=1e-8)  # it moves so by itself
        holding = m.inverse_dynamics(s.q, actuated=["a"])
        self.assertEqual(np.count_nonzero(holding), 1)
        np.testing.assert_allclose(m.accelerations(s.q, 0 * s.u, tau=holding), 0, atol=1e-9)
        m = jounce.parse(CART_POLE)
        with self.assertRaises(ValueError):
            m.inverse_dynamics([0, 0.5], actuated=["rail"])
        with self.assertRaises(KeyError):
            m.inverse_dynamics([0, 0.5], actuated=["rails"])

    def test_equilibrium_and_modes(self):
        m = jounce.parse(PENDULUM)
        s = m.sim()
        s.equilibrium()
        self.assertAlmostEqual(s.q[0], -np.pi / 2, places=9)
        mode = s.modes()[0]
        self.assertAlmostEqual(mode.frequency, np.sqrt(1.5 * 9.81) / (2 * np.pi), places=9)
        np.testing.assert_allclose(np.linalg.eigvals(s.linearise().A).imag.max(), np.sqrt(1.5 * 9.81), rtol=1e-12)

    def test_wrong_arguments(self):
        m = jounce.parse(ARM)
        q, u = m.sim().q, np.zeros(m.nv)
        for call in (lambda: m.accelerations(q, u[1:]), lambda: m.accelerations(q, u, np.inf), lambda: m.accelerations(q, u, tau=[1]),
                     lambda: m.accelerations(0 * q, u), lambda: m.mass_matrix("x"), lambda: m.inverse_dynamics(q, weights=[-1.0] * m.nv),
                     lambda: m.inverse_dynamics(q, actuated=[0, 0]), lambda: m.inverse_dynamics(q, actuated=[-1])):
            with self.assertRaises((ValueError, TypeError)):
                call()

    def test_threads(self):
        m = jounce.parse(ARM)
        q, u = m.sim().q + 0, np.ones(m.nv)
        wanted, wrong = m.accelerations(q, u), []

        def work():
            for _ in range(300):
                if not np.array_equal(m.accelerations(q, u), wanted):
                    wrong.append(1)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertFalse(wrong)


def _end(m):
    return m.run(until=0.2).state_hash


def _go_on(s):
    s.advance(0.5)
    return s.state_hash


class Models(unittest.TestCase):
    def test_parameters(self):
        m = jounce.parse(PENDULUM, l="250 cm")
        self.assertEqual(m.parameters["l"], (2.5, "m"))
        self.assertEqual(m.parameters["m"], jounce.Parameter(1.0, "kg"))
        other = m.replace(m="2 kg")
        self.assertEqual((other.parameters["l"].value, other.parameters["m"].value), (2.5, 2.0))
        self.assertEqual(m.parameters["m"].value, 1.0)
        with self.assertRaises(jounce.Error):
            m.replace(l="2 kg")
        with self.assertRaises(jounce.Error):
            m.replace(nothing=1)
        more = jounce.parse("plane: xy\nparameters: {k: 3 N*s/m, I: 2 kg*m^2, law: hertz, n: 4, e: k*k}\n"
                            "bodies: {a: {mass: 1, com: [0, 0], inertia: 1}}\nrun: {until: 1}\n").parameters
        self.assertEqual([more[k].unit for k in ("k", "I", "law", "n")], ["N*s/m", "kg*m^2", "", ""])
        self.assertEqual((more["law"].value, more["e"]), ("hertz", (9.0, "kg^2*s^-2")))

    def test_joints(self):
        m = jounce.parse(ARM)
        self.assertEqual(m.joint("w"), jounce.Joint("w", "spherical", slice(2, 6), slice(2, 5)))
        self.assertEqual((m.joint_names, m.point_names, m.body_names), (["p", "q", "w"], ["tip"], ["ground", "a", "b", "c"]))

    def test_in_code(self):
        m = jounce.Model(title="Pendulum", plane="xy", run={"until": "1 s"})
        m["parameters"] = dict(l="1 m", m="1 kg")
        m.bodies.rod = dict(mass="m", inertia="m*l^2/12", com=["l/2", 0])
        m.joints.pin = dict(type="revolute", between=["ground", "rod"], at=np.zeros(2))
        self.assertEqual(m.run().state_hash, jounce.parse(PENDULUM).run().state_hash)
        self.assertEqual(m.replace(l="2 m").parameters["l"].value, 2.0)
        self.assertEqual(m.replace({"run.until": "0.5 s"}).run().time[-1], 0.5)
        m.bodies.rod.mass = 3
        self.assertEqual(m.bodies.rod["mass"], 3)
        self.assertAlmostEqual(m.mass_matrix([0])[0, 0], 3 * 0.25 + 1 / 12)
        del m.joints.pin.between
        with self.assertRaises(jounce.Error):
            m.nq, m.run()

    def test_places_of_mistakes(self):
        m = jounce.Model(plane="xy")
        m.bodies.rod = dict(mass=1, com=[0.5, 0], inertia=0.1)
        m.joints.pin = dict(type="revolute", between=["ground", "rodd"], at=[0, 0])
        with self.assertRaises(jounce.Error) as caught:
            m.sim()
        self.assertEqual(caught.exception.path, "joints.pin.between[1]")
        self.assertTrue(str(caught.exception).startswith("joints.pin.between[1]: "))
        self.assertIn("rod", caught.exception.text + caught.exception.hint)
        m.joints.pin.between[1] = "rod"
        m.bodies.rod.masss = 2
        with self.assertRaises(jounce.Error) as caught:
            m.sim()
        self.assertTrue(caught.exception.path.startswith("bodies.rod"))
        del m.bodies.rod.masss
        m.sim()
        for wrong in (lambda: setattr(m, "bodis", {}), lambda: m.bodis, lambda: m["bodis"], lambda: setattr(m, "run", 3),
                      lambda: setattr(m, "nq", 3)):
            with self.assertRaises((AttributeError, KeyError)):
                wrong()
        m.bodies.rod.mass = object()
        with self.assertRaisesRegex(TypeError, "bodies.rod.mass"):
            m.sim()
        m.bodies.rod.mass = np.nan
        with self.assertRaisesRegex(ValueError, "bodies.rod.mass"):
            m.sim()
        with self.assertRaises(AttributeError):
            jounce.parse(PENDULUM).bodies

    def test_save(self):
        m = jounce.Model(title="Ball: it's \"odd\" #1", run=dict(method="nonsmooth", step="1 ms", until=1))
        m.bodies.ground = dict(shape=dict(type="plane"))
        m.bodies.ball = dict(mass=1, com=[0, 0, 0.5], inertia=[0.004] * 3, shape=dict(type="sphere", radius=0.1, at=[0, 0, 0.5]))
        m.contacts.floor = dict(between=["ground", "ball"], restitution=0.5, friction=0.3)
        m["expect"] = [dict(channel="body.ball.z", at="last", above=0.09, source="it lies on the ground")]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.yaml")
            m.save(path)
            again = jounce.load(path)
            self.assertEqual(again.title, m.title)
            self.assertEqual(again.run().state_hash, m.run().state_hash)
            again.save(os.path.join(folder, "y.yaml"))
            with open(path) as a, open(os.path.join(folder, "y.yaml")) as b:
                self.assertEqual(a.read(), b.read())
            with self.assertRaises(ValueError):
                jounce.parse(PENDULUM, l=2).save(path)
        self.assertEqual(m.run().state_hash, jounce.parse(BALL).run().state_hash)

    def test_sections_are_the_readers(self):
        words = jounce.sections()
        self.assertLessEqual({"bodies", "joints", "contacts", "run", "parameters", "forces"}, set(words))
        self.assertTrue(all(words.values()))
        self.assertIn("allOf", jounce.schema())

    def test_pickle_and_processes(self):
        made = jounce.Model(plane="xy", run=dict(until=1))
        made.bodies.rod = dict(mass=1, com=[0.5, 0], inertia=0.1)
        read = jounce.load(os.path.join(FOLDER, "textbook", os.listdir(os.path.join(FOLDER, "textbook"))[0]))
        for m in (made, jounce.parse(BALL, e=0.3), copy.deepcopy(made)):
            self.assertEqual(pickle.loads(pickle.dumps(m)).run().state_hash, m.run().state_hash)
        self.assertEqual(pickle.loads(pickle.dumps(read)).title, read.title)
        models = [jounce.parse(BALL, e=e) for e in (0.1, 0.5, 0.9)]
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            self.assertEqual(pool.map(_end, models), [_end(m) for m in models])
            sims = [m.sim() for m in models]
            for s in sims:
                s.advance(0.3)
            self.assertEqual(pool.map(_go_on, sims), [_go_on(s) for s in sims])
        s = sims[0]
        twin = copy.copy(s)
        self.assertEqual(twin.state_hash, s.state_hash)
        twin.advance(0.6), s.copy()
        self.assertEqual(s.time, 0.5)
        for wrong in (b"", b"x" * 100, s.state[:-8], sims[1].state):
            with self.assertRaises(jounce.Error):
                s.state = wrong


if __name__ == "__main__":
    unittest.main()
