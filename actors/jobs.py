"""Which job a name stands for."""

from actors.ingest import IngestJob
from actors.ports import Archive, OpenEmbedder, Parser
from actors.reindex import ReindexJob


def open_job(
    archive: Archive, parser: Parser, open_embedder: OpenEmbedder, name: str
) -> IngestJob | ReindexJob:
    """The job of that name, ready to run."""
    job = ReindexJob if archive.manifest(name).purpose == "reindex" else IngestJob
    return job(archive, parser, open_embedder, name)
