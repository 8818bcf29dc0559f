"""The MLIR parser: xDSL's, with places on everything and the forms that xDSL does not read.

What is covered here and in `custom_syntax` was found by reading the output of mlir-opt 22.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from xdsl.context import Context
from xdsl.dialects.arith import IntegerOverflowAttr
from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    FileLineColLoc,
    IntAttr,
    LocationAttr,
    ModuleOp,
    StringAttr,
    UnregisteredOp,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, AttributeInvT, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.utils.exceptions import MultipleSpansParseError, ParseError
from xdsl.utils.lexer import Span
from xdsl.utils.mlir_lexer import MLIRTokenKind

from loom.dialects.facts.argument_names import set_argument_names
from loom.dialects.facts.loop_attributes import UNSIGNED
from loom.dialects.facts.program_facts import INTERFACE_NOTE
from loom.dialects.ops.handshake_buffer import BufferOp
from loom.dialects.ops.handshake_function import FuncOp as HandshakeFuncOp
from loom.dialects.ops.handshake_memory import MemoryInterface
from loom.dialects.ops.handshake_routing import InstanceOp
from loom.errors import LoomError, raise_all
from loom.frontend.mlir.custom_syntax import CUSTOM_SYNTAX
from loom.frontend.mlir.number_literals import NumberParser
from loom.frontend.rules.accepted import DIALECTS, INSTEAD, accepted_instead

HARDWARE = ("hw.module", "hw.module.extern", "hw.module.generated")
"""Modules of CIRCT's hw dialect, which may stand beside functions; the first has a body."""
KNOWN_HINT = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
LONGEST_HINT = 256
"""The longest name that is kept as a hint [characters]."""

SUFFIX = re.compile(r"(_\d+)+$")

PROMISES = frozenset(
    {
        *("overflowFlags", "alignment", "nontemporal", "isExact", "nonNeg", "fastmath"),
        *("branch_weights", "no_inline"),
    }
)
"""Properties that only promise more than the operation's meaning: kept as plain attributes where
xDSL's class does not know them."""

MEANINGFUL = frozenset({UNSIGNED.name, "roundingmode"})
"""Properties that change the meaning, which LOOM reads from the attributes."""


class LoomParser(NumberParser):
    """Operations and block arguments carry the place of their text as location.

    `early_uses` tells where values are used that are defined further down, `failed_at` where the
    operation starts that could not be built.
    """

    def __init__(self, context: Context, text: str, file: str) -> None:
        self.file_attribute = StringAttr(file)
        self.first_uses: dict[str, Span] = {}
        self.early_uses: dict[SSAValue, Span] = {}
        self.written_names: dict[SSAValue, str] = {}
        self.failed_at: int | None = None
        super().__init__(context, text, file)

    def location(self, position: int) -> FileLineColLoc:
        """The place of a position in the text, as an attribute."""
        place = self.place(position)
        return FileLineColLoc(self.file_attribute, IntAttr(place.line), IntAttr(place.column))

    # Operations

    def parse_operation(self) -> Operation:
        """An operation in generic or custom form, its results named, its place stamped."""
        start = self.pos
        try:
            return self._parse_operation_at(start)
        except (LoomError, ParseError, RecursionError):
            raise
        except Exception:
            self.failed_at = start if self.failed_at is None else self.failed_at
            raise

    def _parse_operation_at(self, start: int) -> Operation:
        bound = self._parse_op_result_list()
        name = self._parse_optional_token(MLIRTokenKind.BARE_IDENT)
        name_at = self.pos if name is None else name.span.start
        word = self.parse_str_literal() if name is None else name.text
        if name is not None and word in HARDWARE:
            return self._skip_hardware(word, start)
        operation_class = self._class_of(word, name_at)
        stack = self._parser_state.dialect_stack
        stack.append(operation_class.dialect_name())
        if name is None:
            op = self._parse_generic_operation(operation_class)
            _repair_properties(op)
        else:
            op = self._parse_custom(operation_class, name_at)
        stack.pop()
        self.parse_optional_location()
        op.location = self.location(start)
        self._bind(op, bound, start)
        return op

    def _skip_hardware(self, word: str, start: int) -> Operation:
        """A module of CIRCT's hw dialect, of which nothing but the name is read."""
        name = ""
        while self._current_token.kind is not MLIRTokenKind.L_PAREN:
            if self._current_token.kind is MLIRTokenKind.EOF:
                self.raise_error(f"{word} without ports")
            token = self._consume_token()
            name = token.text if token.kind is MLIRTokenKind.AT_IDENT else name
        self._skip_between(MLIRTokenKind.L_PAREN, MLIRTokenKind.R_PAREN)
        if self.parse_optional_keyword("attributes") is not None:
            self._skip_between(MLIRTokenKind.L_BRACE, MLIRTokenKind.R_BRACE)
        if word == HARDWARE[0]:
            self._skip_between(MLIRTokenKind.L_BRACE, MLIRTokenKind.R_BRACE)
        op = UnregisteredOp.with_name(word).create(attributes={"sym_name": StringAttr(name[1:])})
        self.parse_optional_location()
        op.location = self.location(start)
        return op

    def _class_of(self, word: str, position: int) -> type[Operation]:
        found = self.ctx.get_optional_op(word, dialect_stack=self._parser_state.dialect_stack)
        if found is None or issubclass(found, UnregisteredOp):
            raise LoomError(
                "MLIR_UNSUPPORTED_OP" if word in INSTEAD else "MLIR_UNKNOWN_OP",
                self.place(position),
                f"the operation {word}",
                accepted_instead(word) or f"operations of the dialects {DIALECTS}",
            )
        return found

    def _parse_custom(self, operation_class: type[Operation], position: int) -> Operation:
        own = CUSTOM_SYNTAX.get(operation_class.name)
        if own is not None:
            return own(self)
        if operation_class.parse.__func__ is Operation.parse.__func__:  # type: ignore[attr-defined]
            # xDSL knows the operation, but not its custom form: none that LOOM accepts is left here
            raise LoomError(
                "MLIR_UNSUPPORTED_OP",
                self.place(position),
                f"the operation {operation_class.name}",
                accepted_instead(operation_class.name) or "its generic form",
            )
        return operation_class.parse(self)

    def _bind(self, op: Operation, bound: list[tuple[Span, int]], start: int) -> None:
        """Give the operation's results the names in front of the equals sign."""
        count = sum(size for _, size in bound)
        if bound and count != len(op.results):
            self.raise_error(f"{op.name} has {len(op.results)} results, {count} are named", start)
        first = 0
        for span, size in bound:
            self._register_ssa_definition(span.text[1:], op.results[first : first + size], span)
            first += size

    # Values

    def resolve_operand(
        self, operand: UnresolvedOperand, type: AttributeInvT
    ) -> SSAValue[AttributeInvT]:
        """The value that an operand names; remembers where a name is first used."""
        self.first_uses.setdefault(operand.operand_name, operand.span)
        values = self.ssa_values.get(operand.operand_name)
        if values is not None and operand.index < len(values):
            found: Attribute = values[operand.index].type
            if found != type:
                raise LoomError(
                    "MLIR_TYPE",
                    self.place(operand.span.start),
                    f"{operand.span.text} of type {found} used as {type}",
                    "values under the type they were defined with",
                )
        return super().resolve_operand(operand, type)

    def _register_ssa_definition(self, name: str, values: Sequence[SSAValue], span: Span) -> None:
        if name in self.forward_ssa_references:
            self.early_uses.update((value, self.first_uses[name]) for value in values)
        super()._register_ssa_definition(name, values, span)
        # The pattern's time grows with the square of the name.
        hint = SUFFIX.sub("", name) if len(name) <= LONGEST_HINT else ""
        for value in values:
            value.name_hint = hint if KNOWN_HINT.fullmatch(hint) else None
            if isinstance(value, BlockArgument):
                self.check_argument(value, span)
                value.location = self.location(span.start)
                self.written_names[value] = name

    def parse_whole_module(self) -> ModuleOp:
        """The module that the text is, or that stands around its operations."""
        position = self.pos
        try:
            module = self.parse_module()
        except ParseError:
            # xDSL finds undefined names at the end of the text; the place of the use helps more.
            if self.at_end():
                raise_all(self.undefined_values())
            raise
        if module.location == UNKNOWN_LOC:
            module.location = self.location(position)
        self._leave_out(module)
        for op in module.walk():
            if isinstance(op, FuncOp) and op.body.blocks:
                set_argument_names(op, [self.name_of(value) for value in op.args])
        return module

    def _leave_out(self, module: ModuleOp) -> None:
        """What stands beside functions and graphs and is no part of them is gone, with a note."""
        notes: list[str] = []
        used = self._declare_externals(module)
        for op in list(module.ops):
            is_external = isinstance(op, HandshakeFuncOp) and not op.body.blocks
            word = op.op_name.data if isinstance(op, UnregisteredOp) else op.name
            if word in HARDWARE or is_external:
                name = op.attributes["sym_name"]
                assert isinstance(name, StringAttr)
                why = "it has no body" if is_external else "LOOM compiles functions and graphs"
                if not (is_external and name.data in used):
                    notes.append(f"{word} @{name.data} is left out: {why}")
                op.detach()
                op.erase()
        if notes:
            INTERFACE_NOTE.put(module, "\n".join(notes))

    def _declare_externals(self, module: ModuleOp) -> set[str]:
        """Each instance of an external function says type and names of it; the functions' names."""
        declared = {
            op.sym_name.data: op
            for op in module.ops
            if isinstance(op, HandshakeFuncOp) and not op.body.blocks
        }
        used: set[str] = set()
        for op in module.walk() if declared else ():
            if isinstance(op, InstanceOp) and op.function in declared:
                function = declared[op.function]
                op.external_type = function.function_type
                op.arg_names, op.res_names = function.arg_names, function.res_names
                used.add(op.function)
        return used

    def name_of(self, argument: BlockArgument) -> str:
        """The name that the text gives an argument; its number where the text has a number too."""
        name = self.written_names[argument]
        return str(argument.index) if name.isdigit() else name

    def at_end(self) -> bool:
        """True if all of the text is read."""
        return self._current_token.kind is MLIRTokenKind.EOF

    def undefined_values(self) -> list[LoomError]:
        """One problem for each name that was used and never defined."""
        return [
            LoomError(
                "MLIR_UNDEFINED_VALUE",
                self.place(self.first_uses[name].start),
                f"%{name}, which is defined nowhere in reach",
                "values defined before their use, in the same region or around it",
            )
            for name in self.forward_ssa_references
        ]

    # Blocks and locations

    def _parse_block(self) -> Block:
        # xDSL takes labels as name hints, which may not hold all that a label may.
        label = self._parse_token(MLIRTokenKind.CARET_IDENT, "block label expected")
        name = label.text[1:]
        block, defined = self.blocks.get(name, (Block(), None))
        if defined is not None:
            self.raise_error(f"the block {label.text} is defined twice", label.span)
        self.blocks[name] = (block, label.span)
        self.forward_block_references.pop(name, None)
        self._parse_optional_block_arg_list(block)
        self.parse_punctuation(":")
        self._parse_block_body(block)
        return block

    def parse_optional_region(
        self, arguments: Iterable[Parser.Argument] | None = None
    ) -> Region | None:
        """A region, refused at the first branch to a block that it does not have."""
        try:
            return super().parse_optional_region(arguments)
        except MultipleSpansParseError:
            for name, (span, *_) in self.forward_block_references.items():
                raise LoomError(
                    "MLIR_SYNTAX",
                    self.place(span.start),
                    f"a branch to ^{name}, which is defined nowhere in its region",
                    "branches to blocks of the same region",
                ) from None
            raise

    def parse_optional_successor(self) -> Block | None:
        """The block whose label stands here, which may be defined further down."""
        label = self._parse_optional_token(MLIRTokenKind.CARET_IDENT)
        if label is None:
            return None
        name = label.text[1:]
        if name not in self.blocks:
            self.blocks[name] = (Block(), None)
            self.forward_block_references[name].append(label.span)
        return self.blocks[name][0]

    def parse_optional_attribute(self) -> Attribute | None:
        """The attribute that stands here; a location is one too, under an alias or a name."""
        if self._current_token.text == "loc":
            self.parse_optional_location()
            return UNKNOWN_LOC
        return super().parse_optional_attribute()

    def parse_optional_location(self) -> LocationAttr | None:
        """Skip a location: the place in the text at hand is the one to show."""
        if self._current_token.text != "loc":
            return None
        self._consume_token()
        self._skip_between(MLIRTokenKind.L_PAREN, MLIRTokenKind.R_PAREN)
        return None

    def _skip_between(self, opening: MLIRTokenKind, closing: MLIRTokenKind) -> None:
        """Skip a bracket, all that is in it, and the bracket that closes it."""
        self._parse_token(opening, f"{opening.value} expected")
        depth = 1
        while depth:
            kind = self._current_token.kind
            if kind is MLIRTokenKind.EOF:
                self.raise_error(f"{opening.value} without its {closing.value}")
            depth += (kind is opening) - (kind is closing)
            self._consume_token()


def _repair_properties(op: Operation) -> None:
    """Put properties that xDSL's classes do not know, or ask for in vain, where LOOM wants them."""
    if isinstance(op, IRDLOperation):
        known = op.get_irdl_definition().properties
        for name in [name for name in op.properties if name not in known]:
            # LOOM's own classes have no properties: all is an attribute.
            if name in PROMISES or name in MEANINGFUL or not known:
                op.attributes[name] = op.properties.pop(name)
        if "overflowFlags" in known and "overflowFlags" not in op.properties:
            op.properties["overflowFlags"] = IntegerOverflowAttr("none")
    if isinstance(op, BufferOp):
        op.take_buffer_type()
    if isinstance(op, MemoryInterface):
        op.complete()
    if op.name == "memref.global" and "sym_visibility" not in op.properties:
        op.properties["sym_visibility"] = StringAttr("public")
