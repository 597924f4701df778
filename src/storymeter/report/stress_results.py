"""Presentations of the stress tests."""

from collections.abc import Callable, Sequence

from markupsafe import Markup

from ..stats.resampling import holm
from ..stress.auditing import Audit
from ..stress.experiment import OracleScore, Result
from ..stress.persuasion import Persuasion
from ..stress.wrong_details import Details
from .agreement import choice_data, choice_table
from .presentation import Presentation, plain, present, present_all
from .stress import (
    attack_data,
    attack_list,
    attack_table,
    audit_figure,
    audit_json,
    audit_table,
    change_figure,
    curve_figure,
    damage_tables,
    number_table,
    result_json,
    result_table,
)
from .table import Column, Table, numbers, to_json
from .templating import table_page


@present.register(Result)
def present_result(
    result: Result, *, title: str = "", intro: str = "", base: str | None = None
) -> Presentation:
    """`base`: the column that changes are measured from."""
    return _presented(
        result,
        title,
        intro,
        [result_table(result, change_from=base)],
        lambda: result_json(result),
        lambda: curve_figure(result) if base is None else change_figure(result, base),
    )


@present.register(Audit)
def present_audit(found: Audit, *, title: str = "Stress audit") -> Presentation:
    attacks = [attack_table(found.persuasion)] if found.persuasion else []
    return _presented(
        found.result,
        title,
        "Each line is one kind of damage; the verdicts are derived from these numbers.",
        [audit_table(found), *attacks, *damage_tables(found.result)],
        lambda: audit_json(found),
        lambda: audit_figure(found),
    )


def _presented(
    result: Result,
    title: str,
    intro: str,
    tables: Sequence[Table],
    json: Callable[[], str],
    figure: Callable[[], Markup],
) -> Presentation:
    return Presentation(
        title,
        lambda style, width: [number_table(result)] if style == "csv" else tables,
        json,
        page=lambda: table_page(title, tables, intro=intro, figure=figure()),
        figures=lambda: {"figure": figure()},
    )


@present.register(Persuasion)
def present_attacks(found: Persuasion, *, title: str = "Attacks", long: bool = False) -> Presentation:
    """`long`: a line for each attack."""
    data = {
        "schema": 1,
        "signature": str(found.result.signature),
        "documents": found.documents,
        "verdicts": {verdict.metric: verdict.answer for verdict in found.verdicts()},
        "attacks": attack_data(found),
    }
    return Presentation(
        title,
        lambda style, width: [attack_list(found) if long or style == "csv" else attack_table(found)],
        lambda: to_json(data),
    )


@present.register(Details)
def present_details(found: Details, *, title: str = "One wrong detail") -> Presentation:
    data = {"schema": 1, "accuracy": choice_data(found.results), "signatures": found.signatures}
    return plain(title, [choice_table(found.results, title)], json=lambda: to_json(data))


@present_all.register(OracleScore)
def present_oracles(first: OracleScore, scores: list[OracleScore]) -> Presentation:
    return plain("Oracle captions", [oracle_table(scores)])


def oracle_table(scores: list[OracleScore]) -> Table:
    values = numbers(".2f", "METEOR", "Self-BLEU", scale=100)
    columns: list[str | Column] = ["system", *values, Column("oracle captions", ",d")]
    rows = [[s.system, s.meteor, s.self_bleu, s.captions] for s in scores]
    note = (
        "METEOR: mean over oracle captions, each against the reference it was chosen for. Self-BLEU: each"
        " against the others of its document; lower is more varied."
    )
    if len(scores) < 2:
        return Table(columns, rows, note=note)
    if not all(score.against_first for score in scores[1:]):
        return Table(columns, rows, note=f"{note} One document in common: the difference is not tested.")
    meteor, varied = zip(*(score.against_first for score in scores[1:]), strict=True)
    tests = [[one.p for one in meteor], holm([one.p for one in meteor]), holm([one.p for one in varied])]
    return Table(
        [*columns, *numbers(".4f", "p", "p Holm", "p Self-BLEU")],
        [[*row, *found] for row, found in zip(rows, [[None] * 3, *zip(*tests, strict=True)], strict=True)],
        note=f"{note} p: against the first system, two-sided paired permutation of the documents that both"
        " have; of METEOR without and with Holm's correction, of Self-BLEU with it.",
    )
