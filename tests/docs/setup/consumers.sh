serve
holdfast queue create orders >/dev/null

program() {
  holdfast send orders '42 widgets' >/dev/null
  # The worker runs until it is told to stop.
  if (($1 == 1)); then
    coproc worker { exec "$2"; }
    local worker_pid=$worker_PID line
    read -r line <&"${worker[0]}"
    echo "$line"
    kill "$worker_pid"
    wait "$worker_pid"
  else
    "$2"
  fi
}
