"""Descriptions of the settings of chat platforms, mail, voice and notices."""

from __future__ import annotations

CHATS = (
    (
        "User ids that are household members without pairing.",
        "不必配對就是家庭成員的使用者 id。",
        "无需配对就是家庭成员的用户 id。",
    ),
    # telegram
    ("Token from BotFather.", "BotFather 提供的權杖。", "BotFather 提供的令牌。"),
    ("Address of the Bot API.", "Bot API 的位址。", "Bot API 的地址。"),
    (
        "Group chat ids in which the agent answers when mentioned.",
        "助理被提及時會回覆的群組 id。",
        "助理被提及时会回复的群组 id。",
    ),
    (
        "Show an answer being written as a draft with Telegram's stop button, in private chats.",
        "在私人聊天中，以草稿顯示正在撰寫的回覆，並附上 Telegram 的停止按鈕。",
        "在私聊中，以草稿显示正在撰写的回复，并附上 Telegram 的停止按钮。",
    ),
    (
        "Emoji under a message while it is worked on; empty: none.",
        "處理訊息期間加在訊息下方的表情符號；留空則不加。",
        "处理消息期间加在消息下方的表情符号；留空则不加。",
    ),
    (
        "Address under which Telegram reaches /hooks/telegram; empty: polling.",
        "Telegram 連到 /hooks/telegram 的位址；留空則改用輪詢。",
        "Telegram 访问 /hooks/telegram 的地址；留空则改用轮询。",
    ),
    # discord
    ("Token of the Discord application.", "Discord 應用程式的權杖。", "Discord 应用的令牌。"),
    ("Address of the Discord API.", "Discord API 的位址。", "Discord API 的地址。"),
    (
        "Ids of server channels in which the agent answers when mentioned.",
        "助理被提及時會回覆的 Discord 伺服器頻道 id。",
        "助理被提及时会回复的 Discord 服务器频道 id。",
    ),
    # whatsapp
    (
        "Permanent token of the system user at Meta.",
        "Meta 系統使用者的永久權杖。",
        "Meta 系统用户的永久令牌。",
    ),
    (
        "Id of the phone number (not the number itself).",
        "電話號碼的 id（不是號碼本身）。",
        "电话号码的 id（不是号码本身）。",
    ),
    (
        "App secret; calls are proved with it.",
        "應用程式密鑰；用來驗證收到的呼叫。",
        "应用密钥；用来验证收到的调用。",
    ),
    (
        "A word of your own that Meta repeats when the webhook is set.",
        "您自訂的字詞，設定 webhook 時 Meta 會傳回來。",
        "您自定的字词，设置 webhook 时 Meta 会传回来。",
    ),
    (
        "Address of the Graph API with its version.",
        "Graph API 的位址，含版本。",
        "Graph API 的地址，含版本。",
    ),
    (
        "Phone numbers that are household members without pairing.",
        "不必配對就是家庭成員的電話號碼。",
        "无需配对就是家庭成员的电话号码。",
    ),
    # slack
    ("Bot token of the Slack app.", "Slack 應用程式的機器人權杖。", "Slack 应用的机器人令牌。"),
    (
        "App-level token of it, for socket mode.",
        "該應用程式層級的權杖，用於 socket mode。",
        "该应用级别的令牌，用于 socket mode。",
    ),
    ("Address of Slack's Web API.", "Slack Web API 的位址。", "Slack Web API 的地址。"),
    (
        "Ids of channels in which the agent answers when mentioned.",
        "助理被提及時會回覆的頻道 id。",
        "助理被提及时会回复的频道 id。",
    ),
    (
        "Emoji, by name, under a message while it is worked on; empty: none.",
        "處理訊息期間加在訊息下方的表情符號，以名稱填寫；留空則不加。",
        "处理消息期间加在消息下方的表情符号，以名称填写；留空则不加。",
    ),
    # email
    (
        "The agent's own mailbox; whoever writes to it talks to the agent.",
        "助理自己的信箱；寫信到這裡就是與助理對話。",
        "助理自己的邮箱；写信到这里就是与助理对话。",
    ),
    (
        "Login name, where it is not the address.",
        "登入名稱，與信箱位址不同時才需填寫。",
        "登录名，与邮箱地址不同时才需填写。",
    ),
    ("Password of the mailbox.", "信箱的密碼。", "邮箱的密码。"),
    ("Server for letters that come.", "收信伺服器。", "收信服务器。"),
    ("Its port.", "該伺服器的連接埠。", "该服务器的端口。"),
    ("Server for letters that go.", "寄信伺服器。", "发信服务器。"),
    (
        "How both are secured; `none` only on this machine.",
        "兩者的連線如何加密；`none` 只能用於這台主機。",
        "两者的连接如何加密；`none` 只能用于这台主机。",
    ),
    (
        "Folder in which letters are looked for.",
        "在哪個信件資料夾裡收信。",
        "在哪个邮件文件夹里收信。",
    ),
    (
        "Name at the head of your mail server's Authentication-Results; without it nobody is believed.",
        "您的郵件伺服器在 Authentication-Results 開頭所寫的名稱；未填則不相信任何寄件者。",
        "您的邮件服务器在 Authentication-Results 开头所写的名称；未填则不相信任何发件人。",
    ),
    (
        "Addresses that are household members without pairing.",
        "不必配對就是家庭成員的信箱位址。",
        "无需配对就是家庭成员的邮箱地址。",
    ),
    # speech
    (
        "Server in your house with /v1/audio/transcriptions (whisper.cpp, Speaches).",
        "家中提供 /v1/audio/transcriptions 的伺服器（whisper.cpp、Speaches）。",
        "家中提供 /v1/audio/transcriptions 的服务器（whisper.cpp、Speaches）。",
    ),
    ("Model name there.", "該伺服器上的模型名稱。", "该服务器上的模型名称。"),
    (
        "Language of what is spoken; empty: the server finds out.",
        "語音所用的語言；留空則由伺服器判斷。",
        "语音所用的语言；留空则由服务器判断。",
    ),
    ("How long one voice message may take.", "處理一則語音訊息最多可花多久。", "处理一条语音消息最多可花多久。"),
    # notices
    (
        "An ntfy topic that what you are told is pushed to as well.",
        "給您的通知也會推播到這個 ntfy 主題。",
        "给您的通知也会推送到这个 ntfy 主题。",
    ),
    ("Access token of that topic.", "該主題的存取權杖。", "该主题的访问令牌。"),
    (
        'An address that gets what you are told as JSON: {"text": ...}.',
        '給您的通知也會以 JSON 送到這個位址：{"text": ...}。',
        '给您的通知也会以 JSON 发到这个地址：{"text": ...}。',
    ),
)
