# jigsolve as a program: docker build --tag jigsolve . (after make dist, which builds the wheel)
FROM python:3.13-slim

RUN useradd --create-home --uid 1000 solver
COPY dist/*.whl /tmp/wheel/
RUN pip install --no-cache-dir /tmp/wheel/*.whl \
    && rm -r /tmp/wheel

# Kernels are compiled now. numba uses a cache only if it can write to it, whoever runs the image (docker run --user).
ENV NUMBA_CACHE_DIR=/opt/jigsolve-kernels
RUN jigsolve warm-up \
    && chmod -R a+rwX /opt/jigsolve-kernels

USER 1000
WORKDIR /work
EXPOSE 8420
ENTRYPOINT ["jigsolve"]
CMD ["--help"]
