"""Random calls of everything with random arguments: exceptions are fine, a crash is not. Run by test_fuzz.py in a process of its own.
usage: fuzz.py SEED CALLS"""

import faulthandler
import gc
import os
import random
import resource
import signal
import sys
import tempfile
import time
import warnings

import jounce
import jounce.gym
import numpy as np
from jounce import _jounce
from models import ARM, BALL, CART_POLE, FOUR_BAR, PENDULUM

faulthandler.enable()
warnings.simplefilter("ignore")
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
TEXTS = [ARM, BALL, CART_POLE, FOUR_BAR, PENDULUM, BALL.replace("nonsmooth", "impact"),
         BALL.replace("nonsmooth", "compliant").replace("restitution: e", "restitution: e, law: flores, stiffness: 1e6")]


class Odd:
    """An object with strange answers."""

    def __len__(self):
        return -1

    def __index__(self):
        return 2**80

    def __float__(self):
        raise ZeroDivisionError

    def __getattr__(self, name):
        raise AttributeError(name)


def array(r):
    shape = tuple(r.choice((0, 1, 2, 3, 4, 7, 24, 100)) for _ in range(r.randrange(4)))
    while np.prod(shape) > 5000:
        shape = shape[1:]
    kind = r.choice((float, np.float32, int, bool, complex, object, "S3", "U2", ">f8", "datetime64[s]"))
    values = np.zeros(shape, kind)
    if values.dtype.kind == "f" and values.size:
        values.ravel()[r.randrange(values.size)] = r.choice((np.nan, np.inf, -np.inf, 1e300, 1.0, -1.0, 5e-324))
    return values[::-1] if values.ndim and r.random() < 0.3 else values


def thing(r, live):
    if live and r.random() < 0.25:
        return r.choice(live)
    if r.random() < 0.3:
        return array(r)
    return r.choice((None, 0, 1, -1, 3, 2**31, 2**63, -2**70, 0.0, 0.1, 1e-3, -1.0, float("nan"), float("inf"), 1e300, True, "", "rod", "ball",
                     "pin", "l", "run.step", "0.5 mm", "\udc80", "a\0b", "x" * 300, b"", b"rod", b"a\0b", b"\xff" * 24, bytes(16), (), (1, 2, 3),
                     (1.0,), [], [1, 2], {}, {"l": 1}, {"run.until": "0.01 s"}, {1: 2}, object(), Odd(), lambda *a: None, lambda *a: 1 / 0,
                     lambda t, q, u: [np.nan], len, int, slice(0, 2), Ellipsis, set(), ((b"l", b"2"),), "mixed", "body.ball.z", "nonsmooth"))


def calls(live):
    """Everything that can be called now."""
    out = [f for name, f in vars(_jounce).items() if callable(f) and name != "Error"]
    out += [getattr(jounce, name) for name in jounce.__all__ if name not in ("Section",)]
    out += [jounce.gym.make, jounce.gym.make_vec, jounce.gym.Box, jounce.gym.register]
    for x in live:
        if type(x).__module__.startswith("jounce"):
            names = [n for n in dir(type(x)) if not n.startswith("__") and n not in ("plot", "_repr_html_", "_read")]
            names += ["__getitem__", "__iter__", "__len__", "__reduce__", "__repr__"]
            out += [getattr(x, n, None) for n in names if callable(getattr(type(x), n, None))]
    return [f for f in out if f is not None]


def write(r, x, live):
    """Sets an attribute or an element of an object or of one of its arrays."""
    if isinstance(x, (jounce.Simulation, jounce.Batch)):
        name = r.choice(("q", "u", "tau", "control", "period", "state"))
        if r.random() < 0.5 and name in ("q", "u", "tau"):
            values = getattr(x, name)
            if values.size:
                values.ravel()[r.randrange(values.size)] = r.choice((0.1, -0.3, np.nan, 1e200))
                values[..., r.randrange(values.shape[-1])] = r.choice((0.0, 0.5, np.inf, 1e30))
        else:
            setattr(x, name, thing(r, live))
    elif isinstance(x, jounce.Model):
        x[r.choice(("bodies", "joints", "run", "parameters", "title", "nothing"))] = thing(r, live)
    elif isinstance(x, jounce.gym.VectorEnv):
        x.step(r.choice((x.action_space.sample(), thing(r, live))))


def use(r, x):
    """What a user would do, whatever was written before."""
    if isinstance(x, jounce.Simulation):
        r.choice((x.step, lambda: x.advance(x.time + 0.01), lambda: x.contacts, lambda: x.audit, x.linearise, x.accelerations, x.restart,
                  x.equilibrium, x.modes, x.copy, lambda: setattr(x, "state", x.state), lambda: x["energy.total"], x.close))()
    elif isinstance(x, jounce.Batch):
        r.choice((x.step, lambda: x.step(5), lambda: x.advance(float(x.time.max()) + 0.01), x.reset, lambda: x.reset([1]), lambda: x.tau,
                  lambda: x["energy.total"], lambda: x[0].step(), lambda: x.failed))()
    elif isinstance(x, jounce.Model):
        q, u = np.ones(x.nq) * r.choice((0.0, 0.3, 1e3, 1e200)), np.ones(x.nv) * r.choice((0.0, 1.0, 1e150))
        r.choice((x.sim, lambda: x.run(until=0.01), lambda: x.accelerations(q, u), lambda: x.mass_matrix(q), lambda: x.linearise(q, u),
                  lambda: x.inverse_dynamics(q, u), lambda: x.jacobian(1, q), lambda: x.parameters, lambda: jounce.Batch(x, 2).step(3)))()


def late(number, frame):
    raise TimeoutError("a call took long")


def main(seed, count):
    r = random.Random(seed)
    np.random.seed(seed)
    live, held, longest = [], [], 0.0
    signal.signal(signal.SIGALRM, late)
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    for k in range(count):
        if not live or k % 200 == 0:  # objects go, some arrays of them stay
            held = [x.q for x in live if isinstance(x, (jounce.Simulation, jounce.Batch))][:5]
            live.clear()
            gc.collect()
            for q in held:
                if q.size and q.flags.writeable:
                    q[...] = 1.0
            m = jounce.parse(r.choice(TEXTS))
            made = jounce.Model(plane="xy", run={"until": 0.1})
            made.bodies.rod = dict(mass=1, com=[0.5, 0], inertia=0.1)
            b = jounce.Batch(m, 3, threads=2, errors=r.choice(("raise", "keep")))
            live += [m, made, m.sim(), b, b[1], made.sim(), m._capsule, m.sim()._sim, b._batch, jounce.Batch(made, 2)]
        try:
            start = time.monotonic()
            signal.setitimer(signal.ITIMER_REAL, 0.3)  # steps by the billion are interrupted, as Ctrl-C does
            if r.random() < 0.3:
                write(r, r.choice(live), live)
            elif r.random() < 0.5:
                use(r, r.choice(live))
            else:
                found = r.choice(calls(live))(*[thing(r, live) for _ in range(r.randrange(6))])
                if type(found).__module__.startswith("jounce") and len(live) < 30:
                    live.append(found)
        except Exception:  # noqa: BLE001
            pass
        try:
            signal.setitimer(signal.ITIMER_REAL, 0)
        except TimeoutError:
            pass
        longest = max(longest, time.monotonic() - start)
    os.chdir("/")
    assert jounce.parse(PENDULUM).run().ok
    print("done", count, f"longest {longest:.1f} s")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
