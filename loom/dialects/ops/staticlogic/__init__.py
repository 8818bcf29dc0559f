"""The staticlogic dialect: loops whose schedule is known."""

from loom.dialects.ops.staticlogic.attributes import (
    LATENCY,
    Dependence,
    DependenceAttr,
    Ports,
    latency_of,
    parse_ports,
    set_latency,
)
from loom.dialects.ops.staticlogic.operations import (
    SEQUENTIAL,
    Access,
    PipelineOp,
    RegisterOp,
    ReturnOp,
    SeqOp,
    StageOp,
    StaticLogic,
    YieldOp,
    available_at,
    latency_in,
)

__all__ = [
    "LATENCY",
    "SEQUENTIAL",
    "Access",
    "Dependence",
    "DependenceAttr",
    "PipelineOp",
    "Ports",
    "RegisterOp",
    "ReturnOp",
    "SeqOp",
    "StageOp",
    "StaticLogic",
    "YieldOp",
    "available_at",
    "latency_in",
    "latency_of",
    "parse_ports",
    "set_latency",
]
