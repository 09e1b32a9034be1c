// These targets read requests of Amazon SQS's clients, in both protocols, and their signatures.
#include <chrono>

#include "server/sqs/format/protocols.h"
#include "server/sqs/operations/queue_attributes.h"
#include "server/sqs/signature.h"
#include "tests/fuzz/parse_request.h"
#include "tests/fuzz/target.h"

namespace holdfast::fuzz {
namespace {

using namespace server::sqs;
using server::HttpRequest;

void check(const HttpRequest& request) {
  const auto authorization = read_authorization(request);
  if (!authorization) return;
  require(!check_signature(request, *authorization, "secret", std::chrono::system_clock::time_point()),
          "a signature that nobody made holds");
}

// Checks that what was read, in either protocol, is the same when it is read again from its own JSON.
void read_again(const SqsRequest& read) {
  const auto again = read_object(read.input, *read.operation->input);
  require(again.has_value() && *again == read.input, "what was read is not read again");
  (void)write_xml(*read.operation->input, read.input);
  const auto attributes = read.input.find("Attributes");
  if (attributes == read.input.end()) return;
  QueueOptions options;
  (void)set_attributes("queue", *attributes, {}, options);
}

std::string request(std::string_view headers, std::string_view body) {
  return "POST / HTTP/1.1\r\nHost: localhost\r\n" + std::string(headers) +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

}  // namespace

bool run_sqs(std::string_view input) {
  const auto request = parse_request(input);
  if (!request) return false;
  check(*request);
  const auto protocol = protocol_of(*request);
  if (!protocol) return false;
  const auto read = read_request(*protocol, *request);
  if (!read) {
    (void)write_fault(*protocol, read.error());
    return false;
  }
  read_again(*read);
  return true;
}

std::vector<std::string> sqs_seeds() {
  constexpr std::string_view kForm = "Content-Type: application/x-www-form-urlencoded\r\n";
  return {
      request("X-Amz-Target: AmazonSQS.SendMessageBatch\r\nX-Amz-Date: 20150830T123600Z\r\nAuthorization: "
              "AWS4-HMAC-SHA256 Credential=key/20150830/us-east-1/sqs/aws4_request, "
              "SignedHeaders=host;x-amz-date, Signature=00\r\n",
              R"({"QueueUrl": "http://h/0/q", "Entries": [{"Id": "a", "MessageBody": "b", "DelaySeconds": 1,
                  "MessageAttributes": {"n": {"DataType": "Binary", "BinaryValue": "AA=="}}}]})"),
      request("X-Amz-Target: AmazonSQS.SetQueueAttributes\r\n",
              R"({"QueueUrl": "q", "Attributes": {"VisibilityTimeout": "1", "Policy": "{}",
                  "RedrivePolicy": "{\"deadLetterTargetArn\": \"arn:aws:sqs:us-east-1:000000000000:d\"}",
                  "RedriveAllowPolicy": "{\"redrivePermission\": \"byQueue\", \"sourceQueueArns\": [\"a\"]}"}})"),
      request(kForm,
              "Action=SendMessage&QueueUrl=q&MessageBody=b%20c+d&MessageAttribute.1.Name=n"
              "&MessageAttribute.1.Value.DataType=Number&MessageAttribute.1.Value.StringValue=1"),
      request(kForm,
              "Action=DeleteMessageBatch&QueueUrl=q&DeleteMessageBatchRequestEntry.1.Id=a"
              "&DeleteMessageBatchRequestEntry.1.ReceiptHandle=b&DeleteMessageBatchRequestEntry.7.Id=c"
              "&DeleteMessageBatchRequestEntry.7.ReceiptHandle=d"),
  };
}

}  // namespace holdfast::fuzz
