# This file is sourced before the setup of each document.

# Starts a server at the address that stands for 127.0.0.1:7700, with these options. Returns when clients can
# connect.
serve() {
  rm -f "$SCRATCH/log"
  mkfifo "$SCRATCH/log"
  holdfastd --data "$SCRATCH/served" --listen "$ADDRESS" "$@" >"$SCRATCH/log" 2>&1 &
  local line
  exec {log}<"$SCRATCH/log"
  until [[ ${line-} == *"listening on $ADDRESS"* ]]; do read -r line <&"$log" || return 1; done
  cat <&"$log" >"$SCRATCH/served.log" &
}

# Says which text stands here for a text of the document.
stands_for() { printf '%s\t%s\n' "$1" "$2" >>"$SCRATCH/stands_for"; }

# Is called before each block of commands, with starts-a-server or uses-a-server.
before() { :; }

# Runs a program of the document. The arguments are its number and its command.
program() { "$2"; }
