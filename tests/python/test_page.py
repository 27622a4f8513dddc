"""The code of docs/python.md runs, with the models of docs/getting_started.md."""

import contextlib
import importlib.util
import io
import os
import re
import tempfile
import unittest

DOCS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs")


def blocks(page, language):
    with open(os.path.join(DOCS, page), encoding="utf-8") as file:
        return re.findall(rf"^```{language}\n(.*?)^```", file.read(), re.MULTILINE | re.DOTALL)


class Page(unittest.TestCase):
    def test_code(self):
        code = blocks("python.md", "python")
        self.assertEqual(len(code), 8)
        os.environ["MPLBACKEND"] = "Agg"
        start, out = os.getcwd(), io.StringIO()
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(out):
            for text in blocks("getting_started.md", "yaml"):
                name = re.match(r"# (\w+\.yaml)$", text.split("\n")[0])
                if name and not os.path.exists(os.path.join(folder, name[1])):
                    with open(os.path.join(folder, name[1]), "w", encoding="utf-8") as file:
                        file.write(text)
            os.chdir(folder)
            try:
                names = {}
                for text in code:
                    needed = [module for module in ("pandas", "matplotlib") if module in text and importlib.util.find_spec(module) is None]
                    if not needed:
                        exec(text, names)
            finally:
                os.chdir(start)
        self.assertIn("3.0 rad rad/s", out.getvalue())
        self.assertIn("('ground', 'rod')", out.getvalue())


if __name__ == "__main__":
    unittest.main()
