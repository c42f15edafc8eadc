"""truegrade fit: from a file of ratings to a truth table."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from truegrade.cli._complete import model_names, model_settings
from truegrade.cli._options import Json, RatingsOptions, Seed, takes_ratings

if TYPE_CHECKING:
    import pyarrow as pa

    from truegrade.checkpoint import Checkpoint
    from truegrade.fit import Fit
    from truegrade.gold import Gold

__all__ = ["DEFAULT_MODEL", "fit", "make_estimator", "show_fit"]

DEFAULT_MODEL = "auto"


@takes_ratings
def fit(
    *,
    ratings: Annotated[str, typer.Argument(metavar="RATINGS", help="A file of ratings, or - for stdin.")],
    model: Annotated[
        str,
        typer.Option(
            help="auto, mean, ordinal-panel, ordinal-mixture, ...; options as in majority:ties=upper.",
            autocompletion=model_names,
        ),
    ] = DEFAULT_MODEL,
    output: Annotated[str, typer.Option("-o", "--output", metavar="DIR", help="Where to save the fit.")] = "",
    settings: Annotated[
        list[str],
        typer.Option("--set", metavar="KEY=VALUE", help="An option of the model.", autocompletion=model_settings),
    ] = [],  # noqa: B006  typer copies it
    annotator_group: Annotated[
        str, typer.Option(metavar="COLUMN", help="Groups of annotators, such as people and machines, told apart.")
    ] = "",
    gold: Annotated[str, typer.Option(metavar="FILE", help="Known truths, which the fit keeps as they are.")] = "",
    seed: Seed = 0,
    table_format: Annotated[Literal["csv", "parquet"], typer.Option("--format", help="Of the tables.")] = "csv",
    threads: Annotated[int, typer.Option(min=0, help="Threads to use; 0 = all cores.")] = 0,
    responsibilities: Annotated[
        bool, typer.Option("--responsibilities", help="Say of each rating how likely it was given in earnest.")
    ] = False,
    report: Annotated[bool, typer.Option("--report", help="With -o: also write DIR/report.html.")] = False,
    checkpoint: Annotated[
        str, typer.Option(metavar="FILE", help="Where to keep how far the fit has come; deleted when it is done.")
    ] = "",
    every: Annotated[int, typer.Option("--checkpoint-every", min=1, help="Passes between two checkpoints.")] = 10,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on from the --checkpoint, or begin anew where there is none.")
    ] = False,
    memory: Annotated[
        str, typer.Option(metavar="SIZE", help="Stream RATINGS, a file or a folder, within so much memory: 512MB, 4GB.")
    ] = "",
    scratch: Annotated[
        str, typer.Option(metavar="DIR", help="With --memory: where temporary files go; else the system's place.")
    ] = "",
    engine: Annotated[
        Literal["threads", "dask"], typer.Option(help="Where the passes run: in this process, or on Dask's workers.")
    ] = "threads",
    scheduler: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Dask's, as in tcp://host:8786; else two workers on this machine.")
    ] = "",
    json: Json = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
    ratings_options: RatingsOptions,
) -> int:
    """Infer the truth of every instance from a file of ratings."""
    from truegrade.cli._engine import check_engine, chosen_engine, read_by
    from truegrade.cli._progress import shown_progress, shown_rows
    from truegrade.cli._show import remark
    from truegrade.errors import OptionError
    from truegrade.fit import Status
    from truegrade.fit_files import check_target
    from truegrade.gold import read_gold
    from truegrade.models import check_ability
    from truegrade.tables import write_tables
    from truegrade.threads import use_threads

    use_threads(threads)
    if report and not output:
        raise OptionError("--report writes report.html beside the tables; say where with -o DIR")
    if output:
        check_target(Path(output), table_format)
    keeper = _keeper(checkpoint, every, resume=resume)
    estimator = make_estimator(model, settings, seed)
    estimator = _grouped(estimator, ratings, annotator_group, ratings_options.annotator)
    whole = {"--report": report, "--responsibilities": responsibilities, "--json without -o": json and not output}
    check_engine(engine, scheduler, ratings, estimator, {"--memory": bool(memory)} | whole)
    _check_memory(memory, scratch, estimator, whole)
    if responsibilities:
        check_ability(type(estimator), "responsibilities")
    data: Any
    with (
        chosen_engine(engine, scheduler, quiet=quiet) as where,
        shown_rows(wanted=bool(memory) and not (quiet or json)) as told,
    ):
        if where is not None:
            data = read_by(where, ratings, ratings_options)
        else:
            data = ratings_options.stream(ratings, memory, scratch, told) if memory else ratings_options.read(ratings)
        known = read_gold(gold, scale=data.scale) if gold else getattr(data, "known", None)
        with shown_progress(model, wanted=not (quiet or json)) as progress:
            placed = {} if where is None else {"engine": where}
            result = estimator.fit(data, gold=known, progress=progress, checkpoint=keeper, **placed)
        result = result.with_notes(_about_gold(known, data, read=bool(gold)))
    if output:
        result.save(output, format=table_format)
    per_rating = result.responsibilities_table(data) if responsibilities else None
    if output and per_rating is not None:
        write_tables({"responsibilities": per_rating}, Path(output), table_format)
    if report:
        _write_report(result, data, output)
    if not quiet:
        remark(result.notes)
        show_fit(result, output, json=json, per_rating=per_rating)
    interrupted = result.status is Status.INTERRUPTED
    if keeper is not None and not interrupted:
        keeper.remove()
    return 130 if interrupted else 0


def _grouped(estimator: Any, ratings: str, column: str, annotator: str) -> Any:
    """The model, told which group each annotator belongs to where a column says so."""
    from dataclasses import fields, replace

    from truegrade.errors import OptionError
    from truegrade.readers.groups import read_groups

    if not column:
        return estimator
    if "groups" not in {f.name for f in fields(estimator)}:
        raise OptionError(f"{estimator.name} knows no groups of annotators; choose --model ordinal-panel")
    return replace(estimator, groups=read_groups(ratings, column, annotator=annotator))


def _about_gold(known: Gold | None, data: Any, *, read: bool) -> list[str]:
    """What became of the known truths; read: from a file of their own."""
    if known is None:
        return []
    used = [] if read else [f"the file knows the truth of {len(known)} of the instances: used as gold"]
    return [*used, *known.notes(data)]


def _write_report(result: Fit, data: Any, output: str) -> None:
    from truegrade.files import write_whole
    from truegrade.report.page import report as page_of

    write_whole(Path(output, "report.html"), page_of(result, data))


def _keeper(path: str, every: int, *, resume: bool) -> Checkpoint | None:
    """Where the fit is to keep how far it has come; what cannot be is refused before the ratings are read."""
    from truegrade.checkpoint import Checkpoint
    from truegrade.errors import OptionError

    if not path:
        if resume:
            raise OptionError("--resume goes on from a checkpoint; say which with --checkpoint FILE")
        return None
    keeper = Checkpoint(path, every, resume)
    keeper.check()
    return keeper


def _check_memory(memory: str, scratch: str, estimator: Any, whole: Mapping[str, bool]) -> None:
    """Refuse what needs everything in memory: a model that looks at all ratings at once, and the flags of `whole`."""
    from truegrade.errors import OptionError

    if scratch and not memory:
        raise OptionError("--scratch is for the temporary files of --memory; leave it out")
    needs = [flag for flag, given in whole.items() if given]
    if memory and not needs and "engine" not in signature(estimator.fit).parameters:
        raise OptionError(f"{estimator.name} needs everything in memory; pass another --model, such as ordinal-mixture")
    if memory and needs:
        raise OptionError(f"{needs[0]} needs everything in memory; leave it out, or leave out --memory")


def make_estimator(model: str, settings: list[str], seed: int) -> Any:
    """A model from its name and ``key=value`` settings; the seed goes to those that take one."""
    from dataclasses import fields

    from truegrade.models import make_model, model_class
    from truegrade.models._options import parse_settings

    name, *pairs = model.split(":")
    chosen: dict[str, Any] = {**parse_settings(pairs), **parse_settings(settings)}
    if "seed" in {f.name for f in fields(model_class(name))}:  # type: ignore[arg-type]
        chosen.setdefault("seed", seed)
    return make_model(name, chosen)


def show_fit(result: Fit, output: str, *, json: bool, per_rating: pa.Table | None = None) -> None:
    """The summary and the first rows, or one JSON object."""
    from truegrade.cli._show import print_json, show_pairs, show_table
    from truegrade.fit import ANNOTATOR_COLUMNS

    if json:
        record = {
            "model": result.model,
            "options": dict(result.options),
            "status": str(result.status),
            "iterations": result.iterations,
            "bound": result.bound,
            "scale": str(result.scale),
            "counts": dict(result.counts),
            "off_scale": result.n_off_scale,
            "notes": list(result.notes),
            "output": output or None,
        }
        if not output:
            record |= {"truth": result.truth_table().to_pylist(), "annotators": result.annotators_table().to_pylist()}
            if per_rating is not None:
                record["responsibilities"] = per_rating.to_pylist()
        print_json(record)
        return
    show_pairs(_summary(result, output))
    if output:
        return
    truth, annotators = result.truth_head(), result.annotators_table().sort_by([("n_ratings", "descending")])
    columns = [name for name in truth.column_names if not name.startswith("p_")]
    show_table(truth.select(columns), "truth", of=result.counts["instances"])
    show_table(annotators.select(["annotator", "n_ratings", *ANNOTATOR_COLUMNS]), "annotators, busiest first", rows=5)
    if per_rating is not None:
        show_table(per_rating.sort_by([("responsibility", "ascending")]), "ratings, likeliest spam first")


def _summary(result: Fit, output: str) -> list[tuple[str, Any]]:
    """What was fitted, how it ended, and where it is."""
    counts = result.counts
    instances, annotators = (
        f"{counts[name + 's']} {name}{'' if counts[name + 's'] == 1 else 's'}" for name in ("instance", "annotator")
    )
    pairs = [
        ("model", " ".join([result.model, *_chosen_options(result)])),
        ("status", f"{result.status}" + (f" after {result.iterations} iterations" if result.iterations else "")),
        ("scale", result.scale),
        ("ratings", f"{counts['ratings']} of {instances} by {annotators}"),
    ]
    if result.bound is not None and result.all_spam_bound is not None:
        pairs.append(("bound", f"{result.bound:.6g}; calling everything spam has {result.all_spam_bound:.6g}"))
    if result.n_off_scale:
        pairs.append(("off the scale", f"{result.n_off_scale} of {counts['instances']} estimates"))
    if output:
        files = sorted(p.name for p in Path(output).glob("*.*") if p.is_file())
        pairs.append(("saved in", f"{output}: {', '.join(files)}"))
    return pairs


def _chosen_options(result: Fit) -> list[str]:
    """The options that are not the model's defaults."""
    from dataclasses import asdict

    from truegrade.models import model_class

    defaults = asdict(model_class(result.model)())  # type: ignore[call-overload]
    return [f"{key}={value}" for key, value in result.options.items() if value != defaults.get(key)]
