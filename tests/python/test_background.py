"""Threads behind the asynchronous methods, with jobs that do nothing but wait.

Guards that the event loop goes on, that results and errors come back, that no more than the allowed
number run at once, and that a forked child has threads of its own. Compilations and their
cancellation are tests/integration/test_interruption.py.
"""

import asyncio
import os
import threading

import pytest

from xgrammar import _core
from xgrammar._background import Background


def test_the_loop_goes_on_while_a_job_runs():
    go_on = threading.Event()

    async def main():
        task = asyncio.create_task(Background(1).run(lambda _: go_on.wait(20), None))
        for _ in range(3):
            await asyncio.sleep(0)
        go_on.set()
        return await task

    assert asyncio.run(main())


def test_results_and_errors_come_back():
    background = Background(2)

    def fail(_):
        raise KeyError("no")

    async def main():
        assert await background.run(lambda control: control is not None, None)
        with pytest.raises(KeyError):
            await background.run(fail, _core.CompileControl(5))

    asyncio.run(main())
    asyncio.run(main())  # Another loop, the same threads.


def test_no_more_than_so_many_at_once():
    background, running, most = Background(2), [], []

    def job(_):
        running.append(1)
        most.append(len(running))
        threading.Event().wait(0.02)
        running.pop()

    async def main():
        await asyncio.gather(*(background.run(job, None) for _ in range(8)))

    asyncio.run(main())
    assert max(most) <= 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_child_process_has_threads_of_its_own():
    background = Background(1)
    asyncio.run(background.run(lambda _: None, None))
    pid = os.fork()
    if pid == 0:
        try:
            asyncio.run(asyncio.wait_for(background.run(lambda _: None, None), 10))
        except BaseException:  # noqa: BLE001 - the child must not run the parent's handlers.
            os._exit(1)
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0
