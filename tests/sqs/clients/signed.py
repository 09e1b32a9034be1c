"""A server with access control: the name of a token is the access key id, the token the secret access key."""
import os
import subprocess
import tempfile
from pathlib import Path

from checks import client, code_of, equal
from run import Server

with tempfile.TemporaryDirectory(dir=os.environ["HOLDFAST_TEST_DIRECTORY"]) as scratch:
    tokens = Path(scratch) / "tokens"

    def token(*arguments):
        return subprocess.run([os.environ["HOLDFAST_TOKEN"], "create", str(tokens), *arguments],
                              check=True, capture_output=True, text=True).stdout.strip()

    owner = token("--sign", "owner", "all:*")
    app = token("--sign", "app", "produce,consume:orders")
    bearer = token("bearer", "all:*")
    server = Server(os.environ["HOLDFASTD"], Path(scratch), "--tokens", str(tokens))

    def signed(key, secret):
        return client(endpoint_url=server.endpoint, aws_access_key_id=key, aws_secret_access_key=secret,
                      region_name="eu-central-1")

    url = signed("owner", owner).create_queue(QueueName="orders")["QueueUrl"]
    mine = signed("app", app)
    mine.send_message(QueueUrl=url, MessageBody="ä <&> +")
    equal(mine.receive_message(QueueUrl=url)["Messages"][0]["Body"], "ä <&> +")
    equal(code_of(mine.purge_queue, QueueUrl=url), "AccessDenied")
    equal(code_of(signed("app", "wrong").send_message, QueueUrl=url, MessageBody="x"), "SignatureDoesNotMatch")
    equal(code_of(signed("nobody", app).send_message, QueueUrl=url, MessageBody="x"), "InvalidClientTokenId")
    equal(code_of(signed("bearer", bearer).send_message, QueueUrl=url, MessageBody="x"), "InvalidClientTokenId")
    mine.close()
    server.stop()
