// Dead letters over SQS: redrive policies, what the messages say, and the tasks that move them.
#include "tests/sqs/sqs_fixture.h"

namespace holdfast::server::sqs {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

class SqsDeadLettersTest : public SqsFixture {
 protected:
  SqsDeadLettersTest() {
    serve_sqs(without_cooldown());
    dlq_ = sqs().create("dlq");
    url_ = sqs().create("orders", {{"RedrivePolicy", redrive_policy("dlq", 2)}});
  }

  // Receives the message and gives it back, as often as the policy lets it.
  void let_die() {
    for (int i = 0; i < 2; ++i) {
      const json received = sqs().receive(url_);
      ASSERT_THAT(received, SizeIs(1));
      sqs().must(
          "ChangeMessageVisibility",
          {{"QueueUrl", url_}, {"ReceiptHandle", received[0]["ReceiptHandle"]}, {"VisibilityTimeout", 0}});
    }
    wait_until([&] { return must(engine_->describe_queue("dlq")).counts.dead == 1; });
  }
  json tasks() {
    return sqs()
        .must("ListMessageMoveTasks", {{"SourceArn", arn("dlq")}, {"MaxResults", 10}})
        .value("Results", json::array());
  }
  void wait_for_task() {
    wait_until([&] { return tasks()[0]["Status"] != "RUNNING"; });
  }

  std::string url_;
  std::string dlq_;
};

// A message that is received without being hidden is given back once the answer is made. Until then it is
// leased, also if this is its last delivery.
TEST_F(SqsDeadLettersTest, WhatIsReceivedWithoutATimeoutIsCountedAndGivenBack) {
  sqs().send(url_, "x");
  for (int count = 1; count <= 2; ++count) {
    const json received = sqs().receive(url_, {{"VisibilityTimeout", 0}, {"AttributeNames", {"All"}}});
    ASSERT_THAT(received, SizeIs(1)) << count;
    EXPECT_EQ(received[0]["Attributes"]["ApproximateReceiveCount"], std::to_string(count));
  }
  const auto page = must(engine_->list_dead_letters("dlq"));
  ASSERT_THAT(page.items, SizeIs(1));
  for (const auto& attempt : page.items[0].record.attempts.kept)
    EXPECT_EQ(attempt.end, AttemptEnd::kReleased);
}

TEST_F(SqsDeadLettersTest, PoliciesAreOptionsOfTheQueue) {
  EXPECT_EQ(must(engine_->describe_queue("orders")).options.dead_letters.queue, "dlq");
  EXPECT_EQ(must(engine_->describe_queue("orders")).options.retry.max_deliveries, 2U);
  EXPECT_EQ(json::parse(sqs().attribute(url_, "RedrivePolicy")),
            (json{{"deadLetterTargetArn", arn("dlq")}, {"maxReceiveCount", 2}}));
  const json text = {
      {"RedrivePolicy", json({{"deadLetterTargetArn", arn("dlq")}, {"maxReceiveCount", "7"}}).dump()}};
  sqs().must("SetQueueAttributes", {{"QueueUrl", url_}, {"Attributes", text}});
  EXPECT_EQ(must(engine_->describe_queue("orders")).options.retry.max_deliveries, 7U);
  sqs().must("SetQueueAttributes", {{"QueueUrl", url_}, {"Attributes", {{"RedrivePolicy", ""}}}});
  EXPECT_EQ(sqs().attribute(url_, "RedrivePolicy"), "");
  EXPECT_EQ(must(engine_->describe_queue("orders")).options.dead_letters.queue, "");
}

TEST_F(SqsDeadLettersTest, PoliciesThatCannotHoldAreRefusedAndMakeNoQueue) {
  const auto fault = [&](const std::string& policy) {
    return sqs().fault("SetQueueAttributes",
                       {{"QueueUrl", url_}, {"Attributes", {{"RedrivePolicy", policy}}}});
  };
  EXPECT_EQ(fault(redrive_policy("nowhere", 2)), "InvalidParameterValue");
  EXPECT_FALSE(engine_->describe_queue("nowhere"));
  EXPECT_EQ(fault(R"({"deadLetterTargetArn": "arn:aws:sqs:eu-west-1:1:dlq", "maxReceiveCount": 2})"),
            "InvalidParameterValue");
  EXPECT_EQ(fault("nonsense"), "InvalidParameterValue");
  EXPECT_EQ(fault("{}"), "InvalidAttributeValue");  // only an empty text clears the policy
  EXPECT_EQ(sqs().fault("CreateQueue", {{"QueueName", "mail"}, {"Attributes", {{"RedrivePolicy", "{}"}}}}),
            "InvalidAttributeValue");
  sqs().create("dlq.fifo", {{"FifoQueue", "true"}});
  EXPECT_EQ(fault(redrive_policy("dlq.fifo", 2)), "InvalidParameterValue");
  EXPECT_EQ(sqs().attribute(url_, "RedrivePolicy"), json(json::parse(redrive_policy("dlq", 2))).dump());
}

TEST_F(SqsDeadLettersTest, AnAllowPolicyOfTheWrongTypesIsAWrongValue) {
  for (const char* policy : {R"({"redrivePermission": 7})", R"({"redrivePermission": null})", "[1]", "{",
                             R"({"redrivePermission": "byQueue", "sourceQueueArns": "x"})",
                             R"({"redrivePermission": "byQueue", "sourceQueueArns": [7]})"}) {
    EXPECT_EQ(sqs().fault("SetQueueAttributes",
                          {{"QueueUrl", dlq_}, {"Attributes", {{"RedriveAllowPolicy", policy}}}}),
              "InvalidAttributeValue")
        << policy;
  }
}

TEST_F(SqsDeadLettersTest, WhoMayDeadLetterIsSaidByTheAllowPolicy) {
  const json by_queue = {{"redrivePermission", "byQueue"}, {"sourceQueueArns", {arn("orders")}}};
  sqs().must("SetQueueAttributes",
             {{"QueueUrl", dlq_}, {"Attributes", {{"RedriveAllowPolicy", by_queue.dump()}}}});
  EXPECT_EQ(json::parse(sqs().attribute(dlq_, "RedriveAllowPolicy")), by_queue);
  EXPECT_EQ(sqs().fault("CreateQueue", {{"QueueName", "mail"},
                                        {"Attributes", {{"RedrivePolicy", redrive_policy("dlq", 2)}}}}),
            "InvalidParameterValue");
  EXPECT_FALSE(engine_->describe_queue("mail"));
  const std::string mail = sqs().create("mail");
  const json denied = {{"QueueUrl", mail}, {"Attributes", {{"RedrivePolicy", redrive_policy("dlq", 2)}}}};
  EXPECT_EQ(sqs().fault("SetQueueAttributes", denied), "InvalidParameterValue");
  EXPECT_EQ(sqs().fault("SetQueueAttributes",
                        {{"QueueUrl", dlq_},
                         {"Attributes", {{"RedriveAllowPolicy", R"({"redrivePermission": "byQueue"})"}}}}),
            "InvalidAttributeValue");
}

TEST_F(SqsDeadLettersTest, ADeadLetterSaysWhereItCameFromAndItsCountGoesOn) {
  const json sent = sqs().send(
      url_, "poison", {{"MessageAttributes", {{"n", {{"DataType", "Number"}, {"StringValue", "1"}}}}}});
  let_die();
  const json received =
      sqs().receive(dlq_, {{"AttributeNames", {"All"}}, {"MessageAttributeNames", {"All"}}});
  ASSERT_THAT(received, SizeIs(1));
  EXPECT_EQ(received[0]["MessageId"], sent["MessageId"]);
  EXPECT_EQ(received[0]["Body"], "poison");
  EXPECT_EQ(received[0]["MessageAttributes"]["n"]["DataType"], "Number");
  EXPECT_EQ(received[0]["Attributes"]["DeadLetterQueueSourceArn"], arn("orders"));
  EXPECT_EQ(received[0]["Attributes"]["ApproximateReceiveCount"], "3");
  EXPECT_EQ(received[0]["Attributes"].value("SentTimestamp", "").size(), 13U);
}

TEST_F(SqsDeadLettersTest, TheFailureRecordSaysWhoHadTheMessageLast) {
  sqs().send(url_, "poison");
  let_die();
  const DeadLetterPage page = must(engine_->list_dead_letters("dlq"));
  ASSERT_THAT(page.items, SizeIs(1));
  const FailureRecord& record = page.items[0].record;
  EXPECT_EQ(record.cause, DeathCause::kMaxDeliveries);
  EXPECT_EQ(record.deliveries, 2U);
  EXPECT_THAT(record.consumer.instance, StartsWith("127.0.0.1:"));
  EXPECT_EQ(record.consumer.version, "test/1");
}

TEST_F(SqsDeadLettersTest, AQueueOfDeadLettersTakesSendsOfItsOwn) {
  const json sent = sqs().send(dlq_, "direct", {{"DelaySeconds", 0}});
  const json received = sqs().receive(dlq_, {{"AttributeNames", {"All"}}});
  ASSERT_THAT(received, SizeIs(1));
  EXPECT_EQ(received[0]["MessageId"], sent["MessageId"]);
  EXPECT_EQ(received[0]["Attributes"]["ApproximateReceiveCount"], "1");
  EXPECT_FALSE(received[0]["Attributes"].contains("DeadLetterQueueSourceArn"));
  const DeadLetterPage page = must(engine_->list_dead_letters("dlq"));
  ASSERT_THAT(page.items, SizeIs(1));
  EXPECT_EQ(page.items[0].record.cause, DeathCause::kSent);
}

TEST_F(SqsDeadLettersTest, ATaskMovesThemBackAndTheyStartAnew) {
  sqs().send(url_, "poison");
  let_die();
  const json started = sqs().must("StartMessageMoveTask", {{"SourceArn", arn("dlq")}});
  EXPECT_TRUE(started["TaskHandle"].is_string());
  wait_for_task();
  const json task = tasks()[0];
  EXPECT_EQ(task["Status"], "COMPLETED");
  EXPECT_EQ(task["ApproximateNumberOfMessagesMoved"], 1);
  EXPECT_EQ(task["SourceArn"], arn("dlq"));
  EXPECT_FALSE(task.contains("TaskHandle"));
  EXPECT_FALSE(task.contains("DestinationArn"));
  EXPECT_FALSE(task.contains("MaxNumberOfMessagesPerSecond"));
  const json received = sqs().receive(url_, {{"AttributeNames", {"All"}}});
  ASSERT_THAT(received, SizeIs(1));
  EXPECT_EQ(received[0]["Attributes"]["ApproximateReceiveCount"], "1");
  EXPECT_FALSE(received[0]["Attributes"].contains("DeadLetterQueueSourceArn"));
  EXPECT_EQ(sqs().fault("CancelMessageMoveTask", {{"TaskHandle", started["TaskHandle"]}}),
            "AWS.SimpleQueueService.UnsupportedOperation");
}

TEST_F(SqsDeadLettersTest, ATaskThatLeftMessagesHasFailedAndSaysWhy) {
  sqs().send(dlq_, "direct");
  sqs().must("StartMessageMoveTask", {{"SourceArn", arn("dlq")}});
  wait_for_task();
  const json task = tasks()[0];
  EXPECT_EQ(task["Status"], "FAILED");
  EXPECT_EQ(task["ApproximateNumberOfMessagesMoved"], 0);
  EXPECT_THAT(task["FailureReason"].get<std::string>(), HasSubstr("Messages that stayed: 1."));
  EXPECT_EQ(sqs().attribute(dlq_, "ApproximateNumberOfMessages"), "1");
}

TEST_F(SqsDeadLettersTest, OneTaskAtATimeAndItCanBeCancelled) {
  constexpr int kLetters = 30;  // the task lasts until it is cancelled
  for (int i = 0; i < kLetters; ++i) {
    sqs().send(url_, "x");
    (void)must(engine_->reject(must(engine_->receive("orders"))[0].receipt, {.reason = "x"}));
  }
  const std::string other = sqs().create("other");
  const json start = {
      {"SourceArn", arn("dlq")}, {"DestinationArn", arn("other")}, {"MaxNumberOfMessagesPerSecond", 1}};
  const json started = sqs().must("StartMessageMoveTask", start);
  EXPECT_EQ(sqs().fault("StartMessageMoveTask", start), "AWS.SimpleQueueService.UnsupportedOperation");
  const json running = tasks()[0];
  EXPECT_EQ(running["Status"], "RUNNING");
  EXPECT_EQ(running["TaskHandle"], started["TaskHandle"]);
  EXPECT_EQ(running["DestinationArn"], arn("other"));
  EXPECT_EQ(running["MaxNumberOfMessagesPerSecond"], 1);
  const json cancelled = sqs().must("CancelMessageMoveTask", {{"TaskHandle", started["TaskHandle"]}});
  EXPECT_LT(cancelled["ApproximateNumberOfMessagesMoved"], kLetters);
  EXPECT_EQ(tasks()[0]["Status"], "CANCELLED");
}

TEST_F(SqsDeadLettersTest, ATaskThatCannotBeStartedMovesNothing) {
  sqs().send(url_, "poison");
  let_die();
  EXPECT_EQ(sqs().ask("StartMessageMoveTask", {{"SourceArn", arn("nowhere")}}).status, 404U);
  EXPECT_EQ(
      sqs().fault("StartMessageMoveTask", {{"SourceArn", arn("dlq")}, {"DestinationArn", arn("nowhere")}}),
      "ResourceNotFoundException");
  EXPECT_EQ(sqs().fault("StartMessageMoveTask", {{"SourceArn", "dlq"}}), "ResourceNotFoundException");
  const Answer onto_itself =
      sqs().ask("StartMessageMoveTask", {{"SourceArn", arn("dlq")}, {"DestinationArn", arn("dlq")}});
  EXPECT_EQ(onto_itself.header("x-amzn-query-error"), "InvalidParameterValue;Sender");
  EXPECT_THAT(onto_itself.body, HasSubstr("DestinationArn"));
  EXPECT_EQ(sqs().fault("StartMessageMoveTask", {{"SourceArn", arn("orders")}}), "InvalidParameterValue");
  EXPECT_EQ(sqs().fault("ListMessageMoveTasks", {{"SourceArn", arn("nowhere")}}),
            "ResourceNotFoundException");
  EXPECT_EQ(sqs().fault("CancelMessageMoveTask", {{"TaskHandle", "nonsense"}}), "InvalidParameterValue");
  EXPECT_THAT(tasks(), SizeIs(0));
  EXPECT_EQ(sqs().attribute(dlq_, "ApproximateNumberOfMessages"), "1");
}

}  // namespace
}  // namespace holdfast::server::sqs
