"""With echo on the list, whatever followed it in the same line ran as well."""

import pytest

from appliance.sandbox import policy


@pytest.mark.parametrize("command", ["echo 1 | node", "echo 1 & node", "echo 1; node", "echo 1\nnode", "echo 1 |node"])
def test_a_listed_first_word_does_not_approve_the_rest(command):
    assert policy.check(command, allow_list=["echo", "echo 1", "echo *", "/bin/echo"]).verdict != "allow"


def test_the_listed_command_alone_still_runs():
    assert policy.check("echo 1", allow_list=["echo 1"]).verdict == "allow"
