"""What the appliance itself says, in English, Traditional and Simplified Chinese.

`say(key, language, **values)` fills a text; an unknown key is a KeyError, so a missing text cannot be shipped.
A tuple holds (en, zh-Hant, zh-Hans).
"""

from __future__ import annotations

import re
from typing import Literal

from appliance.texts_pages import PAGE_TEXTS

Language = Literal["en", "zh-Hant", "zh-Hans"]
_INDEX: dict[str, int] = {"en": 0, "zh-Hant": 1, "zh-Hans": 2}
_HAN = re.compile("[\u4e00-\u9fff]")
_KANA_OR_HANGUL = re.compile("[\u3040-\u30ff\uac00-\ud7af]")
# Characters that exist in one script only; enough to tell which a person writes.
_SIMPLIFIED = set(
    "们这说时对会发过没问来国学开为么样经动长电话头车东马鸟鱼龙书买卖见贝风飞业两严丧个丰临丽举义乐习乡争于亏云亚产亲亿仅从仓仪价众优伙传伤伦伪体余债关兴养写农冲决况冻净凉减几凤击创别刚剂剧劝办务劳势区医华协单卫厂厅历压厌县叁参双变叙"
)
_TRADITIONAL = set(
    "們這說時對會發過沒問來國學開為麼樣經動長電話頭車東馬鳥魚龍書買賣見貝風飛業兩嚴喪個豐臨麗舉義樂習鄉爭於虧雲亞產親億僅從倉儀價眾優夥傳傷倫偽體餘債關興養寫農衝決況凍淨涼減幾鳳擊創別剛劑劇勸辦務勞勢區醫華協單衛廠廳歷壓厭縣參雙變敘"
)

TEXTS: dict[str, tuple[str, str, str]] = {
    "thinking": ("…", "…", "…"),
    "interrupted": (
        "(interrupted, outcome unknown)",
        "（已中斷，結果不明）",
        "（已中断，结果不明）",
    ),
    "stopped": ("Stopped.", "已停止。", "已停止。"),
    "nothing_to_stop": ("Nothing is running.", "目前沒有正在執行的工作。", "目前没有正在执行的任务。"),
    "new_session": (
        "A new conversation. The old one stays in the transcript.",
        "新的對話開始了，舊的對話仍保存在紀錄中。",
        "新的对话开始了，旧的对话仍保存在记录中。",
    ),
    "dead_message": (
        "I could not answer this message after {tries} tries: {reason} It is kept; send it again to retry.",
        "這則訊息試了 {tries} 次都無法回覆：{reason} 訊息已保留，再傳一次即可重試。",
        "这条消息试了 {tries} 次都无法回复：{reason} 消息已保留，再发一次即可重试。",
    ),
    "unknown_command": (
        "I do not know {command}. /help lists what I know.",
        "我不認識 {command}，/help 可列出所有指令。",
        "我不认识 {command}，/help 可列出所有命令。",
    ),
    "empty_message": (
        "The message is empty. Write something, or attach a file.",
        "訊息是空的，請輸入文字或附上檔案。",
        "消息是空的，请输入文字或附上文件。",
    ),
    "ended_steps": (
        'I stopped after {steps} model calls without reaching an end. Say "go on" to continue.',
        "我呼叫模型 {steps} 次仍未完成，先停在這裡。說「繼續」就接著做。",
        "我调用模型 {steps} 次仍未完成，先停在这里。说“继续”就接着做。",
    ),
    "ended_time": (
        'I stopped: this turn took longer than {seconds} seconds. Say "go on" to continue.',
        "這一輪超過 {seconds} 秒，先停下。說「繼續」就接著做。",
        "这一轮超过 {seconds} 秒，先停下。说“继续”就接着做。",
    ),
    "ended_failures": (
        "I stopped: {tool} failed several times in the same way.",
        "我停下了：{tool} 以同樣的方式失敗了好幾次。",
        "我停下了：{tool} 以同样的方式失败了好几次。",
    ),
    "ended_refused": (
        "The model declined to answer this.",
        "模型拒絕回答這個問題。",
        "模型拒绝回答这个问题。",
    ),
    "ended_empty": (
        "The model gave no answer. Please ask again, perhaps in other words.",
        "模型沒有給出答案，請換個說法再問一次。",
        "模型没有给出答案，请换个说法再问一次。",
    ),
    "cut_at_output_limit": (
        '(cut at the output limit; say "go on" for the rest)',
        "（已達輸出上限；說「繼續」看後續）",
        "（已达输出上限；说“继续”看后续）",
    ),
    "budget_stop": (
        "I did not ask the model: {reason} /budget shows today's figures; /budget raise 1 adds a dollar for today.",
        "這次沒有呼叫模型：{reason} /budget 可看今天的數字；/budget raise 1 可為今天加一美元。",
        "这次没有调用模型：{reason} /budget 可看今天的数字；/budget raise 1 可为今天加一美元。",
    ),
    "model_auth": (
        "The model provider refused the key: {reason} {fix}",
        "模型供應商拒絕了金鑰：{reason} {fix}",
        "模型供应商拒绝了密钥：{reason} {fix}",
    ),
    "model_failed": (
        "No model could answer: {reason} {fix} Your message is kept; send it again to retry.",
        "目前沒有模型能回答：{reason} {fix} 訊息已保留，再傳一次即可重試。",
        "目前没有模型能回答：{reason} {fix} 消息已保留，再发一次即可重试。",
    ),
    "not_allowed": (
        "{command} is for the {role} of this house.",
        "{command} 只有 {role} 可以使用。",
        "{command} 只有 {role} 可以使用。",
    ),
    "help_help": ("what I can do without a model", "列出不需模型的指令", "列出不需要模型的命令"),
    "help_new": ("start a new conversation", "開始新的對話", "开始新的对话"),
    "help_stop": ("stop what I am doing", "停止目前的工作", "停止当前的任务"),
    "help_status": ("how everything is", "目前狀態", "当前状态"),
    "help_context": ("what the prompt holds", "提示內容的組成", "提示内容的组成"),
    "help_spend": ("what today cost", "今天花了多少", "今天花了多少"),
    "help_budget": ("the limits; raise 1, set 3", "預算上限；raise 1、set 3", "预算上限；raise 1、set 3"),
    "help_model": ("which model answers", "選擇模型", "选择模型"),
    "help_queue": ("what a message does during a turn", "回覆中收到訊息時怎麼處理", "回复中收到消息时怎么处理"),
    "help_whoami": ("who you are to me", "我怎麼認識您", "我怎么认识您"),
    "help_doctor": ("check the house", "檢查系統", "检查系统"),
    "context_total": (
        "About {total:,} tokens of a window of {window:,}:",
        "約 {total:,} 個 token，視窗 {window:,}：",
        "约 {total:,} 个 token，窗口 {window:,}：",
    ),
    "context_tools": ("{count} tools", "{count} 個工具", "{count} 个工具"),
    "context_history": ("conversation", "對話", "对话"),
    "budget_usage": (
        "Use /budget, /budget raise 1 or /budget set 3.",
        "用法：/budget、/budget raise 1、/budget set 3。",
        "用法：/budget、/budget raise 1、/budget set 3。",
    ),
    "budget_local_label": ("use the local model", "改用本地模型", "改用本地模型"),
    "budget_raise_label": ("+$1 today", "今天 +$1", "今天 +$1"),
    "model_unknown": (
        "I know no model {name}. Choose one of: {names}, auto.",
        "沒有名為 {name} 的模型，可選：{names}、auto。",
        "没有名为 {name} 的模型，可选：{names}、auto。",
    ),
    "model_chain": ("Here answers: {chain}", "回答順序：{chain}", "回答顺序：{chain}"),
    "queue_unknown": ("Choose one of: {modes}.", "可選：{modes}。", "可选：{modes}。"),
    "queue_state": (
        "Messages during a turn: {mode}. Waiting now: {depth}.",
        "回覆中收到的訊息：{mode}。目前等待：{depth}。",
        "回复中收到的消息：{mode}。目前等待：{depth}。",
    ),
    "whoami": (
        "You are {id} on {channel}, {role} of this house. This conversation is {session}.",
        "您在 {channel} 的編號是 {id}，身分是 {role}。這個對話是 {session}。",
        "您在 {channel} 的编号是 {id}，身份是 {role}。这个对话是 {session}。",
    ),
    "button_unknown": (
        "I do not know this button any more. Send the command again.",
        "這個按鈕已失效，請重新輸入指令。",
        "这个按钮已失效，请重新输入命令。",
    ),
    "button_other": (
        "This button is for somebody else.",
        "這個按鈕是給別人的。",
        "这个按钮是给别人的。",
    ),
    "button_used": ("This button was already used.", "這個按鈕已經用過了。", "这个按钮已经用过了。"),
    "button_expired": (
        "This button is too old. Send the command again.",
        "這個按鈕已過期，請重新輸入指令。",
        "这个按钮已过期，请重新输入命令。",
    ),
    "status_queue": (
        "Turns running: {running}, messages waiting: {waiting}",
        "執行中：{running}，等待中：{waiting}",
        "运行中：{running}，等待中：{waiting}",
    ),
    "undeliverable": (
        "A message could not be delivered on {channel}: {reason}",
        "有一則訊息無法在 {channel} 送達：{reason}",
        "有一条消息无法在 {channel} 送达：{reason}",
    ),
    "local_coming": (
        "The local model is on its way: {phase} {percent}",
        "本地模型準備中：{phase} {percent}",
        "本地模型准备中：{phase} {percent}",
    ),
    "phase_starting": ("starting", "啟動", "启动"),
    "phase_building": ("building", "編譯", "编译"),
    "phase_fetching": ("fetching", "下載", "下载"),
    "phase_loading": ("loading", "載入", "加载"),
    "compacted": (
        "Earlier conversation summarised: {before:,} to {after:,} tokens.",
        "已摘要先前的對話：{before:,} → {after:,} 個 token。",
        "已摘要先前的对话：{before:,} → {after:,} 个 token。",
    ),
    "compacted_cut": (
        "The earlier conversation was cut short without a model ({before:,} to {after:,} tokens); all of it stays in "
        "the transcript and can be searched.",
        "先前的對話在沒有模型的情況下縮短了（{before:,} → {after:,} 個 token）；全文仍在紀錄中，可以搜尋。",
        "先前的对话在没有模型的情况下缩短了（{before:,} → {after:,} 个 token）；全文仍在记录中，可以搜索。",
    ),
    "nothing_to_compact": (
        "There is nothing to summarise yet.",
        "目前沒有可以摘要的內容。",
        "目前没有可以摘要的内容。",
    ),
    "help_compact": ("summarise the conversation so far", "摘要目前的對話", "摘要当前的对话"),
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
    "help_approve": ("decide what waits for your word", "核准或拒絕等待中的指令", "批准或拒绝等待中的命令"),
    "help_skills": (
        "skills: list, show, approve, revoke",
        "技能：列出、查看、核准、撤銷",
        "技能：列出、查看、批准、撤销",
    ),
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
    "skills_none": ("There are no skills.", "目前沒有技能。", "目前没有技能。"),
    "skill_look": ("Show", "查看", "查看"),
    "skill_approve": ("Approve", "核准", "批准"),
    "job_ended": (
        "The background command {id} has ended: {state}, exit code {code}.",
        "背景指令 {id} 已結束：{state}，結束代碼 {code}。",
        "后台命令 {id} 已结束：{state}，退出码 {code}。",
    ),
    "model_offer": (
        "A better local model would fit this machine: {name} ({size}, {licence}). Fetch it?",
        "這台機器裝得下更好的本地模型：{name}（{size}，{licence}）。要下載嗎？",
        "这台机器装得下更好的本地模型：{name}（{size}，{licence}）。要下载吗？",
    ),
    "model_fetch_label": ("fetch it", "下載", "下载"),
    "model_fetching": (
        "Fetching {name}; /status shows how far it is.",
        "正在下載 {name}，/status 可看進度。",
        "正在下载 {name}，/status 可看进度。",
    ),
    "model_fetched": ("{name} is here and takes over.", "{name} 已就緒，開始使用。", "{name} 已就绪，开始使用。"),
    "model_fetch_failed": (
        "{name} could not be fetched: {reason}",
        "無法下載 {name}：{reason}",
        "无法下载 {name}：{reason}",
    ),
    "help_models": ("local models: list, pull NAME", "本地模型：列表、pull 名稱", "本地模型：列表、pull 名称"),
    "help_memory": (
        "what I remember; forget WORDS, undo",
        "我記得什麼；forget 內容、undo",
        "我记得什么；forget 内容、undo",
    ),
    "memory_items": ("What I hold on to (newest first):", "我記著的事（最新在前）：", "我记着的事（最新在前）："),
    "memory_empty": ("I hold on to nothing yet.", "目前還沒有記下任何事。", "目前还没有记下任何事。"),
    "memory_waiting": (
        "{count} from outside wait for your yes:",
        "有 {count} 則來自外部的內容等您同意：",
        "有 {count} 条来自外部的内容等您同意：",
    ),
    "memory_forgotten": ("Forgotten:\n{items}", "已忘記：\n{items}", "已忘记：\n{items}"),
    "memory_restored": ("Back again:\n{items}", "已恢復：\n{items}", "已恢复：\n{items}"),
    "memory_keep": ("Kept: {text}", "已記下：{text}", "已记下：{text}"),
    "memory_drop": ("Dropped: {text}", "已丟棄：{text}", "已丢弃：{text}"),
    "memory_undo_label": ("undo", "復原", "撤销"),
    "memory_keep_label": ("keep", "記下", "记下"),
    "memory_drop_label": ("drop", "丟棄", "丢弃"),
    "merged": (
        "I read your {count} messages together.",
        "我把您的 {count} 則訊息一起讀了。",
        "我把您的 {count} 条消息一起读了。",
    ),
    "model_fallback": (
        "{from_model} cannot answer now ({reason}), so {to_model} does, for this turn.",
        "{from_model} 目前無法回覆（{reason}），這一輪改由 {to_model} 回覆。",
        "{from_model} 目前无法回复（{reason}），这一轮改由 {to_model} 回复。",
    ),
    "model_refused_key": (
        "{from_model} refused the key or the account, so it is not used for now. Check ANTHROPIC_API_KEY.",
        "{from_model} 拒絕了金鑰或帳號，暫時不會使用它。請檢查 ANTHROPIC_API_KEY。",
        "{from_model} 拒绝了密钥或账号，暂时不会使用它。请检查 ANTHROPIC_API_KEY。",
    ),
    "budget_local": (
        "Today's budget does not allow another paid call, so {to_model} answers without cost.",
        "今天的預算不足以再付費一次，因此改由不需費用的 {to_model} 回覆。",
        "今天的预算不足以再付费一次，因此改由不需费用的 {to_model} 回复。",
    ),
    "reason_rate_limit": ("too many requests", "請求過多", "请求过多"),
    "reason_overloaded": ("overloaded", "服務過載", "服务过载"),
    "reason_network": ("no connection", "無法連線", "无法连接"),
    "reason_auth": ("key refused", "金鑰遭拒", "密钥被拒"),
    "reason_not_found": ("no such model", "沒有這個模型", "没有这个模型"),
    "reason_format": ("request refused", "請求遭拒", "请求被拒"),
    "reason_too_long": ("conversation too long for it", "對話超出其長度上限", "对话超出其长度上限"),
    "reason_unusable": ("no usable answer", "回覆無法使用", "回复无法使用"),
    "reason_unavailable": ("not ready", "尚未就緒", "尚未就绪"),
    "reason_budget": ("budget", "預算", "预算"),
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
    "help_cron": (
        "what runs by itself; add, remove, run, approve",
        "排程；add、remove、run、approve",
        "定时任务；add、remove、run、approve",
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
    "pair_no_owner": (
        "This appliance has no owner yet. On its machine run `appliance pair`, then send me the code it shows.",
        "這台裝置還沒有擁有者。請在主機上執行 `appliance pair`，再把顯示的配對碼傳給我。",
        "这台设备还没有所有者。请在主机上运行 `appliance pair`，再把显示的配对码发给我。",
    ),
    "pair_request": (
        "I do not know you yet. Your code is `{code}`. The owner lets you in with `appliance pair {code}` on the "
        "machine; it is valid for one hour. What you write until then is not read.",
        "我還不認識您。您的配對碼是 `{code}`，請擁有者在主機上執行 `appliance pair {code}`，一小時內有效。"
        "在此之前您寫的內容不會被讀取。",
        "我还不认识您。您的配对码是 `{code}`，请所有者在主机上运行 `appliance pair {code}`，一小时内有效。"
        "在此之前您写的内容不会被读取。",
    ),
    "pair_wrong": (
        "This code is wrong or has expired.",
        "這個配對碼不正確或已過期。",
        "这个配对码不正确或已过期。",
    ),
    "paired": (
        "Paired: you are {role}. Write me anything; /help lists the commands.",
        "配對完成：您是{role}。有事直接寫給我，/help 可列出指令。",
        "配对完成：您是{role}。有事直接写给我，/help 可列出命令。",
    ),
    "role_owner": ("the owner", "擁有者", "所有者"),
    "role_member": ("a member of the household", "家庭成員", "家庭成员"),
    "role_guest": ("a guest", "訪客", "访客"),
    "group_unknown": (
        "I was added to {title}. To answer there, add {chat} to `telegram.groups` in the settings.",
        "我已加入「{title}」。若要在那裡回覆，請把 {chat} 加到設定的 `telegram.groups`。",
        "我已加入“{title}”。若要在那里回复，请把 {chat} 加到设置的 `telegram.groups`。",
    ),
    "discord_no_content": (
        "It works in private and where it is mentioned. For answers to its messages that do not mention it, switch on "
        "Message Content Intent on the application's Bot page and restart.",
        "私訊與被提及時可正常運作。若要讓它看到未提及它的回覆，請在應用程式的 Bot 頁面開啟 Message Content Intent "
        "後重新啟動。",
        "私信与被提及时可正常运作。若要让它看到未提及它的回复，请在应用程序的 Bot 页面开启 Message Content Intent "
        "后重新启动。",
    ),
    "telegram_conflict": (
        "Another program uses this Telegram bot's token, so messages may go to it. Stop it, or give it a bot of its "
        "own.",
        "有另一個程式正在使用這個 Telegram 機器人的權杖，訊息可能被它收走。請停止它，或讓它使用自己的機器人。",
        "另一个程序正在使用这个 Telegram 机器人的令牌，消息可能被它收走。请停止它，或让它使用自己的机器人。",
    ),
    **PAGE_TEXTS,
}


def say(key: str, language: str = "en", **values: object) -> str:
    """Return the text `key` in `language` (unknown languages get English), filled with `values`."""
    return TEXTS[key][_INDEX.get(language, 0)].format(**values)


def language_of(text: str, default: Language = "en") -> Language:
    """Guess which of the three languages a person writes; Japanese and Korean get the default."""
    if _KANA_OR_HANGUL.search(text) or not _HAN.search(text):
        return default
    simplified = sum(c in _SIMPLIFIED for c in text)
    traditional = sum(c in _TRADITIONAL for c in text)
    if simplified == traditional:
        return default if default != "en" else "zh-Hans"
    return "zh-Hans" if simplified > traditional else "zh-Hant"
