"""handshake.func and handshake.return; the handshake dialect as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from xdsl.dialects.builtin import ArrayAttr, FunctionType, StringAttr
from xdsl.ir import Attribute, Block, Dialect, Operation, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    attr_def,
    irdl_op_definition,
    opt_attr_def,
    region_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import HasParent, IsolatedFromAbove, IsTerminator, SymbolOpInterface

from loom.dialects.ops import (
    handshake,
    handshake_buffer,
    handshake_memory,
    handshake_routing,
    handshake_tuples,
)
from loom.dialects.ops.graph_operation import derive
from loom.dialects.ops.problem import require

VISIBILITIES = ("private", "public", "nested")


@irdl_op_definition
class FuncOp(IRDLOperation):
    """``handshake.func @f(%a: i32, %start: none, ...) -> (i32, none) attributes {..} {..}``.

    The body is a graph: an operand may be defined further down.
    """

    name = "handshake.func"
    sym_name = attr_def(StringAttr)
    function_type = attr_def(FunctionType)
    arg_names = attr_def(ArrayAttr, attr_name="argNames")
    res_names = attr_def(ArrayAttr, attr_name="resNames")
    sym_visibility = opt_attr_def(StringAttr)
    body = region_def("single_block")
    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface())

    def __init__(
        self,
        name: str,
        type_: FunctionType,
        argument_names: Sequence[str],
        result_names: Sequence[str],
    ) -> None:
        attributes: dict[str, Attribute] = {
            "sym_name": StringAttr(name),
            "function_type": type_,
            "argNames": ArrayAttr([StringAttr(word) for word in argument_names]),
            "resNames": ArrayAttr([StringAttr(word) for word in result_names]),
        }
        body = Region(Block(arg_types=list(type_.inputs)))
        super().__init__(attributes=attributes, regions=[body])

    def verify_(self) -> None:
        """Check that the body's arguments and names fit the type."""
        types = [argument.type for argument in self.body.block.args]
        require(
            types == list(self.function_type.inputs)
            and len(self.arg_names) == len(types)
            and len(self.res_names) == len(self.function_type.outputs)
            and all(isinstance(name, StringAttr) for name in (*self.arg_names, *self.res_names)),
            "COMP_HANDSHAKE_FUNC",
            "a function whose names or body arguments do not fit its type",
            "one name for each argument and result",
        )

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse visibility, name, arguments, result types, attributes and body.

        A function whose arguments have no names is external: it has no block.
        """
        visibility = next(
            (word for word in VISIBILITIES if parser.parse_optional_keyword(word)), None
        )
        symbol = parser.parse_symbol_name()

        unnamed: list[Attribute] = []

        def argument() -> Parser.Argument | None:
            if parser.parse_optional_punctuation("...") is not None:
                return None
            found = parser.parse_optional_argument()
            if found is None:
                unnamed.append(parser.parse_type())
            parser.parse_optional_attr_dict()
            return found

        listed = parser.parse_comma_separated_list(parser.Delimiter.PAREN, argument)
        arguments = [found for found in listed if found is not None]
        results: list[Attribute] = []
        if parser.parse_optional_punctuation("->"):
            parsed = parser.parse_optional_comma_separated_list(
                parser.Delimiter.PAREN, parser.parse_type
            )
            results = [parser.parse_type()] if parsed is None else list(parsed)
        keywords = parser.parse_optional_attr_dict_with_keyword()
        attributes: dict[str, Attribute] = dict(keywords.data) if keywords else {}
        if unnamed and arguments:
            parser.raise_error("an argument without a name beside one with a name")
        body = Region() if unnamed else parser.parse_region(arguments)
        types = FunctionType.from_lists(unnamed or [found.type for found in arguments], results)
        attributes.setdefault(
            "argNames", ArrayAttr([StringAttr(found.name.text[1:]) for found in arguments])
        )
        attributes.setdefault(
            "resNames", ArrayAttr([StringAttr(f"out{k}") for k in range(len(results))])
        )
        attributes.update(sym_name=symbol, function_type=types)
        if visibility is not None:
            attributes["sym_visibility"] = StringAttr(visibility)
        return cls.create(attributes=attributes, regions=[body])

    def print(self, printer: Printer) -> None:
        """Print visibility, name, arguments, result types, attributes and body."""
        printer.print_string(" ")
        if self.sym_visibility is not None:
            printer.print_string(f"{self.sym_visibility.data} ")
        printer.print_symbol_name(self.sym_name.data)
        printer.print_string("(")
        printer.print_list(self.body.block.args, printer.print_block_argument)
        printer.print_string(", ...) -> (")
        printer.print_list(self.function_type.outputs, printer.print_attribute)
        printer.print_string(")")
        printer.print_op_attributes(
            self.attributes,
            reserved_attr_names={"sym_name", "function_type", "sym_visibility"},
            print_keyword=True,
        )
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)


@irdl_op_definition
class ReturnOp(IRDLOperation):
    """``handshake.return %a, %ctrl : i32, none``."""

    name = "handshake.return"
    values = var_operand_def()
    assembly_format = "attr-dict ($values^ `:` type($values))?"
    traits = traits_def(IsTerminator(), HasParent(FuncOp))

    def __init__(self, values: Sequence[SSAValue]) -> None:
        super().__init__(operands=[list(values)])

    def verify_(self) -> None:
        """Check the values' types against the function's results."""
        parent = self.parent_op()
        assert isinstance(parent, FuncOp)
        found = [value.type for value in self.values]
        require(
            found == list(parent.function_type.outputs),
            "COMP_HANDSHAKE_FUNC",
            f"a return of {len(found)} values that do not fit the function's results",
            "one value of the declared type for each result",
        )


OPERATIONS: list[type[Operation]] = [
    FuncOp,
    ReturnOp,
    *handshake.OPERATIONS,
    *handshake_buffer.OPERATIONS,
    *handshake_memory.OPERATIONS,
    *handshake_routing.OPERATIONS,
    *handshake_tuples.OPERATIONS,
]
Handshake = Dialect("handshake", derive("handshake", OPERATIONS), [])
