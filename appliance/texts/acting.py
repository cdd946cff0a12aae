"""What is said about commands that run, skills, schedules and the heartbeat. See the package for the form."""

ACTING: dict[str, tuple[str, str, str]] = {
    "approval_asked": (
        "May this run?\n\n{shown}\n\n{why}",
        "可以執行嗎？\n\n{shown}\n\n{why}",
        "可以执行吗？\n\n{shown}\n\n{why}",
    ),
    "approval_once": ("once", "這次可以", "这次可以"),
    "approval_always": ("always", "以後都可以", "以后都可以"),
    "approval_deny": ("no", "不行", "不行"),
    "approval_none": ("Nothing waits for your word.", "沒有等待核准的事。", "没有等待批准的事。"),
    "approval_done": ("Noted: {decision}.", "已記下：{decision}。", "已记下：{decision}。"),
    "skill_new": (
        "There is a new skill, {skill}. It is not used before you say yes: /skills show {skill}",
        "有新的技能 {skill}，在您同意之前不會使用：/skills show {skill}",
        "有新的技能 {skill}，在您同意之前不会使用：/skills show {skill}",
    ),
    "skill_changed": (
        "The skill {skill} has changed and is out of use until you say yes: /skills show {skill}",
        "技能 {skill} 已變更，在您同意之前停用：/skills show {skill}",
        "技能 {skill} 已变更，在您同意之前停用：/skills show {skill}",
    ),
    "skill_shown": (
        "{skill} ({state} {why}), hash {digest}",
        "{skill}（{state} {why}），雜湊 {digest}",
        "{skill}（{state} {why}），哈希 {digest}",
    ),
    "skill_approved": (
        "{skill} may be used now ({state}).",
        "{skill} 現在可以使用（{state}）。",
        "{skill} 现在可以使用（{state}）。",
    ),
    "skill_revoked": ("{skill} is not used any more.", "{skill} 不再使用。", "{skill} 不再使用。"),
    "skill_usage": (
        "/skills, /skills show NAME [FILE], /skills approve NAME HASH, /skills revoke NAME",
        "/skills、/skills show 名稱 [檔案]、/skills approve 名稱 雜湊、/skills revoke 名稱",
        "/skills、/skills show 名称 [文件]、/skills approve 名称 哈希、/skills revoke 名称",
    ),
    "send_why": (
        "This conversation holds text from outside, and a message to {to} would leave it.",
        "這段對話含有外來文字，而有一則訊息要送給 {to}。",
        "这段对话含有外来文字，而有一条消息要发给 {to}。",
    ),
    "mcp_why": (
        "This conversation holds text from outside, and the MCP server {server} would act on it.",
        "這段對話含有外來文字，MCP 伺服器 {server} 會據此行動。",
        "这段对话含有外来文字，MCP 服务器 {server} 会据此行动。",
    ),
    "mcp_changed": (
        "The MCP server {server} offers other tools than before: {change}",
        "MCP 伺服器 {server} 提供的工具與以前不同：{change}",
        "MCP 服务器 {server} 提供的工具与以前不同：{change}",
    ),
    "skills_none": ("There are no skills.", "目前沒有技能。", "目前没有技能。"),
    "skill_look": ("Show", "查看", "查看"),
    "skill_approve": ("Approve", "核准", "批准"),
    "job_ended": (
        "The background command {id} has ended: {state}, exit code {code}.",
        "背景指令 {id} 已結束：{state}，結束代碼 {code}。",
        "后台命令 {id} 已结束：{state}，退出码 {code}。",
    ),
    "cron_digest": (
        "{count} messages from the quiet hours:",
        "安靜時段內共有 {count} 則訊息：",
        "安静时段内共有 {count} 条消息：",
    ),
    "cron_late": ("late: was planned for {planned}", "延後：原定 {planned}", "延后：原定 {planned}"),
    "cron_missed": (
        "The scheduled task “{name}” was not run: {reason}.",
        "排程「{name}」沒有執行：{reason}。",
        "定时任务“{name}”没有执行：{reason}。",
    ),
    "cron_undone": (
        "I could not do “{name}”: {reason}",
        "「{name}」沒能完成：{reason}",
        "“{name}”没能完成：{reason}",
    ),
    "cron_broken": (
        "The scheduled task “{name}” is paused: {reason} /cron resume {id} starts it again.",
        "排程「{name}」已暫停：{reason} 傳 /cron resume {id} 可恢復。",
        "定时任务“{name}”已暂停：{reason} 发送 /cron resume {id} 可恢复。",
    ),
    "cron_paused": (
        "The scheduled task “{name}” failed {failures} times in a row ({reason}) and is paused. /cron resume {id} "
        "starts it again.",
        "排程「{name}」連續失敗 {failures} 次（{reason}），已暫停。傳 /cron resume {id} 可恢復。",
        "定时任务“{name}”连续失败 {failures} 次（{reason}），已暂停。发送 /cron resume {id} 可恢复。",
    ),
    "cron_recovered": (
        "The scheduled task “{name}” works again.",
        "排程「{name}」已恢復正常。",
        "定时任务“{name}”已恢复正常。",
    ),
    "cron_pending": (
        "A conversation with text from outside wants to schedule “{name}” ({plan}) as {id}: {text}",
        "一段含有外部內容的對話想建立排程「{name}」（{plan}，編號 {id}）：{text}",
        "一段含有外部内容的对话想建立定时任务“{name}”（{plan}，编号 {id}）：{text}",
    ),
    "cron_approve_label": ("Yes, do it", "同意", "同意"),
    "cron_deny_label": ("No", "拒絕", "拒绝"),
    "cron_none": (
        'Nothing is scheduled. For example: /cron add "0 7 * * 1-5" Tell me the weather',
        '目前沒有排程。例如：/cron add "0 7 * * 1-5" 告訴我天氣',
        '目前没有定时任务。例如：/cron add "0 7 * * 1-5" 告诉我天气',
    ),
    "cron_usage": (
        'Use /cron, /cron add "SCHEDULE" TEXT, or /cron remove, run, pause, resume, approve, log with an id.',
        '用法：/cron、/cron add "時間" 內容，或 /cron remove、run、pause、resume、approve、log 加上編號。',
        '用法：/cron、/cron add "时间" 内容，或 /cron remove、run、pause、resume、approve、log 加上编号。',
    ),
    "cron_added": (
        "Scheduled as {id}: {plan} ({zone}). Next: {next}. {note}",
        "已排程，編號 {id}：{plan}（{zone}）。下次：{next}。{note}",
        "已安排，编号 {id}：{plan}（{zone}）。下次：{next}。{note}",
    ),
    "cron_removed": ("Removed: {name}.", "已移除：{name}。", "已移除：{name}。"),
    "cron_asked": ("{name} runs now.", "{name} 現在開始執行。", "{name} 现在开始执行。"),
    "cron_state": ("{name} is {state} now.", "{name} 目前狀態：{state}。", "{name} 当前状态：{state}。"),
    "cron_past": (
        "{plan} never comes due any more.",
        "{plan} 已不會再到期。",
        "{plan} 已不会再到期。",
    ),
    "heartbeat_stopped": (
        "The heartbeat stopped: the model provider refused the key {count} times. /cron resume heartbeat starts it "
        "again.",
        "心跳檢查已停止：模型供應商 {count} 次拒絕了金鑰。傳 /cron resume heartbeat 可恢復。",
        "心跳检查已停止：模型供应商 {count} 次拒绝了密钥。发送 /cron resume heartbeat 可恢复。",
    ),
    "heartbeat_line": (
        "heartbeat: {state}. {reason}",
        "心跳檢查：{state}。{reason}",
        "心跳检查：{state}。{reason}",
    ),
}
