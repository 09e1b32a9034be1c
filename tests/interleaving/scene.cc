#include "tests/interleaving/scene.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <utility>

#include "engine/engine/engine_inside.h"
#include "engine/sync/thread.h"
#include "tests/support/engine_time.h"
#include "tests/support/random.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

// Explores while it is turned on. Otherwise the thread that has the turn keeps it, and the first thread is
// the next one.
class Focus final : public Chooser {
 public:
  explicit Focus(Chooser& chooser) : chooser_(chooser) {}
  std::size_t choose(std::size_t count, bool may_stay) override {
    return on ? chooser_.choose(count, may_stay) : 0;
  }
  bool on = false;

 private:
  Chooser& chooser_;
};

EngineOptions engine_options(const Clock& clock, const Scenario& scenario) {
  return {.clock = &clock, .background = scenario.background, .id_salt = 29, .archive = scenario.archive};
}

// Returns the commits that create the queues.
std::vector<MemoryCommit> commits_of(const std::function<void(Engine&)>& queues) {
  const ManualClock clock;
  const auto memory = std::make_shared<RememberingStore::Memory>();
  const auto disk = std::make_shared<MemoryDisk>(1);
  {
    Engine engine = must(
        EngineInside::open_over(std::make_unique<RememberingStore>(must(open_memory_store(disk)), memory),
                                engine_options(clock, {})));
    queues(engine);
    must(engine.close());
  }
  return memory->commits;
}

// Looks claims up, each once: most interleavings do not differ in what is written.
class Witness {
 public:
  explicit Witness(std::vector<MemoryCommit> before) : before_(std::move(before)) {}

  void judge(const Scene& scene) {
    for (const Claim& claim : scene.claims()) {
      std::vector<MemoryCommit> left = before_;
      left.insert(left.end(), scene.commits().begin(),
                  scene.commits().begin() + static_cast<std::ptrdiff_t>(claim.commits));
      std::string content;
      for (const MemoryCommit& commit : left) {
        for (const MemoryChange& change : commit) content.append(change.key).append(change.value);
      }
      if (!judged_.emplace(std::hash<std::string>{}(content), claim).second) continue;
      const ManualClock clock;
      Engine engine =
          must(EngineInside::open_over(must(open_memory_store(disk_with(left))), engine_options(clock, {})));
      Places places = places_of(engine);
      const auto place = places.find(claim.body);
      const std::string found = place == places.end() ? kGone : place->second;
      EXPECT_TRUE(claim.places.contains(found)) << claim.body << " would be found in " << found;
    }
  }

 private:
  const std::vector<MemoryCommit> before_;
  std::set<std::pair<std::size_t, Claim>> judged_;
};

}  // namespace

Places places_of(Engine& engine) {
  Places places;
  for (const QueueInfo& queue : must(engine.list_queues())) {
    for (const bool scheduled : {false, true}) {
      for (const auto& message :
           must(engine.peek(queue.name, {.bodies = true, .scheduled = scheduled})).items) {
        EXPECT_TRUE(places.emplace(message.body, queue.name).second) << message.body << " is in two places";
      }
    }
  }
  return places;
}

Scene::Scene(const std::vector<MemoryCommit>& before, const Scenario& scenario)
    : memory_(std::make_shared<RememberingStore::Memory>()),
      engine_(must(EngineInside::open_over(
          std::make_unique<RememberingStore>(must(open_memory_store(disk_with(before))), memory_),
          engine_options(clock, scenario)))) {}

void Scene::asked(const std::string& what) {
  const std::scoped_lock lock(mutex_);
  ++asked_[what];
  ++open_;
}

void Scene::answered(const std::string& what) {
  const std::scoped_lock lock(mutex_);
  ++answers_[what];
  if (--open_ == 0) all_answered_.notify_all();
}

void Scene::wait_for_answers() {
  sync::Lock lock(mutex_);
  while (open_ != 0) all_answered_.wait(lock);
}

void Scene::check_answers() const { EXPECT_EQ(answers_, asked_) << "each call is answered once"; }

void Scene::claim(Durability asked, const std::string& body, std::set<std::string> places) {
  claims_.push_back(
      {asked == Durability::kFsync ? memory_->synced : memory_->commits.size(), body, std::move(places)});
}

void Scene::advance(Duration step) { testing::advance(*engine_, clock, step); }

void Scene::send(const std::string& queue, const std::string& body, Durability durability) {
  const auto sent =
      call("send " + body, [&] { return engine_->send(queue, {.body = body}, {.durability = durability}); });
  if (!sent) return;
  done.insert(body);
  if (durability == Durability::kFsync) {
    EXPECT_EQ(sent->durability, Durability::kFsync);
  }
  claim(durability, body, {queue});
}

void Scene::async_send(const std::string& queue, const std::string& body, Durability durability) {
  engine_->async_send_batch(queue, {{.body = body}}, {.durability = durability},
                            callback("send " + body, [this, queue, body, durability](BatchResult<Sent> sent) {
                              if (!sent || !sent->front()) return;
                              done.insert(body);
                              if (durability == Durability::kFsync) {
                                EXPECT_EQ(sent->front()->durability, Durability::kFsync);
                              }
                              claim(durability, body, {queue});
                            }));
}

void Scene::note(Result<Deliveries> deliveries) {
  if (!deliveries) {
    ++got.errors[deliveries.error().code];
    return;
  }
  if (deliveries->empty()) ++got.empty;
  for (const Delivery& delivery : *deliveries) {
    got.bodies.emplace_back(delivery.body);
    EXPECT_EQ(delivery.deliveries, 1U) << delivery.body << " is handed out once";
  }
}

void Scene::receive(const std::string& queue, Duration wait) {
  note(call("receive", [&] { return engine_->receive(queue, {.wait = wait}); }));
}

Engine::ReceiveToken Scene::async_receive(const std::string& queue, Duration wait) {
  return engine_->async_receive(
      queue, {.wait = wait},
      callback("async receive", [this](Result<Deliveries> deliveries) { note(std::move(deliveries)); }));
}

Delivery Scene::take(const std::string& queue) {
  Deliveries deliveries = must(engine_->receive(queue));
  EXPECT_EQ(deliveries.size(), 1U);
  return deliveries.at(0);
}

void explore(const Scenario& scenario) {
  const std::vector<MemoryCommit> before = commits_of(scenario.queues);
  Witness witness(before);
  Exhaustive walk(environment_number("HOLDFAST_INTERLEAVING_PREEMPTIONS", scenario.preemptions));
  do {
    SCOPED_TRACE(walk.label());
    Focus focus(walk);
    Turns turns(focus, walk.label());
    turns.run({[&] {
      Scene scene(before, scenario);
      if (scenario.prepare) scenario.prepare(scene);
      focus.on = true;
      std::vector<sync::Thread> threads;
      for (const auto& caller : scenario.callers) threads.emplace_back([&] { caller(scene); });
      for (sync::Thread& thread : threads) thread.join();
      scene.wait_for_answers();
      focus.on = false;
      scenario.check(scene);
      (void)scene.engine().close();
      scene.check_answers();
      witness.judge(scene);
    }});
  } while (!::testing::Test::HasFailure() && walk.next());
  std::printf("%zu interleavings\n", walk.runs());
}

}  // namespace holdfast::testing
