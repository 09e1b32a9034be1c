#!/usr/bin/env python3
"""Usage: run.py HOLDFASTD NPM_OF_NODE NPM_DIRECTORY

Lets programs of other people's read the OpenAPI document that a holdfastd serves: a linter, and a generator whose
TypeScript client is compiled and then talks to that holdfastd. tools/setup has installed them from npm.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "sqs" / "clients"))
import run as clients  # noqa: E402  (this module starts a holdfastd, and finds the node to take)


def steps(node):
    tool = [node, "--no-deprecation"]
    return {
        "lint": [*tool, "node_modules/@redocly/cli/bin/cli.js", "lint", "--config", "redocly.yaml", "openapi.json"],
        "generate": [*tool, "node_modules/openapi-typescript/bin/cli.js", "openapi.json", "--output", "api.d.ts"],
        "compile": [*tool, "node_modules/typescript/bin/tsc", "--project", "tsconfig.json"],
        "run": [*tool, "made/client.js"],
    }


def main():
    holdfastd, npm_of_node, npm = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    if not (npm / "node_modules").is_dir():
        sys.exit(f"{npm}: nothing from npm; tools/setup installs it")
    directory = Path(tempfile.mkdtemp(prefix="holdfast-openapi-"))
    try:
        server = clients.Server(holdfastd, directory)
        for name in ["package.json", "redocly.yaml", "tsconfig.json", "client.ts"]:
            shutil.copy(HERE / name, directory / name)
        os.symlink(npm / "node_modules", directory / "node_modules")
        with urllib.request.urlopen(server.endpoint + "/v1/openapi.json") as document:
            (directory / "openapi.json").write_bytes(document.read())
        environment = {"PATH": os.environ["PATH"], "HOME": str(directory), "ENDPOINT": server.endpoint,
                       "REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true", "CI": "true"}
        failed = None
        for name, command in steps(clients.node_program(npm_of_node)).items():
            done = subprocess.run(command, cwd=directory, env=environment, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, timeout=180)
            print(f"--- {name}: {'ok' if done.returncode == 0 else 'FAILED'}\n{done.stdout}", flush=True)
            if done.returncode != 0:
                failed = name
                break
        server.stop()
        sys.exit(f"failed: {failed}" if failed else 0)
    finally:
        shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    main()
