// The server's log says once that the engine is short of space, has space again, or has stopped.
#include "server/logging/health_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>

#include <memory>
#include <sstream>

namespace holdfast::server {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class HealthLogTest : public ::testing::Test {
 protected:
  // Returns what a noted health adds to the log.
  std::string note(const Health& health) {
    text_.str({});
    health_log_.note(health);
    return text_.str();
  }

  std::ostringstream text_;
  spdlog::logger log_{"test", std::make_shared<spdlog::sinks::ostream_sink_mt>(text_)};
  HealthLog health_log_{log_};
};

TEST_F(HealthLogTest, SaysWhenSpaceIsShortAndWhenItIsBack) {
  const Health well{.writes = {}, .free_bytes = 900 << 20, .reserve_bytes = 256 << 20};
  const Health low{.writes = {}, .has_space = false, .free_bytes = 100 << 20, .reserve_bytes = 256 << 20};
  EXPECT_THAT(note(well), IsEmpty());
  EXPECT_THAT(note(low), AllOf(HasSubstr("error"), HasSubstr("100 MiB"), HasSubstr("256 MiB")));
  EXPECT_THAT(note(low), IsEmpty());
  EXPECT_THAT(note(well), AllOf(HasSubstr("info"), HasSubstr("900 MiB")));
  EXPECT_THAT(note(well), IsEmpty());
}

TEST_F(HealthLogTest, SaysOnceThatTheEngineStopped) {
  const Health stopped{.writes = fail(ErrorCode::kStorageFailed, "a write failed"), .free_bytes = {}};
  EXPECT_THAT(note(stopped), AllOf(HasSubstr("critical"), HasSubstr("a write failed")));
  EXPECT_THAT(note(stopped), IsEmpty());
}

}  // namespace
}  // namespace holdfast::server
