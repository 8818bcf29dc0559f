"""Static schedules: the schedulers, the machines, their SystemVerilog."""
