"""GNU programs accept long options cut short, so a list of forbidden spellings missed them."""

import pytest

from appliance.sandbox import policy


def cut_short(option: str, value: str) -> list[str]:
    return [f"--{option[:length]}{value}" for length in range(2, len(option) + 1)]


@pytest.mark.parametrize(
    "command",
    [
        f"sort {o}"
        for o in cut_short("compress-program", "=sh") + cut_short("output", "=f") + cut_short("files0-from", "=f")
    ]
    + [f"grep {o}" for o in cut_short("file", "=/etc/shadow")]
    + [f"wc {o}" for o in cut_short("files0-from", "=f")]
    + [f"tar -cf a {o} x" for o in cut_short("checkpoint-action", "=exec=sh") + cut_short("to-command", "=sh")]
    + ["grep --recurs x", "sort --compress-prog sh", "rm -rf --no-pres /", "rsync --rs=id a b:"],
)
def test_every_shortened_form_is_rejected(command):
    assert policy.check(command).verdict == "deny"
