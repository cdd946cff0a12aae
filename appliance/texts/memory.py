"""What is said about what is remembered. See the package for the form."""

MEMORY: dict[str, tuple[str, str, str]] = {
    "help_memory": (
        "what I remember; forget WORDS, undo",
        "我記得什麼；forget 內容、undo",
        "我记得什么；forget 内容、undo",
    ),
    "memory_items": ("What I hold on to (newest first):", "我記著的事（最新在前）：", "我记着的事（最新在前）："),
    "memory_kept_quiet": (
        "(kept by the house: nothing is sent unasked {hours})",
        "（由程式遵守：{hours} 不主動傳訊息）",
        "（由程序遵守：{hours} 不主动发消息）",
    ),
    "memory_kept_pushes": (
        "(kept by the house: nothing is pushed, and what comes unasked makes no sound)",
        "（由程式遵守：不推播，主動傳來的訊息不響鈴）",
        "（由程序遵守：不推送，主动发来的消息不响铃）",
    ),
    "memory_kept_voice": (
        "(kept by the house: no voice messages)",
        "（由程式遵守：不傳語音）",
        "（由程序遵守：不发语音）",
    ),
    "weekdays": (
        "Mon Tue Wed Thu Fri Sat Sun",
        "週一 週二 週三 週四 週五 週六 週日",
        "周一 周二 周三 周四 周五 周六 周日",
    ),
    "memory_empty": ("I hold on to nothing yet.", "目前還沒有記下任何事。", "目前还没有记下任何事。"),
    "memory_waiting": (
        "{count} from outside wait for your yes:",
        "有 {count} 則來自外部的內容等您同意：",
        "有 {count} 条来自外部的内容等您同意：",
    ),
    "memory_inferred": (
        "From what you wrote I would keep this, if you agree: “{text}”",
        "從您寫的內容看，我想記下這個，您同意嗎：「{text}」",
        "从您写的内容看，我想记下这个，您同意吗：“{text}”",
    ),
    "memory_inferred_mark": ("(inferred)", "（推測）", "（推测）"),
    "memory_trace": (
        "What the next prompt loads, and why:",
        "下一次提示會載入的內容與原因：",
        "下一次提示会载入的内容与原因：",
    ),
    "memory_forgotten": ("Forgotten:\n{items}", "已忘記：\n{items}", "已忘记：\n{items}"),
    "memory_restored": ("Back again:\n{items}", "已恢復：\n{items}", "已恢复：\n{items}"),
    "memory_keep": ("Kept: {text}", "已記下：{text}", "已记下：{text}"),
    "memory_drop": ("Dropped: {text}", "已丟棄：{text}", "已丢弃：{text}"),
    "memory_undo_label": ("undo", "復原", "撤销"),
    "memory_keep_label": ("keep", "記下", "记下"),
    "memory_drop_label": ("drop", "丟棄", "丢弃"),
}
