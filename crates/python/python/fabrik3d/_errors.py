"""The exceptions of the package."""

from __future__ import annotations

from typing import Optional


class SceneError(ValueError):
    """A file cannot be read as a robot or a scene.

    Attributes:
        file: the file.
        line, column: the place in the file, counted from 1; None if there is none.
        message: what is wrong.
        hint: how to fix it; None if there is no advice.
    """

    def __init__(
        self,
        text: str,
        file: str = "",
        line: Optional[int] = None,
        column: Optional[int] = None,
        message: str = "",
        hint: Optional[str] = None,
    ) -> None:
        super().__init__(text, file, line, column, message, hint)
        self.file = file
        self.line = line
        self.column = column
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return str(self.args[0])


class ProgramError(RuntimeError):
    """The program fabrik3d, which makes pictures and opens windows, is missing or has failed."""
