"""Every operation, and the errors, as boto3 has them. Debian's speaks the query protocol, newer ones JSON."""
import json
import threading
import time

import boto3
from checks import ARN, ENDPOINT, client, code_of, equal, expect

sqs = client()


def queues():
    url = sqs.create_queue(QueueName="orders", Attributes={"VisibilityTimeout": "7"}, tags={"team": "a"})["QueueUrl"]
    equal(url, f"{ENDPOINT}/000000000000/orders")
    equal(sqs.get_queue_url(QueueName="orders")["QueueUrl"], url)
    equal(code_of(sqs.create_queue, QueueName="orders", Attributes={"VisibilityTimeout": "8"}), "QueueAlreadyExists")
    attributes = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
    equal(attributes["VisibilityTimeout"], "7")
    equal(attributes["QueueArn"], ARN + "orders")
    expect("Policy" not in attributes, attributes)
    sqs.set_queue_attributes(QueueUrl=url, Attributes={"DelaySeconds": "1", "ReceiveMessageWaitTimeSeconds": "2"})
    equal(sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["DelaySeconds"])["Attributes"], {"DelaySeconds": "1"})
    sqs.tag_queue(QueueUrl=url, Tags={"cost": "b", "team": "c"})
    sqs.untag_queue(QueueUrl=url, TagKeys=["cost"])
    equal(sqs.list_queue_tags(QueueUrl=url)["Tags"], {"team": "c"})
    sqs.add_permission(QueueUrl=url, Label="l", AWSAccountIds=["123456789012"], Actions=["SendMessage"])
    policy = json.loads(sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["Policy"])["Attributes"]["Policy"])
    equal([statement["Sid"] for statement in policy["Statement"]], ["l"])
    sqs.remove_permission(QueueUrl=url, Label="l")
    expect("Attributes" not in sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["Policy"]))
    for number in range(3):
        sqs.create_queue(QueueName=f"page-{number}")
    pages = list(sqs.get_paginator("list_queues").paginate(QueueNamePrefix="page-", PaginationConfig={"PageSize": 2}))
    equal([len(page["QueueUrls"]) for page in pages], [2, 1])
    sqs.delete_queue(QueueUrl=url)
    equal(code_of(sqs.get_queue_url, QueueName="orders"), "AWS.SimpleQueueService.NonExistentQueue")
    try:
        sqs.send_message(QueueUrl=url, MessageBody="x")
        raise AssertionError("it is gone")
    except sqs.exceptions.QueueDoesNotExist:
        pass


def messages():
    url = sqs.create_queue(QueueName="messages")["QueueUrl"]
    attributes = {"text": {"DataType": "String", "StringValue": "ä€😀"},
                  "number": {"DataType": "Number.int", "StringValue": "-12"},
                  "bytes": {"DataType": "Binary.x", "BinaryValue": b"\x00\xff<&>"}}
    body = "ä€😀 \t\r\n <&> \" ' ]]>"
    sent = sqs.send_message(QueueUrl=url, MessageBody=body, MessageAttributes=attributes, MessageSystemAttributes={
        "AWSTraceHeader": {"DataType": "String", "StringValue": "Root=1-5759e988-bd862e3fe1be46a994272793"}})
    expect(sent["MD5OfMessageSystemAttributes"])
    # boto3 compares the digests itself.
    received = sqs.receive_message(QueueUrl=url, AttributeNames=["All"], MessageAttributeNames=["All"])["Messages"]
    equal(len(received), 1)
    message = received[0]
    equal(message["Body"], body)
    equal(message["MessageId"], sent["MessageId"])
    equal(message["MessageAttributes"], attributes)
    equal(message["MD5OfMessageAttributes"], sent["MD5OfMessageAttributes"])
    equal(message["Attributes"]["ApproximateReceiveCount"], "1")
    equal(message["Attributes"]["AWSTraceHeader"], "Root=1-5759e988-bd862e3fe1be46a994272793")
    expect(int(message["Attributes"]["ApproximateFirstReceiveTimestamp"]) >= int(message["Attributes"]["SentTimestamp"]))
    sqs.change_message_visibility(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"], VisibilityTimeout=0)
    equal(code_of(sqs.change_message_visibility, QueueUrl=url, ReceiptHandle=message["ReceiptHandle"], VisibilityTimeout=1),
          "AWS.SimpleQueueService.MessageNotInflight")
    again = sqs.receive_message(QueueUrl=url, AttributeNames=["ApproximateReceiveCount"])["Messages"][0]
    equal(again["Attributes"], {"ApproximateReceiveCount": "2"})
    sqs.delete_message(QueueUrl=url, ReceiptHandle=again["ReceiptHandle"])
    expect("Messages" not in sqs.receive_message(QueueUrl=url))
    equal(code_of(sqs.delete_message, QueueUrl=url, ReceiptHandle="x"), "ReceiptHandleIsInvalid")
    for size in (64 << 10, 1 << 20):
        sqs.send_message(QueueUrl=url, MessageBody="é" * (size // 2))
        large = sqs.receive_message(QueueUrl=url)["Messages"][0]
        equal(large["Body"], "é" * (size // 2))
        sqs.delete_message(QueueUrl=url, ReceiptHandle=large["ReceiptHandle"])
    equal(code_of(sqs.send_message, QueueUrl=url, MessageBody="x" * ((1 << 20) + 1)), "InvalidParameterValue")
    equal(code_of(sqs.send_message, QueueUrl=url, MessageBody="x", DelaySeconds=901), "InvalidParameterValue")
    sqs.send_message(QueueUrl=url, MessageBody="late", DelaySeconds=900)
    sqs.purge_queue(QueueUrl=url)
    equal(sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["ApproximateNumberOfMessagesDelayed"])["Attributes"],
          {"ApproximateNumberOfMessagesDelayed": "0"})


def batches():
    url = sqs.create_queue(QueueName="batches")["QueueUrl"]
    sent = sqs.send_message_batch(QueueUrl=url, Entries=[
        {"Id": "a", "MessageBody": "1"}, {"Id": "b", "MessageBody": "2", "DelaySeconds": 1000},
        {"Id": "c", "MessageBody": "3", "MessageAttributes": {"n": {"DataType": "Number", "StringValue": "1"}}}])
    equal([entry["Id"] for entry in sent["Successful"]], ["a", "c"])
    equal([(entry["Id"], entry["Code"], entry["SenderFault"]) for entry in sent["Failed"]],
          [("b", "InvalidParameterValue", True)])
    received = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10)["Messages"]
    handles = [message["ReceiptHandle"] for message in received]
    equal(len(handles), 2)
    changed = sqs.change_message_visibility_batch(QueueUrl=url, Entries=[
        {"Id": "x", "ReceiptHandle": handles[0], "VisibilityTimeout": 60},
        {"Id": "y", "ReceiptHandle": "nonsense", "VisibilityTimeout": 60}])
    equal([entry["Id"] for entry in changed["Successful"]], ["x"])
    equal([entry["Code"] for entry in changed["Failed"]], ["ReceiptHandleIsInvalid"])
    deleted = sqs.delete_message_batch(QueueUrl=url, Entries=[
        {"Id": str(place), "ReceiptHandle": handle} for place, handle in enumerate([*handles, "nonsense"])])
    equal([entry["Id"] for entry in deleted["Successful"]], ["0", "1"])
    equal([entry["Id"] for entry in deleted["Failed"]], ["2"])
    full = [{"Id": str(i), "MessageBody": "x"} for i in range(11)]
    name = "AWS.SimpleQueueService."
    equal(code_of(sqs.send_message_batch, QueueUrl=url, Entries=full), name + "TooManyEntriesInBatchRequest")
    equal(code_of(sqs.send_message_batch, QueueUrl=url, Entries=[]), name + "EmptyBatchRequest")
    equal(code_of(sqs.send_message_batch, QueueUrl=url, Entries=[full[0], full[0]]), name + "BatchEntryIdsNotDistinct")
    equal(code_of(sqs.send_message_batch, QueueUrl=url, Entries=[{"Id": "!", "MessageBody": "x"}]),
          name + "InvalidBatchEntryId")
    equal(code_of(sqs.send_message_batch, QueueUrl=url, Entries=[
        {"Id": str(i), "MessageBody": "x" * (600 << 10)} for i in range(2)]), name + "BatchRequestTooLong")


def long_polls():
    url = sqs.create_queue(QueueName="polls")["QueueUrl"]
    got = []

    def poll():
        got.extend(client().receive_message(QueueUrl=url, WaitTimeSeconds=20).get("Messages", []))

    pollers = [threading.Thread(target=poll) for _ in range(8)]
    started = time.monotonic()
    for poller in pollers:
        poller.start()
    sqs.send_message_batch(QueueUrl=url, Entries=[{"Id": str(i), "MessageBody": str(i)} for i in range(8)])
    for poller in pollers:
        poller.join()
    equal(sorted(message["Body"] for message in got), [str(i) for i in range(8)])
    expect(time.monotonic() - started < 20, "the polls were not woken")


def fair():
    url = sqs.create_queue(QueueName="fair")["QueueUrl"]
    for body in ("a1", "a2", "a3"):
        sqs.send_message(QueueUrl=url, MessageBody=body, MessageGroupId="a")
    sqs.send_message(QueueUrl=url, MessageBody="b1", MessageGroupId="b")
    equal([message["Body"] for message in sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=2)["Messages"]], ["a1", "b1"])


def dead_letters():
    target = sqs.create_queue(QueueName="dlq")["QueueUrl"]
    policy = json.dumps({"deadLetterTargetArn": ARN + "dlq", "maxReceiveCount": "1"})
    source = sqs.create_queue(QueueName="source", Attributes={"RedrivePolicy": policy})["QueueUrl"]
    equal(sqs.list_dead_letter_source_queues(QueueUrl=target)["queueUrls"], [source])
    sent = sqs.send_message(QueueUrl=source, MessageBody="poison")
    message = sqs.receive_message(QueueUrl=source)["Messages"][0]
    sqs.change_message_visibility(QueueUrl=source, ReceiptHandle=message["ReceiptHandle"], VisibilityTimeout=0)
    dead = sqs.receive_message(QueueUrl=target, AttributeNames=["All"], WaitTimeSeconds=20)["Messages"][0]
    equal(dead["MessageId"], sent["MessageId"])
    equal(dead["Attributes"]["DeadLetterQueueSourceArn"], ARN + "source")
    equal(dead["Attributes"]["ApproximateReceiveCount"], "2")
    sqs.change_message_visibility(QueueUrl=target, ReceiptHandle=dead["ReceiptHandle"], VisibilityTimeout=0)
    if not hasattr(sqs, "start_message_move_task"):  # Debian's boto3 is older than these operations
        return
    sqs.start_message_move_task(SourceArn=ARN + "dlq")
    back = sqs.receive_message(QueueUrl=source, AttributeNames=["All"], WaitTimeSeconds=20)["Messages"][0]
    equal(back["Attributes"]["ApproximateReceiveCount"], "1")


for case in (queues, messages, batches, long_polls, fair, dead_letters):
    case()
    print("ok", case.__name__)
print("boto3", boto3.__version__)
