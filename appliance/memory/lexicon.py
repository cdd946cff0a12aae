"""Everyday words that mean the same, in English and Chinese: what a question's words are widened by.

With it words alone find across the two languages, and a 称呼 finds a 叫; no model is needed. A question for a kind of
thing is widened by the commonest of that kind: "which city" finds Hangzhou. Widened words count less than the
question's own. Chinese is written in Simplified, the form that texts are folded to.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable

from appliance.memory.languages import Query, fold

# One meaning a line; a phrase of several English words is joined by underscores.
_MEANINGS = """
wife spouse 太太 老婆 妻子 爱人 媳妇
husband spouse 丈夫 老公 先生 爱人
mother mom mum 妈妈 母亲 老妈 娘
father dad 爸爸 父亲 老爸 爹
parents 父母 爸妈 家长
daughter 女儿 闺女
son 儿子
child children kid kids 孩子 小孩 宝宝 小朋友 儿女
baby infant 宝宝 婴儿 小宝
brother 弟弟 哥哥 兄弟
sister 姐姐 妹妹 姐妹
grandma grandmother granny 奶奶 外婆 姥姥 阿嬷
grandpa grandfather 爷爷 外公 姥爷
family 家人 家里 家庭
friend friends 朋友 好友
neighbour neighbor neighbours neighbors 邻居
colleague colleagues coworker 同事
boss manager 老板 上司 领导
editor edits 编辑
teacher 老师 教师
doctor physician 医生 大夫
nurse 护士
pharmacist 药师 药剂师
landlord 房东
cat kitten 猫 猫咪 小猫
dog puppy 狗 小狗 狗狗
pet pets 宠物 猫 狗
allergic allergy allergies 过敏
eat eats food 吃 食物 饮食 忌口
cannot_eat avoid_eating 不能吃 不可以吃 忌口 过敏 allergic allergy intolerant
shrimp prawn seafood 虾 虾子 海鲜
peanut peanuts nut nuts 花生 坚果
vegetarian vegan 素食 吃素
coffee 咖啡
tea 茶 喝茶
beer alcohol wine 啤酒 喝酒 酒
spicy 辣
coriander cilantro herb 香菜
sugar sweet 糖 甜
dinner supper 晚饭 晚餐
lunch 午饭 午餐
breakfast 早饭 早餐
restaurant takeaway takeout 餐厅 饭店 餐馆 外卖
job work works profession occupation career living 工作 职业 上班 做什么 从事
writer freelance 撰稿人 作家 写稿
company office 公司 办公室 单位
remote_work home_office 在家办公 远程
resign quit leave 辞职 离职 换工作
salary wage pay 工资 薪水
school 学校 上学 学堂
grade 年级
university college degree 大学 研究所 研究生
study studies major learn 学 学习 读书 专业 念书
exam test 考试
city town hometown live lives 城市 住 老家 住在
address 地址 住址
move moved moving 搬家 搬到 搬
house home flat apartment 房子 家 公寓
rent lease 房租 租金 租
kitchen 厨房
bathroom 浴室 厕所 卫生间
bedroom 卧室 房间
balcony 阳台
living_room 客厅
door key keys 钥匙 门
lock 锁
password passcode code 密码 口令
light lamp bulb 灯 灯泡
air_conditioner aircon 空调 冷气
heating boiler 暖气 锅炉
floor 地板
car vehicle drive 车 汽车 开车 车子
licence_plate plate 车牌
bicycle bike 自行车 脚踏车 单车
train 火车 列车 高铁
flight plane airport 航班 飞机 机场
trip travel journey vacation holiday 旅行 旅游 出差 度假
hotel 酒店 饭店 旅馆
birthday 生日
wedding marry married anniversary 结婚 婚礼 纪念日
pregnant due 怀孕 预产期
divorce 离婚
name called call calls address_as nickname 名字 叫 称呼 名叫 昵称
title 标题 题目
language speak 语言 说 话 方言
english 英语 英文
chinese mandarin 中文 普通话 国语
japanese 日语 日文
translate translation 翻译
voice audio spoken 语音 声音
text written type typing 文字 打字
reply replies answer answers respond response 回复 回答 答复 回
message messages notification notifications notify ping push 消息 通知 推送 推播 讯息 提醒
remind reminder reminders 提醒 记得
disturb bother quiet silent 打扰 吵 安静 勿扰 静音
night midnight late 半夜 深夜 晚上 凌晨 夜里
morning 早上 上午 清晨
evening 晚上 傍晚
noon 中午
sleep asleep bed 睡 睡觉 休息
weekend saturday sunday 周末 周六 周日 礼拜天
monday 周一 星期一 礼拜一
tuesday 周二 星期二 礼拜二
wednesday 周三 星期三 礼拜三
thursday 周四 星期四 礼拜四
friday 周五 星期五 礼拜五
saturday 周六 星期六 礼拜六
sunday 周日 星期日 周天 礼拜天
month monthly 月 每月
year yearly annual 年 每年
day daily 天 每天
short brief concise length long 简短 简洁 几句 三句 长 短
sentence sentences line lines 句 句子 行
list bullet bullets bulleted 列表 条列 清单 列点
format style 格式 风格
detail detailed 详细 细节
publish post posts tweet public publicly 发布 发帖 发表 公开 发推
draft drafts 草稿 存稿
article newsletter blog column 文章 公众号 博客 专栏 稿子
photo photos picture pictures image 照片 图片 相片
video film movie 视频 影片 电影
upload cloud 上传 云端 网盘 云盘 网络硬盘
backup backups back_up 备份
delete remove erase 删 删除
folder directory 文件夹 目录 资料夹
file files 文件 档案
server host machine box 服务器 主机 机器 伺服器
computer laptop notebook 电脑 笔记本
memory ram 内存 记忆体
processor cpu chip 处理器 芯片
disk drive drives storage 硬盘 磁盘 存储
router network wifi internet 路由器 网络 网路 无线
phone mobile cell 手机 电话
tablet ipad 平板
printer 打印机 列印机
screen monitor display 屏幕 显示器 萤幕
projector 投影仪 投影机
container containers docker 容器
domain 域名 网域
website site page 网站 网页
email mail 邮件 邮箱 信箱
code script program programming 代码 脚本 程序 编程 写程序
error errors bug 报错 错误 出错
log logs 日志
update upgrade 更新 升级
restart reboot 重启
install 安装
buy purchase order spend spending 买 购买 花钱 下单 花
money budget cost price expensive 钱 预算 价格 多少钱 费用
limit maximum most cap 上限 最多 不超过
ask permission approve approval first 问 同意 批准 确认
shopping groceries 购物 买菜
insurance 保险
tax 税 报税
bank 银行
bill invoice 账单 发票
medicine medication pill pills drug 药 吃药 药物
blood_pressure hypertension 血压 高血压
hospital clinic 医院 诊所
surgery operation 手术
ill sick disease 生病 病 不舒服
pain hurt injury injured 痛 受伤 疼
weight diet 减肥 体重 节食
exercise run running marathon 跑步 运动 马拉松 健身
health checkup 体检 健康
glasses eye eyes 眼镜 眼睛
ear hearing deaf 耳朵 听力
knee leg 膝盖 腿
back spine 背 腰
tooth teeth dentist 牙 牙医 牙齿
smoke smoking cigarettes 抽烟 吸烟 戒烟
music song songs 音乐 歌 歌曲
instrument guitar piano cello violin 乐器 吉他 钢琴 大提琴 小提琴
game games 游戏
book books read reading 书 看书 读书 阅读
news topics summary 新闻 摘要 资讯
weather temperature celsius fahrenheit 天气 温度 气温 摄氏
unit units 单位
rain umbrella 下雨 雨 伞
hot heat 热
cold freezing 冷
plant plants flower flowers garden 植物 花 种 花园
water watered 浇水 水
rubbish trash garbage bin bins 垃圾
clean cleaning 打扫 清洁 清理
repair fix fixed broken 修 维修 坏了 坏
wash laundry 洗 洗衣
colour color 颜色
red 红 红色
blue 蓝 蓝色
white 白 白色
black 黑 黑色
like likes prefer prefers favourite favorite love 喜欢 爱 偏好 偏爱
dislike hate hates cannot_stand 讨厌 不喜欢 烦
want wants wish 想要 想 希望
forbidden never forbid allowed may 不要 别 不准 禁止 不能 可以
secret confidential 保密 秘密 不能说
group chat 群 群组 群里
meeting 会议 开会
project 项目 专案
deadline 截止 期限
metric metrics rate indicator 指标 率
plan plans goal 计划 打算 目标
price_rise discount sale 打折 优惠
lost missing 丢 走丢 不见
found find 找到 找回
where place location kept stored 哪里 放在 位置 地方
"""
# A kind of thing, and after the colon the commonest of it; only the kind is widened, never one of them by another.
_KINDS = """
job work works profession occupation career 工作 职业: engineer teacher nurse doctor lawyer designer accountant writer
 driver programmer translator 工程师 老师 教师 护士 医生 律师 设计师 会计 撰稿人 作家 司机 程序员 翻译 记者 摄影师 厨师
city town hometown 城市 老家: london paris berlin york tokyo boston chicago toronto sydney amsterdam singapore 北京 上海
 广州 深圳 杭州 成都 南京 武汉 西安 重庆 苏州 天津 厦门 青岛 台北 台中 高雄 香港
country abroad nation 国家 国外: france germany spain italy japan china canada 法国 德国 英国 美国 日本 加拿大 西班牙
pet pets animal animals 宠物 动物: cat dog rabbit hamster parrot goldfish turtle horse 猫 狗 兔 仓鼠 鹦鹉 金鱼 乌龟
instrument instruments 乐器: guitar piano violin cello drums flute trumpet 吉他 钢琴 小提琴 大提琴 鼓 笛子 二胡 古筝
sport sports exercise 运动: running swimming tennis football yoga cycling climbing 跑步 游泳 网球 足球 瑜伽 骑车 爬山
colour color 颜色: red blue green yellow black white brown orange pink purple grey 红 蓝 绿 黄 黑 白 棕 橙 粉 紫 灰
relative relatives 亲戚: uncle aunt cousin nephew niece 叔叔 舅舅 阿姨 姑姑 表姐 表妹 堂哥 侄子
"""
_MOST_WORDS = 120


@functools.lru_cache(maxsize=1)
def _meanings() -> tuple[dict[str, tuple[str, ...]], re.Pattern[str], tuple[str, ...]]:
    """Each word with what it is widened by, a pattern of all Chinese ones, longest first, and the phrases."""
    wider: dict[str, set[str]] = {}
    for line in _MEANINGS.strip().splitlines():
        _widen(wider, line, line)
    for line in _KINDS.strip().replace("\n ", " ").splitlines():
        kinds, _, ones = line.partition(":")
        _widen(wider, kinds, ones)
    chinese = sorted((word for word in wider if not word.isascii()), key=len, reverse=True)
    pattern = re.compile("|".join(map(re.escape, chinese)))
    phrases = tuple(word for word in wider if " " in word)
    return {word: tuple(sorted(others - {word})) for word, others in wider.items()}, pattern, phrases


def _widen(wider: dict[str, set[str]], words: str, by: str) -> None:
    for word in words.split():
        wider.setdefault(word.replace("_", " "), set()).update(one.replace("_", " ") for one in by.split())


def widened(question: Query, *, alone: bool) -> tuple[str, ...]:
    """FTS5 phrases that widen the question, without its own words; at most 120.

    English is widened by English only where words are `alone`: beside vectors, which know what is near, it does harm.
    """
    wider, pattern, phrases = _meanings()
    plain = fold(question.text[:2_000])
    named = [word for word in question.terms if word.isascii()] + pattern.findall(plain)
    found: dict[str, None] = {}
    for word in (*named, *(one for one in phrases if one in plain)):
        for other in wider.get(word, ()):
            if other not in plain and (alone or not (word.isascii() and other.isascii())):
                found[phrase(other)] = None
    return tuple(list(found)[:_MOST_WORDS])


def phrase(word: str) -> str:
    """A word as it stands in the full-text table: English as it is, Chinese as its character or 2-grams in order."""
    if word.isascii() or len(word) == 1:
        return f'"{word}"'
    grams: Iterable[str] = (word[start : start + 2] for start in range(len(word) - 1))
    return f'"{" ".join(grams)}"'
