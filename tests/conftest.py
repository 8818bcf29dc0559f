"""What every test may have: the fixtures `deep` and `no_clock_period`."""

pytest_plugins = ["tests.support.deep", "tests.support.no_clock_period"]
