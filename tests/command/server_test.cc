#include "command_fixture.h"

namespace holdfast::command {
namespace {

using ::testing::HasSubstr;

TEST(Server, NobodyThereSaysHowToStartOne) {
  const holdfast::testing::TempDir dir;
  const std::string address = "unix:" + (dir / "socket").string();
  const Outcome outcome = run_command({"queue", "list", "--server", address});
  EXPECT_EQ(outcome.status, 17);
  EXPECT_THAT(outcome.err, HasSubstr("holdfast: unavailable: "));
  EXPECT_THAT(
      outcome.err,
      HasSubstr("hint: is holdfastd running? start it with: holdfastd --data ./data --listen " + address));
}

TEST(Server, AddressThatIsNoneIsRefused) {
  EXPECT_EQ(run_command({"queue", "list", "--server", "host:port:more"}).status, 2);
}

}  // namespace
}  // namespace holdfast::command
