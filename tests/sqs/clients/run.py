#!/usr/bin/env python3
"""Usage: run.py HOLDFASTD HOLDFAST_TOKEN NPM_DIRECTORY [SUITE...]

Lets clients of other people's talk to a holdfastd over Amazon SQS's protocol: each suite is a program of its own, which
is told where the server is. Those of npm are where tools/setup has installed them.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
DEBIAN_PYTHON = "/usr/bin/python3"  # its boto3 speaks the query protocol
LEAST_NODE = 20
SUITES = {
    "boto_suite.py": "debian",
    "restart.py": "debian",
    "signed.py": "debian",
    "encrypted.py": "debian",
    "polls.py": "debian",
    "aws_cli.sh": "sh",
    "celery_worker.py": "debian",
    "sdk.mjs": "node",
    "consumer.mjs": "node",
}


class Server:
    """A holdfastd on a port of its own, which can be ended and started again.

    It ends at once unless a client that is still connected holds messages, for whose settlement it would wait.
    """

    def __init__(self, program, directory, *options, tls=False):
        self.program = program
        self.directory = directory
        self.options = list(options)
        self.tls = tls
        self.port = 0
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [self.program, "--data", str(self.directory / "data"), "--listen", "127.0.0.1:0",
             "--http-listen", f"{'tls://' if self.tls else ''}127.0.0.1:{self.port}", *self.options],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        said = ""
        for line in self.process.stderr:
            said += line
            found = re.search(r"HTTP on (?:tls://)?127\.0\.0\.1:(\d+)", line)
            if found:
                self.port = int(found.group(1))
                return
        raise SystemExit(f"holdfastd does not start:\n{said}")

    @property
    def endpoint(self):
        return f"{'https' if self.tls else 'http'}://127.0.0.1:{self.port}"

    def stop(self):
        self.process.terminate()
        self.process.stderr.read()
        if self.process.wait() != 0:
            raise SystemExit("holdfastd did not end well")

    def restart(self):
        self.stop()
        self.start()


def node_program(npm):
    """Returns the system's node if it is new enough for today's SDK, and otherwise npm's."""
    system = shutil.which("node")
    if system:
        version = subprocess.run([system, "--version"], capture_output=True, text=True).stdout
        found = re.match(r"v(\d+)", version)
        if found and int(found.group(1)) >= LEAST_NODE:
            return system
    return str(npm / "node_modules" / "node" / "bin" / "node")


def environment(server, extra=()):
    known = {"PATH": os.environ["PATH"], "HOME": str(server.directory), "TMPDIR": str(server.directory),
             "AWS_ACCESS_KEY_ID": "any", "AWS_SECRET_ACCESS_KEY": "thing", "AWS_DEFAULT_REGION": "us-east-1",
             "AWS_REGION": "us-east-1", "AWS_EC2_METADATA_DISABLED": "true", "AWS_PAGER": "", "ENDPOINT": server.endpoint,
             "PYTHONDONTWRITEBYTECODE": "1", "HOLDFAST_TEST_DIRECTORY": str(server.directory)}
    known.update(extra)
    return known


def run(suite, holdfastd, token_program, npm):
    kind = SUITES[suite]
    directory = Path(tempfile.mkdtemp(prefix="holdfast-sqs-"))
    try:
        server = Server(holdfastd, directory, "--sqs-cooldown", "0")
        extra = {"HOLDFASTD": holdfastd, "HOLDFAST_TOKEN": token_program, "PYTHONPATH": str(HERE)}
        if kind == "node":
            # node looks for a module beside the file that imports it.
            shutil.copy(HERE / suite, directory / suite)
            os.symlink(npm / "node_modules", directory / "node_modules")
            command = [node_program(npm), str(directory / suite)]
        elif kind == "sh":
            command = ["bash", str(HERE / suite)]
        else:
            command = [DEBIAN_PYTHON, str(HERE / suite)]
        done = subprocess.run(command, env=environment(server, extra), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=120)
        server.stop()
        return done.returncode == 0, done.stdout
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def main():
    holdfastd, token_program, npm = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    suites = sys.argv[4:] or list(SUITES)
    if not (npm / "node_modules").is_dir():
        sys.exit(f"{npm}: no clients from npm; tools/setup installs them")
    failed = []
    for suite in suites:
        started = time.monotonic()
        good, said = run(suite, holdfastd, token_program, npm)
        print(f"{'ok    ' if good else 'FAILED'} {suite} ({time.monotonic() - started:.1f} s)", flush=True)
        if not good:
            print(said, flush=True)
            failed.append(suite)
    sys.exit(f"failed: {', '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()
