"""Running compilations on threads of their own, for callers that must not block an event loop."""

from __future__ import annotations

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from . import _core

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Background"]

# As large as a limit can be.
_NO_TIMEOUT_MS = 1 << 62

Result = TypeVar("Result")


class Background:
    """Threads that are made when they are first needed, and anew in a forked child.

    Parameters
    ----------
    max_threads : int
        How many jobs run at once; more wait.
    """

    __slots__ = ("_executor", "_max_threads", "_process")

    def __init__(self, max_threads: int) -> None:
        self._max_threads = max_threads
        self._executor: ThreadPoolExecutor | None = None
        self._process = 0

    def _threads(self) -> ThreadPoolExecutor:
        # Two event loops that come here at once make two; the one that is not kept ends its work.
        executor = self._executor
        if executor is None or self._process != os.getpid():
            executor = ThreadPoolExecutor(self._max_threads, thread_name_prefix="xgrammar-compile")
            self._executor, self._process = executor, os.getpid()
        return executor

    async def run(
        self,
        job: Callable[[_core.CompileControl | None], Result],
        control: _core.CompileControl | None,
    ) -> Result:
        """Return what the job returns, without blocking the running event loop.

        If the awaiting task is cancelled, the job is told to give up and frees its thread soon.
        """
        if control is None:
            control = _core.CompileControl(_NO_TIMEOUT_MS)
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._threads(), job, control)
        except asyncio.CancelledError:
            control.cancel()
            raise
