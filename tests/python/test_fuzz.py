"""Thousands of random calls with random arguments in processes of their own: none crashes or hangs."""

import os
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))


class Fuzz(unittest.TestCase):
    def test_no_crash(self):
        for seed in (1, 2):
            done = subprocess.run([sys.executable, os.path.join(HERE, "fuzz.py"), str(seed), "3000"], capture_output=True, text=True, timeout=300)
            self.assertEqual((done.returncode, done.stdout.split()[:1]), (0, ["done"]), f"seed {seed}: {done.stderr[-3000:]}")


if __name__ == "__main__":
    unittest.main()
