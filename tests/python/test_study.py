"""Studies from Python: tables, samples, findings, identification, errors, Ctrl-C."""

import math
import os
import tempfile
import unittest

import numpy as np

import jounce
from models import FOLDER as MODELS


REBOUND = os.path.join(MODELS, "textbook", "rebound.yaml")
G, RADIUS = 9.81, 0.02


def heights(drop, e, times):
    """Closed form of a ball dropped from a height with a restitution."""
    out = []
    for t in times:
        start, v = math.sqrt(2 * drop / G), math.sqrt(2 * G * drop)
        if t < start:
            out.append(RADIUS + drop - G * t * t / 2)
            continue
        while t >= start + 2 * e * v / G:
            v *= e
            start += 2 * v / G
        x = t - start
        out.append(RADIUS + e * v * x - G * x * x / 2)
    return np.array(out)


class Studies(unittest.TestCase):
    document = {"study": "drops", "model": REBOUND, "vary": {"restitution": np.array([0.5, 0.7, 0.9]), "drop": ["0.4 m", "0.5 m"]},
                "measure": {"top": {"value": "body.ball.y", "at": 0.6}, "impacts": {"count": "events.impact"},
                            "section": {"sample": ["body.ball.y", "body.ball.vy"], "when": "event impact"}}}

    def test_table(self):
        s = jounce.study(self.document, threads=2)
        self.assertEqual(len(s), 6)
        self.assertEqual(s.parameters, ["restitution", "drop"])
        self.assertEqual(s.units["drop"], "m")
        for e, drop, top in zip(s["restitution"], s["drop"], s["top"]):
            self.assertAlmostEqual(top, heights(drop, e, [0.6])[0], places=9)
        points = s.samples("section")
        self.assertEqual(points.shape[1], 4)
        first = points[points[:, 0] == 0][0]
        self.assertAlmostEqual(first[1], math.sqrt(2 * 0.4 / G), places=9)
        self.assertAlmostEqual(first[3], 0.5 * math.sqrt(2 * G * 0.4), places=9)
        self.assertEqual(set(s.verdicts), {"good"})
        self.assertFalse(s.stopped)
        with self.assertRaises(KeyError):
            s["height"]

    def test_model_in_memory(self):
        """A model that was read with other values, one from text, and one made in code, in place of a file."""
        read = jounce.load(REBOUND, restitution=0.6)
        with open(REBOUND, encoding="utf-8") as stream:
            text = jounce.parse(stream.read(), restitution=0.6)
        for model in (read, text):
            s = jounce.study({"model": model, "vary": {"drop": [0.4, 0.5]}, "measure": {"top": {"value": "body.ball.y", "at": 0.6}}})
            for drop, top in zip(s["drop"], s["top"]):
                self.assertAlmostEqual(top, heights(drop, 0.6, [0.6])[0], places=9)
        made = jounce.Model(bodies={"ball": dict(mass=1, com=["h", 0, 0], inertia=[1, 1, 1])}, parameters={"h": "1 m"}, run=dict(until=1))
        s = jounce.study({"model": made, "vary": {"h": [2, 3]}, "measure": {"x": {"end": "body.ball.x"}}})
        self.assertEqual(list(s["x"]), [2, 3])

    def test_file_and_resume(self):
        path = os.path.join(MODELS, "studies", "rebound.yaml")
        with tempfile.TemporaryDirectory() as folder:
            a = jounce.study(path, folder=folder, threads=1)
            b = jounce.study(path, folder=folder, threads=2, resume=True)
            self.assertTrue(os.path.exists(os.path.join(folder, "study.csv")))
        np.testing.assert_array_equal(a.data, b.data)
        self.assertLess(a.findings["drop"].low, 0.46)
        self.assertGreater(a.findings["drop"].high, 0.46)

    def test_identify(self):
        random = np.random.default_rng(4)
        t = np.arange(0.01, 1.4, 0.02)
        y = heights(0.45, 0.85, t) + random.normal(0, 5e-4, len(t))
        s = jounce.identify(REBOUND, {"body.ball.y": (t, y, 5e-4)}, {"drop": (0.3, 0.7), "restitution": (0.6, 0.95)}, starts=3)
        self.assertAlmostEqual(s.findings["drop"].value, 0.45, delta=1e-3)
        self.assertAlmostEqual(s.findings["restitution"].value, 0.85, delta=1e-3)
        self.assertEqual(s.findings["searches that ended there"].value, 3)
        self.assertEqual(s.messages, [])

    def test_identify_from_a_file(self):
        t = np.arange(0.01, 1.4, 0.02)
        y = heights(0.45, 0.85, t)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "heights.csv")
            np.savetxt(path, np.column_stack([t, y, t]), delimiter=",", header="time,height,more", comments="")
            bounds = {"drop": (0.3, 0.7), "restitution": (0.6, 0.95)}
            for data in (path, (path, 5e-4)):
                s = jounce.identify(REBOUND, {"body.ball.y": data}, bounds)
                self.assertAlmostEqual(s.findings["drop"].value, 0.45, places=6)
                self.assertIn("drop = 0.45 (", repr(s))
            with open(path, "a", encoding="utf-8") as stream:
                stream.write("2,x\n")
            self.assertRaisesRegex(ValueError, "body.ball.y: .*heights.csv is no table", jounce.identify, REBOUND, {"body.ball.y": path}, bounds)
        self.assertRaisesRegex(ValueError, "give times, values", jounce.identify, REBOUND, {"body.ball.y": (t,)}, bounds)

    def test_keys_as_keywords(self):
        s = jounce.study(self.document)
        t = jounce.study(**self.document, threads=1)
        self.assertTrue(np.array_equal(s.data, t.data, equal_nan=True))
        self.assertRaisesRegex(TypeError, "a study needs a file", jounce.study)

    def test_errors(self):
        with self.assertRaises(jounce.Error) as caught:
            jounce.study({**self.document, "vary": {"restitutoin": [0.5]}})
        self.assertIn("restitution", caught.exception.hint + caught.exception.text)
        with self.assertRaises(ValueError):
            jounce.identify(REBOUND, {"body.ball.y": ([0, 1], [1])}, {"drop": (0.3, 0.7)})
        with self.assertRaises(TypeError):
            jounce.study(self.document, progress=3)
        with self.assertRaises(jounce.Error):
            jounce.study("nowhere.yaml")

    def test_progress(self):
        calls = []

        def stop(done, runs):
            calls.append((done, runs))
            return False

        many = {**self.document, "vary": {"restitution": {"from": 0.1, "to": 0.95, "count": 200000}}}
        s = jounce.study(many, threads=2, progress=stop)
        self.assertTrue(s.stopped)
        self.assertIn("open", s.verdicts)
        self.assertEqual(calls[0][1], 200000)

        def fail(done, runs):
            raise ZeroDivisionError

        with self.assertRaises(ZeroDivisionError):
            jounce.study(many, threads=2, progress=fail)


if __name__ == "__main__":
    unittest.main()
