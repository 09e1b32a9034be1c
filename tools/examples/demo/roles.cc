#include "tools/examples/demo/roles.h"

#include <csignal>
#include <cstdlib>
#include <thread>

#include "holdfast/client.h"
#include "tools/examples/demo/producer.h"
#include "tools/examples/demo/worker.h"
#include "tools/examples/demo/workers.h"

namespace holdfast::demo {
namespace {

constexpr int kAttempts = 300;
constexpr auto kPause = std::chrono::milliseconds(100);

volatile std::sig_atomic_t stop_requested = 0;

// Connects, and tries again for some time: the server is killed while the demo runs, so it may be down.
Result<Client> connect(const std::string& server, const std::string& name) {
  auto client = Client::connect(server, {.name = name});
  for (int attempt = 1; !client && is_passing(client.error().code) && attempt < kAttempts; ++attempt) {
    std::this_thread::sleep_for(kPause);
    client = Client::connect(server, {.name = name});
  }
  return client;
}

}  // namespace

Result<void> play_producer(const std::string& server, const std::filesystem::path& index,
                           const std::filesystem::path& ledgers) {
  auto packages = PackageIndex::read(index);
  if (!packages) return tl::unexpected(packages.error());
  auto client = connect(server, "producer");
  if (!client) return tl::unexpected(client.error());
  return produce(*client, *packages, ledgers / "producer");
}

Result<void> play_worker(const std::string& server, const std::filesystem::path& ledgers, std::size_t number,
                         bool relaxed) {
  struct sigaction stop {};
  stop.sa_handler = [](int) { stop_requested = 1; };
  if (::sigaction(SIGTERM, &stop, nullptr) != 0) return fail(ErrorCode::kInternal, "cannot handle SIGTERM");
  const Consumer consumer = consumer_of(number, relaxed);
  auto ledger = Ledger::open(ledgers / ledger_name(number, relaxed));
  if (!ledger) return tl::unexpected(ledger.error());
  auto client = connect(server, consumer.instance);
  if (!client) return tl::unexpected(client.error());
  Worker worker(*client, *ledger,
                {.consumer = consumer,
                 .rules = {.https_only = !relaxed, .crash = [] { std::abort(); }},
                 .stop = [] { return stop_requested != 0; }});
  return worker.run();
}

}  // namespace holdfast::demo
