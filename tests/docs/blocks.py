"""The fenced blocks of a markdown document, and what becomes of each: by its language.

cpp      a whole program: it is built and run, and has to end with 0
cmake    the CMakeLists.txt of the document's first program
output   what the program before it prints
console  commands behind "$ ", each with what it prints
sh       commands that all have to succeed
json     one value, or one in each line: it has to parse
text     drawings, formats, lines of logs: not looked at
by-hand  commands that a test cannot run
"""
import json
import re
from dataclasses import dataclass, field
from pathlib import Path

LANGUAGES = {"cpp", "cmake", "output", "console", "sh", "json", "text", "by-hand"}


@dataclass
class Block:
    document: str  # such as "dead-letters"
    line: int
    language: str
    lines: list = field(default_factory=list)

    @property
    def text(self):
        return "\n".join(self.lines) + "\n"

    @property
    def place(self):
        return f"{self.document}.md:{self.line}"


class Wrong(Exception):
    """Says that a document is not true."""


def blocks_of(path: Path):
    blocks, open_block = [], None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.startswith("```"):
            if open_block:
                open_block.lines.append(line)
        elif open_block:
            blocks.append(open_block)
            open_block = None
        else:
            open_block = Block(path.stem, number, line[3:].strip())
            if open_block.language not in LANGUAGES:
                raise Wrong(f"{open_block.place}: '{open_block.language}' is none of {', '.join(sorted(LANGUAGES))}")
    if open_block:
        raise Wrong(f"{open_block.place}: the block does not end")
    return blocks


def commands_of(block: Block):
    """Returns the pairs of a command and the lines that it prints, for a console block."""
    commands = []
    for line in block.lines:
        if line.startswith("$ "):
            commands.append([line[2:], []])
        elif commands and not commands[-1][1] and commands[-1][0].endswith("\\"):
            commands[-1][0] += "\n" + line
        elif commands:
            commands[-1][1].append(line)
        else:
            raise Wrong(f"{block.place}: it begins without a command")
    return commands


def check_json(block: Block):
    try:
        json.loads(block.text)
    except ValueError:
        for line in block.lines:
            try:
                json.loads(line)
            except ValueError as error:
                raise Wrong(f"{block.place}: {error} in {line!r}") from None


# What differs from one run to the next, with a name for it.
VARYING = [
    ("ID", r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"),
    ("TIME", r"\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?Z)?|\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC"),
    ("ADDRESS", r"\b127\.0\.0\.1:\d+\b"),
    ("RECEIPT", r"\b[0-9a-f]+\.[0-9a-f]+\.[0-9a-f]+\b"),
    ("ARRIVALS", r"\b\d+ came in the last whole minute"),
    ("AGE", r"\b(?:\d+(?:ms|us|[dhms]))+\b|\b\d+(?:\.\d)? (?:us|ms|s|min|h|d)\b(?: \d+ (?:s|min|h)\b)?"),
]
VARIES = re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in VARYING))


def masked(line):
    return " ".join(VARIES.sub(lambda found: found.lastgroup, line).split())


def learn(shown, printed, stands_for):
    """Notes what was printed in place of each id and receipt that the document shows."""
    for ours, theirs in zip(VARIES.finditer(shown), VARIES.finditer(printed)):
        if ours.lastgroup in ("ID", "RECEIPT"):
            stands_for[ours.group()] = theirs.group()


def matches(shown, printed, stands_for):
    """Returns whether the lines are the same, except for what varies and for what "..." stands for."""
    if not shown:
        return not printed
    if shown[0].strip() == "...":
        return any(matches(shown[1:], printed[skipped:], stands_for) for skipped in range(len(printed) + 1))
    if not printed or masked(shown[0]) != masked(printed[0]):
        return False
    if not matches(shown[1:], printed[1:], stands_for):
        return False
    learn(shown[0], printed[0], stands_for)
    return True
