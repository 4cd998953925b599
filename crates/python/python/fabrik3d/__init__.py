"""Inverse kinematics with FABRIK: robots and characters from files, batches on all cores, pictures and a live viewer.

>>> import fabrik3d as ik
>>> robot = ik.example("robot-arm")
>>> q, info = robot.solve(position=[0.4, 0.1, 0.5])
>>> info.stop
'reached'

Conventions: coordinates are right-handed; angles are radians, lengths have the unit of the file; quaternions are
`[x, y, z, w]` unless `order="wxyz"` is given; arrays of one pose are `(dof,)`, of many `(N, dof)`. float64 and float32
arrays in C order are read without a copy; results are float64.
"""

from ._errors import ProgramError, SceneError
from ._native import EXAMPLES, STOPS, __version__
from ._results import Batch, Info, Plan, Row
from ._robot import Robot, chain, example

__all__ = [
    "EXAMPLES",
    "STOPS",
    "Batch",
    "Info",
    "Plan",
    "ProgramError",
    "Robot",
    "Row",
    "SceneError",
    "__version__",
    "chain",
    "example",
]
