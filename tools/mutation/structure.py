"""Wrongs in the passes from normal form to the graph, and in what they ask."""

from __future__ import annotations

from tools.mutation.mutant import in_file

STRUCTURE = [
    *in_file(
        "loom/lower/dataflow/scf_to_dataflow.py",
        (
            "handshake.MuxOp(condition, [side[k] for side in sides])",
            "handshake.MuxOp(condition, [side[k] for side in reversed(sides)])",
            "the results of a branch come from the other side",
        ),
        (
            "((branch.false_region, False), (branch.true_region, True))",
            "((branch.false_region, True), (branch.true_region, False))",
            "values enter the wrong side of a branch",
        ),
        (
            "index = graph.add(CondBranchOp(test, index), loop).true_result",
            "index = graph.add(CondBranchOp(test, index), loop).false_result",
            "the body gets the last index only",
        ),
        (
            "        return split.true_result\n",
            "        return split.false_result\n",
            "a loop goes on with what leaves it",
        ),
        (
            "        scope.streams[result] = split.false_result\n        split.",
            "        scope.streams[result] = split.true_result\n        split.",
            "a loop's result is a value of its body",
        ),
        (
            "self.sent(test, back, result, scope) if rotated else back",
            "self.sent(test, back, result, scope) if rotated else carry.operands[2]",
            "nothing comes back into the carry of a for",
        ),
        (
            "            carry.operands[0] = raw\n",
            "            carry.operands[0] = carry.operands[1]\n",
            "a while's carry is not told to go on",
        ),
        (
            "after.streams[argument] = split.true_result",
            "after.streams[argument] = split.false_result",
            "the after region of a while gets what leaves it",
        ),
        (
            "rotated=rotated), loop)",
            "rotated=False), loop)",
            "the stream of a rotated loop tests once more",
        ),
        (
            "inner = ReplicateScope(scope, loop, test, rotated)",
            "inner = ReplicateScope(scope, loop, test)",
            "the last turn of a rotated loop lacks the values from outside",
        ),
    ),
    *in_file(
        "loom/lower/dataflow/region_scopes.py",
        (
            "return split.true_result if self.taken else split.false_result",
            "return split.false_result if self.taken else split.true_result",
            "branches get each other's values",
        ),
        (
            "ReplicateOp(self.raw, stream, self.rotated), self.source).o",
            "InvariantOp(self.raw, stream), self.source).o",
            "a loop body that may not run gets one value too many",
        ),
        (
            "            found = self.constants[attribute] = new.result",
            "            found = new.result",
            "a constant is made twice a level",
            "two equal constants are as good as one, only larger",
        ),
        (
            "        found = self.splits.get(stream)\n",
            "        found = None\n",
            "a value is split once a use of a branch",
        ),
        (
            "return super().enter(value) if stream is None else self.split(stream)",
            "return super().enter(value)",
            "the after region replicates what the before region defines anew",
        ),
        (
            "return super().enter_control() if token is None else self.split(token)",
            "return super().enter_control()",
            "the after region's control comes from outside",
            "a replication of the outer token under the same condition gives as many tokens",
        ),
        (
            "            invariant.operands[0] = condition\n",
            "            pass\n",
            "an invariant of a while repeats under its own value",
        ),
    ),
    *in_file(
        "loom/lower/memory/thread_memory_order.py",
        (
            "return [*own, *self.waits.get(step, ())] or [self.entry]",
            "return own or [self.entry]",
            "a turn does not wait for the ones before",
        ),
        (
            "own = [self.dones[k] for k in self.plan.steps[step].after]",
            "own = list[SSAValue]()",
            "an access does not wait for those of its turn",
        ),
        (
            "return [self.dones[k] for k in self.plan.last]",
            "return self.dones[-1:]",
            "done waits for the last access of the text alone",
        ),
        (
            "token if together else part.entry",
            "part.entry",
            "the turns of a while do not wait for each other",
        ),
        (
            "(each.last() if together else [token, *each.last()]) or [token]",
            "each.last() or [token]",
            "a while whose accesses never meet forgets the done tokens of its turns",
        ),
        (
            "each in found for token in each.last()] or [start], end)",
            "each in found[:0] for token in each.last()] or [start], end)",
            "done does not wait for the memories",
        ),
        (
            "token = self.chains[wait.earlier][wait.turns - 1]",
            "token = self.chains[wait.earlier][0]",
            "an access waits for the turn before where an earlier one would do",
        ),
    ),
    *in_file(
        "loom/analysis/program/memory_order.py",
        (
            "same_turn = reach[earlier] & ~(1 << earlier)",
            "same_turn = reach[earlier]",
            "an inner loop does not wait for itself of an earlier turn",
        ),
        (
            "if each.turns <= turns:",
            "if each.turns >= turns:",
            "waiting for an early turn is taken for waiting for a late one",
        ),
        (
            "found = [*written, loads] if loads else written",
            "found = written",
            "loads that no store meets are forgotten",
        ),
    ),
    *in_file(
        "loom/analysis/program/memory_dependence.py",
        (
            "if -modulus < low and high < modulus:",
            "if low <= high:",
            "addresses do not wrap",
        ),
        (
            "self.accesses.depth[variable] <= self.same",
            "self.accesses.depth[variable] <= self.same + 1",
            "what a loop makes anew in each turn is taken for the same",
        ),
        (
            "if not (first.stores or second.stores):\n            return None",
            "if not (first.stores and second.stores):\n            return None",
            "loads of later turns do not meet stores",
        ),
    ),
    *in_file(
        "loom/analysis/program/affine_forms.py",
        (
            "return form if -half <= low and high < half else self._opaque(value)",
            "return form",
            "a cast keeps numbers that its source has cut",
        ),
    ),
    *in_file(
        "loom/analysis/program/trip_count_bounds.py",
        (
            "if abs(step) + reach <= modulus - words:",
            "if abs(step) + reach <= modulus:",
            "a memory limits turns whose addresses wrap into it",
        ),
    ),
    *in_file(
        "loom/lower/loops/guard_loops.py",
        (
            '"ult" if is_unsigned(loop) else "slt"',
            '"slt"',
            "the guard of an unsigned loop compares signed",
        ),
        (
            "skipped = Block([scf.YieldOp(*loop.iter_args)])",
            "skipped = Block([scf.YieldOp(*reversed(loop.iter_args))])",
            "a loop that does not run gives its values in another order",
        ),
        (
            "if runs(loop, ranges):",
            "if not runs(loop, ranges):",
            "the loops that may not run are rotated",
        ),
    ),
    *in_file(
        "loom/analysis/program/nonzero_trip.py",
        (
            "            less.unsigned == unsigned\n            and reaches",
            "            reaches",
            "a loop runs because signs compare the other way",
        ),
        (
            "and reaches(less.greater, loop.ub, unsigned, ranges)",
            "and reaches(loop.ub, less.greater, unsigned, ranges)",
            "a loop runs because one with a greater bound does",
        ),
        (
            "return lower.high + apart <= upper.low",
            "return lower.high <= upper.low",
            "a loop runs whose first number may be its bound",
        ),
        (
            "or (unsigned and (lower.low < 0 or upper.low < 0))",
            "",
            "unsigned bounds are signed ranges",
        ),
        (
            "SIGNED_NOT_LESS = {5: (0, 1), 3: (1, 0)}",
            "SIGNED_NOT_LESS = {5: (1, 0), 3: (0, 1)}",
            "a loop runs where its bounds are the other way round",
        ),
    ),
    *in_file(
        "loom/lower/dataflow/materialize_forks.py",
        (
            "    if len(uses) == 1:\n        return\n",
            "    if len(uses) <= 1:\n        return\n",
            "values without reader get no sink",
        ),
        (
            "zip(reversed(uses), fork.copies, strict=True)",
            "zip(uses, fork.copies, strict=True)",
            "the copies of a fork are in another order",
        ),
    ),
    *in_file(
        "loom/lower/dataflow/place_buffers.py",
        ('"seq" if cut.registered else "fifo"', '"fifo"', "no cycle of valid is cut"),
        ("BufferOp(value, cut.slots,", "BufferOp(value, 1,", "every buffer has one slot"),
    ),
    *in_file(
        "loom/analysis/program/trip_counts.py",
        (
            "    return lower < upper\n",
            "    return lower <= upper\n",
            "an empty loop is said to run",
        ),
        (
            "return upper < 0",
            "return lower < 0",
            "unsigned bounds of two signs are told apart wrongly",
        ),
    ),
    *in_file(
        "loom/analysis/schedule/buffers.py",
        (
            "cuts[edge] = Cut(True, max(2, slots))",
            "cuts[edge] = Cut(True, max(1, slots))",
            "a cycle's buffer has one slot: half the rate",
        ),
        (
            "if edge not in valid_cuts and not edge.source.timing.cuts_ready",
            "if not edge.source.timing.cuts_ready",
            "cycles that are cut are cut again",
        ),
        (
            "elif edge in ready_cuts or slots > 0 or needs_slot(edge):",
            "elif edge in ready_cuts or slots > 0:",
            "a condition has no slot to wait in",
        ),
        (
            "elif edge in ready_cuts or slots > 0 or needs_slot(edge):",
            "elif edge in ready_cuts or feedback_rank(edge) < RANKS:",
            "short paths get no slots",
        ),
        (
            "found = -(-(stay + 1) // self.interval)",
            "found = stay // self.interval",
            "a short path has a slot too few",
        ),
        (
            "stay = apart + pace.interval * arc.ahead + (edge in registered)",
            "stay = apart + pace.interval * arc.ahead",
            "the register's own token is not counted",
        ),
        (
            "stay = apart + pace.interval * arc.ahead + (edge in registered)",
            "stay = apart + (edge in registered)",
            "what comes back is not an iteration later",
        ),
        (
            "(pace,) if slow else (pace, quick)",
            "(pace,)",
            "quick turns between slow ones have no slots",
        ),
        (
            "found[edge] = found[edge] | {Pace(n, turns, slow) for n in alike if n < slow}",
            "assert alike",
            "turns come no faster than the outer loop's to where they wait",
        ),
        (
            "min(found, self.most * -(-(stay + 1) // self.apart))",
            "found",
            "more tokens of a loop have slots than an entry of it makes",
        ),
        (
            "return [held_back(view.arcs, view.earliest, loads) for view in views]",
            "return [held_back(view.arcs, view.earliest, loads[:0]) for view in views]",
            "loads with time take the port first",
        ),
    ),
    *in_file(
        "loom/analysis/schedule/nested_iterations.py",
        (
            "again.append(edge)",
            "assert edge",
            "an outer loop does not wait for the last test of an inner one",
        ),
    ),
    *in_file(
        "loom/analysis/schedule/delay_loads.py",
        (
            "sorted([*here, *joins]",
            "sorted([*here]",
            "joins of done tokens do not give way to loads",
        ),
    ),
    *in_file(
        "loom/analysis/schedule/shortest_iteration.py",
        (
            "slow is None or any(feedback_rank(edge) == CONDITION for edge in passed)",
            "slow is None",
            "turns that never come have slots",
        ),
    ),
    *in_file(
        "loom/analysis/schedule/event_graph.py",
        (
            "return {2: 0, 0: 1}.get(index, 2)",
            "return {2: 0}.get(index, 2)",
            "the condition of a carry is not known to be used later",
        ),
        (
            "return index // 2 if index < 2 * stores else index - stores",
            "return index // 2",
            "the ports of a memory are taken for each other's",
        ),
    ),
    *in_file(
        "loom/analysis/schedule/modulo_schedule.py",
        (
            "interval = -(-delay // ahead)",
            "interval = delay // ahead",
            "an interval is too short for its cycle",
        ),
        (
            "time = start[arc.source] + arc.delay - arc.ahead * between",
            "time = start[arc.source] + arc.delay",
            "a token of the next iteration counts as this one's",
        ),
        (
            "between = max(interval[arc.source], interval[arc.target])",
            "between = interval[arc.source]",
            "the slower of two loops does not set the time",
        ),
    ),
    *in_file(
        "loom/analysis/schedule/loop_nest.py",
        (
            "[(operation.o, (*known, origin_of(operation.d)))]",
            "[(operation.o, known)]",
            "a loop's body is as deep as its outside",
        ),
    ),
]
