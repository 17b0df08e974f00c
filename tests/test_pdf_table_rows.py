"""Rows of a table in a PDF whose cells have several lines, and the names of its columns, are rows of it."""

from time import process_time

from actors.adapters.pdf.lines import Line
from actors.adapters.pdf.pieces import pieces_of

SIZE = 10.0
STARTS = (60.0, 200.0, 260.0, 320.0)


def line(
    base: float, *cells: tuple[float, str], column: int = 1, size: float = SIZE, page: int = 1
) -> Line:
    return Line(
        cells=[text for _, text in cells],
        left=cells[0][0],
        right=cells[-1][0] + 5.0 * len(cells[-1][1]),
        base=base,
        size=size,
        bold=False,
        fixed=False,
        column=column,
        page=page,
        height=800.0,
        starts=tuple(left for left, _ in cells),
    )


def row(base: float, *said: str, column: int = 1) -> Line:
    return line(base, *zip(STARTS, said, strict=True), column=column)


def rows(base: float, first: int, count: int) -> list[Line]:
    return [
        row(base + 17 * number, f"Station {first + number}", "10.1", "0.13", "good")
        for number in range(count)
    ]


def tables(lines: list[Line]) -> list[list[str]]:
    found = pieces_of(lines)
    return [[each.text for each in piece.lines] for piece in found if piece.kind == "table"]


NAMES = [
    line(100, (60, "Station"), (200, "Nitrate"), column=2),
    line(113, (200, "(mg/L)"), column=2),
    line(100, (260, "Oxygen"), column=3),
    line(113, (260, "(mg/L)"), column=3),
    line(100, (320, "Status"), column=4),
]
ABOVE = "Station  Nitrate (mg/L)  Oxygen (mg/L)  Status"


def test_the_names_of_columns_are_the_first_row() -> None:
    [table] = tables([*NAMES, *rows(131, 1, 4)])
    assert table[:2] == [ABOVE, "Station 1  10.1  0.13  good"]


def test_a_row_with_a_cell_of_two_lines_stays_a_row_and_the_table_one() -> None:
    cut = [
        line(199, (60, "Station 5 (below the"), column=5),
        line(212, (60, "old paper mill)"), column=5),
        line(199, (200, "12.7"), (260, "0.31"), (320, "good"), column=6),
    ]
    [table] = tables([*NAMES, *rows(131, 1, 4), *cut, *rows(230, 6, 2)])
    assert table[0] == ABOVE
    assert table[5] == "Station 5 (below the old paper mill)  12.7  0.31  good"
    assert table[-1].startswith("Station 7")
    assert len(table) == 8


def test_names_without_gaps_between_them_are_parted_where_there_is_one_for_each_column() -> None:
    said = line(114, (190, "季節 井の頭 中野 飯田橋"))
    wide = line(114, (60, "Season Inokashira Nakano and the bridge of Iidabashi town"))
    assert tables([line(114, (60, "季節 井の頭 中野 飯田橋 " + " " * 40)), *rows(131, 1, 4)])[0][
        0
    ] == ("季節  井の頭  中野  飯田橋")
    for other in (said, wide):
        assert tables([other, *rows(131, 1, 4)])[0][0].startswith("Station 1")


def test_what_stands_above_a_table_and_names_no_columns_stays_there() -> None:
    for said in ("Table 2 Yearly means at the four stations on the lower river", "It is low. " * 6):
        prose = line(114, (60, said))
        assert tables([prose, *rows(131, 1, 4)])[0][0].startswith("Station 1")
    larger = line(114, (60, "Means"), (200, "of"), (260, "all"), (320, "years"), size=14.0)
    assert ABOVE not in tables([larger, *rows(131, 1, 4)])[0]


def test_rows_as_close_as_lines_are_not_run_together() -> None:
    close = [
        line(90, (60, "abs"), (200, "any"), column=2),
        line(102, (60, "sqrt"), (200, "any"), column=2),
        line(90, (260, "length"), (320, "of x"), column=3),
        line(102, (260, "root"), (320, "of x"), column=3),
    ]
    table = [row(114 + 12 * n, f"f{n}", "1", "2", "3") for n in range(3)]
    assert tables([*close, *table])[0][0] == "f0  1  2  3"


def test_names_may_stand_in_the_middle_beside_others_of_two_lines() -> None:
    names = [
        line(106, (60, "Country"), column=2),
        line(100, (195, "Standard"), column=3),
        line(113, (200, "(days)"), column=3),
        line(100, (255, "Express"), column=4),
        line(113, (260, "(days)"), column=4),
        line(106, (318, "Cost"), column=5),
    ]
    [table] = tables([*names, *rows(131, 1, 3)])
    assert table[0] == "Country  Standard (days)  Express (days)  Cost"


def test_pages_of_prose_behind_a_table_and_rows_without_end_take_no_time() -> None:
    prose = [line(300, (60, "It is low."), page=2 + number // 50) for number in range(60_000)]
    began = process_time()
    assert len(tables([*rows(131, 1, 4), *prose])) == 1
    cells = [(60.0 + 10 * place, "1") for place in range(1_500)]
    wide = [line(200 + 17 * number, *cells) for number in range(3)]
    names = [line(185 - 13 * (n // 1_500), cells[n % 1_500]) for n in range(4_500)]
    assert tables([*names, *wide])
    assert process_time() - began < 3.0
