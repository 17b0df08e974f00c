"""Facts to sealed lines and back, without losing or adding anything."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, TypeAdapter, ValidationError

from events.base import Blob, Fact, UnknownFact
from events.calls import CallAnswered, CallFailed, Usage
from events.codec import FACTS, GENESIS, Record, canonical, decode, digest, seal, to_fact
from events.errors import BrokenChain, NewerFormat
from events.home import Home
from events.research import QuestionOpened, StepTaken
from events.stream import EventStream
from events.tail import read_stream
from tests.homes import build_home
from traces.verify import _Chain as Chain

AT = "2026-11-16T00:00:00.000000Z"
ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]))


def sealed(*facts: Fact, cause: str | None = None) -> list[bytes]:
    return seal("s", 0, AT, 0, cause, GENESIS, facts)[0]


def forged(text: str) -> bytes:
    """A line with whatever is in it, sealed as it should be."""
    body = f'{text},"prev":"{GENESIS}"'.encode()
    return body + b',"hash":"sha256:%b"}\n' % hashlib.sha256(body + b"}").hexdigest().encode()


def test_a_line_is_what_the_specification_says() -> None:
    fact = StepTaken(step=1, of=3, action="plan", decision="b")
    (line,) = sealed(fact, cause="c")
    body = (
        '{"v":1,"stream":"s","seq":1,"at":"2026-11-16T00:00:00.000000Z","epoch":0,"cause":"c",'
        '"left":0,"event":{"kind":"step_taken","step":1,"of":3,"action":"plan","decision":"b"},'
        f'"prev":"{GENESIS}"'
    )
    hashed = hashlib.sha256(f"{body}}}".encode()).hexdigest()
    assert line.decode() == f'{body},"hash":"sha256:{hashed}"}}\n'


def test_a_record_knows_its_place_and_its_fact() -> None:
    facts = [StepTaken(step=n, action="a", decision="d") for n in (1, 2, 3)]
    lines, head = seal("s", 7, AT, 2, "why", GENESIS, facts)
    records = [Record(line[:-1]) for line in lines]
    assert [record.seq for record in records] == [8, 9, 10]
    assert [record.left for record in records] == [2, 1, 0]
    assert [record.prev for record in records] == [GENESIS, *(r.hash for r in records[:-1])]
    assert records[-1].hash == head
    assert [record.fact for record in records] == facts
    assert [record.length for record in records] == [len(line) for line in lines]
    last = records[-1]
    assert (last.stream, last.at, last.epoch, last.cause) == ("s", AT, 2, "why")
    assert last.kind == last.data["kind"] == "step_taken"


@given(action=ANY_TEXT, decision=ANY_TEXT, cause=st.none() | ANY_TEXT, number=st.integers(0, 2**63))
def test_any_text_survives_and_satisfies_the_verifier(
    action: str, decision: str, cause: str | None, number: int
) -> None:
    fact = StepTaken(step=number, action=action, decision=decision)
    lines, _ = seal("s", 0, AT, 0, cause, GENESIS, [fact, fact])
    chain = Chain("s")
    for line in lines:
        assert line.count(b"\n") == 1
        record = Record(line[:-1])
        assert record.fact == fact
        assert record.cause == cause
        assert chain.follow(line) == record.data == json.loads(line)["event"]
    assert [Record(line[:-1]).left for line in lines] == [1, 0]


def test_a_text_that_imitates_the_envelope_changes_nothing() -> None:
    imitation = '","left":9,"event":{"kind":"x"},"prev":"y","hash":"sha256:z"},"epoch":7,"at":"'
    fact = StepTaken(step=1, action=imitation, decision=imitation)
    (line,) = sealed(fact, cause=imitation)
    record = Record(line[:-1])
    assert (record.kind, record.left, record.epoch, record.at) == ("step_taken", 0, 0, AT)
    assert (record.cause, record.fact) == (imitation, fact)


def test_every_kind_of_fact_has_one_name_and_comes_back_as_itself(tmp_path: Path) -> None:
    assert all(cls.model_fields["kind"].default == kind for kind, cls in FACTS.items())
    built = build_home(tmp_path / "home")
    kinds = set()
    for path in built.traces():
        for record in read_stream(path)[0]:
            kinds.add(record.kind)
            assert type(record.fact) is FACTS[record.kind]
            assert decode(canonical(record.fact)) == record.data
    assert len(kinds) >= 20


def recorded(base: type[BaseModel] = BaseModel) -> Iterator[type[BaseModel]]:
    """Facts, and what they are made of."""
    for each in base.__subclasses__():
        if each.__module__.startswith("events."):
            yield each
        yield from recorded(each)


def test_nothing_is_left_out_but_what_is_read_where_it_is_missing() -> None:
    fields = [(model, *each) for model in recorded() for each in model.model_fields.items()]
    spared = [each for each in fields if each[2].exclude_if]
    assert len(spared) > 30
    for model, name, field in spared:
        said, default = f"{model.__name__}.{name}", field.get_default(call_default_factory=True)
        assert field.exclude_if and field.annotation
        assert field.exclude_if(default), f"{said}: what was recorded before it is spelled anew"
        read: TypeAdapter[Any] = TypeAdapter(field.annotation)
        for value in (None, "", "word", 0, 0.0, 0.5, 1, False, True, (), ("word",), {}, {"a": "b"}):
            with suppress(ValidationError):
                left_out = field.exclude_if(read.validate_python(value, strict=True))
                assert not left_out or value == default, f"{said}: {value!r} is lost"


def test_a_kind_nobody_knows_is_carried_along_unchanged(home: Home) -> None:
    later = {"kind": "dream_dreamt", "of": ["sheep", {"electric": True}], "at_night": 1.5}
    stream, _ = EventStream.claim(home.path("s"), "a later version")
    stream.append(UnknownFact.model_validate(later), cause="c")
    ((_, record), _) = read_stream(home.path("s"))
    assert record.kind == "dream_dreamt"
    assert record.data == later
    fact = record.fact
    assert isinstance(fact, UnknownFact)
    assert decode(canonical(fact)) == later
    stream.append(fact)
    assert read_stream(home.path("s"))[0][-1].data == later
    assert list(read_stream(home.path("s"))[0][-1].data) == list(later), "in the same order"


def test_a_known_kind_with_a_member_nobody_knows_is_not_misread() -> None:
    with pytest.raises(ValueError, match="surprise"):
        to_fact({"kind": "step_taken", "step": 1, "action": "", "decision": "", "surprise": 1})


def test_a_later_format_is_refused_by_name(home: Home) -> None:
    path = home.path("s")
    path.write_bytes(
        forged(
            f'{{"v":2,"stream":"s","seq":1,"at":"{AT}","epoch":0,"cause":null,"left":0,'
            '"event":{"kind":"x"}'
        )
    )
    with pytest.raises(NewerFormat) as refusal:
        read_stream(path)
    assert refusal.value.args == ("s.jsonl", 2)
    with pytest.raises(NewerFormat):
        EventStream.claim(path, "an earlier version")
    assert path.read_bytes().count(b"\n") == 1, "nothing was changed"


@pytest.mark.parametrize(
    "text",
    [
        "{",
        '{"v":1',
        '{"v":1,"stream":"s","seq":1',
        f'{{"v":1,"stream":"s","seq":1,"at":"{AT}","epoch":0,"cause":null,"left":0,"event":{{}}',
        f'{{"v":1,"stream":"s","seq":1,"at":"{AT}","epoch":"x","cause":null,"left":0,"event":'
        '{"kind":"x"}',
        f'{{"v":1,"stream":"t","seq":1,"at":"{AT}","epoch":0,"cause":null,"left":0,"event":'
        '{"kind":"x"}',
        f'{{"v":1,"stream":"s","seq":2,"at":"{AT}","epoch":0,"cause":null,"left":0,"event":'
        '{"kind":"x"}',
        f'{{"v":1,"stream":"s","seq":1,"at":"{AT}","epoch":-1,"cause":null,"left":0,"event":'
        '{"kind":"x"}',
        "[" * 5000,
    ],
)
def test_a_sealed_line_that_is_no_record_is_a_broken_chain(text: str, home: Home) -> None:
    path = home.path("s")
    path.write_bytes(forged(text))
    with pytest.raises(BrokenChain) as refusal:
        read_stream(path)
    assert refusal.value.args[:2] == ("s.jsonl", 1)


def test_equal_values_have_one_canonical_spelling() -> None:
    assert canonical({"b": 1, "a": [1.5, None, "ü"]}) == '{"a":[1.5,null,"ü"],"b":1}'.encode()
    opened = QuestionOpened(question="q", context="c", priority="low", source_locator=None)
    assert canonical(opened) == canonical(opened.model_dump(mode="json"))
    assert digest(b"") == "sha256:" + hashlib.sha256(b"").hexdigest()


def test_facts_cannot_be_changed() -> None:
    fact = StepTaken(step=1, action="a", decision="d")
    with pytest.raises(ValueError, match="frozen"):
        fact.step = 2  # type: ignore[misc]


_NUMBERS = [0, -(1 << 63), (1 << 64) - 1, 1 << 64, -(1 << 63) - 1, 10**30]


@pytest.mark.parametrize("number", _NUMBERS)
def test_what_others_count_and_tell_becomes_a_line_that_every_reader_takes_for_the_same(
    number: int,
) -> None:
    reply = Blob(hash=GENESIS, size=1, stored=GENESIS)
    counted = CallAnswered(call="c", reply=reply, usage=Usage(input_tokens=number))
    told = {"after": number, "named": {1: "one", "1": number}, "all": [number, True, None, 0.5]}
    failed = CallFailed(call="c", code="x", message="m", final=True, details=told)
    lines, _ = seal("s", 0, "2026-11-16T00:00:00.000000Z", 0, None, GENESIS, [counted, failed])
    chain = Chain("s")
    for line, fact in zip(lines, (counted, failed), strict=True):
        chain.follow(line)
        assert Record(line[:-1]).fact == fact
    assert failed.details["named"] == {"1": failed.details["after"]}
    assert failed.details["after"] in {number, str(number)}
