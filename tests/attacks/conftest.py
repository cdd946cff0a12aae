"""Fixtures shared with the sandbox's own tests."""

from tests.integration.sandbox.conftest import config, house, image  # noqa: F401 - pytest finds them by name here
