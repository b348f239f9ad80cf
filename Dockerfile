# syntax=docker/dockerfile:1
# This file makes an image for each program: `docker build .` for the gateway, and
# `docker build --target authorization .` for the authorization service. Both images have the same files. Only the
# ports, the health check and the default command differ. On Kubernetes, both programs can use either image, because our
# chart sets the arguments.
ARG NODE_IMAGE=node:24-bookworm-slim
# Any image with glibc and libstdc++ works here. It needs no shell, no package manager, and no Node.js.
ARG RUNTIME_IMAGE=gcr.io/distroless/cc-debian12:nonroot

# The stages `build` and `dependencies` run programs. They run on the platform of the builder, because their results are
# the same on every platform. So the build of an image for another platform needs no emulation.
FROM --platform=${BUILDPLATFORM} ${NODE_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json ./
COPY tools ./tools
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json ./
COPY src ./src
RUN npm run bundle
RUN mkdir data

FROM --platform=${BUILDPLATFORM} ${NODE_IMAGE} AS dependencies
WORKDIR /build
COPY package.json package-lock.json ./
COPY tools/node ./tools/node
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM ${NODE_IMAGE} AS node

FROM ${RUNTIME_IMAGE} AS runtime
ARG VERSION=0.1.0
ARG REVISION=unknown
ARG SOURCE=unknown
LABEL org.opencontainers.image.title="Gatehouse" \
      org.opencontainers.image.description="OAuth 2.0 in front of an API that knows nothing of it, and the authorization service that gives out the tokens" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.source="${SOURCE}"
WORKDIR /app
COPY --from=node /usr/local/bin/node /usr/local/bin/node
COPY --from=dependencies /build/node_modules ./node_modules
COPY package.json LICENSE ./
COPY bin ./bin
COPY config ./config
COPY --from=build /build/dist ./dist
# The programs write only to /data: the SQLite database, and the key file beside it.
COPY --from=build --chown=65532:65532 /build/data /data
VOLUME ["/data"]
ENV NODE_ENV=production
USER 65532:65532
# With --disable-sigusr1, the signal SIGUSR1 does not start the debugger of Node.js.
# Without --max-semi-space-size, V8 on a large machine would collect garbage only after 128 MiB.
ENTRYPOINT ["/usr/local/bin/node", "--max-semi-space-size=16", "--disable-sigusr1", "/app/bin/gatehouse.js"]

FROM runtime AS authorization
EXPOSE 8081 9903
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD ["/usr/local/bin/node", "/app/bin/gatehouse.js", "health", "--config", "/etc/gatehouse/authorization.yaml"]
CMD ["authorization", "--config", "/etc/gatehouse/authorization.yaml"]

FROM runtime AS gateway
EXPOSE 8080 9900
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD ["/usr/local/bin/node", "/app/bin/gatehouse.js", "health", "--config", "/etc/gatehouse/gateway.yaml"]
CMD ["gateway", "--config", "/etc/gatehouse/gateway.yaml"]
