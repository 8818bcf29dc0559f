"""The unit library measured: latency, capacity and rate in simulation, cost on an FPGA."""
