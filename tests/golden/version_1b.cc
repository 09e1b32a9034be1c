#include "tests/golden/version_1b.h"

#include "tests/support/engine_time.h"
#include "tests/support/result_matchers.h"

namespace holdfast::golden {
namespace {

using namespace std::chrono_literals;
using testing::must;

class RedriveWriter {
 public:
  RedriveWriter(Engine& engine, testing::ManualClock& clock, Manifest& manifest)
      : engine_(engine), clock_(clock), manifest_(manifest) {}

  // Redrives five messages. The first three are edited on their way back.
  void write_redrives() {
    must(engine_.create_queue("dead"));
    must(engine_.create_queue("elsewhere"));
    must(engine_.create_queue(
        "jobs", {.lease = 12h, .dead_letters = {.queue = "dead", .routes = {{"moved", "elsewhere"}}}},
        MissingQueues::kCreate));
    for (const char* name : {"e1", "e2", "e3", "e4", "e5"}) send("jobs", name, R"({"n":1})");
    reject_all("jobs");
    must(engine_.redrive("dead", {.filter = only({"e1", "e2", "e3"}),
                                  .edit = {.json_patch = R"([{"op":"replace","path":"/n","value":2}])",
                                           .set_attributes = {{"mended", "yes"}}}}));
    must(engine_.redrive("dead", {.filter = only({"e4", "e5"})}));
    const Deliveries given = receive("jobs");
    must(engine_.ack(receipt(given, "e1")));
    must(engine_.reject(receipt(given, "e2"), {.category = "validation", .reason = "still wrong"}));
    manifest_.note("receipt-e3", receipt(given, "e3").to_string());
    must(engine_.ack(receipt(given, "e4")));
    must(engine_.reject(receipt(given, "e5"), {.category = "moved", .reason = "not ours"}));
  }

  // Archives a dead letter that was edited and died again, and one that only died.
  void write_archive() {
    must(engine_.create_queue("brief-dead", {.retention = {.abandoned = 1h}}));
    must(engine_.create_queue("brief", {.dead_letters = {.queue = "brief-dead"}}, MissingQueues::kCreate));
    send("brief", "g1", R"({"n":1})");
    send("brief", "g2", std::string("\0\xff", 2));
    reject_all("brief");
    must(engine_.redrive("brief-dead", {.filter = only({"g1"}), .edit = {.body = "anew"}}));
    reject_all("brief");
    must(engine_.change_dead_letters(
        "brief-dead", {.all = true, .actor = "ann"},
        {.status = DeadLetterStatus::kAbandoned, .assignee = "bob", .note = "nobody needs it"}));
    testing::advance(engine_, clock_, 1h);
  }

  // Writes two backups. The second one shares tables with the first one.
  void write_backups(const std::filesystem::path& backups) {
    must(engine_.create_queue("kept", {.lease = 12h}));
    send("kept", "b1", "b1");
    send("kept", "b2", "b2");
    must(engine_.compact());
    manifest_.note("receipt-b1", must(engine_.receive("kept")).at(0).receipt.to_string());
    must(engine_.backup(backups));
    send("kept", "b3", "b3");
    must(engine_.backup(backups));
  }

 private:
  void send(const std::string& queue, const std::string& name, std::string body) {
    const Sent sent =
        must(engine_.send(queue, {.body = std::move(body),
                                  .attributes = {{std::string(kCorrelationIdAttribute), "c-" + name}}}));
    manifest_.note("id-" + name, sent.id.to_string());
    clock_.advance(1ms);
  }
  Deliveries receive(const std::string& queue) {
    return must(engine_.receive(queue, {.max = 10, .consumer = {"worker-1", "2.1"}}));
  }
  void reject_all(const std::string& queue) {
    for (const Delivery& delivery : receive(queue)) {
      clock_.advance(1ms);
      must(engine_.reject(delivery.receipt, {.category = "timeout",
                                             .reason = "took 31 s",
                                             .code = "E42",
                                             .stack_trace = "main\ncheck",
                                             .causes = {{"E1", "not found"}},
                                             .partial_output = "half"}));
    }
  }
  MessageId id(const std::string& name) { return must(MessageId::parse(manifest_.at("id-" + name))); }
  DeadLetterFilter only(const std::vector<std::string>& names) {
    DeadLetterFilter filter;
    for (const std::string& name : names) filter.ids.push_back(id(name));
    return filter;
  }
  Receipt receipt(const Deliveries& deliveries, const std::string& name) {
    for (const Delivery& delivery : deliveries) {
      if (delivery.id == id(name)) return delivery.receipt;
    }
    throw std::runtime_error(name + " was not received");
  }

  Engine& engine_;
  testing::ManualClock& clock_;
  Manifest& manifest_;
};

}  // namespace

void write_version_1b(Engine& engine, testing::ManualClock& clock, Manifest& manifest,
                      const std::filesystem::path& backups) {
  RedriveWriter writer(engine, clock, manifest);
  writer.write_redrives();
  writer.write_archive();
  writer.write_backups(backups);
  clock.set(kWrittenAt1b);
}

}  // namespace holdfast::golden
