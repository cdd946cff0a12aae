"""What is said about models: the local ones, fallbacks, and why one did not answer. See the package for the form."""

MODELS: dict[str, tuple[str, str, str]] = {
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
    "model_unknown": (
        "I know no model {name}. Choose one of: {names}, auto.",
        "沒有名為 {name} 的模型，可選：{names}、auto。",
        "没有名为 {name} 的模型，可选：{names}、auto。",
    ),
    "model_chain": ("Here answers: {chain}", "回答順序：{chain}", "回答顺序：{chain}"),
    "local_coming": (
        "The local model is on its way: {phase} {percent}",
        "本地模型準備中：{phase} {percent}",
        "本地模型准备中：{phase} {percent}",
    ),
    "phase_starting": ("starting", "啟動", "启动"),
    "phase_building": ("building", "編譯", "编译"),
    "phase_fetching": ("fetching", "下載", "下载"),
    "phase_loading": ("loading", "載入", "加载"),
    "phase_ready": ("ready", "就緒", "就绪"),
    "phase_failed": ("failed", "失敗", "失败"),
    "phase_off": ("off", "關閉", "关闭"),
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
    "model_fallback": (
        "{from_model} cannot answer now ({reason}), so {to_model} does, for this turn.",
        "{from_model} 目前無法回覆（{reason}），這一輪改由 {to_model} 回覆。",
        "{from_model} 目前无法回复（{reason}），这一轮改由 {to_model} 回复。",
    ),
    "model_blind": (
        "{to_model} sees no pictures, so this answer comes without a look at yours. It is kept with your files.",
        "{to_model} 看不到圖片，這次的回覆沒有參考您的圖片；圖片已保存在您的檔案中。",
        "{to_model} 看不到图片，这次的回复没有参考您的图片；图片已保存在您的文件中。",
    ),
    "model_refused_key": (
        "{from_model} refused the key or the account, so it is not used for now. Check ANTHROPIC_API_KEY.",
        "{from_model} 拒絕了金鑰或帳號，暫時不會使用它。請檢查 ANTHROPIC_API_KEY。",
        "{from_model} 拒绝了密钥或账号，暂时不会使用它。请检查 ANTHROPIC_API_KEY。",
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
}
