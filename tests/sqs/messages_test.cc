// These tests are about messages over SQS: standard queues.
#include <thread>

#include "server/sqs/format/sqs_digests.h"
#include "tests/sqs/sqs_fixture.h"

namespace holdfast::server::sqs {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class SqsMessagesTest : public SqsFixture {
 protected:
  SqsMessagesTest() {
    serve_sqs(without_cooldown());
    url_ = sqs().create("orders");
  }
  void remove(const json& message) {
    sqs().must("DeleteMessage", {{"QueueUrl", url_}, {"ReceiptHandle", message["ReceiptHandle"]}});
  }
  static json with_all() {
    return {{"MessageSystemAttributeNames", {"All"}}, {"MessageAttributeNames", {"All"}}};
  }

  std::string url_;
};

TEST_F(SqsMessagesTest, AMessageIsSentReceivedAndDeleted) {
  const json sent = sqs().send(url_, "hello");
  EXPECT_EQ(sent["MD5OfMessageBody"], "5d41402abc4b2a76b9719d911017c592");
  EXPECT_FALSE(sent.contains("MD5OfMessageAttributes"));
  EXPECT_FALSE(sent.contains("SequenceNumber"));
  const json received = sqs().receive(url_);
  ASSERT_THAT(received, SizeIs(1));
  EXPECT_EQ(received[0]["MessageId"], sent["MessageId"]);
  EXPECT_EQ(received[0]["Body"], "hello");
  EXPECT_EQ(received[0]["MD5OfBody"], sent["MD5OfMessageBody"]);
  EXPECT_FALSE(received[0].contains("Attributes"));
  EXPECT_FALSE(received[0].contains("MessageAttributes"));
  EXPECT_EQ(sqs().attribute(url_, "ApproximateNumberOfMessagesNotVisible"), "1");
  remove(received[0]);
  remove(received[0]);  // a repeated removal does no harm
  EXPECT_EQ(sqs().must("ReceiveMessage", {{"QueueUrl", url_}}), json::object());
}

TEST_F(SqsMessagesTest, WhereNobodySignsTheAccountIsTheSender) {
  sqs().send(url_, "x");
  EXPECT_EQ(sqs().receive(url_, with_all())[0]["Attributes"]["SenderId"], "000000000000");
}

TEST_F(SqsMessagesTest, AttributesKeepTheirTypesAndAreDigested) {
  const json attributes = {{"city", {{"DataType", "String"}, {"StringValue", "Nürnberg"}}},
                           {"count", {{"DataType", "Number.int"}, {"StringValue", "12"}}},
                           {"image", {{"DataType", "Binary.png"}, {"BinaryValue", "AAH/"}}}};
  const json sent = sqs().send(url_, "x", {{"MessageAttributes", attributes}});
  const json received = sqs().receive(url_, with_all());
  ASSERT_THAT(received, SizeIs(1));
  EXPECT_EQ(received[0]["MessageAttributes"], attributes);
  EXPECT_EQ(received[0]["MD5OfMessageAttributes"], sent["MD5OfMessageAttributes"]);
}

TEST_F(SqsMessagesTest, OnlyTheAttributesThatAreAskedForAreGiven) {
  const json text = {{"DataType", "String"}, {"StringValue", "v"}};
  sqs().send(url_, "x", {{"MessageAttributes", {{"a.b", text}, {"a.c", text}, {"d", text}}}});
  const auto names_for = [&](const json& asked) {
    const json message = sqs().receive(
        url_, {{"MessageAttributeNames", asked}, {"VisibilityTimeout", 0}, {"WaitTimeSeconds", 1}})[0];
    json names = json::array();
    const json attributes = message.value("MessageAttributes", json::object());
    for (const auto& [name, value] : attributes.items()) names.push_back(name);
    return names;
  };
  EXPECT_EQ(names_for({"a.*"}), json({"a.b", "a.c"}));
  EXPECT_EQ(names_for({"d", "nothing"}), json({"d"}));
  EXPECT_EQ(names_for(json::array()), json::array());
}

TEST_F(SqsMessagesTest, LargeAttributesAreDividedAndPutTogetherAgain) {
  const std::string large(20'000, 'v');
  const json attributes = {{"large", {{"DataType", "String"}, {"StringValue", large}}}};
  sqs().send(url_, "x", {{"MessageAttributes", attributes}});
  EXPECT_EQ(sqs().receive(url_, with_all())[0]["MessageAttributes"], attributes);
}

TEST_F(SqsMessagesTest, OfAttributesThatShareANameTheFirstIsGiven) {
  const json same = {{"messages",
                      {{{"body", "x"},
                        {"attributes",
                         {{{"name", "tag"}, {"value", "red"}},
                          {{"name", "empty"}, {"value", ""}},
                          {{"name", "tag"}, {"value", "blue"}},
                          {{"name", "empty"}, {"value", "no"}}}}}}}};
  const auto sent = sqs().http().post("/v1/queues/orders/messages/batch", same);
  ASSERT_LT(sent.status, 300U) << sent.body;
  const json attributes = sqs().receive(url_, with_all())[0]["MessageAttributes"];
  EXPECT_EQ(attributes["tag"]["StringValue"], "red");
  EXPECT_EQ(attributes["empty"]["StringValue"], "");
}

TEST_F(SqsMessagesTest, SystemAttributesAreGivenAsSqsGivesThem) {
  const json trace = {{"AWSTraceHeader", {{"DataType", "String"}, {"StringValue", "Root=1-5759e988"}}}};
  const json sent = sqs().send(url_, "x", {{"MessageSystemAttributes", trace}});
  EXPECT_EQ(sent["MD5OfMessageSystemAttributes"],
            md5_of({{"AWSTraceHeader", {"String", "Root=1-5759e988"}}}));
  json first = sqs().receive(url_, {{"AttributeNames", {"All"}}, {"VisibilityTimeout", 0}})[0]["Attributes"];
  EXPECT_EQ(first["AWSTraceHeader"], "Root=1-5759e988");
  EXPECT_EQ(first["ApproximateReceiveCount"], "1");
  EXPECT_THAT(first["SentTimestamp"].get<std::string>(), SizeIs(13));
  EXPECT_GE(first["ApproximateFirstReceiveTimestamp"], first["SentTimestamp"]);
  const json second =
      sqs().receive(url_, {{"AttributeNames", {"ApproximateReceiveCount"}}, {"WaitTimeSeconds", 5}});
  ASSERT_THAT(second, SizeIs(1));
  EXPECT_EQ(second[0]["Attributes"], (json{{"ApproximateReceiveCount", "2"}}));
  EXPECT_EQ(sqs().fault("ReceiveMessage", {{"QueueUrl", url_}, {"AttributeNames", {"Nonsense"}}}),
            "InvalidAttributeName");
}

TEST_F(SqsMessagesTest, UnicodeComesBackAsItWas) {
  const std::string body = "ä€😀\t\r\n\"\\<&>";
  EXPECT_EQ(sqs().send(url_, body)["MD5OfMessageBody"], md5_hex(body));
  EXPECT_EQ(sqs().receive(url_)[0]["Body"], body);
}

// Clients check the digest of the attributes that they are shown.
TEST_F(SqsMessagesTest, WhatSqsCannotShowIsDigestedAsItIsShown) {
  (void)must(engine_->send("orders", {.body = "x",
                                      .attributes = {{"a\x01"
                                                      "b\xff",
                                                      "v"},
                                                     {"n", "\xff"},
                                                     {"sqs.types", R"({"n": "Number", "a\u0001b": 1})"}}}));
  json asked = with_all();
  asked["VisibilityTimeout"] = 0;
  const json message = sqs().receive(url_, asked)[0];
  const std::string name = "a\uFFFDb\uFFFD";
  EXPECT_EQ(message["MessageAttributes"], (json{{name, {{"DataType", "String"}, {"StringValue", "v"}}},
                                                {"n", {{"DataType", "Binary"}, {"BinaryValue", "/w=="}}}}));
  const std::string digest = md5_of({{name, {"String", "v"}}, {"n", {"Binary", "\xff"}}});
  EXPECT_EQ(message["MD5OfMessageAttributes"], digest);
  const Answer in_xml = sqs().query(
      "Action=ReceiveMessage&QueueUrl=%2F0%2Forders&MessageAttributeName.1=All&WaitTimeSeconds=5");
  EXPECT_THAT(in_xml.body, HasSubstr("<Name>" + name + "</Name>"));
  EXPECT_THAT(in_xml.body, HasSubstr("<MD5OfMessageAttributes>" + digest + "</MD5OfMessageAttributes>"));
}

TEST_F(SqsMessagesTest, ABodyThatIsNoTextComesAsBase64AndSaysSoToThoseWhoAsk) {
  (void)must(engine_->send("orders", {.body = std::string("\0\xff", 2), .attributes = {{"n", "v"}}}));
  const json plain = sqs().receive(url_, {{"VisibilityTimeout", 0}})[0];
  EXPECT_EQ(plain["Body"], "AP8=");
  EXPECT_EQ(plain["MD5OfBody"], md5_hex("AP8="));
  EXPECT_FALSE(plain.contains("MessageAttributes"));
  json asked = with_all();
  asked["WaitTimeSeconds"] = 5;
  const json message = sqs().receive(url_, asked)[0];
  EXPECT_EQ(message["Body"], "AP8=");
  EXPECT_EQ(message["MessageAttributes"]["holdfast.body-encoding"]["StringValue"], "base64");
  EXPECT_EQ(message["MessageAttributes"]["n"]["StringValue"], "v");
}

TEST_F(SqsMessagesTest, ABodyIsStoredAsItIsSentWhateverItsAttributesSay) {
  const json attributes = {{"holdfast.body-encoding", {{"DataType", "String"}, {"StringValue", "base64"}}}};
  EXPECT_EQ(sqs().send(url_, "AP8=", {{"MessageAttributes", attributes}})["MD5OfMessageBody"],
            md5_hex("AP8="));
  EXPECT_EQ(must(engine_->receive("orders")).front().body, "AP8=");
}

TEST_F(SqsMessagesTest, WhatSqsSendsIsAnOrdinaryMessageForOthers) {
  sqs().send(url_, "x", {{"MessageAttributes", {{"n", {{"DataType", "String"}, {"StringValue", "v"}}}}}});
  const Deliveries received = must(engine_->receive("orders"));
  ASSERT_THAT(received, SizeIs(1));
  EXPECT_EQ(received[0].body, "x");
  EXPECT_EQ(received[0].attributes, (Attributes{{"n", "v"}}));
}

TEST_F(SqsMessagesTest, ABatchSaysForEachEntryWhatBecameOfIt) {
  const json answer =
      sqs().must("SendMessageBatch", {{"QueueUrl", url_},
                                      {"Entries",
                                       {{{"Id", "good"}, {"MessageBody", "1"}},
                                        {{"Id", "bad"}, {"MessageBody", "2"}, {"DelaySeconds", 901}},
                                        {{"Id", "empty"}},
                                        {{"Id", "too"}, {"MessageBody", "3"}}}}});
  ASSERT_THAT(answer["Successful"], SizeIs(2));
  EXPECT_EQ(answer["Successful"][0]["Id"], "good");
  EXPECT_EQ(answer["Successful"][1]["Id"], "too");
  ASSERT_THAT(answer["Failed"], SizeIs(2));
  EXPECT_EQ(answer["Failed"][0]["Id"], "bad");
  EXPECT_EQ(answer["Failed"][0]["Code"], "InvalidParameterValue");
  EXPECT_EQ(answer["Failed"][0]["SenderFault"], true);
  EXPECT_EQ(answer["Failed"][1]["Code"], "MissingParameter");

  const json received = sqs().receive(url_);
  ASSERT_THAT(received, SizeIs(2));
  const json deleted =
      sqs().must("DeleteMessageBatch", {{"QueueUrl", url_},
                                        {"Entries",
                                         {{{"Id", "a"}, {"ReceiptHandle", received[0]["ReceiptHandle"]}},
                                          {{"Id", "b"}, {"ReceiptHandle", "nonsense"}}}}});
  EXPECT_EQ(deleted["Successful"], json({{{"Id", "a"}}}));
  EXPECT_EQ(deleted["Failed"][0]["Code"], "ReceiptHandleIsInvalid");
  const json changed =
      sqs().must("ChangeMessageVisibilityBatch",
                 {{"QueueUrl", url_},
                  {"Entries",
                   {{{"Id", "a"}, {"ReceiptHandle", received[1]["ReceiptHandle"]}, {"VisibilityTimeout", 0}},
                    {{"Id", "b"}, {"ReceiptHandle", received[1]["ReceiptHandle"]}}}}});
  EXPECT_EQ(changed["Successful"], json({{{"Id", "a"}}}));
  EXPECT_EQ(changed["Failed"][0]["Code"], "MissingParameter");
  EXPECT_THAT(sqs().receive(url_), SizeIs(1));
}

TEST_F(SqsMessagesTest, BatchesAreRefusedWhole) {
  const auto entries = [](std::size_t count, const std::string& id = "") {
    json all = json::array();
    for (std::size_t i = 0; i < count; ++i)
      all.push_back({{"Id", id.empty() ? "e" + std::to_string(i) : id}, {"MessageBody", "x"}});
    return all;
  };
  const auto fault = [&](const json& all) {
    return sqs().fault("SendMessageBatch", {{"QueueUrl", url_}, {"Entries", all}});
  };
  EXPECT_EQ(fault(json::array()), "AWS.SimpleQueueService.EmptyBatchRequest");
  EXPECT_EQ(fault(entries(11)), "AWS.SimpleQueueService.TooManyEntriesInBatchRequest");
  EXPECT_EQ(fault(entries(2, "same")), "AWS.SimpleQueueService.BatchEntryIdsNotDistinct");
  EXPECT_EQ(fault(entries(1, "no blanks")), "AWS.SimpleQueueService.InvalidBatchEntryId");
  EXPECT_EQ(fault(entries(1, std::string(81, 'x'))), "AWS.SimpleQueueService.InvalidBatchEntryId");
  EXPECT_THAT(sqs().must("SendMessageBatch", {{"QueueUrl", url_}, {"Entries", entries(10)}})["Successful"],
              SizeIs(10));
}

TEST_F(SqsMessagesTest, AReceiptThatIsOverSucceedsButDeletesNothing) {
  sqs().send(url_, "x");
  const json first = sqs().receive(url_)[0];
  sqs().must("ChangeMessageVisibility",
             {{"QueueUrl", url_}, {"ReceiptHandle", first["ReceiptHandle"]}, {"VisibilityTimeout", 0}});
  const json second = sqs().receive(url_)[0];
  EXPECT_NE(second["ReceiptHandle"], first["ReceiptHandle"]);
  remove(first);
  EXPECT_EQ(
      sqs().fault("ChangeMessageVisibility",
                  {{"QueueUrl", url_}, {"ReceiptHandle", first["ReceiptHandle"]}, {"VisibilityTimeout", 5}}),
      "AWS.SimpleQueueService.MessageNotInflight");
  EXPECT_EQ(sqs().attribute(url_, "ApproximateNumberOfMessagesNotVisible"), "1");
  remove(second);
  EXPECT_EQ(sqs().attribute(url_, "ApproximateNumberOfMessagesNotVisible"), "0");
}

TEST_F(SqsMessagesTest, AReceiptIsOfItsQueueAlone) {
  const std::string other = sqs().create("other");
  sqs().send(url_, "x");
  const json message = sqs().receive(url_)[0];
  EXPECT_EQ(sqs().fault("DeleteMessage", {{"QueueUrl", other}, {"ReceiptHandle", message["ReceiptHandle"]}}),
            "ReceiptHandleIsInvalid");
}

// A receipt alone does not tell whether its message or its whole queue is gone.
TEST_F(SqsMessagesTest, WhatIsSettledInAQueueThatIsGoneSaysSo) {
  sqs().send(url_, "x");
  const std::string handle = sqs().receive(url_)[0]["ReceiptHandle"];
  sqs().must("DeleteQueue", {{"QueueUrl", url_}});
  for (const std::string& one : {handle, std::string("nonsense")}) {
    const json entry = {{"Id", "a"}, {"ReceiptHandle", one}, {"VisibilityTimeout", 1}};
    json single = entry;
    single["QueueUrl"] = url_;
    const json batch = {{"QueueUrl", url_}, {"Entries", json::array({entry})}};
    for (const char* operation : {"DeleteMessage", "ChangeMessageVisibility"}) {
      EXPECT_EQ(sqs().fault(operation, single), "AWS.SimpleQueueService.NonExistentQueue") << operation;
      EXPECT_EQ(sqs().fault(std::string(operation) + "Batch", batch),
                "AWS.SimpleQueueService.NonExistentQueue")
          << operation;
    }
  }
}

TEST_F(SqsMessagesTest, ReceiptsSurviveARestart) {
  sqs().send(url_, "x");
  const json message = sqs().receive(url_)[0];
  server_.reset();
  engine_.reset();
  engine_.emplace(must(Engine::open(directory_ / "data")));
  serve_sqs(without_cooldown());
  EXPECT_EQ(sqs().attribute(url_, "ApproximateNumberOfMessagesNotVisible"), "1");
  remove(message);
  EXPECT_EQ(sqs().attribute(url_, "ApproximateNumberOfMessagesNotVisible"), "0");
  EXPECT_THAT(sqs().receive(url_), SizeIs(0));
}

TEST_F(SqsMessagesTest, ASendWakesWhoWaits) {
  SqsClient waiting(server_->http_addresses().front());
  waiting.http().start(http::verb::post, "/", json({{"QueueUrl", url_}, {"WaitTimeSeconds", 20}}).dump(),
                       {{"X-Amz-Target", "AmazonSQS.ReceiveMessage"}});
  sqs().send(url_, "at last");
  EXPECT_EQ(waiting.http().finish().parsed()["Messages"][0]["Body"], "at last");
}

TEST_F(SqsMessagesTest, TheQueuesOwnWaitHoldsForWhoSaysNone) {
  sqs().must("SetQueueAttributes",
             {{"QueueUrl", url_}, {"Attributes", {{"ReceiveMessageWaitTimeSeconds", "20"}}}});
  SqsClient waiting(server_->http_addresses().front());
  waiting.http().start(http::verb::post, "/", json({{"QueueUrl", url_}}).dump(),
                       {{"X-Amz-Target", "AmazonSQS.ReceiveMessage"}});
  sqs().send(url_, "at last");
  EXPECT_EQ(waiting.http().finish().parsed()["Messages"][0]["Body"], "at last");
}

TEST_F(SqsMessagesTest, GroupsOfAStandardQueueTakeTurns) {
  for (const char* body : {"a1", "a2", "a3"}) sqs().send(url_, body, {{"MessageGroupId", "a"}});
  sqs().send(url_, "b1", {{"MessageGroupId", "b"}});
  EXPECT_EQ(must(engine_->describe_queue("orders")).options.grouping.mode, Grouping::kFair);
  const json received =
      sqs().receive(url_, {{"MaxNumberOfMessages", 2}, {"AttributeNames", {"MessageGroupId"}}});
  ASSERT_THAT(received, SizeIs(2));
  EXPECT_EQ(received[0]["Body"], "a1");
  EXPECT_EQ(received[1]["Body"], "b1");
  EXPECT_EQ(received[1]["Attributes"]["MessageGroupId"], "b");
}

TEST_F(SqsMessagesTest, OnlyAGroupThatIsSentMakesTheQueueFair) {
  const auto grouping = [&] { return must(engine_->describe_queue("orders")).options.grouping.mode; };
  const json bad = {{"Id", "a"}, {"MessageBody", "x"}, {"MessageGroupId", "a b"}};
  json single = bad;
  single["QueueUrl"] = url_;
  EXPECT_EQ(sqs().fault("SendMessage", single), "InvalidParameterValue");
  const json good = {{"Id", "b"}, {"MessageBody", "y"}};
  const json answer =
      sqs().must("SendMessageBatch", {{"QueueUrl", url_}, {"Entries", json::array({bad, good})}});
  EXPECT_THAT(answer["Successful"], SizeIs(1));
  EXPECT_EQ(grouping(), Grouping::kNone);
  sqs().send(url_, "z", {{"MessageGroupId", "a"}});
  EXPECT_EQ(grouping(), Grouping::kFair);
}

TEST_F(SqsMessagesTest, WhatADrainedServerAnswersMayBeTriedAgain) {
  server_.reset();
  serve_sqs();
  EXPECT_EQ(sqs().http().post("/v1/drain", {{"timeout", "1h"}}).status, 202U);
  const Answer refused = sqs().ask("SendMessage", {{"QueueUrl", url_}, {"MessageBody", "x"}});
  EXPECT_EQ(refused.status, 503U);
  EXPECT_EQ(refused.header("x-amzn-query-error"), "ServiceUnavailable;Receiver");
}

}  // namespace
}  // namespace holdfast::server::sqs
