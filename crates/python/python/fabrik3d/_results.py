"""What solves return: plain values, which pickle."""

from __future__ import annotations

import html
import operator
from typing import TYPE_CHECKING, Dict, Iterable, Iterator, List, NamedTuple, Optional, Tuple

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

#: Rows of a table that Jupyter shows: what fits on a screen beside the code.
_SHOWN = 10


def _table(headings: Iterable[str], rows: Iterable[Iterable[str]], note: str = "") -> str:
    """A table in HTML. Cells are HTML, headings and the note are text."""
    head = "".join(f"<th>{html.escape(heading)}</th>" for heading in headings)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><p>{html.escape(note)}</p>"


def _cell(value: object) -> str:
    return f"{value:.5g}" if isinstance(value, float) else html.escape(str(value))


def _outcome(stop: str) -> str:
    """A reason to stop, marked if targets are missed."""
    return stop if stop == "reached" else f"<mark>{stop}</mark>"


class Info(NamedTuple):
    """How a solve ended."""

    #: Why it stopped, one of `STOPS`.
    stop: str
    #: Whether all targets are met within the tolerances.
    reached: bool
    #: Distance from the target in scene units, the largest of all targets; infinity if the input was refused.
    distance: float
    #: Angle to the target orientation in radians, the largest of all targets; infinity if the input was refused.
    angle: float
    #: The distance as a fraction of the effector's size.
    error: float
    #: Iterations of all attempts.
    iterations: int
    #: Start poses tried.
    attempts: int
    #: The argument that was refused, and why: `rotation: the quaternion is zero`. None otherwise.
    refused: Optional[str]
    #: If it is limited, the joints whose limits keep it from the targets; none if obstacles or other links are in the way.
    blocked_by: List[str]
    #: Largest distance and angle of the targets that are only preferred, and so are never missed; None without any.
    preferred: Optional[Tuple[float, float]] = None
    #: With `balance`, how far the center of mass is beside what the robot stands on, seen from above, in scene units.
    imbalance: Optional[float] = None

    def _repr_html_(self) -> str:
        said = [(name, value) for name, value in self._asdict().items() if value not in (None, [])]
        cells = [_outcome(value) if name == "stop" else _cell(value) for name, value in said]
        return _table([name for name, _ in said], [cells])


class Row(NamedTuple):
    """The answer to one row of targets: a row of the columns of a `Batch` or a `Plan`."""

    #: Joint coordinates, (dof,).
    q: npt.NDArray[np.float64]
    #: Whether all targets of the row are met.
    reached: bool
    #: Why the solve stopped: a place in `STOPS`.
    stop: int
    #: Largest distance from a target in scene units.
    distance: float


class _Rows:
    """Answers to many targets: columns as arrays. An index or a loop gives rows."""

    def __init__(
        self,
        q: npt.NDArray[np.float64],
        reached: npt.NDArray[np.bool_],
        stop: npt.NDArray[np.uint8],
        distance: npt.NDArray[np.float64],
        names: List[str],
    ) -> None:
        #: Joint coordinates, (N, dof).
        self.q = q
        #: The names of the columns of `q`: a joint and what of it, `elbow.angle`.
        self.names = names
        #: Whether all targets of the row are met, (N,).
        self.reached = reached
        #: Why the solve stopped, (N,): places in `STOPS`.
        self.stop = stop
        #: Largest distance from a target in scene units, (N,).
        self.distance = distance

    def __len__(self) -> int:
        return len(self.q)

    def __getitem__(self, row: int) -> Row:
        at = operator.index(row)
        return Row(self.q[at], bool(self.reached[at]), int(self.stop[at]), float(self.distance[at]))

    def __iter__(self) -> Iterator[Row]:
        return map(self.__getitem__, range(len(self)))

    def _outcome(self, at: int) -> str:
        return "reached" if self.reached[at] else "<mark>missed</mark>"

    def _repr_html_(self) -> str:
        shown = range(min(len(self), _SHOWN))
        rows = ([_cell(at), *map(_cell, self.q[at].tolist()), self._outcome(at), _cell(float(self.distance[at]))] for at in shown)
        more = len(self) - len(shown)
        return _table(["", *self.names, "goals", "distance"], rows, f"{more} more rows: {self!r}" if more else repr(self))


class Batch(_Rows):
    """The answers to many targets, one row each. Rows that were refused have NaN as `q`, and are infinitely far."""

    def __init__(
        self,
        q: npt.NDArray[np.float64],
        reached: npt.NDArray[np.bool_],
        stop: npt.NDArray[np.uint8],
        distance: npt.NDArray[np.float64],
        names: List[str],
        iterations: npt.NDArray[np.uint32],
        refused: Dict[int, str],
    ) -> None:
        super().__init__(q, reached, stop, distance, names)
        #: Iterations, (N,).
        self.iterations = iterations
        #: For the first 1000 rows that were refused, the argument that was, and why: `rotations: the quaternion is zero`.
        self.refused = refused

    def __repr__(self) -> str:
        return f"Batch({len(self)} rows, {self.reached.sum()} reached)"


class Plan(_Rows):
    """A path of poses, one row per target."""

    def __init__(
        self,
        q: npt.NDArray[np.float64],
        reached: npt.NDArray[np.bool_],
        stop: npt.NDArray[np.uint8],
        distance: npt.NDArray[np.float64],
        names: List[str],
        jumps: npt.NDArray[np.int64],
        departure: float,
        motion: npt.NDArray[np.float64],
    ) -> None:
        super().__init__(q, reached, stop, distance, names)
        #: The rows to which a joint jumps from the row before. A robot must not follow the path there.
        self.jumps = jumps
        #: How far the effectors leave the straight lines between the rows, jumps apart, in scene units.
        self.departure = departure
        #: The motion, (M, dof): `q`, after the start if it begins there, with rows added for the velocity limits.
        self.motion = motion

    def _outcome(self, at: int) -> str:
        return super()._outcome(at) + (" <mark>jump</mark>" if at in self.jumps else "")

    def __repr__(self) -> str:
        return f"Plan({len(self)} rows, {self.reached.sum()} reached, {len(self.jumps)} jumps)"
