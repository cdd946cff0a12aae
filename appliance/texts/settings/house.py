"""Descriptions of the settings of the house itself: its owner, its door, memory, schedules, backups, logs."""

from __future__ import annotations

HOUSE = (
    ("Where everything lives (STATE).", "存放所有資料的資料夾（STATE）。", "存放所有数据的文件夹（STATE）。"),
    # owner
    ("What the agent calls you.", "助理對您的稱呼。", "助理对您的称呼。"),
    (
        "Your time zone; the budget's day is yours. Empty: TZ, else UTC.",
        "您的時區，預算也依此時區計算每一天。留空則採用 TZ，沒有 TZ 就用 UTC。",
        "您的时区，预算也按此时区计算每一天。留空则采用 TZ，没有 TZ 就用 UTC。",
    ),
    (
        "Language of what the appliance itself says; `auto` follows what each person writes.",
        "裝置本身所用的語言；`auto` 會依每個人所寫的語言而定。",
        "设备本身所用的语言；`auto` 会按每个人所写的语言而定。",
    ),
    # server
    (
        "Address to listen on. Wider than loopback is said aloud at start.",
        "監聽的位址。若比本機回送位址更開放，啟動時會明白告知。",
        "监听的地址。若比本机回环地址更开放，启动时会明确告知。",
    ),
    ("Port of the page and the API.", "頁面與 API 的連接埠。", "页面与 API 的端口。"),
    (
        "Further host names under which the page is reached (a reverse proxy).",
        "可用來開啟此頁面的其他主機名稱（使用反向代理時）。",
        "可用来打开此页面的其他主机名（使用反向代理时）。",
    ),
    (
        "Read-only token for /metrics; made in STATE when empty.",
        "/metrics 的唯讀權杖；留空會自動產生並放在 STATE。",
        "/metrics 的只读令牌；留空会自动生成并放在 STATE。",
    ),
    (
        "Token for POST /api/alerts; made in STATE when empty.",
        "POST /api/alerts 的權杖；留空會自動產生並放在 STATE。",
        "POST /api/alerts 的令牌；留空会自动生成并放在 STATE。",
    ),
    # memory
    (
        "Vector and text weight; `auto` follows the embedder and the query's language.",
        "向量與全文搜尋的權重；`auto` 依嵌入模型與查詢的語言而定。",
        "向量与全文搜索的权重；`auto` 按嵌入模型与查询的语言而定。",
    ),
    ("How the two legs are joined.", "如何合併這兩種搜尋的結果。", "如何合并这两种搜索的结果。"),
    (
        "Server with /v1/rerank (llama.cpp with --reranking) for the backend `rerank`.",
        "提供 /v1/rerank 的伺服器，供 `rerank` 方式使用（llama.cpp 需加上 --reranking）。",
        "提供 /v1/rerank 的服务器，供 `rerank` 方式使用（llama.cpp 需加上 --reranking）。",
    ),
    ("Reranking model there.", "該伺服器上的重排序模型。", "该服务器上的重排序模型。"),
    (
        "Its key, if it wants one; then its calls are paid for.",
        "該伺服器的金鑰（如有需要）；填了就視為付費呼叫。",
        "该服务器的密钥（如有需要）；填了就视为付费调用。",
    ),
    (
        "How edits are noticed; `auto` polls where the folder is a network mount.",
        "如何察覺檔案變更；資料夾是網路掛載時，`auto` 會改用輪詢。",
        "如何察觉文件更改；文件夹是网络挂载时，`auto` 会改用轮询。",
    ),
    (
        "OpenAI-compatible server for embeddings instead of the local one.",
        "用來計算嵌入的 OpenAI 相容伺服器，取代本地模型。",
        "用来计算嵌入的 OpenAI 兼容服务器，取代本地模型。",
    ),
    ("Embedding model there.", "該伺服器上的嵌入模型。", "该服务器上的嵌入模型。"),
    (
        "Its key, if it wants one.",
        "該伺服器的金鑰（如有需要）。",
        "该服务器的密钥（如有需要）。",
    ),
    (
        "Whether its calls cost money; not set: exactly when it has a key. Then a price must be known.",
        "呼叫該伺服器是否要付費；未設定時，有金鑰就視為付費。付費時必須知道價格。",
        "调用该服务器是否要付费；未设置时，有密钥就视为付费。付费时必须知道价格。",
    ),
    (
        "Whether that model knows more than English.",
        "該模型是否懂得英文以外的語言。",
        "该模型是否懂得英文以外的语言。",
    ),
    # backup
    (
        "Make a backup into STATE/backups every night.",
        "每晚備份到 STATE/backups。",
        "每晚备份到 STATE/backups。",
    ),
    (
        "Hour of the owner's day at which it is made.",
        "每天幾點進行備份，依擁有者的時區。",
        "每天几点进行备份，按所有者的时区。",
    ),
    ("How many nightly backups are kept.", "最多保留幾份每晚備份。", "最多保留几份每晚备份。"),
    ("Encrypt backups with this passphrase.", "用這組密碼加密備份。", "用这个密码加密备份。"),
    # schedules
    (
        "How many scheduled runs may be under way at once.",
        "最多可同時執行幾項排程。",
        "最多可同时运行几项定时任务。",
    ),
    (
        "How late a run that was missed may be made up for; later it is logged as skipped.",
        "錯過的排程在多久之內可以補執行；超過就記為略過。",
        "错过的定时任务在多久之内可以补运行；超过就记为跳过。",
    ),
    ("Most jobs that can be scheduled.", "排程數量的上限。", "定时任务数量的上限。"),
    (
        "Hours in which schedules and the heartbeat send nothing, besides what you told the agent.",
        "排程與心跳檢查不傳送任何訊息的時段；您告訴助理的時段同樣有效。",
        "定时任务与心跳检查不发送任何消息的时段；您告诉助理的时段同样有效。",
    ),
    # heartbeat
    (
        "Whether HEARTBEAT.md is looked after; with nothing due it costs nothing.",
        "是否定期查看 HEARTBEAT.md；沒有到期事項時不會有花費。",
        "是否定期查看 HEARTBEAT.md；没有到期事项时不会有花费。",
    ),
    (
        "Model of the heartbeat; empty is the cheap one.",
        "心跳檢查所用的模型；留空則用便宜的模型。",
        "心跳检查所用的模型；留空则用便宜的模型。",
    ),
    (
        "Hours in which it works; what comes due outside waits for them.",
        "心跳檢查運作的時段；在其他時間到期的事項會等到這個時段。",
        "心跳检查运行的时段；在其他时间到期的事项会等到这个时段。",
    ),
    (
        "Pause after this many days without a message from you; 0 never pauses.",
        "連續幾天沒有您的訊息就暫停；0 表示永不暫停。",
        "连续几天没有您的消息就暂停；0 表示永不暂停。",
    ),
    # hooks
    (
        "Whether the programs in STATE/config/hooks are run when something happens.",
        "有事件發生時，是否執行 STATE/config/hooks 裡的程式。",
        "有事件发生时，是否运行 STATE/config/hooks 里的程序。",
    ),
    (
        "How long one hook may take; then it is killed.",
        "一個掛鉤程式最多可執行多久；超過就強制結束。",
        "一个钩子程序最多可运行多久；超过就强制结束。",
    ),
    # logging
    ("Least important line that is written.", "要寫入記錄檔的最低層級。", "要写入日志的最低级别。"),
    (
        "`auto` is console on a terminal and json elsewhere.",
        "`auto` 在終端機上是 console，其他情況是 json。",
        "`auto` 在终端上是 console，其他情况是 json。",
    ),
)
