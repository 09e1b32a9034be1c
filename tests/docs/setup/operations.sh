stands_for /var/lib/holdfast "$SCRATCH/lib"
stands_for /run/holdfast "$SCRATCH/run"
stands_for /etc/holdfast "$SCRATCH/etc"
stands_for /backup "$SCRATCH/backup"
mkdir "$SCRATCH/run" "$SCRATCH/etc" "$SCRATCH/backup"

# The blocks about TLS need a certificate, which the server has signed itself, and somebody with a token.
secure=127.0.0.1:$SPARE_PORT
stands_for tls://0.0.0.0:7700 "tls://$secure"
stands_for tls://queues.example.org:7700 "tls://$secure"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=holdfast \
  -addext subjectAltName=IP:127.0.0.1 -keyout server.key -out server.pem 2>/dev/null
chmod 600 server.key
cp server.pem ca.pem
HOLDFAST_TOKEN=$(holdfast-token create tokens reader operate:*)
export HOLDFAST_TOKEN

# This directory is backed up.
holdfast --data ./data queue create orders >/dev/null

dead_letter() {  # HOW-MANY
  local i
  for ((i = 0; i < $1; ++i)); do
    holdfast send orders '{"quantity": 0}' >/dev/null
    holdfast reject "$(holdfast receive orders --json | jq -r .receipt)" --category validation --reason 'quantity must be > 0' >/dev/null
  done
}

# Starts a server for the blocks that have started none.
before() {
  export HOLDFAST_SERVER=$ADDRESS
  local last=${this-starts-a-server}
  this=$1
  [[ $last == uses-a-server ]] || return 0
  if [[ $1 == starts-a-server ]] || ! holdfast queue list >/dev/null 2>&1; then
    kill $(jobs -p) 2>/dev/null || true
    wait
  fi
  [[ $1 == starts-a-server || -n $(jobs -p) ]] || begin
}

begin() {
  serve --listen "unix:$SCRATCH/run/socket"
  holdfast queue create orders --dead-letter-queue orders-dlq --create-missing >/dev/null
  holdfast queue create orders-parked >/dev/null
  dead_letter 2
}
