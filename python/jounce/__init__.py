"""Jounce: multibody dynamics with contact and impact.

    import jounce
    m = jounce.load("bearing.yaml", clearance="0.5 mm")   # parameters of the model file by name
    r = m.run(until=2)                                    # a whole run
    r.time, r["body.rod.x"], r["body.rod.x"].unit         # numpy arrays, in SI units
    r.audit["verdict"], r.events                          # can it be trusted; what happened

    s = m.sim()                                           # step by step
    s.u[0] = 1.0                                          # q and u are the simulation's own memory
    s.advance(0.5)
    s.contacts

    b = jounce.Batch(m, 4096)                             # many, on threads: arrays (n, nq), (n, nv)
    b.step(100)

    jounce.study("study.yaml")["peak"]                    # many runs as one table; jounce.identify fits parameters to data

    m = jounce.Model(plane="xy")                          # a model in code, with the words of the file
    m.bodies.rod = dict(mass=1, inertia=1/12, com=[0.5, 0])

What goes wrong in Jounce raises jounce.Error with file, line, column and hint; wrong arguments raise TypeError, ValueError, KeyError or
IndexError. Computation releases the GIL, and Ctrl-C stops it. A model may be used by many threads at once, a simulation or batch by one at a time.
"""

from . import _jounce
from ._base import Contact, Error, Event, Joint, Linear, Message, Mode, Parameter, Series
from ._batch import Batch
from ._document import Section
from ._model import Model, load, parse, schema, sections
from ._result import Result, audit_fields
from ._simulation import Simulation
from ._study import Finding, Study, identify, study

__all__ = ["Batch", "Contact", "Error", "Event", "Finding", "Joint", "Linear", "Message", "Mode", "Model", "Parameter", "Result", "Section", "Series",
           "Simulation", "Study", "audit_fields", "identify", "load", "parse", "schema", "sections", "study"]
__version__: str = _jounce.version()
