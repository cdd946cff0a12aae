"""Why a command is asked about."""

from __future__ import annotations

COMMANDS = (
    ("This conversation holds text from outside.", "這個對話含有外來文字。", "这个会话含有外来文字。"),
    ("Needs the network.", "需要網路。", "需要网络。"),
    ("Not approved in advance.", "沒有事先核准。", "没有事先批准。"),
    ("Connects to another machine.", "會連線到另一台機器。", "会连接到另一台机器。"),
    ("Copies files.", "會複製檔案。", "会复制文件。"),
    ("Packs or unpacks files.", "會打包或解開檔案。", "会打包或解开文件。"),
    ("Reads one git setting.", "會讀取一項 git 設定。", "会读取一项 git 设置。"),
    ("Walks the work folder.", "會走遍工作資料夾。", "会走遍工作文件夹。"),
    ("Deletes {}.", "會刪除 {0}。", "会删除 {0}。"),
    ("Deletes nothing.", "不會刪除任何東西。", "不会删除任何东西。"),
    (
        "Edits text; with -i it edits files in place.",
        "會編輯文字；加上 -i 會直接改檔案。",
        "会编辑文字；加上 -i 会直接改文件。",
    ),
    ("{} runs {}: {}", "{0} 會執行 {1}：{2}", "{0} 会运行 {1}：{2}"),
    ("{} goes beyond a plain filter of standard input.", "{0} 不只是過濾標準輸入。", "{0} 不只是过滤标准输入。"),
    ("{} is an unusual value for {}.", "{0} 對 {1} 來說是不尋常的值。", "{0} 对 {1} 来说是不寻常的值。"),
    (
        "{} is a file, and this filter is approved for standard input only.",
        "{0} 是檔案，而這個過濾器只核准用於標準輸入。",
        "{0} 是文件，而这个过滤器只批准用于标准输入。",
    ),
    ("tr without a set.", "tr 沒有給字元集合。", "tr 没有给字符集合。"),
    ("cut without a list of fields.", "cut 沒有給欄位清單。", "cut 没有给字段列表。"),
    ("jq without a program.", "jq 沒有給程式。", "jq 没有给程序。"),
    ("grep without a pattern.", "grep 沒有給樣式。", "grep 没有给模式。"),
    ("An inline {} program, shown whole.", "直接寫出的 {0} 程式，已完整顯示。", "直接写出的 {0} 程序，已完整显示。"),
    ("Only tells about itself.", "只說明它自己。", "只说明它自己。"),
    ("{} alone only tells about itself.", "單獨的 {0} 只說明它自己。", "单独的 {0} 只说明它自己。"),
    ("Tells where a program is.", "說明程式在哪裡。", "说明程序在哪里。"),
    ("Runs {} {}.", "會執行 {0} {1}。", "会运行 {0} {1}。"),
    ("Runs the module {}.", "會執行模組 {0}。", "会运行模块 {0}。"),
    (
        "Runs the file {}; its content is bound by hash when approved.",
        "會執行檔案 {0}；核准時會以雜湊鎖定內容。",
        "会运行文件 {0}；批准时会以哈希锁定内容。",
    ),
    (
        "The context has {}, which changes what can be known.",
        "環境裡有 {0}，能確定的事因此不同。",
        "环境里有 {0}，能确定的事因此不同。",
    ),
    (
        "{} may be found in {} first, which is not a trusted folder.",
        "{0} 可能先在 {1} 找到，而那不是可信的資料夾。",
        "{0} 可能先在 {1} 找到，而那不是可信的文件夹。",
    ),
    ("{} is a link to elsewhere.", "{0} 是指向別處的連結。", "{0} 是指向别处的链接。"),
    ("{} is not in a trusted folder.", "{0} 不在可信的資料夾裡。", "{0} 不在可信的文件夹里。"),
)
