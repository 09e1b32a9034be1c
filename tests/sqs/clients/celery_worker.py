"""A celery worker with kombu over SQS: tasks are taken, acknowledged, and tried again."""
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from checks import client, equal, expect

APP = '''
import os
from celery import Celery

port = os.environ["ENDPOINT"].rsplit(":", 1)[1]
app = Celery("work", broker=f"sqs://any:thing@127.0.0.1:{port}//")
app.conf.update(task_default_queue="celery-work", worker_enable_remote_control=False, task_acks_late=True,
                broker_transport_options={"region": "us-east-1", "is_secure": False, "wait_time_seconds": 5,
                                          "polling_interval": 0.1, "visibility_timeout": 60})


@app.task(bind=True, max_retries=3, default_retry_delay=0)
def note(self, place, text):
    with open(place, "a") as file:
        file.write(f"{text} {self.request.retries}\\n")
    if text == "again" and self.request.retries == 0:
        raise self.retry()
'''

def left():
    """Returns how many messages wait, and how many are in flight."""
    sqs = client()
    counts = sqs.get_queue_attributes(QueueUrl=sqs.get_queue_url(QueueName="celery-work")["QueueUrl"],
                                      AttributeNames=["All"])["Attributes"]
    return counts["ApproximateNumberOfMessages"], counts["ApproximateNumberOfMessagesNotVisible"]


with tempfile.TemporaryDirectory(dir=os.environ["HOLDFAST_TEST_DIRECTORY"]) as scratch:
    (Path(scratch) / "work.py").write_text(APP)
    place = Path(scratch) / "noted"
    sys.path.insert(0, scratch)
    import work

    for text in [*(f"t{i}" for i in range(20)), "again"]:
        work.note.delay(str(place), text)
    wanted = sorted([*(f"t{i} 0" for i in range(20)), "again 0", "again 1"])
    worker = subprocess.Popen(
        [sys.executable, "-m", "celery", "-A", "work", "worker", "--pool", "solo", "--without-gossip",
         "--without-mingle", "--without-heartbeat", "--loglevel", "WARNING"],
        cwd=scratch, env={**os.environ, "PYTHONPATH": scratch, "C_FORCE_ROOT": "1"},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        until = time.monotonic() + 60
        noted = []
        while len(noted) < len(wanted) and time.monotonic() < until and worker.poll() is None:
            time.sleep(0.05)
            noted = place.read_text().splitlines() if place.exists() else []
        # A task is noted before it is acknowledged. A worker that is ended in between gives the task back.
        while left() != ("0", "0") and time.monotonic() < until and worker.poll() is None:
            time.sleep(0.05)
        worker.terminate()
        said, _ = worker.communicate(timeout=30)
        expect(sorted(noted) == wanted, noted, said)
    finally:
        worker.kill()
        worker.wait()
    equal(left(), ("0", "0"))
