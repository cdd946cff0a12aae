""" "Always" on a shell line stored the shell, and from then on any line ran."""

import pytest

from appliance.sandbox import allow_list, policy


@pytest.mark.parametrize(
    "words",
    [
        ("zsh", "-lc", "whoami"),
        ("/bin/zsh", "-lc", "whoami"),
        ("busybox", "sh", "-c", "whoami"),
        ("env", "zsh", "-lc", "whoami"),
        ("timeout", "5", "bash", "-c", "whoami"),
    ],
)
def test_a_shell_line_is_never_remembered(words):
    assert allow_list.always(words) is None


@pytest.mark.parametrize("line", ["zsh -lc id", "/bin/zsh -lc id", "busybox sh -c id"])
def test_the_second_line_does_not_run_unasked(line):
    created_by = f"always allow on: {line.replace('id', 'whoami')}"
    assert policy.check(line, context={"allowlist_created_by": created_by}).verdict != "allow"
    assert policy.check(line, allow_list=["zsh", "/bin/zsh", "busybox", "busybox sh"]).verdict != "allow"
