"""Learns how linking scores tables, columns and values, out of fold by database."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fathom.offline.linking import ROLES, Floats, LinkedValue, LinkingWeights
from fathom.offline.linking.features import column_features, table_features
from fathom.offline.linking.linker import related_words
from fathom.offline.linking.reading import TokenMatches, read
from fathom.offline.linking.schema_words import SchemaWords, compile_schema
from fathom.offline.linking.text import stem, tokenize
from fathom.offline.linking.translation import Translation, learn
from fathom.offline.linking.value_features import value_features, value_pairs
from fathom.offline.linking.values import ShortValues, short_values
from fathom.offline.trees import Forest
from fathom.text.identifiers import identifier_words
from training.forests import grow
from training.lessons import FOLDS, Lesson, Uses, World, fold_of, plain

_TREES = 150


@dataclass(frozen=True)
class Fitted:
    """Weights learned from all lessons, and for each fold the weights learned without it."""

    full: LinkingWeights
    without: tuple[LinkingWeights, ...]


def fit_linking(lessons: Sequence[Lesson], worlds: Mapping[str, World]) -> Fitted:
    """Learn linking. Scores that later scores look at are out of fold, as they will be in use."""
    folds = np.array([fold_of(x.database) for x in lessons])
    pairs = [_translation_pair(x) for x in lessons]
    translations = [
        learn([p for p, f in zip(pairs, folds, strict=True) if f != fold]) for fold in range(FOLDS)
    ]
    compiled = {
        d: (compile_schema(w.schema, w.profiles), short_values(w.profiles)) for d, w in worlds.items()
    }
    readings = [
        reading(x, worlds[x.database], compiled[x.database], translations[fold])
        for x, fold in zip(lessons, folds, strict=True)
    ]
    rows = [table_features(r) for r in readings]
    tables = _cross_fit(
        rows, [table_labels(r, x.uses) for r, x in zip(readings, lessons, strict=True)], folds
    )
    rows = [column_features(r, t) for r, t in zip(readings, tables.scores, strict=True)]
    labels = [column_labels(r, x.uses) for r, x in zip(readings, lessons, strict=True)]
    roles = [_cross_fit(rows, [y[:, i] for y in labels], folds) for i in range(len(ROLES))]
    columns = [np.stack([r.scores[i] for r in roles], axis=1) for i in range(len(lessons))]
    candidates = [value_pairs(r, c[:, 2]) for r, c in zip(readings, columns, strict=True)]
    rows = [
        value_features(r, p, c, t)
        for r, p, c, t in zip(readings, candidates, columns, tables.scores, strict=True)
    ]
    values = _cross_fit(
        rows, [value_labels(p, x.uses) for p, x in zip(candidates, lessons, strict=True)], folds
    )

    def weights(translation: Translation, choose: Callable[["_CrossFit"], Forest]) -> LinkingWeights:
        by_role = {role: choose(fit) for role, fit in zip(ROLES, roles, strict=True)}
        return LinkingWeights(translation, choose(tables), by_role, choose(values))

    def fold_weights(fold: int) -> LinkingWeights:
        return weights(translations[fold], lambda fit: fit.without[fold])

    return Fitted(weights(learn(pairs), lambda fit: fit.full), tuple(map(fold_weights, range(FOLDS))))


def reading(
    lesson: Lesson, world: World, compiled: tuple[SchemaWords, ShortValues], translation: Translation
) -> TokenMatches:
    """The reading of a lesson's question."""
    words, short = compiled
    question = lesson.question
    return read(
        question.text,
        question.evidence,
        words,
        translation=translation,
        related=related_words(),
        index=world.index,
        short=short,
    )


def table_labels(reading: TokenMatches, uses: Uses) -> Floats:
    """1 for each table that the query uses."""
    return np.array([t in uses.tables for t in reading.words.tables], np.float32)


def column_labels(reading: TokenMatches, uses: Uses) -> Floats:
    """1 for each column and role (columns x roles) that the query uses."""
    labels = np.zeros((len(reading.words.columns), len(ROLES)), np.float32)
    for column, role in uses.columns:
        labels[reading.words.index[column], ROLES.index(role)] = 1
    return labels


def value_labels(pairs: Sequence[LinkedValue], uses: Uses) -> Floats:
    """1 for each pair of a column and a value that the query compares."""
    labels = np.zeros(len(pairs), np.float32)
    for place, pair in enumerate(pairs):
        value = plain(pair.value)
        labels[place] = any(
            column == pair.column and _same(gold, operator, pair, value)
            for column, gold, operator in uses.values
        )
    return labels


def _same(gold: str, operator: str, pair: LinkedValue, value: str) -> bool:
    if gold == value:
        return True
    if operator.endswith("like"):
        part = gold.strip("%")
        return part == value or (pair.match != "quoted" and len(part) > 2 and part in pair.text.casefold())
    return pair.match == "date" and gold[:10] == value[:10]


def _translation_pair(lesson: Lesson) -> tuple[list[str], list[str]]:
    source = [t.stem for t in tokenize(lesson.question.text) if t.kind == "word"]
    names = [*lesson.uses.tables, *(c.column for c, _ in lesson.uses.columns)]
    return source, [stem(w) for name in names for w in identifier_words(name)]


@dataclass(frozen=True)
class _CrossFit:
    """A forest grown on everything, one without each fold, and for each lesson its out-of-fold scores."""

    full: Forest
    without: tuple[Forest, ...]
    scores: list[Floats]


def _cross_fit(rows: Sequence[Floats], labels: Sequence[Floats], folds: npt.NDArray[np.int64]) -> _CrossFit:
    def grown(chosen: npt.NDArray[np.bool_]) -> Forest:
        places = np.flatnonzero(chosen).tolist()
        inside = np.concatenate([rows[i] for i in places])
        wanted = np.concatenate([labels[i] for i in places])
        return grow(inside, wanted, _TREES, objective="binary", min_data_in_leaf=20)

    without = tuple(grown(folds != fold) for fold in range(FOLDS))
    scores = [without[f].probabilities(r) for f, r in zip(folds, rows, strict=True)]
    return _CrossFit(grown(folds >= 0), without, scores)
