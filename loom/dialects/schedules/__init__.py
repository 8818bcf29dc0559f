"""Rules of static schedules: what a `staticlogic.pipeline` must be for its circuit to be right."""
