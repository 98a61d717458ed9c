"""`jigsolve warm-up` compiles all that solves need: afterwards nothing is compiled, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

CHECK = """
from jigsolve.cli._kernels import watch_compilation
with watch_compilation() as compilation:
    from jigsolve import solve
    from jigsolve.bags.mixed import solve_mixed
    from jigsolve.io.samples import read_sample
    from jigsolve.puzzle import cut, mix, scramble
    one, two = (scramble(cut(read_sample(name)[:160, :160], 40), False, 1) for name in ("coffee", "cat"))
    solve(one[0], threads=1)
    solve(scramble(cut(read_sample("coffee")[:160, :160], 40), True, 1)[0], threads=1)
    solve_mixed(mix([one, two], 3)[0])
print(compilation.count)
"""


def test_nothing_is_compiled_after_warm_up(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    warmed, checked = (
        subprocess.run([sys.executable, *words], env=environment, capture_output=True, text=True, cwd=tmp_path)
        for words in (["-m", "jigsolve", "warm-up"], ["-c", CHECK])
    )
    assert warmed.stdout.startswith("Ready: everything is compiled"), warmed.stderr
    assert checked.stdout == "0\n", checked.stderr
