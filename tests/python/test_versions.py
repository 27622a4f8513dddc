"""One compiled module for all versions of Python from 3.10 on: whichever others are installed load it, and give the same bits. Only the C side is
tried there, since numpy is rarely installed for them."""

import glob
import os
import re
import shutil
import subprocess
import sys
import unittest

import jounce
from models import PENDULUM

FOLDER = os.path.dirname(os.path.abspath(jounce.__file__))
PROGRAM = f"""
import sys
sys.path.insert(0, {FOLDER!r})
import _jounce
model, messages = _jounce.load(b"pendulum.yaml", {PENDULUM.encode()!r}, ())
sim = _jounce.sim_create(model)
_jounce.sim_advance(sim, 0.5)
print(_jounce.sim_hash(sim))
try:
    _jounce.load(b"wrong.yaml", b"bodies: {{a: {{masss: 1}}}}", ())
except _jounce.Error as error:
    print(error.line, error.hint)
"""


def others():
    """Interpreters of other versions by their versions: on the PATH, and those of pyenv."""
    found = {f"3.{minor}": shutil.which(f"python3.{minor}") for minor in range(10, 20)}
    root = os.environ.get("PYENV_ROOT", os.path.expanduser("~/.pyenv"))
    for path in glob.glob(os.path.join(root, "versions", "3.*", "bin", "python3")):
        version = re.search(r"versions/(3\.\d+)", path).group(1)
        if int(version[2:]) >= 10:
            found[version] = path
    found.pop(f"3.{sys.version_info.minor}", None)
    return {version: path for version, path in found.items() if path and runs(path)}


def runs(path):
    return subprocess.run([path, "-c", "pass"], capture_output=True, check=False).returncode == 0


class Versions(unittest.TestCase):
    def test_same_module(self):
        s = jounce.parse(PENDULUM).sim()
        s.advance(0.5)
        expected = f"{s.state_hash}\n1 write 'mass'\n"
        tried = others()
        if not tried:
            self.skipTest("no other version of Python from 3.10 on is installed")
        for version, path in tried.items():
            with self.subTest(version=version):
                done = subprocess.run([path, "-c", PROGRAM], capture_output=True, text=True, check=False)
                self.assertEqual(done.stdout, expected, done.stderr)


if __name__ == "__main__":
    unittest.main()
