"""A C file in which every call of the kernel is recorded, with all places as they were."""

from __future__ import annotations

from itertools import combinations

from loom.frontend.c.interface import Interface, Slot

RENAMED = "loom_kernel_"
BEGIN = "void loom_record_begin(void); void loom_record_end(void); "
PUT = "void loom_record_put(const void *, unsigned long long);"
WRAPPER = "the recording of calls"
"""The name of the file that the wrapper stands in, for who reads of an error there."""


def recording(text: str, interface: Interface) -> str:
    """The text with the kernel under another name, and a wrapper of the same name at its end.

    Calls in the file meet the wrapper, which tells the recorder (`recorder.c`) the words of all
    arguments before and after the call. Lines and columns are those of the file.
    """
    data = text.encode()
    header = " ".join(interface.header)
    renamed = " ".join(f"{RENAMED}{t}" if t == interface.name else t for t in interface.header)
    before, body = data[: interface.begin], data[interface.end :]
    line = data.count(b"\n", 0, interface.end) + 1
    column = interface.end - (data.rfind(b"\n", 0, interface.end) + 1)
    marks = f"\n#line {line} {quoted(interface.file)}\n{' ' * column}"
    return (
        f"#line 1 {quoted(interface.file)}\n{before.decode()}{header}; {renamed}{marks}"
        f"{body.decode()}\n#line 1 {quoted(WRAPPER)}\n{BEGIN}{PUT}\n{wrapper(header, interface)}"
    )


def wrapper(header: str, interface: Interface) -> str:
    """The function that takes the kernel's place."""
    memories = [slot for slot in interface.slots if slot.is_array]
    given = ", ".join(interface.arguments)
    call = f"{RENAMED}{interface.name}({given});"
    kept = f"{interface.result} loom_result = " if interface.results else ""
    lines = [
        "loom_record_begin();",
        *(overlap(*pair) for pair in combinations(interface.extents, 2)),
        *map(put, interface.slots),
        f"{kept}{call}",
        *map(put, (*memories, *interface.results)),
        "loom_record_end();",
        "return loom_result;" if interface.results else "",
    ]
    return f"{header} {{\n" + "\n".join(lines) + "\n}\n"


def put(slot: Slot) -> str:
    """C that records the words of a slot."""
    if not slot.is_array:
        # A parameter may be a register, which has no address.
        word = f"__typeof__({slot.text}) loom_word = {slot.text};"
        return f"{{ {word} loom_record_put(&loom_word, sizeof loom_word); }}"
    indices = [f"loom_{k}" for k in range(len(slot.shape))]
    loops = "".join(
        f"for (long {i} = 0; {i} < {n}; {i}++) " for i, n in zip(indices, slot.shape, strict=True)
    )
    word = slot.text.format(*indices)
    return f"{loops}loom_record_put(&{word}, sizeof {word});"


def overlap(first: tuple[str, str], second: tuple[str, str]) -> str:
    """C that records whether two arrays, each an address and a size, share a word."""
    (a, size_a), (b, size_b) = first, second
    meets = f"(char *)({a}) < (char *)({b}) + {size_b} && (char *)({b}) < (char *)({a}) + {size_a}"
    return f"{{ char loom_both = {meets}; loom_record_put(&loom_both, 1); }}"


def quoted(name: str) -> str:
    """The name as a string of C."""
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
