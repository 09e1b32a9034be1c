door=127.0.0.1:$SPARE_PORT
stands_for 127.0.0.1:7780 "$door"
serve --http-listen "$door"

# A block fails if one of its answers is an error.
curl() { command curl --silent --show-error --fail-with-body "$@"; }
