"""Facts that passes leave about a whole program, and about its accesses."""

from __future__ import annotations

from loom.dialects.facts.fact import mark, number, text, word

BITS_SAVED = number("loom.bits_saved", 0, "a number of bits")
"""Of the module: the bit-width reduction of all integer values together [bits]."""
PERIOD_NOTE = text("loom.period_note")
"""Of the module: why its clock period is longer than the default, and what to choose."""
CLOCK_PERIOD = text("loom.clock_period")
"""Of the module: the clock period that its buffers were placed for [ns]."""
INTERFACE_NOTE = text("loom.interface_note")
"""Of a module as read: lines about pragmas and calls that change nothing in the circuit."""
REASSOCIATED = text("loom.reassociated")
"""Of a module as read: lines about sums whose terms are added in another order than the program's,
so that results may differ from those of the program as written."""
ORDER_NOTE = text("loom.order_note")
"""Of a module: lines about arrays that say an order of accesses which has no effect."""
SIGNS = text("loom.signs")
"""Of a function as read: s, u or - for each argument and each result, whose integers are signed,
unsigned, or have no sign of their own."""
OUTPUTS = text("loom.outputs")
"""Of a function as read: the names of arguments, with blanks between, that are only written."""
BANK = number("loom.bank", 0, "the number of a bank")
"""Of a load or store of an array in banks: the bank that it goes to."""
REQUESTER = number("loom.requester", 0, "the number of a requester")
"""Of a load or store: which requester of its memory's port it is; those of one number are never
requested in one cycle."""
IN_RANGE = mark("loom.in_range")
"""Of a load or store: its index is proved to lie in the array; of a memory, each access's."""
ACCESS = number("loom.scheduled_access", 0, "the number of an access")
"""Of a load or store that is going to be in a static schedule: its number in the function."""
ORDERED = mark("loom.ordered")
"""Of a load or store: it waits for no token, since what it is made of orders it."""
SPECULATIVE = mark("loom.speculative")
"""Of a load: it is made before it is known that the program makes it."""
FORWARDED = number("loom.forwarded", 1, "a number of iterations")
"""Of a load: what it loads is not used where a store of the last so many iterations of its loop
has its address."""
FORWARDED_LOOPS = number("loom.forwarded_loops", 1, "a number of loops")
"""Of such a load: so many innermost loops around it are one loop as to these iterations."""
CARRIED_STORE = word("loom.carried_store", "auto", "comparators")
"""Of a load: its token orders it behind what is done before its loop, and behind one store of the
loop's earlier iterations, and nothing else; a comparison of addresses may take its place where that
saves cycles, or wherever it can."""
OUTER_STORE = word("loom.outer_store", "compared", "apart")
"""Of a load of an inner loop with `CARRIED_STORE`: the store is one of its own loop, in earlier
iterations of a loop around it. `apart`: the load never has the address of such a store. Of a
unit that compares such a load's address too, until its addresses are counted."""
COMPARED_STORES = text("loom.compared_stores")
"""Of a load with `CARRIED_STORE` that waits for several stores of its loop, or for one that comes
before it: each store's `STORE_PLACE` and the least dependence distance, as in ``2:1 5:0``. Stores
wait for all earlier accesses by tokens of their own."""
STORE_PLACE = number("loom.store_place", 0, "a place in the body of a loop")
"""Of a store that such loads wait for: where it is in its loop."""
STORE_DISTANCES = text("loom.store_distances")
"""Of a unit that forwards values, until it is decided whether loads wait instead: the least
dependence distance of each store, as in ``0 1``, and whether addresses are masked."""
ADDRESSES_KEPT = number("loom.addresses_kept", 1, "a number of addresses")
"""Of such a unit, until then: the addresses that a unit without values keeps in its place."""
VALUE_DISTANCE = number("loom.value_distance", 1, "a number of iterations")
"""Of a unit that forwards values of stores: so many iterations later an II of 1 leaves time for a
load to take the value."""
QUEUED = mark("loom.queued")
"""Of a load or store: a load-store queue orders it, by tokens of the queue's groups."""
QUEUE_END = number("loom.queue_end", 0, "the number of an array")
"""Of a memory, and of a join of one token: it is the end of all accesses at the array's queue."""
COMPARISON_FACTS = (CARRIED_STORE, OUTER_STORE, COMPARED_STORES, STORE_PLACE)
"""What says that a comparison of addresses may take the place of a token."""
