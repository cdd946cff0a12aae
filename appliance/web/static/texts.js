// What the page says, in English, Traditional and Simplified Chinese. A key without all three is a failing test.

const INDEX = { "en": 0, "zh-Hant": 1, "zh-Hans": 2 };

export const TEXTS = {
  "app": ["Appliance", "管家", "管家"],
  "skip": ["Skip to the message field", "跳到訊息欄", "跳到消息栏"],
  "close": ["Close", "關閉", "关闭"],
  "cancel": ["Cancel", "取消", "取消"],
  "save": ["Save", "儲存", "保存"],
  "saved": ["Saved. Other browsers are logged out.", "已儲存，其他瀏覽器已登出。", "已保存，其他浏览器已退出登录。"],
  "setup": ["Model, limit and Telegram", "模型、上限與 Telegram", "模型、上限与 Telegram"],
  "sessions": ["Conversations", "對話", "对话"],
  "sessions.new": ["New conversation", "新對話", "新对话"],
  "sessions.search": ["Search conversations", "搜尋對話", "搜索对话"],
  "sessions.main": ["Main conversation", "主要對話", "主对话"],
  "sessions.none": ["Nothing found", "找不到", "没有找到"],
  "log": ["Messages", "訊息", "消息"],
  "empty": ["Say something.", "說點什麼吧。", "说点什么吧。"],
  "empty.hint": [
    "Ask a question, give it something to do, or tell it something to remember. /help lists the commands.",
    "提問、交辦工作，或告訴它要記住的事。輸入 /help 可列出指令。",
    "提问、交办任务，或告诉它要记住的事。输入 /help 可列出命令。"],
  "you": ["You", "您", "您"],
  "it": ["Appliance", "管家", "管家"],
  "write": ["Write a message", "輸入訊息", "输入消息"],
  "send": ["Send", "傳送", "发送"],
  "stop": ["Stop the answer", "停止回答", "停止回答"],
  "attach": ["Attach files", "附加檔案", "附加文件"],
  "files": ["Attached files", "已附加的檔案", "已附加的文件"],
  "remove": ["Remove {name}", "移除 {name}", "移除 {name}"],
  "uploading": ["uploading", "上傳中", "上传中"],
  "copy": ["Copy", "複製", "复制"],
  "copied": ["Copied", "已複製", "已复制"],
  "thinking": ["Working …", "處理中…", "处理中…"],
  "answered": ["Answer: {text}", "回覆：{text}", "回复：{text}"],
  "tool.failed": ["failed", "失敗", "失败"],
  "tool.input": ["What it was given", "輸入", "输入"],
  "tool.output": ["What came back", "輸出", "输出"],
  "to.end": ["To the newest message", "到最新訊息", "到最新消息"],
  "retry": ["Try again", "再試一次", "重试"],
  "not.sent": ["Not sent: {why}", "未送出：{why}", "未发送：{why}"],
  "offline": ["No connection; trying again …", "連線中斷，正在重試…", "连接中断，正在重试…"],
  "no.connection": ["No connection.", "沒有連線。", "没有连接。"],
  "today": ["Today", "今日", "今日"],
  "spend.today": ["Spent today", "今日花費", "今日花费"],
  "spend.of": ["{spent} of {limit}", "{spent}／{limit}", "{spent}／{limit}"],
  "budget.raise": ["Raise today's limit", "提高今日上限", "提高今日上限"],
  "budget.raise.by": ["By how many US dollars, for today only?", "只限今日，提高多少美元？", "仅限今日，提高多少美元？"],
  "budget.raise.go": ["Raise", "提高", "提高"],
  "model.progress": ["Progress of the local model", "本機模型進度", "本地模型进度"],
  "model.starting": ["Local model: starting", "本機模型：啟動中", "本地模型：启动中"],
  "model.building": ["Local model: being built", "本機模型：建置中", "本地模型：构建中"],
  "model.fetching": ["Local model: being fetched", "本機模型：下載中", "本地模型：下载中"],
  "model.loading": ["Local model: loading", "本機模型：載入中", "本地模型：加载中"],
  "model.failed": ["Local model: failed", "本機模型：失敗", "本地模型：失败"],
  "pages": ["Pages", "頁面", "页面"],
  "pages.approvals": ["Approvals", "核准", "批准"],
  "pages.memory": ["Memory", "記憶", "记忆"],
  "pages.schedules": ["Schedules", "排程", "日程"],
  "pages.context": ["Context", "上下文", "上下文"],
  "pages.models": ["Models", "模型", "模型"],
  "pages.settings": ["Settings in force", "目前的設定", "当前的设置"],
  "pages.health": ["Health", "健康狀態", "健康状态"],
  "waiting": ["Waits for your word", "等待您決定", "等待您决定"],
  "approval.asked": ["May this run? {why} (until {until})", "可以執行嗎？{why}（期限 {until}）", "可以运行吗？{why}（截止 {until}）"],
  "approval.once": ["Once", "僅此一次", "仅此一次"],
  "approval.always": ["Always", "一律允許", "始终允许"],
  "approval.deny": ["Deny", "拒絕", "拒绝"],
  "settings": ["Settings", "設定", "设置"],
  "language": ["Language", "語言", "语言"],
  "theme": ["Colours", "色彩", "颜色"],
  "theme.auto": ["As the system", "依系統", "跟随系统"],
  "theme.light": ["Light", "淺色", "浅色"],
  "theme.dark": ["Dark", "深色", "深色"],
  "password.change": ["Change the password", "變更密碼", "更改密码"],
  "password.current": ["Current password", "目前密碼", "当前密码"],
  "logins": ["Logged-in browsers", "已登入的瀏覽器", "已登录的浏览器"],
  "logins.this": ["this one", "目前這個", "当前这个"],
  "logins.end": ["Log out", "登出", "退出登录"],
  "logout": ["Log out", "登出", "退出登录"],
  "login.title": ["Log in to your appliance", "登入管家", "登录管家"],
  "login.code": ["One-time code", "一次性驗證碼", "一次性验证码"],
  "login.code.hint": [
    "It is printed where the appliance was started. A new one: appliance login",
    "驗證碼顯示在啟動管家的終端機上。產生新的驗證碼：appliance login",
    "验证码显示在启动管家的终端里。生成新的验证码：appliance login"],
  "login.password": ["Password", "密碼", "密码"],
  "login.go": ["Log in", "登入", "登录"],
  "login.to.code": ["Use a one-time code instead", "改用一次性驗證碼", "改用一次性验证码"],
  "login.to.password": ["Use the password instead", "改用密碼", "改用密码"],
  "login.new": ["New password", "新密碼", "新密码"],
  "login.again": ["Once more", "再輸入一次", "再输入一次"],
  "login.new.hint": [
    "You are in. Set a password of 8 characters or more, so that next time you need no code.",
    "已登入。請設定至少 8 個字元的密碼，下次就不需要驗證碼。",
    "已登录。请设置至少 8 个字符的密码，下次就不需要验证码。"],
  "login.set": ["Set the password", "設定密碼", "设置密码"],
  "login.later": ["Later", "稍後再說", "以后再说"],
  "login.differ": ["The two passwords differ.", "兩次密碼不同。", "两次密码不同。"],
  "image.elsewhere": ["image elsewhere: {alt}", "外部圖片：{alt}", "外部图片：{alt}"],
  "link.long": ["long address, check it first", "網址很長，請先確認", "网址很长，请先确认"],
  "marker.compaction": ["Older messages were summarised here", "較早的訊息已在此摘要", "较早的消息已在此摘要"],
  "marker.new": ["A new conversation begins here", "新的對話由此開始", "新的对话由此开始"],
};

let language = "en";

export function currentLanguage() {
  return language;
}

/** The stored choice, else what the server thought fits. */
export function startLanguage() {
  let stored = null;
  try { stored = localStorage.getItem("language"); } catch { /* storage may be forbidden */ }
  setLanguage(stored in INDEX ? stored : document.documentElement.dataset.language);
}

export function setLanguage(wanted) {
  language = wanted in INDEX ? wanted : "en";
  document.documentElement.lang = language;
  fill(document);
}

/** The text of a key in the current language, with {names} filled in. */
export function t(key, values = {}) {
  const text = TEXTS[key][INDEX[language]];
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** Fill every element that names its text, label or placeholder. */
export function fill(root) {
  for (const element of root.querySelectorAll("[data-text]")) element.textContent = t(element.dataset.text);
  for (const element of root.querySelectorAll("[data-label]")) {
    element.setAttribute("aria-label", t(element.dataset.label));
    if (element.matches("button")) element.title = t(element.dataset.label);
  }
  for (const element of root.querySelectorAll("[data-placeholder]")) element.placeholder = t(element.dataset.placeholder);
}
