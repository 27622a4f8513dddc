"""Batches: the bits of single simulations, matrices without copies, controllers, resets, failures, threads."""

import gc
import os
import pickle
import signal
import threading
import unittest

import jounce
import numpy as np
from models import BALL, LIFT, PENDULUM


class Batches(unittest.TestCase):
    def test_same_bits_as_alone(self):
        m = jounce.parse(BALL)
        for threads in (1, 3):
            b = jounce.Batch(m, 7, threads=threads)
            self.assertEqual((b.q.shape, b.u.shape, len(b)), ((7, m.nq), (7, m.nv), 7))
            b.u[:, 0] = np.arange(7) * 0.1
            b.q[3, 2] += 0.2
            b.advance(0.5)
            b.step(10)
            for i in range(7):
                s = m.sim()
                s.u[0] = i * 0.1
                if i == 3:
                    s.q[2] += 0.2
                s.advance(0.5)
                s.step(10)
                self.assertEqual(s.state_hash, b[i].state_hash)
                np.testing.assert_array_equal(s.q, b.q[i])
            np.testing.assert_allclose(b.time, 0.51, rtol=1e-12)
            np.testing.assert_array_equal(b["body.ball.z"], [s["body.ball.z"] for s in b])

    def test_own_memory(self):
        b = jounce.Batch(jounce.parse(BALL), 3)
        q, u, tau = b.q, b.u, b.tau
        self.assertTrue(np.shares_memory(b[1].q, q))
        b[1].u[0] = 2.0
        self.assertEqual(u[1, 0], 2.0)
        b[1].step()
        b.step()
        del b
        gc.collect()
        q[:], u[:], tau[:] = 1, 2, 3
        self.assertEqual((q.sum(), u.sum(), tau.sum()), (q.size, 2 * u.size, 3 * tau.size))

    def test_forces(self):
        for integrator in ("rk4", "dopri45", "adams"):
            b = jounce.Batch(jounce.parse(LIFT.replace("INTEGRATOR", integrator)), 4, threads=2)
            b.tau[:, 0] = 20 + np.arange(4)  # 20 N hold the load
            b.advance(0.5)
            np.testing.assert_allclose(b.q[:, 0], np.arange(4) / 2 * 0.125, atol=1e-9)
            b.tau[:] = 0
            b.advance(1)
            np.testing.assert_allclose(b.u[:, 0], np.arange(4) / 4 - 5, atol=1e-8)

    def test_vector_controller(self):
        m = jounce.parse(LIFT.replace("INTEGRATOR", "rk4"))
        b, one = jounce.Batch(m, 5), m.sim()
        calls = []

        def control(t, q, u):
            calls.append(t[0])
            return 20 + 40 * (np.arange(5)[:, None] * 0.1 - q) - 8 * u

        b.control = control
        b.step(200)
        self.assertEqual(len(calls), 200)
        b.period = 0.1
        b.advance(8)
        self.assertEqual(len(calls), 278)
        np.testing.assert_allclose(b.q[:, 0], np.arange(5) * 0.1, atol=1e-3)
        self.assertEqual(b.time[0], 8.0)
        one.control = lambda t, q, u: [20 + 40 * (0.3 - q[0]) - 8 * u[0]]
        one.advance(8)
        self.assertAlmostEqual(one.q[0], 0.3, places=6)

    def test_parameters(self):
        m = jounce.parse(PENDULUM)
        lengths = np.linspace(0.5, 2, 6)
        b = jounce.Batch(m, 6, parameters={"l": lengths})
        b.advance(1e-3)
        np.testing.assert_allclose(b.u[:, 0], -1.5 * 9.81 / lengths * 1e-3, rtol=1e-5)
        self.assertEqual(b["joint.pin.u"].shape, (6,))
        with self.assertRaises(ValueError):
            jounce.Batch(m, 5, parameters={"l": lengths})
        with self.assertRaises(jounce.Error):
            jounce.Batch([m, jounce.parse(BALL)])

    def test_reset(self):
        m = jounce.parse(BALL)
        b = jounce.Batch(m, 5)
        b.advance(0.4)
        hashes = [s.state_hash for s in b]
        b.tau[:, 1] = 3
        b[2].push("ball", (1, 0, 0))
        b.advance(0.6)
        b.reset([1, 2])
        b.reset(np.array([False, False, False, True, False]))
        np.testing.assert_array_equal(b.time, [0.6, 0, 0, 0, 0.6])
        np.testing.assert_array_equal(b.tau[:, 1], [3, 0, 0, 0, 3])
        b.reset()
        b.advance(0.4)
        self.assertEqual([s.state_hash for s in b], hashes)
        for wrong in ([7], [True, False], np.zeros((5, 2), bool), "x"):
            with self.assertRaises((IndexError, ValueError)):
                b.reset(wrong)

    def test_failures(self):
        b = jounce.Batch(jounce.parse(BALL), 4, threads=2)
        b.q[2, 0] = np.nan
        with self.assertRaises(jounce.Error) as caught:
            b.step()
        self.assertEqual(list(caught.exception.failed), [2])
        self.assertEqual(list(b.failed), [False, False, True, False])
        np.testing.assert_allclose(b.time, [1e-3, 1e-3, 0, 1e-3])
        b.step()  # said once
        b.q[2, 0] = 0
        b.step()
        self.assertFalse(b.failed.any())
        b.tau[1, 0] = np.inf
        with self.assertRaises(jounce.Error):
            b.step()
        b.reset(1)
        b.step()
        quiet = jounce.Batch(jounce.parse(BALL), 2, errors="keep")
        quiet.u[1, 0] = np.inf
        quiet.step(3)
        self.assertEqual(list(quiet.failed), [False, True])

    def test_slots(self):
        b = jounce.Batch(jounce.parse(BALL), 3)
        b.advance(0.5)
        self.assertTrue(b[0].contacts or b[0]["body.ball.z"] > 0.1)
        state = b[0].state
        b.advance(0.6)
        hash_ = b[0].state_hash
        b[1].state = state
        b.advance(0.6)
        self.assertEqual(b[1].state_hash, hash_)
        self.assertEqual(b[-1].time, 0.6)
        for call in (lambda: b[3], lambda: b[-4]):
            with self.assertRaises(IndexError):
                call()
        with self.assertRaises(ValueError):
            b[0].control = lambda t, q, u: None
        s = pickle.loads(pickle.dumps(b[0]))
        self.assertEqual(s.state_hash, b[0].state_hash)
        b.close()
        for call in (b.step, lambda: b.time, lambda: b[0], lambda: b.advance(1)):
            with self.assertRaises(ValueError):
                call()

    def test_interrupt_and_threads(self):
        m = jounce.parse(BALL)
        b = jounce.Batch(m, 3, threads=2)
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt):
            b.advance(1e6)
        stopped = b.time.copy()
        b.advance(stopped.max() + 0.1)
        other = jounce.Batch(m, 3, threads=1)
        other.advance(stopped.max() + 0.1)
        self.assertEqual([s.state_hash for s in b], [s.state_hash for s in other])
        batches = [jounce.Batch(m, 4, threads=2) for _ in range(4)]
        threads = [threading.Thread(target=x.advance, args=(1.0,)) for x in batches]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(len({x[i].state_hash for x in batches for i in range(4)}), 1)

    def test_wrong_sizes(self):
        m = jounce.parse(BALL)
        for n, threads in ((0, 1), (-1, 1), (3, 0), (2**40, 1), (2**30, 1), (2, 2**33)):
            with self.assertRaises((ValueError, jounce.Error, MemoryError)):
                jounce.Batch(m, n, threads=threads)
        with self.assertRaises(TypeError):
            jounce.Batch(3, 4)


class Pushes(unittest.TestCase):
    def test_taken_away(self):
        """A push that is taken away acts no longer, by every method, whether forces were looked at in between or not."""
        for method in ("nonsmooth, step: 1 ms", "impact", "compliant"):
            s = jounce.parse(BALL.replace("nonsmooth, step: 1 ms", method).replace("restitution: e", "restitution: e, law: flores, stiffness: 1e5")).sim()
            s.push("ball", (2, 0, 0))
            s.advance(0.05)
            s.push("ball")
            s.advance(0.06)
            speed = s.u[0]
            self.assertAlmostEqual(speed, 0.1, delta=1e-9)
            s.advance(0.2)
            self.assertAlmostEqual(s.u[0], speed, delta=1e-12)

    def test_modes_with_contacts(self):
        for method in ("nonsmooth, step: 1 ms", "impact"):
            s = jounce.parse(BALL.replace("nonsmooth, step: 1 ms", method)).sim()
            s.advance(0.9)
            self.assertEqual(max(mode.frequency for mode in s.modes()), 0)  # impulses have no stiffness


class Controllers(unittest.TestCase):
    def test_every_evaluation(self):
        s = jounce.parse(PENDULUM).sim()
        seen = []

        def control(t, q, u):
            seen.append(t)
            return [0.5 * 9.81 * np.cos(q[0])]  # carries the weight

        s.control = control
        s.u[0] = 1.0
        s.advance(1)
        self.assertAlmostEqual(s.q[0], 1.0, places=9)
        self.assertGreater(len(seen), 4)
        s.control = None
        s.advance(1.1)
        self.assertLess(s.u[0], 1.0)

    def test_exceptions(self):
        s = jounce.parse(PENDULUM).sim()

        def broken(t, q, u):
            if t > 0.1:
                raise ZeroDivisionError("here")

        s.control = broken
        with self.assertRaises(ZeroDivisionError):
            s.advance(1)
        self.assertTrue(np.isfinite(s.q).all())
        for wrong in (lambda t, q, u: [np.nan], lambda t, q, u: [1, 2, 3], lambda t, q, u: "x", lambda: None, lambda t, q, u: s.step()):
            s.control = wrong
            with self.assertRaises((ValueError, TypeError, RuntimeError)):
                s.advance(s.time + 0.1)
        s.control = None
        s.advance(s.time + 0.1)
        with self.assertRaises(TypeError):
            s.control = 3

    def test_is_released(self):
        import weakref
        s = jounce.parse(PENDULUM).sim()
        s.control = lambda t, q, u: [s.model.nv * 0.0]  # holds s
        s.advance(0.1)
        gone = weakref.ref(s)
        del s
        gc.collect()
        self.assertIsNone(gone())


if __name__ == "__main__":
    unittest.main()
