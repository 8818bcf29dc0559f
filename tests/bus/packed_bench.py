"""blend with several elements a beat: the tests of axi4_bench, at bases that words allow."""

import axi4_bench

axi4_bench.PLACES |= {"a": 0x10FF4, "b": 0x20FF0, "c": 0x31FA8, "d": 0x40FD0}
arrays_in_memory = axi4_bench.arrays_in_memory
back_pressure = axi4_bench.back_pressure
error_responses = axi4_bench.error_responses
reset_in_a_burst = axi4_bench.reset_in_a_burst
