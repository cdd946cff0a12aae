"""What is said about who may speak and where. See the package for the form."""

PEOPLE: dict[str, tuple[str, str, str]] = {
    "not_allowed": (
        "{command} is for the {role} of this house.",
        "{command} 只有 {role} 可以使用。",
        "{command} 只有 {role} 可以使用。",
    ),
    "only_private": (
        "{command} is answered in private: what it says is not for everybody here.",
        "{command} 只在私下回答：內容不是給這裡所有人看的。",
        "{command} 只在私下回答：内容不是给这里所有人看的。",
    ),
    "pair_no_owner": (
        "This appliance has no owner yet. On its machine run `appliance pair`, then send me the code it shows.",
        "這台裝置還沒有擁有者。請在主機上執行 `appliance pair`，再把顯示的配對碼傳給我。",
        "这台设备还没有所有者。请在主机上运行 `appliance pair`，再把显示的配对码发给我。",
    ),
    "pair_request": (
        "I do not know you yet. Your code is `{code}`. The owner lets you in with `appliance pair {code}` on the "
        "machine; it is valid for one hour. What you write until then is not read.",
        "我還不認識您。您的配對碼是 `{code}`，請擁有者在主機上執行 `appliance pair {code}`，一小時內有效。"
        "在此之前您寫的內容不會被讀取。",
        "我还不认识您。您的配对码是 `{code}`，请所有者在主机上运行 `appliance pair {code}`，一小时内有效。"
        "在此之前您写的内容不会被读取。",
    ),
    "pair_wrong": (
        "This code is wrong or has expired.",
        "這個配對碼不正確或已過期。",
        "这个配对码不正确或已过期。",
    ),
    "paired": (
        "Paired: you are {role}. Write me anything; /help lists the commands.",
        "配對完成：您是{role}。有事直接寫給我，/help 可列出指令。",
        "配对完成：您是{role}。有事直接写给我，/help 可列出命令。",
    ),
    "role_owner": ("the owner", "擁有者", "所有者"),
    "role_member": ("a member of the household", "家庭成員", "家庭成员"),
    "role_guest": ("a guest", "訪客", "访客"),
    "group_unknown": (
        "I was added to {title}. To answer there, add {chat} to `telegram.groups` in the settings.",
        "我已加入「{title}」。若要在那裡回覆，請把 {chat} 加到設定的 `telegram.groups`。",
        "我已加入“{title}”。若要在那里回复，请把 {chat} 加到设置的 `telegram.groups`。",
    ),
    "group_moved": (
        "The group {old} has a new id, {new}. It goes on there; change the id in `telegram.groups` when you have time.",
        "群組 {old} 的編號變成了 {new}。對話會繼續；有空時請更新設定的 `telegram.groups`。",
        "群组 {old} 的编号变成了 {new}。对话会继续；有空时请更新设置的 `telegram.groups`。",
    ),
    "group_removed": (
        "I was removed from the group {title} and hear nothing there any more.",
        "我已被移出群組「{title}」，不會再聽到那裡的內容。",
        "我已被移出群组“{title}”，不会再听到那里的内容。",
    ),
    "discord_no_content": (
        "It works in private and where it is mentioned. For answers to its messages that do not mention it, switch on "
        "Message Content Intent on the application's Bot page and restart.",
        "私訊與被提及時可正常運作。若要讓它看到未提及它的回覆，請在應用程式的 Bot 頁面開啟 Message Content Intent "
        "後重新啟動。",
        "私信与被提及时可正常运作。若要让它看到未提及它的回复，请在应用程序的 Bot 页面开启 Message Content Intent "
        "后重新启动。",
    ),
    "telegram_conflict": (
        "Another program uses this Telegram bot's token, so messages may go to it. Stop it, or give it a bot of its "
        "own.",
        "有另一個程式正在使用這個 Telegram 機器人的權杖，訊息可能被它收走。請停止它，或讓它使用自己的機器人。",
        "另一个程序正在使用这个 Telegram 机器人的令牌，消息可能被它收走。请停止它，或让它使用自己的机器人。",
    ),
}
