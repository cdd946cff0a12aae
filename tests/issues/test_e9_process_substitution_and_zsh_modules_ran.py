"""Process substitution and zsh's own forms ran programs; the same characters inside quotes are only text."""

import pytest

from appliance.sandbox import policy


@pytest.mark.parametrize("command", ["cat <(id)", "cat =(id)", "zmodload zsh/net/tcp", "cat >(id)", "ztcp host 80"])
def test_they_are_refused(command):
    assert policy.check(command).verdict == "deny"


def test_the_same_characters_in_quotes_are_text():
    assert policy.check('echo "<(x)"').verdict == "ask"
    assert policy.check('echo "<(x)"', allow_list=['echo "<(x)"']).verdict == "allow"
    assert policy.check('grep -e "<(x)"').verdict == "allow"
