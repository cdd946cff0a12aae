"""Refusals, and why something is asked, in the form of the sentences."""

from __future__ import annotations

from appliance.texts.refusals.asking import ASKING
from appliance.texts.refusals.commands import COMMANDS
from appliance.texts.refusals.keeping import KEEPING
from appliance.texts.refusals.schedules import SCHEDULES
from appliance.texts.refusals.trouble import TROUBLE

REFUSALS = (*ASKING, *KEEPING, *SCHEDULES, *COMMANDS, *TROUBLE)
