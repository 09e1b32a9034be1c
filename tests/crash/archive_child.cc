// The process that the archive's kill test kills: archive_child <directory> <letters> <round> <how>. It makes
// that many dead letters if there are none, abandons them, and has retention archive them until none is left.
// It prints a line for each step, and "done" at the end. With "files" as <how>, the engine writes its own
// files. With "sink" the archive is one that says when it begins and when it is done.
#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "holdfast/engine.h"
#include "tests/support/engine_time.h"
#include "tests/support/manual_clock.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

// Writes a file for each batch. The file gets its name once it is whole.
class FileSink final : public ArchiveSink {
 public:
  explicit FileSink(std::filesystem::path directory) : directory_(std::move(directory)) {
    std::filesystem::create_directories(directory_);
  }

  Result<void> write(const ArchiveBatch& batch, const std::stop_token& /*stop*/) override {
    std::cout << "writes " << batch.name << std::endl;
    const std::filesystem::path part = directory_ / (batch.name + ".part");
    std::ofstream file(part, std::ios::binary | std::ios::trunc);
    for (const std::string& line : batch.lines) file << line << '\n';
    file.close();
    std::filesystem::rename(part, directory_ / (batch.name + ".jsonl"));
    std::cout << "wrote " << batch.name << std::endl;
    return {};
  }

 private:
  const std::filesystem::path directory_;
};

void die(Engine& engine, std::size_t count) {
  const std::vector<Message> messages(count, Message{.body = "letter"});
  must(engine.send_batch("orders", messages));
  std::vector<Receipt> receipts;
  for (const Delivery& delivery : must(engine.receive("orders", {.max = count})))
    receipts.push_back(delivery.receipt);
  for (const auto& rejected : must(engine.reject_batch(receipts, {.category = "bad"}))) must(rejected);
  must(engine.change_dead_letters("dlq", {.all = true}, {.status = DeadLetterStatus::kAbandoned}));
  std::cout << "died" << std::endl;
}

void run(Engine& engine, ManualClock& clock, std::size_t letters) {
  const auto dead = [&] { return must(engine.describe_queue("dlq")).counts.dead; };
  if (must(engine.describe_queue("orders")).totals.sent == 0) die(engine, letters);
  for (; dead() > 0; clock.advance(std::chrono::hours(1))) {
    engine.run_due();
    std::cout << "left " << dead() << std::endl;
  }
  std::cout << "done" << std::endl;
}

}  // namespace
}  // namespace holdfast::testing

int main(int argc, char** argv) {
  using namespace holdfast;
  using namespace holdfast::testing;
  if (argc != 5) return 2;
  const std::filesystem::path directory = argv[1];
  ManualClock clock(kTestEpoch + std::chrono::hours(std::stoul(argv[3])));
  EngineOptions options{.clock = &clock, .background = false};
  if (std::string(argv[4]) == "sink") options.archive = std::make_shared<FileSink>(directory / "sink");
  Engine engine = must(Engine::open(directory / "data", options));
  must(engine.create_queue("dlq", {.retention = {.abandoned = std::chrono::minutes(1)}}));
  must(engine.create_queue("orders", {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate));
  run(engine, clock, std::stoul(argv[2]));
}
