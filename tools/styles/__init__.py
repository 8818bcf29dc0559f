"""Static schedules over all examples: their initiation intervals, and where they win."""
