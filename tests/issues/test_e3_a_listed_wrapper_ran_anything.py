"""env, nice and timeout on the list approved whatever they were told to start."""

import pytest

from appliance.sandbox import policy

LIST = ["env", "env *", "/usr/bin/env", "nice", "nice *", "/usr/bin/nice", "timeout", "timeout *", "/usr/bin/timeout"]


@pytest.mark.parametrize(
    "command",
    [
        "env bash -c id",
        "env -i sh -c id",
        'env -S "bash -c id"',
        "env -vS'bash -c id'",
        "nice -n 5 sh -c id",
        "timeout 5 sh -c id",
        "/usr/bin/env sh -c id",
    ],
)
def test_the_inner_command_is_judged_whatever_the_list_says_of_the_wrapper(command):
    assert policy.check(command, allow_list=LIST).verdict == "deny"


def test_a_harmless_inner_command_is_asked_about_and_never_allowed_by_the_wrapper():
    assert policy.check("timeout 5 date", allow_list=LIST).verdict == "ask"
