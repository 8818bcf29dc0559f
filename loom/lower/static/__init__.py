"""From normal form to static pipelines: stages with start times, in the staticlogic dialect."""
