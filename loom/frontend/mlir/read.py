"""From MLIR text to a verified module of operations that LOOM compiles."""

from __future__ import annotations

from types import MappingProxyType

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.utils.exceptions import ParseError

from loom.dialects.facts.places import place_of
from loom.dialects.ops.added_dialect import AddedDialect
from loom.dialects.ops.context import make_context
from loom.dialects.ops.staticlogic.loopschedule import LoopSchedule
from loom.dialects.schedules.loopschedule import read_loopschedules
from loom.elements import Fill
from loom.entry_points import DIALECTS, list_additions
from loom.errors import LoomError, LoomErrors, Place, raise_all
from loom.frontend.functions import reachable, top_function
from loom.frontend.mlir.choose_memories import choose_memories
from loom.frontend.mlir.fill_arrays import fill_arrays
from loom.frontend.mlir.make_static import Sizes, make_static
from loom.frontend.mlir.parser import LoomParser
from loom.frontend.rules.acceptance import check_accepted
from loom.frontend.rules.verify import EarlyUses, one_line, problems_of
from loom.nesting import first_too_deep, too_deep

TEXT = "MLIR in the generic or the custom form, as mlir-opt and xDSL print it"

NONE: Sizes = MappingProxyType({})

__all__ = ["check_accepted", "parse_module", "read_mlir", "top_function"]


def read_mlir(
    text: str,
    file: str = "<text>",
    *,
    top: str | None = None,
    sizes: Sizes = NONE,
    shapes: Sizes = NONE,
    fill: Fill = "refuse",
) -> ModuleOp:
    """The program as written: a verified module that LOOM can compile, every place known.

    `top` names the function to compile; by default it is the only one that is not private.
    Functions that it does not use are dropped; memories are made static (`make_static`), with
    `sizes` and `shapes` of arguments, and those that are chosen at run time become numbers
    (`choose_memories`); new arrays get contents with `fill` (`fill_arrays`); nothing else changes.
    Raises `LoomError`, or `LoomErrors` for several problems, and nothing else.
    """
    module = parse_module(text, file)
    try:
        is_changed = make_static(module, top, sizes, shapes)
        if choose_memories(module) or is_changed:
            raise_all(problems_of(module, {}))
        check_accepted(module, top)
    except RecursionError:
        raise too_deep(Place(file, 1, 1)) from None
    used, _ = reachable(module, top_function(module, top))
    for op in list(module.body.block.ops):
        if isinstance(op, FuncOp) and op not in used:
            op.detach()
            op.erase(safe_erase=False)
    fill_arrays(module, fill)
    return module


def parse_module(text: str, file: str = "<text>") -> ModuleOp:
    """A module of any dialects LOOM knows, verified, every operation with its place in `text`.

    Loops of CIRCT's loopschedule are staticlogic pipelines; operations of dialects that other
    packages add have become what those make of them.
    Refused: text that is not MLIR (MLIR_SYNTAX), operations nobody knows (MLIR_UNKNOWN_OP),
    nests too deep (MLIR_TOO_DEEP), uses without definition (MLIR_UNDEFINED_VALUE), types that do
    not fit (MLIR_TYPE), operations against the rules of their dialect (MLIR_VERIFY, or the
    dialect's own code).
    """
    if not text.strip():
        raise LoomError("MLIR_SYNTAX", Place(file, 1, 1), "an empty text", TEXT)
    try:
        context = make_context()
        module, early = parse_text(text, file, context)
        if context.added:
            raise_all(problems_of(module, early))
            for name, added in context.added.items():
                expand_dialect(module, name, added)
        if any(op.name.startswith(f"{LoopSchedule.name}.") for op in module.walk()):
            raise_all(problems_of(module, early))
            read_loopschedules(module)
        raise_all(problems_of(module, early))
    except RecursionError:
        raise too_deep(Place(file, 1, 1)) from None
    return module


def expand_dialect(module: ModuleOp, name: str, added: AddedDialect) -> None:
    """What the package makes of its operations stands in their place.

    Refused (EXTEND_BROKEN): a package whose code fails, or leaves one of them.
    """
    addition = list_additions(DIALECTS)[name]
    try:
        added.expand(module)
    except (LoomError, LoomErrors, RecursionError):
        raise
    except Exception as error:
        why = f"it fails: {type(error).__name__}: {error}"
        raise addition.broken(why, "code that expands every operation of the dialect") from None
    left = next((op for op in module.walk() if op.name.startswith(f"{name}.")), None)
    if left is not None:
        what = f"{left.name}, which the {addition} leaves"
        raise LoomError("EXTEND_BROKEN", place_of(left), what, "dialects that expand all of it")


def check_module(module: ModuleOp) -> None:
    """Return if the module of another reader obeys every rule and compiles; raise the problems."""
    raise_all(problems_of(module, {}))
    check_accepted(module)


def parse_text(text: str, file: str, context: Context) -> tuple[ModuleOp, EarlyUses]:
    """The module of the text, not verified but for names, and the uses before definition."""
    parser: LoomParser | None = None
    try:
        parser = LoomParser(context, text, file)
        position = first_too_deep(text)
        if position is not None:
            raise too_deep(parser.place(position))
        module = parser.parse_whole_module()
    except (LoomError, LoomErrors):
        raise
    except ParseError as error:
        place = parser.place(error.span.start) if parser else Place(file, 1, 1)
        at_end = parser is not None and parser.at_end() and error.span.start >= parser.pos
        message = "the text ends where more is expected" if at_end else error.msg
        raise syntax_error(place, message) from None
    except RecursionError:
        raise too_deep(parser.place(parser.pos) if parser else Place(file, 1, 1)) from None
    except Exception as error:
        # xDSL raises bare ValueError, KeyError, IndexError, AssertionError, VerifyException and
        # more for texts that are wrong inside an attribute or a custom form.
        place = Place(file, 1, 1)
        if parser:
            place = parser.place(parser.pos if parser.failed_at is None else parser.failed_at)
        raise syntax_error(place, one_line(error) or type(error).__name__) from None
    places = {
        value: (parser.place(span.start), span.text) for value, span in parser.early_uses.items()
    }
    return module, places


def syntax_error(place: Place, message: str) -> LoomError:
    """The refusal of a text that cannot be read."""
    text = " ".join(message.split()).rstrip(".!")
    return LoomError("MLIR_SYNTAX", place, f"a syntax error: {text}", TEXT)
