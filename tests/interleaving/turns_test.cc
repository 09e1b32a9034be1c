// Tests that all interleavings are walked through: a test that overlooks one would pass whatever the engine
// does.
#include "tests/interleaving/turns.h"

#include <gtest/gtest.h>

#include <mutex>
#include <set>
#include <string>

#include "engine/sync/atomic.h"
#include "engine/sync/condition_variable.h"
#include "engine/sync/mutex.h"
#include "engine/sync/thread.h"

namespace holdfast::testing {
namespace {

// Returns the orders in which two threads of three steps each can go.
std::set<std::string> orders(std::size_t preemptions) {
  std::set<std::string> seen;
  Exhaustive walk(preemptions);
  do {
    std::string order;
    Turns turns(walk, walk.label());
    const auto steps = [&](char name) {
      return [&order, name] {
        for (int step = 0; step < 3; ++step) {
          sync::pause();
          order += name;
        }
      };
    };
    turns.run({steps('a'), steps('b')});
    seen.insert(order);
  } while (walk.next());
  return seen;
}

TEST(Exhaustive, WalksThroughAllOrders) {
  EXPECT_EQ(orders(0), (std::set<std::string>{"aaabbb", "bbbaaa"}));
  EXPECT_EQ(orders(1), (std::set<std::string>{"aaabbb", "bbbaaa", "abbbaa", "aabbba", "baaabb", "bbaaab"}));
  EXPECT_EQ(orders(6).size(), 20U) << "6 over 3: all there are";
}

TEST(Exhaustive, FindsAnUpdateThatIsLost) {
  std::set<int> results;
  Exhaustive walk(1);
  do {
    sync::Atomic<int> value = 0;
    const auto add = [&] { value.store(value.load() + 1); };
    Turns turns(walk, walk.label());
    turns.run({add, add});
    results.insert(value.load());
  } while (walk.next());
  EXPECT_EQ(results, (std::set<int>{1, 2}));
}

TEST(Exhaustive, ALockKeepsTheUpdate) {
  Exhaustive walk(3);
  do {
    sync::Mutex mutex;
    sync::Atomic<int> value = 0;
    const auto add = [&] {
      const std::scoped_lock lock(mutex);
      value.store(value.load() + 1);
    };
    Turns turns(walk, walk.label());
    turns.run({add, add, add});
    ASSERT_EQ(value.load(), 3) << walk.label();
  } while (walk.next());
  EXPECT_GT(walk.runs(), 100U);
}

TEST(RandomTurns, TheSameSeedTakesTheSameTurns) {
  const auto run = [](std::uint64_t seed) {
    std::string order;
    RandomTurns random(seed);
    Turns turns(random, random.label());
    const auto steps = [&](char name) {
      return [&order, name] {
        for (int step = 0; step < 20; ++step) {
          sync::pause();
          order += name;
        }
      };
    };
    turns.run({steps('a'), steps('b'), steps('c')});
    return order;
  };
  EXPECT_EQ(run(7), run(7));
  EXPECT_NE(run(7), run(8));
}

// The notification comes between the look at the condition and the sleep.
void sleep_without_a_look(Chooser& chooser, const std::string& label) {
  sync::Mutex mutex;
  sync::ConditionVariable changed;
  sync::Atomic<bool> done = false;
  Turns turns(chooser, label);
  turns.run({[&] {
               if (done.load()) return;
               sync::Lock lock(mutex);
               changed.wait(lock);
             },
             [&] {
               done.store(true);
               changed.notify_all();
             }});
}

TEST(ExhaustiveDeathTest, FindsAWakeUpThatIsLost) {
  EXPECT_DEATH(
      {
        Exhaustive walk(1);
        do sleep_without_a_look(walk, walk.label());
        while (walk.next());
      },
      "no thread can go on");
}

TEST(Turns, TimePassesOnlyWhenNobodyElseCanGoOn) {
  Exhaustive walk(2);
  do {
    sync::Mutex mutex;
    sync::ConditionVariable changed;
    bool done = false;
    Turns turns(walk, walk.label());
    turns.run({[&] {
                 sync::Lock lock(mutex);
                 const auto time = std::chrono::steady_clock::now() + std::chrono::seconds(1);
                 while (!done) EXPECT_TRUE(changed.wait_until(lock, time));
                 EXPECT_FALSE(changed.wait_until(lock, time));
               },
               [&] {
                 const std::scoped_lock lock(mutex);
                 done = true;
                 changed.notify_one();
               }});
  } while (walk.next());
}

TEST(Turns, ThreadsThatThreadsStartTakePart) {
  std::set<std::string> orders;
  Exhaustive walk(2);
  do {
    std::string order;
    Turns turns(walk, walk.label());
    turns.run({[&] {
      sync::Thread other([&] {
        sync::pause();
        order += 'b';
      });
      sync::pause();
      order += 'a';
      other.join();
      order += '.';
    }});
    orders.insert(order);
  } while (walk.next());
  EXPECT_EQ(orders, (std::set<std::string>{"ab.", "ba."}));
}

}  // namespace
}  // namespace holdfast::testing
