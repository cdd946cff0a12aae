"""Descriptions of the settings of models, of what they may cost, and of the agents that ask them."""

from __future__ import annotations

MODELS = (
    # models
    (
        "Models in order of preference. Not set: claude-sonnet-5-5 then local, or local alone without a key.",
        "依優先順序列出的模型。未設定時先用 claude-sonnet-5-5，再用 local；沒有金鑰就只用 local。",
        "按优先顺序列出的模型。未设置时先用 claude-sonnet-5-5，再用 local；没有密钥就只用 local。",
    ),
    (
        "Model for flushes, summaries and heartbeats; local without a key.",
        "用於寫入記憶、摘要與心跳檢查的模型；沒有金鑰時為 local。",
        "用于写入记忆、摘要与心跳检查的模型；没有密钥时为 local。",
    ),
    (
        "Output limit of one call, thinking included.",
        "一次呼叫的輸出上限，包含思考過程。",
        "一次调用的输出上限，包含思考过程。",
    ),
    (
        "How much of a model's window is used, in tokens.",
        "最多使用模型上下文視窗的多少，以 token 計。",
        "最多使用模型上下文窗口的多少，以 token 计。",
    ),
    ("How long one model call may take.", "一次模型呼叫最多可花多久。", "一次模型调用最多可花多久。"),
    # further model servers
    (
        "Further model servers by name; the chain names them.",
        "其他模型伺服器，依名稱列出；在 models.chain 中以名稱使用。",
        "其他模型服务器，按名称列出；在 models.chain 中以名称使用。",
    ),
    # local
    (
        "Whether a local model may be built, fetched and started when the chain names it.",
        "models.chain 列有本地模型時，是否可以編譯、下載並啟動它。",
        "models.chain 列有本地模型时，是否可以编译、下载并启动它。",
    ),
    (
        "A name from `appliance models list`, `auto`, or the path of a GGUF file.",
        "`appliance models list` 列出的名稱、`auto`，或 GGUF 檔案的路徑。",
        "`appliance models list` 列出的名称、`auto`，或 GGUF 文件的路径。",
    ),
    (
        "Address of a models service that runs elsewhere (compose sets it).",
        "在別處執行的模型服務的位址（由 compose 設定）。",
        "在别处运行的模型服务的地址（由 compose 设置）。",
    ),
    (
        "Token of that service, and of `appliance models serve`.",
        "該服務的權杖，`appliance models serve` 也使用它。",
        "该服务的令牌，`appliance models serve` 也使用它。",
    ),
    ("Threads; 0 is the number of cores.", "執行緒數；0 表示與核心數相同。", "线程数；0 表示与核心数相同。"),
    (
        "Memory limit of the models process in MiB; 0 is by model size.",
        "模型程序的記憶體上限，以 MiB 計；0 表示依模型大小而定。",
        "模型进程的内存上限，以 MiB 计；0 表示按模型大小而定。",
    ),
    (
        "Context window in tokens; 0 is what fits the model and the memory.",
        "上下文視窗，以 token 計；0 表示依模型與記憶體而定。",
        "上下文窗口，以 token 计；0 表示按模型与内存而定。",
    ),
    (
        "Embedding model: `auto`, a catalogue name, a GGUF path, or `off`.",
        "嵌入模型：`auto`、可下載模型的名稱、GGUF 檔案的路徑，或 `off`。",
        "嵌入模型：`auto`、可下载模型的名称、GGUF 文件的路径，或 `off`。",
    ),
    (
        "What writes down voice messages here: a catalogue name, or `off`.",
        "在本機把語音訊息轉成文字的模型：可下載模型的名稱，或 `off`。",
        "在本机把语音消息转成文字的模型：可下载模型的名称，或 `off`。",
    ),
    # anthropic
    ("Key of the Anthropic API.", "Anthropic API 的金鑰。", "Anthropic API 的密钥。"),
    ("Address of the Anthropic API.", "Anthropic API 的位址。", "Anthropic API 的地址。"),
    # budget
    (
        "Most that one day may cost, in US dollars; `none` for no limit.",
        "一天的花費上限，以美元計；`none` 表示無上限。",
        "一天的花费上限，以美元计；`none` 表示无上限。",
    ),
    ("What happens at the limit.", "達到上限時怎麼處理。", "达到上限时怎么处理。"),
    ("Daily limit of single agents.", "個別助理的每日上限。", "单个助理的每日上限。"),
    ("Daily limit of each session.", "每個對話的每日上限。", "每个对话的每日上限。"),
    ("Daily limit of single purposes.", "個別用途的每日上限。", "单项用途的每日上限。"),
    ("Daily limit of single channels.", "個別頻道的每日上限。", "单个渠道的每日上限。"),
    (
        "TOML file with prices that override the built-in table.",
        "價格的 TOML 檔案，會取代內建的價格表。",
        "价格的 TOML 文件，会覆盖内置的价格表。",
    ),
    (
        "Charge models without a known price at this rate for every token instead of refusing them.",
        "對價格不明的模型，每個 token 都按此費率計價，而不是拒絕使用。",
        "对价格不明的模型，每个 token 都按此费率计价，而不是拒绝使用。",
    ),
    (
        "Cost of an hour of local model work.",
        "本地模型運作一小時的費用。",
        "本地模型运行一小时的费用。",
    ),
    (
        "Show model and cost under every reply.",
        "在每則回覆下方顯示模型與花費。",
        "在每条回复下方显示模型与花费。",
    ),
    (
        "How long a call waits for open reservations to settle.",
        "一次呼叫最多等待多久，讓進行中的預留款項結清。",
        "一次调用最多等待多久，让进行中的预留款项结清。",
    ),
    (
        "Alerts after which no paid model is called until you say /budget resume.",
        "收到這些警報後停止呼叫付費模型，直到您傳 /budget resume。",
        "收到这些警报后停止调用付费模型，直到您发送 /budget resume。",
    ),
    # agent
    ("Most model calls in one turn.", "一輪中最多呼叫模型幾次。", "一轮中最多调用模型几次。"),
    ("Longest a turn may take.", "一輪最多可花多久。", "一轮最多可花多久。"),
    (
        "Stop after this many identical failing tool calls.",
        "同樣的工具呼叫失敗這麼多次後就停止。",
        "同样的工具调用失败这么多次后就停止。",
    ),
    (
        "What a message does that arrives during a turn.",
        "回覆中收到訊息時怎麼處理。",
        "回复中收到消息时怎么处理。",
    ),
    (
        "How many sessions may run a turn at once.",
        "最多幾個對話可以同時進行回覆。",
        "最多几个对话可以同时进行回复。",
    ),
    (
        "Longest tool result in a prompt; the whole is kept.",
        "提示中工具結果的最大長度；完整內容會另外保留。",
        "提示中工具结果的最大长度；完整内容会另外保留。",
    ),
    (
        "Most of one bootstrap file in the prompt.",
        "提示中每個助理檔案（SOUL.md 等）的最大長度。",
        "提示中每个助理文件（SOUL.md 等）的最大长度。",
    ),
    (
        "Most of all bootstrap files together.",
        "所有助理檔案合計的最大長度。",
        "所有助理文件合计的最大长度。",
    ),
    # further agents
    (
        "Further agents by id, each in a section of its own; what may stand there: docs/how-to/agents.md.",
        "其他助理，依 id 列出，各有自己的區段；可設定的項目見 docs/how-to/agents.md。",
        "其他助理，按 id 列出，各有自己的配置段；可设置的项目见 docs/how-to/agents.md。",
    ),
)
