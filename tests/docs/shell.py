"""A shell that lives as long as a document: variables, directories and servers in the background stay."""
import os
import select
import signal
import subprocess
import time
from pathlib import Path

MARK = "@@done@@"
SECONDS = 60  # the time for a block; a block that takes longer hangs


class Shell:
    def __init__(self, directory: Path, environment):
        self.directory = directory
        self.process = subprocess.Popen(
            ["bash", "--norc", "--noprofile"], cwd=directory, env=environment, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        os.set_blocking(self.process.stdout.fileno(), False)
        self.scripts = 0

    def run(self, script):
        """Returns what was printed, and whether every command succeeded."""
        self.scripts += 1
        file = self.directory / f".script-{self.scripts}"
        file.write_text(script)
        # The script is sourced, so that what it sets stays. The command after it tells of a failure.
        self.process.stdin.write(f"failed=; trap failed=1 ERR; . {file} </dev/null; trap - ERR; "
                                 f"printf '\\n{MARK}%s\\n' \"$failed\"\n".encode())
        self.process.stdin.flush()
        printed, _, rest = self._read().rpartition("\n" + MARK)
        # What follows the line of the mark comes from a server in the background.
        return printed, rest.partition("\n")[0] == ""

    def _read(self):
        heard, until = b"", time.monotonic() + SECONDS
        while MARK.encode() not in heard or not heard.endswith(b"\n"):
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, until - time.monotonic()))
            piece = self.process.stdout.read() if ready else None
            if not piece:
                raise TimeoutError(f"it hangs, or the shell ended, after: {heard.decode(errors='replace')}")
            heard += piece
        return heard.decode(errors="replace")

    def end(self):
        """Ends the shell, and everything that runs in the background."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
