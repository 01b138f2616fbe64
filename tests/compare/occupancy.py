"""Checks that the occupancy of `cubintool explain` is that of the toolkit's cuda_occupancy.h.

    tests/compare/occupancy.py

Compiles a program from src/tool/explain/occupancy.c and the header of an installed toolkit. The
toolkit is CUDA_HOME or, if this is not set, the toolkit of nvcc. The program compares the results
of both for all architectures, block sizes and numbers of registers, and for several sizes of shared
memory. Nothing else in the project needs the header.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from diff_pairs import REPOSITORY

PROGRAM = r"""
#include <stdio.h>
#include <cuda_occupancy.h>
#include "tool/explain/occupancy.h"

static int theirs(const struct multiprocessor *m, const struct block_needs *needs)
{
    int has_reserved = m->number >= 80;
    cudaOccDeviceProp device = {0};
    device.computeMajor = m->number / 10;
    device.computeMinor = m->number % 10;
    device.maxThreadsPerBlock = 1024;
    device.maxThreadsPerMultiprocessor = m->warps * 32;
    device.regsPerBlock = m->block_registers << 10;
    device.regsPerMultiprocessor = 65536;
    device.warpSize = 32;
    device.numSms = 1;
    device.sharedMemPerBlock = 48 << 10;
    device.sharedMemPerMultiprocessor = m->shared_kb << 10;
    device.reservedSharedMemPerBlock = has_reserved ? 1024 : 0;
    device.sharedMemPerBlockOptin = (m->shared_kb << 10) - device.reservedSharedMemPerBlock;
    cudaOccFuncAttributes function = {0};
    function.maxThreadsPerBlock = 1024;
    function.numRegs = (int)needs->registers;
    function.sharedSizeBytes = needs->shared;
    function.partitionedGCConfig = PARTITIONED_GC_OFF;
    function.shmemLimitConfig = FUNC_SHMEM_LIMIT_DEFAULT;
    cudaOccDeviceState state = {0};
    state.cacheConfig = CACHE_PREFER_SHARED;
    state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
    cudaOccResult result;
    int error = cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &function, &state,
                                                        (int)needs->threads, 0);
    return error ? -1 : result.activeBlocksPerMultiprocessor;
}

static long compare(const struct multiprocessor *m, long *all)
{
    long bad = 0;
    for (unsigned threads = 32; threads <= 1024; threads += 32)
        for (unsigned registers = 8; registers <= 255; registers++)
            for (unsigned shared = 0; shared <= 48 << 10; shared += 3100, ++*all) {
                struct block_needs needs = {threads, registers, shared};
                bad += theirs(m, &needs) != (int)occupancy_of(m, &needs).blocks;
            }
    return bad;
}

int main(void)
{
    static const unsigned NUMBERS[] = {NUMBERS_OF_THE_TABLE};
    long bad = 0, all = 0;
    for (unsigned i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++)
        bad += compare(multiprocessor_find(NUMBERS[i]), &all);
    printf("%ld of %ld agree\n", all - bad, all);
    return bad != 0;
}
"""


def include_folder() -> Path | None:
    nvcc = shutil.which("nvcc")
    homes = [os.environ.get("CUDA_HOME"), nvcc and Path(nvcc).resolve().parents[1]]
    folders = [Path(home) / "include" for home in homes if home]
    return next((f for f in folders if (f / "cuda_occupancy.h").exists()), None)


def main() -> int:
    folder = include_folder()
    if not folder:
        print("needs cuda_occupancy.h of a CUDA toolkit", file=sys.stderr)
        return 2
    source = REPOSITORY / "src" / "tool" / "explain"
    table = (source / "multiprocessor.def").read_text()
    numbers = ", ".join(re.findall(r"^MULTIPROCESSOR\((\d+)", table, re.M))
    with tempfile.TemporaryDirectory() as scratch:
        program = Path(scratch) / "compare"
        includes = ["-I", REPOSITORY / "src", "-I", folder]
        command = ["cc", "-O2", *includes, f"-DNUMBERS_OF_THE_TABLE={numbers}"]
        files = ["-x", "c", "-", "-x", "c", source / "occupancy.c", "-o", program]
        subprocess.run([*map(str, [*command, *files])], input=PROGRAM, text=True, check=True)
        return subprocess.run([program], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
