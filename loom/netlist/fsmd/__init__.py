"""A static schedule as a finite state machine with its datapath: registers, wires, memory ports."""
