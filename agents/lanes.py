"""Sixteen floats in one variable, which the processor's vector instructions compute at once.

Numba unrolls loops as short as sixteen before it could vectorize them. In compiled functions a variable of
this type is read from a row of a contiguous (N, 16) array, of float32 or of the bits of floats in half
precision, and written to one of float32; rows are not checked.
"""

from collections.abc import Callable
from typing import Any, Final

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, register_model

#: Floats in a variable.
LANES: Final = 16

_VECTOR: Final = ir.VectorType(ir.FloatType(), LANES)
_HALVES: Final = ir.VectorType(ir.HalfType(), LANES)
_INDEX: Final = ir.IntType(32)


class _Lanes(types.Type):
    """The type of such a variable."""

    def __init__(self) -> None:
        super().__init__(name="Lanes")


_LANES: Final = _Lanes()


@register_model(_Lanes)
class _LanesModel(models.PrimitiveModel):  # type: ignore[misc]
    """It is a vector of the processor."""

    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, _VECTOR)


def _operation(build: Callable[..., Any]) -> Callable[..., Any]:
    """An operation for compiled functions, from the types of its arguments, and what builds its code."""
    return intrinsic(build)


def _row(context: Any, builder: Any, kinds: Any, arguments: Any) -> Any:
    """Where a row of an array lies; the first two arguments say which."""
    row = context.cast(builder, arguments[1], kinds[1], types.int64)
    return _position(context, builder, kinds, arguments, builder.mul(row, ir.Constant(row.type, LANES)))


def _position(context: Any, builder: Any, kinds: Any, arguments: Any, position: Any) -> Any:
    """Where the sixteen numbers from a position of an array on lie; the first argument says which array."""
    data = context.make_array(kinds[0])(context, builder, arguments[0]).data
    vector = _HALVES if kinds[0].dtype == types.uint16 else _VECTOR
    return builder.bitcast(builder.gep(data, [position]), vector.as_pointer())


@_operation
def load(_typing: Any, rows: Any, row: Any) -> Any:
    """``rows[row]``; where the array is uint16 it holds halves."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kinds = signature.args
        halves = kinds[0].dtype == types.uint16
        pointer = _row(context, builder, kinds, arguments)
        row = builder.load(pointer, align=2 if halves else 4)
        return builder.fpext(row, _VECTOR) if halves else row

    return _LANES(rows, row), codegen


@_operation
def store_at(_typing: Any, array: Any, position: Any, lanes: Any) -> Any:
    """Write to sixteen floats of a contiguous float32 array from one of them on, whatever its shape."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        start = context.cast(builder, arguments[1], signature.args[1], types.int64)
        pointer = _position(context, builder, signature.args, arguments, start)
        builder.store(arguments[2], pointer, align=4)
        return context.get_dummy_value()

    return types.void(array, position, lanes), codegen


@_operation
def store(_typing: Any, rows: Any, row: Any, lanes: Any) -> Any:
    """``rows[row] = lanes``."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _row(context, builder, signature.args, arguments)
        builder.store(arguments[2], pointer, align=4)
        return context.get_dummy_value()

    return types.void(rows, row, lanes), codegen


@_operation
def spread(_typing: Any, value: Any) -> Any:
    """The same float in all lanes."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value = context.cast(builder, arguments[0], signature.args[0], types.float32)
        single = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), value, ir.Constant(_INDEX, 0))
        zeros = ir.Constant(ir.VectorType(_INDEX, LANES), [0] * LANES)
        return builder.shuffle_vector(single, ir.Constant(_VECTOR, ir.Undefined), zeros)

    return _LANES(value), codegen


@_operation
def greater(_typing: Any, one: Any, other: Any) -> Any:
    """The greater float in each lane."""

    def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">", *arguments), *arguments)

    return _LANES(one, other), codegen


@_operation
def where_equal(_typing: Any, one: Any, other: Any, chosen: Any) -> Any:
    """The float of ``chosen`` where the other two are equal, 0 elsewhere."""

    def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        nothing = ir.Constant(_VECTOR, [0.0] * LANES)
        return builder.select(builder.fcmp_ordered("==", *arguments[:2]), arguments[2], nothing)

    return _LANES(one, other, chosen), codegen


@_operation
def fused(_typing: Any, one: Any, other: Any, added: Any) -> Any:
    """``one * other + added``."""

    def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        kind = ir.FunctionType(_VECTOR, [_VECTOR] * 3)
        fma = cgutils.get_or_insert_function(builder.module, kind, f"llvm.fma.v{LANES}f32")
        return builder.call(fma, arguments)

    return _LANES(one, other, added), codegen


@_operation
def plus(_typing: Any, one: Any, other: Any) -> Any:
    """``one + other``."""

    def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.fadd(*arguments)

    return _LANES(one, other), codegen


@_operation
def minus(_typing: Any, one: Any, other: Any) -> Any:
    """``one - other``."""

    def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.fsub(*arguments)

    return _LANES(one, other), codegen


@_operation
def times(_typing: Any, one: Any, other: Any) -> Any:
    """``one * other``."""

    def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.fmul(*arguments)

    return _LANES(one, other), codegen
