// These tests are about queues over SQS: their attributes, tags, permissions and URLs.
#include <thread>

#include "tests/sqs/sqs_fixture.h"

namespace holdfast::server::sqs {
namespace {

using ::testing::HasSubstr;

class SqsQueuesTest : public SqsFixture {
 protected:
  SqsQueuesTest() { serve_sqs(without_cooldown()); }
};

TEST_F(SqsQueuesTest, AUrlHasTheHostThatTheClientUsed) {
  const json made = sqs().must("CreateQueue", {{"QueueName", "orders"}});
  const std::string address = server_->http_addresses().front();
  EXPECT_EQ(made["QueueUrl"], "http://" + address + "/000000000000/orders");
  const Answer answer =
      sqs().http().call(http::verb::post, "/", R"({"QueueName": "orders"})",
                        {{"X-Amz-Target", "AmazonSQS.GetQueueUrl"}, {"Host", "localhost:9324"}});
  EXPECT_EQ(answer.parsed()["QueueUrl"], "http://localhost:9324/000000000000/orders");
  EXPECT_EQ(answer.header("content-type"), "application/x-amz-json-1.0");
  EXPECT_NE(answer.header("x-amzn-requestid"), "");
}

TEST_F(SqsQueuesTest, ANewQueueHasTheDefaultsOfSqs) {
  const std::string url = sqs().create("orders");
  const json all =
      sqs().must("GetQueueAttributes", {{"QueueUrl", url}, {"AttributeNames", {"All"}}})["Attributes"];
  EXPECT_EQ(all["VisibilityTimeout"], "30");
  EXPECT_EQ(all["DelaySeconds"], "0");
  EXPECT_EQ(all["MessageRetentionPeriod"], "345600");
  EXPECT_EQ(all["MaximumMessageSize"], "1048576");
  EXPECT_EQ(all["ReceiveMessageWaitTimeSeconds"], "0");
  EXPECT_EQ(all["QueueArn"], arn("orders"));
  EXPECT_EQ(all["ApproximateNumberOfMessages"], "0");
  for (const char* absent :
       {"RedrivePolicy", "Policy", "FifoQueue", "ContentBasedDeduplication", "KmsMasterKeyId"})
    EXPECT_FALSE(all.contains(absent)) << absent;
  EXPECT_EQ(must(engine_->describe_queue("orders")).options.expiry.policy, ExpiryPolicy::kDrop);
}

// A long attribute is kept in several tags. The tags are texts that other protocols read and write.
TEST_F(SqsQueuesTest, ALongAttributeIsKeptInWholeCharacters) {
  const std::string url = sqs().create("orders");
  for (const char* character : {"\u00e9", "\u20ac", "\U0001F600"}) {
    std::string key = "x";
    while (key.size() < 600) key += character;
    sqs().must("SetQueueAttributes", {{"QueueUrl", url}, {"Attributes", {{"KmsMasterKeyId", key}}}});
    const Answer got = sqs().http().get("/v1/queues/orders");
    ASSERT_EQ(got.status, 200U);
    const json tags = {{"tags", got.parsed()["options"]["tags"]}};
    const Answer patched = sqs().http().call(http::verb::patch, "/v1/queues/orders", tags.dump());
    EXPECT_EQ(patched.status, 200U) << patched.body;
    EXPECT_EQ(sqs().attribute(url, "KmsMasterKeyId"), key);
  }
}

TEST_F(SqsQueuesTest, AttributesBecomeOptionsAndTheOthersAreKept) {
  const std::string url = sqs().create("orders", {{"VisibilityTimeout", "7"},
                                                  {"DelaySeconds", "9"},
                                                  {"MessageRetentionPeriod", "60"},
                                                  {"MaximumMessageSize", "1024"},
                                                  {"ReceiveMessageWaitTimeSeconds", "20"},
                                                  {"KmsMasterKeyId", "alias/aws/sqs"},
                                                  {"SqsManagedSseEnabled", "false"}});
  const QueueOptions options = must(engine_->describe_queue("orders")).options;
  EXPECT_EQ(options.lease, 7s);
  EXPECT_EQ(options.delay, 9s);
  EXPECT_EQ(options.expiry.time_to_live, 60s);
  EXPECT_EQ(options.limits.max_body_bytes, 1024U);
  EXPECT_EQ(sqs().attribute(url, "ReceiveMessageWaitTimeSeconds"), "20");
  EXPECT_EQ(sqs().attribute(url, "KmsMasterKeyId"), "alias/aws/sqs");
  EXPECT_EQ(sqs().attribute(url, "SqsManagedSseEnabled"), "false");
  sqs().must("SetQueueAttributes", {{"QueueUrl", url}, {"Attributes", {{"VisibilityTimeout", "0"}}}});
  EXPECT_EQ(sqs().attribute(url, "VisibilityTimeout"), "0");
  EXPECT_EQ(sqs().attribute(url, "DelaySeconds"), "9");
  EXPECT_EQ(sqs().fault("SetQueueAttributes", {{"QueueUrl", url}, {"Attributes", {{"Nonsense", "1"}}}}),
            "InvalidAttributeName");
  EXPECT_EQ(sqs().fault("GetQueueAttributes", {{"QueueUrl", url}, {"AttributeNames", {"Nonsense"}}}),
            "InvalidAttributeName");
}

TEST_F(SqsQueuesTest, CreatingAgainGivesTheQueueIfTheAttributesAreTheSame) {
  const std::string url = sqs().create("orders", {{"VisibilityTimeout", "7"}});
  EXPECT_EQ(sqs().create("orders", {{"VisibilityTimeout", "7"}}), url);
  EXPECT_EQ(sqs().create("orders"), url);
  EXPECT_EQ(
      sqs().fault("CreateQueue", {{"QueueName", "orders"}, {"Attributes", {{"VisibilityTimeout", "8"}}}}),
      "QueueAlreadyExists");
}

TEST_F(SqsQueuesTest, AQueueOfAnotherDoorIsUsedAsItIs) {
  must(engine_->create_queue("made.elsewhere", {.lease = 5s, .limits = {.max_length = 3}}));
  const std::string url = sqs().must("GetQueueUrl", {{"QueueName", "made.elsewhere"}})["QueueUrl"];
  EXPECT_EQ(sqs().attribute(url, "VisibilityTimeout"), "5");
  EXPECT_EQ(sqs().attribute(url, "MessageRetentionPeriod"), "1209600");
  sqs().must("SetQueueAttributes", {{"QueueUrl", url}, {"Attributes", {{"VisibilityTimeout", "6"}}}});
  EXPECT_EQ(must(engine_->describe_queue("made.elsewhere")).options.limits.max_length, 3U);
}

TEST_F(SqsQueuesTest, ListsHaveAPrefixAndPages) {
  for (const char* name : {"a1", "a2", "a3", "b"}) sqs().create(name);
  EXPECT_EQ(sqs().must("ListQueues", json::object())["QueueUrls"].size(), 4U);
  json page = sqs().must("ListQueues", {{"QueueNamePrefix", "a"}, {"MaxResults", 2}});
  ASSERT_EQ(page["QueueUrls"].size(), 2U);
  EXPECT_THAT(page["QueueUrls"][1].get<std::string>(), HasSubstr("/a2"));
  page = sqs().must("ListQueues",
                    {{"QueueNamePrefix", "a"}, {"MaxResults", 2}, {"NextToken", page["NextToken"]}});
  ASSERT_EQ(page["QueueUrls"].size(), 1U);
  EXPECT_FALSE(page.contains("NextToken"));
  EXPECT_EQ(sqs().must("ListQueues", {{"QueueNamePrefix", "zzz"}}), json::object());
}

TEST_F(SqsQueuesTest, TagsAreKeptApartFromWhatIsKeptForSqs) {
  const std::string url = sqs().must("CreateQueue", {{"QueueName", "orders"},
                                                     {"Attributes", {{"ReceiveMessageWaitTimeSeconds", "3"}}},
                                                     {"tags", {{"Team", "a"}}}})["QueueUrl"];
  sqs().must("TagQueue", {{"QueueUrl", url}, {"Tags", {{"team", "b"}, {"empty", ""}}}});
  EXPECT_EQ(sqs().must("ListQueueTags", {{"QueueUrl", url}})["Tags"],
            (json{{"Team", "a"}, {"team", "b"}, {"empty", ""}}));
  sqs().must("UntagQueue", {{"QueueUrl", url}, {"TagKeys", {"Team", "empty", "none"}}});
  EXPECT_EQ(sqs().must("ListQueueTags", {{"QueueUrl", url}})["Tags"], (json{{"team", "b"}}));
  EXPECT_EQ(sqs().attribute(url, "ReceiveMessageWaitTimeSeconds"), "3");
  EXPECT_EQ(sqs().fault("TagQueue", {{"QueueUrl", url}, {"Tags", {{"aws:x", "b"}}}}),
            "InvalidParameterValue");
}

TEST_F(SqsQueuesTest, ChangesOfOneQueueAtTheSameMomentDoNotUndoEachOther) {
  constexpr int kClients = 4;
  constexpr int kTags = 10;
  const std::string url = sqs().create("orders");
  std::vector<std::thread> clients;
  for (int i = 0; i < kClients; ++i) {
    clients.emplace_back([&, i] {
      SqsClient one(server_->http_addresses().front());
      for (int tag = 0; tag < kTags; ++tag)
        one.must("TagQueue", {{"QueueUrl", url}, {"Tags", {{std::to_string(i * kTags + tag), "x"}}}});
    });
  }
  for (std::thread& one : clients) one.join();
  EXPECT_EQ(sqs().must("ListQueueTags", {{"QueueUrl", url}})["Tags"].size(), kClients * kTags);
}

TEST_F(SqsQueuesTest, PermissionsAreStatementsOfThePolicyByTheirLabels) {
  const std::string url = sqs().create("orders");
  const json permission = {{"QueueUrl", url},
                           {"Label", "billing"},
                           {"AWSAccountIds", {"123456789012"}},
                           {"Actions", {"SendMessage", "ReceiveMessage"}}};
  sqs().must("AddPermission", permission);
  EXPECT_EQ(sqs().fault("AddPermission", permission), "InvalidParameterValue");
  json second = permission;
  second["Label"] = "audit";
  second["AWSAccountIds"] = {"1", "2", "3", "4", "5", "6", "7", "8", "9"};  // the ids are longer than a tag
  sqs().must("AddPermission", second);
  const json policy = json::parse(sqs().attribute(url, "Policy"));
  ASSERT_EQ(policy["Statement"].size(), 2U);
  EXPECT_EQ(policy["Statement"][0]["Sid"], "billing");
  EXPECT_EQ(policy["Statement"][0]["Principal"]["AWS"], json({"arn:aws:iam::123456789012:root"}));
  EXPECT_EQ(policy["Statement"][0]["Action"], json({"SQS:SendMessage", "SQS:ReceiveMessage"}));
  sqs().must("RemovePermission", {{"QueueUrl", url}, {"Label", "billing"}});
  EXPECT_EQ(sqs().fault("RemovePermission", {{"QueueUrl", url}, {"Label", "billing"}}),
            "InvalidParameterValue");
  sqs().must("RemovePermission", {{"QueueUrl", url}, {"Label", "audit"}});
  EXPECT_EQ(sqs().attribute(url, "Policy"), "");
}

TEST_F(SqsQueuesTest, APermissionIsAddedToAPolicyWithOneStatementThatIsNoList) {
  const std::string url =
      sqs().create("orders", {{"Policy", R"({"Statement": {"Sid": "mine", "Effect": "Deny"}})"}});
  sqs().must("AddPermission", {{"QueueUrl", url},
                               {"Label", "billing"},
                               {"AWSAccountIds", {"123456789012"}},
                               {"Actions", {"SendMessage"}}});
  const json policy = json::parse(sqs().attribute(url, "Policy"));
  ASSERT_EQ(policy["Statement"].size(), 2U);
  EXPECT_EQ(policy["Statement"][0]["Sid"], "mine");
  EXPECT_EQ(policy["Statement"][1]["Sid"], "billing");
}

TEST_F(SqsQueuesTest, QueuesThatAreNotThereAreNamedInBothProtocols) {
  const Answer answer = sqs().ask("GetQueueUrl", {{"QueueName", "nowhere"}});
  EXPECT_EQ(answer.status, 400U);
  EXPECT_EQ(answer.parsed()["__type"], "com.amazonaws.sqs#QueueDoesNotExist");
  EXPECT_EQ(answer.header("x-amzn-query-error"), "AWS.SimpleQueueService.NonExistentQueue;Sender");
  const Answer xml = sqs().query("Action=DeleteQueue&QueueUrl=http%3A%2F%2Fx%2F000000000000%2Fnowhere");
  EXPECT_EQ(xml.status, 400U);
  EXPECT_EQ(xml.header("content-type"), "text/xml");
  EXPECT_THAT(xml.body, HasSubstr("<Code>AWS.SimpleQueueService.NonExistentQueue</Code>"));
}

TEST_F(SqsQueuesTest, TheQueryProtocolNamesTheQueueByWhereItPostsTo) {
  sqs().create("orders");
  const Answer sent = sqs().query("Action=SendMessage&MessageBody=hello", "/000000000000/orders");
  EXPECT_EQ(sent.status, 200U) << sent.body;
  EXPECT_THAT(sent.body, HasSubstr("<MD5OfMessageBody>5d41402abc4b2a76b9719d911017c592</MD5OfMessageBody>"));
  const Answer received = sqs().query("Action=ReceiveMessage&AttributeName.1=All", "/000000000000/orders");
  EXPECT_THAT(received.body, HasSubstr("<Body>hello</Body>"));
  EXPECT_THAT(received.body, HasSubstr("<Name>ApproximateReceiveCount</Name><Value>1</Value>"));
}

TEST_F(SqsQueuesTest, AQueueOfOthersDeadLettersCanBeDeleted) {
  sqs().create("dlq");
  const std::string url = sqs().create("orders", {{"RedrivePolicy", redrive_policy("dlq", 3)}});
  const json sources = sqs().must("ListDeadLetterSourceQueues", {{"QueueUrl", "http://x/000000000000/dlq"}});
  EXPECT_EQ(sources["queueUrls"], json({url}));
  sqs().must("DeleteQueue", {{"QueueUrl", "http://x/000000000000/dlq"}});
  EXPECT_EQ(sqs().attribute(url, "RedrivePolicy"), "");
}

// One source cannot do without its dead letter queue, and one needs the queue for what it gives up.
TEST_F(SqsQueuesTest, AQueueThatCannotBeDeletedKeepsItsSources) {
  for (const char* name : {"dlq", "parked"}) sqs().create(name);
  const std::string url = sqs().create("orders", {{"RedrivePolicy", redrive_policy("dlq", 3)}});
  const std::string other = sqs().create("zebras", {{"RedrivePolicy", redrive_policy("parked", 3)}});
  must(engine_->create_queue(
      "mail", {.dead_letters = {.queue = "dlq"}, .expiry = {.time_to_live = std::chrono::hours(1)}}));
  must(engine_->create_queue("post", {.dead_letters = {.parking_queue = "parked"}}));
  EXPECT_EQ(sqs().fault("DeleteQueue", {{"QueueUrl", "http://x/000000000000/dlq"}}), "InvalidParameterValue");
  EXPECT_EQ(sqs().fault("DeleteQueue", {{"QueueUrl", "http://x/000000000000/parked"}}),
            "AWS.SimpleQueueService.UnsupportedOperation");
  for (const auto& [source, target] :
       {std::pair("orders", "dlq"), std::pair("mail", "dlq"), std::pair("zebras", "parked")})
    EXPECT_EQ(must(engine_->describe_queue(source)).options.dead_letters.queue, target) << source;
}

class SqsCooldownTest : public SqsFixture {};

TEST_F(SqsCooldownTest, AQueueThatWasMadeAnewHasNotBeenPurged) {
  serve_sqs();
  const std::string url = sqs().create("orders");
  sqs().must("PurgeQueue", {{"QueueUrl", url}});
  must(engine_->delete_queue("orders"));
  must(engine_->create_queue("orders"));
  sqs().must("PurgeQueue", {{"QueueUrl", url}});
  EXPECT_EQ(sqs().fault("PurgeQueue", {{"QueueUrl", url}}), "AWS.SimpleQueueService.PurgeQueueInProgress");
}

TEST_F(SqsCooldownTest, WhatWasDeletedOrPurgedRestsForAMinuteUnlessToldOtherwise) {
  serve_sqs();
  const std::string url = sqs().create("orders");
  sqs().must("PurgeQueue", {{"QueueUrl", url}});
  const Answer again = sqs().ask("PurgeQueue", {{"QueueUrl", url}});
  EXPECT_EQ(again.status, 403U);
  EXPECT_EQ(again.header("x-amzn-query-error"), "AWS.SimpleQueueService.PurgeQueueInProgress;Sender");
  sqs().must("DeleteQueue", {{"QueueUrl", url}});
  EXPECT_EQ(sqs().fault("CreateQueue", {{"QueueName", "orders"}}),
            "AWS.SimpleQueueService.QueueDeletedRecently");

  server_.reset();
  serve_sqs(without_cooldown());
  const std::string anew = sqs().create("orders");
  for (int i = 0; i < 2; ++i) sqs().must("PurgeQueue", {{"QueueUrl", anew}});
  sqs().must("DeleteQueue", {{"QueueUrl", anew}});
  sqs().create("orders");
}

TEST_F(SqsCooldownTest, AQueueThatIsThereAgainIsNotOneThatWasDeleted) {
  serve_sqs();
  const std::string url = sqs().create("orders");
  sqs().must("DeleteQueue", {{"QueueUrl", url}});
  must(engine_->create_queue("orders"));
  EXPECT_EQ(sqs().create("orders"), url);
}

TEST_F(SqsCooldownTest, OnlyDeletionsOverSqsCountAndOnlyUntilTheServerEnds) {
  serve_sqs();
  must(engine_->create_queue("orders"));
  must(engine_->delete_queue("orders"));
  const std::string url = sqs().create("orders");
  sqs().must("DeleteQueue", {{"QueueUrl", url}});
  server_.reset();
  serve_sqs();
  sqs().create("orders");
}

class SqsTextTest : public SqsFixture {
 protected:
  SqsTextTest() { serve_sqs(without_cooldown()); }

  // Returns the code of the fault for a form of the query protocol, which can have any bytes.
  std::string fault_of(const std::string& form) {
    const Answer answer = sqs().query(form, "/000000000000/orders");
    EXPECT_EQ(answer.status, 400U) << form << answer.body;
    const std::string code = answer.header("x-amzn-query-error");
    return code.substr(0, code.find(';'));
  }
};

// Neither JSON nor XML could give back what is not text.
TEST_F(SqsTextTest, WhatIsKeptHasToBeText) {
  sqs().create("orders");
  for (const char* bytes : {"%FF", "a%C3", "%ED%A0%80", "%01", "%EF%BF%BF"}) {
    const std::string wrong = bytes;
    for (const char* const operation : {"TagQueue&", "CreateQueue&QueueName=new&"}) {
      const std::string action = operation;
      EXPECT_EQ(fault_of("Action=" + action + "Tag.1.Key=" + wrong + "&Tag.1.Value=x"),
                "InvalidParameterValue");
      EXPECT_EQ(fault_of("Action=" + action + "Tag.1.Key=x&Tag.1.Value=" + wrong), "InvalidParameterValue");
    }
    EXPECT_EQ(
        fault_of("Action=SetQueueAttributes&Attribute.1.Name=KmsMasterKeyId&Attribute.1.Value=" + wrong),
        "InvalidAttributeValue");
    EXPECT_EQ(fault_of("Action=AddPermission&Label=x&ActionName.1=SendMessage&AWSAccountId.1=" + wrong),
              "InvalidParameterValue");
    const std::string send = "Action=SendMessage&MessageBody=x&MessageAttribute.1.";
    EXPECT_EQ(fault_of(send + "Name=" + wrong + "&MessageAttribute.1.Value.DataType=String&" +
                       "MessageAttribute.1.Value.StringValue=x"),
              "InvalidParameterValue");
    EXPECT_EQ(fault_of(send + "Name=x&MessageAttribute.1.Value.DataType=String." + wrong +
                       "&MessageAttribute.1.Value.StringValue=x"),
              "InvalidParameterValue");
  }
  EXPECT_FALSE(engine_->describe_queue("new"));
  EXPECT_EQ(must(engine_->describe_queue("orders")).options.tags.size(), 0U);
  EXPECT_EQ(must(engine_->describe_queue("orders")).counts.ready, 0U);
}

}  // namespace
}  // namespace holdfast::server::sqs
