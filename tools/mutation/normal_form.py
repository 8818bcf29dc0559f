"""Wrongs in the passes from the program to normal form."""

from __future__ import annotations

from tools.mutation.mutant import in_file

NORMAL_FORM = [
    *in_file(
        "loom/lower/scalar/simplify.py",
        (
            "if row.semantics.undefined is not None and row.semantics.undefined(shape, *tokens):",
            "if row.semantics.undefined is None and row.semantics.undefined(shape, *tokens):",
            "a division by zero is folded",
        ),
        (
            "        for key in defined:\n            del self.known[key]\n",
            "",
            "a value of one branch stands for one of the other",
        ),
        (
            "return take_branch(op, condition != 0)",
            "return take_branch(op, condition == 0)",
            "the other branch of a constant is taken",
        ),
        (
            "key = (type(op), tuple(op.operands), op.result_types, chosen)",
            "key = (type(op), tuple(op.operands), op.result_types)",
            "comparisons of the same values are shared whatever they ask",
        ),
        (
            "key = (type(op), tuple(op.operands), op.result_types, chosen)",
            "key = (type(op), tuple(op.operands), chosen)",
            "casts to two widths are shared",
        ),
        (
            "region = op.true_region if condition else op.false_region",
            "region = op.false_region if condition else op.true_region",
            "a constant condition takes the other branch",
        ),
        (
            "if isinstance(op, scf.IfOp | scf.ForOp):",
            "if isinstance(op, scf.IfOp | scf.ForOp | scf.WhileOp):",
            "a while without results and effect goes, though it may not end",
        ),
    ),
    *in_file(
        "loom/lower/scalar/identities.py",
        (
            "KEEPS_AT_ZERO = (\n    *(arith.AddiOp,",
            "KEEPS_AT_ZERO = (\n    *(arith.AndIOp, arith.AddiOp,",
            "x and 0 is x",
        ),
        (
            "ZERO_AT_ZERO = (arith.MuliOp, arith.AndIOp)",
            "ZERO_AT_ZERO = (arith.MuliOp, arith.AndIOp, arith.OrIOp)",
            "x or 0 is 0",
            "KEEPS_AT_ZERO is asked first",
        ),
        (
            "TRUE_ON_ITSELF = {0, 3, 5, 7, 9}",
            "TRUE_ON_ITSELF = {0, 2, 5, 7, 9}",
            "x < x holds and x <= x does not",
        ),
        (
            "if number == 1 and width > 1:",
            "if number == 1:",
            "signed division by the 1 of one bit is left out",
        ),
        ("op.operands = (op.operands[1], op.operands[0])", "pass", "constants stay on the left"),
        (
            "return op.lhs if condition else op.rhs",
            "return op.rhs if condition else op.lhs",
            "a constant selects the other side",
        ),
        (
            "*(arith.AddiOp, arith.MuliOp, arith.AndIOp, arith.OrIOp, arith.XOrIOp),",
            "*(arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.AndIOp, arith.OrIOp, arith.XOrIOp),",
            "the sides of a difference are exchanged",
        ),
    ),
    *in_file(
        "loom/lower/scalar/arith_builder.py",
        (
            "sign = 2 - (number & 3)",
            "sign = 1 if number > 0 else 2 - (number & 3)",
            "no digit of a positive number is negative: more adders",
        ),
        (
            "if exponent_of(rhs) is None or rhs == 1:",
            "if exponent_of(rhs) is None:",
            "ceildiv by 1 adds",
            "what it adds is the test 0 != 0 as a number, which simplify folds away",
        ),
        (
            'left = self.compare("ne", self.modulo(lhs, rhs), 0)',
            'left = self.compare("eq", self.modulo(lhs, rhs), 0)',
            "ceildiv rounds up what has no rest",
        ),
        (
            'self.select(self.compare("slt", left, 0), self.add(left, rhs), left)',
            'self.select(self.compare("sgt", left, 0), self.add(left, rhs), left)',
            "a negative rest stays",
        ),
        (
            "self.binary(arith.ShRSIOp, lhs, shift)",
            "self.binary(arith.ShRUIOp, lhs, shift)",
            "floordiv of a negative index shifts zeros in",
        ),
        ("return -(-lhs // rhs)", "return lhs // rhs", "constant ceildiv rounds down"),
        (
            "        if lhs == 0:\n            return rhs\n",
            "        if lhs == 0:\n            return lhs\n",
            "0 + x is 0",
        ),
    ),
    *in_file(
        "loom/lower/scalar/reduce_strength.py",
        (
            "return steps.by(arith.AndIOp, value, factor - 1)",
            "return steps.by(arith.AndIOp, value, factor)",
            "the remainder by a power of two is another bit",
        ),
        (
            "        if factor < 0:\n            return None\n",
            "",
            "a signed division by a negative number becomes a shift",
        ),
        (
            "biased = steps.biased(value, shift)",
            "biased = value",
            "a negative quotient is rounded down",
        ),
        (
            "        if factor < 0:\n",
            "        if factor <= 0:\n",
            "a factor of 0 is left to the divider",
            "a division by 0 has no exponent and is left anyway",
        ),
        (
            "self.by(arith.ShRUIOp, signs, self.width - shift)",
            "self.by(arith.ShRUIOp, signs, self.width - shift - 1)",
            "the bias is twice too large",
        ),
        (
            "signed_digits(factor - (1 << self.width)), key=len)",
            "signed_digits(factor), key=len)",
            "a digit beyond the width is shifted by",
        ),
    ),
    *in_file(
        "loom/lower/legalize/expand_copies.py",
        (
            "ends = [arithmetic.constant(size) for size in sizes]",
            "ends = [arithmetic.constant(sizes[0]) for size in sizes]",
            "every dimension of a copy is as long as the first",
        ),
        (
            "    if 0 in sizes:\n        return\n",
            "",
            "a copy of nothing makes a loop",
            "the loop runs zero times",
        ),
    ),
    *in_file(
        "loom/lower/legalize/expand_operators.py",
        (
            "SHORT_CHAIN = 6",
            "SHORT_CHAIN = 60",
            "a long constant power takes any number of multipliers",
        ),
        (
            'left = arith.CmpiOp(test.args[1], zero, "ne")',
            'left = arith.CmpiOp(test.args[1], zero, "sgt")',
            "powers of exponents whose top bit is set end at once",
            "the exponent of the loop is never negative: negative ones became 2 or 3",
        ),
        (
            "parity = before.binary(arith.OrIOp, odd, two)",
            "parity = odd",
            "the power -1 of 0 is 0 or 1",
        ),
        (
            "keeps = before.select(is_unit, op.lhs, zero)",
            "keeps = op.lhs",
            "2 to the power -1 is 4 or 8",
        ),
    ),
    *in_file(
        "loom/lower/legalize/lower_affine.py",
        (
            'AffineConstraintKind.le: "sle"',
            'AffineConstraintKind.le: "slt"',
            "a constraint <= is strict",
        ),
        (
            "start = maps.extreme(arith.MaxSIOp,",
            "start = maps.extreme(arith.MinSIOp,",
            "a loop starts at the least of its lower bounds",
        ),
        (
            "return self.subtract(lhs, self.evaluate(negated, dimensions, symbols))",
            "return self.subtract(self.evaluate(negated, dimensions, symbols), lhs)",
            "differences are turned round",
        ),
        (
            "return (number + self.half) % (2 * self.half) - self.half",
            "return number",
            "constants of affine maps do not wrap around",
        ),
        (
            "return self.number(symbols[expression.position])",
            "return self.number(dimensions[expression.position])",
            "symbols are taken for dimensions",
        ),
        (
            "zip(op.multi_index, numbers, strict=False)",
            "zip(op.multi_index, reversed(numbers), strict=False)",
            "linearize reads its basis backwards",
        ),
    ),
    *in_file(
        "loom/lower/memory/flatten_memrefs.py",
        (
            "words = [0] * extent(layout)",
            "words = [1] * extent(layout)",
            "gaps of a strided global hold ones",
        ),
        (
            "        if name not in self.globals:\n",
            "        if True:\n",
            "a global is one memory a use",
        ),
    ),
    *in_file(
        "loom/lower/legalize/lower_index.py",
        (
            "return IndexCastUIOp(op.input, op.output.type)",
            "return arith.IndexCastOp(op.input, op.output.type)",
            "index.castu extends the sign",
        ),
        (
            "IntegerAttr(index_width, IndexType(), truncate_bits=True)",
            "IntegerAttr(64, IndexType(), truncate_bits=True)",
            "index.sizeof is always 64",
        ),
    ),
    *in_file(
        "loom/lower/scalar/check_index_width.py",
        (
            "least, most = -(1 << (width - 1)), (1 << width) - 1",
            "least, most = -(1 << width), (1 << width) - 1",
            "a negative index that does not fit passes",
        ),
        (
            "if not least <= n <= most // 2]",
            "if not least <= n <= most]",
            "a number of a map counts unsigned",
        ),
    ),
    *in_file(
        "loom/lower/memory/promote_to_iter_args.py",
        (
            "others = inside[store.root]",
            "others = [a for a in own if a.root == store.root]",
            "a word is carried past what an inner loop or a branch does to it",
        ),
        (
            "if meets_any(known, loads[0], others, mine, same):",
            "if not others:",
            "a carried word is not what another store has written",
        ),
        (
            "not meets_any(known, store, others, mine, same):",
            "others is not None:",
            "a load of a carried word finds an old one in memory",
        ),
        (
            "runs = None if runs_at_least_once(loop) else runs_test(loop)",
            "runs = None",
            "a loop that does not run stores its word",
        ),
        (
            '"ult" if is_unsigned(loop) else "slt"',
            '"slt"',
            "an unsigned loop runs past its word if its bounds look negative",
        ),
        (
            "address = store.address.plus(Form(-step, {}))",
            "address = store.address.plus(Form(step, {}))",
            "the word of the next turn is taken for that of the last",
        ),
    ),
    *in_file(
        "loom/lower/memory/store_to_load_forwarding.py",
        (
            "                    self.forget(word)\n",
            "                    pass\n",
            "a word is known after a store has changed it",
        ),
        (
            "                    del self.unread[word]",
            "                    pass",
            "a store that was read is taken for one that is written over",
        ),
    ),
]
