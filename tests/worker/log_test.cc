// What a worker says of a failure is one line that does no harm to a terminal.
#include "client/worker/log.h"

#include <gmock/gmock.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <sstream>

namespace holdfast::worker {
namespace {

TEST(WorkerLog, ShowsNoControlCharacterOfAnException) {
  std::ostringstream text;
  const auto before = spdlog::default_logger();
  spdlog::set_default_logger(
      std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::ostream_sink_mt>(text)));
  const Delivery delivery;
  const Failure failure{.category = "c\x1b[5m", .reason = "first\nsecond \xff", .code = "E\r"};
  log_failed({.queue = "orders", .delivery = delivery, .failure = failure, .action = Work::Action::kRetry});
  spdlog::set_default_logger(before);
  EXPECT_THAT(text.str(), ::testing::EndsWith(" failed, c\\x1b[5m (E\\r): first\\nsecond \\xff\n"));
}

}  // namespace
}  // namespace holdfast::worker
