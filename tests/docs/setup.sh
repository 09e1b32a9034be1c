# Sourced before the setup of each document.

# A server at the address that stands for 127.0.0.1:7700, and with these options; returns when clients can connect.
serve() {
  rm -f "$SCRATCH/log"
  mkfifo "$SCRATCH/log"
  holdfastd --data "$SCRATCH/served" --listen "$ADDRESS" "$@" >"$SCRATCH/log" 2>&1 &
  local line
  exec {log}<"$SCRATCH/log"
  until [[ ${line-} == *"listening on $ADDRESS"* ]]; do read -r line <&"$log" || return 1; done
  cat <&"$log" >"$SCRATCH/served.log" &
}

# A text of the document is another one here.
stands_for() { printf '%s\t%s\n' "$1" "$2" >>"$SCRATCH/stands_for"; }

# Called before each block of commands, with starts-a-server or uses-a-server.
before() { :; }

# Runs a program of the document: its number, the command.
program() { "$2"; }
