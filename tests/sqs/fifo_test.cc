// FIFO queues over SQS: order within groups, deduplication, and what the queues refuse.
#include "tests/sqs/sqs_fixture.h"

namespace holdfast::server::sqs {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

class SqsFifoTest : public SqsFixture {
 protected:
  SqsFifoTest() { serve_sqs(without_cooldown()); }

  std::string make(json attributes = json::object()) {
    attributes["FifoQueue"] = "true";
    return sqs().create("orders.fifo", attributes);
  }
  json send(const std::string& url, const std::string& body, const std::string& group,
            const std::string& id) {
    return sqs().send(url, body, {{"MessageGroupId", group}, {"MessageDeduplicationId", id}});
  }
  std::string url_of(const char* name) {
    return sqs().must("GetQueueUrl", {{"QueueName", name}})["QueueUrl"];
  }
  std::vector<std::string> bodies(const std::string& url) {
    std::vector<std::string> all;
    for (const json& message : sqs().receive(url)) all.push_back(message["Body"]);
    return all;
  }
};

TEST_F(SqsFifoTest, ItIsAnOrderedQueueWithDeduplication) {
  const std::string url = make({{"ContentBasedDeduplication", "true"}});
  const QueueOptions options = must(engine_->describe_queue("orders.fifo")).options;
  EXPECT_EQ(options.grouping.mode, Grouping::kOrdered);
  EXPECT_EQ(options.deduplication.mode, Deduplication::kByContent);
  EXPECT_EQ(options.deduplication.window, 5min);
  EXPECT_EQ(sqs().attribute(url, "FifoQueue"), "true");
  EXPECT_EQ(sqs().attribute(url, "ContentBasedDeduplication"), "true");
  EXPECT_EQ(sqs().attribute(url, "DeduplicationScope"), "queue");
  EXPECT_EQ(sqs().attribute(url, "FifoThroughputLimit"), "perQueue");
}

TEST_F(SqsFifoTest, NameAndAttributeBelongTogether) {
  EXPECT_EQ(sqs().fault("CreateQueue", {{"QueueName", "orders.fifo"}}), "InvalidParameterValue");
  EXPECT_EQ(sqs().fault("CreateQueue", {{"QueueName", "orders"}, {"Attributes", {{"FifoQueue", "true"}}}}),
            "InvalidParameterValue");
  EXPECT_EQ(sqs().fault("CreateQueue",
                        {{"QueueName", "orders"}, {"Attributes", {{"ContentBasedDeduplication", "true"}}}}),
            "InvalidAttributeName");
}

// A queue that exists is compared first, as any queue is. An attribute that the request leaves out agrees.
TEST_F(SqsFifoTest, CreatingOneThatIsThereNeedsNoAttribute) {
  must(engine_->create_queue("plain.fifo"));
  EXPECT_EQ(sqs().fault("CreateQueue", {{"QueueName", "plain.fifo"}}), "QueueAlreadyExists");
  EXPECT_EQ(
      sqs().fault("CreateQueue", {{"QueueName", "plain.fifo"}, {"Attributes", {{"FifoQueue", "false"}}}}),
      "InvalidParameterValue");
  const std::string url = make();
  EXPECT_EQ(sqs().create("orders.fifo"), url);
}

TEST_F(SqsFifoTest, OfABatchToAQueueThatHasOnlyTheNameWhatIsForFifoFails) {
  must(engine_->create_queue("plain.fifo"));
  const json entries = {{{"Id", "a"}, {"MessageBody", "a"}},
                        {{"Id", "b"}, {"MessageBody", "b"}, {"MessageGroupId", "g"}},
                        {{"Id", "c"}, {"MessageBody", "c"}, {"MessageDeduplicationId", "1"}},
                        {{"Id", "d"}, {"MessageBody", "d"}}};
  const json answer =
      sqs().must("SendMessageBatch", {{"QueueUrl", url_of("plain.fifo")}, {"Entries", entries}});
  ASSERT_EQ(answer["Successful"].size(), 2U);
  EXPECT_EQ(answer["Successful"][0]["Id"], "a");
  EXPECT_EQ(answer["Successful"][1]["Id"], "d");
  ASSERT_EQ(answer["Failed"].size(), 2U);
  for (const json& failed : answer["Failed"])
    EXPECT_EQ(failed["Code"], "AWS.SimpleQueueService.UnsupportedOperation") << failed;
  EXPECT_EQ(must(engine_->describe_queue("plain.fifo")).options.grouping.mode, Grouping::kNone);
}

// The name does not make a FIFO queue of a queue that another protocol has created.
TEST_F(SqsFifoTest, AQueueOfAnotherDoorIsWhatItsOptionsSay) {
  must(engine_->create_queue("plain.fifo"));
  must(engine_->create_queue("ordered.fifo", {.grouping = {.mode = Grouping::kOrdered}}));
  must(engine_->create_queue("whole.fifo", {.grouping = {.mode = Grouping::kOrdered},
                                            .deduplication = {.mode = Deduplication::kById}}));
  const json fifo = {{"FifoQueue", "true"}, {"ContentBasedDeduplication", "true"}};
  for (const char* name : {"plain.fifo", "ordered.fifo"}) {
    const std::string url = url_of(name);
    EXPECT_EQ(sqs().attribute(url, "FifoQueue"), "") << name;
    EXPECT_EQ(sqs().attribute(url, "DeduplicationScope"), "") << name;
    for (const char* parameter : {"MessageGroupId", "MessageDeduplicationId"}) {
      const json send = {{"QueueUrl", url}, {"MessageBody", "x"}, {parameter, "1"}};
      EXPECT_EQ(sqs().fault("SendMessage", send), "AWS.SimpleQueueService.UnsupportedOperation") << name;
    }
    EXPECT_EQ(sqs().fault("CreateQueue", {{"QueueName", name}, {"Attributes", fifo}}), "QueueAlreadyExists")
        << name;
    EXPECT_FALSE(sqs().send(url, "x").contains("SequenceNumber")) << name;
  }
  EXPECT_EQ(must(engine_->describe_queue("plain.fifo")).options.grouping.mode, Grouping::kNone);
  const std::string url = url_of("whole.fifo");
  EXPECT_EQ(sqs().attribute(url, "FifoQueue"), "true");
  EXPECT_EQ(send(url, "x", "g", "1")["MessageId"], send(url, "x", "g", "1")["MessageId"]);
}

TEST_F(SqsFifoTest, WhatAQueueIsCannotBeChanged) {
  const std::string fifo = make();
  const std::string standard = sqs().create("standard");
  must(engine_->create_queue("plain.fifo"));
  const std::string plain = url_of("plain.fifo");
  const auto set = [&](const std::string& url, const char* value) {
    const Answer answer =
        sqs().ask("SetQueueAttributes", {{"QueueUrl", url}, {"Attributes", {{"FifoQueue", value}}}});
    const std::string code = answer.header("x-amzn-query-error");
    return answer.status == 200 ? "done" : code.substr(0, code.find(';'));
  };
  EXPECT_EQ(set(fifo, "true"), "done");
  EXPECT_EQ(set(fifo, "false"), "InvalidAttributeValue");
  for (const std::string& url : {standard, plain}) {
    EXPECT_EQ(set(url, "true"), "InvalidAttributeValue") << url;
    EXPECT_EQ(set(url, "false"), "InvalidAttributeName") << url;
  }
  EXPECT_EQ(must(engine_->describe_queue("plain.fifo")).options, QueueOptions());
}

TEST_F(SqsFifoTest, AQueueThatHasOnlyTheNameIsReceivedFromLikeAStandardOne) {
  must(engine_->create_queue("plain.fifo", {.limits = {.max_leased = 1}}));
  const std::string url = url_of("plain.fifo");
  sqs().send(url, "x");
  EXPECT_EQ(sqs().fault("ReceiveMessage", {{"QueueUrl", url}, {"ReceiveRequestAttemptId", "one"}}),
            "InvalidParameterValue");
  const json first = sqs().receive(url, {{"AttributeNames", {"All"}}})[0];
  EXPECT_FALSE(first["Attributes"].contains("SequenceNumber"));
  EXPECT_EQ(sqs().fault("ReceiveMessage", {{"QueueUrl", url}}), "OverLimit");
  const std::string handle = first["ReceiptHandle"];
  sqs().must("ChangeMessageVisibility",
             {{"QueueUrl", url}, {"ReceiptHandle", handle}, {"VisibilityTimeout", 0}});
  sqs().must("DeleteMessage", {{"QueueUrl", url}, {"ReceiptHandle", handle}});
  EXPECT_THAT(bodies(url), ElementsAre("x"));
}

TEST_F(SqsFifoTest, DeadLettersGoToAQueueOfTheSameKindWhateverItsName) {
  must(engine_->create_queue("plain.fifo"));
  must(engine_->create_queue("whole.fifo", {.grouping = {.mode = Grouping::kOrdered},
                                            .deduplication = {.mode = Deduplication::kById}}));
  const std::string fifo = make();
  const std::string standard = sqs().create("standard");
  sqs().create("letters");
  const auto policy_to = [](const char* target) {
    return json{{"RedrivePolicy", redrive_policy(target, 3)}};
  };
  const auto set = [&](const std::string& url, const char* target) {
    return json{{"QueueUrl", url}, {"Attributes", policy_to(target)}};
  };
  sqs().must("SetQueueAttributes", set(fifo, "whole.fifo"));
  sqs().must("SetQueueAttributes", set(standard, "plain.fifo"));
  sqs().must("SetQueueAttributes", set(url_of("plain.fifo"), "letters"));
  sqs().create("other", policy_to("plain.fifo"));
  EXPECT_EQ(sqs().fault("SetQueueAttributes", set(fifo, "plain.fifo")), "InvalidParameterValue");
  EXPECT_EQ(sqs().fault("SetQueueAttributes", set(standard, "whole.fifo")), "InvalidParameterValue");
  EXPECT_EQ(sqs().fault("SetQueueAttributes", set(url_of("plain.fifo"), "whole.fifo")),
            "InvalidParameterValue");
  json attributes = policy_to("plain.fifo");
  attributes["FifoQueue"] = "true";
  EXPECT_EQ(sqs().fault("CreateQueue", {{"QueueName", "more.fifo"}, {"Attributes", attributes}}),
            "InvalidParameterValue");
  EXPECT_EQ(sqs().fault("SetQueueAttributes", set("http://x/000000000000/nowhere", "letters")),
            "AWS.SimpleQueueService.NonExistentQueue");
}

TEST_F(SqsFifoTest, AGroupIsBlockedUntilItsMessageIsDeleted) {
  const std::string url = make();
  send(url, "a1", "a", "1");
  send(url, "a2", "a", "2");
  send(url, "b1", "b", "3");
  const json first = sqs().receive(url, {{"MaxNumberOfMessages", 1}});
  ASSERT_THAT(first, SizeIs(1));
  EXPECT_EQ(first[0]["Body"], "a1");
  EXPECT_THAT(bodies(url), ElementsAre("b1"));
  sqs().must("DeleteMessage", {{"QueueUrl", url}, {"ReceiptHandle", first[0]["ReceiptHandle"]}});
  EXPECT_THAT(bodies(url), ElementsAre("a2"));
}

TEST_F(SqsFifoTest, WhatIsSentTwiceIsThereOnceAlsoAfterItsEndAndARestart) {
  const std::string url = make();
  const json first = send(url, "x", "a", "same");
  EXPECT_EQ(first["SequenceNumber"].get<std::string>().size(), 20U);
  const json received = sqs().receive(url, {{"AttributeNames", {"All"}}});
  ASSERT_THAT(received, SizeIs(1));
  EXPECT_EQ(received[0]["Attributes"]["MessageDeduplicationId"], "same");
  EXPECT_EQ(received[0]["Attributes"]["MessageGroupId"], "a");
  EXPECT_EQ(received[0]["Attributes"]["SequenceNumber"], first["SequenceNumber"]);
  sqs().must("DeleteMessage", {{"QueueUrl", url}, {"ReceiptHandle", received[0]["ReceiptHandle"]}});
  EXPECT_EQ(send(url, "other", "b", "same")["MessageId"], first["MessageId"]);
  server_.reset();
  engine_.reset();
  engine_.emplace(must(Engine::open(directory_ / "data")));
  serve_sqs();
  EXPECT_EQ(send(url, "other", "b", "same")["MessageId"], first["MessageId"]);
  EXPECT_THAT(bodies(url), SizeIs(0));
}

TEST_F(SqsFifoTest, ContentCountsOnlyWhereTheQueueSaysSo) {
  const std::string url = make();
  EXPECT_EQ(sqs().fault("SendMessage", {{"QueueUrl", url}, {"MessageBody", "x"}, {"MessageGroupId", "a"}}),
            "InvalidParameterValue");
  sqs().must("SetQueueAttributes",
             {{"QueueUrl", url}, {"Attributes", {{"ContentBasedDeduplication", "true"}}}});
  const json first = sqs().send(url, "x", {{"MessageGroupId", "a"}});
  EXPECT_EQ(sqs().send(url, "x", {{"MessageGroupId", "b"}})["MessageId"], first["MessageId"]);
  EXPECT_NE(sqs().send(url, "y", {{"MessageGroupId", "b"}})["MessageId"], first["MessageId"]);
}

TEST_F(SqsFifoTest, IdsCountWithinAGroupWhereTheQueueSaysSo) {
  const std::string url =
      make({{"DeduplicationScope", "messageGroup"}, {"FifoThroughputLimit", "perMessageGroupId"}});
  EXPECT_EQ(sqs().attribute(url, "DeduplicationScope"), "messageGroup");
  const json first = send(url, "x", "a", "same");
  EXPECT_NE(send(url, "x", "b", "same")["MessageId"], first["MessageId"]);
  EXPECT_EQ(send(url, "x", "a", "same")["MessageId"], first["MessageId"]);
}

TEST_F(SqsFifoTest, AThroughputByGroupNeedsDeduplicationByGroup) {
  const json by_group = {{"FifoThroughputLimit", "perMessageGroupId"}};
  const json both = {{"DeduplicationScope", "messageGroup"}, {"FifoThroughputLimit", "perMessageGroupId"}};
  const json neither = {{"DeduplicationScope", "queue"}, {"FifoThroughputLimit", "perQueue"}};
  const json contradiction = {{"DeduplicationScope", "queue"}, {"FifoThroughputLimit", "perMessageGroupId"}};
  for (json attributes : {by_group, contradiction}) {
    attributes["FifoQueue"] = "true";
    EXPECT_EQ(sqs().fault("CreateQueue", {{"QueueName", "orders.fifo"}, {"Attributes", attributes}}),
              "InvalidAttributeValue")
        << attributes;
  }
  const std::string url = make({{"DeduplicationScope", "messageGroup"}});
  const auto set = [&](const json& attributes) {
    const Answer answer = sqs().ask("SetQueueAttributes", {{"QueueUrl", url}, {"Attributes", attributes}});
    return answer.header("x-amzn-query-error");
  };
  EXPECT_EQ(set(by_group), "") << "the queue has the scope already";
  EXPECT_EQ(set({{"DeduplicationScope", "queue"}}), "InvalidAttributeValue;Sender");
  EXPECT_EQ(sqs().attribute(url, "DeduplicationScope"), "messageGroup");
  EXPECT_EQ(set(neither), "");
  EXPECT_EQ(set(by_group), "InvalidAttributeValue;Sender");
  EXPECT_EQ(set(both), "");
  EXPECT_EQ(sqs().attribute(url, "FifoThroughputLimit"), "perMessageGroupId");
}

TEST_F(SqsFifoTest, WhatOtherClientsMadeOfTheAttributesBarsNoOtherChange) {
  const std::string url = make();
  must(engine_->alter_queue("orders.fifo",
                            {.tags = Tags{{"aws:sqs:FifoThroughputLimit", "perMessageGroupId"}}}));
  sqs().must("SetQueueAttributes", {{"QueueUrl", url}, {"Attributes", {{"VisibilityTimeout", "7"}}}});
  EXPECT_EQ(sqs().attribute(url, "VisibilityTimeout"), "7");
}

TEST_F(SqsFifoTest, WhatDoesNotFitAFifoQueueIsRefused) {
  const std::string url = make();
  const auto fault = [&](json input) {
    input["QueueUrl"] = url;
    input["MessageBody"] = "x";
    return sqs().fault("SendMessage", input);
  };
  EXPECT_EQ(fault({{"MessageDeduplicationId", "1"}}), "MissingParameter");
  EXPECT_EQ(fault({{"MessageGroupId", "a"}, {"MessageDeduplicationId", "1"}, {"DelaySeconds", 1}}),
            "InvalidParameterValue");
  const std::string standard = sqs().create("standard");
  EXPECT_EQ(sqs().fault("SendMessage",
                        {{"QueueUrl", standard}, {"MessageBody", "x"}, {"MessageDeduplicationId", "1"}}),
            "InvalidParameterValue");
}

TEST_F(SqsFifoTest, AnAttemptThatIsRepeatedGetsTheSameMessagesAgain) {
  const std::string url = make();
  for (const char* group : {"a", "b", "c"}) send(url, group, group, group);
  const json first = sqs().receive(url, {{"ReceiveRequestAttemptId", "one"}, {"MaxNumberOfMessages", 2}});
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(sqs().receive(url, {{"ReceiveRequestAttemptId", "one"}, {"MaxNumberOfMessages", 2}}), first);
  const json other = sqs().receive(url, {{"ReceiveRequestAttemptId", "two"}});
  ASSERT_EQ(other.size(), 1U);
  EXPECT_EQ(other[0]["Body"], "c");
  // The receipts are those of the first answer, and are still valid.
  sqs().must("DeleteMessage", {{"QueueUrl", url}, {"ReceiptHandle", first[0]["ReceiptHandle"]}});
  // One message is gone, so the first answer is not true any more.
  EXPECT_TRUE(sqs().receive(url, {{"ReceiveRequestAttemptId", "one"}}).empty());
}

// If an attempt cannot be repeated, its hidden messages stay hidden for as long as they were to be, and not
// for as long as the repetition asks.
TEST_F(SqsFifoTest, AnAttemptThatCannotBeRepeatedHidesNothingForLonger) {
  const std::string url = make();
  for (const char* group : {"a", "b", "c"}) send(url, group, group, group);
  const json first = sqs().receive(url, {{"ReceiveRequestAttemptId", "one"}, {"MaxNumberOfMessages", 3}});
  ASSERT_EQ(first.size(), 3U);
  sqs().must("DeleteMessage", {{"QueueUrl", url}, {"ReceiptHandle", first[2]["ReceiptHandle"]}});
  const auto leases = [this] {
    std::vector<Timestamp> ends;
    for (const PeekedMessage& message : must(engine_->peek("orders.fifo")).items)
      ends.push_back(message.due.value_or(Timestamp()));
    return ends;
  };
  const std::vector<Timestamp> before = leases();
  EXPECT_TRUE(sqs().receive(url, {{"ReceiveRequestAttemptId", "one"}, {"VisibilityTimeout", 600}}).empty());
  EXPECT_EQ(leases(), before);
}

TEST_F(SqsFifoTest, ReceivesOfOneAttemptAtTheSameTimeGetTheSameMessages) {
  constexpr std::size_t kClients = 4;
  const std::string url = make();
  const std::string address = server_->http_addresses().front();
  for (int round = 0; round < 20; ++round) {
    const std::string id = "attempt-" + std::to_string(round);
    std::vector<json> got(kClients);
    std::vector<std::thread> clients;
    for (json& mine : got) {
      clients.emplace_back([&] {
        mine = SqsClient(address).receive(
            url, {{"ReceiveRequestAttemptId", id}, {"MaxNumberOfMessages", 1}, {"WaitTimeSeconds", 20}});
      });
    }
    wait_until([&] { return server_->meter().calls_in_flight > 0; });
    const std::string name = std::to_string(round);
    std::vector<Message> messages;
    for (std::size_t i = 0; i < kClients; ++i)
      messages.push_back({.body = name, .group = name + "-" + std::to_string(i)});
    must(engine_->send_batch("orders.fifo", messages));
    for (std::thread& one : clients) one.join();
    ASSERT_EQ(got.front().size(), 1U);
    for (const json& mine : got) EXPECT_EQ(mine, got.front());
    EXPECT_EQ(must(engine_->describe_queue("orders.fifo")).counts.leased, 1U);
    must(engine_->purge_queue("orders.fifo"));
  }
}

TEST_F(SqsFifoTest, AnAttemptWhoseClientHasGoneIsTheNextOnes) {
  const std::string url = make();
  const json attempt = {{"QueueUrl", url}, {"ReceiveRequestAttemptId", "one"}, {"WaitTimeSeconds", 20}};
  HttpTestClient gone(server_->http_addresses().front());
  gone.start(http::verb::post, "/", attempt.dump(), {{"X-Amz-Target", "AmazonSQS.ReceiveMessage"}});
  wait_until([&] { return server_->meter().calls_in_flight == 1; });
  json got;
  std::thread next([&] { got = SqsClient(server_->http_addresses().front()).receive(url, attempt); });
  gone.hang_up();
  send(url, "x", "a", "1");
  next.join();
  EXPECT_EQ(got.size(), 1U);
}

TEST_F(SqsFifoTest, AnAttemptThatIsRepeatedWithoutATimeoutGivesItsMessagesBack) {
  const std::string url = make();
  for (const char* group : {"a", "b"}) send(url, group, group, group);
  const json first = sqs().receive(url, {{"ReceiveRequestAttemptId", "one"}});
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(sqs().receive(url, {{"ReceiveRequestAttemptId", "one"}, {"VisibilityTimeout", 0}}), first);
  EXPECT_EQ(must(engine_->describe_queue("orders.fifo")).counts.ready, 2U);
  // The attempt has ended with that, so a later receive gives other handles.
  const json next = sqs().receive(url, {{"ReceiveRequestAttemptId", "one"}});
  ASSERT_EQ(next.size(), 2U);
  EXPECT_NE(next[0]["ReceiptHandle"], first[0]["ReceiptHandle"]);
}

TEST_F(SqsFifoTest, AnAttemptIdIsForFifoQueuesAndHasTheirLimits) {
  const std::string url = make();
  const auto fault = [this](const std::string& queue, const std::string& id) {
    return sqs().fault("ReceiveMessage", {{"QueueUrl", queue}, {"ReceiveRequestAttemptId", id}});
  };
  EXPECT_EQ(fault(sqs().create("standard"), "one"), "InvalidParameterValue");
  EXPECT_EQ(fault(url, std::string(129, 'x')), "InvalidParameterValue");
  EXPECT_TRUE(sqs().receive(url, {{"ReceiveRequestAttemptId", std::string(128, 'x')}}).empty());
}

TEST_F(SqsFifoTest, ADeleteWithAReceiptThatIsOverIsAnError) {
  const std::string url = make();
  send(url, "x", "a", "1");
  const json first = sqs().receive(url)[0];
  sqs().must("ChangeMessageVisibility",
             {{"QueueUrl", url}, {"ReceiptHandle", first["ReceiptHandle"]}, {"VisibilityTimeout", 0}});
  EXPECT_EQ(sqs().fault("DeleteMessage", {{"QueueUrl", url}, {"ReceiptHandle", first["ReceiptHandle"]}}),
            "InvalidParameterValue");
  EXPECT_THAT(bodies(url), ElementsAre("x"));
}

}  // namespace
}  // namespace holdfast::server::sqs
