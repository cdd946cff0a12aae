"""Who owns which tables of core.db; part of the composition root."""

from __future__ import annotations

from appliance.agent import sessions
from appliance.automation import jobs
from appliance.channels import access, held, marks
from appliance.channels.discord import state as discord_state
from appliance.channels.mail import state as mail_state
from appliance.channels.telegram import state as telegram_state
from appliance.database import Rooms
from appliance.gateway import auth, buttons, inbox, outbox
from appliance.observability import audit, notices
from appliance.sandbox import approvals
from appliance.skills import pins
from appliance.spending import ledger


def core_rooms() -> Rooms:
    """Who owns which tables of core.db."""
    return {
        "sessions": sessions.MIGRATIONS,
        "inbox": inbox.MIGRATIONS,
        "outbox": outbox.MIGRATIONS,
        "buttons": buttons.MIGRATIONS,
        "access": access.MIGRATIONS,
        "held calls": held.MIGRATIONS,
        "telegram": telegram_state.MIGRATIONS,
        "marks": marks.MIGRATIONS,
        "discord": discord_state.MIGRATIONS,
        "mail": mail_state.MIGRATIONS,
        "cron": jobs.MIGRATIONS,
        "auth": auth.MIGRATIONS,
        "spending": ledger.MIGRATIONS,
        "audit": audit.MIGRATIONS,
        "notices": notices.MIGRATIONS,
        "approvals": approvals.MIGRATIONS,
        "skills": pins.MIGRATIONS,
    }
