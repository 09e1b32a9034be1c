// The requests and answers of the two protocols, and the digests.
#include "server/sqs/format/protocols.h"
#include "server/sqs/format/shapes.h"
#include "server/sqs/format/sqs_digests.h"
#include "server/sqs/operations/operation_table.h"
#include "tests/support/result_matchers.h"

namespace holdfast::server::sqs {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

HttpRequest request(std::string body, std::string_view type, std::string_view target = "") {
  HttpRequest made(boost::beast::http::verb::post, "/", 11, std::move(body));
  made.set(boost::beast::http::field::content_type, boost::beast::string_view(type.data(), type.size()));
  if (!target.empty()) made.set("X-Amz-Target", boost::beast::string_view(target.data(), target.size()));
  return made;
}

Outcome<SqsRequest> read_query(std::string body) {
  return read_request(Protocol::kQuery, request(std::move(body), "application/x-www-form-urlencoded"));
}

Outcome<SqsRequest> read_json_of(std::string body, std::string_view operation) {
  return read_request(Protocol::kJson, request(std::move(body), "application/x-amz-json-1.0",
                                               "AmazonSQS." + std::string(operation)));
}

TEST(SqsShapesTest, EachOperationHasAShapeAndIsCarriedOut) {
  EXPECT_EQ(operation_shapes().size(), 23U);
  for (const OperationShape& operation : operation_shapes())
    EXPECT_NE(operation_of(operation.name), nullptr) << operation.name;
}

TEST(SqsFormatTest, BothProtocolsSayTheSame) {
  const auto by_query = read_query(
      "Action=SendMessageBatch&Version=2012-11-05&QueueUrl=http%3A%2F%2Fh%2F0%2Fq"
      "&SendMessageBatchRequestEntry.1.Id=a&SendMessageBatchRequestEntry.1.MessageBody=one+two"
      "&SendMessageBatchRequestEntry.1.DelaySeconds=3"
      "&SendMessageBatchRequestEntry.1.MessageAttribute.1.Name=n"
      "&SendMessageBatchRequestEntry.1.MessageAttribute.1.Value.DataType=Binary"
      "&SendMessageBatchRequestEntry.1.MessageAttribute.1.Value.BinaryValue=AAE%3D"
      "&SendMessageBatchRequestEntry.2.Id=b&SendMessageBatchRequestEntry.2.MessageBody=x");
  const auto by_json = read_json_of(
      R"({"QueueUrl": "http://h/0/q", "Entries": [
           {"Id": "a", "MessageBody": "one two", "DelaySeconds": 3,
            "MessageAttributes": {"n": {"BinaryValue": "AAE=", "DataType": "Binary"}}},
           {"Id": "b", "MessageBody": "x"}], "Unknown": 1})",
      "SendMessageBatch");
  ASSERT_TRUE(by_query) << by_query.error().message;
  ASSERT_TRUE(by_json) << by_json.error().message;
  EXPECT_EQ(by_query->operation, by_json->operation);
  EXPECT_EQ(by_query->input, by_json->input);
}

TEST(SqsFormatTest, MapsAndListsOfTheQueryProtocolAreCounted) {
  const auto read = read_query(
      "Action=CreateQueue&QueueName=q&Attribute.1.Name=VisibilityTimeout&Attribute.1.Value=7"
      "&Attribute.2.Name=DelaySeconds&Attribute.2.Value=&Tag.1.Key=k&Tag.1.Value=v&Attribute.4.Name=Left");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->input["Attributes"],
            (Json{{"VisibilityTimeout", "7"}, {"DelaySeconds", ""}, {"Left", ""}}));
  EXPECT_EQ(read->input["tags"], (Json{{"k", "v"}}));
}

TEST(SqsFormatTest, NumbersOfTheQueryProtocolOrderAndNeedNotFollowEachOther) {
  const auto read = read_query(
      "Action=DeleteMessageBatch&QueueUrl=q"
      "&DeleteMessageBatchRequestEntry.2000000000.Id=c&DeleteMessageBatchRequestEntry.2000000000."
      "ReceiptHandle=3"
      "&DeleteMessageBatchRequestEntry.10.Id=b&DeleteMessageBatchRequestEntry.10.ReceiptHandle=2"
      "&DeleteMessageBatchRequestEntry.9.Id=a&DeleteMessageBatchRequestEntry.9.ReceiptHandle=1");
  ASSERT_TRUE(read) << read.error().message;
  Json ids = Json::array();
  for (const Json& entry : read->input["Entries"]) ids.push_back(entry["Id"]);
  EXPECT_EQ(ids, (Json{"a", "b", "c"}));
  EXPECT_EQ(read_query("Action=GetQueueAttributes&QueueUrl=q&AttributeName.7=All")->input["AttributeNames"],
            Json::array({"All"}));
}

TEST(SqsFormatTest, WhatIsAloneNeedsNoNumber) {
  const auto list = [](const std::string& names) {
    return read_query("Action=GetQueueAttributes&QueueUrl=q" + names)->input.value("AttributeNames", Json());
  };
  EXPECT_EQ(list("&AttributeName=All"), Json::array({"All"}));
  EXPECT_EQ(list("&AttributeName="), Json::array());
  EXPECT_EQ(list(""), Json());
  const auto read =
      read_query("Action=SetQueueAttributes&QueueUrl=q&Attribute.Name=VisibilityTimeout&Attribute.Value=35");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->input["Attributes"], (Json{{"VisibilityTimeout", "35"}}));
}

TEST(SqsFormatTest, WhatHasNoNumberIsRefusedBesideWhatHasOne) {
  for (const char* fields : {"Action=UntagQueue&QueueUrl=q&TagKey.1=a&TagKey=b",
                             "Action=GetQueueAttributes&QueueUrl=q&AttributeName=&AttributeName.1=All",
                             "Action=TagQueue&QueueUrl=q&Tag.Key=a&Tag.Value=1&Tag.9.Key=b&Tag.9.Value=2"}) {
    const auto read = read_query(fields);
    ASSERT_FALSE(read) << fields;
    EXPECT_EQ(read.error().code, FaultCode::kInvalidParameterValue) << fields;
    EXPECT_THAT(read.error().message, HasSubstr("numbered elements of it")) << fields;
  }
}

TEST(SqsFormatTest, ANameThatStandsTwiceInTheQueryProtocolIsRefused) {
  const auto read = read_query(
      "Action=SetQueueAttributes&QueueUrl=q&Attribute.1.Name=DelaySeconds&Attribute.1.Value=1"
      "&Attribute.2.Name=DelaySeconds&Attribute.2.Value=2");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, FaultCode::kInvalidParameterValue);
}

TEST(SqsFormatTest, AParameterThatStandsTwiceIsRefusedAndNamed) {
  for (const char* twice : {"Action=SendMessage&QueueUrl=q&MessageBody=x&MessageBody=y",
                            "Action=SendMessage&QueueUrl=q&MessageBody=x&Message%42ody=x",
                            "Action=DeleteQueue&Action=SendMessage&QueueUrl=q&MessageBody=x",
                            "Action=SendMessage&QueueUrl=q&MessageBody=x&NoSuchThing=1&NoSuchThing=1",
                            ("Action=CreateQueue&QueueName=q&Attribute.1.Name=DelaySeconds"
                             "&Attribute.1.Value=1&Attribute.1.Value=2")}) {
    const auto read = read_query(twice);
    ASSERT_FALSE(read) << twice;
    EXPECT_EQ(read.error().code, FaultCode::kInvalidParameterValue) << twice;
    EXPECT_THAT(read.error().message, HasSubstr("It is given twice")) << twice;
  }
  EXPECT_THAT(read_query("Action=ListQueues&MaxResults=1&MaxResults=2").error().message,
              HasSubstr("Value 2 for parameter MaxResults is invalid"));
}

TEST(SqsFormatTest, WhatIsNotNumberedInTheQueryProtocolIsNamed) {
  for (const char* number : {"0", "01", "-1", "x", "", "99999999999999999999"}) {
    const auto read = read_query("Action=DeleteMessageBatch&QueueUrl=q&DeleteMessageBatchRequestEntry." +
                                 std::string(number) + ".Id=a");
    ASSERT_FALSE(read) << number;
    EXPECT_EQ(read.error().code, FaultCode::kInvalidParameterValue) << number;
    EXPECT_THAT(read.error().message, HasSubstr("DeleteMessageBatchRequestEntry")) << number;
  }
  const auto nameless = read_query("Action=TagQueue&QueueUrl=q&Tag.1.Value=v");
  ASSERT_FALSE(nameless);
  EXPECT_THAT(nameless.error().message, HasSubstr("Tag.1.Key"));
  std::string many = "Action=GetQueueAttributes&QueueUrl=q";
  for (int i = 1; i <= 10'001; ++i) many += "&AttributeName." + std::to_string(i) + "=All";
  EXPECT_EQ(read_query(many).error().code, FaultCode::kInvalidParameterValue);
}

TEST(SqsFormatTest, AMessageAttributeThatIsOnlyNamedIsAStructureAllTheSame) {
  const auto read = read_query("Action=SendMessage&QueueUrl=q&MessageBody=x&MessageAttribute.1.Name=n");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->input["MessageAttributes"]["n"], Json::object());
}

TEST(SqsFormatTest, WhatIsWrongIsNamed) {
  EXPECT_EQ(read_json_of("{", "ListQueues").error().code, FaultCode::kMalformedInput);
  EXPECT_EQ(read_json_of("[]", "ListQueues").error().code, FaultCode::kMalformedInput);
  EXPECT_EQ(read_json_of(R"({"MaxResults": "1"})", "ListQueues").error().code, FaultCode::kMalformedInput);
  EXPECT_EQ(read_json_of("{}", "NoSuchThing").error().code, FaultCode::kInvalidAction);
  const Fault missing = read_json_of("{}", "DeleteQueue").error();
  EXPECT_EQ(missing.code, FaultCode::kMissingParameter);
  EXPECT_THAT(missing.message, HasSubstr("QueueUrl"));
  EXPECT_EQ(read_query("Version=2012-11-05").error().code, FaultCode::kMissingParameter);
  EXPECT_EQ(read_query("Action=NoSuchThing").error().code, FaultCode::kInvalidAction);
  EXPECT_EQ(read_query("Action=%zz").error().code, FaultCode::kMalformedInput);
  EXPECT_EQ(read_query("Action=ListQueues&MaxResults=many").error().code, FaultCode::kInvalidParameterValue);
}

// The refusal of the value is the message operations' (SqsLimitsTest).
TEST(SqsFormatTest, HalfASurrogatePairSpoilsNoMoreThanItsValue) {
  const auto read = read_json_of(
      R"({"QueueUrl": "q", "Entries": [{"Id": "a", "MessageBody": "cut \uD83d"}, {"Id": "b", "MessageBody": "\uDE00\ud83d\ud83D\uDE00"},
          {"Id": "c", "MessageBody": "\uD83D\uDE00 \\uD83D \\\uD83D\u0041"}]})",
      "SendMessageBatch");
  ASSERT_TRUE(read) << read.error().message;
  const Json& entries = read->input["Entries"];
  EXPECT_EQ(entries[0]["MessageBody"], "cut \uFFFF");
  EXPECT_EQ(entries[1]["MessageBody"], "\uFFFF\uFFFF\U0001F600");
  EXPECT_EQ(entries[2]["MessageBody"], "\U0001F600 \\uD83D \\\uFFFFA");
  EXPECT_EQ(read_json_of(R"({"QueueUrl": "\uD83)", "DeleteQueue").error().code, FaultCode::kMalformedInput);
}

// Values are copied by recursion.
TEST(SqsFormatTest, WhatNestsTooDeepIsRefused) {
  const std::string deep(1'000'000, '[');
  EXPECT_EQ(read_json_of(deep, "ListQueues").error().code, FaultCode::kMalformedInput);
  const std::string list =
      R"({"QueueUrl": "q", "AttributeNames": )" + deep + std::string(deep.size(), ']') + "}";
  EXPECT_EQ(read_json_of(list, "GetQueueAttributes").error().code, FaultCode::kMalformedInput);
}

TEST(SqsFormatTest, AnAnswerInXmlHasItsResultAndEscapesWhatItSays) {
  const Json output = {{"Messages",
                        {{{"MessageId", "1"},
                          {"Body", "<a href=\"x\">&\r\n"},
                          {"Attributes", {{"SentTimestamp", "5"}}},
                          {"MessageAttributes", {{"n", {{"DataType", "String"}, {"StringValue", "v"}}}}}}}}};
  const HttpResponse response = write_answer(Protocol::kQuery, *find_operation("ReceiveMessage"), output);
  EXPECT_EQ(response[boost::beast::http::field::content_type], "text/xml");
  EXPECT_THAT(
      response.body(),
      HasSubstr(
          "<ReceiveMessageResponse "
          "xmlns=\"http://queue.amazonaws.com/doc/2012-11-05/\"><ReceiveMessageResult>"
          "<Message><MessageId>1</MessageId><Body>&lt;a href=&quot;x&quot;&gt;&amp;&#xD;\n</Body>"
          "<Attribute><Name>SentTimestamp</Name><Value>5</Value></Attribute><MessageAttribute><Name>n</Name>"
          "<Value><StringValue>v</StringValue><DataType>String</DataType></Value></MessageAttribute></"
          "Message>"
          "</ReceiveMessageResult><ResponseMetadata><RequestId>"));
  const HttpResponse nothing = write_answer(Protocol::kQuery, *find_operation("DeleteQueue"), Json::object());
  EXPECT_THAT(nothing.body(), Not(HasSubstr("DeleteQueueResult")));
}

// An answer is XML whatever the request contained, and whatever other protocols let through.
TEST(SqsFormatTest, WhatXmlCannotHaveIsReplaced) {
  const Fault fault{FaultCode::kInvalidAction,
                    "a\x01"
                    "b\xff"
                    "c\xef\xbf\xbf"
                    "d\xc3\xa4"};
  const HttpResponse response = write_fault(Protocol::kQuery, fault);
  EXPECT_THAT(response.body(), HasSubstr("<Message>a\xef\xbf\xbd"
                                         "b\xef\xbf\xbd"
                                         "c\xef\xbf\xbd"
                                         "d\xc3\xa4</Message>"));
}

// The table says to the letter what the names of the model are in each protocol.
struct ExpectedFault {
  FaultCode code;
  std::string json_type;
  std::string query_code;
  unsigned status;
};

const std::vector<ExpectedFault>& expected_faults() {
  using enum FaultCode;
  static const std::vector<ExpectedFault> table = {
      {kQueueDoesNotExist, "com.amazonaws.sqs#QueueDoesNotExist", "AWS.SimpleQueueService.NonExistentQueue",
       400},
      {kQueueNameExists, "com.amazonaws.sqs#QueueNameExists", "QueueAlreadyExists", 400},
      {kInvalidParameterValue, "com.amazon.coral.service#InvalidParameterValueException",
       "InvalidParameterValue", 400},
      {kMissingParameter, "com.amazon.coral.service#MissingRequiredParameterException", "MissingParameter",
       400},
      {kEmptyBatchRequest, "com.amazonaws.sqs#EmptyBatchRequest", "AWS.SimpleQueueService.EmptyBatchRequest",
       400},
      {kTooManyEntriesInBatchRequest, "com.amazonaws.sqs#TooManyEntriesInBatchRequest",
       "AWS.SimpleQueueService.TooManyEntriesInBatchRequest", 400},
      {kBatchEntryIdsNotDistinct, "com.amazonaws.sqs#BatchEntryIdsNotDistinct",
       "AWS.SimpleQueueService.BatchEntryIdsNotDistinct", 400},
      {kInvalidBatchEntryId, "com.amazonaws.sqs#InvalidBatchEntryId",
       "AWS.SimpleQueueService.InvalidBatchEntryId", 400},
      {kBatchRequestTooLong, "com.amazonaws.sqs#BatchRequestTooLong",
       "AWS.SimpleQueueService.BatchRequestTooLong", 400},
      {kMessageNotInflight, "com.amazonaws.sqs#MessageNotInflight",
       "AWS.SimpleQueueService.MessageNotInflight", 400},
      {kPurgeQueueInProgress, "com.amazonaws.sqs#PurgeQueueInProgress",
       "AWS.SimpleQueueService.PurgeQueueInProgress", 403},
      {kQueueDeletedRecently, "com.amazonaws.sqs#QueueDeletedRecently",
       "AWS.SimpleQueueService.QueueDeletedRecently", 400},
      {kUnsupportedOperation, "com.amazonaws.sqs#UnsupportedOperation",
       "AWS.SimpleQueueService.UnsupportedOperation", 400},
      {kInvalidAttributeName, "com.amazonaws.sqs#InvalidAttributeName", "InvalidAttributeName", 400},
      {kInvalidAttributeValue, "com.amazonaws.sqs#InvalidAttributeValue", "InvalidAttributeValue", 400},
      {kReceiptHandleIsInvalid, "com.amazonaws.sqs#ReceiptHandleIsInvalid", "ReceiptHandleIsInvalid", 400},
      {kOverLimit, "com.amazonaws.sqs#OverLimit", "OverLimit", 400},
      {kResourceNotFound, "com.amazonaws.sqs#ResourceNotFoundException", "ResourceNotFoundException", 404},
      {kInvalidMessageContents, "com.amazonaws.sqs#InvalidMessageContents", "InvalidMessageContents", 400},
      {kInvalidIdFormat, "com.amazonaws.sqs#InvalidIdFormat", "InvalidIdFormat", 400},
  };
  return table;
}

TEST(SqsFaultTest, EachFaultHasItsNamesItsStatusAndTheHeader) {
  for (const ExpectedFault& expected : expected_faults()) {
    const HttpResponse json = write_fault(Protocol::kJson, {expected.code, "why & how"});
    EXPECT_EQ(json.result_int(), expected.status) << expected.json_type;
    EXPECT_EQ(json["x-amzn-query-error"], expected.query_code + ";Sender");
    EXPECT_EQ(Json::parse(json.body()), (Json{{"__type", expected.json_type}, {"message", "why & how"}}));
    const HttpResponse xml = write_fault(Protocol::kQuery, {expected.code, "why & how"});
    EXPECT_EQ(xml.result_int(), expected.status);
    EXPECT_THAT(xml.body(), HasSubstr("<Error><Type>Sender</Type><Code>" + expected.query_code +
                                      "</Code><Message>why &amp; how</Message></Error>"));
  }
}

TEST(SqsFaultTest, WhatFailsHereIsNotTheSendersFault) {
  const HttpResponse response = write_fault(Protocol::kJson, {FaultCode::kInternalFailure, "x"});
  EXPECT_EQ(response.result_int(), 500U);
  EXPECT_EQ(response["x-amzn-query-error"], "InternalFailure;Receiver");
}

TEST(SqsFaultTest, EveryErrorOfTheEngineHasAFault) {
  for (const ErrorInfo& info : error_table()) {
    const Fault fault = fault_of({info.code, "x"});
    EXPECT_THAT(fault_info(fault.code).query_code, Not(IsEmpty())) << info.name;
  }
  EXPECT_EQ(fault_of({ErrorCode::kClosed, "x"}).code, FaultCode::kServiceUnavailable);
  EXPECT_EQ(fault_of({ErrorCode::kOverloaded, "x"}).code, FaultCode::kRequestThrottled);
}

// The values are known from RFC 1321, and from what botocore and the AWS SDK for JavaScript compute.
TEST(SqsDigestTest, BodiesAreDigestedAsRfc1321Says) {
  EXPECT_EQ(md5_hex(""), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(md5_hex("message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(SqsDigestTest, AttributesAreDigestedByNameWithTheirTypes) {
  const TypedAttributes attributes = {{"timestamp", {"Number", "1493147359900"}}};
  EXPECT_EQ(md5_of(attributes), "235c5c510d26fb653d073faed50ae77c");
  const TypedAttributes mixed = {{"b", {"Binary.png", std::string("\0\xff", 2)}}, {"a", {"String", "x"}}};
  EXPECT_EQ(md5_of(mixed), "49fb294cfc1b84feed4823595ac49d34");
}

}  // namespace
}  // namespace holdfast::server::sqs
