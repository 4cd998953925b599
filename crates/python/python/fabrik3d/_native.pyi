"""The compiled half of the package. Its docstrings are in the compiled module."""

import os
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt
from typing_extensions import Self

from ._results import Batch, Info, Plan

__version__: str
#: Names of the built-in examples.
EXAMPLES: List[str]
#: All reasons why a solve stops; `Batch.stop` holds places in this list.
STOPS: List[str]

#: Positions (3,) or matrices (4, 4), with a leading axis N for many.
_Position = npt.ArrayLike
#: Points and directions (3,), with a leading axis N for many.
_Point = npt.ArrayLike
#: Quaternions (4,) or matrices (3, 3), with a leading axis N for many.
_Rotation = npt.ArrayLike
#: Targets of several effectors by name: a position, or a position and a rotation of which one may be None.
_Targets = Mapping[str, Union[_Position, Tuple[Optional[_Position], Optional[_Rotation]]]]

class Robot:
    """The half of `Robot` that computes."""

    def __new__(
        cls,
        path: Union[str, "os.PathLike[str]", None],
        *,
        packages: Optional[Mapping[str, Union[str, "os.PathLike[str]"]]] = None,
        set: Optional[Mapping[str, object]] = None,
        base: Optional[str] = None,
        base_kind: str = "fixed",
        hard_limits: bool = False,
        _state: Any = None,
    ) -> Self: ...
    @property
    def name(self) -> str: ...
    @property
    def source(self) -> Optional[str]: ...
    @property
    def dof(self) -> int: ...
    @property
    def joint_names(self) -> List[str]: ...
    @property
    def columns(self) -> Dict[str, slice]: ...
    @property
    def effector_names(self) -> List[str]: ...
    @property
    def frame_names(self) -> List[str]: ...
    @property
    def warnings(self) -> List[str]: ...
    @property
    def velocity_limits(self) -> npt.NDArray[np.float64]: ...
    @property
    def start(self) -> npt.NDArray[np.float64]: ...
    @property
    def limits(self) -> npt.NDArray[np.float64]: ...
    @property
    def _state(self) -> Tuple[Any, ...]: ...
    @property
    def _flags(self) -> List[str]: ...
    def to_toml(self) -> str: ...
    def solve(
        self,
        position: Union[_Position, _Targets, None] = None,
        rotation: Optional[_Rotation] = None,
        *,
        look_at: Union[_Point, Mapping[str, _Point], None] = None,
        spin_axis: Union[_Point, Mapping[str, _Point], None] = None,
        effector: Optional[str] = None,
        start: Optional[npt.ArrayLike] = None,
        obstacles: Optional[Sequence[Mapping[str, object]]] = None,
        posture: Optional[npt.ArrayLike] = None,
        weights: Optional[npt.ArrayLike] = None,
        preferred: Union[str, Sequence[str], None] = None,
        balance: Optional[npt.ArrayLike] = None,
        track: bool = False,
        elsewhere: bool = False,
        nearest: bool = False,
        max_step: Optional[npt.ArrayLike] = None,
        dt: Optional[float] = None,
        time_limit: Optional[float] = None,
        order: str = "xyzw",
    ) -> Tuple[npt.NDArray[np.float64], Info]: ...
    def solve_many(
        self,
        positions: Union[_Position, _Targets, None] = None,
        rotations: Optional[_Rotation] = None,
        *,
        look_at: Union[_Point, Mapping[str, _Point], None] = None,
        spin_axis: Union[_Point, Mapping[str, _Point], None] = None,
        effector: Optional[str] = None,
        start: Optional[npt.ArrayLike] = None,
        obstacles: Optional[Sequence[Mapping[str, object]]] = None,
        posture: Optional[npt.ArrayLike] = None,
        weights: Optional[npt.ArrayLike] = None,
        preferred: Union[str, Sequence[str], None] = None,
        balance: Optional[npt.ArrayLike] = None,
        nearest: bool = False,
        order: str = "xyzw",
        threads: Optional[int] = None,
        progress: Optional[Callable[[int], object]] = None,
    ) -> Batch: ...
    def plan(
        self,
        positions: Union[_Position, _Targets, None] = None,
        rotations: Optional[_Rotation] = None,
        *,
        look_at: Union[_Point, Mapping[str, _Point], None] = None,
        spin_axis: Union[_Point, Mapping[str, _Point], None] = None,
        effector: Optional[str] = None,
        start: Optional[npt.ArrayLike] = None,
        from_start: bool = False,
        obstacles: Optional[Sequence[Mapping[str, object]]] = None,
        path_tolerance: Optional[float] = None,
        velocity_limits: Optional[npt.ArrayLike] = None,
        dt: Optional[float] = None,
        order: str = "xyzw",
    ) -> Plan: ...
    def solutions(
        self,
        position: Union[_Position, _Targets, None] = None,
        rotation: Optional[_Rotation] = None,
        *,
        look_at: Union[_Point, Mapping[str, _Point], None] = None,
        spin_axis: Union[_Point, Mapping[str, _Point], None] = None,
        effector: Optional[str] = None,
        start: Optional[npt.ArrayLike] = None,
        obstacles: Optional[Sequence[Mapping[str, object]]] = None,
        most: int = 16,
        order: str = "xyzw",
    ) -> npt.NDArray[np.float64]: ...
    def forward(
        self, q: npt.ArrayLike, frames: Union[str, Sequence[str], None] = None
    ) -> npt.NDArray[np.float64]: ...
    def jacobian(self, q: npt.ArrayLike, effector: Optional[str] = None) -> npt.NDArray[np.float64]: ...
    def integrate(self, q: npt.ArrayLike, dq: npt.ArrayLike) -> npt.NDArray[np.float64]: ...
    def errors(
        self,
        q: npt.ArrayLike,
        position: Union[_Position, _Targets, None] = None,
        rotation: Optional[_Rotation] = None,
        *,
        look_at: Union[_Point, Mapping[str, _Point], None] = None,
        spin_axis: Union[_Point, Mapping[str, _Point], None] = None,
        effector: Optional[str] = None,
        order: str = "xyzw",
    ) -> Tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]: ...
    @property
    def _coordinate_names(self) -> List[str]: ...
    def _joint_values(self, q: npt.ArrayLike) -> List[float]: ...
    def _coordinates(self, pose: List[List[float]]) -> npt.NDArray[np.float64]: ...

def chain_state(points: npt.ArrayLike, name: str, free_base: bool) -> Tuple[Any, ...]: ...
def decode_png(data: bytes) -> npt.NDArray[np.uint8]: ...
