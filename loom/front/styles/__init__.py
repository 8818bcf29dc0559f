"""The style of a circuit: dynamic, static, or the one that costs least (`auto`)."""
