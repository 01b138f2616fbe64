"""Tests a sample of the faults that `make torture` tests, and all faults that once showed a
defect."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from container_link import BUILD
from fault_cases import (
    LINKS,
    SITUATIONS,
    Case,
    Workspace,
    before,
    count_calls,
    problems,
    run_campaign,
)

PROGRAM = BUILD / "tests" / "torture" / "warpld"
FAULTS = PROGRAM.with_name("faults.so")
# Only every 17th fault of a link is tested. 17 is a prime, and no call has 17 faults, so the
# effects that are tested vary from call to call.
STEP = 17

pytestmark = pytest.mark.skipif(
    not PROGRAM.exists(), reason="make torture-programs builds what this needs"
)

# Calls of the command that cannot fail, or fail only for wrong arguments.
HARMLESS = """
_ITM_deregisterTMCloneTable _ITM_registerTMCloneTable __assert_fail __ctype_b_loc __cxa_finalize
__environ __errno_location __gmon_start__ __libc_start_main __sched_cpualloc __sched_cpucount
__sched_cpufree __stack_chk_fail __xpg_strerror_r _exit _setjmp abort bsearch clock_gettime closedir
dirfd environ exit ferror free fseek fseeko ftell getauxval getenv geteuid getpid getrusage globfree
isatty kill longjmp memchr memcmp memcpy memmem memmove memrchr memset munmap
posix_spawn_file_actions_destroy posix_spawn_file_actions_init posix_spawnattr_destroy
posix_spawnattr_init posix_spawnattr_setflags posix_spawnattr_setsigdefault
posix_spawnattr_setsigmask pthread_cond_destroy pthread_cond_init pthread_cond_signal
pthread_cond_wait pthread_join pthread_mutex_destroy pthread_mutex_init pthread_mutex_lock
pthread_mutex_unlock pthread_self pthread_sigmask qsort readdir rewinddir sched_getaffinity
sigaction sigaddset sigemptyset sigfillset signal snprintf sprintf sscanf stderr stdout stpcpy
strchr strcmp strcspn strerror strlen strncmp strnlen strpbrk strrchr strsignal strspn strstr
strtok_r strtol strtoul strtoull sysconf time vsnprintf
""".split()
# These functions allocate or write through calls inside the C library. Their failures are those of
# malloc, fflush and fclose.
INSIDE = """
asprintf fprintf fputc fputs fread fwrite glob printf putc strdup vfprintf
""".split()


@pytest.fixture(scope="module")
def workspace() -> Iterator[Workspace]:
    """A workspace outside of pytest's folder, because the cases run as another user, who cannot
    reach that folder."""
    with tempfile.TemporaryDirectory() as root:
        yield Workspace(BUILD, Path(root))


def check(workspace: Workspace, case: Case) -> list[str]:
    right, _ = count_calls(workspace, Case(case.link, case.situation, "", case.options))
    done = workspace.run(case)
    return list(problems(case, done, right))


@pytest.mark.parametrize("situation", SITUATIONS)
@pytest.mark.parametrize("link", LINKS)
def test_no_fault_leaves_a_wrong_file(link: str, situation: str, workspace: Workspace) -> None:
    result = run_campaign(workspace, link, situation, step=STEP)
    assert result.found == []
    assert 0 < result.failed < result.cases


# Maps a description of each defect that was found to the case that showed it.
DEFECTS = {
    "a write that writes nothing was repeated for ever": "plain older pwrite:1:ZERO:on",
    "so was that of a message": "plain older writev:1:ZERO:on -v",
    "a report that was written twice had the size of both": "archive absent linkat:3:ENOENT:on",
    "a report for which memory ran out left its file": "archive no-nameless calloc:2:ENOMEM",
    "the compiler wrote to the current folder":
        "ptx absent posix_spawn_file_actions_addchdir_np:1:ENOMEM",
    "without descriptors the temporary folder remained": "ptx absent openat:6:EMFILE",
    "a message of the optimiser that lacked memory left the folder of the compiler":
        "lto absent malloc:21:ENOMEM:on --diagnostics-format=json",
    "an input that had become empty passed for one without code": "ptx older read:1:ZERO",
}  # fmt: skip


@pytest.mark.parametrize("defect", DEFECTS)
def test_a_defect_does_not_return(defect: str, workspace: Workspace) -> None:
    link, situation, fault, *options = DEFECTS[defect].split()
    assert check(workspace, Case(link, situation, fault, tuple(options))) == []


@pytest.mark.parametrize(
    ("situation", "fault"), [("older", "memfd_create:1:EPERM:on"), ("no-nameless", "")]
)
def test_the_optimiser_needs_no_files_in_memory(
    situation: str, fault: str, workspace: Workspace
) -> None:
    """A sandbox may refuse memfd_create, and a file system may refuse O_TMPFILE. The link succeeds
    anyway."""
    right = workspace.run(Case("lto", "older", ""))
    done = workspace.run(Case("lto", situation, fault))
    assert (done.status, done.files) == (0, right.files)
    assert done.messages == b"warning : it warns\n"


@pytest.mark.parametrize("situation", ["closed-folder", "closed-folder-longer"])
@pytest.mark.parametrize("fault", ["pwrite:1:ENOSPC", "pwrite:2:EIO", "pwrite:2:EIO:on"])
def test_an_output_that_is_written_over_survives(
    situation: str, fault: str, workspace: Workspace
) -> None:
    case = Case("plain", situation, fault)
    done = workspace.run(case)
    assert done.status == 1 and done.files["output"] == before(case)["output"]


def test_older_bytes_are_written_back(workspace: Workspace) -> None:
    """The link writes into an older, longer file, and then fails to cut off its end. So it writes
    the older bytes back."""
    case = Case("plain", "closed-folder-longer", "ftruncate:1:EIO")
    done = workspace.run(case)
    assert done.status == 1 and done.files["output"] == before(case)["output"]


def names(*words: str | Path) -> set[str]:
    listed = subprocess.run(["nm", "-D", *words], capture_output=True, text=True, check=True)
    return {line.split()[-1].split("@")[0] for line in listed.stdout.splitlines()}


def plain(name: str) -> str:
    """The name of a call without the parts that headers add because of compiler flags: for checks
    of sizes, or for a version of the C standard."""
    return re.sub(r"^__isoc\d\d_|^__(?=\w+_chk$)|_chk$", "", name)


def used_calls() -> set[str]:
    return {plain(name) for name in names("--undefined-only", PROGRAM)}


def test_every_call_that_can_fail_is_in_the_table() -> None:
    used = used_calls()
    libraries = {name for name in used if name.startswith(("json_", "ZSTD_", "LZ4_"))}
    table = names("--defined-only", FAULTS)
    assert used - libraries - table - set(HARMLESS) - set(INSIDE) == set()


def test_the_command_makes_every_call_of_the_table() -> None:
    """Names that begin with two underscores are left out, because these functions only exist for
    builds that check sizes."""
    table = {name for name in names("--defined-only", FAULTS) if not name.startswith("__")}
    assert table and table - used_calls() == set()
