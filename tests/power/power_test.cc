// Many callers, blocking and with callbacks, call an engine and a server over a disk that is slow and
// forgets. Every answer is as durable as was asked, at the moment when it is given. With one of the answers
// the power goes, or the process ends. What comes back is what was promised.
#include <gtest/gtest.h>
#include <spdlog/sinks/null_sink.h>

#include <algorithm>
#include <map>
#include <optional>
#include <thread>
#include <utility>

#include "engine/engine/engine_inside.h"
#include "holdfast/client.h"
#include "server/net/server.h"
#include "tests/power/power_caller.h"
#include "tests/support/engine_time.h"
#include "tests/support/last_words.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

// A campaign with fewer seeds may not come to everything that it is for.
constexpr std::uint64_t kManySeeds = 50;
constexpr int kLives = 3;
constexpr std::size_t kShown = 10;  // complaints of a seed

class Campaign {
 public:
  explicit Campaign(std::uint64_t seed) : seed_(seed), random_(seed), machine_(seed), ledger_(machine_) {}

  // Counts what a campaign is for: calls of each verb that had their effect, and power losses that took
  // something.
  using Marks = std::map<std::string, std::uint64_t>;
  void add_marks(Marks& marks) const {
    for (const Marks& some : {ledger_.done(), marks_}) {
      for (const auto& [what, count] : some) marks[what] += count;
    }
  }

  // Returns what is wrong.
  std::vector<std::string> run() {
    for (int life = 0; life < kLives; ++life) {
      const bool forgets = !random_.one_in(3);
      ledger_.begin_life(random_.between(20, 400));
      live(seed_ * kLives + life);
      if (forgets && machine_.forget()) ++marks_["forgot"];
      auto wrong = audit(forgets);
      for (std::string& what : wrong)
        what = (forgets ? "after a power loss: " : "after the end of a process: ") + what;
      if (!wrong.empty()) return wrong;
    }
    return {};
  }

 private:
  EngineOptions options() {
    return {.clock = &clock_,
            .background = background_,
            .message_cache_bytes = random_.one_in(2) ? 1UL : 1UL << 20,
            .free_space_reserve = 0};
  }

  void live(std::uint64_t seed) {
    background_ = random_.one_in(2);
    asio::io_context context;  // outlives the engine, whose threads post to it
    Engine engine = must(EngineInside::open_over(machine_.power_on(), options()));
    if (!std::exchange(declared_, true)) declare(engine);
    Shared shared{machine_, ledger_, must(engine.open_family("rows"))};
    std::optional<server::Server> server =
        must(server::Server::start(engine, {.listen = {"127.0.0.1:0"}, .log = silence()}));
    Client client = must(Client::connect(server->addresses().front()));

    std::deque<PowerCaller> callers;
    const auto add = [&](std::unique_ptr<Way> way, int most) {
      callers.emplace_back(shared, std::move(way), seed * 100 + callers.size(), most);
    };
    add(std::make_unique<Blocking<Engine>>(engine), 1);
    add(std::make_unique<Blocking<Engine>>(engine), 1);
    add(std::make_unique<ByCallback<Engine>>(engine), 6);
    add(std::make_unique<OnExecutor<Engine>>(engine, context), 4);
    add(std::make_unique<Blocking<Client>>(client), 1);
    add(std::make_unique<ByCallback<Client>>(client), 6);

    auto work = asio::make_work_guard(context);
    std::vector<std::thread> threads;
    std::thread completes([&] { context.run(); });
    threads.emplace_back([&] { look_after(engine, seed); });
    for (PowerCaller& caller : callers) threads.emplace_back([&caller] { caller.run(); });
    machine_.slow_down();
    ledger_.wait_until_over();
    server.reset();
    client.close();
    (void)engine.close();
    for (std::thread& thread : threads) thread.join();
    work.reset();  // when nobody begins a call any more
    completes.join();
    for (const PowerCaller& caller : callers) caller.await_answers();
  }

  static std::shared_ptr<spdlog::logger> silence() {
    return std::make_shared<spdlog::logger>("power", std::make_shared<spdlog::sinks::null_sink_mt>());
  }

  static void declare(Engine& engine) {
    must(engine.create_queue("dead", power_queues()[2].options, MissingQueues::kCreate));
    for (const PowerQueue& queue : power_queues())
      must(engine.create_queue(queue.name, queue.options, MissingQueues::kCreate));
  }

  // Lets time pass, does what is due, and changes and redrives queues with calls that block.
  void look_after(Engine& engine, std::uint64_t seed) {
    Random random(seed);
    while (!ledger_.is_over()) {
      clock_.advance(std::chrono::milliseconds(random.below(300)));
      if (!background_) engine.run_due();
      if (random.one_in(3)) alter(engine);
      if (random.one_in(3)) redrive(engine, random);
    }
  }

  void alter(Engine& engine) {
    const std::uint64_t number = ++alterations_;
    const auto call = ledger_.begins({});
    const auto altered = engine.alter_queue("work", {.tags = Tags{{"n", std::to_string(number)}}});
    if (!altered) return ledger_.failed("alter", altered.error());
    altered_ = number;
    ledger_.answered(call, {.verb = "alter"});
  }

  // Redrives one dead letter, so that it is known whether it was moved, or all of them.
  void redrive(Engine& engine, Random& random) {
    const auto page = engine.list_dead_letters("dead", {.max = 5, .bodies = true});
    if (!page) return ledger_.failed("list", page.error());
    if (page->items.empty()) return;
    const DeadLetter& letter = random.pick(page->items);
    std::vector<Deed> deeds;
    RedriveOptions options;
    if (random.one_in(2)) {
      options.filter.ids = {letter.id};
      deeds.push_back({Deed::Kind::kThere,
                       *message_in(letter.body),
                       {letter.record.source_queue, letter.record.replays + 1}});
    }
    const auto call = ledger_.begins(std::move(deeds));
    const auto redriven = engine.redrive("dead", options);
    if (redriven) return ledger_.answered(call, {.verb = "redrive", .done = redriven->moved > 0});
    if (redriven.error().code == ErrorCode::kMessageNotFound)
      return ledger_.answered(call, {.verb = "redrive", .done = false});
    ledger_.failed("redrive", redriven.error());
  }

  std::vector<std::string> audit(bool forgets) {
    Engine engine =
        must(EngineInside::open_over(machine_.power_on(), {.clock = &clock_, .background = false}));
    EXPECT_TRUE(must(engine.verify()).sound());
    std::vector<Survivor> survivors;
    for (const PowerQueue& queue : power_queues()) find(engine, queue.name, survivors);
    std::set<std::uint64_t> rows;
    for (std::string from;;) {
      const auto some = must(engine.scan(must(engine.open_family("rows")), from, ""));
      for (const FamilyRow& row : some) rows.insert(*message_in(row.key));
      if (some.size() < 1000) break;
      from = some.back().key + '\0';
    }
    auto wrong = ledger_.audit(forgets, survivors, rows);
    const Tags tags = must(engine.describe_queue("work")).options.tags;
    const std::uint64_t there = tags.empty() ? 0 : std::stoull(tags.at("n"));
    if (there < altered_) wrong.push_back("an answered change of a queue is lost");
    must(engine.close());
    return wrong;
  }

  static void find(Engine& engine, const std::string& queue, std::vector<Survivor>& survivors) {
    const std::size_t before = survivors.size();
    for (const bool scheduled : {false, true}) {
      PeekOptions options{.max = limits::kListPage, .bodies = true, .scheduled = scheduled};
      do {
        const PeekPage page = must(engine.peek(queue, options));
        for (const PeekedMessage& message : page.items)
          survivors.push_back(
              {*message_in(message.body), {queue, message.replays}, message.id, message.deliveries});
        options.from = page.next;
        options.from_scheduled = page.next_scheduled;
      } while (options.from || options.from_scheduled);
    }
    const QueueCounts counts = must(engine.describe_queue(queue)).counts;
    EXPECT_EQ(survivors.size() - before, counts.ready + counts.waiting + counts.leased) << queue;
  }

  const std::uint64_t seed_;
  Random random_;
  ManualClock clock_;
  Machine machine_;
  PromiseLedger ledger_;
  Marks marks_;
  bool declared_ = false;
  bool background_ = false;
  std::uint64_t alterations_ = 0;
  std::uint64_t altered_ = 0;  // how many alterations were answered
};

TEST(Power, EveryAnswerHoldsWhateverIsLost) {
  const std::uint64_t first = environment_number("HOLDFAST_POWER_FIRST_SEED", 1);
  const std::uint64_t seeds = environment_count("HOLDFAST_POWER_SEEDS", kManySeeds);
  Campaign::Marks marks;
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    const LastWords words("seed " + std::to_string(seed));
    Campaign campaign(seed);
    const std::vector<std::string> wrong = campaign.run();
    campaign.add_marks(marks);
    for (std::size_t i = 0; i < std::min<std::size_t>(kShown, wrong.size()); ++i) ADD_FAILURE() << wrong[i];
    ASSERT_EQ(wrong.size(), 0U) << "seed " << seed;
  }
  for (const char* what : {"send", "receive", "ack", "extend", "start", "release", "reject", "commit",
                           "alter", "redrive", "forgot"}) {
    EXPECT_TRUE(marks[what] > 0 || seeds < kManySeeds) << "never came to: " << what;
  }
}

}  // namespace
}  // namespace holdfast::testing
