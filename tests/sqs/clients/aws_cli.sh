#!/usr/bin/env bash
# Runs Debian's `aws sqs` as people type it.
set -euo pipefail

# PATH may have another aws before Debian's.
sqs() { /usr/bin/aws --endpoint-url "$ENDPOINT" --output text sqs "$@"; }
fails_with() {
  local said
  said=$(sqs "${@:2}" 2>&1) && { echo "succeeded: ${*:2}"; exit 1; }
  [[ $said == *"$1"* ]] || { echo "not $1: $said"; exit 1; }
}
equal() { [[ $1 == "$2" ]] || { echo "'$1' is not '$2'"; exit 1; }; }

url=$(sqs create-queue --queue-name cli --attributes VisibilityTimeout=600 --tags team=a)
equal "$url" "$ENDPOINT/000000000000/cli"
equal "$(sqs list-queues --queue-name-prefix cli --query 'QueueUrls[0]')" "$url"
sqs send-message --queue-url "$url" --message-body 'hello <world>' \
  --message-attributes 'n={DataType=Number,StringValue=7}' >/dev/null
handle=$(sqs receive-message --queue-url "$url" --attribute-names All --message-attribute-names All \
  --query 'Messages[0].[Body, MessageAttributes.n.StringValue, Attributes.ApproximateReceiveCount, ReceiptHandle]')
IFS=$'\t' read -r body number count receipt <<<"$handle"
equal "$body $number $count" 'hello <world> 7 1'
sqs delete-message --queue-url "$url" --receipt-handle "$receipt"
equal "$(sqs get-queue-attributes --queue-url "$url" --attribute-names ApproximateNumberOfMessages \
  --query 'Attributes.ApproximateNumberOfMessages')" 0
sqs delete-queue --queue-url "$url"
fails_with AWS.SimpleQueueService.NonExistentQueue get-queue-url --queue-name cli
