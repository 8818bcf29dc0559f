"""A C file in which every call of the kernel is recorded, with all places as they were."""

from __future__ import annotations

from itertools import combinations

from loom.frontend.c.interface import Inclusion, Interface, Slot

RENAMED = "loom_kernel_"
BEGIN = "void loom_record_begin(void); void loom_record_end(void); "
PUT = "void loom_record_put(const void *, unsigned long long);"
WRAPPER = "the recording of calls"
"""The name of the wrapper's file in the compiler's and the sanitizers' messages."""


def wrap_kernel(text: str, interface: Interface) -> str:
    """The text with the kernel under another name, and a wrapper of its old name at the end.

    Calls in the files reach the wrapper, which gives the recorder (`recorder.c`) the elements of
    all arguments before and after the call. Lines and columns are those of the files. Headers
    around the kernel stand in place of the lines that include them.
    """
    header = " ".join(interface.header)
    texts = [text, *(each.text for each in interface.inclusions)]
    found = rename_kernel(texts[-1], interface)
    for around, inner in zip(reversed(texts[:-1]), reversed(interface.inclusions), strict=True):
        found = replace_line(around, inner, found)
    wrapper = write_wrapper(header, interface)
    return f"{found}\n#line 1 {quote_string(WRAPPER)}\n{BEGIN}{PUT}\n{wrapper}"


def rename_kernel(text: str, interface: Interface) -> str:
    """The text that defines the kernel, which has another name there."""
    data = text.encode()
    header = " ".join(interface.header)
    renamed = " ".join(f"{RENAMED}{t}" if t == interface.name else t for t in interface.header)
    before, body = data[: interface.begin], data[interface.end :]
    line = data.count(b"\n", 0, interface.end) + 1
    column = interface.end - (data.rfind(b"\n", 0, interface.end) + 1)
    marks = f"\n#line {line} {quote_string(interface.file)}\n{' ' * column}"
    begin = f"#line 1 {quote_string(interface.file)}\n"
    return f"{begin}{before.decode()}{header}; {renamed}{marks}{body.decode()}"


def replace_line(text: str, inner: Inclusion, header: str) -> str:
    """The text with a header in place of the line that includes it, or before the first line."""
    lines = text.split("\n")
    name = quote_string(inner.file)
    before = "\n".join([f"#line 1 {name}", *lines[: max(0, inner.line - 1)]])
    return "\n".join([before, header, f"#line {inner.line + 1} {name}", *lines[inner.line :]])


def write_wrapper(header: str, interface: Interface) -> str:
    """The function that takes the kernel's place."""
    memories = [slot for slot in interface.slots if slot.is_array]
    given = ", ".join(interface.arguments)
    call = f"{RENAMED}{interface.name}({given});"
    assigned = f"{interface.result} loom_result = " if interface.results else ""
    lines = [
        "loom_record_begin();",
        *(write_overlap(*pair) for pair in combinations(interface.extents, 2)),
        *map(write_put, interface.slots),
        f"{assigned}{call}",
        *map(write_put, (*memories, *interface.results)),
        "loom_record_end();",
        "return loom_result;" if interface.results else "",
    ]
    return f"{header} {{\n" + "\n".join(lines) + "\n}\n"


def write_put(slot: Slot) -> str:
    """C that records the elements of a slot."""
    if not slot.is_array:
        # A parameter may be a register, which has no address.
        copied = f"__typeof__({slot.text}) loom_value = {slot.text};"
        return f"{{ {copied} loom_record_put(&loom_value, sizeof loom_value); }}"
    indices = [f"loom_{k}" for k in range(len(slot.shape))]
    loops = "".join(
        f"for ({i} = 0; {i} < {n}; {i}++) " for i, n in zip(indices, slot.shape, strict=True)
    )
    element = slot.text.format(*indices)
    put = f"{loops}loom_record_put(&{element}, sizeof {element});"
    # Not in the loop's head, which C of 1989 does not know.
    return f"{{ long {', '.join(indices)}; {put} }}"


def write_overlap(first: tuple[str, str], second: tuple[str, str]) -> str:
    """C that records whether two arrays, each an address and a size, share an element."""
    (a, size_a), (b, size_b) = first, second
    overlaps = (
        f"(char *)({a}) < (char *)({b}) + {size_b} && (char *)({b}) < (char *)({a}) + {size_a}"
    )
    return f"{{ char loom_both = {overlaps}; loom_record_put(&loom_both, 1); }}"


def quote_string(name: str) -> str:
    """The name as a string of C."""
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
