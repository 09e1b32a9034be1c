"""What the suites in Python have in common."""
import os

import boto3
import botocore.config
import botocore.exceptions

ENDPOINT = os.environ["ENDPOINT"]
ARN = "arn:aws:sqs:us-east-1:000000000000:"


def client(**more):
    config = botocore.config.Config(retries={"max_attempts": 0}, read_timeout=30)
    return boto3.client("sqs", endpoint_url=more.pop("endpoint_url", ENDPOINT), config=config, **more)


def code_of(call, **arguments):
    """Returns the code of the error with which a call has to fail."""
    try:
        call(**arguments)
    except botocore.exceptions.ClientError as error:
        return error.response["Error"]["Code"]
    raise AssertionError(f"{call.__name__} {arguments} succeeded")


def expect(is_so, *about):
    if not is_so:
        raise AssertionError(about)


def equal(found, wanted):
    expect(found == wanted, "found", found, "wanted", wanted)
