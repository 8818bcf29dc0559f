"""What may become of an input: a refusal with a code, or a circuit that does what the input says.

Anything else is a crash: another exception, two models that differ, more time than it may take.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from loom.emit import emit
from loom.emit.cores import read_cores
from loom.errors import LoomError, LoomErrors, Place
from loom.front.api import (
    check_request,
    compile_request,
    compile_text,
    load_graph,
    netlist_from_text,
)
from loom.front.cli import main
from loom.front.request import GraphBuffers, Request
from loom.frontend.functions import top_function
from loom.frontend.mlir.read import read_mlir
from loom.lower.options import Options
from loom.model.bundles.bundle import read_bundle
from loom.model.bundles.signature import random_activations, signature_of
from loom.model.comparison import compare_models
from loom.model.tokens.token_simulator import run_streams
from loom.netlist.json_text import from_json, to_json
from loom.netlist.netlist import Netlist
from tests.fuzz.corpus import Seed

MOST_SECONDS = 20.0
"""For one mutated input, all of it [s]."""
MOST_CYCLES = 1_000
MOST_TOKENS = 20_000
EXCERPT = re.compile(r" *[0-9]* \| |\.\.\. and [0-9]+ more$")
"""Lines below a message: the source, a mark below it."""
NOTE = re.compile(r"\w+: (note|static|dynamic): ")
"""Lines about a circuit that is made, e.g. with another clock period, or why in this style."""


class TooSlow(BaseException):
    """No handler of exceptions takes this for a refusal."""


@dataclass(frozen=True)
class Verdict:
    """`code` of the refusal, or "accepted", or "crash" with its words in `text`."""

    code: str
    text: str
    seconds: float


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """What is done inside ends within so much time of the processor, or with `TooSlow`."""

    def stop(*_: Any) -> None:
        raise TooSlow(f"more than {seconds} s")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def judge(seed: Seed, text: str, random: Random, seconds: float = MOST_SECONDS) -> Verdict:
    """What becomes of a mutated text."""
    start = time.process_time()
    try:
        with within(seconds):
            said = ROUTES[seed.kind](seed, text, random)
        code = "crash" if said else "accepted"
    except (LoomError, LoomErrors) as error:
        first = error if isinstance(error, LoomError) else error.problems[0]
        code, said = first.code, ""
        if "\n" in str(first) or len(str(first)) > 4000 or not first.what.isprintable():
            code, said = "crash", f"a message that is not a line: {str(first)[:200]!r}"
    except (Exception, TooSlow) as error:
        code, said = "crash", f"{type(error).__name__}: {error}"
    return Verdict(code, said, time.process_time() - start)


def program(_: Seed, text: str, random: Random) -> str:
    """A program is compiled, emitted, and run in both models."""
    width = random.choice((64, 64, 32, random.randint(1, 64)))
    options = Options(width, random.choice(("raw", "guard")))
    circuit = compile_text(text, "k.mlir", options=options)
    assert circuit.files()
    assert from_json(circuit.netlist_text) == circuit.netlist
    assert str(check_request(Request(circuit.dfg_text, "k.mlir", options=options))).startswith(
        "graph"
    )
    signature = signature_of(top_function(circuit.source, circuit.top), width)
    if sum(memory.depth for memory in circuit.netlist.memories) > 1 << 16:
        return ""  # the models would hold every word
    given = random_activations(signature, random.randrange(1 << 30), 2, random.choice((4, 9)))
    report = compare_models(
        circuit.source, circuit.top, circuit.netlist, given, max_cycles=MOST_CYCLES, seed=1
    )
    return "; ".join(report.differences)


def graph(_: Seed, text: str, random: Random) -> str:
    """A graph becomes a netlist, with or without more buffers, that takes tokens."""
    buffers: GraphBuffers = random.choice(("auto", "keep", "place"))
    found = load_graph(Request(text, "k.mlir", graph_buffers=buffers))
    if found is None:
        return program(_, text, random)
    return takes_tokens(found.netlist, random)


def netlist(_: Seed, text: str, random: Random) -> str:
    """A netlist takes tokens."""
    return takes_tokens(netlist_from_text(text, "n.json"), random)


def takes_tokens(found: Netlist, random: Random) -> str:
    """A netlist is emitted, printed, and takes some tokens, whatever it does with them."""
    assert emit(found)
    assert from_json(to_json(found)) == found
    if sum(memory.depth for memory in found.memories) > 1 << 16:
        return ""
    streams = {
        port.name: [random.randrange(1 << min(port.width, 3)) for _ in range(2)]
        for port in found.ports
        if port.direction == "input"
    }
    run_streams(found, streams, limit=MOST_TOKENS)
    return ""


def bundle(seed: Seed, text: str, random: Random) -> str:
    """A bundle is read against the signature of its kernel."""
    signature = signature_of(top_function(read_mlir(seed.kernel, "k.mlir")), 64)
    assert read_bundle(text, "b.json", signature)
    return ""


def source(seed: Seed, text: str, random: Random) -> str:
    """A program in C or Python is compiled and emitted; nothing of it is run."""
    file = "k.c" if seed.kind == "c" else "k.py"
    circuit = compile_request(Request(text, file))
    assert circuit.files()
    if sum(memory.depth for memory in circuit.netlist.memories) > 1 << 16:
        return ""
    signature = signature_of(top_function(circuit.source, circuit.top), 64)
    given = random_activations(signature, random.randrange(1 << 30), 1, 4)
    report = compare_models(
        circuit.source, circuit.top, circuit.netlist, given, max_cycles=MOST_CYCLES, seed=1
    )
    return "; ".join(report.differences)


def problems_of(errors: str) -> list[str]:
    """The lines but for excerpts of the source and notes of a circuit that is made all the same."""
    return [line for line in errors.splitlines() if not (EXCERPT.match(line) or NOTE.match(line))]


def options(seed: Seed, text: str, random: Random) -> str:
    """A command line ends with 0, or with 2 and a line a problem; help and notes are none."""
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "k.mlir").write_text(seed.kernel, encoding="utf-8")
        given = [each for each in text.split("\n") if "/" not in each and not each.startswith("-o")]
        out, err = io.StringIO(), io.StringIO()
        verb = random.choice(("check", "compile", "lower"))
        target = [f"--output={name}/out"] if verb != "check" else []
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                status = main([verb, f"{name}/k.mlir", *given, *target])
            except SystemExit as ended:
                return "" if ended.code == 0 else f"ends with {ended.code}"
        lines = problems_of(err.getvalue())
        if status == 2 and not lines and out.getvalue().startswith("{"):
            code = json.loads(out.getvalue())["problems"][0]["code"]
            raise LoomError(code, Place("<options>"), "what the command has refused", "others")
        if status == 2 and lines and all(": error[" in line for line in lines):
            code = lines[0].partition("error[")[2].partition("]")[0]
            raise LoomError(code, Place("<options>"), "what the command has refused", "others")
        return "" if status == 0 and not lines else f"ends with {status}: {err.getvalue()[:300]}"


def core(seed: Seed, text: str, _: Random) -> str:
    """A template of a core is rendered for a circuit that needs it."""
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "math.absf.sv.j2").write_text(text, encoding="utf-8")
        given = Options(cores=read_cores(Path(name)))
        assert compile_text(seed.kernel, "k.mlir", options=given).files()
    return ""


ROUTES = {
    "program": program,
    "graph": graph,
    "netlist": netlist,
    "bundle": bundle,
    "c": source,
    "python": source,
    "options": options,
    "core": core,
}
