"""What was asked of the outside world, what came back, and what it cost."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from events.codec import Record

CallOutcome = Literal["asked", "answered", "failed"]

SpendRow = tuple[str, str, int, int, int, int, int, int, int, int, int, int]
"""A `Spend` as it is kept: day, model, and whole numbers only."""

_NANO = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Spend:
    """What the answers of one model on one day consumed.

    Kept in whole numbers (billionths, microseconds), so that sums are the same in any order.
    """

    day: str
    model: str
    """Empty where nobody said which model it was, as with most failures."""

    answered: int = 0
    failed: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    thought_tokens: int = 0
    searches: int = 0
    credits_nano: int = 0
    cost_nano: int = 0
    took_us: int = 0

    @property
    def tokens_in(self) -> int:
        """Everything sent, cached or not."""
        return self.input_tokens + self.cached_tokens

    @property
    def tokens_out(self) -> int:
        """Everything generated, thought or said."""
        return self.output_tokens + self.thought_tokens

    @property
    def credits(self) -> float:
        """Credits of providers that count in those."""
        return self.credits_nano / _NANO

    @property
    def cost_usd(self) -> float:
        """Dollars."""
        return self.cost_nano / _NANO


def fold_spend(spend: tuple[SpendRow, ...], records: Iterable[Record]) -> tuple[SpendRow, ...]:
    """Fold in answers and failures; every other fact changes nothing."""
    ledger: dict[tuple[str, str], list[int]] = {(row[0], row[1]): list(row[2:]) for row in spend}
    for record in records:
        kind = record.kind
        if kind == "call_answered" or kind == "call_failed":
            data = record.data
            key = record.at[:10], data.get("model") or ""
            sums = ledger.get(key)
            if sums is None:
                sums = ledger[key] = [0] * 10
            sums[kind == "call_failed"] += 1
            if usage := data.get("usage"):
                # Spelled out, because this is the most frequent thing in a cold start.
                sums[2] += usage.get("input_tokens", 0)
                sums[3] += usage.get("cached_tokens", 0)
                sums[4] += usage.get("output_tokens", 0)
                sums[5] += usage.get("thought_tokens", 0)
                sums[6] += usage.get("searches", 0)
                if credit := usage.get("credits"):
                    sums[7] += round(credit * _NANO)
            if cost := data.get("cost_usd"):
                sums[8] += round(cost * _NANO)
            if took := data.get("took_ms"):
                sums[9] += round(took * 1000)
    return tuple((*key, *sums) for key, sums in sorted(ledger.items()))  # type: ignore[misc]


class Ledger:
    """Running totals by day and model."""

    def __init__(self) -> None:
        self._sums: dict[tuple[str, str], list[int]] = {}

    def add(self, rows: Iterable[SpendRow]) -> None:
        """Take rows in, in any order."""
        for day, model, *numbers in rows:
            sums = self._sums.setdefault((day, model), [0] * len(numbers))
            for place, number in enumerate(numbers):
                sums[place] += number

    def rows(self) -> tuple[SpendRow, ...]:
        """The totals, as they are kept."""
        return tuple((*key, *sums) for key, sums in sorted(self._sums.items()))  # type: ignore[misc]


def add_up(rows: Iterable[SpendRow]) -> tuple[Spend, ...]:
    """Totals by day and model, in that order."""
    ledger = Ledger()
    ledger.add(rows)
    return tuple(Spend(*row) for row in ledger.rows())


def cost_on(totals: Iterable[Spend], day: str) -> float:
    """Dollars that one day cost, as `YYYY-MM-DD` in UTC."""
    return sum(each.cost_nano for each in totals if each.day == day) / _NANO


class Call(NamedTuple):
    """One question to the outside world, however many attempts it took."""

    stream: str
    task: str
    """The task or job it was asked for."""

    call: str
    port: str = ""
    operation: str = ""
    model: str | None = None
    outcome: CallOutcome = "asked"
    final: bool = False
    """It will not be asked again."""

    attempts: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    thought_tokens: int = 0
    searches: int = 0
    credits: float = 0.0
    cost_usd: float = 0.0
    took_ms: float = 0.0
    asked_at: str | None = None
    """When it was asked for the first time."""

    answered_at: str | None = None
    """When the last attempt came back, with an answer or without."""

    request: str | None = None
    reply: str | None = None
    code: str | None = None
    message: str | None = None
    left_at: str | None = None
    """When it was asked for the last time."""


def fold_calls(
    stream: str, task: str, known: Mapping[str, Call], records: Iterable[Record]
) -> dict[str, Call]:
    """The calls that the records say something about, on top of what is known of them."""
    touched: dict[str, Call] = {}
    for record in records:
        if record.kind in ("call_asked", "call_answered", "call_failed"):
            data = record.data
            name = data["call"]
            call = touched.get(name) or known.get(name) or Call(stream, task, name)
            touched[name] = _fold_call(call, record.kind, data, record.at)
    return touched


def _fold_call(call: Call, kind: str, data: dict[str, Any], at: str) -> Call:
    if kind == "call_asked":
        return call._replace(
            port=data["port"],
            operation=data["operation"],
            request=data["request"]["hash"],
            outcome="asked",
            attempts=call.attempts + 1,
            asked_at=call.asked_at or at,
            left_at=at,
        )
    usage = data.get("usage") or {}
    answered = kind == "call_answered"
    return call._replace(
        model=data.get("model") or call.model,
        outcome="answered" if answered else "failed",
        final=answered or data["final"],
        input_tokens=call.input_tokens + usage.get("input_tokens", 0),
        cached_tokens=call.cached_tokens + usage.get("cached_tokens", 0),
        output_tokens=call.output_tokens + usage.get("output_tokens", 0),
        thought_tokens=call.thought_tokens + usage.get("thought_tokens", 0),
        searches=call.searches + usage.get("searches", 0),
        credits=call.credits + usage.get("credits", 0.0),
        cost_usd=call.cost_usd + data.get("cost_usd", 0.0),
        took_ms=call.took_ms + data.get("took_ms", 0.0),
        answered_at=at,
        reply=data["reply"]["hash"] if answered else call.reply,
        code=None if answered else data["code"],
        message=None if answered else data["message"],
    )
