"""The original downloads its parser here. Nothing is downloaded: the rules engine needs none."""


def get_stanford_models() -> None:
    """Nothing to fetch. For the original program see `storymeter.compat.pycocoevalcap.spice.spice`."""
