"""Contract 02 as a Python call."""

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from contracts.calling import ResearchConstraints, ResearchResult, research
from contracts.core import Core
from contracts.evidence.verifying import verify_research
from contracts.settings import Settings
from events.errors import BadRequest, NothingToSearch
from tests.inline_engine import InlineEngine

pytestmark = pytest.mark.anyio

DOCS = Path(__file__).resolve().parent.parent / "docs"
QUESTION = "How much electricity does the Rance station generate?"


@pytest.fixture
def core(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Core:
    monkeypatch.setattr(Core, "wake_engine", lambda self: self.home.prepare())
    monkeypatch.setenv("RESEARCH_AGENT_HOME", str(tmp_path / "home"))
    core = Core(Settings.from_environment())
    core.home.prepare()
    return core


@pytest.fixture
def library(core: Core, tmp_path: Path) -> Iterator[None]:
    page = tmp_path / "rance.md"
    page.write_text(
        "# La Rance\n\nThe Rance station generates 500 GWh of electricity a year, on average.\n"
    )
    engine = InlineEngine(core.home)
    job, _ = core.start_ingest(str(page), "tides", recursive=False)
    assert list(core.follow_job(job, 30))[-1].phase == "completed"
    yield
    engine.close()


def test_the_call_has_the_contracts_signature() -> None:
    asked = inspect.signature(research)
    positional = [p for p in asked.parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    assert [(each.name, each.default) for each in positional] == [
        ("question", inspect.Parameter.empty),
        ("context", None),
        ("depth", "balanced"),
        ("constraints", None),
    ]
    assert inspect.iscoroutinefunction(research) and asked.return_annotation is ResearchResult
    assert ResearchConstraints().model_dump() == {
        "max_iterations": 5,
        "token_budget": 20_000,
        "max_sources": 10,
        "source_filter": None,
    }


@pytest.mark.usefixtures("library")
async def test_a_call_is_answered_with_a_result_of_the_contracts_form(core: Core) -> None:
    steps: list[str] = []

    async def progress(done: float, of: float, step: str) -> None:
        steps.append(step)

    found = await research(
        QUESTION, "I know where it is.", "shallow", ResearchConstraints(max_sources=3),
        progress=progress,
    )  # fmt: skip
    assert "500 GWh" in found.answer and found.citations[0].raw_excerpt in found.answer
    assert 0 < found.confidence <= 1 and found.confidence_factors.num_corroborating_sources == 1
    assert found.cost_metadata.tokens_used == 0 and not found.cost_metadata.budget_exhausted
    assert steps
    brief = core.catalogue.brief(found.trace_id)
    assert (brief.depth, brief.context) == ("shallow", "I know where it is.")
    assert brief.constraints.max_sources == 3
    assert verify_research(core.home, found.trace_id).verified


async def test_refusals_are_errors_with_advice(core: Core) -> None:
    with pytest.raises(NothingToSearch):
        await research(QUESTION)
    with pytest.raises(BadRequest, match="Use 1 to 500"):
        await research("", core=core)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"question": 5}, "question: Input should be a valid string"),
        ({"context": 5}, "context: Input should be a valid string"),
        ({"depth": "bottomless"}, "depth: Input should be 'shallow', 'balanced' or 'deep'"),
        ({"depth": None}, "depth: Input should be"),
        ({"constraints": "few"}, "constraints: Input should be"),
        ({"constraints": {"max_sources": "few"}}, "constraints.max_sources: Input should be"),
        ({"constraints": {"most": 1}}, "constraints.most: Extra inputs are not permitted"),
        ({"constraints": {"max_sources": 0}}, "A constraint is less than 1"),
        ({"orchestrate": "perhaps"}, "orchestrate: Input should be a valid boolean"),
    ],
)
async def test_arguments_that_do_not_fit_are_refused_as_the_tool_refuses_them(
    core: Core, wrong: dict[str, Any], said: str
) -> None:
    asked: dict[str, Any] = {"question": QUESTION, "core": core} | wrong
    with pytest.raises(BadRequest, match=re.escape(said)):
        await research(**asked)


@pytest.mark.usefixtures("library")
async def test_constraints_may_be_given_by_their_names(core: Core) -> None:
    found = await research(QUESTION, constraints={"max_sources": 1})
    limits = core.catalogue.brief(found.trace_id).constraints
    assert limits.max_sources == 1 and limits.binds("max_sources")


@pytest.mark.usefixtures("library")
def test_the_documents_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    [example] = re.findall(r"```python\n(.*?)```", (DOCS / "research.md").read_text(), re.S)
    exec(compile(example, "docs/research.md", "exec"), {})
    assert "[1]" in capsys.readouterr().out
