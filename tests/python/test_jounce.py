"""The Python package: the same numbers as in closed form, memory without copies, errors, and no crash whatever is passed."""

import gc
import os
import pickle
import random
import signal
import tempfile
import threading
import time
import unittest

import jounce
import numpy as np

from models import PENDULUM

BEARING = """
title: Pendulum in a worn bearing
plane: xy
parameters: {g: 9.81 m/s^2, l: 1 m, m: 1 kg, clearance: 0.5 mm}
gravity: [0, -g]
bodies:
  rod: {mass: m, inertia: m*l^2/12, com: [l/2, 0]}
joints:
  pin: {type: revolute_clearance, between: [ground, rod], at: [0, 0], bearing: 10 mm, clearance: clearance, contact: steel}
contacts:
  steel: {law: flores, stiffness: 1e8, restitution: 0.7, friction: 0.05}
run: {method: compliant, until: 0.1 s}
record: {every: 1 ms}
"""


class Runs(unittest.TestCase):
    def test_pendulum(self):
        for length in (1.0, 2.0):
            r = jounce.parse(PENDULUM, l=f"{length} m").run()
            self.assertTrue(r.ok, r.audit["verdict"])
            self.assertAlmostEqual(r["joint.pin.a"][0], -1.5 * 9.81 / length, places=10)
            q, u = r["joint.pin.q"], r["joint.pin.u"]
            np.testing.assert_allclose(u**2, -3 * 9.81 / length * np.sin(q), atol=1e-6)  # energy
            self.assertEqual((q.unit, u.unit, r.time.unit), ("rad", "rad/s", "s"))
            self.assertEqual(q[2:5].unit, "rad")
            self.assertTrue(np.shares_memory(q, r.data))
            self.assertEqual(pickle.loads(pickle.dumps(q)).unit, "rad")

    def test_until(self):
        m = jounce.parse(PENDULUM)
        self.assertEqual(m.run().state_hash, m.run(until=1).state_hash)
        self.assertEqual(m.run(until=0.25).time[-1], 0.25)
        self.assertEqual(m.run().time[-1], 1.0)

    def test_clearance(self):
        for clearance in (0.5e-3, 0.2e-3):
            r = jounce.parse(BEARING, clearance=clearance).run()
            first = next(e for e in r.events if e.kind == "contact")
            self.assertAlmostEqual(first.time, (2 * clearance / 9.81) ** 0.5, delta=1e-8)
            self.assertEqual(first.where, "pin")
            self.assertTrue(r.audit["ok"], r.audit["verdict"])

    def test_folder_and_progress(self):
        with tempfile.TemporaryDirectory() as folder:
            jounce.parse(PENDULUM).run(folder=folder)
            self.assertTrue(os.path.exists(os.path.join(folder, "summary.json")))
        r = jounce.parse(BEARING, {"record.every": 1}).run(until=1e4, progress=lambda t, part: False)
        self.assertTrue(r.stopped)
        with self.assertRaises(ZeroDivisionError):
            jounce.parse(BEARING, {"record.every": 1}).run(until=1e4, progress=lambda t, part: 1 / 0)

    def test_interrupt(self):
        s = jounce.parse(BEARING).sim()
        for call in (lambda: jounce.parse(BEARING, {"record.every": 1}).run(until=1e4), lambda: s.advance(1e4)):
            threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
            with self.assertRaises(KeyboardInterrupt):
                call()
        s.step()

    def test_result_memory_outlives(self):
        x = jounce.parse(PENDULUM).run()["body.rod.x"]
        kept = np.array(x)
        gc.collect()
        np.testing.assert_array_equal(x, kept)
        with self.assertRaises(ValueError):
            x[0] = 1


class Simulations(unittest.TestCase):
    def test_views(self):
        s = jounce.parse(PENDULUM).sim()
        s.advance(0.1)
        s.q[0], s.u = -np.pi / 2, [0]  # hangs at rest
        s.advance(1)
        self.assertAlmostEqual(s.q[0], -np.pi / 2, places=9)
        self.assertEqual(s.time, 1.0)
        self.assertAlmostEqual(s["body.rod.y"], -0.5, places=9)
        q = s.q[:]
        del s
        gc.collect()
        q[0] = 3.0
        self.assertEqual(q[0], 3.0)

    def test_steps(self):
        m = jounce.parse(BEARING)
        s = m.sim()
        s.step()
        self.assertGreater(s.time, 0)
        s.step(50)
        self.assertTrue(all(c.name for c in s.contacts))

    def test_push(self):
        s = jounce.parse(PENDULUM).sim()
        s.push("rod", (0, 9.81, 0))  # as heavy as the rod: it stays
        s.advance(0.5)
        self.assertAlmostEqual(s.q[0], 0, places=12)
        s.push("rod")
        s.advance(0.6)
        self.assertLess(s.q[0], -1e-3)
        for bad, kind in ((("rodd", (0, 0, 0)), KeyError), ((7, (0, 0, 0)), IndexError), (("ground", (1, 0, 0)), ValueError),
                          (("rod", (float("nan"), 0, 0)), ValueError), (("rod", (1,)), ValueError), ((None, (0, 0)), TypeError)):
            with self.assertRaises(kind):
                s.push(*bad)

    def test_save_and_load(self):
        m = jounce.parse(BEARING)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "state")
            s, other = m.sim(), m.sim()
            s.advance(0.02)
            s.save(path)
            other.load(path)
            s.advance(0.03), other.advance(0.03)
            self.assertEqual(s.state_hash, other.state_hash)
            with self.assertRaises(jounce.Error):
                jounce.parse(PENDULUM).sim().load(path)

    def test_contacts(self):
        s = jounce.parse(BEARING).sim()
        seen = []
        while s.time < 0.02:
            s.step()
            seen += s.contacts
        self.assertTrue(seen)
        self.assertEqual(set(seen[0].bodies), {"ground", "rod"})
        self.assertGreater(max(np.linalg.norm(c.force) for c in seen), 1)

    def test_closed_and_busy(self):
        with jounce.parse(PENDULUM).sim() as s:
            q = s.q
        for call in (s.step, lambda: s.time, lambda: s.contacts, lambda: s.advance(1), lambda: s.save("x")):
            with self.assertRaises(ValueError):
                call()
        q[0] = 1
        s = jounce.parse(BEARING).sim()
        thread = threading.Thread(target=lambda: s.advance(0.5))
        thread.start()
        refused = False
        while thread.is_alive() and not refused:
            try:
                s.time
            except RuntimeError:
                refused = True
            time.sleep(1e-4)
        thread.join()
        self.assertTrue(refused)
        self.assertEqual(s.time, 0.5)


class Errors(unittest.TestCase):
    def test_where_and_hint(self):
        with self.assertRaises(jounce.Error) as caught:
            jounce.parse(PENDULUM.replace("ground, rod", "ground, rodd"), name="p.yaml")
        e = caught.exception
        self.assertEqual((e.file, e.line), ("p.yaml", 8))
        self.assertGreater(e.column, 0)
        self.assertIn("rod", e.hint + e.text)
        self.assertEqual(pickle.loads(pickle.dumps(e)).line, 8)
        with self.assertRaises(jounce.Error):
            jounce.load("no/such/file.yaml")
        with self.assertRaises(jounce.Error):
            jounce.parse(PENDULUM, no_such_parameter=1)

    def test_wrong_numbers(self):
        s = jounce.parse(PENDULUM).sim()
        s.q[0] = np.nan
        with self.assertRaises(ValueError):
            s.step()
        s.q[0] = 0
        s.step()
        with self.assertRaises(ValueError):
            s.q = [1, 2, 3]

    def test_pickle(self):
        m = pickle.loads(pickle.dumps(jounce.parse(PENDULUM, l="2 m")))
        self.assertAlmostEqual(m.run(until=0.1)["joint.pin.a"][0], -1.5 * 9.81 / 2, places=10)

    def test_anything(self):
        """Random arguments to every function: an exception or an answer, never a crash. What is left still works."""
        from jounce import _jounce
        m = jounce.parse(PENDULUM)
        r = random.Random(1)
        sim = m.sim()
        things = [None, 0, -1, 3, 2**70, 0.1, float("nan"), float("inf"), "", "rod", "\udc80", b"", b"a\0b", b"rod", (), (1, 2, 3), [],
                  {}, object(), m, sim, m._capsule, sim._sim, np.zeros(3), ((b"l", b"2"),), ((b"l",),), lambda *a: None]
        calls = [f for name, f in vars(_jounce).items() if callable(f) and name not in ("Error", "sim_close")]
        calls += [sim.push, sim.__getitem__, sim.load, m.sim, jounce.parse, jounce.load, jounce.Simulation]
        with tempfile.TemporaryDirectory() as folder:
            start = os.getcwd()
            os.chdir(folder)
            for _ in range(5000):
                try:
                    r.choice(calls)(*[r.choice(things) for _ in range(r.randrange(5))])
                except Exception:
                    pass
            os.chdir(start)
        self.assertTrue(m.run().ok)


if __name__ == "__main__":
    unittest.main()
