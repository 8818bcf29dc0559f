"""Wrongs in what is asked of netlists and bundles, and of the two models."""

from __future__ import annotations

from tools.mutation.mutant import in_file

NETLIST = [
    *in_file(
        "loom/netlist/checks.py",
        ("            if count > 1:\n", "            if count > 2:\n", "two of one name"),
        ('least = 1 if name == "slots" else 0', "least = 0", "a buffer without slots"),
        (
            "isinstance(value, int) and not isinstance(value, bool) and least <= value <= most",
            "isinstance(value, int) and least <= value <= most",
            "true slots",
        ),
        (
            "            elif choices is not None and value not in choices:\n",
            "            elif False:\n",
            "a kind that is none",
        ),
        ("if n > 1 or end not in wanted]", "if end not in wanted]", "two channels at a port"),
        (
            "        for end in sorted(wanted - set(found)):\n",
            "        for end in ():\n",
            "a port without channel",
        ),
        (
            "            if end.unit == OUTSIDE and outside[end.port] != channel.type:\n",
            "            if False:\n",
            "a port of the circuit of another type",
        ),
        (
            "        if isinstance(value, int) and value >> width:\n",
            "        if False:\n",
            "a constant that does not fit",
        ),
        ("    if width != channel.width:\n", "    if False:\n", "operands of two widths"),
        (
            "        if not 1 <= memory.depth <= MAX_DEPTH:\n",
            "        if not 0 <= memory.depth <= MAX_DEPTH:\n",
            "an empty memory",
        ),
        (
            "len(memory.contents) != memory.depth",
            "len(memory.contents) > memory.depth",
            "too few initial words",
        ),
        (
            "if len(found) != 1 or found[0].operator.hardware.memory_kind != memory.kind:",
            "if len(found) != 1:",
            "an internal memory served from outside",
        ),
        (
            "if len(found) != 1 or found[0].operator.hardware.memory_kind != memory.kind:",
            "if not found or found[0].operator.hardware.memory_kind != memory.kind:",
            "a memory served twice",
        ),
    ),
    *in_file(
        "loom/netlist/cycles.py",
        (
            '(("valid", cuts_valid), ("ready", cuts_ready))',
            '(("valid", cuts_valid),)',
            "cycles of ready",
        ),
        (
            '(("valid", cuts_valid), ("ready", cuts_ready))',
            '(("ready", cuts_ready),)',
            "cycles of valid",
        ),
        (
            "if unit.operator.hardware.latency_of(shape) > 0:",
            "if unit.operator.hardware.latency_of(shape) >= 0:",
            "every unit cuts valid",
        ),
    ),
    *in_file(
        "loom/netlist/components.py",
        (
            "low[parent] = min(low[parent], low[node])",
            "low[parent] = low[parent]",
            "long cycles are not found",
        ),
        (
            "if successor not in component:\n                    low[node]",
            "if True:\n                    low[node]",
            "components that are done join others",
        ),
    ),
    *in_file(
        "loom/netlist/json_text.py",
        (
            "if not 1 <= index_width <= 64:",
            "if not 1 <= index_width <= 128:",
            "an index of 65 bits",
        ),
        (
            "0 <= word < 1 << width for word in words",
            "0 <= word <= 1 << width for word in words",
            "a word one too large",
        ),
        ("(kind is int and isinstance(value, bool))", "False", "true for a number"),
        ("    if len(found) < len(pairs):\n", "    if False:\n", "a key that stands twice"),
    ),
    *in_file(
        "loom/netlist/from_dfg.py",
        ("known_place(operation)))", "None))", "units have no place"),
        (
            "index -= reader.first_port",
            "index -= 0",
            "ports of an outside memory move by one",
        ),
    ),
    *in_file(
        "loom/netlist/names.py",
        (
            "return is_identifier(name) and name not in KEYWORDS",
            "return is_identifier(name)",
            "a circuit called module",
        ),
    ),
]

MODEL = [
    *in_file(
        "loom/model/bundles/bundle.py",
        ("1 << max(0, width - 1)", "1 << width", "a negative number that does not fit"),
        ("<= value < 1 << width", "<= value <= 1 << width", "a number one too large"),
        ("        if len(flat) != count:\n", "        if len(flat) > count:\n", "too few words"),
        (
            "if not isinstance(value, list) or len(value) != len(results):",
            "if not isinstance(value, list):",
            "more results than the kernel has",
        ),
    ),
    *in_file(
        "loom/model/comparison.py",
        (
            "    if not run.missing and run.results != outcome.results:\n",
            "    if False:\n",
            "other results are no difference",
        ),
        (
            "        if words != memories[name]:\n",
            "        if False:\n",
            "other words are no difference",
        ),
        (
            "        for name, count in run.residual.items():\n",
            "        for name, count in ():\n",
            "tokens that are left",
        ),
        (
            "        for unit in run.not_at_rest:\n",
            "        for unit in ():\n",
            "a unit in the middle of something",
        ),
        (
            "    for code in run.errors:\n",
            "    for code in ():\n",
            "a run-time error is no difference",
        ),
        (
            "            if want == got:\n",
            "            if True:\n",
            "expected results are not compared",
        ),
        ("word is not None and word != found[k]", "False", "expected words are not compared"),
    ),
    *in_file(
        "loom/model/tokens/token_simulator.py",
        (
            "            if self.left < 0:\n",
            "            if False:\n",
            "an endless circuit runs for ever",
        ),
        (
            "missing = tuple(name for name, tokens in outputs.items() if not tokens)",
            "missing = ()",
            "a deadlock is not seen",
        ),
    ),
]
