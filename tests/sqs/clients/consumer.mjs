// sqs-producer sends messages, and sqs-consumer works them off. One message fails the first time.
import assert from "node:assert/strict";
import { CreateQueueCommand, SQSClient } from "@aws-sdk/client-sqs";
import { Consumer } from "sqs-consumer";
import { Producer } from "sqs-producer";

const sqs = new SQSClient({ endpoint: process.env.ENDPOINT, maxAttempts: 1 });
const { QueueUrl: queueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: "work" }));
const producer = Producer.create({ queueUrl, sqs });
const wanted = Array.from({ length: 25 }, (_, i) => `message-${i}`);
await producer.send(wanted);
await producer.send({ id: "with", body: "with-attributes", messageAttributes: { n: { DataType: "Number", StringValue: "7" } } });

const seen = [];
let failures = 0;
const done = new Promise((resolve, reject) => {
  const consumer = Consumer.create({
    queueUrl, sqs, batchSize: 10, waitTimeSeconds: 20, messageAttributeNames: ["All"],
    attributeNames: ["ApproximateReceiveCount"], terminateVisibilityTimeout: true,
    handleMessage: async (message) => {
      if (message.Body === "message-3" && failures++ === 0) throw new Error("not yet");
      if (message.Body === "with-attributes") assert.equal(message.MessageAttributes.n.StringValue, "7");
      if (message.Body === "message-3") assert.equal(message.Attributes.ApproximateReceiveCount, "2");
      seen.push(message.Body);
      return message;
    },
  });
  consumer.on("error", reject);
  consumer.on("timeout_error", reject);
  consumer.on("processing_error", () => {});  // the failure of message-3
  consumer.on("response_processed", () => {
    if (seen.length > wanted.length) consumer.stop();
  });
  consumer.on("stopped", resolve);
  consumer.start();
});
await done;
assert.deepEqual(seen.sort(), [...wanted, "with-attributes"].sort());
assert.equal(await producer.queueSize(), 0);
