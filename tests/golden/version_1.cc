#include "tests/golden/version_1.h"

#include "holdfast/limits.h"
#include "holdfast/transaction.h"

#include "tests/support/result_matchers.h"

namespace holdfast::golden {

using namespace std::chrono_literals;
using testing::must;

std::map<std::string, QueueOptions> queues_of_version_1() {
  return {
      {"orders", {.lease = 5min, .retry = {.max_deliveries = 2}, .dead_letters = {.queue = "dead"}}},
      {"flaky", {.retry = {.max_deliveries = 1}, .dead_letters = {.queue = "dead"}}},
      {"rejects", {.dead_letters = {.queue = "dead"}}},
      {"dead", {.retry = {.max_deliveries = 1}, .dead_letters = {.queue = "graveyard"}}},
      {"graveyard", {}},
      {"ordered", {.lease = 5min, .grouping = {.mode = Grouping::kOrdered}}},
      {"fair", {.grouping = {.mode = Grouping::kFair}}},
      {"once", {.deduplication = {.mode = Deduplication::kById, .window = 1h}}},
      {"later", {.delay = 2h, .durability = Durability::kBuffered}},
      {"levels", {.priority = {.levels = 3}}},
      {"slow", {.dead_letters = {.queue = "slow-dead"}}},
      {"slow-dead", {}},
      {"parked", {}},
      {"held", {}},
      {"traced",
       {.lease = 5min,
        .retry = {.policy = {.kind = RetryKind::kExponential, .base = 1s, .cap = 1min}, .budget = 24h},
        .expiry = {.time_to_live = 3h, .policy = ExpiryPolicy::kDrop},
        .limits = {.max_length = 3, .on_overflow = OverflowPolicy::kDropHead, .max_leased = 2},
        .journal = {.max_entries = limits::kJournalEntriesMin},
        .tags = {{"team", "red"}}}},
      {"braked", {.dead_letters = {.queue = "slow-dead"}, .brake = {.deaths_per_minute = 9, .delay = 1min}}},
      {"ruled",
       {.retry = {.max_deliveries = 9},
        .dead_letters = {.queue = "ruled-dead",
                         .routes = {{"timeout", "parked"}},
                         .discard_rejected = true,
                         .parking_queue = "parked"}}},
      {"ruled-dead",
       {.dead_letters = {.sources = {.allow = DeadLetterSources::Allow::kListed, .queues = {"ruled"}},
                         .parking_queue = "parked",
                         .auto_redrive = {.every = 24h,
                                          .max = 10,
                                          .categories = {"timeout"},
                                          .backoff = 1min,
                                          .backoff_max = 1h}},
        .retention = {.replayed = 48h, .abandoned = 72h},
        .alerts = {.depth = {.above = 5}, .oldest = {.above = 1h}}}},
  };
}

namespace {

class Writer {
 public:
  Writer(Engine& engine, testing::ManualClock& clock, Manifest& manifest)
      : engine_(engine), clock_(clock), manifest_(manifest) {}

  void declare_queues() {
    const auto queues = queues_of_version_1();
    // A dead letter queue must be there before the queues that use it.
    for (const char* name : {"graveyard", "dead", "slow-dead", "parked", "ruled-dead"})
      must(engine_.create_queue(name, queues.at(name), MissingQueues::kCreate));
    for (const auto& [name, options] : queues)
      must(engine_.create_queue(name, options, MissingQueues::kCreate));
  }

  // Leaves a message in each state.
  void write_orders() {
    for (int i = 1; i <= 8; ++i) send("orders", "o" + std::to_string(i));
    const Deliveries given = receive("orders", 5);
    must(engine_.ack(given[0].receipt));
    must(engine_.release(given[1].receipt));
    manifest_.note("receipt-o3", given[2].receipt.to_string());
    must(engine_.reject(given[3].receipt, {.category = "validation",
                                           .reason = "no such customer",
                                           .code = "E42",
                                           .stack_trace = "main\ncheck",
                                           .causes = {{"E1", "not found"}},
                                           .partial_output = "half"}));
    must(engine_.release(given[4].receipt, {.delay = 10min}));
  }

  void write_dead_letters() {
    send("flaky", "f1");
    must(engine_.release(receive("flaky", 1)[0].receipt));
    for (int i = 1; i <= 5; ++i) send("rejects", "r" + std::to_string(i));
    reject_all("rejects", 5);

    must(engine_.change_dead_letters(
        "dead", {.filter = only("r1"), .actor = "ann"},
        {.status = DeadLetterStatus::kInvestigating, .assignee = "ann", .note = "looking"}));
    must(engine_.discard_dead_letters("dead", {.filter = only("r2"), .actor = "bob"}));
    must(engine_.redrive("dead", {.filter = only("r4")}));
    reject_all("rejects", 1);
    must(engine_.redrive("dead", {.filter = only("r3"), .actor = "cy"}));
    // Receives the oldest three, which are o4, f1 and r1. o4 dies a second time.
    const Deliveries dead = receive("dead", 3);
    must(engine_.reject(dead[0].receipt, {.category = "hopeless", .reason = "again"}));
    must(engine_.release(dead[1].receipt, {.charge = false}));
    must(engine_.release(dead[2].receipt, {.charge = false}));
  }

  void write_the_rest() {
    send("ordered", "a1", "a");
    send("ordered", "a2", "a");
    send("ordered", "b1", "b");
    manifest_.note("receipt-a1", receive("ordered", 1)[0].receipt.to_string());
    for (const char* body : {"x1", "x2", "x3"}) send("fair", body, "x");
    send("fair", "y1", "y");
    manifest_.note("id-once",
                   must(engine_.send("once", {.body = "d1", .deduplication_id = "d1"})).id.to_string());
    send("later", "l1");
    for (const std::uint32_t priority : {0U, 2U, 1U})
      must(engine_.send("levels", {.body = "p" + std::to_string(priority), .priority = priority}));

    for (int i = 1; i <= 3; ++i) send("slow", "s" + std::to_string(i));
    reject_all("slow", 3);
    must(engine_.redrive("slow-dead", {.rate = 1, .wait = false, .actor = "dee"}));
  }

  void write_bounds_and_rows() {
    for (int i = 1; i <= 4; ++i) send("traced", "t" + std::to_string(i));
    manifest_.note("receipt-t2", must(engine_.receive("traced", {.prefetch = true}))[0].receipt.to_string());

    const auto held = must(engine_.send_batch("held", {{.body = "h1"}}, {.request_id = "call-1"}));
    manifest_.note("id-h1", must(held[0]).id.to_string());
    must(engine_.pause_queue("held", {.deliveries = true}));

    Transaction transaction;
    transaction.put(must(engine_.open_family("application")), "key", "value");
    must(engine_.commit(std::move(transaction)));
  }

 private:
  void send(const std::string& queue, const std::string& body, const std::string& group = {}) {
    const Attributes attributes{{std::string(kCorrelationIdAttribute), "c-" + body}, {"empty", ""}};
    const Sent sent = must(engine_.send(queue, {.body = body, .attributes = attributes, .group = group}));
    manifest_.note("id-" + body, sent.id.to_string());
    clock_.advance(1ms);
  }
  Deliveries receive(const std::string& queue, std::size_t max) {
    return must(engine_.receive(queue, {.max = max, .consumer = {"worker-1", "2.1"}}));
  }
  void reject_all(const std::string& queue, std::size_t count) {
    for (const Delivery& delivery : receive(queue, count)) {
      clock_.advance(1ms);
      must(engine_.reject(delivery.receipt, {.category = "timeout", .reason = "took 31 s"}));
    }
  }
  DeadLetterFilter only(const std::string& body) {
    return {.ids = {must(MessageId::parse(manifest_.at("id-" + body)))}};
  }

  Engine& engine_;
  testing::ManualClock& clock_;
  Manifest& manifest_;
};

}  // namespace

void write_version_1(Engine& engine, testing::ManualClock& clock, Manifest& manifest) {
  Writer writer(engine, clock, manifest);
  writer.declare_queues();
  writer.write_orders();
  writer.write_dead_letters();
  must(engine.compact());  // puts some of it into tables; the rest stays in the log
  writer.write_the_rest();
  writer.write_bounds_and_rows();
  clock.set(kWrittenAt);
}

}  // namespace holdfast::golden
