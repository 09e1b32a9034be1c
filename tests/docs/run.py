#!/usr/bin/env python3
"""Usage: run.py BUILD_DIRECTORY COMPILER [DOCUMENT...]

Installs the build and holds the documents to it: README.md, docs/*.md, and what tools/demo says at its end. See blocks.py for what is done with which block.
setup/DOCUMENT.sh is sourced before a document's commands; it makes what they are about. It may call
`stands_for SHOWN ACTUAL` for a text of the document that is another one here, and define `program NUMBER COMMAND` for a
program that is not simply run.
"""
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from blocks import Block, Wrong, blocks_of, check_json, commands_of, matches
from shell import Shell

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def free_ports():
    """Yields free ports, each once. They are used much later. The kernel gives none of them to a connection for its own
    end, as it does with those from 32768 on, and tests/client/cuts begins at 20000.
    """
    for port in range(10_000 + os.getpid() % 8_000, 20_000):
        with socket.socket() as listener:
            try:
                listener.bind(("127.0.0.1", port))
            except OSError:
                continue
        yield port


PORTS = free_ports()


def wait_until_listening(address):
    until = time.monotonic() + 60
    while True:
        try:
            if address.startswith("unix:"):
                with socket.socket(socket.AF_UNIX) as client:
                    return client.connect(address.removeprefix("unix:"))
            host, port = address.rsplit(":", 1)
            return socket.create_connection((host, int(port))).close()
        except OSError as error:
            if time.monotonic() > until:
                raise Wrong(f"no server at {address}: {error}") from None
            time.sleep(0.02)


def must(*command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode != 0:
        raise Wrong(f"{' '.join(map(str, command))}:\n{done.stdout}")


def lines_of(printed):
    lines = [line.rstrip() for line in printed.splitlines()]
    while lines and not lines[-1]:
        lines.pop()
    return lines


class Document:
    def __init__(self, name, blocks, prefix, scratch):
        self.name = name
        self.blocks = blocks
        self.prefix = prefix
        self.directory = scratch / self.name
        self.directory.mkdir()
        self.address = f"127.0.0.1:{next(PORTS)}"
        self.stands_for = {"127.0.0.1:7700": self.address}
        self.shell = None

    def actual(self, text):
        for shown, actual in self.stands_for.items():
            text = text.replace(shown, actual)
        return text

    # --- programs ---

    def programs(self):
        return [block for block in self.blocks if block.language == "cpp"]

    def sources(self):
        """Writes the files of the programs. Yields pairs of a name and its file."""
        for number, block in enumerate(self.programs(), 1):
            name = f"{self.name}-{number}"
            file = self.directory / f"{name}.cc"
            file.write_text(f'#line {block.line + 1} "{self.name}.md"\n' + self.actual(block.text))
            yield name, file

    # --- what is run ---

    def prepare(self):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("HOLDFAST_")}
        environment |= {"PATH": f"{self.prefix}/bin:{environment['PATH']}", "HOLDFAST_SERVER": self.address,
                        "HOLDFAST_LISTEN": self.address, "ADDRESS": self.address, "SPARE_PORT": str(next(PORTS)), "USER": "ann", "SCRATCH": str(self.directory)}
        work = self.directory / "work"
        work.mkdir()
        self.shell = Shell(work, environment)
        self.run_script((HERE / "setup.sh").read_text())
        setup = HERE / "setup" / f"{self.name}.sh"
        if setup.exists():
            self.run_script(setup.read_text())
        table = self.directory / "stands_for"
        if table.exists():
            self.stands_for |= dict(line.split("\t") for line in table.read_text().splitlines())

    def run_script(self, script):
        printed, succeeded = self.shell.run(script)
        if not succeeded:
            raise Wrong(f"{script}\n-- failed:\n{printed}")
        return printed

    def check(self, binaries):
        self.prepare()
        printed = []
        for block in self.blocks:
            try:
                if block.language == "cpp":
                    number = self.programs().index(block) + 1
                    printed = lines_of(self.run_script(f"program {number} {binaries}/{self.name}-{number}\n"))
                elif block.language == "output":
                    self.compare(block.lines, printed)
                elif block.language == "sh":
                    self.run_script(f"before {self.need(block.text)}\n")
                    self.run_script(self.actual(block.text))
                    self.wait_for_servers(self.actual(block.text))
                elif block.language == "console":
                    self.run_script(f"before {self.need(block.text)}\n")
                    for command, shown in commands_of(block):
                        self.check_command(command, shown)
                        self.wait_for_servers(self.actual(command))
                elif block.language == "json":
                    check_json(block)
            except (Wrong, TimeoutError) as error:
                raise Wrong(f"{block.place}: {error}") from None

    @staticmethod
    def need(text):
        return "starts-a-server" if re.search(r"^(\$ )?\s*holdfastd .*&", text, re.MULTILINE) else "uses-a-server"

    def wait_for_servers(self, text):
        """Waits until servers listen: people read on while a server starts, and a test does not."""
        for line in text.splitlines():
            if re.match(r"\s*holdfastd .*&", line):
                for address in re.findall(r"--listen (\S+)", line) or [self.address]:
                    wait_until_listening(address.removeprefix("tls://"))

    def check_command(self, command, shown):
        printed, succeeded = self.shell.run(self.actual(command) + "\n")
        if not succeeded and not any(line.startswith("holdfast: ") for line in shown):
            raise Wrong(f"'{command}' failed:\n{printed}")
        try:
            self.compare(shown, lines_of(printed))
        except Wrong as error:
            raise Wrong(f"$ {command}\n{error}") from None

    def compare(self, shown, printed):
        while shown and not shown[-1].strip():
            shown = shown[:-1]
        if not matches(shown, printed, self.stands_for):
            raise Wrong("\n".join(["-- the document shows:", *shown, "-- but this was printed:", *printed]))

    def end(self):
        if self.shell:
            self.shell.end()


def what_the_demo_says_to_try(build_directory):
    """Returns the lines that are set off in the demo's last words, for what was built here."""
    function = re.search(r"^what_next\(\) {$.*?^}$", (ROOT / "tools/demo").read_text(), re.MULTILINE | re.DOTALL)
    said = subprocess.run(["bash", "-euc", function.group() + "\nwhat_next"], stdout=subprocess.PIPE, text=True, check=True)
    words = said.stdout.replace("  build/release/", f"  {build_directory}/")
    return [Block("demo", number, "sh", [line]) for number, line in enumerate(words.splitlines(), 1)
            if line.startswith("  ")]


def build(documents, prefix, compiler, scratch):
    """Builds all programs as somebody does who has installed Holdfast, and one with the document's CMakeLists.txt."""
    project = scratch / "programs"
    project.mkdir()
    programs = [program for document in documents for program in document.sources()]
    (project / "CMakeLists.txt").write_text("\n".join(
        [(HERE / "programs.cmake").read_text()] +
        [f"add_program({name} {file})" for name, file in programs]) + "\n")
    configure(project, project, prefix, compiler)
    must("cmake", "--build", project)
    for document in documents:
        for block in document.blocks:
            if block.language == "cmake":
                own = document.directory / "own"
                own.mkdir()
                (own / "CMakeLists.txt").write_text(block.text)
                shutil.copy(document.directory / f"{document.name}-1.cc", own / "orders.cc")
                # The document says that these are not needed, so the build must not find them.
                configure(own, own, prefix, compiler, "-DCMAKE_DISABLE_FIND_PACKAGE_CapnProto=ON",
                          "-DCMAKE_DISABLE_FIND_PACKAGE_Boost=ON")
                must("cmake", "--build", own)
    return project


def configure(source, binary, prefix, compiler, *options):
    must("cmake", "-S", source, "-B", binary, "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={compiler}",
         f"-DCMAKE_PREFIX_PATH={prefix}", *options)


def main(build_directory, compiler, *names):
    wrong = []
    with tempfile.TemporaryDirectory(prefix="holdfast-docs-") as scratch:
        scratch = Path(scratch)
        prefix = scratch / "prefix"
        try:
            texts = {path.stem: blocks_of(path) for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]}
            texts["demo"] = what_the_demo_says_to_try(build_directory)
            documents = [Document(name, blocks, prefix, scratch) for name, blocks in texts.items()
                         if blocks and (not names or name in names)]
            must("cmake", "--install", build_directory, "--prefix", prefix)
            binaries = build(documents, prefix, compiler, scratch)
        except Wrong as error:
            sys.exit(f"docs: {error}")
        for document in documents:
            try:
                document.check(binaries)
                print(f"{document.name}: {len(document.blocks)} blocks")
            except (Wrong, TimeoutError) as error:
                wrong.append(f"docs: {error}")
            finally:
                document.end()
    sys.exit("\n".join(wrong) or 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
