"""What a look at the clock means for one job: pure, so that clock jumps and long sleeps can be tested at once.

A missed run is made up for once, by its latest occurrence, as long as that is not too late; everything older is
skipped with the reason. A clock that goes back makes nothing due again: what is recorded stays recorded.
"""

from __future__ import annotations

from appliance.automation.jobs import Found, Occurrence, Standing
from appliance.automation.occurrences import Rule, before, following, utc_text

PUNCTUAL_SECONDS = 90.0
_MOST = 1_000  # more rows of one job are not kept


def look(standing: Standing, rule: Rule, now: float, *, late_seconds: float, busy: bool) -> Found | None:
    """Given a job and the time, return what to record, or None when nothing changed.

    `late_seconds`: how late a run may be made up for. `busy`: the run before has not ended yet.
    """
    if now < standing.cursor:
        # Within what was recorded, so that the past is not run again; what is recorded ahead stays so.
        return Found(now)
    due, more = _between(rule, standing.cursor, now)
    if not due:
        return None
    job, latest = standing.job.id, due[-1]
    rows = [Occurrence(job, int(at), "skipped", reason=_replaced(latest)) for at in due[:-1]]
    if more:
        rows[:0] = [Occurrence(job, int(more), "skipped", reason=f"missed, with all others before {utc_text(due[0])}")]
    late = now - latest
    if late > late_seconds:
        state, reason = "skipped", f"missed by {_span(late)}, more than the {_span(late_seconds)} allowed"
    elif now < standing.not_before:
        state, reason = "skipped", f"waiting until {utc_text(standing.not_before)} after {standing.failures} failures"
    elif busy:
        state, reason = "skipped", "the run before had not ended"
    else:
        state, reason = "due", ""
    rows.append(Occurrence(job, int(latest), state, late > PUNCTUAL_SECONDS, reason))
    return Found(latest, rows)


def _between(rule: Rule, cursor: float, now: float) -> tuple[list[float], float | None]:
    """Occurrences in (cursor, now]; the second value is the first of those that were too many to list, or None."""
    found: list[float] = []
    for at in following(rule, cursor):
        if at > now:
            return found, None
        found.append(at)
        if len(found) >= _MOST:
            break
    else:
        return found, None
    last = before(rule, now + 1e-6)
    if last is None or last <= found[-1]:
        return found, None
    return [last], found[0]


def _replaced(latest: float) -> str:
    return f"missed; the run of {utc_text(latest)} stands for it"


def _span(seconds: float) -> str:
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.1f}".removesuffix(".0") + f" {unit}"
    return f"{seconds:.0f} s"
