"""What is said of the parts of the running house: the browser, commands, voice, memory, skills, MCP, who reads."""

from __future__ import annotations

SERVICES = (
    # the running gateway
    ("See docs/how-to/{}.md.", "參見 docs/how-to/{0}.md。", "参见 docs/how-to/{0}.md。"),
    ("Set up: {}.", "已設定：{0}。", "已设置：{0}。"),
    ("The gateway does not run.", "閘道未執行。", "网关未运行。"),
    (
        "{} parts of the running gateway report no failure.",
        "閘道的 {0} 個元件都沒有回報失敗。",
        "网关的 {0} 个组件都没有报告失败。",
    ),
    ("See the gateway's log.", "請查看閘道的記錄檔。", "请查看网关的日志。"),
    ("The owner is told on {}.", "在 {0} 通知擁有者。", "在 {0} 通知所有者。"),
    (
        "No chat channel is set up: notices are shown on the page alone.",
        "沒有設定聊天平台：通知只顯示在頁面上。",
        "没有设置聊天平台：通知只显示在页面上。",
    ),
    (
        "appliance pair --role owner, then send the code to the bot.",
        "請執行 appliance pair --role owner，再把代碼傳給機器人。",
        "请运行 appliance pair --role owner，再把代码发给机器人。",
    ),
    (
        "No owner has spoken on a chat channel, so alerts and marks reach nobody there.",
        "還沒有擁有者在聊天平台上說過話，所以警報與預算通知在那裡沒有人收得到。",
        "还没有所有者在聊天平台上说过话，所以警报与预算通知在那里没有人收得到。",
    ),
    (
        "Is Prometheus up? docker compose ps prometheus; its token is STATE/metrics_token.",
        "Prometheus 有啟動嗎？docker compose ps prometheus；它的權杖是 STATE/metrics_token。",
        "Prometheus 有启动吗？docker compose ps prometheus；它的令牌是 STATE/metrics_token。",
    ),
    (
        "Prometheus has not read /metrics since the start.",
        "啟動以來 Prometheus 沒有讀過 /metrics。",
        "启动以来 Prometheus 没有读过 /metrics。",
    ),
    (
        "No Prometheus reads /metrics (it is optional; see docs/metrics.md).",
        "沒有 Prometheus 讀取 /metrics（可有可無；參見 docs/metrics.md）。",
        "没有 Prometheus 读取 /metrics（可有可无；参见 docs/metrics.md）。",
    ),
    (
        "Prometheus last read /metrics {} minutes ago.",
        "Prometheus 上次讀取 /metrics 是 {0} 分鐘前。",
        "Prometheus 上次读取 /metrics 是 {0} 分钟前。",
    ),
    (
        "Prometheus read /metrics {} s ago.",
        "Prometheus 在 {0} 秒前讀取了 /metrics。",
        "Prometheus 在 {0} 秒前读取了 /metrics。",
    ),
    (
        "Is it up? docker compose ps egress",
        "有啟動嗎？docker compose ps egress",
        "有启动吗？docker compose ps egress",
    ),
    ("The proxy {}:{} does not answer: {}.", "代理 {0}:{1} 沒有回應：{2}。", "代理 {0}:{1} 没有响应：{2}。"),
    ("The proxy refuses {}.", "代理拒絕 {0}。", "代理拒绝 {0}。"),
    (
        "List it in EGRESS_DOMAINS in .env, then up again.",
        "請把它加到 .env 的 EGRESS_DOMAINS，再執行一次 up。",
        "请把它加到 .env 的 EGRESS_DOMAINS，再运行一次 up。",
    ),
    ("The proxy {} lets pass what is needed.", "代理 {0} 允許所需的連線。", "代理 {0} 允许所需的连接。"),
    # the web and the browser
    (
        "Start it (in compose: COMPOSE_PROFILES=browser). Pages can still be read with fetch.",
        "請啟動它（在 compose：COMPOSE_PROFILES=browser）。網頁仍可用 fetch 讀取。",
        "请启动它（在 compose：COMPOSE_PROFILES=browser）。网页仍可用 fetch 读取。",
    ),
    (
        "Install what is named, or set APPLIANCE_WEB__BROWSER=false. Pages can still be read with fetch.",
        "請安裝所列的項目，或設定 APPLIANCE_WEB__BROWSER=false。網頁仍可用 fetch 讀取。",
        "请安装所列的项目，或设置 APPLIANCE_WEB__BROWSER=false。网页仍可用 fetch 读取。",
    ),
    ("No browser at {}: {}", "{0} 沒有瀏覽器：{1}", "{0} 没有浏览器：{1}"),
    ("No browser: {}", "沒有瀏覽器：{0}", "没有浏览器：{0}"),
    ("the browser's service at {}", "{0} 的瀏覽器服務", "{0} 的浏览器服务"),
    (
        "Run it as a user of its own, on a system and with a seccomp profile that allow user namespaces.",
        "請以專用的使用者執行它，並使用允許 user namespace 的系統與 seccomp 設定。",
        "请以专用的用户运行它，并使用允许 user namespace 的系统与 seccomp 设置。",
    ),
    (
        "Chromium ({}) runs without its own sandbox: {}.",
        "Chromium（{0}）執行時沒有自己的沙箱：{1}。",
        "Chromium（{0}）运行时没有自己的沙箱：{1}。",
    ),
    ("Chromium ({}) keeps its own sandbox.", "Chromium（{0}）有自己的沙箱。", "Chromium（{0}）有自己的沙箱。"),
    ("without Chromium's own sandbox: {}", "沒有 Chromium 自己的沙箱：{0}", "没有 Chromium 自己的沙箱：{0}"),
    (
        "Playwright is not installed. Install the extra: home-agent-appliance[browser]",
        "未安裝 Playwright。請安裝附加套件：home-agent-appliance[browser]",
        "未安装 Playwright。请安装附加包：home-agent-appliance[browser]",
    ),
    (
        "web.browser_executable is {}, which is no program that can be run.",
        "web.browser_executable 是 {0}，這不是可以執行的程式。",
        "web.browser_executable 是 {0}，这不是可以运行的程序。",
    ),
    (
        "Chromium is not installed. Install it (apt-get install chromium) or set web.browser_executable",
        "未安裝 Chromium。請安裝（apt-get install chromium）或設定 web.browser_executable",
        "未安装 Chromium。请安装（apt-get install chromium）或设置 web.browser_executable",
    ),
    ("the browser runs as root", "瀏覽器以 root 執行", "浏览器以 root 运行"),
    (
        "the program unshare is missing, so that it cannot be tried",
        "缺少 unshare 程式，無法測試",
        "缺少 unshare 程序，无法测试",
    ),
    ("namespaces cannot be made: {}", "無法建立 namespace：{0}", "无法创建 namespace：{0}"),
    (
        "this system or its container forbids user namespaces ({})",
        "這個系統或它的容器禁止 user namespace（{0}）",
        "这个系统或它的容器禁止 user namespace（{0}）",
    ),
    ("The browser's service was stopped.", "瀏覽器服務已停止。", "浏览器服务已停止。"),
    ("The gateway's log says why.", "閘道的記錄檔裡有原因。", "网关的日志里有原因。"),
    ("The browser's service does not start.", "瀏覽器服務無法啟動。", "浏览器服务无法启动。"),
    (
        "The browser's service does not answer at {}.",
        "瀏覽器服務在 {0} 沒有回應。",
        "浏览器服务在 {0} 没有响应。",
    ),
    ("The browser's service broke off: {}.", "瀏覽器服務中斷了：{0}。", "浏览器服务中断了：{0}。"),
    (
        "What answers at {} is no browser's service.",
        "在 {0} 回應的不是瀏覽器服務。",
        "在 {0} 响应的不是浏览器服务。",
    ),
    ("{} is looked for", "正在尋找 {0}", "正在寻找 {0}"),
    ("web.enabled is false", "web.enabled 為 false", "web.enabled 为 false"),
    ("web.browser is false", "web.browser 為 false", "web.browser 为 false"),
    ("exec.enabled is false", "exec.enabled 為 false", "exec.enabled 为 false"),
    # voice
    (
        "scripts/setup installs it; in compose MODELS_IMAGE=models-speech; see docs/how-to/voice.md.",
        "scripts/setup 會安裝；在 compose 用 MODELS_IMAGE=models-speech；參見 docs/how-to/voice.md。",
        "scripts/setup 会安装；在 compose 用 MODELS_IMAGE=models-speech；参见 docs/how-to/voice.md。",
    ),
    (
        "Voice messages are answered with a refusal: neither local.transcriber nor speech.url is set.",
        "語音訊息會被婉拒：local.transcriber 與 speech.url 都沒有設定。",
        "语音消息会被婉拒：local.transcriber 与 speech.url 都没有设置。",
    ),
    (
        "{} is to write down voice messages, and its library is missing.",
        "語音訊息要由 {0} 轉成文字，但缺少它的程式庫。",
        "语音消息要由 {0} 转成文字，但缺少它的程序库。",
    ),
    (
        "{} writes down voice messages once the gateway runs.",
        "閘道執行後，語音訊息由 {0} 轉成文字。",
        "网关运行后，语音消息由 {0} 转成文字。",
    ),
    ("Start it, or mend speech.url.", "請啟動它，或修正 speech.url。", "请启动它，或修正 speech.url。"),
    (
        "Voice messages go to {}, which does not answer: {}.",
        "語音訊息會送到 {0}，但它沒有回應：{1}。",
        "语音消息会送到 {0}，但它没有响应：{1}。",
    ),
    ("Voice messages are written down by {}.", "語音訊息由 {0} 轉成文字。", "语音消息由 {0} 转成文字。"),
    ("{} writes down voice messages.", "{0} 把語音訊息轉成文字。", "{0} 把语音消息转成文字。"),
    ("Voice messages cannot be written down: {}", "語音訊息無法轉成文字：{0}", "语音消息无法转成文字：{0}"),
    (
        "The models service was started without {}.",
        "模型服務啟動時沒有 {0}。",
        "模型服务启动时没有 {0}。",
    ),
    (
        "Set local.transcriber there too.",
        "請在那裡也設定 local.transcriber。",
        "请在那里也设置 local.transcriber。",
    ),
    (
        "{} will write down voice messages; it is {}.",
        "語音訊息將由 {0} 轉成文字；目前狀態：{1}。",
        "语音消息将由 {0} 转成文字；当前状态：{1}。",
    ),
    # memory
    (
        "{} items in {} day notes, {} waiting for your yes.",
        "{1} 份日記裡有 {0} 筆記憶，{2} 筆等待您同意。",
        "{1} 份日记里有 {0} 条记忆，{2} 条等待您同意。",
    ),
    (
        "Over {} KB, which every prompt pays for: {}.",
        "超過 {0} KB，每次提示都要付出代價：{1}。",
        "超过 {0} KB，每次提示都要付出代价：{1}。",
    ),
    (
        "{} said more than once, merged when the house is idle.",
        "{0} 筆說過不只一次，閒置時會合併。",
        "{0} 条说过不止一次，空闲时会合并。",
    ),
    (
        "`appliance memory tidy` takes out repeated lines and digests old notes; shorten the rest by hand.",
        "`appliance memory tidy` 會移除重複的行並摘要舊日記；其餘請自行縮短。",
        "`appliance memory tidy` 会移除重复的行并摘要旧日记；其余请自行缩短。",
    ),
    ("no embedding model is there", "沒有嵌入模型", "没有嵌入模型"),
    (
        "memory.backend is rerank, and memory.reranker_url names no server: joined as hybrid",
        "memory.backend 是 rerank，但 memory.reranker_url 沒有指定伺服器：改用 hybrid",
        "memory.backend 是 rerank，但 memory.reranker_url 没有指定服务器：改用 hybrid",
    ),
    # hooks, MCP servers, checks of accounts
    ("Hooks that are not run: {}.", "不會執行的 hook：{0}。", "不会运行的 hook：{0}。"),
    ("See docs/how-to/hooks.md.", "參見 docs/how-to/hooks.md。", "参见 docs/how-to/hooks.md。"),
    ("Hooks: {}.", "hook：{0}。", "hook：{0}。"),
    (
        "others may write it: chmod go-w it, and own it",
        "別人可以寫入：請用 chmod go-w，並改由自己擁有",
        "别人可以写入：请用 chmod go-w，并改由自己拥有",
    ),
    ("MCP servers: {}.", "MCP 伺服器：{0}。", "MCP 服务器：{0}。"),
    (
        "Mend the sections [mcp.<name>] of the settings.",
        "請修正設定裡的 [mcp.<name>] 區段。",
        "请修正设置里的 [mcp.<name>] 区段。",
    ),
    (
        "{} MCP servers are configured; `appliance mcp check` connects to them.",
        "已設定 {0} 個 MCP 伺服器；`appliance mcp check` 會連線測試。",
        "已设置 {0} 个 MCP 服务器；`appliance mcp check` 会连接测试。",
    ),
    ("{}: there is no program {}", "{0}：沒有 {1} 這個程式", "{0}：没有 {1} 这个程序"),
    (
        "{}: it runs in the sandbox, and exec.enabled is false",
        "{0}：它在沙箱中執行，而 exec.enabled 為 false",
        "{0}：它在沙箱中运行，而 exec.enabled 为 false",
    ),
    (
        "{}: free names {}, which tools does not",
        "{0}：free 列出 {1}，但 tools 沒有",
        "{0}：free 列出 {1}，但 tools 没有",
    ),
    ("the variable {} is not set (nor {}_FILE)", "未設定變數 {0}（或 {1}_FILE）", "未设置变量 {0}（或 {1}_FILE）"),
    ("{}: {} cannot be read: {}", "{0}：{1} 無法讀取：{2}", "{0}：{1} 无法读取：{2}"),
    ("{}: {} tools", "{0}：{1} 個工具", "{0}：{1} 个工具"),
    ("{}: not started", "{0}：未啟動", "{0}：未启动"),
    ("no account is set up (checks)", "沒有設定帳號（checks）", "没有设置账号（checks）"),
    (
        "calendars need the extra: home-agent-appliance[calendar]",
        "行事曆需要附加套件：home-agent-appliance[calendar]",
        "日历需要附加包：home-agent-appliance[calendar]",
    ),
)
