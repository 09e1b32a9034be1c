// A server in this process, which is asked in Amazon SQS's JSON protocol.
#pragma once

#include <string>

#include "server/sqs/format/fault.h"
#include "tests/http_api/api_fixture.h"

namespace holdfast::server::sqs {

class SqsClient {
 public:
  explicit SqsClient(const std::string& address) : http_(address) {}

  Answer ask(const std::string& operation, const json& input) {
    return http_.call(http::verb::post, "/", input.dump(),
                      {{"Content-Type", "application/x-amz-json-1.0"},
                       {"X-Amz-Target", "AmazonSQS." + operation},
                       {"User-Agent", "test/1"}});
  }
  // Returns the answer of an operation that must succeed.
  json must(const std::string& operation, const json& input) {
    const Answer answer = ask(operation, input);
    EXPECT_EQ(answer.status, 200U) << operation << ": " << answer.body;
    return answer.parsed();
  }
  // Returns the code, as the query protocol has it, of an operation that must fail.
  std::string fault(const std::string& operation, const json& input) {
    const Answer answer = ask(operation, input);
    EXPECT_NE(answer.status, 200U) << operation << ": " << answer.body;
    const std::string code = answer.header("x-amzn-query-error");
    return code.substr(0, code.find(';'));
  }
  Answer query(const std::string& form, const std::string& path = "/") {
    return http_.call(http::verb::post, path, form,
                      {{"Content-Type", "application/x-www-form-urlencoded; charset=utf-8"}});
  }

  std::string create(const std::string& name, const json& attributes = json::object()) {
    return must("CreateQueue", {{"QueueName", name}, {"Attributes", attributes}})["QueueUrl"];
  }
  json send(const std::string& url, const std::string& body, json more = json::object()) {
    more["QueueUrl"] = url;
    more["MessageBody"] = body;
    return must("SendMessage", more);
  }
  json receive(const std::string& url, json more = json::object()) {
    more["QueueUrl"] = url;
    if (!more.contains("MaxNumberOfMessages")) more["MaxNumberOfMessages"] = 10;
    const json answer = must("ReceiveMessage", more);
    return answer.value("Messages", json::array());
  }
  std::string attribute(const std::string& url, const std::string& name) {
    const json answer = must("GetQueueAttributes", {{"QueueUrl", url}, {"AttributeNames", {name}}});
    return answer.value("Attributes", json::object()).value(name, "");
  }

  HttpTestClient& http() { return http_; }

 private:
  HttpTestClient http_;
};

class SqsFixture : public ApiFixture {
 protected:
  void serve_sqs(ServerOptions options = {}) {
    serve(std::move(options));
    sqs_.emplace(server_->http_addresses().front());
  }
  static ServerOptions without_cooldown() {
    ServerOptions options;
    options.sqs.cooldown = std::chrono::seconds(0);
    return options;
  }
  SqsClient& sqs() { return *sqs_; }

  static std::string arn(const std::string& queue) { return "arn:aws:sqs:us-east-1:000000000000:" + queue; }
  static std::string redrive_policy(const std::string& target, int count) {
    return json({{"deadLetterTargetArn", arn(target)}, {"maxReceiveCount", count}}).dump();
  }

  std::optional<SqsClient> sqs_;
};

}  // namespace holdfast::server::sqs
