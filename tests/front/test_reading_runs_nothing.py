"""The verbs check, compile, lower and emit run nothing of the user's.

Files that would write a marker are given to every verb, in a process whose audit hook (PEP 578)
reports user's code that is executed and programs that are started. `model`, which runs
programs, is reported by both.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from loom.front.api import compile_text
from tests.support.folders import EXAMPLES, ROOT

CHILD = '''
import json, os, sys
from pathlib import Path

folder = sys.argv[1]
commands = json.loads(sys.argv[2])
seen = []
import loom
LOOM = os.path.dirname(loom.__file__)
GUARD = os.path.join(LOOM, "processes", "guard.py")
BOUNDED = os.path.join(LOOM, "processes", "bounded_call.py")

def is_of_loom(words):
    """The compiler's folders of headers, or a file of LOOM's in this Python."""
    if words[0] == sys.executable:
        return words[1:3] == ["-I", "-S"] and words[3].startswith(LOOM)
    return "-E" in words and words[-1] == "-"

def audit(event, given):
    """Code of a file in the folder is executed; a program or a library is started."""
    if event == "exec":
        name = getattr(given[0], "co_filename", "")
        if name[:1] not in "<" and os.path.join(folder, name).startswith(folder):
            seen.append(f"executes {Path(name).name}")
    elif event == "subprocess.Popen":
        words = [os.fspath(each) for each in given[1]]
        if GUARD in words:
            words = words[words.index(GUARD) + 8:]
        if not is_of_loom(words):
            seen.append(f"starts {Path(words[0]).name}")
    elif event == "os.fork" and sys._getframe(1).f_code.co_filename == BOUNDED:
        return  # templates of --cores are read in a sandbox in a process
    elif event in ("os.system", "os.exec", "os.posix_spawn", "os.fork", "os.forkpty"):
        seen.append(event)
    elif event == "ctypes.dlopen" and str(given[0]).startswith(folder):
        seen.append(f"loads {given[0]}")

from loom.front.cli import main
os.chdir(folder)
sys.addaudithook(audit)
answer = []
for words in commands:
    del seen[:]
    with open("output", "w") as output:
        sys.stdout = sys.stderr = output
        status = main(words)
        sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__
    marker = Path("marker").exists()
    Path("marker").unlink(missing_ok=True)
    answer.append([status, sorted(set(seen)), marker, Path("output").read_text()])
print(json.dumps(answer))
'''
TOUCH = 'open("marker", "w").write("run")'
HEAD = "import numpy as np\nimport loom\n"
KERNEL = "def f(a: np.int32) -> np.int32:\n    return a + np.int32(1)\n"
C_HEAD = "#include <stdio.h>\nint f(int a) { return a + 1; }\n"
C_TOUCH = 'fputs("run", fopen("marker", "w"));'
FILES = {
    "main.c": C_HEAD + f"int main(void) {{ {C_TOUCH} return f(1) - 2; }}\n",
    "constructor.c": C_HEAD
    + f"__attribute__((constructor)) static void begin(void) {{ {C_TOUCH} }}\n"
    + "int main(void) { return f(1) - 2; }\n",
    "module.py": f"{HEAD}{TOUCH}\n@loom.kernel\n{KERNEL}f(np.int32(1))\n",
    "main.py": f"{HEAD}@loom.kernel\n{KERNEL}def main():\n    {TOUCH}\n    f(np.int32(1))\n",
    "named.py": f"{HEAD}@loom.kernel\n{KERNEL}if __name__ == '__main__':\n    {TOUCH}\n",
    "decorator.py": f"{HEAD}def touch(g):\n    {TOUCH}\n    return g\n"
    f"@touch\n@loom.kernel\n{KERNEL}",
    "other_decorator.py": f"{HEAD}def touch(g):\n    {TOUCH}\n    return g\n"
    f"@loom.kernel\n{KERNEL}@touch\ndef g():\n    pass\n",
    "default.py": f"{HEAD}@loom.kernel\n" + KERNEL.replace("np.int32)", f"np.int32 = {TOUCH})", 1),
    "annotation.py": f"{HEAD}@loom.kernel\n" + KERNEL.replace("a: np.int32", f"a: {TOUCH}"),
    "class.py": f"{HEAD}class A:\n    {TOUCH}\n@loom.kernel\n{KERNEL}",
    "constant.py": f"{HEAD}N = {TOUCH}\n@loom.kernel\n{KERNEL}",
    "imports.py": f"{HEAD}import package\nfrom package.inner import x\n@loom.kernel\n{KERNEL}"
    "f(np.int32(1))\n",
    "package/__init__.py": TOUCH + "\n",
    "package/inner.py": TOUCH + "\nx = 1\n",
    "sitecustomize.py": TOUCH + "\n",
    "usercustomize.py": TOUCH + "\n",
    "kernel.mlir": "func.func @f(%a: bf16) -> bf16 {\n  %0 = math.exp %a : bf16\n"
    "  return %0 : bf16\n}\n",
    "cores/math.exp.sv.j2": (EXAMPLES / "cores" / "math.exp.sv.j2")
    .read_text()
    .replace("endmodule", '  initial $system("touch marker");\nendmodule'),
}
PROGRAMS = [name for name in FILES if "/" not in name and not name.endswith("customize.py")]
CORES = ("--cores", "cores")


@dataclass(frozen=True)
class Done:
    """What a command did: `executed` of the user's, and whether it left a marker."""

    words: tuple[str, ...]
    status: int
    executed: tuple[str, ...]
    marked: bool
    output: str


def run(folder: Path, commands: list[tuple[str, ...]]) -> list[Done]:
    """Commands, one after the other, in a process that reports what is executed."""
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(folder), json.dumps(commands)], cwd=ROOT,
        capture_output=True, text=True, check=False, timeout=1000,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    return [
        Done(words, status, tuple(seen), marked, output)
        for words, (status, seen, marked, output) in zip(commands, found, strict=True)
    ]


def options_of(name: str) -> tuple[str, ...]:
    return CORES if name == "kernel.mlir" else ()


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> list[Done]:
    """Every file through every verb that reads."""
    commands: list[tuple[str, ...]] = [("ops",)]
    for name in PROGRAMS:
        commands += [
            ("check", name, *options_of(name)),
            ("compile", name, "-o", f"out_{name}", *options_of(name)),
        ]
    commands += [("lower", name, "-o", f"{name}.dfg.mlir") for name in ("main.c", "module.py")]
    for name in ("main.c", "module.py"):
        commands += [("check", f"{name}.dfg.mlir"), ("emit", f"{name}.dfg.mlir", "-o", "emitted")]
    return run(tmp_path_factory.mktemp("read"), commands)


def test_reading_leaves_no_marker(read: list[Done]) -> None:
    assert [each.words for each in read if each.marked] == []


def test_reading_executes_nothing_of_the_users(read: list[Done]) -> None:
    assert [(each.words, each.executed) for each in read if each.executed] == []


def test_what_is_read_is_mostly_accepted(read: list[Done]) -> None:
    """A verb that refuses all runs nothing of it either."""
    refused = {each.words[1] for each in read if each.status != 0}
    assert refused <= {"constructor.c", "decorator.py", "default.py", "annotation.py",
                       "constant.py"}, [each for each in read if each.status]  # fmt: skip
    assert {each.status for each in read} <= {0, 2}


def test_names_are_only_names(tmp_path: Path) -> None:
    """A name of a program is neither a path nor a piece of SystemVerilog."""
    for number, name in enumerate(['../../evil', 'f; initial $system(\\22touch marker\\22);', '/f',
                                   'f\\0Aendmodule']):  # fmt: skip
        text = f"""func.func @"{name}"(%i: index) -> i32 {{
          %t = memref.get_global @"{name}_t" : memref<2xi32>
          %v = memref.load %t[%i] : memref<2xi32>
          return %v : i32
        }}
        memref.global "private" constant @"{name}_t" : memref<2xi32> = dense<[1, 2]>
        """
        files = compile_text(text, "k.mlir").files()
        assert all(re.fullmatch(r"(rtl/)?\w+(\.\w+)+", path) for path in files), number
        for path, emitted in files.items():
            if path.endswith(".sv"):
                assert "$system" not in emitted
                assert re.findall(r"\bendmodule\b.*", emitted) == ["endmodule"]


@pytest.mark.parametrize("name", ["main.c", "module.py", "main.py", "imports.py"])
def test_model_which_runs_programs_is_reported(name: str, tmp_path: Path) -> None:
    (done,) = run(tmp_path, [("model", name)])
    assert done.marked and done.executed
