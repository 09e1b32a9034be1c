// These tests are about the dead letter worker, over an engine and over a client.
#include "holdfast/dead_letter_worker.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

#include "holdfast/limits.h"
#include "tests/conformance/conformance.h"
#include "tests/support/http_server.h"
#include "tests/support/temp_dir.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class DeadLetterWorkerTest : public BrokerFixture {
 protected:
  void SetUp() override {
    BrokerFixture::SetUp();
    create("parked");
    create("dlq", {.dead_letters = {.parking_queue = "parked"}});
    create("orders", {.dead_letters = {.queue = "dlq"}});
  }

  void kill(const std::string& body, const std::string& category, const std::string& reason = "bad") {
    send("orders", body, {{"k", "v"}});
    reject_one("orders", {.category = category, .reason = reason});
  }

  // Makes a worker on "dlq" that notes what went wrong.
  DeadLetterWorker worker(DeadLetterWorkerOptions options) {
    options.queue = "dlq";
    options.clock = &clock();
    options.on_failure = [this](const DeadLetter* letter, const Error& error) {
      failures_.push_back((letter == nullptr ? "" : letter->body + ": ") + error.message);
    };
    return must(DeadLetterWorker::make(broker(), std::move(options)));
  }

  static DeadLetterHandler always(Remedy remedy) {
    return [remedy](const DeadLetter&) { return remedy; };
  }

  std::vector<std::string> bodies_of(std::string_view queue) {
    std::vector<std::string> bodies;
    for (const DeadLetter& letter : dead_letters(queue)) bodies.push_back(letter.body);
    return bodies;
  }

  std::vector<std::string> failures_;
};
HOLDFAST_FOR_EACH_BROKER(DeadLetterWorkerTest);

TEST_P(DeadLetterWorkerTest, DoesWhatTheHandlersSay) {
  kill("late", "timeout");
  kill("wrong", "validation");
  kill("odd", "schema");
  kill("strange", "", "first line\nsecond");
  kill("junk", "spam");
  const TempDir archive;
  std::vector<std::string> told;
  DeadLetterWorker worker = this->worker(
      {.handlers = {{"timeout", always(Remedy::redrive())},
                    {"validation",
                     always(Remedy::redrive({.set_attributes = {{"fixed-by", "worker"}}, .body = "right"}))},
                    {"schema", always(Remedy::park())},
                    {"spam", always(Remedy::archive())}},
       .fallback = always(Remedy::escalate("look at it")),
       .archive = archive.path(),
       .on_escalation = [&](const Escalation& escalation) -> Result<void> {
         told.push_back(escalation.summary + " (" + escalation.note + ")");
         return {};
       }});
  worker.run_once();
  EXPECT_THAT(failures_, IsEmpty());
  EXPECT_EQ(worker.counts(),
            (DeadLetterWorkerCounts{.redriven = 1, .fixed = 1, .escalated = 1, .parked = 1, .archived = 1}));

  const Deliveries back = receive_all("orders");
  EXPECT_THAT(bodies(back), ElementsAre("late", "right"));
  EXPECT_THAT(told, ElementsAre("dlq: rejected: first line; from orders, 1 delivery (look at it)"));
  const DeadLetter left = only_dead_letter("dlq");
  EXPECT_EQ(left.body, "strange");
  EXPECT_EQ(left.triage.status, DeadLetterStatus::kInvestigating);
  ASSERT_EQ(left.triage.notes.size(), 1U);
  EXPECT_EQ(left.triage.notes[0].text, "look at it");
  EXPECT_EQ(left.triage.notes[0].actor, "dead letter worker");
  EXPECT_THAT(bodies_of("parked"), ElementsAre("odd"));
  EXPECT_FALSE(std::filesystem::is_empty(archive.path()));
  const auto history = must(broker().list_dead_letters(
      "dlq", {.filter = {.status = DeadLetterStatus::kAbandoned, .history = true}}));
  ASSERT_EQ(history.items.size(), 1U);
  EXPECT_EQ(history.items[0].record.category, "spam");
}

TEST_P(DeadLetterWorkerTest, AFixKeepsTheOriginal) {
  kill("wrong", "validation");
  DeadLetterWorker worker =
      this->worker({.fallback = always(Remedy::redrive({.body = "right"})), .max_replays = 5});
  worker.run_once();
  reject_one("orders", {.category = "validation"});
  const DeadLetter again = only_dead_letter("dlq");
  EXPECT_EQ(again.body, "right");
  ASSERT_TRUE(again.original.has_value());
  EXPECT_EQ(again.original->body, "wrong");
}

TEST_P(DeadLetterWorkerTest, LeavesWhatIsPeoples) {
  kill("taken", "timeout");
  kill("seen", "timeout");
  kill("unknown", "other");
  must(broker().change_dead_letters("dlq", {.filter = {.seqs = {dead_letters("dlq")[0].seq}}},
                                    {.assignee = "ann"}));
  must(broker().change_dead_letters("dlq", {.filter = {.seqs = {dead_letters("dlq")[1].seq}}},
                                    {.status = DeadLetterStatus::kInvestigating}));
  DeadLetterWorker worker = this->worker({.handlers = {{"timeout", always(Remedy::redrive())}}});
  worker.run_once();
  EXPECT_EQ(dead_letters("dlq").size(), 3U);
  EXPECT_EQ(worker.counts(), DeadLetterWorkerCounts{});
}

TEST_P(DeadLetterWorkerTest, AHandlerThatThrowsLeavesItAndIsAskedAgainLater) {
  kill("bad", "a");
  kill("good", "b");
  int asked = 0;
  bool throws = true;
  DeadLetterWorker worker = this->worker({.handlers = {{"a",
                                                        [&](const DeadLetter&) {
                                                          ++asked;
                                                          if (throws) throw std::runtime_error("oops");
                                                          return Remedy::redrive();
                                                        }},
                                                       {"b", always(Remedy::redrive())}},
                                          .backoff = 1min,
                                          .backoff_max = 3min});
  worker.run_once();
  EXPECT_THAT(failures_, ElementsAre("bad: the handler threw: oops"));
  EXPECT_EQ(worker.counts(), (DeadLetterWorkerCounts{.redriven = 1, .failed = 1}));
  for (const Duration wait : {Duration(1min), Duration(2min), Duration(3min), Duration(3min)}) {
    const int before = asked;
    advance(wait - 1us);
    worker.run_once();
    EXPECT_EQ(asked, before) << "it spins";
    advance(1us);
    worker.run_once();
    EXPECT_EQ(asked, before + 1);
  }
  EXPECT_THAT(bodies_of("dlq"), ElementsAre("bad"));
  throws = false;
  advance(3min);
  worker.run_once();
  EXPECT_THAT(bodies_of("dlq"), IsEmpty());
}

// The age of a dead letter is computed from the broker's time.
TEST_P(DeadLetterWorkerTest, WhatDiesAgainWaitsWhateverTheWallClockOfTheWorkerSays) {
  for (const Duration off : {-48h, 48h}) {
    kill("poison", "timeout");
    const ManualClock elsewhere(now() + off);
    auto worker = must(DeadLetterWorker::make(
        broker(),
        {.queue = "dlq", .fallback = always(Remedy::redrive()), .backoff = 1min, .clock = &elsewhere}));
    worker.run_once();
    reject_one("orders", {.category = "timeout"});
    worker.run_once();
    EXPECT_EQ(worker.counts().redriven, 1U);
    advance(1min);
    worker.run_once();
    EXPECT_EQ(worker.counts().redriven, 2U);
    must(broker().purge_queue("orders"));
  }
}

TEST_P(DeadLetterWorkerTest, WhatDiesAgainWaitsAndIsNotRedrivenWithoutEnd) {
  kill("poison", "timeout");
  DeadLetterWorker worker = this->worker(
      {.fallback = always(Remedy::redrive()), .max_replays = 2, .backoff = 1min, .backoff_max = 1h});
  worker.run_once();
  reject_one("orders", {.category = "timeout"});
  worker.run_once();  // the message died again a moment ago
  EXPECT_EQ(worker.counts().redriven, 1U);
  advance(1min);
  worker.run_once();
  EXPECT_EQ(worker.counts().redriven, 2U);
  reject_one("orders", {.category = "timeout"});
  advance(2min - 1us);
  worker.run_once();
  EXPECT_EQ(worker.counts().escalated, 0U);
  advance(1us);
  worker.run_once();
  EXPECT_EQ(worker.counts(), (DeadLetterWorkerCounts{.redriven = 2, .escalated = 1}));
  const DeadLetter letter = only_dead_letter("dlq");
  EXPECT_EQ(letter.triage.status, DeadLetterStatus::kInvestigating);
  EXPECT_EQ(letter.triage.notes.at(0).text, "redriven 2 times already");
}

TEST_P(DeadLetterWorkerTest, EscalationsArePosted) {
  kill("x\xff", "timeout", "no answer \xff");
  HttpServer hook;
  DeadLetterWorker worker =
      this->worker({.fallback = always(Remedy::escalate("who knows")), .webhook = hook.url()});
  worker.run_once();
  const auto request = hook.wait_for(1).at(0);
  const auto ticket = nlohmann::json::parse(request.body);
  const DeadLetter letter = only_dead_letter("dlq");
  EXPECT_EQ(ticket.at("event"), "dead_letter_escalated");
  EXPECT_EQ(ticket.at("queue"), "dlq");
  EXPECT_EQ(ticket.at("dead_letter_id"), letter.id.to_string());
  EXPECT_EQ(ticket.at("message_id"), letter.record.message_id.to_string());
  EXPECT_EQ(ticket.at("note"), "who knows");
  EXPECT_THAT(ticket.at("summary").get<std::string>(), HasSubstr("dlq: timeout: no answer"));
  EXPECT_FALSE(ticket.contains("body"));
  worker.run_once();
  EXPECT_EQ(hook.count(), 0U);
}

TEST_P(DeadLetterWorkerTest, AWebHookThatIsDownHoldsUpEscalationsAlone) {
  kill("a", "hard");
  kill("b", "hard");
  kill("c", "easy");
  HttpServer hook;
  hook.answer({503});
  DeadLetterWorker worker = this->worker({.handlers = {{"easy", always(Remedy::redrive())}},
                                          .fallback = always(Remedy::escalate("")),
                                          .webhook = hook.url(),
                                          .backoff = 1min});
  worker.run_once();
  EXPECT_EQ(hook.wait_for(1).size(), 1U) << "b is not tried";
  EXPECT_THAT(failures_, ElementsAre("a: the webhook: answered 503"));
  EXPECT_EQ(worker.counts(), (DeadLetterWorkerCounts{.redriven = 1, .failed = 1}));
  EXPECT_THAT(bodies_of("dlq"), ElementsAre("a", "b"));
  EXPECT_EQ(dead_letters("dlq")[0].triage.status, DeadLetterStatus::kNew);
  hook.answer({400});
  worker.run_once();
  EXPECT_EQ(hook.wait_for(1).size(), 1U) << "a waits";
  EXPECT_EQ(worker.counts().failed, 2U);
  advance(1min);
  worker.run_once();
  EXPECT_EQ(worker.counts().escalated, 2U);
}

TEST_P(DeadLetterWorkerTest, ACallbackThatFailsLeavesIt) {
  kill("a", "hard");
  int calls = 0;
  DeadLetterWorker worker = this->worker({.fallback = always(Remedy::escalate("")),
                                          .on_escalation = [&](const Escalation&) -> Result<void> {
                                            if (++calls == 1) throw std::runtime_error("no");
                                            if (calls == 2) return fail(ErrorCode::kInternal, "not yet");
                                            return {};
                                          },
                                          .backoff = 0s});
  worker.run_once();
  worker.run_once();
  EXPECT_EQ(only_dead_letter("dlq").triage.status, DeadLetterStatus::kNew);
  EXPECT_THAT(failures_, ElementsAre("a: on_escalation: no", "a: not yet"));
  worker.run_once();
  EXPECT_EQ(only_dead_letter("dlq").triage.status, DeadLetterStatus::kInvestigating);
  EXPECT_EQ(worker.counts(), (DeadLetterWorkerCounts{.escalated = 1, .failed = 2}));
}

TEST_P(DeadLetterWorkerTest, WhatIsLeasedOrDoesNotFitStays) {
  kill("leased", "a");
  kill("no json", "b");
  kill("no file", "c");
  receive_one("dlq");
  DeadLetterWorker worker = this->worker(
      {.handlers = {{"a", always(Remedy::redrive())},
                    {"b", always(Remedy::redrive({.json_patch = R"([{"op":"remove","path":"/x"}])"}))},
                    {"c", always(Remedy::archive())}}});
  worker.run_once();
  EXPECT_EQ(worker.counts(), DeadLetterWorkerCounts{.failed = 3});
  EXPECT_EQ(failures_.size(), 3U);
  EXPECT_EQ(dead_letters("dlq").size(), 3U);
}

TEST_P(DeadLetterWorkerTest, AMissingQueueEndsThePassAndTheWorkerWaitsLonger) {
  kill("a", "x");
  DeadLetterWorkerOptions options{.queue = "nowhere",
                                  .fallback = always(Remedy::redrive()),
                                  .every = 1s,
                                  .backoff = 1min,
                                  .backoff_max = 3min,
                                  .clock = &clock()};
  DeadLetterWorker worker = must(DeadLetterWorker::make(broker(), options));
  EXPECT_EQ(worker.run_once(), now() + 1min);
  EXPECT_EQ(worker.run_once(), now() + 2min);
  EXPECT_EQ(worker.run_once(), now() + 3min);
  create("nowhere");
  EXPECT_EQ(worker.run_once(), now() + 1s);
}

// A queue that is made anew gives the same place to another dead letter.
TEST_P(DeadLetterWorkerTest, DoesNothingToALetterThatTookThePlaceOfAnother) {
  const TempDir archive;
  const auto make_anew = [&](const std::string& body) {
    must(broker().alter_queue("orders", {.dead_letters = {.queue = ""}}));
    must(broker().delete_queue("dlq"));
    create("dlq", {.dead_letters = {.parking_queue = "parked"}});
    must(broker().alter_queue("orders", {.dead_letters = {.queue = "dlq"}}));
    kill(body, "x");
  };
  for (const Remedy& remedy : {Remedy::archive(), Remedy::redrive(), Remedy::park()}) {
    make_anew("seen");
    const Seq place = only_dead_letter("dlq").seq;
    DeadLetterWorker worker = this->worker({.fallback =
                                                [&](const DeadLetter&) {
                                                  make_anew("other");
                                                  return remedy;
                                                },
                                            .archive = archive.path()});
    worker.run_once();
    const DeadLetter left = only_dead_letter("dlq");
    EXPECT_EQ(left.seq, place);
    EXPECT_EQ(left.body, "other");
  }
}

TEST_P(DeadLetterWorkerTest, ManyArePagedThrough) {
  send_numbered("orders", 70);
  for (const Delivery& delivery : receive_all("orders"))
    must(broker().reject(delivery.receipt, {.category = delivery.body.size() == 1 ? "short" : "long"}));
  DeadLetterWorker worker = this->worker(
      {.handlers = {{"short", always(Remedy::park())}, {"long", always(Remedy::redrive())}}, .page = 7});
  worker.run_once();
  EXPECT_EQ(worker.counts(), (DeadLetterWorkerCounts{.redriven = 60, .parked = 10}));
  EXPECT_EQ(counts("dlq").dead, 0U);
}

TEST_P(DeadLetterWorkerTest, RunsUntilItIsStopped) {
  kill("a", "x");
  kill("b", "x");
  std::atomic<int> asked = 0;
  DeadLetterWorker* self = nullptr;
  DeadLetterWorker worker = this->worker({.fallback =
                                              [&](const DeadLetter&) {
                                                if (++asked == 1) self->stop();
                                                return Remedy::redrive();
                                              },
                                          .every = 1h});
  self = &worker;
  std::thread thread([&] { worker.run(); });
  thread.join();
  EXPECT_EQ(asked, 1) << "b is left";
  EXPECT_EQ(worker.counts().redriven, 1U) << "what was decided is done";
  EXPECT_THAT(bodies_of("dlq"), ElementsAre("b"));
  worker.run();
}

TEST_P(DeadLetterWorkerTest, AStopWakesAWorkerThatWaits) {
  DeadLetterWorker worker = this->worker({.fallback = always(Remedy::redrive()), .every = 1h});
  std::thread thread([&] { worker.run(); });
  worker.stop();
  thread.join();
}

TEST_P(DeadLetterWorkerTest, OptionsAreChecked) {
  const auto refused = [&](DeadLetterWorkerOptions options, ErrorCode code) {
    EXPECT_THAT(DeadLetterWorker::make(broker(), std::move(options)).map([](auto&&) {}), FailsWith(code));
  };
  const DeadLetterWorkerOptions good{.queue = "dlq", .fallback = always(Remedy::redrive())};
  const auto with = [&](auto change) {
    DeadLetterWorkerOptions options = good;
    change(options);
    return options;
  };
  using enum ErrorCode;
  refused({.fallback = good.fallback}, kInvalidArgument);
  refused({.queue = "dlq"}, kInvalidArgument);
  refused(with([](auto& o) { o.handlers["x"] = {}; }), kInvalidArgument);
  refused(with([](auto& o) { o.max_replays = 0; }), kInvalidArgument);
  refused(with([](auto& o) { o.page = 0; }), kInvalidArgument);
  refused(with([](auto& o) { o.page = limits::kListPage + 1; }), kLimitExceeded);
  refused(with([](auto& o) { o.actor.assign(limits::kActorBytes + 1, 'x'); }), kLimitExceeded);
  refused(with([](auto& o) { o.every = 0s; }), kInvalidArgument);
  refused(with([](auto& o) { o.every = 1h + 1us; }), kLimitExceeded);
  refused(with([](auto& o) { o.backoff = -1us; }), kInvalidArgument);
  refused(with([](auto& o) { o.backoff_max = 24h + 1us; }), kLimitExceeded);
  refused(with([](auto& o) { o.webhook = "tickets.example"; }), kInvalidArgument);
  must(DeadLetterWorker::make(broker(), with([](auto& o) {
                                o.page = limits::kListPage;
                                o.every = 1h;
                                o.backoff = 24h;
                                o.actor.assign(limits::kActorBytes, 'x');
                              })));
}

}  // namespace
}  // namespace holdfast::testing
