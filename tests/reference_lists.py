"""A list of references to test with, and the one reference that a list holds."""

from typing import Any

from actors.adapters.bibliography.references import read_references
from actors.ingesting.references import Reference

BIB = rb"""
@string{jgr = "J. Geophys. Res."}
@article{muller2005,
  author = {M{\"u}ller, J{\"o}rg and van der Berg, Piet and {World Bank}},
  title = {The {NASA} tide: a study \& more}, journal = jgr, year = 2005, month = jun,
  pages = {12--34}, doi = {https://doi.org/10.1000/XYZ123}, keywords = {tides, energy},
  file = {:papers/mueller.pdf:PDF}, shoesize = {44},
}
"""


def one(raw: bytes, name: str = "list.bib") -> Reference:
    [reference] = read_references(name, raw).references
    return reference


def one_item(text: str, name: str = "list.bib") -> dict[str, Any]:
    return one(text.encode(), name).item
