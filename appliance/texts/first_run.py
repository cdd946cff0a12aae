"""What the first run says. See the package for the form."""

FIRST_RUN: dict[str, tuple[str, str, str]] = {
    "first_title": ("Setting up", "初始設定", "初始设置"),
    "first_steps": ("Steps", "步驟", "步骤"),
    "first_step_model": ("Who answers", "由誰回答", "由谁回答"),
    "first_step_budget": ("What it may cost", "可以花多少", "可以花多少"),
    "first_step_telegram": ("On your phone", "在手機上使用", "在手机上使用"),
    "first_model_hint": (
        "Claude answers best and costs money for each message, within the limit of the next step. A local model costs "
        "nothing, and nothing leaves your house; it is slower and knows less.",
        "Claude 的回答最好，每則訊息都會花錢，但不超過下一步的上限。"
        "本機模型不花錢，資料不會離開您家；但較慢、知識較少。",
        "Claude 的回答最好，每条消息都会花钱，但不超过下一步的上限。"
        "本地模型不花钱，数据不会离开您家；但较慢、知识较少。",
    ),
    "first_key": ("Key of the Anthropic API", "Anthropic API 金鑰", "Anthropic API 密钥"),
    "first_key_hint": (
        "It begins with sk-ant- and is made in the Anthropic console. It is tried at once and kept in a file that only "
        "the appliance can read.",
        "以 sk-ant- 開頭，在 Anthropic 主控台建立。會立即測試，並存放在只有本裝置能讀取的檔案中。",
        "以 sk-ant- 开头，在 Anthropic 控制台创建。会立即测试，并存放在只有本设备能读取的文件中。",
    ),
    "first_key_go": ("Try and keep it", "測試並保存", "测试并保存"),
    "first_key_there": (
        "A key is set. Another one replaces it.",
        "已設定金鑰。輸入新的會取代它。",
        "已设置密钥。输入新的会取代它。",
    ),
    "first_key_done": (
        "The key works. Claude answers from now on.",
        "金鑰可用。從現在起由 Claude 回答。",
        "密钥可用。从现在起由 Claude 回答。",
    ),
    "first_no_key": ("There is no key yet: paste one.", "尚無金鑰：請貼上一個。", "尚无密钥：请粘贴一个。"),
    "first_claude_go": ("Claude first", "優先用 Claude", "优先用 Claude"),
    "first_claude_done": ("Claude answers from now on.", "從現在起由 Claude 回答。", "从现在起由 Claude 回答。"),
    "first_local_go": ("Local model only", "只用本機模型", "只用本地模型"),
    "first_local_done": (
        "The local model alone answers from now on.",
        "從現在起只由本機模型回答。",
        "从现在起只由本地模型回答。",
    ),
    "first_now": ("Now: {chain}", "目前：{chain}", "目前：{chain}"),
    "first_key_refused": (
        "Anthropic refuses this key. Copy it whole, or make a new one in the console.",
        "Anthropic 不接受此金鑰。請完整複製，或在主控台建立新的。",
        "Anthropic 不接受此密钥。请完整复制，或在控制台创建新的。",
    ),
    "first_key_unreachable": (
        "Anthropic cannot be reached from here, so the key could not be tried. Check the network and try again.",
        "目前無法連上 Anthropic，因此無法測試金鑰。請檢查網路後再試。",
        "目前无法连上 Anthropic，因此无法测试密钥。请检查网络后再试。",
    ),
    "first_key_troubled": (
        "Anthropic answers with an error, so the key could not be tried. Try again in a minute.",
        "Anthropic 回應錯誤，因此無法測試金鑰。請稍後再試。",
        "Anthropic 返回错误，因此无法测试密钥。请稍后再试。",
    ),
    "first_budget_hint": (
        "Every call is paid for before it is made, so this limit holds. It counts the days of your time zone.",
        "每次呼叫都會先預留費用，因此不會超過上限。以您的時區計算每一天。",
        "每次调用都会先预留费用，因此不会超过上限。以您的时区计算每一天。",
    ),
    "first_budget_usd": ("US dollars a day", "每天多少美元", "每天多少美元"),
    "first_budget_at_limit": ("When the limit is reached", "達到上限時", "达到上限时"),
    "first_budget_local": ("go on with the local model", "改用本機模型", "改用本地模型"),
    "first_budget_stop": ("stop until tomorrow", "停到明天", "停到明天"),
    "first_budget_ask": ("ask me", "詢問我", "询问我"),
    "first_budget_go": ("Keep this limit", "保存上限", "保存上限"),
    "first_budget_done": ("The limit holds from now on.", "上限現已生效。", "上限现已生效。"),
    "first_telegram_hint": (
        "In Telegram, write /newbot to @BotFather, choose a name, and paste the token that it answers with.",
        "在 Telegram 傳 /newbot 給 @BotFather，取個名字，再貼上它回覆的權杖。",
        "在 Telegram 发 /newbot 给 @BotFather，取个名字，再粘贴它回复的令牌。",
    ),
    "first_token": ("Token of the bot", "機器人的權杖", "机器人的令牌"),
    "first_token_go": ("Try and keep it", "測試並保存", "测试并保存"),
    "first_token_there": (
        "A bot is set. Another token replaces it.",
        "已設定機器人。輸入新的權杖會取代它。",
        "已设置机器人。输入新的令牌会取代它。",
    ),
    "first_token_done": (
        "The token works: this is @{username}.",
        "權杖可用：這是 @{username}。",
        "令牌可用：这是 @{username}。",
    ),
    "first_token_restart": (
        "The token works and is kept. @{username} is used from the next start of the appliance; restart it.",
        "權杖可用並已保存。@{username} 將在下次啟動後使用；請重新啟動。",
        "令牌可用并已保存。@{username} 将在下次启动后使用；请重新启动。",
    ),
    "first_token_refused": (
        "Telegram refuses this token. Copy it whole from BotFather, as in 123456789:AA….",
        "Telegram 不接受此權杖。請從 BotFather 完整複製，例如 123456789:AA…。",
        "Telegram 不接受此令牌。请从 BotFather 完整复制，例如 123456789:AA…。",
    ),
    "first_token_unreachable": (
        "Telegram cannot be reached from here, so the token could not be tried. Check the network and try again.",
        "目前無法連上 Telegram，因此無法測試權杖。請檢查網路後再試。",
        "目前无法连上 Telegram，因此无法测试令牌。请检查网络后再试。",
    ),
    "first_token_troubled": (
        "Telegram answers with an error, so the token could not be tried. Try again in a minute.",
        "Telegram 回應錯誤，因此無法測試權杖。請稍後再試。",
        "Telegram 返回错误，因此无法测试令牌。请稍后再试。",
    ),
    "first_pair": ("Pair your phone", "與手機配對", "与手机配对"),
    "first_pair_hint": (
        "Scan this with your phone, or open the link on it, and press Start. The code holds for an hour and pairs one "
        "person.",
        "用手機掃描，或在手機上開啟連結，再按「開始」。配對碼一小時內有效，只能配對一人。",
        "用手机扫描，或在手机上打开链接，再按“开始”。配对码一小时内有效，只能配对一人。",
    ),
    "first_pair_code": ("Or send this code to the bot:", "或把此配對碼傳給機器人：", "或把此配对码发给机器人："),
    "first_pair_picture": ("QR code of the link", "連結的 QR 碼", "链接的二维码"),
    "first_pair_waiting": ("Waiting for your phone …", "等待您的手機……", "等待您的手机……"),
    "first_pair_reaching": ("Reaching Telegram …", "正在連上 Telegram……", "正在连上 Telegram……"),
    "first_paired": ("Paired with {name}.", "已與 {name} 配對。", "已与 {name} 配对。"),
    "first_invite": ("Invite a member of the household", "邀請家庭成員", "邀请家庭成员"),
    "first_no_bot": ("Set a bot first.", "請先設定機器人。", "请先设置机器人。"),
    "first_fixed": (
        "{path} is set {where}, which wins over this page: change it there.",
        "{path} 的設定{where}，優先於本頁；請在該處更改。",
        "{path} 的设置{where}，优先于本页；请在该处更改。",
    ),
    "first_back": ("Back", "上一步", "上一步"),
    "first_later": ("Later", "稍後再說", "稍后再说"),
    "first_next": ("Next", "下一步", "下一步"),
    "first_finish": ("To the conversation", "前往對話", "前往对话"),
    "first_again": (
        "Set up the model, the limit and Telegram on the page",
        "在頁面上設定模型、上限與 Telegram",
        "在页面上设置模型、上限与 Telegram",
    ),
    "page_origin_page": ("from the page", "來自本頁面", "来自本页面"),
}
