"""What every test has: the fixture `deep` (see `tests/support/deep.py`)."""

pytest_plugins = ["tests.support.deep"]
