#include "bench/http/dialects.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bench/harness/workload.h"
#include "bench/http/raw_client.h"

namespace holdfast::bench {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kJson = "Content-Type: application/json\r\n";

// Returns all texts between `before` and the next `after`.
std::vector<std::string> texts_between(std::string_view text, std::string_view before, char after) {
  std::vector<std::string> found;
  for (std::size_t at = text.find(before); at != std::string_view::npos; at = text.find(before, at)) {
    at += before.size();
    found.emplace_back(text.substr(at, text.find(after, at) - at));
  }
  return found;
}

class ApiDialect final : public Dialect {
 public:
  std::string send(const std::string& queue, const Bodies& bodies) const override {
    const std::string path = "/v1/queues/" + queue + "/messages";
    if (bodies.size() == 1) return make_request("POST", path, "", bodies.front());
    Json batch = {{"messages", Json::array()}};
    for (const std::string& body : bodies) batch["messages"].push_back({{"body", body}});
    return make_request("POST", path + "/batch", kJson, batch.dump());
  }

  std::string receive(const std::string& queue, std::size_t max) const override {
    return make_request("POST", "/v1/queues/" + queue + "/deliveries?max=" + std::to_string(max), "", "");
  }

  std::vector<std::string> receipts(std::string_view answer) const override {
    return texts_between(answer, R"("receipt":")", '"');
  }

  std::string remove(const std::string& /*queue*/, const std::vector<std::string>& receipts) const override {
    if (receipts.size() == 1) return make_request("DELETE", "/v1/deliveries/" + receipts.front(), "", "");
    return make_request("POST", "/v1/deliveries/ack", kJson, Json{{"receipts", receipts}}.dump());
  }
};

std::string sqs_request(std::string_view operation, const Json& input) {
  return make_request("POST", "/",
                      "X-Amz-Target: AmazonSQS." + std::string(operation) +
                          "\r\nContent-Type: application/x-amz-json-1.0\r\n",
                      input.dump());
}

class SqsDialect final : public Dialect {
 public:
  explicit SqsDialect(std::string urls) : urls_(std::move(urls)) {}

  std::string send(const std::string& queue, const Bodies& bodies) const override {
    const std::string url = urls_ + queue;
    if (bodies.size() == 1)
      return sqs_request("SendMessage", {{"QueueUrl", url}, {"MessageBody", bodies.front()}});
    Json entries = Json::array();
    for (const std::string& body : bodies)
      entries.push_back({{"Id", std::to_string(entries.size())}, {"MessageBody", body}});
    return sqs_request("SendMessageBatch", {{"QueueUrl", url}, {"Entries", entries}});
  }

  std::string receive(const std::string& queue, std::size_t max) const override {
    return sqs_request("ReceiveMessage", {{"QueueUrl", urls_ + queue}, {"MaxNumberOfMessages", max}});
  }

  std::vector<std::string> receipts(std::string_view answer) const override {
    return texts_between(answer, R"("ReceiptHandle":")", '"');
  }

  std::string remove(const std::string& queue, const std::vector<std::string>& receipts) const override {
    const std::string url = urls_ + queue;
    if (receipts.size() == 1)
      return sqs_request("DeleteMessage", {{"QueueUrl", url}, {"ReceiptHandle", receipts.front()}});
    Json entries = Json::array();
    for (const std::string& receipt : receipts)
      entries.push_back({{"Id", std::to_string(entries.size())}, {"ReceiptHandle", receipt}});
    return sqs_request("DeleteMessageBatch", {{"QueueUrl", url}, {"Entries", entries}});
  }

 private:
  const std::string urls_;
};

// Its answer to a receive has as many bytes as messages of that size have with everything that describes
// them.
class EchoDialect final : public Dialect {
 public:
  explicit EchoDialect(std::size_t body_bytes) : body_bytes_(body_bytes) {}

  std::string send(const std::string& /*queue*/, const Bodies& bodies) const override {
    std::string all;
    for (const std::string& body : bodies) all += body;
    return make_request("POST", "/", "", all);
  }

  std::string receive(const std::string& /*queue*/, std::size_t max) const override {
    constexpr std::size_t kDescriptionBytes = 350;
    return make_request("POST", "/", "", std::string(max * (body_bytes_ + kDescriptionBytes), 'x'));
  }

  std::vector<std::string> receipts(std::string_view answer) const override {
    return {std::string(std::min<std::size_t>(answer.size(), 1), 'x')};
  }

  std::string remove(const std::string& /*queue*/,
                     const std::vector<std::string>& /*receipts*/) const override {
    return make_request("POST", "/", "", "");
  }

 private:
  const std::size_t body_bytes_;
};

}  // namespace

std::unique_ptr<Dialect> api_dialect() { return std::make_unique<ApiDialect>(); }

std::unique_ptr<Dialect> sqs_dialect(const std::string& urls) { return std::make_unique<SqsDialect>(urls); }

std::unique_ptr<Dialect> echo_dialect(std::size_t body_bytes) {
  return std::make_unique<EchoDialect>(body_bytes);
}

std::string create_over_api(const std::string& queue, Durability durability, bool ordered) {
  Json options = {{"durability", durability_name(durability)}};
  if (ordered) {
    options["grouping"] = "ordered";
    options["deduplication"] = "byId";
  }
  return make_request("PUT", "/v1/queues/" + queue, kJson, options.dump());
}

std::string create_over_sqs(const std::string& queue) {
  return sqs_request("CreateQueue", {{"QueueName", queue}});
}

std::string urls_in(std::string_view answer, const std::string& queue) {
  const std::size_t end = answer.find("/" + queue) + 1;
  const std::size_t begin = answer.rfind("http://", end);
  if (end == 0 || begin == std::string_view::npos)
    throw BenchError("no URL of a queue in: " + std::string(answer));
  return std::string(answer.substr(begin, end - begin));
}

std::string send_in_groups(const std::string& queue, const Bodies& bodies, std::size_t first,
                           std::size_t groups) {
  Json batch = {{"messages", Json::array()}};
  for (const std::string& body : bodies)
    batch["messages"].push_back({{"body", body}, {"group", "g" + std::to_string(first++ % groups)}});
  return make_request("POST", "/v1/queues/" + queue + "/messages/batch", kJson, batch.dump());
}

}  // namespace holdfast::bench
