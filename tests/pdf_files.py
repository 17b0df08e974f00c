"""PDF files made by hand, so that a test knows where every word stands."""

from dataclasses import dataclass

WIDTH, HEIGHT = 595, 842
FONTS = {
    "regular": "Helvetica",
    "bold": "Helvetica-Bold",
    "italic": "Helvetica-Oblique",
    "code": "Courier",
    "small capitals": "ABCDEF+CMCSC10",
}


@dataclass(frozen=True)
class Put:
    """A line of text at its place, counted from the left and the bottom."""

    x: float
    y: float
    text: str
    size: float = 10
    font: str = "regular"
    turned: bool = False
    colour: str = "0 0 0"
    """Red, green and blue, each from 0 to 1."""


def column(x: float, y: float, lines: list[str], leading: float = 12) -> list[Put]:
    return [Put(x, y - leading * place, line) for place, line in enumerate(lines)]


def make_pdf(
    pages: list[list[Put]],
    info: dict[str, str] | None = None,
    outline: list[tuple[str, int]] | None = None,
    rotate: int = 0,
    encrypted: bool = False,
    script: str = "",
    image: bool = False,
    attachment: bytes = b"",
    labels: str = "",
) -> bytes:
    """A file of those pages; with `image`, each page also shows a grey square.

    The labels are a number tree: `0 << /S /r >> 2 << /S /D >>` for i, ii, 1, 2.
    """
    objects: list[bytes] = []

    def add(content: str | bytes) -> int:
        objects.append(content.encode("latin-1") if isinstance(content, str) else content)
        return len(objects)

    fonts = {
        name.split()[0]: add(
            f"<< /Type /Font /Subtype /Type1 /BaseFont /{base} /Encoding /WinAnsiEncoding >>"
        )
        for name, base in FONTS.items()
    }
    resources = " ".join(f"/{name} {number} 0 R" for name, number in fonts.items())
    square = add(
        b"<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray"
        b" /BitsPerComponent 8 /Length 1 >>\nstream\n\x80\nendstream"
    )
    tree = len(objects) + 2 * len(pages) + 1
    numbers = []
    for page in pages:
        drawn = "\n".join(_draw(put) for put in page)
        if image:
            drawn += "\nq 300 0 0 300 100 300 cm /square Do Q"
        stream = drawn.encode("cp1252")
        content = add(b"<< /Length %d >>\nstream\n%b\nendstream" % (len(stream), stream))
        numbers.append(
            add(
                f"<< /Type /Page /Parent {tree} 0 R /MediaBox [0 0 {WIDTH} {HEIGHT}]"
                f" /Rotate {rotate} /Contents {content} 0 R"
                f" /Resources << /Font << {resources} >> /XObject << /square {square} 0 R >> >> >>"
            )
        )
    kids = " ".join(f"{number} 0 R" for number in numbers)
    assert add(f"<< /Type /Pages /Kids [{kids}] /Count {len(numbers)} >>") == tree
    extra = ""
    if outline:
        extra += f" /Outlines {_outline(add, objects, outline, numbers)} 0 R"
    if labels:
        extra += f" /PageLabels << /Nums [{labels}] >>"
    if script:
        action = add(f"<< /S /JavaScript /JS ({script}) >>")
        extra += f" /OpenAction {action} 0 R"
    if attachment:
        held = add(
            b"<< /Type /EmbeddedFile /Length %d >>\nstream\n" % len(attachment)
            + attachment
            + b"\nendstream"
        )
        file = add(f"<< /Type /Filespec /F (evil.exe) /EF << /F {held} 0 R >> >>")
        extra += f" /Names << /EmbeddedFiles << /Names [(evil.exe) {file} 0 R] >> >>"
    root = add(f"<< /Type /Catalog /Pages {tree} 0 R{extra} >>")
    trailer = f"/Root {root} 0 R"
    if info:
        said = " ".join(f"/{key} ({value})" for key, value in info.items())
        trailer += f" /Info {add(f'<< {said} >>')} 0 R"
    if encrypted:
        secret = "<" + "5a" * 32 + ">"
        lock = add(f"<< /Filter /Standard /V 1 /R 2 /O {secret} /U {secret} /P -44 >>")
        trailer += f" /Encrypt {lock} 0 R /ID [<00> <00>]"
    return _file(objects, trailer)


def _draw(put: Put) -> str:
    text = put.text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    matrix = "0 1 -1 0" if put.turned else "1 0 0 1"
    return f"{put.colour} rg BT /{put.font.split()[0]} {put.size} Tf {matrix} {put.x} {put.y} Tm ({text}) Tj ET"


def _outline(add, objects, outline, numbers) -> int:  # type: ignore[no-untyped-def]
    root = len(objects) + len(outline) + 1
    first = len(objects) + 1
    for place, (title, page) in enumerate(outline):
        following = f" /Next {first + place + 1} 0 R" if place + 1 < len(outline) else ""
        add(
            f"<< /Title ({title}) /Parent {root} 0 R{following}"
            f" /Dest [{numbers[page - 1]} 0 R /Fit] >>"
        )
    last = first + len(outline) - 1
    return int(
        add(f"<< /Type /Outlines /First {first} 0 R /Last {last} 0 R /Count {len(outline)} >>")
    )


def _file(objects: list[bytes], trailer: str) -> bytes:
    parts = [b"%PDF-1.4\n"]
    places = []
    table = len(parts[0])
    for number, content in enumerate(objects, start=1):
        places.append(table)
        parts.append(b"%d 0 obj\n%b\nendobj\n" % (number, content))
        table += len(parts[-1])
    raw = b"".join(parts)
    raw += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    raw += b"".join(b"%010d 00000 n \n" % place for place in places)
    raw += f"trailer\n<< /Size {len(objects) + 1} {trailer} >>\n".encode()
    return raw + b"startxref\n%d\n%%%%EOF\n" % table
