"""What is said about money, in chat and on the spend page. See the package for the form."""

MONEY: dict[str, tuple[str, str, str]] = {
    "budget_stop": (
        "I did not ask the model: {reason} /budget shows today's figures; {command} adds a dollar for today.",
        "這次沒有呼叫模型：{reason} /budget 可看今天的數字；{command} 可為今天加一美元。",
        "这次没有调用模型：{reason} /budget 可看今天的数字；{command} 可为今天加一美元。",
    ),
    "budget_usage": (
        "/budget shows the limits, /budget raise 1 adds a dollar for today, /budget set 3 makes three dollars the "
        "daily limit from now on, /budget set default goes back to the setting.",
        "/budget 顯示上限；/budget raise 1 今天多一美元；/budget set 3 從現在起每日上限為三美元；"
        "/budget set default 恢復為設定值。",
        "/budget 显示上限；/budget raise 1 今天多一美元；/budget set 3 从现在起每日上限为三美元；"
        "/budget set default 恢复为设置值。",
    ),
    "budget_no_amount": (
        "“{text}” is not an amount of dollars.",
        "「{text}」不是美元金額。",
        "“{text}”不是美元金额。",
    ),
    "budget_raised": (
        "${usd} more for today; tomorrow the limit is as before.",
        "今天多 ${usd}；明天恢復原上限。",
        "今天多 ${usd}；明天恢复原上限。",
    ),
    "budget_set": (
        "The daily limit is ${usd} from now on, until you set another one or change budget.daily_usd.",
        "從現在起每日上限為 ${usd}，直到您再次設定或更改 budget.daily_usd。",
        "从现在起每日上限为 ${usd}，直到您再次设置或更改 budget.daily_usd。",
    ),
    "budget_set_default": (
        "The daily limit is that of the setting budget.daily_usd again.",
        "每日上限恢復為設定 budget.daily_usd 的值。",
        "每日上限恢复为设置 budget.daily_usd 的值。",
    ),
    "budget_resumed": ("Paid models go on.", "付費模型已恢復。", "付费模型已恢复。"),
    "budget_local_label": ("use the local model", "改用本地模型", "改用本地模型"),
    "budget_raise_label": ("+$1 today", "今天 +$1", "今天 +$1"),
    "budget_local": (
        "Today's budget does not allow another paid call, so {to_model} answers without cost.",
        "今天的預算不足以再付費一次，因此改由不需費用的 {to_model} 回覆。",
        "今天的预算不足以再付费一次，因此改由不需费用的 {to_model} 回复。",
    ),
    "reason_unpriced": ("price unknown", "價格不明", "价格不明"),
    "spend_today": (
        "`{bar}` {percent}% · {spent} of {limit} spent today, heading for {forecast}.",
        "`{bar}` {percent}% · 今天已花 {spent}，上限 {limit}，預估全天 {forecast}。",
        "`{bar}` {percent}% · 今天已花 {spent}，上限 {limit}，预计全天 {forecast}。",
    ),
    "spend_today_unlimited": (
        "{spent} spent today, heading for {forecast}; there is no daily limit.",
        "今天已花 {spent}，預估全天 {forecast}，未設每日上限。",
        "今天已花 {spent}，预计全天 {forecast}，未设每日上限。",
    ),
    "spend_nothing": ("Nothing was spent on {day}.", "{day} 沒有任何花費。", "{day} 没有任何花费。"),
    "spend_head": ("{day}: {total}", "{day}：{total}", "{day}：{total}"),
    "spend_more": ("and {count} more", "另有 {count} 項", "另有 {count} 项"),
    "budget_line": (
        "`{bar}` {scope}: {spent} of {limit}, {remaining} left, {reserved} held by calls under way",
        "`{bar}` {scope}：已花 {spent}，上限 {limit}，剩餘 {remaining}，進行中的呼叫保留 {reserved}",
        "`{bar}` {scope}：已花 {spent}，上限 {limit}，剩余 {remaining}，进行中的调用预留 {reserved}",
    ),
    "budget_no_limit": ("{scope}: {spent}, no limit", "{scope}：已花 {spent}，無上限", "{scope}：已花 {spent}，无上限"),
    "budget_resets": ("Resets at {at}.", "重置時間：{at}。", "重置时间：{at}。"),
    "budget_mark": (
        "{percent}% of today's limit is spent: {spent} of {limit}.",
        "今天的上限已用 {percent}%：{spent}／{limit}。",
        "今天的上限已用 {percent}%：{spent}／{limit}。",
    ),
    "budget_reached": (
        "Today's limit ({scope}) is reached: {spent} of {limit}. It opens again at {at}.",
        "已達今天的上限（{scope}）：{spent}／{limit}，{at} 重新開放。",
        "已达今天的上限（{scope}）：{spent}／{limit}，{at} 重新开放。",
    ),
    "alert": ("⚠ {summary} {description}", "⚠ {summary} {description}", "⚠ {summary} {description}"),
    "alert_paused": (
        "Paid models are paused until you say /budget resume.",
        "付費模型已暫停，傳 /budget resume 可恢復。",
        "付费模型已暂停，发送 /budget resume 可恢复。",
    ),
    "budget_resume_label": ("Go on", "繼續", "继续"),
    "page_spend": ("Spending", "花費", "花费"),
    "page_back": ("Back to the conversation", "回到對話", "回到对话"),
    "page_today": ("Today", "今天", "今天"),
    "page_of_limit": (
        "{spent} of {limit} ({percent}%)",
        "{spent}／{limit}（{percent}%）",
        "{spent}／{limit}（{percent}%）",
    ),
    "page_heading_for": ("Heading for {forecast} today", "預估全天 {forecast}", "预计全天 {forecast}"),
    "page_over": ("over the limit at this pace", "照此速度將超過上限", "照此速度将超过上限"),
    "page_cache": (
        "{percent}% of the prompt came from the cache",
        "提示中 {percent}% 來自快取",
        "提示中 {percent}% 来自缓存",
    ),
    "page_by_purpose": ("By purpose", "依用途", "按用途"),
    "page_by_model": ("By model", "依模型", "按模型"),
    "page_by_channel": ("By channel", "依頻道", "按渠道"),
    "page_calls": ("Calls", "呼叫", "调用"),
    "page_cost": ("Cost", "花費", "花费"),
    "page_name": ("Name", "名稱", "名称"),
    "page_30_days": ("The last 30 days", "最近 30 天", "最近 30 天"),
    "page_turns": ("Dearest turns today", "今天最貴的回合", "今天最贵的回合"),
    "page_session": ("Conversation", "對話", "对话"),
    "page_nothing": ("Nothing was spent yet.", "尚無花費。", "尚无花费。"),
    "page_no_limit": ("no daily limit", "未設每日上限", "未设每日上限"),
    "budget_overrun": (
        "{model} billed {spent} for a call that was held at {limit}.",
        "{model} 一次呼叫收費 {spent}，超過預留的 {limit}。",
        "{model} 一次调用收费 {spent}，超过预留的 {limit}。",
    ),
}
