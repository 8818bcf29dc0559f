"""Loads of static schedules: those that earlier iterations make, or what they get from stores."""
