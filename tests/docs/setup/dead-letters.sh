serve
holdfast queue create repair >/dev/null

dead_letter() {  # HOW-MANY CATEGORY REASON
  local i
  for ((i = 0; i < $1; ++i)); do echo '{"quantity": 0}'; done | holdfast send orders --lines --file - >/dev/null
  holdfast receive orders --max "$1" --consumer-version 2.1 --json | jq -r .receipt |
    xargs holdfast reject --category "$2" --reason "$3" --code E17 >/dev/null
}

fill() {
  holdfast queue create orders --dead-letter-queue orders-dlq --create-missing >/dev/null
  dead_letter 8 timeout 'no answer from the warehouse after 30 s'
  dead_letter 4 spam 'nobody ordered this'
  dead_letter 8 validation 'quantity must be > 0'
}

# All of them must die in the hour that is shown. If the hour has ended meanwhile, they are made again.
for ((;;)); do
  hour=$(date +%F-%H)
  fill
  [[ $hour != $(date +%F-%H) ]] || break
  holdfast queue delete orders --yes >/dev/null
  holdfast queue delete orders-dlq --yes >/dev/null
done
stands_for 76b01eaef6697622 "$(holdfast dlq show orders-dlq 17 --json | jq -r .fingerprint)"

# Makes an archive, and the patch for the redrive with an edit.
holdfast dlq export orders-dlq "$SCRATCH/letters.jsonl.zst" >/dev/null
stands_for data/archive/orders-dlq-20260301T093000Z.jsonl.zst "$SCRATCH/letters.jsonl.zst"
echo '[{"op": "replace", "path": "/quantity", "value": 1}]' >fix.json

# These redrives make the document's third redrive task 7.
for task in 1 2 3 4; do holdfast dlq redrive orders-dlq --category weather --yes; done

# The dead letter worker finds a letter of each kind.
program() {
  holdfast queue purge orders --yes >/dev/null
  holdfast queue purge orders-dlq --yes >/dev/null
  local category
  for category in timeout validation spam weather; do dead_letter 1 "$category" 'it was so'; done
  "$2"
}
