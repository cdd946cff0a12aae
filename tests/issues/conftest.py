"""Fixtures shared with other folders."""

from tests.telegram_bench import bench, paired, telegram  # noqa: F401 - pytest finds them by name here
