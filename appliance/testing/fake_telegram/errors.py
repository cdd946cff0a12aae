"""What the Bot API answers when it refuses."""

from __future__ import annotations

from typing import Any


class ApiError(Exception):
    """Given the HTTP code and Telegram's description (and parameters such as retry_after), become its refusal."""

    def __init__(self, code: int, description: str, **parameters: Any) -> None:
        super().__init__(description)
        self.code = code
        self.description = description
        self.parameters = parameters

    def body(self) -> dict[str, Any]:
        answer: dict[str, Any] = {"ok": False, "error_code": self.code, "description": self.description}
        if self.parameters:
            answer["parameters"] = self.parameters
        return answer


def bad_request(what: str) -> ApiError:
    return ApiError(400, f"Bad Request: {what}")
