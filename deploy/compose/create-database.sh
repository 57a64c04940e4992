#!/bin/sh
# Creates the database with its two roles, as docs/operations/server.md does. Postgres's image runs this once, on an empty volume.
set -eu
psql --quiet --set=ON_ERROR_STOP=1 --username="${POSTGRES_USER:-postgres}" --dbname=postgres \
  --set=owner_password="$OWNER_PASSWORD" --set=runtime_password="$RUNTIME_PASSWORD" <<'SQL'
create role inkling login password :'owner_password';
create role inkling_runtime login password :'runtime_password';
create database inkling owner inkling encoding 'UTF8' template template0;
revoke connect, temporary on database inkling from public;
SQL
