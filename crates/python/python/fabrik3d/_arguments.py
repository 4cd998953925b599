"""Arguments of what is written in Python: values of the right type, or an exception that names the argument."""

from __future__ import annotations

import math
import os
from typing import Any, List, Sequence, Tuple

import numpy as np
import numpy.typing as npt


def poses(values: npt.ArrayLike, dof: int) -> npt.NDArray[np.float64]:
    """A path, (N, dof) with at least one row."""
    path = _array("path", values)
    if path.ndim != 2 or path.shape[1] != dof or len(path) == 0:
        raise ValueError(f"path has the shape {path.shape}; it needs (N, {dof}) with at least one row")
    bad = np.flatnonzero(~np.isfinite(path).all(axis=1))
    if len(bad):
        raise ValueError(f"path[{bad[0]}] is not finite")
    return path


def vector(name: str, values: npt.ArrayLike, count: int) -> List[float]:
    """This many finite numbers."""
    numbers = _array(name, values)
    if numbers.shape != (count,):
        raise ValueError(f"{name} has the shape {numbers.shape}; it needs ({count},)")
    if not np.isfinite(numbers).all():
        raise ValueError(f"{name} is not finite")
    return [float(number) for number in numbers]


def _array(name: str, values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    try:
        array = np.asarray(values)
    except Exception as error:
        raise TypeError(f"{name} must be an array of numbers, not {type(values).__name__}") from error
    if array.dtype.kind not in "fiu":
        raise TypeError(f"{name} must be an array of numbers; its dtype is {array.dtype}")
    # What is too large for float64 becomes infinite, which the callers refuse.
    with np.errstate(over="ignore"):
        return array.astype(np.float64)


def number(name: str, value: Any) -> float:
    """A finite number."""
    try:
        found = float(value)
    except Exception as error:
        raise TypeError(f"{name} must be a number, not {type(value).__name__}") from error
    if not math.isfinite(found):
        raise ValueError(f"{name} must be finite, not {found}")
    return found


def rate(fps: Any) -> float:
    """Frames per second."""
    found = number("fps", fps)
    if not 1e-3 <= found <= 1e3:
        raise ValueError(f"fps must be between 0.001 and 1000, not {found}")
    return found


def size(value: Any) -> Tuple[int, int]:
    """Width and height in pixels. Their range is checked by the program."""
    try:
        width, height = value
        return width.__index__(), height.__index__()
    except Exception as error:
        raise TypeError(f"size must be (width, height) in whole pixels, not {_brief(value)}") from error


def choice(name: str, value: Any, choices: Sequence[str]) -> str:
    """One of these words."""
    if not (_is_text(value) and value in choices):
        raise ValueError(f"{name} must be {' or '.join(map(repr, choices))}, not {_brief(value)}")
    return value


def line(name: str, value: Any) -> str:
    """A text of a single line."""
    if not _is_text(value):
        raise TypeError(f"{name} must be a text, not {type(value).__name__}")
    if "\n" in value or "\r" in value:
        raise ValueError(f"{name} must be a single line")
    return value.encode("utf-8", "replace").decode("utf-8")


def commands(value: Any) -> List[str]:
    """Commands of scripts."""
    if not issubclass(type(value), (list, tuple)):
        raise TypeError(f"commands must be a list of texts, not {type(value).__name__}")
    return [line(f"commands[{at}]", command) for at, command in enumerate(value)]


def path(name: str, value: Any) -> str:
    """The path of a file."""
    try:
        found = os.fspath(value)
    except Exception as error:
        raise TypeError(f"{name} must be the path of a file, not {type(value).__name__}") from error
    return os.fsdecode(found)


def _is_text(value: Any) -> bool:
    # `isinstance` asks the object too, which may raise anything.
    return issubclass(type(value), str)


def _brief(value: Any) -> str:
    """A value as it is written, or its type if that fails or is long."""
    try:
        text = repr(value)
    except Exception:
        text = ""
    return text if 0 < len(text) <= 60 else type(value).__name__
