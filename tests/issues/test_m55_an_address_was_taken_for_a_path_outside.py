"""A rule about paths outside the work folder refused commands for the slashes of an address."""

import pytest

from appliance.sandbox import policy
from appliance.sandbox.paths import judge_words


@pytest.mark.parametrize(
    "command",
    [
        "curl -s https://example.com/a",
        "curl -s https://example.com/etc/passwd",
        "curl -s 'https://example.com/?next=/home'",
        "git clone https://example.com/a.git",
        "wget https://example.com/root/x.tar.gz",
        "pip install git+https://example.com/x/y",
    ],
)
def test_an_address_is_not_refused_for_its_path(command):
    assert policy.check(command).verdict == "ask"


def test_a_path_beside_an_address_still_counts():
    assert judge_words(("https://example.com/a", "/etc/passwd")) != ""
    assert policy.check("curl -s https://example.com/a -o /etc/cron.d/x").verdict == "deny"
