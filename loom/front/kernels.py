"""Kernels in Python: ``@loom.kernel`` before a function over NumPy scalars and arrays.

Called, a kernel is the function itself, run by Python with NumPy's numbers. `compile` and
`simulate` make a circuit of its text.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from loom.errors import LoomError, Place

if TYPE_CHECKING:
    from loom_sim.kernel import KernelReport

    from loom.front.circuit import Circuit
    from loom.front.static_circuit import StaticCircuit
    from loom.front.styles.styled import Styled
    from loom.frontend.python.read import Kernel as Read
    from loom.lower.options import Options, Style
    from loom.model.bundles.activation import Activation

Result = TypeVar("Result")
Each = TypeVar("Each")


class Kernel(Generic[Result]):
    """A function that Python runs and LOOM compiles."""

    def __init__(self, function: Callable[..., Result]) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self._read: Read | None = None

    def __repr__(self) -> str:
        return f"<Kernel {self.name} in {inspect.getsourcefile(self.function)}>"

    def __call__(self, *given: Any, **named: Any) -> Result:
        """What the function gives for scalars of its types, and arrays that it may change.

        Refused: arguments of other types or sizes (PY_ARGUMENT).
        """
        from loom.native.python.numpy_types import convert_arguments

        read = self.read()
        bound = inspect.signature(self.function).bind(*given, **named).arguments
        place = Place(read.source.file, read.function.lineno, 1)
        return self.function(**convert_arguments(read.parameters, bound, place))

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.function.__name__

    def text(self) -> tuple[str, str]:
        """The text of the function's file, and its name; refused if there is none."""
        from loom.input_files import read_text

        file = inspect.getsourcefile(self.function)
        if file is None or not Path(file).is_file():
            what = f"the kernel {self.name}, whose text is in no file"
            accepted = "kernels that stand in a Python file"
            raise LoomError("PY_NO_SOURCE", Place(file or self.name), what, accepted)
        return read_text(file), file

    def read(self) -> Read:
        """What LOOM reads of the function."""
        if self._read is None:
            from loom.frontend.python.read import read_python

            text, file = self.text()
            self._read = read_python(text, file, top=self.name).kernel
        return self._read

    def circuit(self, options: Options | None = None) -> Circuit:
        """The circuit of the function, as its file is now."""
        from loom.front.api import compile_request
        from loom.front.request import DEFAULTS, Request

        text, file = self.text()
        return compile_request(Request(text, file, self.name, options or DEFAULTS, "python"))

    def styled(self, options: Options | None = None, given: Sequence[Activation] = ()) -> Styled:
        """The circuit in the style of the options, else of the decorator, else `auto`."""
        from loom.front.request import DEFAULTS, Request
        from loom.front.styles.choose import compile_in_style

        text, file = self.text()
        request = Request(text, file, self.name, options or DEFAULTS, "python")
        return compile_in_style(request, given)

    def compile(
        self, folder: str | Path, options: Options | None = None
    ) -> Circuit | StaticCircuit:
        """The circuit of the function in its style; its files are in the folder."""
        from loom.emit.files import write_files

        styled = self.styled(options)
        write_files(Path(folder), styled.files())
        return styled.circuit

    def simulate(self, *given: Any, **named: Any) -> KernelReport:
        """The report of one call of the circuit in RTL, with the stalls of a busy neighbourhood.

        The arguments stay as they are. What the function itself gives for copies of them is what
        the circuit must give; `match` says whether it does. It needs the extra `sim`.
        """
        from loom_sim.jobs import SimOptions
        from loom_sim.kernel import cosimulate_kernels

        from loom.native.python.watch import record_call

        bound = inspect.signature(self.function).bind(*given, **named).arguments
        activation = record_call(self.read(), self.function.__globals__, bound)
        subject = self.styled().simulated()
        return cosimulate_kernels([subject], [[activation]], SimOptions(stalls=0.3))[0]


@overload
def kernel(function: Callable[..., Result]) -> Kernel[Result]: ...
@overload
def kernel(*, style: Style) -> Callable[[Callable[..., Result]], Kernel[Result]]: ...


def kernel(function: Callable[..., Any] | None = None, *, style: Style | None = None) -> Any:
    """The function as a kernel: Python runs it, LOOM compiles it, in this style.

    The style is read from the text of the function's file, as the function is.
    """
    del style
    return Kernel if function is None else Kernel(function)


# Loop directives: in the file they give back what they are given


def unroll(iterable: Iterable[Each], factor: int | None = None) -> Iterable[Each]:
    """The iterable, over which a loop of the circuit is unrolled by the factor, or fully."""
    del factor
    return iterable


def flatten(iterable: Iterable[Each]) -> Iterable[Each]:
    """The iterable, over which a loop is flattened with the one in it."""
    return iterable


def interchange(iterable: Iterable[Each]) -> Iterable[Each]:
    """The iterable, over which a loop is interchanged with the one in it."""
    return iterable


def interleave(iterable: Iterable[Each], lanes: int) -> Iterable[Each]:
    """The iterable, over which so many iterations of a loop take turns in the loop in it."""
    del lanes
    return iterable


def partial_sums(iterable: Iterable[Each], number: int) -> Iterable[Each]:
    """The iterable, over which the float sums of a loop are so many partial sums."""
    del number
    return iterable


def pipeline(iterable: Iterable[Each]) -> Iterable[Each]:
    """The iterable, over which iterations of a loop overlap, as they do in any case."""
    return iterable


def ii(iterable: Iterable[Each], cycles: int) -> Iterable[Each]:
    """The iterable, over which a loop begins an iteration at least every so many cycles."""
    del cycles
    return iterable
