"""What another user, an accident or a signal leaves in the cache is not run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from loom_sim import cache
from loom_sim.cache import DIGESTS, cache_root, made_once, seal

from loom.errors import LoomError
from tests.support.folders import ROOT

NAME = "design-0123456789abcdef0123456789abcdef"


def build(root: Path, text: str = "good") -> str:
    """The text of the program in the cache, `text` if it is made now."""

    def make(folder: Path) -> None:
        (folder / "program").write_text(text)
        (folder / "part").mkdir()
        (folder / "part" / "source").write_text(text)

    return (made_once(root, NAME, "program", make) / "program").read_text()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    found = cache_root(tmp_path / "cache")
    assert build(found) == "good"
    return found


def test_a_build_is_kept(root: Path) -> None:
    assert build(root, "made again") == "good"
    assert build(root, "made again") == "good"


def change_program(root: Path) -> None:
    (root / NAME / "program").write_text("evil")


def change_part(root: Path) -> None:
    (root / NAME / "part" / "source").write_text("evil")


def add_file(root: Path) -> None:
    (root / NAME / "more").write_text("evil")


def remove_program(root: Path) -> None:
    (root / NAME / "program").unlink()


def remove_part(root: Path) -> None:
    (root / NAME / "part" / "source").unlink()


def remove_digests(root: Path) -> None:
    (root / NAME / DIGESTS).unlink()


def break_digests(root: Path) -> None:
    (root / NAME / DIGESTS).write_text("[")


def make_link_of_program(root: Path) -> None:
    program = root / NAME / "program"
    program.rename(root.parent / "elsewhere")
    program.symlink_to(root.parent / "elsewhere")


def make_link_of_folder(root: Path) -> None:
    """A folder of somebody's who can change it later; its digests are right."""
    (root / NAME).rename(root.parent / "elsewhere")
    (root / NAME).symlink_to(root.parent / "elsewhere")


def let_others_write(root: Path) -> None:
    """Planted with digests that are right, while the folder was open to all."""
    change_program(root)
    seal(root / NAME)
    (root / NAME).chmod(0o777)


FAULTS: list[Callable[[Path], None]] = [
    change_program, change_part, add_file, remove_program, remove_part, remove_digests,
    break_digests, make_link_of_program, make_link_of_folder, let_others_write,
]  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_build_that_is_not_as_it_was_made_is_made_again(
    fault: Callable[[Path], None], root: Path
) -> None:
    fault(root)
    assert build(root, "made again") == "made again"
    assert build(root, "a third time") == "made again"
    elsewhere = root.parent / "elsewhere"
    assert not elsewhere.exists() or (elsewhere.is_file() or list(elsewhere.iterdir()))


def test_what_another_user_owns_is_made_again(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change_program(root)
    seal(root / NAME)
    assert build(root, "made again") == "evil"  # nobody but us could write it
    monkeypatch.setattr(cache, "is_ours", lambda folder: False)
    assert build(root, "made again") == "made again"


def test_the_cache_is_for_its_user(tmp_path: Path) -> None:
    made = cache_root(tmp_path / "new" / "cache")
    assert made.stat().st_mode & 0o777 == 0o700
    assert build(made) == "good"
    assert (made / NAME).stat().st_mode & 0o777 == 0o700
    given = tmp_path / "given"
    given.mkdir()
    given.chmod(0o777)
    assert cache_root(given).stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize(("user", "whose"), [(0, "can write"), (1, "owns")])
def test_a_cache_of_others_is_refused(
    user: int, whose: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that belongs to another user, and one in a file system without permissions."""
    monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + user)
    monkeypatch.setattr(Path, "chmod", lambda *given: None)
    os.chmod(tmp_path, 0o777)
    with pytest.raises(LoomError) as caught:
        cache_root(tmp_path)
    assert str(caught.value) == (
        f"{tmp_path}: error[SIM_CACHE]: found a cache folder that another user {whose}; LOOM "
        "accepts a folder of your own; set LOOM_CACHE to one"
    )


def test_a_lock_that_is_a_link_is_left_alone(root: Path) -> None:
    kept = root.parent / "kept"
    kept.write_text("mine")
    lock = root / f".{NAME}.lock"
    lock.unlink()
    lock.symlink_to(kept)
    assert build(root, "made again") == "good"
    assert kept.read_text() == "mine"


ENDLESS = """
import signal, sys, time
from pathlib import Path
from loom_sim.cache import cache_root, made_once
signal.signal(signal.SIGINT, signal.default_int_handler)

def make(folder):
    (folder / "half").write_text("half")
    print("begun", flush=True)
    time.sleep(300)

made_once(cache_root(Path(sys.argv[1])), sys.argv[2], "program", make)
"""


@pytest.mark.parametrize(
    "ending", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL], ids=lambda s: s.name
)
def test_a_signal_leaves_no_draft(ending: signal.Signals, tmp_path: Path) -> None:
    """SIGKILL leaves one, which goes with the next build."""
    root = cache_root(tmp_path)
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'sim'}"}
    loom = subprocess.Popen(
        [sys.executable, "-c", ENDLESS, str(root), NAME], env=environment,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert loom.stdout is not None and loom.stdout.readline() == b"begun\n"
    loom.send_signal(ending)
    assert loom.wait(timeout=100) in ((-ending, 1) if ending == signal.SIGINT else (-ending,))
    loom.stdout.close()
    drafts = [path for path in root.iterdir() if path.is_dir()]
    assert len(drafts) == (1 if ending == signal.SIGKILL else 0)
    assert build(root) == "good"
    assert [path.name for path in root.iterdir() if path.is_dir()] == [NAME]


def test_old_drafts_and_the_oldest_designs_go(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "KEPT_DESIGNS", 1)
    old = time.time() - 100 * cache.MINIMUM_AGE
    for name in ("design-old", ".design-draft"):
        (root / name).mkdir()
        os.utime(root / name, (old, old))
    cache.prune(root, "design-")
    assert {path.name for path in root.iterdir() if path.is_dir()} == {NAME}
