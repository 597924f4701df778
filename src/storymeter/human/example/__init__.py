"""The example campaign: a dozen tiny clips of moving shapes (made by examples/make_clips.py) and four sets of
captions.
"""

from pathlib import Path

from ... import formats
from ..campaign.organise import prepare, write
from ..campaign.record import Folder
from ..campaign.request import CampaignRequest, Layout

HERE = Path(__file__).parent


def build(folder: Path, *, raters: int = 30, seed: int | None = 1) -> Folder:
    """A small Direct Assessment campaign: HITs of 50 captions in ten blocks, so that every rater sees ten
    control pairs.
    """
    systems = [formats.read(HERE / f"{name}.json") for name in ("careful", "vague", "confused")]
    options = CampaignRequest(
        systems=systems,
        human=formats.read(HERE / "human.json"),
        clips=HERE / "clips",
        layout=Layout(system=2),
        hits=6,
        raters_per_hit=-(-raters // 6),
        seed=seed,
        practice=2,
        title="Moving shapes",
        contact="the organiser of this example",
    )
    return write(prepare(options), folder, raters=raters)
