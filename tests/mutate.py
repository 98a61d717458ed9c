"""Mutation testing: small faults are put into a module, one at a time, and its tests must notice.

    python tests/mutate.py src/jigsolve/puzzle/scores.py --sample 60

The faults come from the operators of cosmic-ray, which must be installed. Each runs in a process of its own, against
the tests that concern the module. Prints the faults that no test noticed.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import random
import sys
import time
from collections import Counter
from pathlib import Path
from types import CodeType

import numba
import numpy as np
import pytest
import scipy.optimize
import scipy.sparse.csgraph
import scipy.special
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

# Imported once, before the processes are forked.
_ = (numba, np, scipy.optimize, scipy.sparse.csgraph, scipy.special)

ROOT = Path(__file__).parent.parent
TESTS = {
    "puzzle/scores.py": ["test_scores.py"],
    "puzzle/geometry.py": ["test_geometry.py"],
    "puzzle/layout.py": ["test_layout.py", "test_scores.py", "test_mirroring.py"],
    "io/layout_file.py": ["test_layout_file.py"],
    "confidence/calibration.py": ["test_calibration.py"],
}
TIMEOUT_S = 300
PASSED = 7  # exit code of a process whose tests passed
IGNORED = ("Decorator", "VariableInserter", "VariableReplacer")  # need arguments, or break the import


class MutatedModule(importlib.abc.MetaPathFinder, importlib.machinery.SourceFileLoader):
    """Imports one module from other source code."""

    def __init__(self, name: str, path: Path, code: str) -> None:
        super().__init__(name, str(path))
        self.code = code

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> object:
        if fullname != self.name:
            return None
        return importlib.util.spec_from_file_location(fullname, self.path, loader=self)

    def get_code(self, fullname: str) -> CodeType:
        return compile(self.code, self.path, "exec")


def list_mutations(code: str) -> list[tuple[str, int]]:
    """Every operator with the number of the place that it changes."""
    nodes = list(ast_nodes(get_ast(code)))
    out = []
    for name in operator_names():
        if not any(word in name for word in IGNORED):
            operator = get_operator(name)()
            out += [(name, k) for k in range(sum(len(list(operator.mutation_positions(node))) for node in nodes))]
    return out


def is_same(code: str, mutated: str) -> bool:
    """Whether only annotations differ."""

    def strip(text: str) -> str:
        tree = ast.parse(text)
        for node in ast.walk(tree):
            if isinstance(node, ast.arg | ast.AnnAssign):
                node.annotation = ast.Constant(0)
            elif isinstance(node, ast.FunctionDef):
                node.returns = None
        return ast.dump(tree)

    return strip(code) == strip(mutated)


def is_noticed(name: str, path: Path, code: str, tests: list[str]) -> bool:
    """Run the tests with this code in the place of the module."""
    child = os.fork()
    if child == 0:
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        sys.meta_path.insert(0, MutatedModule(name, path, code))
        passed = False
        try:
            passed = pytest.main(["-x", "-q", "-p", "no:cacheprovider", *tests]) == 0
        finally:
            os._exit(PASSED if passed else 0)
    until = time.monotonic() + TIMEOUT_S
    while time.monotonic() < until:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status) != PASSED
        time.sleep(0.05)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("module", type=Path)
    parser.add_argument("--sample", type=int, help="Only this many faults, drawn at random.")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    path = given.module.resolve()
    package = path.relative_to(ROOT / "src").with_suffix("")
    tests = [str(ROOT / "tests" / test) for test in TESTS["/".join(package.parts[1:]) + ".py"]]
    code, name = path.read_text(), ".".join(package.parts)
    if is_noticed(name, path, code, tests):
        sys.exit("Expected the tests to pass without a fault.")
    mutations = list_mutations(code)
    random.Random(given.seed).shuffle(mutations)
    seen, done = {code}, Counter[bool]()
    for operator, k in mutations:
        mutated = mutate_code(code, get_operator(operator)(), k)
        if mutated is None or mutated in seen or is_same(code, mutated):
            continue
        seen.add(mutated)
        noticed = is_noticed(name, path, mutated, tests)
        done[noticed] += 1
        if not noticed:
            lines = difflib.unified_diff(code.splitlines(), mutated.splitlines(), lineterm="", n=0)
            sys.stdout.write("\n".join(list(lines)[2:]) + "\n")
            sys.stdout.flush()
        if done.total() == given.sample:
            break
    sys.stdout.write(f"{package}: {done[True]} of {done.total()} faults noticed.\n")


if __name__ == "__main__":
    main()
