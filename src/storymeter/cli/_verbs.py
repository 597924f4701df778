"""Groups of commands, and their help.

Help has two layers: `--help` shows the options that most people need, `--help-all` every option. Both group
the options under headings. The tables below name the options of each command that the short help shows, and
the heading of every option. An option that no table names is shown by `--help-all` under OTHER.
"""

import importlib
from collections.abc import Mapping, Sequence
from typing import Any

import click

from ._files import guard

#: commands with at most this many options show all of them
FEW = 10
OTHER = "More options"

#: heading -> long names of options, in the order in which the help shows them
HEADINGS: dict[str, str] = {
    "Data": "references metric human scores systems clips data entities images videos captions task",
    "Evaluation": (
        "against fail-if baseline protocol tokenizer punctuation language scorer level human-score ties"
        " threshold unit pairs repeats documents most n m k bound as-told reverse shuffled graphs facts"
        " system annotators audit trials benchmark protocols metrics formats prompts parts"
        " accept gates"
    ),
    "Study design": (
        "duration max-captions hits overlap raters-per-hit hits-per-rater raters blocks system-per-block"
        " degraded-per-block repeat-per-block human-per-block control-base merge-identical per-hit"
        " repeat-per-hit tests kinds practice watch lease skip-bad dry-run"
    ),
    "Raters and payment": (
        "platform completion-code platform-key study-id price fee currency contact public-url words"
    ),
    "Server": "host port public-url proxy admin admin-port admin-anywhere db quiet no-open dir url",
    "Statistics": (
        "resamples permutations bootstrap compare alpha test power difference in-z minimum splits"
        " replicates simulations reference-curve curve-references seeds pilot sd-captions sd-ratings sd-rater"
        " accepted worker-tests clusters scale held enforce-repeats faithful stratum"
    ),
    "Training": (
        "encoder vision glove width freeze pooling dropout reach held-out evaluate model name lr"
        " lr-decay schedule weight-decay batch-size epochs steps warmup patience interval dev-share"
        " threads"
    ),
    "Output": (
        "format out save into per-document title html figures junit markdown long fragment force keep date"
        " real-ids to"
    ),
    "Reading of files": (
        "from columns answers id-from id-map reference-id-map reference-columns lists repair unequal-lines"
        " skip-bad"
    ),
    "Language models as judges": "judge max-requests deadline token-price yes",
    "Large corpora": "cluster shards sample",
    "Computation": "jobs seed device",
}

#: command -> long names of the options of its short help
COMMON: dict[str, str] = {
    "check-metric": "format",
    "score": "references metric protocol images system per-document save into format columns",
    "compare": "references metric protocol images system unit resamples difference format columns",
    "gate": "against fail-if baseline junit markdown format jobs from columns",
    "report": "references metric human videos images facts title out from columns",
    "show": "references system metric facts graphs html images from columns",
    "human analyse": "from columns scale test alpha stratum html figures format price",
    "human new": "task systems human clips hits raters-per-hit platform title dry-run seed",
    "human plan": "systems captions difference power alpha pilot per-hit overlap price format",
    "meta agree": "human scores level references metric resamples compare html figures format",
    "meta benchmark": "data metric level sample resamples compare html figures format jobs",
    "meta report-card": "data metric benchmark resamples out html format jobs",
    "meta self": "references metric trials resamples protocol images format from columns jobs",
    "meta similarity": "systems human scorer resamples html figures out format from columns",
    "stress apply": "references protocol seed from columns",
    "stress attacks": "references metric most documents out format images from columns seed",
    "stress audit": "references metric repeats documents out format images from columns seed",
    "stress count": "references metric m k repeats documents out format from seed",
    "stress details": "references metric most pairs documents out format images from seed",
    "stress oracle": "references documents out format images from columns seed",
    "stress order": "references metric bound as-told reverse repeats documents out format seed",
    "stress pad": "references metric n repeats documents out format from seed",
    "train coherence": "data held-out out encoder evaluate model epochs batch-size seed device",
    "train grounding": "captions entities images vision glove out epochs batch-size seed device",
}

#: heading -> commands, as the first help lists them
TASKS: dict[str, str] = {
    "Score": "validate score compare report show gate",
    "Human ratings and trust in metrics": "human meta stress",
    "Files and models": "convert harness tokenize models train check-metric",
    "Start": "demo info",
}


class HelpContext(click.Context):
    """The context of a command whose `--help` is the short one."""

    def get_help(self) -> str:
        return common_help(self)


def add_help(command: click.Command) -> click.Command:
    """Give a command the short `--help` and `--help-all`, and a group `--help-all`."""
    if any(parameter.name == "help_all" for parameter in command.params):
        return command
    group = isinstance(command, click.Group)
    if not group:
        command.context_class = HelpContext
    command.params.append(
        click.Option(
            ["--help-all", "help_all"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_show_all,
            help="Show every command and exit." if group else "Show every option and exit.",
        )
    )
    return command


def common_help(context: click.Context) -> str:
    """The help with the options that most people need."""
    options = _options(context.command)
    command = context.command_path.partition(" ")[2]
    if len(options) <= FEW:
        return full_help(context)
    wanted = COMMON.get(command, "").split()
    shown = [option for option in options if _long(option) in wanted or option.required]
    shown = shown or options[:FEW]
    rest = len(options) - len(shown)
    last = f"{rest} more option{'s' if rest > 1 else ''}: {context.command_path} --help-all"
    return _help(context, shown, last if rest else "")


def full_help(context: click.Context) -> str:
    """The help with every option."""
    return _help(context, _options(context.command), "")


def grouped(options: Sequence[click.Option]) -> list[tuple[str, list[click.Option]]]:
    """(heading, options) without empty ones, in the order of the headings."""
    left = list(options)
    out = []
    for heading, names in HEADINGS.items():
        order = names.split()
        here = [option for option in left if _long(option) in order]
        left = [option for option in left if option not in here]
        if here:
            out.append((heading, sorted(here, key=lambda option: order.index(_long(option)))))
    return [*out, (OTHER, left)] if left else out


def _help(context: click.Context, options: Sequence[click.Option], last: str) -> str:
    command, formatter = context.command, context.make_formatter()
    command.format_usage(context, formatter)
    command.format_help_text(context, formatter)
    for heading, here in grouped(options):
        with formatter.section(heading):
            formatter.write_dl([record for o in here if (record := o.get_help_record(context)) is not None])
    if last:
        formatter.write_paragraph()
        formatter.write_text(last)
    command.format_epilog(context, formatter)
    return formatter.getvalue().rstrip("\n")


def all_commands(context: click.Context) -> str:
    """Every command below a group with the first line of its help, by task."""
    formatter = context.make_formatter()
    for heading, names in _tasks(context):
        with formatter.section(heading):
            formatter.write_dl([line for name in names for line in _lines(context, name)])
    formatter.write_paragraph()
    formatter.write_text(f"Options of a command: {context.command_path} COMMAND --help")
    return formatter.getvalue().rstrip("\n")


def _tasks(context: click.Context) -> list[tuple[str, list[str]]]:
    group = context.command
    assert isinstance(group, click.Group)  # noqa: S101
    listed = group.list_commands(context)
    if context.parent is not None:
        return [("Commands", listed)]
    known = [(task, [name for name in names.split() if name in listed]) for task, names in TASKS.items()]
    rest = [name for name in listed if all(name not in names for _, names in known)]
    return [*known, ("Other", rest)] if rest else known


def _command(context: click.Context, name: str) -> click.Command:
    group = context.command
    assert isinstance(group, click.Group)  # noqa: S101
    found = group.get_command(context, name)
    assert found is not None  # noqa: S101 - the group listed it
    return found


def _lines(context: click.Context, name: str) -> list[tuple[str, str]]:
    command = _command(context, name)
    if not isinstance(command, click.Group):
        return [(name, command.get_short_help_str(90))]
    below = click.Context(command, info_name=name, parent=context)
    return [
        (f"{name} {part}", text) for sub in command.list_commands(below) for part, text in _lines(below, sub)
    ]


def _options(command: click.Command) -> list[click.Option]:
    """The visible options of a command, without those that show a help."""
    options = [p for p in command.params if isinstance(p, click.Option)]
    return [option for option in options if not option.hidden and option.name != "help_all"]


def _long(option: click.Option) -> str:
    """Its name as the tables write it: the longest, without dashes before it."""
    return max(option.opts, key=len).lstrip("-")


def _show_all(context: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not context.resilient_parsing:
        group = isinstance(context.command, click.Group)
        click.echo(all_commands(context) if group else full_help(context), color=context.color)
        context.exit()


class Verbs(click.Group):
    """A group whose commands stand below it, or in `modules` of this package by their names: `NAME_command`,
    loaded when it is asked for.
    """

    def __init__(self, *arguments: Any, modules: Mapping[str, str] | None = None, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.modules = modules or {}
        add_help(self)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*self.commands, *self.modules])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        command = self.commands.get(cmd_name)
        if cmd_name in self.modules:
            module = importlib.import_module(f".{self.modules[cmd_name]}", __package__)
            command = getattr(module, f"{cmd_name.replace('-', '_')}_command")
        return command and guard(add_help(command))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands by task."""
        for heading, names in _tasks(ctx):
            with formatter.section(heading):
                formatter.write_dl([(name, _command(ctx, name).get_short_help_str(90)) for name in names])
