"""What is said in a conversation and by the commands about it. See the package for the form."""

TALK: dict[str, tuple[str, str, str]] = {
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
    "help_approve": ("decide what waits for your word", "核准或拒絕等待中的指令", "批准或拒绝等待中的命令"),
    "help_skills": (
        "skills: list, show, approve, revoke",
        "技能：列出、查看、核准、撤銷",
        "技能：列出、查看、批准、撤销",
    ),
    "help_models": ("local models: list, pull NAME", "本地模型：列表、pull 名稱", "本地模型：列表、pull 名称"),
    "merged": (
        "I read your {count} messages together.",
        "我把您的 {count} 則訊息一起讀了。",
        "我把您的 {count} 条消息一起读了。",
    ),
    "help_cron": (
        "what runs by itself; add, remove, run, approve",
        "排程；add、remove、run、approve",
        "定时任务；add、remove、run、approve",
    ),
    "disk_full": (
        "The disk is full. I wait with everything until there is room again; nothing you wrote is lost.",
        "磁碟已滿。有空間之前我會先等著，您寫的內容都不會遺失。",
        "磁盘已满。有空间之前我会先等着，您写的内容都不会丢失。",
    ),
    "disk_room": (
        "There is room on the disk again, and I go on.",
        "磁碟又有空間了，我繼續處理。",
        "磁盘又有空间了，我继续处理。",
    ),
}
