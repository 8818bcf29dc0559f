rtl/loom_buffer_fifo_1.sv
rtl/loom_memory_done.sv
rtl/loom_memory_held.sv
rtl/loom_ram_lookup_table.sv
rtl/loom_memory_0_stores_1_loads_lookup_table.sv
rtl/loom_muli.sv
rtl/loom_error_latch.sv
rtl/lookup.sv
