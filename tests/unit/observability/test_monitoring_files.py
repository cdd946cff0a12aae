"""Rules, dashboards, provisioning and their docs fit together, without starting anything."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from appliance.observability.catalogue import METRICS, PREFIX

ROOT = Path(__file__).parents[3]
RULES = yaml.safe_load((ROOT / "compose/prometheus/rules/appliance.yml").read_text())["groups"]
ALERTS = [rule for group in RULES for rule in group["rules"] if "alert" in rule]
RECORDS = {rule["record"] for group in RULES for rule in group["rules"] if "record" in rule}
BOARDS = {path.stem: json.loads(path.read_text()) for path in sorted((ROOT / "grafana/dashboards").glob("*.json"))}
PANELS = [
    pytest.param(board, panel, id=f"{name}: {panel['title']}")
    for name, board in BOARDS.items()
    for panel in board["panels"]
]
FOREIGN = {"up", "process_resident_memory_bytes", "process_cpu_seconds_total", "process_open_fds", "ALERTS"}


def series_of(expression: str) -> set[str]:
    """Names of the series that a query reads."""
    bare = re.sub(r"\{[^}]*\}", "{}", expression)
    return set(re.findall(r"(?:appliance_|process_|\w+:appliance_)[\w:]+|\bup\b(?=\{)", bare))


def known() -> set[str]:
    names = set(RECORDS) | FOREIGN
    for metric in METRICS:
        names.add(PREFIX + metric.name)
        if metric.kind == "histogram":
            names |= {f"{PREFIX}{metric.name}_{part}" for part in ("bucket", "sum", "count")}
    return names


@pytest.mark.parametrize("alert", ALERTS, ids=lambda alert: alert["alert"])
def test_every_alert_can_be_acted_on(alert: dict[str, Any]) -> None:
    assert re.fullmatch(r"Appliance[A-Z]\w+", alert["alert"])
    assert alert["labels"]["severity"] in {"critical", "warning", "info"}
    notes = alert["annotations"]
    assert notes["summary"].endswith(".")
    assert "{{" not in notes["summary"]
    assert notes["description"].endswith(".")
    file, _, anchor = notes["runbook_url"].partition("#")
    headings = re.findall(r"^### (\w+)$", (ROOT / file).read_text(), re.MULTILINE)
    assert anchor == alert["alert"].lower()
    assert alert["alert"] in headings
    assert series_of(alert["expr"]) <= known()


def test_the_runbook_has_no_alert_that_does_not_exist() -> None:
    headings = set(re.findall(r"^### (\w+)$", (ROOT / "docs/runbook.md").read_text(), re.MULTILINE))
    assert headings == {alert["alert"] for alert in ALERTS}


def test_every_alert_is_tested_both_firing_and_silent() -> None:
    tests = yaml.safe_load((ROOT / "compose/prometheus/tests/appliance.yml").read_text())["tests"]
    fires: dict[str, set[bool]] = {}
    for test in tests:
        for case in test["alert_rule_test"]:
            fires.setdefault(case["alertname"], set()).add(bool(case["exp_alerts"]))
    assert fires == {alert["alert"]: {True, False} for alert in ALERTS}


def test_there_are_six_dashboards_with_stable_names() -> None:
    assert {board["uid"] for board in BOARDS.values()} == {
        "appliance-cost",
        "appliance-tokens",
        "appliance-gateway",
        "appliance-sandbox",
        "appliance-local-models",
        "appliance-memory",
    }
    for name, board in BOARDS.items():
        assert board["uid"] == f"appliance-{name}"
        assert board["id"] is None
        assert board["title"]
        assert board["description"]
        ids = [panel["id"] for panel in board["panels"]]
        assert len(ids) == len(set(ids))
        variables = {variable["name"]: variable for variable in board["templating"]["list"]}
        assert variables["datasource"]["type"] == "datasource"
        assert variables["instance"]["datasource"]["uid"] == "${datasource}"


@pytest.mark.parametrize(("board", "panel"), PANELS)
def test_every_panel_explains_itself_and_reads_known_series(board: dict[str, Any], panel: dict[str, Any]) -> None:
    assert panel["title"]
    assert panel["description"].endswith(".")
    if panel["type"] == "text":
        return
    assert panel["fieldConfig"]["defaults"]["unit"]
    assert panel["datasource"] == {"type": "prometheus", "uid": "${datasource}"}
    assert panel["targets"]
    for target in panel["targets"]:
        assert target["datasource"] == panel["datasource"]
        assert "$instance" in target["expr"]
        names = series_of(target["expr"])
        assert names
        assert names <= known()
        if "rate(" in target["expr"]:
            assert "[$__rate_interval]" in target["expr"]


def test_panels_of_a_dashboard_do_not_lie_on_each_other() -> None:
    for board in BOARDS.values():
        taken: set[tuple[int, int]] = set()
        for panel in board["panels"]:
            place = panel["gridPos"]
            cells = {
                (x, y)
                for x in range(place["x"], place["x"] + place["w"])
                for y in range(place["y"], place["y"] + place["h"])
            }
            assert not cells & taken, panel["title"]
            assert max(x for x, _ in cells) < 24
            taken |= cells


def test_provisioning_names_what_exists_and_grafanas_own_alerting_is_off() -> None:
    folder = ROOT / "grafana/provisioning"
    source = yaml.safe_load((folder / "datasources/prometheus.yaml").read_text())["datasources"][0]
    alerting = yaml.safe_load((folder / "alerting/appliance.yaml").read_text())
    boards = yaml.safe_load((folder / "dashboards/appliance.yaml").read_text())
    assert boards["providers"][0]["type"] == "file"
    rules = [rule for group in alerting["groups"] for rule in group["rules"]]
    assert rules
    assert all(rule["isPaused"] for rule in rules)
    assert {q["datasourceUid"] for rule in rules for q in rule["data"]} == {source["uid"], "__expr__"}
    assert alerting["policies"][0]["receiver"] == alerting["contactPoints"][0]["name"]


def test_the_docs_say_every_metric_with_its_kind_and_labels() -> None:
    text = (ROOT / "docs/metrics.md").read_text()
    for metric in METRICS:
        labels = ", ".join(f"`{label}`" for label in metric.labels) or "none"
        kind = f"{metric.kind} (books)" if metric.ledger else metric.kind
        assert f"| `{PREFIX}{metric.name}` | {kind} | {labels} | {metric.help} |" in text
    assert set(re.findall(r"^\| `appliance_(\w+)`", text, re.MULTILINE)) == {metric.name for metric in METRICS}
