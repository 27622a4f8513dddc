#!/usr/bin/env python3
"""Runs the programs of this folder and holds the numbers that they print to those that papers/*.yaml name as independent.

A number of an entry must agree with its program to a tenth of what the entry allows Jounce. With --long also the walk of 6 s
(athena.py, a minute); else its first 0.2 s, against what Jounce finds for models/rodrigues2024/athena.yaml there. Exit status 1 if one does not agree.
"""
import glob
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SHORT = {"x_0.2s": 0.024813038753, "z_0.2s": 0.121257635262, "vx_0.2s": 0.124350174060}  # [m], [m/s] of body.torso


def rows():
    """(entry, what, program, name, number, allowed) of all independent rows."""
    for path in sorted(glob.glob(os.path.join(HERE, "..", "*.yaml"))):
        text = open(path, encoding="utf-8").read()
        for row in re.findall(r"- \{what:.*?\}(?=\n)", text, flags=re.S):
            found = re.search(r"independent: ([-\d.e+]+)", row)
            if not found:
                continue
            program, name = re.search(r"program: (\S+) ([\w.]+)", row).groups()
            within, unit = re.search(r"within: ([\d.e+-]+)\s*(%|[a-z]*)", row).groups()
            number = float(found.group(1))
            factor = {"%": abs(number) / 100, "": 1.0, "um": 1e-6, "us": 1e-6, "mm": 1e-3, "ms": 1e-3}[unit]
            yield os.path.basename(path), re.search(r'what: "?([^"\n]{1,60})', row).group(1), program, name, number, float(within) * factor


def run(program, *words):
    text = subprocess.run([sys.executable, os.path.join(HERE, program), *words], capture_output=True, text=True, check=True).stdout
    return {name: float(value) for name, value in re.findall(r"^(\S+) = (\S+)$", text, flags=re.M)}


def main():
    long_too = "--long" in sys.argv
    table = list(rows())
    printed, wrong, checked = {}, 0, 0
    for entry, what, program, name, number, allowed in table:
        if program == "athena.py" and not long_too:
            continue
        if program not in printed:
            printed[program] = run(program)
        value = printed[program].get(name)
        checked += 1
        if value is None or abs(value - number) > 0.1 * allowed:
            wrong += 1
            print(f"{entry}, {what}: {number} stands there, {program} prints {name} = {value} (a tenth of {allowed:g} is allowed)")
    if not long_too:
        for name, value in run("athena.py", "0.2").items():
            checked += 1
            if abs(value - SHORT[name]) > 1e-8:
                wrong += 1
                print(f"athena.py 0.2 prints {name} = {value}, {SHORT[name]} expected")
    print(f"{checked} numbers of {len(printed)} programs checked, {wrong} wrong")
    return 1 if wrong or checked < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
