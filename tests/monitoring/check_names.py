#!/usr/bin/env python3
"""Usage: check_names.py BIN_DIR MONITORING_DIR

Holds the metrics that the alert rules and the dashboard name, and the labels that they select them by, against what a
server shows that has seen a little of everything.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.request

SELECTOR = re.compile(r"\b(holdfast_[a-z0-9_]+)(?:\{([^}]*)\})?")
LABEL = re.compile(r"(\w+)\s*(?:=~|!~|!=|=)")
GIVEN_BY_PROMETHEUS = {"instance", "job"}


def expressions_of(rules, dashboard):
    """Yields (where, PromQL) for each expression."""
    for block in re.split(r"\n\s*- alert: ", rules)[1:]:
        name = block.split("\n", 1)[0]
        expression = re.search(r"\n(\s*)expr:(.*?)(?=\n\1\w)", block, re.DOTALL)
        yield name, expression[2]
    for variable in dashboard["templating"]["list"]:
        if variable["type"] == "query":
            yield "the variable " + variable["name"], variable["definition"]
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            yield f'the panel "{panel["title"]}"', target["expr"]


def labels_shown(page):
    """Returns the labels of each metric of a page of /metrics."""
    labels = {}
    for line in page.splitlines():
        sample = re.match(r"([a-z0-9_]+)(?:\{(.*)\})? ", line)
        if sample:
            names = {name for name, _ in re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', sample[2] or "")}
            labels.setdefault(sample[1], set()).update(names)
    return labels


class Server:
    def __init__(self, binaries, directory):
        self.holdfast = binaries / "holdfast"
        self.address = f"unix:{directory}/socket"
        self.process = subprocess.Popen(
            [binaries / "holdfastd", "--data", f"{directory}/data", "--listen", self.address, "--http-listen",
             "127.0.0.1:0"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.http = None
        while self.http is None:
            line = self.process.stdout.readline()
            assert line, "holdfastd ended"
            if found := re.search(r"HTTP on (\S+)", line):
                self.http = found[1]

    def call(self, *arguments, fails=False):
        done = subprocess.run([self.holdfast, *arguments], env={**os.environ, "HOLDFAST_SERVER": self.address},
                              capture_output=True, text=True)
        assert fails or done.returncode == 0, (arguments, done.stderr)
        return done.stdout

    def metrics(self):
        with urllib.request.urlopen(f"http://{self.http}/metrics", timeout=60) as answer:
            return answer.read().decode()

    def stop(self):
        self.process.terminate()
        self.process.wait()


def see_everything(server):
    """Gives something to show to each metric that waits for it."""
    server.call("queue", "create", "orders", "--dead-letter-queue", "orders-dlq", "--create-missing")
    for _ in range(3):
        server.call("send", "orders", "x")
    receipt = json.loads(server.call("receive", "orders", "--json").splitlines()[0])["receipt"]
    server.call("reject", receipt, "--category", "validation")
    server.call("receive", "orders")
    server.call("send", "nowhere", "x", fails=True)


def main():
    binaries, monitoring = map(pathlib.Path, sys.argv[1:])
    rules = (monitoring / "holdfast.rules.yml").read_text(encoding="utf-8")
    dashboard = json.loads((monitoring / "holdfast-dashboard.json").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as directory:
        server = Server(binaries, directory)
        try:
            see_everything(server)
            shown = labels_shown(server.metrics())
        finally:
            server.stop()
    wrong = []
    named = set()
    for where, expression in expressions_of(rules, dashboard):
        for name, selectors in SELECTOR.findall(expression):
            named.add(name)
            if name not in shown:
                wrong.append(f"{where}: there is no metric {name}")
                continue
            for label in set(LABEL.findall(selectors)) - shown[name] - GIVEN_BY_PROMETHEUS:
                wrong.append(f"{where}: {name} has no label {label}")
    print("\n".join(wrong) or f"{len(named)} metrics are named, and all are there")
    return 1 if wrong or len(named) < 20 else 0


sys.exit(main())
