"""Word classes of the Chinese tables: people, things, actions, days. Each is the source of a regular expression."""

from appliance.memory.shapes import joined

KIN = (
    r"(?:老豆|老母|细佬|细妹|家姐|阿仔|阿女|囡囡|wife|husband|daughter|son|kids?|baby|mom|dad|mum|dog|cat|parents|roommate|flatmate|grandma|grandpa|granny"
    r"|girlfriend"
    r"|boyfriend|妈妈?|母亲|爸爸?"
    r"|父亲|老婆|老公|媳妇|太太|先生|妻子|丈夫|爱人|女儿|儿子|闺女|孩子|小孩|小朋友|娃|宝宝|宝贝|老大|老二|老三"
    r"|双胞胎|奶奶|爷爷|外婆|外公|姥姥|姥爷|阿嬷|阿公|阿嬷|公公|婆婆|岳父|岳母|丈母娘|弟弟?|妹妹?|姐姐?|哥哥?|爸妈"
    r"|父母|家人|全家|室友|女友|男友|女朋友|男朋友|未婚妻|未婚夫|对象|另一半|长辈|老人|狗狗?|猫咪?|猫|鹦鹉|仓鼠"
    r"|兔子|毛孩子?|家里人|孙子|孙女|外甥|侄女|侄子|岳母娘|老伴|老妈|老爸|我妈|我爸|姑娘|小子|娃儿|大宝|二宝|妞妞"
    r"|太后|老人家|婆家|娘家)"
)
DEVICE = (
    r"(?:机器|设备|咖啡机|磨豆机|键盘|鼠标|吉他|镜头|炉子|上传|下载|上行|下行|upload|download|server|router|printer|camera|doorbell|fridge|laptop|phone|macbook|mac"
    r"|pc|homelab|raspberry pi|pi|blog|网关|服务器|伺服器|nas|路由器?|主机|电脑|笔记本|笔电|打印机|印表机|树莓派"
    r"|宽带|网络|网路|wi-?fi|手机|平板|显卡|硬盘|硬碟|内存|监视器|摄像头|监控|音箱|音响|电视|空调|冷气|门铃|门锁"
    r"|灯|显示器|屏幕|萤幕|相机|耳机|车|车子|电箱|热水器|扫地机|洗衣机|烘衣机|域名|网站|博客|公众号|频道|群晖"
    r"|威联通|软路由|交换机|ups|光猫|云盘|备份盘|固态|系统|订阅|会员|账号|邮箱|信箱|阳台|厨房|卫生间|浴室"
    r"|厕所|卧室|车库|院子|地下室|地暖|暖气|燃气|天然气|煤气|冰箱|烤箱|微波炉|洗碗机|净水器|油烟机|马桶|窗帘|插座"
    r"|充电桩|电动车|摩托车?|机车|自行车|沙发|床|钢琴|除湿机|清净机|空净|加湿器|投影仪?|扫地机器人|保险箱|保险柜"
    r"|鱼缸|盆栽|花园|菜园|客厅|书房|房子|公寓|阁楼|顶楼|天台|储藏室|楼上)"
)
SELF = r"(?:我们|我|阮|偶|咱们?|本人|俺|自己)"
HOME = (
    rf"(?:我们家|我家|咱家|咱们家|家里|家中|我(?:们)?(?:的)? ?{KIN}|{KIN}|(?:我们?的? ?|家里的? ?"
    rf"|我家的? ?)?(?:主力|备用)?{DEVICE})"
)
CHANGE = (
    r"(?:\s?(?:join|move|switch|start|quit|buy|bought|install|upgrade|migrate|onboard|relocate|sign|set up|finish"
    r"|adopt|launch|get|got)|换|搬|迁|移|转|升级|改|装|买|入|添|领养|订|租|开通|停|卸载|卖|入职|离职|辞职|跳槽"
    r"|毕业|结婚|离婚|生|怀|退休|开学|放假|放寒假|放暑假|出院|住院|动手术|做手术|骨折|开始|戒|学|备考|备孕|考|减肥"
    r"|健身|断食|跑步|装修|出差|休|隔离|轮班|夜班|找工作|坐月子|带娃|失眠|搞|练|追|写|准备|忙|做|跟|看牙|复健|照顾"
    r"|值班|换季|翻修|搬家|整修|接手|创业|实习|住|用|申请|办|报名|加入|搭|架|自学|读|尝试|试用|递辞|递了辞"
    r"|提了?离职|拉|拄|submit|resign)"
)
GOOD = (
    r"(?:好[看懂读用]|好|棒|赞|神|绝|妙|舒服|清楚|清爽|顺眼|直观|完美|不错|贴心|到位|省心|方便|一目了然|合适|救命|好使|顺手|受用|实用|管用|走心|用心|漂亮|给力|惊艳"
    r"|perfect|nice|clear|great|helpful)"
)
BAD = (
    r"(?:头很?[疼痛大昏晕秃]|眼[花晕]|发?懵|犯怵|发[毛慌]|没耐心|犯?晕|犯困|好?累|烦|难受|别扭|费劲|吃力|心累|火大"
    r"|抓狂|崩溃|短路|lost|confused|想(?:关|跑|睡|划|吐|删|跳过))"
)
LAST = r"(?:上(?:次|回|周|礼拜|星期|个月)|昨天|前天|之前|那次|刚才)"
TASTE = (
    r"(?:钟意|好憎|稀罕|得意(?=[吃喝看听用])|待见|稀饭|老爱|可爱吃|得劲|对胃口|对路|(?:就?只|就)(?:喝|吃|看|听|用|买|穿|认|想要"
    r"|要(?!是|能|你))"
    r"|抗拒|抵触|排斥|抵制|厌烦|厌倦|着迷|入迷|上头(?!有|还|是|的)|爱死|恨死|憎|没抵抗力|提不起(?:劲|兴|精神)|不感冒|无爱"
    r"|八字不合|犯冲|不对付|不对盘|不来电|不买账|(?:顶|扛|遭|招架|忍受|接受|欣赏|习惯)不(?:住|了|来|起)|[吃看听喝用读]不来"
    r"|没法(?:接受|忍受?|欣赏|习惯)|首选|钟情|(?:最|很|特别|挺|不|超|真)?(?<![正亲])(?:爱|怕|迷|馋|嫌)(?!人|心|情|吵|死|的人|好者|护|国|上学|是"
    r"|了)|上瘾"
    r"|痴迷|不(?:太|大|怎么)信(?!任)|无感|冷感|心水|青睐|看不上|[吃喝用听看住穿睡读]不惯|腻了|情愿|乐意|最烦"
    r"|不想(?:看|听|再|要)|喜欢|最爱"
    r"|超爱|很爱|挺爱|偏爱|偏好|钟爱|热爱|深爱|讨厌|厌恶|反感|烦|受不了|无法忍受|忍不了|看不惯|受不住|嫌弃|恨|痛恨"
    r"|不爱(?!好)|欢喜|爱看|爱听|爱吃|爱喝|爱用|爱写|中意|享受|enjoy|吃[^，,。]{0,8}那一?套|prefer|习惯|更?愿意|更想"
    r"|(?:比较|更|最|还是)想(?:看|要|听|用)|宁愿|宁可|倾向|想要|不吃那?套|吃不消|like|love|hate|偏向|看重|欣赏)"
)
# What has come to its end or its place: to be told of it is a wish, to be asked before something is a limit.
EVENT = r"(?:完|到了|来了|好了|成功|失败|结束|回来|到家|出门)"
# "I am": not followed by what I think, say or ask.
AM = (
    r"(?:是|系(?!统|列|里|的|主任|数|上|友|办|花))(?!认真|好奇|路过|随口|说|想|不是|来|觉得|问|在(?:问|说|想)|要|怕|真|因为|指|什么|谁|哪|你|这|那|否|对的"
    r"|时候|有|没|不|很|被|看|昨|今|明|听|为了|到|从|用|做什么|刚|第|故意|随便|一时|无所谓|开玩笑)"
)
# What nobody likes: who says so means the opposite.
CHORE = (
    r"(?:排队|加班|开会|塞车|堵车|写周报|报税|体检|打针|挤地铁|改需求|断网|停电|等客服|催稿|重装|重启|验证码"
    r"|周五 ?deploy|deploy|captcha|debug)"
)
# A day or month that lies back, on which something became so.
DATED = r"(?:昨天|前天|上周|上个?(?:月|周|星期|礼拜)|<num>+月份?|去年|今年|年初|年底|月初|月底|前阵子|春节|过年|国庆)"
# What passes between the person and the agent.
SENT = r"(?:发|说|问|看|试|传|收到|删|运行|重启|报错|文件|代码|下载|上传|更新|消息|刚才)"
NUM = r"[一二两三四五六七八九十\d]"
WEEK = "(?:周|星期|礼拜)"
WORDS = {
    "kin": KIN,
    "device": DEVICE,
    "self": SELF,
    "home": HOME,
    "change": CHANGE,
    "good": GOOD,
    "bad": BAD,
    "last": LAST,
    "taste": TASTE,
    "event": EVENT,
    "am": AM,
    "dated": DATED.replace("<num>", NUM),
    "sent": SENT,
    "chore": CHORE,
    "num": NUM,
    "week": WEEK,
}


def any_of(*shapes: str) -> str:
    """See `joined`; with the word classes of this module."""
    return joined(shapes, WORDS)
