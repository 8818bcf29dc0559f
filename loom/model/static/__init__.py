"""Static schedules run: cycle by cycle as scheduled, or iteration by iteration."""
