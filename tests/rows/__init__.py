"""Hand rows: for every operator of the catalogue, streams in and streams out, worked out by hand.

The token model and the SystemVerilog of an operator both have to pass them.
"""

from tests.rows.arithmetic import ARITHMETIC_ROWS
from tests.rows.bits import BIT_ROWS
from tests.rows.casts import CAST_ROWS
from tests.rows.dataflow import DATAFLOW_ROWS
from tests.rows.division import DIVISION_ROWS
from tests.rows.float_casts import FLOAT_CAST_ROWS
from tests.rows.floats import FLOAT_ROWS
from tests.rows.handshake import HANDSHAKE_ROWS
from tests.rows.islands import ISLAND_ROWS
from tests.rows.ordering import ORDERING_ROWS
from tests.rows.products import PRODUCT_ROWS
from tests.rows.routing import ROUTING_ROWS
from tests.rows.row import Row

ROWS: tuple[Row, ...] = (
    *ARITHMETIC_ROWS,
    *PRODUCT_ROWS,
    *DIVISION_ROWS,
    *CAST_ROWS,
    *BIT_ROWS,
    *FLOAT_ROWS,
    *FLOAT_CAST_ROWS,
    *DATAFLOW_ROWS,
    *ORDERING_ROWS,
    *HANDSHAKE_ROWS,
    *ROUTING_ROWS,
    *ISLAND_ROWS,
)

__all__ = ["ROWS", "Row"]
