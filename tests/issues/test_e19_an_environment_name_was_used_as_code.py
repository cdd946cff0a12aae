"""The name of a variable was pasted into a shell line, so a name could be code."""

import pytest

from appliance.sandbox import policy
from appliance.sandbox.words import assignment, safe_variable


@pytest.mark.parametrize("name", ["P_$(touch x)#", "A;id", "", "1A", "LC_$(id)", "LC_ALL\n"])
def test_such_a_name_is_refused(name):
    assert policy.check(f"{name}=1 sort").verdict == "deny"
    assert policy.check(f"env '{name}=1' sort").verdict == "deny"
    assert assignment(f"{name}=1") is None or not safe_variable(name, "1")
