"""Every public name has a docstring and types, the C side's functions have a stub each, and help(jounce) shows all."""

import ast
import inspect
import os
import pydoc
import shutil
import subprocess
import tempfile
import typing
import unittest

import jounce
import jounce.gym
from jounce import _jounce

FOLDER = os.path.dirname(os.path.abspath(jounce.__file__))


def members(kind):
    """Public attributes that the class or its own bases of the package define."""
    for base in kind.__mro__:
        if base.__module__.startswith("jounce"):
            yield from ((name, value) for name, value in vars(base).items() if not name.startswith("_"))


class Names(unittest.TestCase):
    def test_docstrings(self):
        missing = []
        for module in (jounce, jounce.gym):
            self.assertTrue(module.__doc__)
            for name in module.__all__:
                thing = getattr(module, name)
                if not (thing.__doc__ or "").strip():
                    missing.append(f"{module.__name__}.{name}")
                if inspect.isclass(thing) and not hasattr(thing, "_fields"):
                    missing += [f"{name}.{n}" for n, v in members(thing)
                                if (inspect.isfunction(v) or isinstance(v, (property, classmethod))) and not (inspect.getdoc(getattr(thing, n)) or "").strip()]
        self.assertEqual(missing, [])

    def test_annotations(self):
        """Every function and method of the package says the types of its arguments and of its result: what stubs would say."""
        missing, count = [], 0
        for folder, _, files in os.walk(FOLDER):
            for file in (f for f in files if f.endswith(".py")):
                with open(os.path.join(folder, file), encoding="utf-8") as stream:
                    tree = ast.parse(stream.read())
                for node in ast.walk(tree):
                    if not isinstance(node, ast.FunctionDef):
                        continue
                    count += 1
                    arguments = node.args.posonlyargs + node.args.args + node.args.kwonlyargs + [a for a in (node.args.vararg, node.args.kwarg) if a]
                    bare = [a.arg for a in arguments if a.annotation is None and a.arg not in ("self", "cls")]
                    if bare or node.returns is None:
                        missing.append(f"{file}:{node.lineno} {node.name} {bare}")
        self.assertEqual(missing, [])
        self.assertGreater(count, 100)
        self.assertTrue(os.path.exists(os.path.join(FOLDER, "py.typed")))

    def test_stub_of_the_c_side(self):
        with open(os.path.join(FOLDER, "_jounce.pyi"), encoding="utf-8") as stream:
            tree = ast.parse(stream.read())
        stubs = {node.name: node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        there = {name for name in vars(_jounce) if not name.startswith("_")}
        self.assertEqual(there, {name for name in stubs if not name.startswith("_")})
        for name in there - {"Error"}:
            doc = getattr(_jounce, name).__doc__
            self.assertTrue(doc and doc.startswith(name + "("), name)
            wanted = doc[len(name) + 1:doc.index(")")]
            self.assertEqual(len([a for a in wanted.split(",") if a.strip()]), len(stubs[name].args.args + stubs[name].args.posonlyargs), name)
        self.assertEqual({n.target.id for n in stubs["Error"].body if isinstance(n, ast.AnnAssign)},
                         {"file", "line", "column", "path", "text", "hint", "status", "result", "failed"})

    @unittest.skipUnless(shutil.which("stubtest"), "mypy is not installed")
    def test_types(self):
        """mypy finds no fault with the package, and the stub of the C side is what the module has."""
        with tempfile.TemporaryDirectory() as folder:
            config = os.path.join(folder, "mypy.ini")
            with open(config, "w", encoding="utf-8") as stream:
                stream.write("[mypy]\n[mypy-matplotlib.*]\nignore_missing_imports = True\n")
            package = os.path.dirname(FOLDER)
            environment = {**os.environ, "PYTHONPATH": package, "MYPYPATH": package}
            for command in (["stubtest", "jounce._jounce", "--mypy-config-file", config],
                            ["mypy", "-p", "jounce", "--config-file", config, "--cache-dir", folder]):
                done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_help(self):
        text = pydoc.plain(pydoc.render_doc(jounce))
        for name in jounce.__all__:
            self.assertIn(name, text)
        self.assertIn("linearise", text)
        for name, doc in jounce.audit_fields().items():
            self.assertTrue(doc, name)
        m = jounce.parse("plane: xy\nbodies: {a: {mass: 1, com: [0, 0], inertia: 1}}\nrun: {until: 0.1}\n")
        self.assertEqual(set(m.run().audit), set(jounce.audit_fields()))

    def test_types_can_be_evaluated(self):
        for kind in (jounce.Simulation, jounce.Batch):
            for name, value in members(kind):
                if inspect.isfunction(value) and name not in ("control",):
                    typing.get_type_hints(value, {**vars(jounce), **vars(inspect.getmodule(value))})


if __name__ == "__main__":
    unittest.main()
