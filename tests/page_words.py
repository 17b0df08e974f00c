# ruff: noqa: E501, RUF001 - sentences as they are written
"""A stock of sentences in many languages, and how a page is put together from them."""

EN = (
    "The council voted on Tuesday evening to reopen the canal towpath after nine years of repairs that cost more than the bridge itself.",
    "Engineers found in the spring that the brick lining, laid in 1834, had moved by less than a finger's breadth.",
    "“We expected to replace a third of it,” said the head of works, Maria Lindqvist, “and in the end we replaced eleven metres.”",
    "The remaining money will be spent on lighting, on benches, and on a ramp at the eastern lock.",
    "Residents who had complained about noise during the works were told that no further closures are planned before 2027.",
    "Not everybody is content with the result, and a group of rowers has already asked for a review of the speed limit.",
    "The group argues that the limit of four knots was set for barges that no longer use the waterway.",
    "A spokesman for the port authority declined to say when the request would be answered.",
    "Fish have come back in numbers that surprised the biologists who count them every October.",
    "They attribute the change to a new weir, which lets silt settle before it reaches the basin.",
    "Similar weirs have been built in two neighbouring towns, with results that are harder to read.",
    "In one of them the water has become clearer, but the reeds in which birds used to nest are gone.",
    "The ministry has promised a study of all three sites and expects first figures by the end of next year.",
    "Until then the town keeps its own ledger, open to anyone who walks into the library on a weekday.",
    "It records the height of the water, the temperature of the air and the number of boats that pass.",
    "Volunteers have filled it in by hand since 1911, and only two weeks are missing from the whole record.",
    "Both were lost to floods, which is a fact that every volunteer tells visitors with some pride.",
    "The oldest pages are kept in a steel cabinet and are shown on request to those who wash their hands.",
    "A digital copy exists, though the scans of the war years are so dark that they can hardly be read.",
    "Anyone who wants to help with the transcription can write to the archive, which answers every letter.",
)
ASIDES = (
    "Storm closes three mountain passes for the weekend",
    "Why the price of copper wire keeps climbing",
    "Ten walks for a rainy afternoon",
    "Minister resigns over forgotten invoices",
    "The baker who feeds a whole valley",
    "Opinion: our stations deserve better clocks",
    "Quiz: how well do you know your rivers?",
    "Goalkeeper signs for another two seasons",
)
REMARKS = (
    "I have rowed here for thirty years and never once saw a barge. The limit is nonsense and they know it.",
    "Nine years! My daughter learned to walk, to read and to drive a scooter while that path was closed.",
    "Great article, thanks. Could somebody explain what a weir actually does to the silt downstream of it?",
    "@tomas: it slows the water so that the heavy particles sink. Read the 2019 report, page forty or so.",
    "Typical. They spend it on benches and the playground next to it has no swings left at all.",
    "First comment here after reading for years. The ledger in the library is really worth the visit.",
    "Reported for spam. Please stop posting links to your web shop under every single story.",
    "My grandfather was one of the volunteers, his handwriting is on the pages from 1952 to 1958.",
    "The scans are dark because nobody paid for new ones. I offered my own scanner and got no reply.",
    "Does anyone know whether dogs are allowed on the new ramp? The sign only mentions bicycles.",
)
DE = (
    "Der Gemeinderat hat am Dienstagabend beschlossen, den alten Treidelpfad nach neun Jahren wieder zu öffnen.",
    "Die Sanierung kostete am Ende weniger als befürchtet, weil nur elf Meter der Mauer ersetzt werden mussten.",
    "„Wir hatten mit einem Drittel gerechnet“, sagte die Leiterin des Bauamts der Zeitung.",
    "Das übrige Geld fließt in Laternen, Bänke und eine Rampe an der östlichen Schleuse.",
    "Anwohner hatten sich während der Arbeiten mehrfach über den Lärm beschwert.",
    "Weitere Sperrungen sind nach Angaben der Stadt vor dem Jahr 2027 nicht vorgesehen.",
    "Die Fischbestände haben sich erholt, was Biologen auf das neue Wehr zurückführen.",
    "Eine Untersuchung des Ministeriums soll bis Ende des kommenden Jahres erste Zahlen liefern.",
)
FR = (
    "Le conseil municipal a décidé mardi soir de rouvrir le chemin de halage, fermé depuis neuf ans.",
    "Les travaux ont coûté moins cher que prévu, car onze mètres de maçonnerie seulement ont dû être remplacés.",
    "« Nous pensions en refaire un tiers », explique la responsable du chantier.",
    "L’argent restant servira à l’éclairage, à des bancs et à une rampe près de l’écluse.",
    "Les riverains s’étaient plaints à plusieurs reprises du bruit des machines.",
    "Aucune nouvelle fermeture n’est prévue avant 2027, assure la mairie.",
    "Les poissons sont revenus en nombre, ce que les biologistes attribuent au nouveau seuil.",
)
RU = (
    "Городской совет во вторник вечером решил открыть набережную канала после девяти лет ремонта.",
    "Работы обошлись дешевле, чем ожидалось: заменить пришлось только одиннадцать метров кладки.",
    "«Мы думали, что придётся переложить треть», — сказала руководитель стройки.",
    "Оставшиеся деньги пойдут на фонари, скамейки и пандус у восточного шлюза.",
    "Жители не раз жаловались на шум, который не прекращался и по ночам.",
    "Новых закрытий до 2027 года, по словам мэрии, не планируется.",
    "Биологи отмечают, что в канал вернулась рыба, и связывают это с новой плотиной.",
)
ZH = (
    "市议会周二晚间投票决定，在封闭维修九年之后重新开放运河沿岸的步道。",
    "工程师在春天发现，一八三四年砌成的砖墙只移动了不到一指的宽度。",
    "施工负责人表示，原本预计要更换三分之一，最后只换了十一米。",
    "剩下的经费将用于照明、长椅以及东侧船闸旁的坡道。",
    "施工期间曾有居民多次投诉噪音，市政府表示二〇二七年之前不会再次封闭。",
    "生物学家每年十月统计鱼类数量，今年的结果让他们感到意外。",
    "他们认为这与新建的拦水堰有关，泥沙在进入港池之前就已经沉淀。",
)
KO = (
    "시의회는 화요일 저녁 구 년 동안 닫혀 있던 운하 산책로를 다시 열기로 의결했다.",
    "기술자들은 봄에 벽돌 벽이 손가락 하나 너비도 움직이지 않았다는 사실을 확인했다.",
    "공사 책임자는 삼분의 일을 바꿀 것으로 예상했지만 실제로는 십일 미터만 바꾸었다고 말했다.",
    "남은 예산은 조명과 의자, 그리고 동쪽 갑문의 경사로에 쓰일 예정이다.",
    "주민들은 공사 기간에 소음 때문에 여러 차례 민원을 제기했다.",
    "시는 이천이십칠 년 이전에는 다시 폐쇄할 계획이 없다고 밝혔다.",
)
AR = (
    "قرر المجلس البلدي مساء الثلاثاء إعادة فتح ممر القناة بعد تسع سنوات من أعمال الترميم.",
    "ووجد المهندسون في الربيع أن الجدار لم يتحرك أكثر من عرض إصبع واحد.",
    "وقالت المسؤولة عن الأعمال إنهم توقعوا استبدال ثلثه لكنهم استبدلوا أحد عشر مترا فقط.",
    "وسيخصص المال المتبقي للإنارة والمقاعد ولمنحدر قرب الهويس الشرقي.",
    "وكان السكان قد اشتكوا مرارا من الضجيج أثناء الأعمال.",
    "ولا تعتزم البلدية إغلاق الممر مرة أخرى قبل عام 2027.",
)
JA = (
    "市議会は火曜日の夜、九年にわたる修復工事のため閉鎖されていた運河沿いの遊歩道を再び開放することを決めた。",
    "技術者によると、一八三四年に積まれたれんがの壁は指一本の幅も動いていなかったという。",
    "「三分の一は取り替えるつもりだったが、実際に替えたのは十一メートルだけだった」と工事の責任者は話す。",
    "残った予算は、照明とベンチ、そして東側の水門のそばのスロープに使われる。",
    "工事中の騒音について住民から何度も苦情が寄せられたが、市は二〇二七年より前に閉鎖する予定はないとしている。",
    "一方で、ボートの愛好者の団体は速度制限の見直しを求めている。",
    "毎年十月に魚の数を調べている生物学者は、今年の結果に驚いたと語った。",
    "新しい堰のおかげで、泥が港に入る前に沈むようになったためとみられている。",
    "図書館には一九一一年から手書きで続く水位の記録があり、平日であれば誰でも見ることができる。",
    "記録が欠けているのは洪水で失われた二週間分だけである。",
)


def paragraphs(
    bank: tuple[str, ...], start: int = 0, count: int = 6, each: int = 2, mark: str = "<p>"
) -> str:
    """So many paragraphs of so many sentences."""
    end = mark.replace("<", "</").split(" ")[0].rstrip(">") + ">"
    blank = "" if bank in (JA, ZH) else " "
    made = (
        blank.join(bank[(start + n * each + m) % len(bank)] for m in range(each))
        for n in range(count)
    )
    return "\n".join(f"{mark}{text}{end}" for text in made)


def links(titles: tuple[str, ...], mark: str = "li") -> str:
    """A list of links, as it stands around texts."""
    return "".join(
        f'<{mark}><a href="/story/{n}">{title}</a></{mark}>' for n, title in enumerate(titles)
    )


def html(lang: str, title: str, body: str, head: str = "", more: str = "") -> str:
    """A page."""
    return f'<!DOCTYPE html><html lang="{lang}"{more}><head><meta charset="utf-8"><title>{title}</title>{head}</head><body>{body}</body></html>'
