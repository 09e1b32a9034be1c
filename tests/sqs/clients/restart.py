"""FIFO order and deduplication, receipts and deletes over a restart of the server."""
import os
import tempfile
from pathlib import Path

from checks import client, code_of, equal, expect
from run import Server

with tempfile.TemporaryDirectory(dir=os.environ["HOLDFAST_TEST_DIRECTORY"]) as scratch:
    server = Server(os.environ["HOLDFASTD"], Path(scratch))
    sqs = client(endpoint_url=server.endpoint)
    url = sqs.create_queue(QueueName="x.fifo", Attributes={
        "FifoQueue": "true", "ContentBasedDeduplication": "true"})["QueueUrl"]
    sent = [sqs.send_message(QueueUrl=url, MessageBody=f"{group}{i}", MessageGroupId=group)
            for i in range(5) for group in "ab"]
    numbers = [message["SequenceNumber"] for message in sent]
    equal(numbers, sorted(numbers))
    first = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=1, VisibilityTimeout=600,
                                AttributeNames=["All"])["Messages"][0]
    equal(first["Body"], "a0")
    equal(first["Attributes"]["MessageGroupId"], "a")
    sqs.close()  # it connects again for its next call
    server.restart()
    # The group of a0 is still blocked, and the other group is not. The receipt is still valid, and what is sent
    # again is not there twice.
    other = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10)["Messages"]
    equal([message["Body"] for message in other], [f"b{i}" for i in range(5)])
    equal(sqs.send_message(QueueUrl=url, MessageBody="a0", MessageGroupId="a")["MessageId"], sent[0]["MessageId"])
    sqs.delete_message(QueueUrl=url, ReceiptHandle=first["ReceiptHandle"])
    equal(sqs.send_message(QueueUrl=url, MessageBody="a0", MessageGroupId="a")["MessageId"], sent[0]["MessageId"])
    rest = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10)["Messages"]
    equal([message["Body"] for message in rest], [f"a{i}" for i in range(1, 5)])
    sqs.delete_message_batch(QueueUrl=url, Entries=[
        {"Id": str(i), "ReceiptHandle": message["ReceiptHandle"]} for i, message in enumerate([*other, *rest])])
    server.restart()
    expect("Messages" not in sqs.receive_message(QueueUrl=url), "deleted messages came back")
    # The server was started without an option for its cooldown, so it has the usual one.
    sqs.delete_queue(QueueUrl=url)
    equal(code_of(sqs.create_queue, QueueName="x.fifo", Attributes={"FifoQueue": "true"}),
          "AWS.SimpleQueueService.QueueDeletedRecently")
    server.stop()
