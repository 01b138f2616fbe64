"""A seccomp filter that refuses memfd_create, as the profiles of some sandboxes do."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct

import pytest

NUMBERS = {"x86_64": 319, "aarch64": 279}  # of the system call memfd_create
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, MODE_FILTER = 22, 38, 2
LOAD_NUMBER, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, REFUSE = 0x7FFF0000, 0x00050000
# One instruction of a filter, struct sock_filter: operation, jump if true, jump if false, operand.
INSTRUCTION = struct.Struct("=HBBI")


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


def refuse_memory_files(error: int = errno.EPERM) -> None:
    """Refuses memfd_create in this process and in all processes that it starts."""
    instructions = (
        (LOAD_NUMBER, 0, 0, 0),
        (JUMP_IF_EQUAL, 0, 1, NUMBERS[platform.machine()]),
        (RETURN, 0, 0, REFUSE | error),
        (RETURN, 0, 0, ALLOW),
    )
    text = b"".join(INSTRUCTION.pack(*instruction) for instruction in instructions)
    program = Program(len(instructions), text)
    library = ctypes.CDLL(None, use_errno=True)
    if library.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "no_new_privs")
    if library.prctl(PR_SET_SECCOMP, MODE_FILTER, ctypes.byref(program), 0, 0):
        raise OSError(ctypes.get_errno(), "seccomp")


def skip_without_filters() -> None:
    """Skips the test where no filter is possible, and fails it if the filter refuses nothing."""
    child = os.fork() if platform.machine() in NUMBERS else None
    if child == 0:
        try:
            refuse_memory_files()
        except OSError:
            os._exit(1)
        try:
            os.memfd_create("refused")
        except PermissionError:
            os._exit(0)
        os._exit(2)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) if child else 1
    if status == 1:
        pytest.skip("the system has no seccomp filters")
    assert status == 0
