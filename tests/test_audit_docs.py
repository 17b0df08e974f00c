"""docs/audit.md is true: its columns are those there are, and its queries run as they stand."""

import re
from pathlib import Path

import pytest

from events.home import Home
from tests.audit_homes import open_here, plain_shell, tables_of
from tests.homes import BuiltHome, build_home

PAGE = Path(__file__).resolve().parent.parent / "docs" / "audit.md"
QUERIES = re.findall(r"^```sql query\n(.*?)^```$", PAGE.read_text(), re.M | re.S)


def documented() -> dict[str, list[tuple[str, str]]]:
    found = {}
    for part in PAGE.read_text().split("\n### `")[1:]:
        name, _, rest = part.partition("`")
        rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \| ([^|]+) \|$", rest, re.M)
        assert all(says.strip() for _, _, says in rows)
        found[name] = [(column, kind.strip()) for column, kind, _ in rows]
    return found


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> BuiltHome:
    return build_home(tmp_path_factory.mktemp("docs") / "home", tasks=2)


def test_the_documented_columns_are_exactly_those_that_exist(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    for database in (plain_shell(home), open_here(home)):
        with database:
            real = {
                table: [
                    (name, "STRUCT[]" if kind.startswith("STRUCT") else kind)
                    for name, kind, *_ in database.execute(f"describe {table}").fetchall()
                ]
                for table in tables_of(database)
            }
        assert documented() == real


def test_there_are_ten_queries() -> None:
    assert len(QUERIES) == 10


@pytest.mark.parametrize("query", QUERIES)
def test_every_query_runs_unchanged_in_a_plain_duckdb_and_in_the_audit(
    query: str, built: BuiltHome
) -> None:
    with plain_shell(built.home) as shell, open_here(built.home) as audit:
        there, here = shell.execute(query).fetchall(), audit.execute(query).fetchall()
    assert sorted(map(str, here)) == sorted(map(str, there))
