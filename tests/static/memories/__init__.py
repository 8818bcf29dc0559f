"""Static schedules over memories of several ports."""
