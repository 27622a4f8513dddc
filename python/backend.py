"""PEP 517 backend without network: builds the module by CMake in the source tree around this folder, and packs it.

The wheel holds the package and libjounce.so beside it; the libraries behind that (tools/setup.sh) are the system's. The sdist is
the source tree as git lists it, with pyproject.toml at its root."""

import base64
import hashlib
import io
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)


def _fields():
    with open(os.path.join(HERE, "pyproject.toml"), encoding="utf-8") as file:
        found = dict(re.findall(r'^(name|version|description|requires-python) = "(.*)"$', file.read(), re.MULTILINE))
    return found


def _metadata():
    f = _fields()
    return (f"Metadata-Version: 2.1\nName: {f['name']}\nVersion: {f['version']}\nSummary: {f['description']}\n"
            f"Requires-Python: {f['requires-python']}\nRequires-Dist: numpy\n")


def _build(folder):
    """Compiles into a build folder of its own; the module finds the library beside itself."""
    subprocess.run(["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DJOUNCE_TESTS=OFF", "-DJOUNCE_BENCH=OFF",
                    "-DJOUNCE_CLI=OFF", f"-DJOUNCE_PYTHON={sys.executable}", "-DCMAKE_BUILD_RPATH=$ORIGIN"], check=True, stdout=sys.stderr)
    subprocess.run(["cmake", "--build", folder, "--target", "jounce_python"], check=True, stdout=sys.stderr)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    f = _fields()
    build = os.path.join(ROOT, "build-wheel")
    _build(build)
    package, library = os.path.join(build, "python", "jounce"), "libjounce.so." + ".".join(f["version"].split(".")[:2])
    files = {}
    for folder, inside, names in os.walk(package):
        inside[:] = sorted(name for name in inside if name != "__pycache__")
        for name in sorted(names):
            path = os.path.join(folder, name)
            files["jounce/" + os.path.relpath(path, package).replace(os.sep, "/")] = path
    files[f"jounce/{library}"] = os.path.join(build, library)
    contents = {}
    for name, path in files.items():
        with open(path, "rb") as file:
            contents[name] = file.read()
    tag = "cp310-abi3-" + re.sub(r"[-.]", "_", sysconfig.get_platform())
    info = f"jounce-{f['version']}.dist-info"
    contents[f"{info}/METADATA"] = _metadata().encode()
    contents[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: jounce\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    record = ""
    for name, data in contents.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(data)}\n"
    contents[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    wheel = f"jounce-{f['version']}-{tag}.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in contents.items():
            archive.writestr(name, data)
    return wheel


def build_sdist(sdist_directory, config_settings=None):
    base = f"jounce-{_fields()['version']}"
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], check=True, capture_output=True).stdout.decode().split("\0")
    with tarfile.open(os.path.join(sdist_directory, base + ".tar.gz"), "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for name in filter(None, listed):
            archive.add(os.path.join(ROOT, name), f"{base}/{name}", recursive=False)
        with open(os.path.join(HERE, "pyproject.toml"), encoding="utf-8") as file:
            project = file.read().replace('backend-path = ["."]', 'backend-path = ["python"]')
        for name, text in (("pyproject.toml", project), ("PKG-INFO", _metadata())):
            entry = tarfile.TarInfo(f"{base}/{name}")
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
    return base + ".tar.gz"
