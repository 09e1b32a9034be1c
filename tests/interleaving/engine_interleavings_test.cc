// These tests are about small scenes of a whole engine, each under every interleaving with a bounded number
// of preemptions. They have receives that wait, the calls that end their waits, and what happens beside a
// failed write or close().
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "tests/interleaving/scene.h"
#include "tests/support/archive_box.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

constexpr auto kFsync = Durability::kFsync;
constexpr auto kBuffered = Durability::kBuffered;

void one_queue(Engine& engine) { must(engine.create_queue("work")); }
void with_dead_letters(Engine& engine) {
  must(engine.create_queue("dead"));
  must(engine.create_queue("work",
                           {.lease = 1s, .retry = {.max_deliveries = 2}, .dead_letters = {.queue = "dead"}},
                           MissingQueues::kCreate));
}

using SceneCall = std::function<void(Scene&)>;
const SceneCall kReceives = [](Scene& scene) { scene.receive("work", 1h); };
const SceneCall kReceivesByCallback = [](Scene& scene) { scene.async_receive("work", 1h); };
SceneCall sends(const std::string& body, Durability durability = kFsync) {
  return [=](Scene& scene) { scene.send("work", body, durability); };
}
SceneCall sends_by_callback(const std::string& body, Durability durability = kFsync) {
  return [=](Scene& scene) { scene.async_send("work", body, durability); };
}
const SceneCall kCloses = [](Scene& scene) {
  EXPECT_THAT(scene.call("close", [&] { return scene.engine().close(); }), Succeeds());
};
const SceneCall kRunsDue = [](Scene& scene) { (void)scene.engine().run_due(); };

// Checks that all sent messages were received once, and are leased.
void all_received(Scene& scene) {
  const QueueCounts counts = must(scene.engine().describe_queue("work")).counts;
  EXPECT_EQ(counts.ready, 0U);
  EXPECT_EQ(counts.leased, scene.done.size());
  EXPECT_EQ(std::multiset<std::string>(scene.got.bodies.begin(), scene.got.bodies.end()),
            std::multiset<std::string>(scene.done.begin(), scene.done.end()));
}

TEST(EngineInterleavings, AReceiveThatWaitsGetsWhatIsSent) {
  for (const SceneCall& receives : {kReceives, kReceivesByCallback}) {
    for (const SceneCall& one_sends : {sends("a"), sends_by_callback("a")}) {
      explore({.queues = one_queue, .callers = {receives, one_sends}, .check = all_received});
    }
  }
}

TEST(EngineInterleavings, TwoReceivesThatWaitGetOneMessageEach) {
  explore({.preemptions = 0,
           .queues = one_queue,
           .callers = {kReceives, kReceivesByCallback, sends("a", kBuffered), sends_by_callback("b")},
           .check = all_received});
}

TEST(EngineInterleavings, AReceiveThatWaitsGetsWhatFallsDue) {
  explore({.queues = one_queue,
           .prepare =
               [](Scene& scene) {
                 must(scene.engine().send("work", {.body = "a", .delay = 1s}));
                 scene.done.insert("a");
                 scene.clock.advance(2s);
               },
           .callers = {kReceives, kRunsDue},
           .check = all_received});
}

TEST(EngineInterleavings, AReceiveThatWaitsGetsWhatIsGivenBack) {
  for (const SceneCall& receives : {kReceives, kReceivesByCallback}) {
    explore({.queues = one_queue,
             .prepare =
                 [](Scene& scene) {
                   must(scene.engine().send("work", {.body = "a"}));
                   scene.held.emplace("a", scene.take("work"));
                   scene.done.insert("a");
                 },
             .callers = {receives,
                         [](Scene& scene) {
                           const Receipt receipt = scene.held.at("a").receipt;
                           EXPECT_THAT(scene.engine().release(receipt, {.charge = false}), Succeeds());
                         }},
             .check = all_received});
  }
}

TEST(EngineInterleavings, AReceiveThatWaitsGoesOnOnceDeliveriesDo) {
  for (const SceneCall& receives : {kReceives, kReceivesByCallback}) {
    explore(
        {.queues = one_queue,
         .prepare =
             [](Scene& scene) {
               must(scene.engine().send("work", {.body = "a"}));
               must(scene.engine().pause_queue("work", {.deliveries = true}));
               scene.done.insert("a");
             },
         .callers = {receives,
                     [](Scene& scene) { must(scene.engine().resume_queue("work", {.deliveries = true})); }},
         .check = all_received});
  }
}

TEST(EngineInterleavings, AReceiveThatWaitsEndsWhenItIsCancelled) {
  explore({.queues = one_queue,
           .callers = {[](Scene& scene) {
                         const auto token = scene.async_receive("work", 1h);
                         scene.engine().cancel_receive(token);
                       },
                       sends("a")},
           .check = [](Scene& scene) {
             EXPECT_EQ(scene.got.bodies.size() + static_cast<std::size_t>(scene.got.empty), 1U);
             const QueueCounts counts = must(scene.engine().describe_queue("work")).counts;
             EXPECT_EQ(counts.leased, scene.got.bodies.size()) << "who got nothing holds nothing";
             EXPECT_EQ(counts.ready + counts.leased, 1U);
           }});
}

// Checks that a receive beside close() was answered, whatever became of it.
void received_or_not(Scene& scene) {
  const auto closed = scene.got.errors.find(ErrorCode::kClosed);
  const int refused = closed == scene.got.errors.end() ? 0 : closed->second;
  EXPECT_EQ(static_cast<int>(scene.got.bodies.size()) + scene.got.empty + refused, 1);
}

TEST(EngineInterleavings, AReceiveThatWaitsEndsWhenTheEngineIsClosed) {
  for (const bool background : {false, true}) {
    for (const SceneCall& receives : {kReceives, kReceivesByCallback}) {
      explore({.preemptions = background ? 0U : 1U,
               .queues = one_queue,
               .callers = {receives, kCloses},
               .check = received_or_not,
               .background = background});
    }
  }
}

TEST(EngineInterleavings, CallsWithCallbacksAreAnsweredWhenTheEngineIsClosed) {
  const auto nothing = [](Scene&) {};
  const SceneCall commits_by_callback = [](Scene& scene) {
    Transaction transaction;
    transaction.send("work", {.body = "a"});
    scene.engine().async_commit(std::move(transaction), {},
                                scene.callback("commit", [&scene](const Result<Committed>& committed) {
                                  if (committed) scene.claim(kFsync, "a", {"work"});
                                }));
  };
  const SceneCall calls = [](Scene& scene) {
    scene.engine().async_call([](Engine& engine) { return engine.list_queues(); },
                              scene.callback("call", [](const Result<std::vector<QueueInfo>>&) {}));
  };
  for (const SceneCall& one : {sends_by_callback("a"), calls})
    explore({.queues = one_queue, .callers = {one, kCloses}, .check = nothing});
  explore(
      {.preemptions = 0, .queues = one_queue, .callers = {commits_by_callback, kCloses}, .check = nothing});
  explore({.preemptions = 0,
           .queues = one_queue,
           .callers = {sends_by_callback("a"), kReceivesByCallback, kCloses},
           .check = received_or_not});
}

// The write that fails is in the receive's own queue, where the message that could not be written may be
// found, or in another queue.
TEST(EngineInterleavings, AReceiveThatWaitsEndsWhenAWriteFails) {
  const auto two_queues = [](Engine& engine) {
    one_queue(engine);
    must(engine.create_queue("other"));
  };
  const SceneCall sends_elsewhere = [](Scene& scene) { scene.send("other", "a", kFsync); };
  for (const SceneCall& receives : {kReceives, kReceivesByCallback}) {
    for (const SceneCall& one_sends : {sends("a"), sends_by_callback("a"), sends_elsewhere}) {
      explore({.queues = two_queues,
               .prepare = [](Scene& scene) { scene.fail_writes(); },
               .callers = {receives, one_sends},
               .check =
                   [](Scene& scene) {
                     EXPECT_EQ(scene.got.errors[ErrorCode::kStorageFailed], 1);
                     EXPECT_TRUE(scene.done.empty());
                   }});
    }
  }
}

TEST(EngineInterleavings, AReceiveThatWaitsEndsWhenItsQueueIsDeleted) {
  for (const SceneCall& receives : {kReceives, kReceivesByCallback}) {
    explore({.queues = one_queue,
             .callers = {receives,
                         [](Scene& scene) { EXPECT_THAT(scene.engine().delete_queue("work"), Succeeds()); }},
             .check = [](Scene& scene) { EXPECT_EQ(scene.got.errors[ErrorCode::kQueueNotFound], 1); }});
  }
}

// What a look sees of a queue that is deleted meanwhile is either all of it or an error, never an empty
// queue.
TEST(EngineInterleavings, ALookAtAQueueThatIsDeletedSeesAllOfItOrAnError) {
  const auto expect_all = [](Scene& scene, const char* call, auto look, auto all) {
    const auto seen = scene.call(call, look);
    if (seen)
      EXPECT_EQ(all(*seen), 1U) << call;
    else
      EXPECT_EQ(seen.error().code, ErrorCode::kQueueNotFound) << call;
  };
  const auto count = [](const auto& page) { return page.items.size(); };
  const std::vector<SceneCall> looks = {
      [=](Scene& scene) {
        expect_all(
            scene, "peek", [&] { return scene.engine().peek("dead"); }, count);
      },
      [=](Scene& scene) {
        expect_all(
            scene, "list", [&] { return scene.engine().list_dead_letters("dead"); }, count);
      },
      [=](Scene& scene) {
        expect_all(
            scene, "find", [&] { return scene.engine().find_dead_letters({.queues = {"dead"}}); }, count);
      },
      [=](Scene& scene) {
        expect_all(
            scene, "group", [&] { return scene.engine().group_dead_letters("dead"); },
            [](const DeadLetterGroups& found) { return found.groups.size(); });
      },
      [=](Scene& scene) {
        expect_all(
            scene, "statistics", [&] { return scene.engine().queue_statistics("dead"); },
            [](const QueueStatistics& seen) { return seen.oldest_ready.has_value() ? 1U : 0U; });
      },
  };
  for (const SceneCall& look : looks) {
    explore({.queues = with_dead_letters,
             .prepare =
                 [](Scene& scene) {
                   must(scene.engine().send("work", {.body = "a"}));
                   must(scene.engine().reject(scene.take("work").receipt, {.reason = "of a test"}));
                   must(scene.engine().delete_queue("work"));
                 },
             .callers = {look,
                         [](Scene& scene) { EXPECT_THAT(scene.engine().delete_queue("dead"), Succeeds()); }},
             .check = [](Scene&) {}});
  }
}

void prepare_a_lease_that_ran_out(Scene& scene) {
  must(scene.engine().send("work", {.body = "a"}));
  scene.held.emplace("a", scene.take("work"));
  scene.clock.advance(2s);
}

TEST(EngineInterleavings, AnAckAndTheEndOfItsLeaseComeInOneOrder) {
  const SceneCall acks = [](Scene& scene) {
    const auto acked = scene.call("ack", [&] { return scene.engine().ack(scene.held.at("a").receipt); });
    if (!acked) return;
    scene.done.insert("a");
    scene.claim(kFsync, "a", {kGone});
  };
  explore({.queues = with_dead_letters,
           .prepare = prepare_a_lease_that_ran_out,
           .callers = {acks, kRunsDue},
           .check = [](Scene& scene) {
             const Places expected = scene.done.contains("a") ? Places{} : Places{{"a", "work"}};
             EXPECT_EQ(places_of(scene.engine()), expected);
             const QueueCounts counts = must(scene.engine().describe_queue("work")).counts;
             EXPECT_EQ(counts.ready, expected.size());
             EXPECT_EQ(counts.leased, 0U);
           }});
}

TEST(EngineInterleavings, OneOfTwoSettlesTheDelivery) {
  explore({.queues = with_dead_letters,
           .prepare =
               [](Scene& scene) {
                 must(scene.engine().send("work", {.body = "a"}));
                 scene.held.emplace("a", scene.take("work"));
               },
           .callers = {[](Scene& scene) {
                         Transaction transaction;
                         transaction.ack(scene.held.at("a").receipt).send("work", {.body = "b"});
                         const auto done = scene.call(
                             "commit", [&] { return scene.engine().commit(std::move(transaction)); });
                         if (!done) return;
                         scene.done.insert("transaction");
                         scene.claim(kFsync, "a", {kGone});
                         scene.claim(kFsync, "b", {"work"});
                       },
                       [](Scene& scene) {
                         const std::vector<Receipt> receipts{scene.held.at("a").receipt};
                         scene.engine().async_reject_batch(
                             receipts, {.reason = "of a test"}, {},
                             scene.callback("reject", [&scene](const BatchResult<void>& rejected) {
                               if (!rejected || !rejected->front()) return;
                               scene.done.insert("reject");
                               scene.claim(kFsync, "a", {"dead"});
                             }));
                       }},
           .check =
               [](Scene& scene) {
                 EXPECT_EQ(scene.done.size(), 1U);
                 const Places expected =
                     scene.done.contains("reject") ? Places{{"a", "dead"}} : Places{{"b", "work"}};
                 EXPECT_EQ(places_of(scene.engine()), expected);
               }});
}

// Several callers settle the delivery of "a". Whoever is told that the message is gone lets go of it, so what
// took it away must be as sure by then as the caller asked.
class LossInterleavings : public ::testing::TestWithParam<int> {
 protected:
  static void claim_loss(Scene& scene, const Result<void>& answer, Durability asked,
                         const std::set<std::string>& places) {
    if (answer || answer.error().code == ErrorCode::kMessageNotFound) scene.claim(asked, "a", places);
  }
  static SceneCall acks(Durability asked) {
    return [asked](Scene& scene) {
      const auto acked = scene.call(
          "ack", [&] { return scene.engine().ack(scene.held.at("a").receipt, {.durability = asked}); });
      claim_loss(scene, acked, asked, {kGone, "dead"});
    };
  }
  static void acks_by_callback(Scene& scene) {
    scene.engine().async_ack_batch(
        {&scene.held.at("a").receipt, 1}, {},
        scene.callback("ack by callback", [&scene](const BatchResult<void>& acked) {
          if (acked) claim_loss(scene, acked->front(), kFsync, {kGone, "dead"});
        }));
  }
  static void rejects(Scene& scene) {
    const auto rejected =
        scene.call("reject", [&] { return scene.engine().reject(scene.held.at("a").receipt, {}); });
    claim_loss(scene, rejected, kFsync, {kGone, "dead"});
  }
  static SceneCall commits(bool reject) {
    return [reject](Scene& scene) {
      Transaction transaction;
      const Receipt& receipt = scene.held.at("a").receipt;
      reject ? transaction.reject(receipt, {}) : transaction.ack(receipt);
      const auto done = scene.call("commit", [&] { return scene.engine().commit(std::move(transaction)); });
      claim_loss(scene, done ? Result<void>() : tl::unexpected(done.error()), kFsync, {kGone, "dead"});
    };
  }
  static void purges(Scene& scene) {
    must(scene.call("purge", [&] { return scene.engine().purge_queue("work"); }));
  }
};

TEST_P(LossInterleavings, WhatIsSaidToBeGoneStaysGone) {
  const std::vector<SceneCall> takes{acks(kFsync), acks(Durability::kBuffered), rejects, purges,
                                     commits(false)};
  const std::vector<SceneCall> asks{acks(kFsync), acks_by_callback, rejects, commits(false), commits(true)};
  const auto pair = static_cast<std::size_t>(GetParam());
  explore({.queues = with_dead_letters,
           .prepare =
               [](Scene& scene) {
                 must(scene.engine().send("work", {.body = "a"}));
                 scene.held.emplace("a", scene.take("work"));
               },
           .callers = {takes[pair / asks.size()], asks[pair % asks.size()]},
           .check =
               [](Scene& scene) {
                 const Places left = places_of(scene.engine());
                 EXPECT_TRUE(left.empty() || left == (Places{{"a", "dead"}}));
               }});
}
INSTANTIATE_TEST_SUITE_P(Pairs, LossInterleavings, ::testing::Range(0, 25));

// A queue becomes a dead letter queue while a message with a delay is sent to it. Dead letters do not wait,
// so the message is refused unless it came first.
TEST(EngineInterleavings, AQueueBecomesADeadLetterQueueBetweenSends) {
  explore({.queues =
               [](Engine& engine) {
                 must(engine.create_queue("kept", {.dead_letters = {.direct_sends = true}}));
                 must(engine.create_queue("work"));
               },
           .callers = {[](Scene& scene) {
                         const auto sent = scene.call(
                             "send", [&] { return scene.engine().send("kept", {.body = "a", .delay = 1h}); });
                         if (sent) scene.done.insert("sent");
                       },
                       [](Scene& scene) {
                         must(scene.call("alter", [&] {
                           return scene.engine().alter_queue("work", {.dead_letters = {.queue = "kept"}});
                         }));
                       }},
           .check =
               [](Scene& scene) {
                 const QueueCounts counts = must(scene.engine().describe_queue("kept")).counts;
                 EXPECT_EQ(counts, (QueueCounts{.waiting = scene.done.contains("sent") ? 1U : 0U}));
               }});
}

// A dead letter queue becomes an ordinary one while a message is sent to it. If that is a dead letter, it is
// kept for as long as one.
TEST(EngineInterleavings, ADeadLetterQueueIsNoneAnyMoreBetweenSends) {
  explore({.queues =
               [](Engine& engine) {
                 must(engine.create_queue(
                     "kept", {.dead_letters = {.direct_sends = true}, .retention = {.unresolved = 1h}}));
                 must(engine.create_queue("work", {.dead_letters = {.queue = "kept"}}));
               },
           .callers = {[](Scene& scene) { scene.send("kept", "a", kFsync); },
                       [](Scene& scene) {
                         must(scene.call("delete", [&] { return scene.engine().delete_queue("work"); }));
                       }},
           .check =
               [](Scene& scene) {
                 const auto counts = [&] { return must(scene.engine().describe_queue("kept")).counts; };
                 const bool died = counts().dead == 1;
                 scene.advance(2h);
                 EXPECT_EQ(counts(), (QueueCounts{.ready = died ? 0U : 1U}));
               },
           .archive = std::make_shared<ArchiveBox>()});
}

TEST(EngineInterleavings, ARedriveBesideARejectMovesEachMessageOnce) {
  explore({.queues = with_dead_letters,
           .prepare =
               [](Scene& scene) {
                 must(scene.engine().send("work", {.body = "a"}));
                 must(scene.engine().reject(scene.take("work").receipt, {}));
                 must(scene.engine().send("work", {.body = "b"}));
                 scene.held.emplace("b", scene.take("work"));
               },
           .callers = {[](Scene& scene) {
                         EXPECT_THAT(scene.engine().reject(scene.held.at("b").receipt, {}), Succeeds());
                         scene.claim(kFsync, "b", {"dead", "work"});
                       },
                       [](Scene& scene) {
                         const auto redriven = must(scene.engine().redrive("dead"));
                         EXPECT_GE(redriven.moved, 1U);
                         EXPECT_LE(redriven.moved, 2U);
                         scene.claim(kFsync, "a", {"work"});
                         if (redriven.moved == 2) scene.done.insert("both");
                       }},
           .check =
               [](Scene& scene) {
                 const std::string where = scene.done.contains("both") ? "work" : "dead";
                 EXPECT_EQ(places_of(scene.engine()), (Places{{"a", "work"}, {"b", where}}));
               }});
}

// The policy is turned off while another call has the records. A round that waits for them moves nothing.
TEST(EngineInterleavings, APolicyThatIsTurnedOffHasNoMoreRounds) {
  explore({.queues =
               [](Engine& engine) {
                 must(engine.create_queue(
                     "dead", {.dead_letters = {.auto_redrive = AutoRedrive{.every = 10s, .backoff = 0s}}}));
                 must(engine.create_queue("work", {.dead_letters = {.queue = "dead"}}));
               },
           .prepare =
               [](Scene& scene) {
                 must(scene.engine().send("work", {.body = "a"}));
                 must(scene.engine().reject(scene.take("work").receipt, {}));
                 scene.clock.advance(24h);
               },
           .callers = {[](Scene& scene) {
                         const auto turn_off = [&scene](const DeadLetter& letter) -> Result<Message> {
                           must(scene.engine().alter_queue(
                               "dead", {.dead_letters = {.auto_redrive = AutoRedrive{}}}));
                           scene.done.insert("off");
                           return Message{.body = letter.body};
                         };
                         must(scene.engine().redrive("dead", {.dry_run = true}, turn_off));
                       },
                       kRunsDue},
           .check =
               [](Scene& scene) {
                 const std::string where = scene.done.contains("off") ? "dead" : "work";
                 EXPECT_EQ(places_of(scene.engine()), (Places{{"a", where}}));
               }});
}

// A call that repeats another one, on whatever thread, holds nobody up.
TEST(EngineInterleavings, CallsWithOneRequestIdHaveTheirEffectOnce) {
  const SceneCall repeats = [](Scene& scene) {
    scene.engine().async_send_batch("work", {{.body = "a"}}, {.request_id = "once"},
                                    scene.callback("repeat", [&scene](const BatchResult<Sent>& sent) {
                                      scene.done.insert(must(must(sent).front()).id.to_string());
                                      scene.claim(kFsync, "a", {"work"});
                                    }));
  };
  const auto check = [](Scene& scene) {
    EXPECT_EQ(std::erase_if(scene.done, [](const std::string& what) { return what != "b"; }), 1U)
        << "both answers name one message";
    EXPECT_EQ(must(scene.engine().describe_queue("work")).counts.ready, 1 + scene.done.size());
  };
  explore({.queues = one_queue, .callers = {repeats, repeats}, .check = check});
  explore({.preemptions = 0,
           .queues = one_queue,
           .callers = {repeats, repeats, sends("b", kBuffered)},
           .check = check});
}

}  // namespace
}  // namespace holdfast::testing
