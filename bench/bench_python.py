"""What Python costs beyond C: one step in a call of its own, the best of several rounds, and a batch of 4096 with one call per step, the median over all
steps. Processor time, C and Python in turn; the states at the end are compared first. usage: PYTHONPATH=build/python bench/bench_python.py [build folder]"""

import ctypes
import os
import subprocess
import sys
import sysconfig
import tempfile
import time

import jounce
import jounce.gym
import numpy as np

PENDULUM = """
plane: xy
bodies: {rod: {mass: 1, inertia: 1/12, com: [0.5, 0]}}
joints: {pin: {type: revolute, between: [ground, rod], at: [0, 0]}}
run: {until: 1, integrator: euler, step: 1 ms}
"""
ARM = "bodies:\n" + "".join(f"  b{i}: {{mass: 1, com: [{i - 0.5}, 0, 0], inertia: [0.01, 0.1, 0.1]}}\n" for i in range(1, 7)) + "joints:\n" + "".join(
    f"  j{i}: {{type: revolute, between: [{f'b{i - 1}' if i > 1 else 'ground'}, b{i}], at: [{i - 1}, 0, 0], axis: {'zy'[i % 2]}, damping: 0.1}}\n"
    for i in range(1, 7)) + "run: {until: 1, integrator: euler, step: 1 ms}\n"
BALL = """
bodies:
  ground: {shape: {type: plane}}
  ball: {mass: 1, com: [0, 0, 0.3], inertia: [0.004, 0.004, 0.004], shape: {type: sphere, radius: 0.1, at: [0, 0, 0.3]}}
contacts: {floor: {between: [ground, ball], restitution: 0.5, friction: 0.3}}
run: {method: nonsmooth, step: 1 ms, until: 1}
"""
ROUNDS, STEPS, COUNT, BATCH_STEPS = 7, 20000, 4096, 40


def alone(m):
    best = np.inf
    for _ in range(ROUNDS):
        s = m.sim()
        step = s.step
        start = time.process_time()
        for _ in range(STEPS):
            step()
        best = min(best, 1e6 * (time.process_time() - start) / STEPS)
    return best


def c_batch(library, path):
    """A batch made and stepped by the C functions of the library that this process has loaded: (step, reset)."""
    for name in ("jn_description_read", "jn_model_compile", "jn_batch_create"):
        getattr(library, name).restype = ctypes.c_void_p
    description = ctypes.c_void_p(library.jn_description_read(os.fsencode(path), None, 0, None))
    batch = ctypes.c_void_p(library.jn_batch_create(ctypes.c_void_p(library.jn_model_compile(description, None)), COUNT, 1, None))
    assert batch.value, "no batch"
    one = ctypes.c_long(1)
    return lambda: library.jn_batch_step(batch, one), lambda: [library.jn_batch_reset(batch, i) for i in range(COUNT)]


def batched(m, path, library):
    """C and Python in turn, step by step, in one process: (microseconds of C, of Python, median of the ratios). Others on the machine slow both alike."""
    b = jounce.Batch(m, COUNT, threads=1)
    c_step, c_reset = c_batch(library, path)
    times = []
    for _ in range(ROUNDS):
        b.reset(), c_reset()
        for k in range(BATCH_STEPS):
            took = [0.0, 0.0]
            for which in ((0, 1), (1, 0))[k % 2]:
                step = (c_step, b.step)[which]
                start = time.process_time()
                step()
                took[which] = time.process_time() - start
            times.append(took)
    one = m.sim()
    one.step(BATCH_STEPS)
    assert all(s.state_hash == one.state_hash for s in (b[0], b[COUNT - 1])), "the batch has other bits"
    c, python = np.array(times).T
    return 1e6 * np.median(c) / COUNT, 1e6 * np.median(python) / COUNT, np.median(python / c)


def pybind11_call():
    """Microseconds of a call that does nothing through pybind11, with which MuJoCo's binding is built; None: it is not installed."""
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pybind_step.cpp")
        command = ["g++", "-O2", "-shared", "-fPIC", "-std=c++17", f"-I{sysconfig.get_paths()['include']}", source, "-o", os.path.join(folder, "pybind_step.so")]
        if subprocess.run(command, capture_output=True, check=False).returncode != 0:
            return None
        sys.path.insert(0, folder)
        import pybind_step
        m, d, step, best = pybind_step.Model(), pybind_step.Data(), pybind_step.step, np.inf
        for _ in range(3 * ROUNDS):
            start = time.process_time()
            for _ in range(STEPS):
                step(m, d)
            best = min(best, 1e6 * (time.process_time() - start) / STEPS)
        assert d.time == 3 * ROUNDS * STEPS
    return best


def main():
    build = sys.argv[1] if len(sys.argv) > 1 else "build"
    program = os.path.join(build, "bench", "bench_binding")
    library = ctypes.CDLL(os.path.join(build, "libjounce.so"))
    print("microseconds of processor time per step\n"
          "  scene             C    Python   beyond |  C, 4096   Python   ratio")
    for name, text in (("pendulum", PENDULUM), ("arm of 6", ARM), ("ball on ground", BALL)):
        best = np.full(2, np.inf)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.yaml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            m = jounce.load(path)
            for _ in range(3):
                c = subprocess.run([program, path, str(STEPS)], capture_output=True, text=True, check=True).stdout
                best = np.minimum(best, [float(c), alone(m)])
            c, python, ratio = batched(m, path, library)
        print(f"  {name:14} {best[0]:7.3f}  {best[1]:7.3f}  {best[1] - best[0]:7.3f} |  {c:7.3f}  {python:7.3f}  {ratio:6.3f}", flush=True)
    call = pybind11_call()
    print("a call through pybind11 that does nothing, shaped as MuJoCo's mj_step: " + (f"{call:.3f}" if call else "pybind11-dev is not installed"))
    print("environments: steps of the model per second, all threads; wall time")
    for name, n in (("CartPole", 256), ("Athena", 16), ("Charmie", 4)):
        env = jounce.gym.make_vec(name, n)
        env.reset(seed=1)
        action, actions = env.action_space.sample(), max(1, int(2000 / n))
        start = time.perf_counter()
        for _ in range(actions if name != "Charmie" else 10):
            env.step(action)
        taken = (actions if name != "Charmie" else 10) * n
        rate = taken / (time.perf_counter() - start)
        print(f"  {name:9} {n:4d} environments: {rate:9.0f} actions/s, {rate * env.frame_skip:9.0f} steps/s")


if __name__ == "__main__":
    main()
