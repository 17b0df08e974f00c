import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from events.embedding import ToEmbed
from events.errors import ModelUnavailable
from projections.encoders import built as building
from projections.encoders import minilm
from projections.encoders.built import built, cache_directory
from projections.encoders.minilm import MiniLM
from projections.encoders.opened import Embedder, open_embedder

TEXTS = (
    "How do bees tell each other where food is?",
    "a",
    "The quick brown fox jumps over the lazy dog. " * 60,
    "Ünïcode, 日本語 and 😀 in one line",
    "def area(r):\n    return 3.14159 * r ** 2",
)


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    return open_embedder()


@pytest.fixture(scope="session")
def english() -> MiniLM:
    return MiniLM()


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    yield cache_directory()


def english_chunk(text: str, context: str = "") -> ToEmbed:
    return ToEmbed(context, text, "en")


def test_no_path_to_a_vector_imports_torch() -> None:
    code = (
        "import sys\n"
        "from projections.encoders.opened import open_embedder\n"
        "from events.embedding import ToEmbed\n"
        "e = open_embedder()\n"
        "e.embed([ToEmbed('', 'text', 'en'), ToEmbed('', '文章です。', 'ja')])\n"
        "e.embed_query('text').of(e.models[0].name)\n"
        "assert not {'torch', 'sentence_transformers', 'transformers', 'onnx'} & set(sys.modules)\n"
    )
    MiniLM().encode([english_chunk("so that the graph is there")])
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_each_chunk_is_embedded_by_the_first_model_that_covers_it(embedder: Embedder) -> None:
    chunks = [
        english_chunk("Kyoto is the old capital of Japan."),
        ToEmbed("", "京都は日本の古い都です。", "ja"),
        ToEmbed("", "Habari ya asubuhi.", "sw"),
        english_chunk("  \n"),
    ]
    latin, many = embedder.embed(chunks)
    lengths = [np.linalg.norm(each.vectors.astype(float), axis=1) for each in (latin, many)]
    assert lengths[0] == pytest.approx([1, 0, 0, 0], abs=1e-3)
    assert lengths[1] == pytest.approx([0, 1, 0, 0], abs=1e-3)
    assert [bool(code) for code in latin.late] == [True, False, False, False]
    assert [bool(code) for code in many.late] == [False, True, False, False]


def test_a_query_finds_its_meaning_in_another_language(embedder: Embedder) -> None:
    model = embedder.models[1].name
    texts = ("京都は日本の古い都です。", "納豆は大豆を発酵させた食品です。")
    many = embedder.embed([ToEmbed("", text, "ja") for text in texts])[1]
    side = embedder.embed_query("the old capital of Japan").of(model)
    assert side is not None
    near = many.vectors.astype(np.float32) @ side.vector
    assert near[0] > near[1] + 0.1


def test_a_model_is_asked_only_about_scripts_it_reads(embedder: Embedder) -> None:
    latin, many = (model.name for model in embedder.models)
    assert embedder.embed_query("富士山の高さ").of(latin) is None
    assert embedder.embed_query("富士山の高さ").of(many) is not None
    assert embedder.embed_query("   ").of(latin) is None
    assert embedder.embed_query("height").of("no such model") is None


def test_a_vector_does_not_depend_on_its_neighbours(english: MiniLM) -> None:
    together, codes = english.encode([english_chunk(text) for text in TEXTS])
    for text, vector, code in zip(TEXTS, together, codes, strict=True):
        [alone], [own] = english.encode([english_chunk(text)])
        assert float(alone @ vector) > 0.99999
        assert len(own) == len(code)


def test_the_end_of_a_long_chunk_is_read_too(english: MiniLM) -> None:
    filler = "The harbour was quiet and nobody came. " * 60
    [plain, ending], codes = english.encode(
        [english_chunk(filler), english_chunk(filler + "Penguins dive for krill. " * 20)]
    )
    side = english.encode_query("what penguins eat")
    assert side is not None
    assert side.vector @ ending > side.vector @ plain + 0.05
    assert len(codes[1]) > len(codes[0])


def test_the_context_is_embedded_with_the_text(english: MiniLM) -> None:
    [bare, titled], _ = english.encode(
        [
            english_chunk("It lasts for ninety minutes."),
            english_chunk("It lasts for ninety minutes.", "Football"),
        ]
    )
    side = english.encode_query("how long is a football match")
    assert side is not None
    assert side.vector @ titled > side.vector @ bare


def test_a_hostile_text_takes_bounded_work(english: MiniLM) -> None:
    [vector], [code] = english.encode([english_chunk("x" * 3_000_000)])
    assert np.isfinite(vector).all()
    assert len(code) <= minilm.MOST_WINDOWS * minilm.WINDOW * 48
    assert english.encode_query("why " * 300_000) is not None


def test_a_file_is_built_once_and_again_when_damaged(own_cache: Path) -> None:
    made = []

    def build(place: Path) -> None:
        made.append(place)
        place.write_bytes(b"whole" * 1000)

    kept = built("thing", build)
    assert kept == built("thing", build) == own_cache / "thing"
    assert len(made) == 1
    raw = bytearray(kept.read_bytes())
    raw[77] ^= 1
    kept.write_bytes(raw)
    assert built("thing", build).read_bytes() == b"whole" * 1000
    assert len(made) == 2
    assert sorted(path.name for path in own_cache.iterdir()) == ["thing", "thing.crc32"]


def test_where_nothing_can_be_kept_it_is_built_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setattr(building, "cache_directory", lambda: tmp_path / "file" / "models")
    kept = built("thing", Path.touch)
    assert kept.read_bytes() == b""


def test_a_missing_package_leaves_the_other_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "_PACKAGE", "no_such_package_here")
    with pytest.raises(ModelUnavailable):
        MiniLM()
    assert len(open_embedder().models) == 1


@pytest.mark.full
def test_vectors_are_those_of_sentence_transformers(english: MiniLM) -> None:
    from sentence_transformers import SentenceTransformer

    theirs = SentenceTransformer(str(english._folder), device="cpu").encode(
        [text[:900] for text in TEXTS], normalize_embeddings=True
    )
    ours, _ = english.encode([english_chunk(text[:900]) for text in TEXTS])
    assert (ours * theirs).sum(axis=1) == pytest.approx(1, abs=1e-4)


@pytest.mark.full
def test_any_model_can_be_opened_by_its_path(english: MiniLM) -> None:
    named = open_embedder(str(english._folder))
    [embedding] = named.embed([english_chunk("Bees dance."), ToEmbed("", "蜂が踊る。", "ja")])
    [ours], _ = english.encode([english_chunk("Bees dance.")])
    assert float(embedding.vectors[0].astype(np.float32) @ ours) == pytest.approx(1, abs=1e-3)
    assert all(embedding.late)
    side = named.embed_query("dancing bees").of(named.models[0].name)
    assert side is not None and side.parts.shape[1] == 384


@pytest.mark.full
def test_a_model_that_cannot_be_loaded_says_so() -> None:
    with pytest.raises(ModelUnavailable):
        open_embedder("/no/such/folder")
