"""What Prometheus' and Alertmanager's own tools say of the shipped files."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from .tools import ROOT, program, run

pytestmark = pytest.mark.prometheus
ENTRYPOINT = ROOT / "compose/alertmanager/entrypoint.sh"


def test_the_configuration_and_the_rules_are_valid() -> None:
    promtool = program("promtool")
    assert "SUCCESS" in run(promtool, "check", "config", "--syntax-only", "compose/prometheus/prometheus.yml")
    assert "SUCCESS: 18 rules found" in run(promtool, "check", "rules", "compose/prometheus/rules/appliance.yml")


def test_every_rule_does_what_its_unit_test_says() -> None:
    assert "SUCCESS" in run(program("promtool"), "test", "rules", "compose/prometheus/tests/appliance.yml")


def test_the_metrics_that_the_gateway_serves_are_clean() -> None:
    from appliance.observability.metrics import Metrics

    metrics = Metrics(version="1")
    metrics.add("exec_runs_total", image="shell", outcome="exited")
    metrics.observe("turn_duration_seconds", 0.5)
    done = subprocess.run(
        [program("promtool"), "check", "metrics"], input=metrics.render(), capture_output=True, timeout=30
    )
    ours = [line for line in (done.stdout + done.stderr).decode().splitlines() if line.startswith("appliance_")]
    assert ours == []


def written(tmp_path: Path, chat: str) -> tuple[int, str, Path]:
    config = tmp_path / "written.yml"
    done = subprocess.run(
        [str(ENTRYPOINT)],
        env={"PATH": "/usr/bin:/bin", "TELEGRAM_CHAT_ID": chat, "CONFIG": str(config), "ALERTMANAGER": "/bin/true"},
        capture_output=True,
        text=True,
        timeout=10,
    )
    return done.returncode, done.stderr, config


@pytest.mark.parametrize("chat", ["123456789", "-1001234567890"])
def test_with_a_chat_id_only_the_gateways_own_silence_goes_to_telegram(tmp_path: Path, chat: str) -> None:
    amtool = program("amtool")
    code, _, config = written(tmp_path, chat)
    assert code == 0
    assert "SUCCESS" in run(amtool, "check-config", str(config))
    assert f"chat_id: {chat}\n" in config.read_text()

    def receiver(*labels: str) -> str:
        return run(amtool, "config", "routes", "test", f"--config.file={config}", *labels).splitlines()[0]

    assert receiver("alertname=ApplianceGatewayDown", "severity=critical") == "telegram"
    for name in ("ApplianceBudgetExhausted", "ApplianceBackupStale", "ApplianceChannelSilent"):
        assert receiver(f"alertname={name}", "severity=critical") == "gateway"


def test_without_a_chat_id_everything_else_still_works(tmp_path: Path) -> None:
    amtool = program("amtool")
    code, said, config = written(tmp_path, "")
    assert code == 0
    assert "nobody is told" in said
    assert "SUCCESS" in run(amtool, "check-config", str(config))


@pytest.mark.parametrize("chat", ["@me", "12a", "1.5", "-", "1 2", "1|2"])
def test_a_chat_id_that_is_no_number_stops_it_with_the_reason(tmp_path: Path, chat: str) -> None:
    code, said, config = written(tmp_path, chat)
    assert code == 1
    assert "must be a number" in said
    assert not config.exists()
