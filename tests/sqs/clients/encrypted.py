"""Over TLS: boto3 and curl check the certificate against their CA, and send, receive and delete."""
import json
import os
import subprocess
import tempfile
import urllib.parse
from pathlib import Path

import botocore.exceptions
from checks import client, equal, expect
from run import Server


def make_certificate(directory):
    """Makes a CA, and a certificate for this address that it signs."""
    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], cwd=directory, check=True, capture_output=True)

    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=a CA of the tests",
            "-addext", "basicConstraints=critical,CA:TRUE")
    openssl("req", *key, "-keyout", "key.pem", "-out", "request.pem", "-subj", "/CN=holdfast")
    (directory / "names").write_text("subjectAltName=IP:127.0.0.1\n")
    openssl("x509", "-req", "-in", "request.pem", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
            "-days", "2", "-extfile", "names", "-out", "certificate.pem")


def curl(directory, url, *arguments, ca="ca.pem"):
    return subprocess.run(["curl", "--silent", "--show-error", "--fail-with-body", "--cacert", directory / ca,
                           *arguments, url], capture_output=True, text=True)


def call_api(directory, base):
    def answer(path, *arguments):
        done = curl(directory, base + path, *arguments)
        expect(done.returncode == 0, path, done.stdout, done.stderr)
        return json.loads(done.stdout) if done.stdout else None

    answer("/v1/queues/mail", "--request", "PUT", "--data", "{}")
    expect(answer("/v1/queues/mail/messages", "--data-binary", "hello")["id"], "an id")
    received = answer("/v1/queues/mail/deliveries?wait=20s", "--request", "POST")["deliveries"]
    equal([delivery["body"] for delivery in received], ["hello"])
    answer("/v1/deliveries/" + received[0]["receipt"], "--request", "DELETE")


def call_sqs(directory, base):
    sqs = client(endpoint_url=base, verify=str(directory / "ca.pem"))
    url = sqs.create_queue(QueueName="orders")["QueueUrl"]
    equal(urllib.parse.urlsplit(url).scheme, "https")
    body = "x" * 1_000_000
    sqs.send_message(QueueUrl=url, MessageBody=body)
    message, = sqs.receive_message(QueueUrl=url, WaitTimeSeconds=20)["Messages"]
    equal(message["Body"], body)
    sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])


def refuse_strangers(directory, base):
    """Checks that a client that trusts another CA says nothing, and that one without TLS is told nothing."""
    try:
        client(endpoint_url=base, verify=str(directory / "other" / "ca.pem")).list_queues()
        raise AssertionError("a certificate of another CA was taken")
    except botocore.exceptions.SSLError:
        pass
    equal(curl(directory, base + "/v1", ca="other/ca.pem").returncode, 60)
    expect(curl(directory, base.replace("https", "http") + "/v1").returncode != 0, "there is an answer without TLS")


with tempfile.TemporaryDirectory(dir=os.environ["HOLDFAST_TEST_DIRECTORY"]) as scratch:
    here = Path(scratch)
    (here / "other").mkdir()
    make_certificate(here)
    make_certificate(here / "other")
    server = Server(os.environ["HOLDFASTD"], here, "--tls-certificate", str(here / "certificate.pem"),
                    "--tls-key", str(here / "key.pem"), tls=True)
    call_api(here, server.endpoint)
    call_sqs(here, server.endpoint)
    refuse_strangers(here, server.endpoint)
    server.stop()
