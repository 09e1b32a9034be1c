"""Thousands of long polls cost the server no thread, and each is woken by a message of its own."""
import json
import os
import resource
import selectors
import socket
import tempfile
import urllib.request
from pathlib import Path

from checks import client, equal, expect
from run import Server

POLLS = 2000  # half of them over SQS, half over the API
SECONDS = 20  # the longest wait that SQS allows
SOCKETS = 3 * POLLS

soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (min(SOCKETS, hard), hard))


def threads_of(process):
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(status.split("Threads:")[1].split()[0])


def request(path, headers, body):
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\n"
    return (head + "".join(f"{name}: {value}\r\n" for name, value in headers.items()) + "\r\n" + body).encode()


def over_sqs(url):
    headers = {"X-Amz-Target": "AmazonSQS.ReceiveMessage", "Content-Type": "application/x-amz-json-1.0"}
    return request("/", headers, json.dumps({"QueueUrl": url, "WaitTimeSeconds": SECONDS}))


def open_polls(port, texts):
    connections = []
    for text in texts:
        connection = socket.create_connection(("127.0.0.1", port))
        connection.sendall(text)
        connections.append(connection)
    return connections


def be_answered(sqs, url):
    """Makes a call. When the server has answered it, it has read what was sent before."""
    sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])


def send_all(endpoint, bodies):
    """Sends the messages in one call of the API: SQS takes ten at a time, and the polls wait for seconds only."""
    batch = json.dumps({"messages": [{"body": body} for body in bodies]}).encode()
    urllib.request.urlopen(urllib.request.Request(f"{endpoint}/v1/queues/orders/messages/batch", data=batch, headers={
        "Content-Type": "application/json"})).close()


def read_all(connections):
    """Returns the answers in the order in which they come."""
    waiting = selectors.DefaultSelector()
    for connection in connections:
        waiting.register(connection, selectors.EVENT_READ)
    answers = []
    while len(answers) < len(connections):
        ready = waiting.select(timeout=2 * SECONDS)
        expect(ready, "no answer for long after", len(answers))
        for key, _ in ready:
            answers.append(key.fileobj.recv(65536).decode())
            waiting.unregister(key.fileobj)
    return answers


with tempfile.TemporaryDirectory(dir=os.environ["HOLDFAST_TEST_DIRECTORY"]) as scratch:
    server = Server(os.environ["HOLDFASTD"], Path(scratch))
    sqs = client(endpoint_url=server.endpoint)
    url = sqs.create_queue(QueueName="orders")["QueueUrl"]
    api = request(f"/v1/queues/orders/deliveries?wait={SECONDS}s", {}, "")
    warm = open_polls(server.port, [over_sqs(url), api])
    be_answered(sqs, url)
    before = threads_of(server.process)

    polls = warm + open_polls(server.port, [over_sqs(url), api] * (POLLS // 2 - 1))
    be_answered(sqs, url)
    expect(threads_of(server.process) <= before, "threads", before, threads_of(server.process))

    send_all(server.endpoint, [f"message-{i}-" for i in range(POLLS)])
    answers = read_all(polls)
    bodies = [text.split("message-")[1].split("-")[0] for text in answers]
    equal(sorted(map(int, bodies)), list(range(POLLS)))
    for connection in polls:
        connection.close()
    server.stop()
