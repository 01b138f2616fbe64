"""The software bill of materials names the third-party software that the programs contain. `make
check-packages` validates the bill with the schema of CycloneDX."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from components import components

REPOSITORY = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("WARPLD_BUILD", REPOSITORY / "build")).absolute()
SCRIPT = REPOSITORY / "tools" / "make-sbom.sh"


def bill(*words: str, **environment: str) -> dict[str, Any]:
    command = [str(SCRIPT), "gcc", *words]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | environment)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def names(found: dict[str, Any]) -> set[str]:
    return {component["name"] for component in found["components"]}


def test_the_build_has_the_bill_of_its_kind() -> None:
    """A statically linked program contains glibc and other libraries, so its bill lists them, too.
    The test recognises such a program by the missing segment INTERP."""
    done = subprocess.run(["readelf", "-lW", BUILD / "warpld"], capture_output=True, text=True)
    kinds = {"all"} if "INTERP" in done.stdout else {"all", "bundled", "glibc"}
    found = json.loads((BUILD / "warpld.cdx.json").read_text())
    assert names(found) == {row["Id"] for row in components() if row["In"] in kinds}


@pytest.mark.parametrize("kind", sorted({row["In"] for row in components()}))
def test_a_bill_has_the_components_of_the_kinds(kind: str) -> None:
    rows = [row for row in components() if row["In"] == kind]
    versions = [f"{row['Id']}=7.8.9" for row in rows]
    found = bill(kind, *versions)
    for row, component in zip(rows, found["components"], strict=True):
        assert component["name"] == row["Id"]
        assert component["version"] == "7.8.9"
        assert component["licenses"] == [{"expression": row["Licence"]}]
        assert component["purl"] == f"{row['Purl']}7.8.9"
    references = [component["bom-ref"] for component in found["components"]]
    assert [known["dependsOn"] for known in found["dependencies"]] == [references]


def test_versions_are_those_of_the_headers() -> None:
    """The versions in the bill come from macros of headers. pkg-config, the compiler and the C
    library report the same versions by other means."""
    if not shutil.which("pkg-config"):
        pytest.skip("pkg-config is not installed")
    found = {c["name"]: c["version"] for c in bill("all", "bundled", "glibc")["components"]}
    assert found.pop("gcc") == answer("gcc", "-dumpfullversion")
    assert found.pop("glibc") == answer("getconf", "GNU_LIBC_VERSION").split()[1]
    packages = {"lz4": "liblz4", "zstd": "libzstd", "jansson": "jansson", "xxhash": "libxxhash"}
    assert found == {name: answer("pkg-config", "--modversion", packages[name]) for name in found}


def answer(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_an_unknown_version_is_an_error() -> None:
    command = [str(SCRIPT), "false", "bundled"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert "make-sbom: no version of lz4" in done.stderr


def test_the_time_is_that_of_the_sources() -> None:
    assert "timestamp" not in bill("all", SOURCE_DATE_EPOCH="")["metadata"]
    metadata = bill("all", SOURCE_DATE_EPOCH="1700000000")["metadata"]
    assert metadata["timestamp"] == "2023-11-14T22:13:20Z"
