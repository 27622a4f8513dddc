"""The notebooks of python/notebooks run from their first to their last cell."""

import glob
import importlib.util
import os
import unittest

import jounce

HERE = os.path.dirname(os.path.abspath(__file__))
MISSING = [m for m in ("nbconvert", "nbformat", "ipykernel", "matplotlib", "scipy") if importlib.util.find_spec(m) is None]


@unittest.skipIf(MISSING, f"not installed: {', '.join(MISSING)}; tools/setup.sh --python")
class Notebooks(unittest.TestCase):
    def test_all(self):
        import nbformat
        from nbconvert.preprocessors import ExecutePreprocessor
        os.environ["PYTHONPATH"] = os.path.dirname(os.path.dirname(os.path.abspath(jounce.__file__)))
        paths = sorted(glob.glob(os.path.join(HERE, "..", "..", "python", "notebooks", "*.ipynb")))
        self.assertGreater(len(paths), 1)
        for path in paths:
            book = nbformat.read(path, as_version=4)
            self.assertFalse(any(cell.get("outputs") for cell in book.cells), f"{path}: clear its outputs")
            ExecutePreprocessor(timeout=120, kernel_name="python3").preprocess(book, {"metadata": {"path": HERE}})
            shown = [output for cell in book.cells for output in cell.get("outputs", [])]
            self.assertTrue(shown)
            if "clearance" in path:
                self.assertTrue(any("text/html" in output.get("data", {}) for output in shown))


if __name__ == "__main__":
    unittest.main()
