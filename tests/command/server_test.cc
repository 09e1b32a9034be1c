#include "server/server.h"

#include <thread>

#include "command_fixture.h"
#include "holdfast/engine.h"

namespace holdfast::command {
namespace {

using ::testing::HasSubstr;

class ServerVerbs : public ::testing::Test {
 protected:
  Outcome holdfast(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"--server", server_->addresses().front(), "--json"});
    return run_command(arguments);
  }

  holdfast::testing::TempDir dir_;
  Result<Engine> engine_ = Engine::open(dir_ / "data");
  Result<server::Server> server_ = server::Server::start(*engine_, {.listen = {"127.0.0.1:0"}});
};

TEST_F(ServerVerbs, AreTheSameAsOnADirectory) {
  ASSERT_TRUE(server_) << server_.error().message;
  ASSERT_EQ(holdfast({"queue", "create", "orders", "--dead-letter-queue", "orders-dlq"}).status, 0);
  ASSERT_EQ(holdfast({"send", "orders", "0 widgets"}).status, 0);
  const auto message = holdfast({"receive", "orders"}).objects().at(0);
  ASSERT_EQ(holdfast({"reject", message.at("receipt"), "--category", "validation"}).status, 0);
  EXPECT_EQ(holdfast({"dlq", "list", "orders-dlq"}).objects().at(0).at("message_id"), message.at("id"));
  EXPECT_EQ(holdfast({"redrive", "orders-dlq"}).objects().at(0).at("moved"), 1);
  EXPECT_EQ(holdfast({"receive", "orders", "--ack"}).objects().at(0).at("replays"), 1);
  EXPECT_EQ(holdfast({"queue", "describe", "nowhere"}).status, 4);
}

TEST_F(ServerVerbs, FollowGoesOnUntilAnError) {
  ASSERT_EQ(holdfast({"queue", "create", "orders"}).status, 0);
  std::jthread others([this] {
    for (std::uint64_t i = 0; i < 3; ++i) {
      if (!engine_->send("orders", {.body = std::to_string(i)})) return;
      while (engine_->describe_queue("orders")->totals.acked <= i) std::this_thread::yield();
    }
    (void)engine_->delete_queue("orders");
  });
  const Outcome outcome = holdfast({"receive", "orders", "--ack", "--follow"});
  EXPECT_EQ(outcome.status, 4);
  EXPECT_EQ(outcome.objects().size(), 3U);
  EXPECT_EQ(holdfast({"receive", "orders", "--follow", "--wait", "1s"}).status, 2);
}

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
