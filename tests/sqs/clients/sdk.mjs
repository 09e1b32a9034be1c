// Tries every operation with the AWS SDK for JavaScript v3, which speaks the JSON protocol and compares digests
// itself.
import assert from "node:assert/strict";
import * as sdk from "@aws-sdk/client-sqs";

const endpoint = process.env.ENDPOINT;
const sqs = new sdk.SQSClient({ endpoint, maxAttempts: 1 });
const arn = (queue) => `arn:aws:sqs:us-east-1:000000000000:${queue}`;
const call = (name, input = {}) => sqs.send(new sdk[`${name}Command`](input));

// `name` is that of the error in the model, and `code` that in the older protocol.
async function fails(name, code, promise) {
  const error = await promise.then(() => assert.fail(`${name} was expected`), (thrown) => thrown);
  assert.equal(error.name, name, error.stack);
  assert.equal(error.Code ?? error.Error?.Code, code, error.stack);
  assert.ok(error instanceof sdk.SQSServiceException, error.stack);
}

async function make(name, attributes = {}) {
  const made = await call("CreateQueue", { QueueName: name, Attributes: attributes });
  assert.equal(made.QueueUrl, `${endpoint}/000000000000/${name}`);
  return made.QueueUrl;
}

async function queues() {
  const QueueUrl = await make("orders", { VisibilityTimeout: "7" });
  assert.equal((await call("GetQueueUrl", { QueueName: "orders" })).QueueUrl, QueueUrl);
  await fails("QueueNameExists", "QueueAlreadyExists",
    call("CreateQueue", { QueueName: "orders", Attributes: { VisibilityTimeout: "8" } }));
  await call("SetQueueAttributes", { QueueUrl, Attributes: { DelaySeconds: "3" } });
  const { Attributes } = await call("GetQueueAttributes", { QueueUrl, AttributeNames: ["All"] });
  assert.equal(Attributes.DelaySeconds, "3");
  assert.equal(Attributes.QueueArn, arn("orders"));
  assert.ok(!("Policy" in Attributes));
  await call("TagQueue", { QueueUrl, Tags: { a: "1", b: "2" } });
  await call("UntagQueue", { QueueUrl, TagKeys: ["a"] });
  assert.deepEqual((await call("ListQueueTags", { QueueUrl })).Tags, { b: "2" });
  await call("AddPermission", { QueueUrl, Label: "l", AWSAccountIds: ["123456789012"], Actions: ["*"] });
  await call("RemovePermission", { QueueUrl, Label: "l" });
  for (let i = 0; i < 3; ++i) await make(`page-${i}`);
  const sizes = [];
  for await (const page of sdk.paginateListQueues({ client: sqs, pageSize: 2 }, { QueueNamePrefix: "page-" }))
    sizes.push(page.QueueUrls.length);
  assert.deepEqual(sizes, [2, 1]);
  await call("DeleteQueue", { QueueUrl });
  await fails("QueueDoesNotExist", "AWS.SimpleQueueService.NonExistentQueue", call("GetQueueUrl", { QueueName: "orders" }));
  assert.equal((await call("ListQueues", { QueueNamePrefix: "nothing" })).QueueUrls, undefined);
}

async function messages() {
  const QueueUrl = await make("messages");
  const MessageAttributes = {
    text: { DataType: "String", StringValue: "ä€😀" },
    number: { DataType: "Number", StringValue: "1.5" },
    bytes: { DataType: "Binary", BinaryValue: new Uint8Array([0, 255, 7]) },
  };
  const body = "ä€😀\t\r\n<&>\"";
  const sent = await call("SendMessage", { QueueUrl, MessageBody: body, MessageAttributes });
  assert.equal(sent.SequenceNumber, undefined);
  const all = { MessageSystemAttributeNames: ["All"], MessageAttributeNames: ["All"] };
  const [message] = (await call("ReceiveMessage", { QueueUrl, ...all })).Messages;
  assert.equal(message.Body, body);
  assert.equal(message.MD5OfMessageAttributes, sent.MD5OfMessageAttributes);
  assert.deepEqual({ ...message.MessageAttributes.bytes.BinaryValue }, { 0: 0, 1: 255, 2: 7 });
  assert.equal(message.Attributes.ApproximateReceiveCount, "1");
  const { ReceiptHandle } = message;
  await call("ChangeMessageVisibility", { QueueUrl, ReceiptHandle, VisibilityTimeout: 0 });
  await fails("MessageNotInflight", "AWS.SimpleQueueService.MessageNotInflight",
    call("ChangeMessageVisibility", { QueueUrl, ReceiptHandle, VisibilityTimeout: 1 }));
  const [again] = (await call("ReceiveMessage", { QueueUrl, ...all })).Messages;
  assert.equal(again.Attributes.ApproximateReceiveCount, "2");
  await call("DeleteMessage", { QueueUrl, ReceiptHandle: again.ReceiptHandle });
  assert.equal((await call("ReceiveMessage", { QueueUrl })).Messages, undefined);
  await fails("ReceiptHandleIsInvalid", "ReceiptHandleIsInvalid", call("DeleteMessage", { QueueUrl, ReceiptHandle: "x" }));
  await fails("InvalidMessageContents", "InvalidMessageContents", call("SendMessage", { QueueUrl, MessageBody: "\u0001" }));
  await fails("InvalidAttributeName", "InvalidAttributeName", call("GetQueueAttributes", { QueueUrl, AttributeNames: ["X"] }));
  await fails("InvalidAttributeValue", "InvalidAttributeValue",
    call("SetQueueAttributes", { QueueUrl, Attributes: { DelaySeconds: "901" } }));
  for (const size of [64 << 10, 1 << 20]) {
    await call("SendMessage", { QueueUrl, MessageBody: "x".repeat(size) });
    const [large] = (await call("ReceiveMessage", { QueueUrl })).Messages;
    assert.equal(large.Body.length, size);
    await call("DeleteMessage", { QueueUrl, ReceiptHandle: large.ReceiptHandle });
  }
  await call("PurgeQueue", { QueueUrl });
}

async function batches() {
  const QueueUrl = await make("batches");
  const sent = await call("SendMessageBatch", {
    QueueUrl,
    Entries: [
      { Id: "a", MessageBody: "1" }, { Id: "b", MessageBody: "2", DelaySeconds: 1000 }, { Id: "c", MessageBody: "3" },
      { Id: "d", MessageBody: "cut within a smile: \ud83d" },
    ],
  });
  assert.deepEqual(sent.Successful.map((entry) => entry.Id), ["a", "c"]);
  assert.deepEqual(sent.Failed.map(({ Id, Code, SenderFault }) => [Id, Code, SenderFault]), [
    ["b", "InvalidParameterValue", true], ["d", "InvalidMessageContents", true],
  ]);
  const { Messages } = await call("ReceiveMessage", { QueueUrl, MaxNumberOfMessages: 10 });
  const changed = await call("ChangeMessageVisibilityBatch", {
    QueueUrl, Entries: Messages.map(({ ReceiptHandle }, i) => ({ Id: `${i}`, ReceiptHandle, VisibilityTimeout: 50 })),
  });
  assert.equal(changed.Successful.length, 2);
  assert.equal(changed.Failed, undefined);
  const deleted = await call("DeleteMessageBatch", {
    QueueUrl,
    Entries: [{ Id: "good", ReceiptHandle: Messages[0].ReceiptHandle }, { Id: "bad", ReceiptHandle: "x" }],
  });
  assert.deepEqual([deleted.Successful[0].Id, deleted.Failed[0].Id, deleted.Failed[0].Code], ["good", "bad", "ReceiptHandleIsInvalid"]);
  const prefix = "AWS.SimpleQueueService.";
  const entries = (count) => Array.from({ length: count }, (_, i) => ({ Id: `${i}`, MessageBody: "x" }));
  for (const [name, Entries] of [
    ["EmptyBatchRequest", []],
    ["TooManyEntriesInBatchRequest", entries(11)],
    ["BatchEntryIdsNotDistinct", [entries(1)[0], entries(1)[0]]],
    ["InvalidBatchEntryId", [{ Id: "!", MessageBody: "x" }]],
    ["BatchRequestTooLong", entries(2).map((entry) => ({ ...entry, MessageBody: "x".repeat(600 << 10) }))],
  ])
    await fails(name, prefix + name, call("SendMessageBatch", { QueueUrl, Entries }));
}

async function polls() {
  const QueueUrl = await make("polls");
  const polled = Array.from({ length: 4 }, () => call("ReceiveMessage", { QueueUrl, WaitTimeSeconds: 20 }));
  for (let i = 0; i < 4; ++i) await call("SendMessage", { QueueUrl, MessageBody: `${i}` });
  const bodies = (await Promise.all(polled)).map(({ Messages }) => Messages[0].Body);
  assert.deepEqual(bodies.sort(), ["0", "1", "2", "3"]);
}

async function fifo() {
  const QueueUrl = await make("x.fifo", { FifoQueue: "true" });
  const send = (MessageBody, MessageGroupId, MessageDeduplicationId) =>
    call("SendMessage", { QueueUrl, MessageBody, MessageGroupId, MessageDeduplicationId });
  const first = await send("a1", "a", "1");
  assert.equal((await send("other", "a", "1")).MessageId, first.MessageId);
  assert.equal((await send("a2", "a", "2")).SequenceNumber > first.SequenceNumber, true);
  const [message] = (await call("ReceiveMessage", { QueueUrl })).Messages;
  assert.equal(message.Body, "a1");
  assert.equal((await call("ReceiveMessage", { QueueUrl })).Messages, undefined);
  await call("DeleteMessage", { QueueUrl, ReceiptHandle: message.ReceiptHandle });
  assert.equal((await call("ReceiveMessage", { QueueUrl })).Messages[0].Body, "a2");
}

async function deadLetters() {
  const dlq = await make("dlq");
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: arn("dlq"), maxReceiveCount: 1 });
  const QueueUrl = await make("source", { RedrivePolicy });
  assert.deepEqual((await call("ListDeadLetterSourceQueues", { QueueUrl: dlq })).queueUrls, [QueueUrl]);
  const count = 30;  // the slow task lasts until it is cancelled
  for (let i = 0; i < count; ++i) {
    await call("SendMessage", { QueueUrl, MessageBody: `${i}` });
    const [{ ReceiptHandle }] = (await call("ReceiveMessage", { QueueUrl, WaitTimeSeconds: 20 })).Messages;
    await call("ChangeMessageVisibility", { QueueUrl, ReceiptHandle, VisibilityTimeout: 0 });
  }
  const names = { MessageSystemAttributeNames: ["All"] };
  const [dead] = (await call("ReceiveMessage", { QueueUrl: dlq, WaitTimeSeconds: 20, ...names })).Messages;
  assert.equal(dead.Attributes.DeadLetterQueueSourceArn, arn("source"));
  assert.equal(dead.Attributes.ApproximateReceiveCount, "2");
  await call("ChangeMessageVisibility", { QueueUrl: dlq, ReceiptHandle: dead.ReceiptHandle, VisibilityTimeout: 0 });

  const SourceArn = arn("dlq");
  await fails("ResourceNotFoundException", "ResourceNotFoundException",
    call("StartMessageMoveTask", { SourceArn, DestinationArn: arn("nowhere") }));
  const slow = await call("StartMessageMoveTask", { SourceArn, MaxNumberOfMessagesPerSecond: 1 });
  await fails("UnsupportedOperation", "AWS.SimpleQueueService.UnsupportedOperation", call("StartMessageMoveTask", { SourceArn }));
  const { Results } = await call("ListMessageMoveTasks", { SourceArn, MaxResults: 10 });
  assert.deepEqual(Results.map(({ Status, TaskHandle }) => [Status, TaskHandle]), [["RUNNING", slow.TaskHandle]]);
  await call("CancelMessageMoveTask", { TaskHandle: slow.TaskHandle });
  assert.equal((await call("ListMessageMoveTasks", { SourceArn })).Results[0].Status, "CANCELLED");
  await call("StartMessageMoveTask", { SourceArn });
  const back = new Set();
  while (back.size < count) {
    const { Messages } = await call("ReceiveMessage", { QueueUrl, WaitTimeSeconds: 20, MaxNumberOfMessages: 10, ...names });
    for (const { Body, Attributes } of Messages) {
      assert.equal(Attributes.ApproximateReceiveCount, "1");
      back.add(Body);
    }
  }
}

for (const suite of [queues, messages, batches, polls, fifo, deadLetters]) {
  await suite();
  console.log("ok", suite.name);
}
