"""The section `[hooks]`: the owner's own code in `config/hooks/`."""

from __future__ import annotations

from appliance.settings.base import Section, setting


class HooksSettings(Section):
    enabled: bool = setting(True, "Whether the programs in STATE/config/hooks are run when something happens.")
    timeout_seconds: float = setting(10.0, "How long one hook may take; then it is killed.", gt=0, le=300)
