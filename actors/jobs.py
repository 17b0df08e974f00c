"""Which job a name stands for."""

from actors.ingesting.ingest import IngestJob
from actors.ingesting.reindex import ReindexJob
from actors.ports import Archive, OpenEmbedder, Parser


def open_job(
    archive: Archive, parser: Parser, open_embedder: OpenEmbedder, name: str
) -> IngestJob | ReindexJob:
    """The job of that name, ready to run."""
    job = ReindexJob if archive.manifest(name).purpose == "reindex" else IngestJob
    return job(archive, parser, open_embedder, name)
