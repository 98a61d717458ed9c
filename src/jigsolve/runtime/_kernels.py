"""numba's compiler for the kernels of all packages, with a place for its cache wherever the program is installed."""

import logging
import os
import stat
import tempfile
from functools import cache
from multiprocessing import parent_process

import numba
from llvmlite import binding
from numba import types
from numba.core.registry import cpu_target
from numba.np.numpy_support import carray

__all__ = ["carray", "declare", "define", "load_compiler", "njit", "pointer_to"]


def load_compiler() -> None:
    """Load what numba otherwise loads with the first kernel. That cannot be repeated if an interrupt cuts it off."""
    cpu_target.typing_context.refresh()
    cpu_target.target_context.refresh()


def njit(**options):
    """`numba.njit`. Where numba finds no folder for its cache, a temporary one serves, or none."""

    def compile_kernel(function):
        known = numba.config.CACHE_DIR
        try:
            return _allow_full_disks(numba.njit(**options)(function))
        except RuntimeError:  # the program and the home folder are both read-only
            numba.config.CACHE_DIR = _find_temporary_folder()
            return _allow_full_disks(numba.njit(**options | {"cache": bool(numba.config.CACHE_DIR)})(function))
        finally:
            numba.config.CACHE_DIR = known

    return compile_kernel


def pointer_to(scalar):
    """Type of an argument of `declare`: where an array of this scalar type begins."""
    return types.CPointer(numba.typeof(scalar(0)))


def declare(name, *arguments):
    """A function that other kernels call by its name, compiled once. A kernel would be copied into each caller."""
    return types.ExternalFunction(name, types.void(*arguments))


def define(declared, kernel):
    """Compile the kernel behind a declared function, or load it. Do so before anything that calls it is used."""
    kernel.compile(declared.sig.args)
    compiled = kernel.overloads[declared.sig.args]
    address = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_cfunc_wrapper_name)
    binding.add_symbol(declared.symbol, address)


def _allow_full_disks(kernel):
    """Use a kernel even if its compiled code cannot be written to the cache."""
    save_overload = kernel._cache.save_overload

    def save_if_possible(*compiled):
        try:
            save_overload(*compiled)
        except OSError as error:
            _note(f"compiled kernels cannot be kept: {error.strerror}")

    kernel._cache.save_overload = save_if_possible
    return kernel


@cache
def _find_temporary_folder() -> str:
    """A folder for compiled kernels that later runs find again; empty if there is none that can be trusted."""
    user = os.getuid() if hasattr(os, "getuid") else "user"
    try:
        folder = os.path.join(tempfile.gettempdir(), f"jigsolve-kernels-{user}")
        os.makedirs(folder, mode=0o700, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
        found = os.lstat(folder)
        if hasattr(os, "getuid") and (not stat.S_ISDIR(found.st_mode) or found.st_mode & 0o077 or found.st_uid != user):
            raise PermissionError  # others could put their own code there
    except OSError:
        _note("compiled kernels cannot be kept, so every run begins with some seconds of compilation")
        return ""
    _note(f"compiled kernels are kept in {folder}, as no other folder for them can be written to")
    return folder


@cache
def _note(text: str) -> None:
    if parent_process() is None:  # a worker need not repeat it
        logging.getLogger("jigsolve").warning("Note: %s (NUMBA_CACHE_DIR names another).", text)
