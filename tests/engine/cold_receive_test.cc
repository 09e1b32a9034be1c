// A receive with a callback whose messages must be read from the store first: its caller is not held up.
#include <functional>
#include <future>
#include <latch>
#include <memory>
#include <thread>

#include "holdfast/engine.h"
#include "storage/memory_store.h"
#include "support/manual_clock.h"
#include "support/result_matchers.h"
#include "support/switched_store.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A store that says when it is scanned.
class WatchedStore final : public SwitchedStore {
 public:
  WatchedStore(std::unique_ptr<Store> store, std::function<void()> on_scan)
      : SwitchedStore(std::move(store), power_on()), on_scan_(std::move(on_scan)) {}

  std::unique_ptr<Scan> scan(Family family, std::string_view begin, std::string_view end) const override {
    if (family == Family::kMessages) on_scan_();
    return SwitchedStore::scan(family, begin, end);
  }

 private:
  std::function<void()> on_scan_;
};

class ColdReceiveTest : public ::testing::Test {
 protected:
  ColdReceiveTest() {
    open([] {});
    must(engine_->create_queue("orders"));
    must(engine_->send("orders", {.body = "a"}));
  }

  void open(std::function<void()> on_scan) {
    engine_.reset();
    auto store = std::make_unique<WatchedStore>(must(open_memory_store(disk_)), std::move(on_scan));
    engine_.emplace(must(Engine::open(std::move(store), {.clock = &clock_, .background = false})));
  }
  std::pair<Engine::ReceiveToken, std::future<Result<Deliveries>>> start_receive() {
    auto promise = std::make_shared<std::promise<Result<Deliveries>>>();
    const auto token = engine_->async_receive(
        "orders", {.wait = 1h}, [promise](Result<Deliveries> got) { promise->set_value(std::move(got)); });
    return {token, promise->get_future()};
  }

  // It is reading from the store, until go_on_.
  auto start_receive_that_reads() {
    open([this] {
      reading_.count_down();
      go_on_.wait();
    });
    auto started = start_receive();
    reading_.wait();
    return started;
  }

  std::latch reading_{1};
  std::latch go_on_{1};
  ManualClock clock_;
  std::shared_ptr<MemoryDisk> disk_ = std::make_shared<MemoryDisk>(1);
  std::optional<Engine> engine_;
};

TEST_F(ColdReceiveTest, ReadsOnAnotherThread) {
  std::latch go_on(1);
  std::thread::id reader;
  open([&] {
    reader = std::this_thread::get_id();
    go_on.wait();
  });
  auto [token, received] = start_receive();
  EXPECT_EQ(received.wait_for(0s), std::future_status::timeout);
  go_on.count_down();
  EXPECT_THAT(must(received.get()), SizeIs(1));
  EXPECT_NE(reader, std::this_thread::get_id());
}

TEST_F(ColdReceiveTest, ACancelledOneDoesNotWaitWhenItHasRead) {
  auto [token, received] = start_receive_that_reads();
  engine_->cancel_receive(token);
  must(engine_->purge_queue("orders"));  // what it read is gone, so it would wait
  go_on_.count_down();
  EXPECT_THAT(must(received.get()), IsEmpty());
  must(engine_->send("orders", {.body = "for the next one"}));
  EXPECT_THAT(must(engine_->receive("orders")), SizeIs(1));
}

TEST_F(ColdReceiveTest, OneThatIsNotCancelledWaitsWhenItHasRead) {
  auto [token, received] = start_receive_that_reads();
  must(engine_->purge_queue("orders"));
  go_on_.count_down();
  must(engine_->send("orders", {.body = "b"}));
  EXPECT_EQ(must(received.get()).at(0).body, "b");
}

}  // namespace
}  // namespace holdfast::testing
