// Tests every limit of SQS at its edge.
#include <capnp/schema.h>

#include "holdfast/wire/holdfast.capnp.h"
#include "schema/protocol/protocol_methods.h"
#include "server/sqs/format/sqs_limits.h"
#include "server/sqs/format/sqs_values.h"
#include "tests/sqs/sqs_fixture.h"

namespace holdfast::server::sqs {
namespace {

using ::testing::SizeIs;

class SqsLimitsTest : public SqsFixture {
 protected:
  SqsLimitsTest() {
    serve_sqs(without_cooldown());
    url_ = sqs().create("orders");
  }

  // Returns the code with which the operation is refused, or an empty text if it is not refused.
  std::string outcome(const std::string& operation, json input) {
    if (!input.contains("QueueUrl") && operation != "CreateQueue" && operation != "ListQueues")
      input["QueueUrl"] = url_;
    const Answer answer = sqs().ask(operation, input);
    const std::string error = answer.header("x-amzn-query-error");
    return error.substr(0, error.find(';'));
  }
  std::string set(const std::string& name, std::int64_t value) {
    return outcome("SetQueueAttributes", {{"Attributes", {{name, std::to_string(value)}}}});
  }
  void expect_range(const std::string& operation, json input, const std::string& member,
                    limits::Range range) {
    for (const std::int64_t good : {range.least, range.most}) {
      input[member] = good;
      EXPECT_EQ(outcome(operation, input), "") << operation << " " << member << " " << good;
    }
    for (const std::int64_t bad : {range.least - 1, range.most + 1}) {
      input[member] = bad;
      EXPECT_EQ(outcome(operation, input), "InvalidParameterValue")
          << operation << " " << member << " " << bad;
    }
  }

  std::string url_;
};

TEST_F(SqsLimitsTest, AttributesOfQueues) {
  const std::map<std::string, limits::Range> ranges = {{"VisibilityTimeout", limits::kVisibility},
                                                       {"DelaySeconds", limits::kDelay},
                                                       {"MessageRetentionPeriod", limits::kRetention},
                                                       {"ReceiveMessageWaitTimeSeconds", limits::kWait},
                                                       {"MaximumMessageSize", limits::kMaximumMessageSize},
                                                       {"KmsDataKeyReusePeriodSeconds", limits::kKeyReuse}};
  for (const auto& [name, range] : ranges) {
    for (const std::int64_t good : {range.least, range.most})
      EXPECT_EQ(set(name, good), "") << name << " " << good;
    for (const std::int64_t bad : {range.least - 1, range.most + 1})
      EXPECT_EQ(set(name, bad), "InvalidAttributeValue") << name << " " << bad;
  }
}

TEST_F(SqsLimitsTest, TheRangesAreThoseOfTheService) {
  EXPECT_EQ(limits::kVisibility.most, 43'200);
  EXPECT_EQ(limits::kDelay.most, 900);
  EXPECT_EQ(limits::kWait.most, 20);
  EXPECT_EQ(limits::kRetention.least, 60);
  EXPECT_EQ(limits::kRetention.most, 1'209'600);
  EXPECT_EQ(limits::kMessageBytes, 1'048'576U);
  EXPECT_EQ(limits::kReceiveCount.most, 1'000);
  EXPECT_EQ(limits::kPage.most, 1'000);
}

TEST_F(SqsLimitsTest, NumbersOfCalls) {
  expect_range("SendMessage", {{"MessageBody", "x"}}, "DelaySeconds", limits::kDelay);
  expect_range("ReceiveMessage", {{"WaitTimeSeconds", 0}}, "MaxNumberOfMessages", limits::kReceive);
  expect_range("ReceiveMessage", {{"WaitTimeSeconds", 0}}, "VisibilityTimeout", limits::kVisibility);
  expect_range("ListQueues", json::object(), "MaxResults", limits::kPage);
  EXPECT_EQ(outcome("ReceiveMessage", {{"WaitTimeSeconds", 21}}), "InvalidParameterValue");
  EXPECT_EQ(outcome("ReceiveMessage", {{"WaitTimeSeconds", -1}}), "InvalidParameterValue");
}

TEST_F(SqsLimitsTest, VisibilityOfAMessage) {
  const auto change = [&](std::int64_t timeout) {
    sqs().must("PurgeQueue", {{"QueueUrl", url_}});
    sqs().send(url_, "x");
    return outcome("ChangeMessageVisibility", {{"ReceiptHandle", sqs().receive(url_)[0]["ReceiptHandle"]},
                                               {"VisibilityTimeout", timeout}});
  };
  EXPECT_EQ(change(0), "");
  EXPECT_EQ(change(43'200), "");
  EXPECT_EQ(change(43'201), "InvalidParameterValue");
  EXPECT_EQ(change(-1), "InvalidParameterValue");
}

TEST_F(SqsLimitsTest, NamesOfQueues) {
  const auto create = [&](const std::string& name) {
    json input = {{"QueueName", name}};
    if (name.ends_with(".fifo")) input["Attributes"] = {{"FifoQueue", "true"}};
    return outcome("CreateQueue", input);
  };
  EXPECT_EQ(create(std::string(80, 'q')), "");
  EXPECT_EQ(create(std::string(81, 'q')), "InvalidParameterValue");
  EXPECT_EQ(create(std::string(75, 'q') + ".fifo"), "");
  EXPECT_EQ(create(std::string(76, 'q') + ".fifo"), "InvalidParameterValue");
  EXPECT_EQ(create("Az09_-"), "");
  for (const char* bad : {"", ".fifo", "a.b", "a b", "ä"})
    EXPECT_EQ(create(bad), "InvalidParameterValue") << bad;
}

TEST_F(SqsLimitsTest, BytesOfAMessageWithItsAttributes) {
  const auto send = [&](std::size_t bytes) {
    return outcome("SendMessage", {{"MessageBody", std::string(bytes, 'x')}});
  };
  EXPECT_EQ(send(1'048'576), "");
  EXPECT_EQ(send(1'048'577), "InvalidParameterValue");
  EXPECT_EQ(send(0), "MissingParameter");
  const json attributes = {{"name", {{"DataType", "String"}, {"StringValue", "value"}}}};  // 4 + 6 + 5 bytes
  const auto with_attribute = [&](std::size_t bytes) {
    return outcome("SendMessage",
                   {{"MessageBody", std::string(bytes, 'x')}, {"MessageAttributes", attributes}});
  };
  EXPECT_EQ(with_attribute(1'048'576 - 15), "");
  EXPECT_EQ(with_attribute(1'048'576 - 14), "InvalidParameterValue");
}

TEST_F(SqsLimitsTest, BytesOfABatch) {
  const auto send = [&](std::size_t bytes) {
    json entries = json::array();
    entries.push_back({{"Id", "a"}, {"MessageBody", "1234"}});
    entries.push_back({{"Id", "b"}, {"MessageBody", std::string(bytes - 4, 'x')}});
    return outcome("SendMessageBatch", {{"Entries", entries}});
  };
  EXPECT_EQ(send(1'048'576), "");
  EXPECT_EQ(send(1'048'577), "AWS.SimpleQueueService.BatchRequestTooLong");
  // One entry that is too long by itself makes the batch too long, so no other entry is sent.
  EXPECT_EQ(send(1'048'576 + 5), "AWS.SimpleQueueService.BatchRequestTooLong");
}

TEST_F(SqsLimitsTest, AttributesOfAMessage) {
  const auto send = [&](int count) {
    json attributes = json::object();
    for (int i = 0; i < count; ++i)
      attributes["a" + std::to_string(i)] = {{"DataType", "String"}, {"StringValue", "v"}};
    return outcome("SendMessage", {{"MessageBody", "x"}, {"MessageAttributes", attributes}});
  };
  EXPECT_EQ(send(10), "");
  EXPECT_EQ(send(11), "InvalidParameterValue");
  const auto send_one = [&](const std::string& name, const std::string& type, const std::string& value) {
    return outcome("SendMessage",
                   {{"MessageBody", "x"},
                    {"MessageAttributes", {{name, {{"DataType", type}, {"StringValue", value}}}}}});
  };
  EXPECT_EQ(send_one("a-b_c.1", "String.label", "x"), "");
  for (const char* name : {".a", "a.", "a..b", "AWS.x", "amazon.x", "sqs.x", "a b"})
    EXPECT_EQ(send_one(name, "String", "x"), "InvalidParameterValue") << name;
  EXPECT_EQ(send_one("n", "String." + std::string(249, 't'), "x"), "");
  EXPECT_EQ(send_one("n", "String." + std::string(250, 't'), "x"), "InvalidParameterValue");
  EXPECT_EQ(send_one("n", "Text", "x"), "InvalidParameterValue");
  EXPECT_EQ(send_one("n", "String", ""), "InvalidParameterValue");
  for (const char* type : {"String", "Number", "Binary", "Binary.gif"}) {
    const json both = {{"DataType", type}, {"StringValue", "7"}, {"BinaryValue", "Nw=="}};
    EXPECT_EQ(outcome("SendMessage", {{"MessageBody", "x"}, {"MessageAttributes", {{"n", both}}}}),
              "InvalidParameterValue")
        << type << ": one of the values would be lost";
  }
  for (const char* list : {"StringListValues", "BinaryListValues"}) {
    json value = {{"DataType", "String"}, {"StringValue", "7"}, {list, json::array()}};
    EXPECT_EQ(outcome("SendMessage", {{"MessageBody", "x"}, {"MessageAttributes", {{"n", value}}}}), "");
    value[list] = {"Nw=="};
    EXPECT_EQ(outcome("SendMessage", {{"MessageBody", "x"}, {"MessageAttributes", {{"n", value}}}}),
              "AWS.SimpleQueueService.UnsupportedOperation")
        << list << ": the list would be lost";
  }
}

// The service does not count the zeros at both ends of a number.
TEST_F(SqsLimitsTest, NumbersOfAMessage) {
  const auto send = [&](const std::string& number) {
    return outcome("SendMessage",
                   {{"MessageBody", "x"},
                    {"MessageAttributes", {{"n", {{"DataType", "Number"}, {"StringValue", number}}}}}});
  };
  const std::string digits(38, '1');
  const std::string zeros(126, '0');
  for (const char* good : {"0",     "-0",     "0.00",   "0e5",     "5",       "5.0",    "5.",
                           ".5",    "+5",     "-5",     "007",     "-1.5e3",  "1E+3",   "1e-3",
                           "1e126", "-1e126", "10e125", "9.9e125", "0.1e127", "1e-128", "0.1e-127"})
    EXPECT_EQ(send(good), "") << good;
  for (const std::string& good :
       {digits, "-0.000" + digits, digits + ".000", "000" + digits, digits + "000", "1" + zeros})
    EXPECT_EQ(send(good), "") << good;
  for (const char* bad : {"+-5",     "-+5",   "++5",    "--5",    "+",        "-",
                          ".",       "+.",    "e5",     "5e",     "5e+",      "5e+-3",
                          "5e1.5",   "5e5e5", "1.2.3",  " 5",     "5 ",       "5,0",
                          "1_000",   "0x10",  "NaN",    "inf",    "many",     "\u0665",
                          "1.1e126", "1e127", "10e126", "9e-129", "0.9e-128", "5e99999999999999999999"})
    EXPECT_EQ(send(bad), "InvalidParameterValue") << bad;
  for (const std::string& bad :
       {"1" + digits, digits + ".1", "11" + zeros.substr(1), "1." + zeros.substr(92) + "1e126"})
    EXPECT_EQ(send(bad), "InvalidParameterValue") << bad;
}

TEST_F(SqsLimitsTest, TheTraceHeaderIsAText) {
  const auto send = [&](const json& value) {
    return outcome("SendMessage",
                   {{"MessageBody", "x"}, {"MessageSystemAttributes", {{"AWSTraceHeader", value}}}});
  };
  EXPECT_EQ(send({{"DataType", "String"}, {"StringValue", "Root=1-5"}}), "");
  EXPECT_EQ(send({{"DataType", "Binary"}, {"BinaryValue", "AP8="}}), "InvalidParameterValue");
  EXPECT_EQ(send({{"DataType", "Number"}, {"StringValue", "1"}}), "InvalidParameterValue");
}

TEST_F(SqsLimitsTest, IdsOfGroupsAndDeduplication) {
  const std::string fifo = sqs().create("x.fifo", {{"FifoQueue", "true"}});
  const auto send = [&](const std::string& group, const std::string& id) {
    return outcome("SendMessage", {{"QueueUrl", fifo},
                                   {"MessageBody", "x"},
                                   {"MessageGroupId", group},
                                   {"MessageDeduplicationId", id}});
  };
  EXPECT_EQ(send(std::string(128, 'g'), std::string(128, '!')), "");
  EXPECT_EQ(send(std::string(129, 'g'), "1"), "InvalidParameterValue");
  EXPECT_EQ(send("g", std::string(129, '1')), "InvalidParameterValue");
  EXPECT_EQ(send("", "1"), "InvalidParameterValue");
  EXPECT_EQ(send("g", "a b"), "InvalidParameterValue");
}

TEST_F(SqsLimitsTest, IdsOfEntriesAndLabels) {
  const auto label = [&](const std::string& text) {
    return outcome("AddPermission", {{"Label", text}, {"AWSAccountIds", {"1"}}, {"Actions", {"*"}}});
  };
  EXPECT_EQ(label(std::string(80, 'l')), "");
  EXPECT_EQ(label(std::string(81, 'l')), "InvalidParameterValue");
  EXPECT_EQ(outcome("AddPermission", {{"Label", "x"},
                                      {"AWSAccountIds", {"1"}},
                                      {"Actions", {"*", "*", "*", "*", "*", "*", "*", "*"}}}),
            "OverLimit");
  const auto entry = [&](const std::string& id) {
    json entries = json::array();
    entries.push_back({{"Id", id}, {"MessageBody", "x"}});
    return outcome("SendMessageBatch", {{"Entries", entries}});
  };
  EXPECT_EQ(entry(std::string(80, 'i')), "");
  EXPECT_EQ(entry(std::string(81, 'i')), "AWS.SimpleQueueService.InvalidBatchEntryId");
}

TEST_F(SqsLimitsTest, MessagesInFlight) {
  const std::string fifo = sqs().create("x.fifo", {{"FifoQueue", "true"}});
  EXPECT_EQ(must(engine_->describe_queue("orders")).options.limits.max_leased, 120'000U);
  EXPECT_EQ(must(engine_->describe_queue("x.fifo")).options.limits.max_leased, 20'000U);
  for (const char* name : {"orders", "x.fifo"})
    must(engine_->alter_queue(name, {.limits = {.max_leased = 2}}));
  for (const char* body : {"1", "2", "3"}) {
    sqs().send(url_, body);
    sqs().send(fifo, body, {{"MessageGroupId", body}, {"MessageDeduplicationId", body}});
  }
  const auto receive = [&](const std::string& url) {
    return outcome("ReceiveMessage", {{"QueueUrl", url}, {"MaxNumberOfMessages", 1}});
  };
  for (const std::string& url : {url_, fifo}) {
    for (int i = 0; i < 2; ++i) EXPECT_EQ(sqs().receive(url, {{"MaxNumberOfMessages", 1}}).size(), 1U) << url;
  }
  EXPECT_EQ(receive(url_), "OverLimit");
  EXPECT_EQ(receive(fifo), "");
  EXPECT_EQ(sqs().receive(fifo).size(), 0U);
}

TEST_F(SqsLimitsTest, AReceiveThatFindsNothingLooksAtTheQueueOnce) {
  const std::size_t describe = protocol::method_number("describeQueue");
  const auto looks = [&](const json& more) {
    const auto before = server_->meter().calls[describe].read().count;
    EXPECT_THAT(sqs().receive(url_, more), SizeIs(0));
    return server_->meter().calls[describe].read().count - before;
  };
  EXPECT_EQ(looks(json::object()), 1U);
  EXPECT_EQ(looks({{"WaitTimeSeconds", 0}}), 1U);
}

// If the receive were two calls, a client could hang up between them, and would leave behind what the first
// call has charged and hidden.
TEST_F(SqsLimitsTest, AReceiveThatWantsEverythingIsOneCall) {
  sqs().send(url_, "x");
  const auto calls = [&] {
    std::uint64_t count = 0;
    for (const auto& method : server_->meter().calls) count += method.read().count;
    return count;
  };
  const auto before = calls();
  EXPECT_THAT(sqs().receive(url_, {{"AttributeNames", {"All"}}, {"WaitTimeSeconds", 0}}), SizeIs(1));
  EXPECT_EQ(calls() - before, 1U);
}

TEST_F(SqsLimitsTest, ReceiveCountsOfPoliciesAndSourcesThatMay) {
  sqs().create("dlq");
  const auto count = [&](int most) {
    return outcome("SetQueueAttributes", {{"Attributes", {{"RedrivePolicy", redrive_policy("dlq", most)}}}});
  };
  EXPECT_EQ(count(1), "");
  EXPECT_EQ(count(1'000), "");
  EXPECT_EQ(count(0), "InvalidParameterValue");
  EXPECT_EQ(count(1'001), "InvalidParameterValue");
  const auto sources = [&](int number) {
    json arns = {arn("orders")};
    for (int i = 1; i < number; ++i) arns.push_back(arn("q" + std::to_string(i)));
    const json policy = {{"redrivePermission", "byQueue"}, {"sourceQueueArns", arns}};
    return outcome("SetQueueAttributes",
                   {{"QueueUrl", "/0/dlq"}, {"Attributes", {{"RedriveAllowPolicy", policy.dump()}}}});
  };
  EXPECT_EQ(sources(10), "");
  EXPECT_EQ(sources(11), "InvalidAttributeValue");
}

TEST_F(SqsLimitsTest, PoliciesAreTextAndObjectsOfJson) {
  const auto set_bytes = [&](const std::string& name, const std::string& value) {
    const Answer answer =
        sqs().query("Action=SetQueueAttributes&QueueUrl=%2F0%2Forders&Attribute.1.Name=" + name +
                    "&Attribute.1.Value=" + value);
    const std::string error = answer.header("x-amzn-query-error");
    return error.substr(0, error.find(';'));
  };
  for (const char* policy : {"Policy", "RedrivePolicy", "RedriveAllowPolicy"}) {
    for (const char* bad : {"%ff", "%7b%22a%22%3a%22%ff%22%7d"})
      EXPECT_EQ(set_bytes(policy, bad), "InvalidAttributeValue") << policy << " " << bad;
    EXPECT_EQ(set_bytes(policy, ""), "") << policy;
  }
  EXPECT_EQ(set_bytes("Policy", "nonsense"), "InvalidAttributeValue");
  EXPECT_EQ(set_bytes("Policy", "%7b%22a%22%3a%22b%22%7d"), "");
}

TEST(SqsCharactersTest, OnlyWhatTheServiceTakesIsSendable) {
  for (const char* good : {"\t", "\n", "\r", " ", "\x7f", "\xed\x9f\xbf", "\xee\x80\x80", "\xef\xbf\xbd",
                           "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"})
    EXPECT_TRUE(is_sendable(good)) << good;
  for (const char* bad : {"\x01", "\x08", "\x0b", "\x1f", "\xed\xa0\x80", "\xef\xbf\xbe", "\xef\xbf\xbf",
                          "\xf4\x90\x80\x80", "\xc0\xaf", "\xff", "\xe2\x82", "a\xc3"})
    EXPECT_FALSE(is_sendable(bad)) << bad;
  EXPECT_FALSE(is_sendable(std::string_view("\0", 1)));
}

TEST_F(SqsLimitsTest, CharactersOfABody) {
  EXPECT_EQ(outcome("SendMessage", {{"MessageBody", "a\u0001"}}), "InvalidMessageContents");
  EXPECT_EQ(outcome("SendMessage", {{"MessageBody", "a\uffff"}}), "InvalidMessageContents");
}

}  // namespace
}  // namespace holdfast::server::sqs
