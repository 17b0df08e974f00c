"""How tests are dealt out when several processes run them."""

from xdist.scheduler import LoadScopeScheduling

from tests.marked_files import starts_ray


class ByFile(LoadScopeScheduling):  # type: ignore[misc]
    """All tests of a file go to one process, and all files that start Ray to the same one."""

    def _split_scope(self, nodeid: str) -> str:
        return "ray" if starts_ray(nodeid) else nodeid.partition("::")[0]
