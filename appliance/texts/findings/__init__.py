"""What the doctor finds and the parts of the house report of themselves, in the form of the sentences."""

from __future__ import annotations

from appliance.texts.findings.channels import CHANNELS
from appliance.texts.findings.commands import COMMANDS
from appliance.texts.findings.local import LOCAL
from appliance.texts.findings.machine import MACHINE
from appliance.texts.findings.services import SERVICES

FINDINGS = (*MACHINE, *SERVICES, *LOCAL, *CHANNELS, *COMMANDS)
