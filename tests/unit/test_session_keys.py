"""A session's key says whose it is, also for what runs by itself."""

import pytest

from appliance.messages import SessionKey


@pytest.mark.parametrize(
    ("key", "value", "agent", "job", "main"),
    [
        (SessionKey.main(), "agent:main:main", "main", "", True),
        (SessionKey.main("study"), "agent:study:main", "study", "", True),
        (SessionKey.web("x", "study"), "agent:study:web:x", "study", "", False),
        (SessionKey.dm("telegram-study", "7", "study"), "agent:study:telegram-study:dm:7", "study", "", False),
        (SessionKey.cron("ab12"), "cron:ab12", "main", "ab12", False),
        (SessionKey.cron("ab12", "study"), "cron:study:ab12", "study", "ab12", False),
        (SessionKey.heartbeat(), "heartbeat:main", "main", "", False),
        (SessionKey.heartbeat("study"), "heartbeat:study", "study", "", False),
    ],
)
def test_a_key_names_its_agent_and_its_job(key: SessionKey, value: str, agent: str, job: str, main: bool) -> None:
    assert (key.value, key.agent, key.job, key.is_main) == (value, agent, job, main)
