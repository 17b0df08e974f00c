"""What a reader sees of a page that somebody has parsed and, perhaps, taken parts out of."""

from collections.abc import Iterator
from typing import Any

from actors.adapters.html.seen import SeenPage

_VOID = frozenset({"br", "hr", "img", "input", "meta", "link", "wbr", "area", "base", "col"})


class SeenTree(SeenPage):
    """Collects the visible text of a tree of elements with `tag`, `text` and `tail` into a draft."""

    def read_tree(self, tree: Any) -> None:
        """Read a whole page, however deep it is."""
        above: list[tuple[Any, Iterator[Any]]] = []
        element, children = tree, iter(tree)
        self._enter(element)
        while True:
            child = next(children, None)
            if child is not None and isinstance(child.tag, str):
                above.append((element, children))
                element, children = child, iter(child)
                self._enter(element)
            elif child is not None:
                self.handle_data(child.tail or "")
            else:
                if element.tag not in _VOID:
                    self.handle_endtag(element.tag)
                if not above:
                    break
                self.handle_data(element.tail or "")
                element, children = above.pop()
        self.read("")  # ends what is still open

    def _enter(self, element: Any) -> None:
        self.handle_starttag(element.tag, list(element.attrib.items()))
        self.handle_data(element.text or "")
