"""A made-up encyclopedia with questions about it, for the researcher that quotes: short pages, some hundred of them,
that share names and words, and questions whose supporting sentences are known. A seed makes one world, the same
everywhere; its words come in two families, `tests/encyclopedia_dev.py` and `tests/encyclopedia_held.py`, of which the
second was kept aside.
"""

import random
from dataclasses import dataclass, field

from tests import encyclopedia_dev, encyclopedia_held
from tests.asked_by_hand import Asked


@dataclass
class Entity:
    """Something that has a page."""

    title: str
    facts: dict[str, str]
    says: list[tuple[str, str]] = field(default_factory=list)

    def told(self, key: str) -> str | None:
        """The sentence that states a fact."""
        return next((said for fact, said in self.says if fact == key), None)


@dataclass(frozen=True)
class World:
    """Pages by title, and questions about them."""

    pages: dict[str, str]
    questions: tuple[Asked, ...]


FAMILIES: dict[str, tuple[dict[str, list[str]], dict[str, list[str]], list[str]]] = {
    family: (words.NAMES, words.PAGES, words.QUESTIONS)
    for family, words in (("dev", encyclopedia_dev), ("held", encyclopedia_held))
}
MONTHS = ["January", "March", "April", "June", "July", "September", "October", "December"]
JOBS = {
    "film": "film director",
    "star": "actor",
    "author": "writer",
    "singer": "singer",
    "music": "composer",
}


def world(seed: int, family: str, each: int = 5) -> World:
    """The world of a seed; `each` question is asked so often, of different things."""
    return _Maker(seed, family).made(each)


class _Maker:
    def __init__(self, seed: int, family: str) -> None:
        self._chance = random.Random(f"{family}-{seed}")
        self._names, self._pages, self._asks = FAMILIES[family]
        self._taken: set[str] = set()
        self._all: dict[str, list[Entity]] = {}

    def made(self, each: int) -> World:
        self._make_all()
        asked = [one for spec in self._asks for one in self._ask(spec, each)]
        pages = {
            entity.title: " ".join(said for _, said in entity.says)
            for kind in sorted(self._all)
            for entity in self._all[kind]
        }
        return World(pages, tuple(asked))

    # -- things --------------------------------------------------------------------------------------

    def _pick(self, name: str) -> str:
        return self._chance.choice(self._names[name])

    def _free(self, *shapes: str) -> str:
        """A name that nothing has yet."""
        for _ in range(300):
            shape = self._chance.choice(shapes)
            words = {word: self._pick(word) for word in self._names if f"{{{word}}}" in shape}
            name = shape.format(**words)
            if name not in self._taken:
                self._taken.add(name)
                return name
        raise ValueError(f"no name is left for {shapes}")

    def _year(self) -> str:
        return str(self._chance.randint(1890, 2012))

    def _date(self, first: int, last: int) -> str:
        day, month = self._chance.randint(1, 28), self._chance.choice(MONTHS)
        return f"{day} {month} {self._chance.randint(first, last)}"

    def _say(self, entity: Entity, template: str) -> None:
        key, _, words = self._chance.choice(self._pages[template]).partition("|")
        self._put(entity, key, words)

    def _put(self, entity: Entity, key: str, words: str) -> None:
        facts = {"year": self._year(), **entity.facts, "name": entity.title.split(" (")[0]}
        said = words.format(**facts)
        entity.says.append((key, said[0].upper() + said[1:]))

    def _fill(self, entity: Entity, template: str, facts: bool = True) -> None:
        """Two or three of the further sentences, those with facts among them, in any order."""
        lines = [line.partition("|") for line in self._pages[template]]
        stated = [(key, words) for key, _, words in lines if key != "_" and facts]
        others = [(key, words) for key, _, words in lines if key == "_"]
        more = stated + self._chance.sample(others, k=min(len(others), self._chance.randint(1, 2)))
        self._chance.shuffle(more)
        for key, words in more:
            self._put(entity, key, words)

    def _new(self, kind: str, title: str, **facts: str) -> Entity:
        nation, _, country = self._pick("nation").partition(":")
        article = "an" if nation[0] in "AEIOU" else "a"
        known = {
            "nat": nation,
            "country": country,
            "a_nat": f"{article} {nation}",
            "year": self._year(),
        }
        known["number"] = f"{self._chance.randint(2, 98)},{self._chance.randint(100, 999)}"
        entity = Entity(title, {**known, **facts})
        self._all.setdefault(kind, []).append(entity)
        return entity

    def _person(self, job: str, name: str | None = None, he: bool | None = None) -> Entity:
        male = self._chance.random() < 0.6 if he is None else he
        name = name or self._free("{he} {last}" if male else "{she} {last}")
        last = name.split()[-1]
        first = 1840 if job == "landowner" else 1900
        pronouns = dict(
            zip(("he", "his", "him", "mate"), ("he", "his", "him", "wife"), strict=True)
        )
        if not male:
            pronouns = dict(
                zip(("he", "his", "him", "mate"), ("she", "her", "her", "husband"), strict=True)
            )
        pronouns |= {word.capitalize(): said.capitalize() for word, said in pronouns.items()}
        spouse = self._free("{she} {last}" if male else "{he} {last}")
        father = self._free(f"{{he}} {last}", f"{{he}} {{last}} {last}")
        town = self._chance.choice(self._all["town"]).title
        school = self._chance.choice(self._all["school"]).title
        entity = self._new(
            "person",
            name,
            **pronouns,
            job=job,
            born=self._date(first, first + 60),
            died=self._date(first + 62, first + 90),
            spouse=spouse,
            father=father,
            mother=self._free("{she} {last}", f"{{she}} {last}"),
            town=town,
            school=school,
            award=self._pick("award"),
            position=self._pick("position"),
            gender="actor" if male else "actress",
            woman="man" if male else "woman",
        )
        self._say(entity, "person")
        further = [
            "parents",
            *self._chance.sample(["spouse", "town", "school", "award", "position"], 3),
        ]
        self._chance.shuffle(further)
        for template in further:
            self._say(entity, template)
        if self._chance.random() < 0.6:
            self._fill(entity, "person_")
        return entity

    def _make_all(self) -> None:
        for name in self._names["town"]:
            town = self._new(
                "town",
                name,
                region=self._pick("region"),
                river=self._free("{last}", "{noun}") + " Water",
            )
            self._say(town, "place")
            self._fill(town, "place_")
        for _ in range(8):
            self._make_school(
                self._new("school", self._free("University of {town}", "{last} University"))
            )
        for job in ("film director", "actor", "writer", "singer", "composer"):
            for _ in range(10):
                self._person(job)
        for person in list(self._all["person"])[::3]:
            for parent, he in (("father", True), ("mother", False)):
                self._person("landowner", person.facts[parent], he)
        for school in self._all["school"]:
            self._found(school, "school_")
        for _ in range(14):
            self._make_film()
            self._make_thing("song", "{quality} {noun}", "{noun} of {town}", "My {quality} {noun}")
            self._make_thing(
                "book", "The {noun} of {town}", "A {quality} {noun}", "{noun} and {noun}"
            )
        for _ in range(10):
            self._make_thing("band", "The {quality} {noun}s", "{noun} {noun}", "{quality} {last}")
            self._make_thing(
                "magazine", "{town} {paper}", "The {quality} {paper}", "{noun} {paper}"
            )
            company = self._new(
                "company", self._free("{last} & Sons", "{last} Works", "{town} Manufacturing")
            )
            company.facts |= {"town": self._some("town").title, "product": self._pick("product")}
            self._say(company, "company")
            self._found(company, "company_")
        for name in self._names["genus"]:
            genus = self._new("genus", name, family=self._pick("family"))
            genus.facts["number"] = str(self._chance.randint(3, 80))
            self._say(genus, "plant")
            self._fill(genus, "plant_")

    def _some(self, kind: str) -> Entity:
        return self._chance.choice(self._all[kind])

    def _one(self, job: str) -> str:
        return self._chance.choice(
            [one for one in self._all["person"] if one.facts["job"] == job]
        ).title

    def _make_school(self, school: Entity) -> None:
        school.facts["town"] = self._some("town").title
        self._say(school, "school_page")

    def _found(self, entity: Entity, template: str) -> None:
        entity.facts["founder"] = self._some("person").title
        self._fill(entity, template)

    def _make_film(self) -> None:
        title = self._free("The {quality} {noun}", "{noun} in {town}", "The {noun}")
        film = self._new("film", title, genre=self._pick("genre"), role=self._pick("character"))
        film.facts |= {
            "director": self._one("film director"),
            "star": self._one("actor"),
            "composer": self._one("composer"),
        }
        self._say(film, "film")
        self._fill(film, "film_")

    def _make_thing(self, kind: str, *shapes: str) -> None:
        thing = self._new(
            kind, self._free(*shapes), music=self._pick("music"), subject=self._pick("subject")
        )
        thing.facts |= {
            "singer": self._one("singer"),
            "author": self._one("writer"),
            "town": self._some("town").title,
        }
        thing.facts["performer"] = thing.facts["singer"]
        self._say(thing, kind)
        if kind == "band":
            self._say(thing, "singer")
        self._fill(thing, f"{kind}_")

    # -- questions -----------------------------------------------------------------------------------

    def _ask(self, spec: str, each: int) -> list[Asked]:
        kind, keys, words = spec.split("|")
        found: dict[str, Asked] = {}
        for _ in range(each * 20):
            asked = self._asked(kind, keys.split(), words)
            if asked and len(found) < each:
                found.setdefault(asked.question, asked)
        return list(found.values())

    def _asked(self, kind: str, keys: list[str], words: str) -> Asked | None:
        if kind == "none":
            things = {name: self._some(name).title for name in ("company", "town", "person")}
            return Asked(
                kind, words.format(**things, nobody="Ottoline Vexx", nowhere="Qarnholm"), ()
            )
        if "comparison" in kind:
            return self._compared(kind, keys, words)
        subject, _, _ = keys[0].partition(".")
        entity = self._some(subject)
        gold: list[tuple[str, str]] = []
        last = entity
        for key in keys:
            whose, _, fact = key.partition(".")
            if whose != subject:
                title = last.facts[whose] if whose in last.facts else entity.facts[whose]
                page = self._page(title)
                if page is None:
                    return None
                last = page
            said = last.told(fact)
            if said is None:
                return None
            gold.append((last.title, said))
        facts = {**entity.facts, subject: entity.title}
        if star := self._page(entity.facts.get("star", "")):
            facts |= {"actor": star.facts["gender"], "woman": star.facts["woman"]}
        answer = _answer(words, keys[-1].partition(".")[2], last)
        shown = answer if any(answer in said for _, said in gold) else ""
        return Asked(kind, words.format(**facts), tuple(gold), shown)

    def _compared(self, kind: str, keys: list[str], words: str) -> Asked | None:
        subject = next(name for name in self._all if f"{{{name}2}}" in words)
        one, other = self._chance.sample(self._all[subject], 2)
        gold: list[tuple[str, str]] = []
        for side in (one, other):
            for key in keys:
                whose, _, fact = key.partition(".")
                page = side if whose == "one" else self._page(side.facts[whose])
                said = page.told(fact) if page else None
                if page is None or said is None or "{" in said:
                    return None
                gold.append((page.title, said))
        if len(set(gold)) < len(gold):
            return None
        facts = {**one.facts, subject: one.title, f"{subject}2": other.title}
        return Asked(kind, words.format(**facts), tuple(gold))

    def _page(self, title: str) -> Entity | None:
        pages = (one for kind in self._all.values() for one in kind)
        return next((one for one in pages if one.title == title), None)


_ANSWERS = {
    "mother": "mother", "father": "father", "grandmother": "mother", "grandfather": "father", "born": "born",
    "birth": "born", "nationality": "nat", "profession": "job", "region": "region", "country": "country",
    "directed": "director", "year": "year", "make": "product", "wrote": "author", "author": "author",
    "plays": "star", "headquartered": "town", "established": "year", "founded": "year",
}  # fmt: skip


def _answer(question: str, fact: str, last: Entity) -> str:
    """The value that is asked for; empty where no single one is."""
    if fact in {"position", "award", "school", "town", "spouse", "river", "number", "singer"}:
        return last.facts[fact]
    if fact == "music":
        return last.facts["composer"]
    if fact == "founder" and question.startswith("Who"):
        return last.facts["founder"]
    asked = [word.strip("?,{}") for word in question.split()]
    return next(
        (last.facts[_ANSWERS[w]] for w in asked if w in _ANSWERS and _ANSWERS[w] in last.facts), ""
    )
