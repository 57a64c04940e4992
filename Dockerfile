# One image for release, web and worker, with the commands of the Procfile. By default it runs web.
#
#   docker build --tag inkling .
#   docker run --rm --read-only --env-file inkling.env inkling scripts/node db/migrate.ts
#
# docs/operations/compose.md and docs/operations/kubernetes.md lead to a running service.
FROM node:24-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund
# docker build --build-arg TRACING=yes installs the SDK of docs/operations/tracing.md
ARG TRACING=no
RUN if [ "$TRACING" = yes ]; then npm run install:tracing; fi

# Builds the portal and the SDK for browsers; all other code runs from its sources.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build

FROM node:24-bookworm-slim
WORKDIR /app
COPY package.json Procfile LICENSE ./
COPY --from=packages /app/node_modules node_modules
COPY db db
COPY worker worker
COPY scripts scripts
COPY --from=build /app/api api
ENV NODE_ENV=production PORT=3000
EXPOSE 3000
# The files belong to root, and the process can write to none of them. The number instead of the name "node": Kubernetes
# cannot know that a name is not root.
USER 1000:1000
# Of web, or of a worker that has a WORKER_HEALTH_PORT; Kubernetes has probes of its own.
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=3 CMD ["node", "-e", "const { WORKER_HEALTH_PORT, PORT } = process.env; fetch(`http://127.0.0.1:${WORKER_HEALTH_PORT || PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# that of the base image is a shell script, which adds nothing to these commands
ENTRYPOINT []
CMD ["scripts/node", "api/main.ts"]
