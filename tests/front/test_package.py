"""The package: its metadata, what is in the wheel, and extras whose lock is constraints.txt."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support.folders import ROOT

DOCUMENT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = DOCUMENT["project"]
WHEEL = DOCUMENT["tool"]["hatch"]["build"]["targets"]["wheel"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]


def locked() -> dict[str, str]:
    """The versions of constraints.txt by the name of the package."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").split()
    pairs = (line.split("==") for line in lines)
    return {canonicalize_name(name): version for name, version in pairs}


def outside_of_lock(requirement: str, lock: dict[str, str]) -> str | None:
    """What is wrong with a requirement: it pins, or its range does not hold the locked version."""
    found = Requirement(requirement)
    if any(each.operator in ("==", "===") for each in found.specifier) or not found.specifier:
        return f"{requirement}: no range"
    version = lock.get(canonicalize_name(found.name))
    if version is None or version not in found.specifier:
        return f"{requirement}: {version} is locked"
    return None


@pytest.mark.parametrize("extra", EXTRAS)
def test_extras_are_ranges_that_hold_the_locked_version(extra: str) -> None:
    lock = locked()
    assert not [each for each in EXTRAS[extra] if outside_of_lock(each, lock)]


def test_dependencies_are_ranges_that_hold_the_locked_version() -> None:
    lock = locked()
    for each in (*PROJECT["dependencies"], *DOCUMENT["build-system"]["requires"]):
        assert outside_of_lock(each, lock) is None


def test_the_check_of_ranges_sees_what_is_wrong() -> None:
    lock = {"numpy": "2.4.6"}
    assert outside_of_lock("numpy>=2,<3", lock) is None
    assert outside_of_lock("numpy==2.4.6", lock) == "numpy==2.4.6: no range"
    assert outside_of_lock("numpy", lock) == "numpy: no range"
    assert outside_of_lock("numpy>=3", lock) == "numpy>=3: 2.4.6 is locked"
    assert outside_of_lock("scipy>=1", lock) == "scipy>=1: None is locked"


def test_the_wheel_holds_two_packages_and_the_templates() -> None:
    assert WHEEL["packages"] == ["loom", "sim/loom_sim"]
    assert WHEEL["force-include"] == {"rtl_templates": "loom/rtl_templates"}
    for package in WHEEL["packages"]:
        assert (ROOT / package / "py.typed").is_file()
        assert not [*(ROOT / package).rglob("test_*.py")]
    assert "Typing :: Typed" in PROJECT["classifiers"]


def test_the_metadata_names_no_place_on_the_net() -> None:
    assert "urls" not in PROJECT
    assert not re.search(r"https?://", (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
