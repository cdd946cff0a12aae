"""Why no model answered, and why a platform did not take a message."""

from __future__ import annotations

TROUBLE = (
    # models
    ("{} cannot be reached: {}.", "{0} 無法連線：{1}。", "{0} 无法连接：{1}。"),
    ("{} cannot be reached at {}.", "無法在 {1} 連線到 {0}。", "无法在 {1} 连接到 {0}。"),
    ("{} did not answer: {}.", "{0} 沒有回應：{1}。", "{0} 没有回应：{1}。"),
    ("{}'s answer {}.", "{0} 的回答{1}。", "{0} 的回答{1}。"),
    ("took too long", "花了太久", "花了太久"),
    ("was cut off by the network", "因網路而中斷", "因网络而中断"),
    ("was cut off", "中斷了", "中断了"),
    ("{}'s answer was cut off.", "{0} 的回答中斷了。", "{0} 的回答中断了。"),
    ("The model's answer broke off with {}.", "模型的回答以 {0} 中斷。", "模型的回答以 {0} 中断。"),
    ("{} refused the call ({} {}){}", "{0} 拒絕了呼叫（{1} {2}）{3}", "{0} 拒绝了调用（{1} {2}）{3}"),
    ("{} refused the call ({}){}", "{0} 拒絕了呼叫（{1}）{2}", "{0} 拒绝了调用（{1}）{2}"),
    ("{} sent something that is no answer.", "{0} 傳來的東西不是回答。", "{0} 传来的东西不是回答。"),
    ("{} answered with nothing.", "{0} 的回答是空的。", "{0} 的回答是空的。"),
    ("{} ended without an answer.", "{0} 沒有回答就結束了。", "{0} 没有回答就结束了。"),
    (
        "What answered for {} is not the Anthropic API.",
        "代替 {0} 回應的不是 Anthropic API。",
        "代替 {0} 回应的不是 Anthropic API。",
    ),
    (
        "The conversation must begin and end with a user message; this one does not.",
        "對話必須以使用者的訊息開始與結束；這個不是。",
        "会话必须以用户的消息开始与结束；这个不是。",
    ),
    ("{} is not ready yet.", "{0} 還沒準備好。", "{0} 还没准备好。"),
    (
        "The local model is not ready yet ({}{}{}).",
        "本機模型還沒準備好（{0}{1}{2}）。",
        "本机模型还没准备好（{0}{1}{2}）。",
    ),
    ("it is not configured.", "沒有設定。", "没有设置。"),
    (
        "the conversation (about {} tokens) does not fit its window of {}.",
        "對話（約 {0} 個 token）超出它 {1} 的視窗。",
        "会话（约 {0} 个 token）超出它 {1} 的窗口。",
    ),
    ("it rests for {} s more ({}).", "還要休息 {0} 秒（{1}）。", "还要休息 {0} 秒（{1}）。"),
    ("The chain names none.", "沒有列出任何模型。", "没有列出任何模型。"),
    ("Try again in a moment.", "請稍後再試。", "请稍后再试。"),
    (
        "Check the network, and ANTHROPIC_BASE_URL if you set it.",
        "請檢查網路；若有設定 ANTHROPIC_BASE_URL，也請檢查。",
        "请检查网络；若设置了 ANTHROPIC_BASE_URL，也请检查。",
    ),
    (
        "Check ANTHROPIC_API_KEY and the account's credit, then restart.",
        "請檢查 ANTHROPIC_API_KEY 與帳戶餘額，再重新啟動。",
        "请检查 ANTHROPIC_API_KEY 与账户余额，再重新启动。",
    ),
    ("Check the name in models.chain.", "請檢查 models.chain 裡的名稱。", "请检查 models.chain 里的名称。"),
    (
        "Wait a moment, or add another model to models.chain.",
        "請等一下，或在 models.chain 加上另一個模型。",
        "请等一下，或在 models.chain 加上另一个模型。",
    ),
    ("/compact shortens the conversation.", "/compact 可縮短對話。", "/compact 可缩短会话。"),
    (
        "/new starts a fresh conversation if this repeats.",
        "如果一再發生，/new 可開始新的對話。",
        "如果一再发生，/new 可开始新的会话。",
    ),
    (
        "/new begins a new conversation, /compact shortens this one; attach long texts as files.",
        "/new 開始新的對話，/compact 縮短這一個；長文字請以檔案附上。",
        "/new 开始新的会话，/compact 缩短这一个；长文字请以文件附上。",
    ),
    (
        "Give it a key (ANTHROPIC_API_KEY_FILE), or switch the local model on (local.enabled).",
        "請給金鑰（ANTHROPIC_API_KEY_FILE），或開啟本機模型（local.enabled）。",
        "请给密钥（ANTHROPIC_API_KEY_FILE），或开启本机模型（local.enabled）。",
    ),
    ("/budget raises today's limit.", "/budget 可提高今天的上限。", "/budget 可提高今天的上限。"),
    # delivery
    (
        "The message may have arrived already; it is not sent twice.",
        "訊息可能已經送達；不會再傳一次。",
        "消息可能已经送达；不会再发一次。",
    ),
    (
        "The file may have arrived already; it is not sent twice.",
        "檔案可能已經送達；不會再傳一次。",
        "文件可能已经送达；不会再发一次。",
    ),
    ("What was sent here cannot be changed.", "這裡傳出的內容無法更改。", "这里发出的内容无法更改。"),
    ("No files can be sent here.", "這裡不能傳檔案。", "这里不能发文件。"),
    ("The file {} cannot be read: {}.", "檔案 {0} 無法讀取：{1}。", "文件 {0} 无法读取：{1}。"),
    ("The file cannot be read: {}.", "檔案無法讀取：{0}。", "文件无法读取：{0}。"),
    ("{} is larger than the 10 MB that Discord takes.", "{0} 超過 Discord 的 10 MB。", "{0} 超过 Discord 的 10 MB。"),
    ("{} is larger than the 1 GB that Slack takes.", "{0} 超過 Slack 的 1 GB。", "{0} 超过 Slack 的 1 GB。"),
    (
        "{} is larger than the 50 MB that Telegram takes.",
        "{0} 超過 Telegram 的 50 MB。",
        "{0} 超过 Telegram 的 50 MB。",
    ),
    (
        "{} is larger than the 100 MB that WhatsApp takes.",
        "{0} 超過 WhatsApp 的 100 MB。",
        "{0} 超过 WhatsApp 的 100 MB。",
    ),
    ("{} is larger than the 15 MB that go into a letter.", "{0} 超過信件可附的 15 MB。", "{0} 超过信件可附的 15 MB。"),
    ("The mail server refused the letter: {} ({}).", "郵件伺服器拒收：{0}（{1}）。", "邮件服务器拒收：{0}（{1}）。"),
    ("The enclosure is not at hand.", "附件不在手邊。", "附件不在手边。"),
    ("{} answered {}.", "{0} 回應 {1}。", "{0} 回应 {1}。"),
)
