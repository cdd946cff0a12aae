"""Classes of Chinese words, each as the source of a regular expression."""

# Who belongs to the household, pets too.
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
