"""`skill{name, file?}`: the text of a skill that the owner said yes to, as it was approved."""

from __future__ import annotations

from typing import Any

from appliance.errors import ToolError
from appliance.messages import Person, SessionKey
from appliance.models.base import ToolSpec
from appliance.skills.collection import Collection
from appliance.tools.base import ToolContext, ToolResult, may_use_house

_LONGEST = 24_000


class SkillTool:
    """Given the collection, hand out active skills. Offered where there is one and the person may use the house."""

    spec = ToolSpec(
        "skill",
        "Read a listed skill.",
        {
            "type": "object",
            "properties": {"name": {"type": "string"}, "file": {"type": "string"}},
            "required": ["name"],
        },
    )

    def __init__(self, collection: Collection) -> None:
        self._collection = collection

    def available(self, session: SessionKey, person: Person) -> bool:
        return may_use_house(session, person) and bool(self._collection.active(session.agent))

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        active = {skill.name: skill for skill in self._collection.active(context.session.agent)}
        name = str(arguments["name"])
        skill = active.get(name)
        if skill is None:
            raise ToolError(f"There is no skill {name!r} in use. Skills: {', '.join(active)}.")
        text = skill.text(str(arguments.get("file") or "SKILL.md"))
        if len(text) > _LONGEST:
            text = text[:_LONGEST] + f"\n[{len(text):,} characters; the first {_LONGEST:,} are shown]"
        others = [path for path in sorted(skill.contents.files) if path != "SKILL.md"]
        note = f"\n[Other files: {', '.join(others)}]" if others and "file" not in arguments else ""
        return ToolResult(text + note, origin=f"skill {skill.name}")
