"""Questions about a program or a graph, with frozen answers."""
