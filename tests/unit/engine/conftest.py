"""A small Ray cluster for the tests of this folder."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module")
def ray() -> Iterator[None]:
    ray = pytest.importorskip("ray", reason="the part 'ray' is not installed")
    ray.init(
        address="local",
        _node_ip_address="127.0.0.1",
        num_cpus=1,  # a worker takes seconds to start; several at once: tests/faults/test_shards_killed.py
        include_dashboard=False,
        log_to_driver=False,
        logging_level=logging.ERROR,
        object_store_memory=100 << 20,
        # a process costs seconds: none is started before anyone asks for it, and an idle one is kept
        _system_config={"prestart_worker_first_driver": False, "num_workers_soft_limit": 8},
    )
    yield
    ray.shutdown()
