#!/bin/sh
# Runs a command of this folder: launch.sh NAME ARGUMENTS. Help needs neither Node nor npm packages: the pages in help/
# are generated from the declarations of the commands (test/scripts/help.test.ts compares them).
set -eu
scripts="$(dirname "$0")"
name="$1"
shift

asks_for_help() {
  for argument; do
    case "$argument" in
      -h | --help) return 0 ;;
      --) return 1 ;;
    esac
  done
  return 1
}

if asks_for_help "$@"; then
  page="Usage: scripts/$name"
  for word; do # the words of a subcommand, for example "key create"
    case "$word" in *[!a-z-]*) break ;; esac
    grep -qF "$page $word [options]" "$scripts/help/$name.txt" || break
    page="$page $word"
  done
  awk -v page="$page [options]" '/^Usage: / { shown = index($0, page) == 1 } shown' "$scripts/help/$name.txt"
  exit
fi

case "$name" in
  bench | demo | faults | generate-client | simulate-autoscaling) "$scripts/setup" ;;
esac
option=''
# reading a PMML file of 14 MB takes 140 MB of memory instead of 225, but every start 0.1 s more
if [ "$name ${1-}" = 'admin scorecard' ]; then option=--optimize-for-size; fi
exec "$scripts/node" $option "$scripts/run-command.ts" "$name" "$@"
