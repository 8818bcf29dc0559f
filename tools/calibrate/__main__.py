"""``python -m tools.calibrate``: the corrections of all targets, from samples; what of a sample has
another text than before is measured anew.

An ECP5's samples are examples that are placed and routed, in each style, those of other targets are
units. `--only` leaves the other targets as they are. What placement lets paths be (`paths`) and how
far RAMs and multipliers are (`blocks`) stay: others would move the registers of every circuit.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from math import log2
from pathlib import Path
from typing import Any

import loom.analysis.timing
from loom.analysis.timing.targets import FILE, Regression
from loom.errors import LoomError
from tools.calibrate import circuits, units
from tools.calibrate.fit import Line, errors_of_sample, fit_line, fit_terms
from tools.library import synthesis_record

FRAMES = 8_000
"""Python's recursion limit, as the command has it."""
PARTS = (*circuits.SAMPLES, "ice40", "xc7")
"""What is corrected from a sample."""
PROVENANCE = {
    "circuits": (
        "Examples placed and routed by Yosys and nextpnr-ecp5 (out of context, speed grade 6,"
        " {seeds}), at the default period: x is the longest sum of the delays of their units."
    ),
    "unclocked": "Some of them without a clock period ({seeds}).",
    "machines": (
        "The same as static schedules, with and without a clock period, placed and routed alike"
        " ({seeds}): x is the longest sum of the delays of units and multiplexers."
    ),
    "ice40": (
        "Units between registers, placed and routed by Yosys and nextpnr-ice40 (HX8K, CT256, one"
        " seed), beside the same on an ECP5. An HX8K has no multipliers: LUTs stand for them."
    ),
    "xc7": (
        "Units without registers, mapped by Yosys (synth_xilinx -abc9) and timed with the cell"
        f" delays of its library; {units.NET} ns for a wire to a LUT is assumed. Not placed and"
        " routed."
    ),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """The file of targets is up to date."""
    parser = argparse.ArgumentParser(prog="tools.calibrate", description=__doc__)
    parser.add_argument("--only", choices=PARTS, action="append", help="these parts")
    parser.add_argument("--examples", type=Path, default=Path("examples"), help="their folder")
    chosen = parser.parse_args(arguments)
    sys.setrecursionlimit(max(sys.getrecursionlimit(), FRAMES))
    path = Path(loom.analysis.timing.__path__[0]) / FILE
    document = json.loads(path.read_text(encoding="utf-8"))
    try:
        for name in chosen.only or PARTS:
            if name in circuits.SAMPLES:
                old = document[name]["sample"]
                document[name] = correct_circuits(name, old, chosen.examples)
            else:
                document["targets"][name] |= correct_units(name, document["targets"][name])
            path.write_text(file_text(document), encoding="utf-8")
    except LoomError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def correct_circuits(
    name: str, known: Sequence[Mapping[str, Any]], examples: Path
) -> dict[str, Any]:
    """The regression from longest paths by units, and from sizes, to periods of circuits."""
    sample = circuits.SAMPLES[name]
    rows = circuits.measure_circuits(examples, known, say, sample)
    seeds = "one seed" if sample.seeds == 1 else f"median of {sample.seeds} seeds"
    return regression(circuits.to_json(rows), PROVENANCE[name].format(seeds=seeds))


def regression(sample: Sequence[Mapping[str, Any]], provenance: str) -> dict[str, Any]:
    """The regression through a sample as the file holds it, with the errors of its estimates."""
    delays, placed = columns(sample, "units", "placed")
    luts = [float(row["luts"]) for row in sample]
    terms = [[1.0, delay, log2(size)] for delay, size in zip(delays, luts, strict=True)]
    offset, scale, doubling = fit_terms(terms, placed)
    line = Regression(
        round(offset, 2), round(scale, 3), round(doubling, 3), (min(luts), max(luts)), 0.0, 0.0,
        provenance, list(sample),
    )  # fmt: skip
    errors = errors_of_sample(line)
    mean, largest = round(sum(errors) / len(errors), 3), round(max(errors), 3)
    return asdict(replace(line, mean_error=mean, largest_error=largest))


def correct_units(name: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of the target that say how its units go with those of an ECP5."""
    known = {each["digest"]: each for each in row["units"]["sample"]}
    sample = units.to_json(units.measure_units(name, known, say))
    line = fit_line(*columns([e for e in sample if e["delay"] is not None], "ecp5", "delay"))
    return {"units": correction(line, PROVENANCE[name], sample), **areas(name, row, sample)}


def columns(
    sample: Sequence[Mapping[str, Any]], estimate: str, measured: str
) -> tuple[list[float], list[float]]:
    """Two columns of a sample."""
    return [float(row[estimate]) for row in sample], [float(row[measured]) for row in sample]


def correction(line: Line, provenance: str, sample: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """A correction as the file holds it."""
    return {
        "offset": line.offset,
        "scale": line.scale,
        "mean_error": round(line.mean_error, 3),
        "largest_error": round(line.largest_error, 3),
        "provenance": provenance,
        "sample": list(sample),
    }


FAMILIES = {"ice40": "iCE40", "xc7": "Xilinx 7"}
"""What the targets are called in the record of synthesis."""


def areas(name: str, row: Mapping[str, Any], sample: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Cells for one of an ECP5: LUTs and flip-flops by the examples in the record of synthesis.

    Of an iCE40 also the LUTs that stand for a multiplier, by the product in the sample.
    """
    examples = json.loads(synthesis_record.FILE.read_text(encoding="utf-8"))["examples"].values()
    factors = [
        round(
            sum(each[FAMILIES[name]][cell] for each in examples)
            / sum(each["ECP5"][cell] for each in examples),
            2,
        )
        for cell in ("luts", "flip_flops")
    ]
    found: dict[str, Any] = {"factors": [*factors, *row["factors"][2:]]}
    if name == "ice40":
        (product,) = (each for each in sample if each["unit"] == units.MULTIPLIER)
        extra = product["luts"] - factors[0] * product["ecp5_luts"]
        found["luts_of_multiplier"] = round(extra / product["multipliers"])
    return found


def file_text(document: Mapping[str, Any]) -> str:
    """The file: a field a line, a row of a sample a line."""
    rows = ",\n".join(
        f"{json.dumps(name)}: {{\n{fields_text(row)}\n}}"
        for name, row in document["targets"].items()
    )
    parts = "".join(
        f"{json.dumps(name)}: {{\n{fields_text(document[name])}\n}},\n"
        for name in (*circuits.SAMPLES, "blocks", "paths")
    )
    return f'{{\n{parts}"targets": {{\n{rows}\n}}\n}}\n'


def fields_text(row: Mapping[str, Any]) -> str:
    """The fields of an object, each on its line; samples have a line for each row."""
    lines: list[str] = []
    for key, value in row.items():
        if key == "units":
            text = f"{{\n{fields_text(value)}}}"
        elif key == "sample" and value:
            text = "[\n" + ",\n".join(json.dumps(each) for each in value) + "\n]"
        else:
            text = json.dumps(value)
        lines.append(f"{json.dumps(key)}: {text}")
    return ",\n".join(lines)


def say(text: str) -> None:
    """A line of progress."""
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main())
