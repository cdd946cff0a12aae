"""Descriptions of the settings of what the agent may reach: commands, the web, your mail and calendars, MCP servers."""

from __future__ import annotations

REACH = (
    # exec
    (
        "Whether the agent may run commands (each in a fresh container).",
        "助理是否可以執行指令（每次都在全新的容器中）。",
        "助理是否可以执行命令（每次都在全新的容器中）。",
    ),
    (
        "Docker engine for commands; empty is this machine's.",
        "執行指令的 Docker 引擎；留空則用這台主機的。",
        "执行命令的 Docker 引擎；留空则用这台主机的。",
    ),
    (
        "Folder with ca.pem, cert.pem and key.pem for a tcp:// engine.",
        "使用 tcp:// 引擎時，存放 ca.pem、cert.pem 與 key.pem 的資料夾。",
        "使用 tcp:// 引擎时，存放 ca.pem、cert.pem 与 key.pem 的文件夹。",
    ),
    (
        "Most of a work folder, in MiB, that is copied to another machine's engine and back.",
        "與另一台主機的引擎來回複製工作資料夾時的大小上限，以 MiB 計。",
        "与另一台主机的引擎来回复制工作文件夹时的大小上限，以 MiB 计。",
    ),
    (
        "OCI runtime: empty is the engine's default; runsc is gVisor.",
        "OCI 執行環境：留空則用引擎的預設值；runsc 是 gVisor。",
        "OCI 运行时：留空则用引擎的默认值；runsc 是 gVisor。",
    ),
    (
        "Image for commands; empty is the appliance's own shell image.",
        "執行指令的映像檔；留空則用裝置內建的 shell 映像檔。",
        "执行命令的镜像；留空则用设备自带的 shell 镜像。",
    ),
    ("Default time limit of a command.", "指令的預設時間上限。", "命令的默认时间上限。"),
    (
        "Memory of one command, swap included, in MiB.",
        "一個指令可用的記憶體，包含交換空間，以 MiB 計。",
        "一个命令可用的内存，包含交换空间，以 MiB 计。",
    ),
    ("Most processes of one command.", "一個指令最多可有幾個程序。", "一个命令最多可有几个进程。"),
    ("Containers kept ready.", "預先備妥的容器數量。", "预先备好的容器数量。"),
    (
        "`strict` applies the host policy in the sandbox too.",
        "`strict` 會把主機的規則也用在沙箱中。",
        "`strict` 会把主机的规则也用在沙箱中。",
    ),
    (
        "Where commands may run: in the sandbox, on this machine itself, on `remote_docker_host`.",
        "指令可在哪裡執行：沙箱中、這台主機本身，或 `remote_docker_host`。",
        "命令可在哪里执行：沙箱中、这台主机本身，或 `remote_docker_host`。",
    ),
    (
        "Docker engine of another machine for the host `remote`.",
        "另一台主機的 Docker 引擎，供 `remote` 使用。",
        "另一台主机的 Docker 引擎，供 `remote` 使用。",
    ),
    (
        "Domains that commands may reach through the proxy.",
        "指令可透過代理伺服器連上的網域。",
        "命令可通过代理服务器访问的域名。",
    ),
    (
        "Socket of a runner that runs elsewhere (compose sets it).",
        "在別處執行的 runner 的 socket（由 compose 設定）。",
        "在别处运行的 runner 的 socket（由 compose 设置）。",
    ),
    # web
    (
        "Whether the agent may read the web (fetch, search, browser).",
        "助理是否可以讀取網頁（擷取、搜尋、瀏覽器）。",
        "助理是否可以读取网页（抓取、搜索、浏览器）。",
    ),
    (
        "Services in your own network that may be opened, as name or name:port.",
        "您自己網路中可以開啟的服務，寫成「名稱」或「名稱:連接埠」。",
        "您自己网络中可以打开的服务，写成“名称”或“名称:端口”。",
    ),
    (
        "Sites that a conversation holding text from outside may open freely.",
        "含有外來文字的對話也可自由開啟的網站。",
        "含有外来文字的对话也可自由打开的网站。",
    ),
    (
        "The way out for fetch (compose sets it): `appliance web-proxy`, which judges addresses.",
        "擷取網頁的對外出口（由 compose 設定）：`appliance web-proxy`，會檢查位址是否可以連線。",
        "抓取网页的对外出口（由 compose 设置）：`appliance web-proxy`，会检查地址是否可以访问。",
    ),
    (
        "A SearXNG server with JSON switched on; empty: no search.",
        "已啟用 JSON 的 SearXNG 伺服器；留空則不能搜尋。",
        "已启用 JSON 的 SearXNG 服务器；留空则不能搜索。",
    ),
    (
        "Longest piece of a page in one answer of fetch.",
        "擷取網頁時，一次傳回內容的最大長度。",
        "抓取网页时，一次返回内容的最大长度。",
    ),
    ("How long a page that was read is kept.", "讀過的網頁保留多久。", "读过的网页保留多久。"),
    (
        "How long fetching one page may take, redirects included.",
        "擷取一個網頁最多可花多久，包含重新導向。",
        "抓取一个网页最多可花多久，包含重定向。",
    ),
    (
        "Largest page or document that is fetched, in MB.",
        "可擷取的網頁或文件的大小上限，以 MB 計。",
        "可抓取的网页或文档的大小上限，以 MB 计。",
    ),
    (
        "Whether the agent may use a browser, where Playwright and Chromium are installed.",
        "在已安裝 Playwright 與 Chromium 的情況下，助理是否可以使用瀏覽器。",
        "在已安装 Playwright 与 Chromium 的情况下，助理是否可以使用浏览器。",
    ),
    ("Path of Chromium; empty looks for it.", "Chromium 的路徑；留空則自動尋找。", "Chromium 的路径；留空则自动查找。"),
    (
        "A browser service that runs elsewhere (compose sets it): unix:/path or http://host:port.",
        "在別處執行的瀏覽器服務（由 compose 設定）：unix:/path 或 http://host:port。",
        "在别处运行的浏览器服务（由 compose 设置）：unix:/path 或 http://host:port。",
    ),
    ("Token of that service.", "該服務的權杖。", "该服务的令牌。"),
    (
        "A session's browser window is closed after this.",
        "對話的瀏覽器視窗閒置多久後關閉。",
        "对话的浏览器窗口闲置多久后关闭。",
    ),
    (
        "Keep cookies of the owner's browser window between uses.",
        "保留擁有者瀏覽器視窗的 cookie，供下次使用。",
        "保留所有者浏览器窗口的 cookie，供下次使用。",
    ),
    # checks
    (
        "IMAP server of your mail; empty: no mail is looked at.",
        "您郵件的 IMAP 伺服器；留空則不查看郵件。",
        "您邮件的 IMAP 服务器；留空则不查看邮件。",
    ),
    (
        "How the connection is protected; none only for a bridge on this machine.",
        "連線如何加密；none 只適用於這台主機上的橋接程式。",
        "连接如何加密；none 只适用于这台主机上的桥接程序。",
    ),
    ("Name to log in with.", "登入名稱。", "登录名。"),
    (
        "Its password, best one made for this alone.",
        "該信箱的密碼，最好是專為此用途建立的密碼。",
        "该邮箱的密码，最好是专为此用途创建的密码。",
    ),
    (
        "Folder that is looked at; nothing in it is ever changed.",
        "要查看的信件資料夾；其中的內容絕不會被更動。",
        "要查看的邮件文件夹；其中的内容绝不会被改动。",
    ),
    (
        "Calendars by name: the address of an ICS file, or of a CalDAV calendar, which ends with /. A login stands"
        " before the host.",
        "行事曆，依名稱列出：ICS 檔案的位址，或以 / 結尾的 CalDAV 行事曆位址。登入資訊寫在主機名稱之前。",
        "日历，按名称列出：ICS 文件的地址，或以 / 结尾的 CalDAV 日历地址。登录信息写在主机名之前。",
    ),
    (
        "Your Mastodon or compatible server; empty: no mentions.",
        "您的 Mastodon 或相容的伺服器；留空則不查看提及。",
        "您的 Mastodon 或兼容的服务器；留空则不查看提及。",
    ),
    (
        "Access token that may read notifications there.",
        "可以讀取該處通知的存取權杖。",
        "可以读取该处通知的访问令牌。",
    ),
    (
        "What your place is called; empty: no weather.",
        "您所在地的名稱；留空則不查看天氣。",
        "您所在地的名称；留空则不查看天气。",
    ),
    ("Where it lies, in degrees.", "所在位置的經緯度，以度計。", "所在位置的经纬度，以度计。"),
    ("An Open-Meteo server.", "Open-Meteo 伺服器。", "Open-Meteo 服务器。"),
    # further tools
    (
        "MCP servers by name, each in a section of its own; what may stand there: docs/how-to/mcp.md.",
        "MCP 伺服器，依名稱列出，各有自己的區段；可設定的項目見 docs/how-to/mcp.md。",
        "MCP 服务器，按名称列出，各有自己的配置段；可设置的项目见 docs/how-to/mcp.md。",
    ),
)
