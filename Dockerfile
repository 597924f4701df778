# The container of Storymeter: `score` and the other commands, and with PARTS=human the server of human studies.
#
#   docker build -t storymeter .
#   docker run --rm -v "$PWD:/data" storymeter score mine.json -r people.json
#
#   docker build -t storymeter-human --build-arg PARTS=human .
#   docker run --rm -p 127.0.0.1:8000:8000 -v "$PWD:/data" storymeter-human human serve study --host 0.0.0.0 --port 8000
#
# Nothing runs as root: give `--user "$(id -u):$(id -g)"` where files in /data must belong to you.

ARG PYTHON=3.12

FROM python:${PYTHON}-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends g++ && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:${PYTHON}-slim
ARG PARTS=
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir "$(ls /wheels/*.whl)${PARTS:+[$PARTS]}" && rm -rf /wheels \
    && useradd --create-home --uid 10001 storymeter \
    && mkdir /data /cache && chown storymeter /data /cache
ENV STORYMETER_CACHE=/cache PYTHONUNBUFFERED=1
USER 10001
# METEOR's tables are compiled once, while the image is built
RUN storymeter demo --out /tmp/demo > /dev/null && rm -rf /tmp/demo && chmod -R a+rX /cache
WORKDIR /data
EXPOSE 8000
ENTRYPOINT ["storymeter"]
CMD ["--help"]
