"""Real use: scipy's optimisers and integrators on a model, control by linear models, results in pandas and xarray, mpi4py with a batch, notebooks.
What is not installed is skipped with a line that says so."""

import importlib.util
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

import jounce
import numpy as np
from models import ARM, BALL, CART_POLE, FOLDER, FOUR_BAR, PENDULUM

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(jounce.__file__)))


ANGLES = {"hip_yaw": 0.0, "hip_pitch": 0.5, "knee": -0.2}  # [rad]


def needs(*modules):
    missing = [m for m in modules if importlib.util.find_spec(m) is None]
    return unittest.skipIf(missing, f"not installed: {', '.join(missing)}; tools/setup.sh --python")


def lqr(A, B, Q, R):
    from scipy.linalg import solve_continuous_are
    return np.linalg.solve(R, B.T @ solve_continuous_are(A, B, Q, R))


@needs("scipy")
class Scipy(unittest.TestCase):
    def test_optimise(self):
        """The length that gives a pendulum the period of 2 s: T = 2 pi sqrt(2 l/(3 g)) for small swings."""
        from scipy.optimize import brentq
        m = jounce.parse(PENDULUM)

        def period_less_two(l):
            s = m.replace(l=l).sim()
            s.equilibrium()
            return 1 / s.modes()[0].frequency - 2

        self.assertAlmostEqual(brentq(period_less_two, 0.5, 3, xtol=1e-12), 1.5 * 9.81 / np.pi**2, places=9)

    def test_throw(self):
        """A throw that lands 2 m away, over the speed and the angle with least speed: 45 degrees."""
        from scipy.optimize import minimize
        m = jounce.Model(bodies={"ball": dict(mass=1, com=[0, 0, 0], inertia=[1, 1, 1])}, run=dict(until=1, integrator="rk4", step="5 ms"))

        def miss(x):
            s = m.sim()
            s.u[0], s.u[2] = x
            s.advance(2 * x[1] / 9.81)
            return s.q[0] - 2

        best = minimize(lambda x: x @ x, [3, 4], bounds=[(1, 8), (1, 8)], constraints={"type": "eq", "fun": miss}, method="SLSQP")
        self.assertTrue(best.success)
        self.assertAlmostEqual(best.fun, 2 * 9.81, delta=1e-5)                    # least square of the speed: g times the distance
        np.testing.assert_allclose(best.x, np.sqrt(9.81), rtol=np.sqrt(1e-6))     # flat there: SLSQP ends by a change of 1e-6 of the least value

    def test_solve_ivp(self):
        """scipy's own integrator on m.rate against ours, trees and loops, quaternions too."""
        from scipy.integrate import solve_ivp
        for text, end, close in ((ARM, 1.0, 1e-7), (CART_POLE, 1.0, 1e-6), (FOUR_BAR, 0.5, 1e-6)):
            m = jounce.parse(text, {"run.integrator": "dopri45", "run.tolerance": 1e-11})
            s = m.sim()
            s.u[:] += 0 if text is FOUR_BAR else 0.5 * np.sin(1 + np.arange(m.nv))
            found = solve_ivp(m.rate, (0, end), np.concatenate([s.q, s.u]), rtol=1e-11, atol=1e-12)
            s.advance(end)
            np.testing.assert_allclose(found.y[:, -1], np.concatenate([s.q, s.u]), atol=close)

    def test_cart_pole(self):
        m = jounce.parse(CART_POLE)
        lin = m.linearise([0, 0])
        K = lqr(lin.A, lin.B[:, :1], np.eye(4), np.eye(1))
        self.assertLess(np.linalg.eigvals(lin.A - lin.B[:, :1] @ K).real.max(), 0)
        self.assertGreater(np.linalg.eigvals(lin.A).real.max(), 1)  # it falls by itself
        s = m.sim()
        s.q[:] = 0.2, 0.3
        s.control = lambda t, q, u: [-K[0] @ np.concatenate([q, u]), 0]
        s.advance(12)
        np.testing.assert_allclose(np.concatenate([s.q, s.u]), 0, atol=1e-3)
        b = jounce.Batch(m, 64)
        b.q[:] = np.random.default_rng(1).uniform(-0.25, 0.25, (64, 2))
        b.control = lambda t, q, u: np.hstack([-np.hstack([q, u]) @ K.T, np.zeros((64, 1))])
        b.advance(12)
        np.testing.assert_allclose(np.hstack([b.q, b.u]), 0, atol=1e-3)

    def test_hexapod_stance(self):
        """ATHENA stands on six soft feet with weak joint springs; LQR from the linear model with contacts makes it stiffer against a push."""
        m = stance(10)
        s = m.sim()
        s.advance(1.5)
        rest, start = s.q.copy(), s.state
        lin = s.linearise()
        self.assertEqual(len(lin.independent), 24)
        self.assertLess(np.abs(s.u).max(), 0.01)  # it stands
        legs = [m.joint(f"{name}{k}").u.start for k in range(1, 7) for name in ANGLES]
        B = lin.B[:, legs]
        K = lqr(lin.A, B, np.diag([1000.0] * 24 + [1.0] * 24), 0.1 * np.eye(18))
        self.assertLess(np.linalg.eigvals(lin.A - B @ K).real.max(), 0)

        def control(t, q, u):
            (w, x, y, z), (a, b, c, d) = rest[3:7], q[3:7]  # 2 (rest* q): the small turn
            turn = 2 * np.array([w * b - x * a - y * d + z * c, w * c + x * d - y * a - z * b, w * d - x * c + y * b - z * a])
            tau = np.zeros(24)
            tau[legs] = -K @ np.concatenate([q[:3] - rest[:3], turn, q[7:] - rest[7:], u])
            return tau

        moved = []
        for controller in (None, control):
            s.state = start
            s.control = controller
            s.push("torso", (0, 0, -15))
            s.advance(1.8)
            moved.append(abs(s.q[2] - rest[2]))
        self.assertGreater(moved[0], 1e-3)
        self.assertLess(moved[1], 0.5 * moved[0])


def stance(stiffness):
    """ATHENA on soft feet, legs bent, with joint springs of that stiffness about the drawn angles."""
    with open(os.path.join(FOLDER, "rodrigues2024", "athena_robot.yml"), encoding="utf-8") as file:
        text = file.read()
    text = text.replace("\nparameters:\n", "\nparameters:\n  z0: 0.2\n  failed: 0\n", 1)
    text = text.replace("\nbodies:\n", "\nbodies:\n  ground: {shape: {type: plane}}\n", 1).replace("velocity: [0.12159, 0, 0], ", "")
    for name, angle in ANGLES.items():
        spring = f"stiffness: {stiffness}, rest: {angle}, damping: {stiffness / 40}" if stiffness else "damping: 0.01"
        text = re.sub(rf"^  ({name}\d): (\{{type: revolute,[^}}]*?)motion: .*\}}$", rf"  \1: \2position: {angle}, {spring}}}", text,
                      flags=re.MULTILINE)
    feet = "".join(f"  foot{k}: {{between: [ground, foot{k}], law: kelvin_voigt, stiffness: 1e4, damping: 50, friction: 0.9}}\n" for k in range(1, 7))
    height = jounce.parse(text + "run: {until: 1}\n").sim()["body.foot1.z"] - 0.012
    text = text.replace("z0: 0.2\n", f"z0: {0.2 - height + 1e-5!r}\n", 1)
    return jounce.parse(text + f"contacts:\n{feet}run: {{method: compliant, integrator: dopri45, tolerance: 1e-5, until: 1}}\n")


class Tables(unittest.TestCase):
    @needs("pandas")
    def test_pandas(self):
        r = jounce.parse(PENDULUM).run()
        frame = r.to_pandas()
        np.testing.assert_array_equal(frame["joint.pin.q"].to_numpy(), r["joint.pin.q"])
        self.assertEqual((frame.index.name, frame.attrs["units"]["joint.pin.q"]), ("time", "rad"))

    @needs("xarray")
    def test_xarray(self):
        r = jounce.parse(PENDULUM).run()
        data = r.to_xarray()
        np.testing.assert_array_equal(data["joint.pin.u"].values, r["joint.pin.u"])
        self.assertEqual(data["joint.pin.u"].attrs["units"], "rad/s")

    @needs("matplotlib")
    def test_plot(self):
        import matplotlib
        matplotlib.use("Agg")
        r = jounce.parse(PENDULUM).run()
        figure = r.plot("joint.pin.q", "joint.pin.u", "energy.*")
        self.assertEqual(len(figure.axes), 3)
        self.assertEqual(figure.axes[0].lines[0].get_label(), "joint.pin.q")
        with self.assertRaises(KeyError):
            r.plot("nothing.*")


class Motion(unittest.TestCase):
    def test_glb(self):
        for text in (BALL, PENDULUM):
            r = jounce.parse(text).run(until=0.3)
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "x.glb")
                r.animate(path)
                with open(path, "rb") as file:
                    data = file.read()
            magic, version, length = struct.unpack_from("<4sII", data)
            self.assertEqual((magic, version, length), (b"glTF", 2, len(data)))
            size = struct.unpack_from("<I", data, 12)[0]
            tree = json.loads(data[20:20 + size])
            body = next(k for k, node in enumerate(tree["nodes"]) if node["name"] in ("ball", "rod"))
            for channel in tree["animations"][0]["channels"]:
                if channel["target"] == {"node": body, "path": "translation"}:
                    accessor = tree["accessors"][tree["animations"][0]["samplers"][channel["sampler"]]["output"]]
                    start = 28 + size + tree["bufferViews"][accessor["bufferView"]]["byteOffset"]
                    moved = np.frombuffer(data, "<f4", 3 * accessor["count"], start).reshape(-1, 3)
            if text is BALL:
                self.assertAlmostEqual(float(moved[-1, 2]), r["body.ball.z"][-1], places=5)

    @needs("matplotlib", "PIL")
    def test_gif(self):
        from PIL import Image
        r = jounce.parse(BALL).run(until=0.2)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.gif")
            r.animate(path, fps=20, size=(160, 120))
            with Image.open(path) as picture:
                self.assertEqual((picture.size, picture.n_frames), ((160, 120), 5))

    def test_what_is_missing(self):
        r = jounce.parse(BALL).run(until=0.01)
        with self.assertRaises(ValueError):
            r.animate("x.avi")
        if not shutil.which("ffmpeg"):
            with self.assertRaisesRegex(FileNotFoundError, "ffmpeg"):
                r.animate("x.mp4")

    def test_html(self):
        r = jounce.parse(BALL).run(until=0.2)
        page = r._repr_html_()
        self.assertIn(r.audit["verdict"].split(";")[0][:20], page)
        self.assertIn("<svg", page)
        self.assertTrue("iframe" in page or "no playback" in page)
        self.assertNotIn("http://", page.split("iframe")[0])


class Processes(unittest.TestCase):
    @needs("mpi4py")
    def test_mpi(self):
        """Two ranks with a batch each: the same bits as one batch of all."""
        if not shutil.which("mpiexec"):
            self.skipTest("not installed: mpiexec")
        code = ("import jounce, numpy as np\nfrom mpi4py import MPI\nfrom models import BALL\n"
                "rank = MPI.COMM_WORLD.Get_rank()\nb = jounce.Batch(jounce.parse(BALL), 4, threads=1)\n"
                "b.u[:, 0] = np.arange(4) + 4 * rank\nb.advance(0.3)\nall_ = MPI.COMM_WORLD.gather(b.q.copy(), root=0)\n"
                "if rank == 0:\n    np.save('all.npy', np.concatenate(all_))\n")
        b = jounce.Batch(jounce.parse(BALL), 8)
        b.u[:, 0] = np.arange(8)
        b.advance(0.3)
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(["mpiexec", "--allow-run-as-root", "--oversubscribe", "-n", "2", sys.executable, "-c", code], cwd=folder,
                                  env={**os.environ, "PYTHONPATH": os.pathsep.join([PACKAGE, HERE]),
                                       "OMPI_MCA_btl_vader_single_copy_mechanism": "none", "OMPI_MCA_rmaps_base_oversubscribe": "1"},
                                  capture_output=True, text=True, timeout=120)
            if not os.path.exists(os.path.join(folder, "all.npy")):
                self.fail(done.stderr[-2000:])
            np.testing.assert_array_equal(np.load(os.path.join(folder, "all.npy")), b.q)


if __name__ == "__main__":
    unittest.main()
