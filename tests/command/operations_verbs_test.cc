// backup, restore, verify, salvage, stats, compact and status: what they do, and what they print.
#include "tests/command/command_fixture.h"

namespace holdfast::command {
namespace {

using ::testing::HasSubstr;

class OperationsVerbs : public CommandTest {};

TEST_F(OperationsVerbs, BackupAndRestore) {
  create_orders();
  holdfast({"send", "orders", "x"});
  const std::string backups = (dir_ / "backups").string();
  const std::string restored = (dir_ / "restored").string();
  EXPECT_THAT(holdfast({"backup", backups}).out, HasSubstr("backup 1 of "));
  EXPECT_EQ(holdfast_json({"backup", backups, "--keep", "1", "--verify"}).objects().at(0).at("number"), 2);
  EXPECT_EQ(run_command({"backups", backups, "--json"}).objects().size(), 1U);
  EXPECT_EQ(run_command({"restore", backups, restored}).status, 0);
  EXPECT_THAT(run_command({"receive", "orders", "--data", restored}).out, HasSubstr("x"));
  EXPECT_EQ(run_command({"restore", backups, restored}).status, 2);
}

TEST_F(OperationsVerbs, VerifyAndSalvage) {
  create_orders();
  holdfast({"send", "orders", "x"});
  const Outcome sound = holdfast({"verify"});
  EXPECT_EQ(sound.status, 0);
  EXPECT_THAT(sound.err, HasSubstr("sound"));
  std::filesystem::remove(dir_ / "data" / "CURRENT");
  const Outcome damaged = holdfast_json({"verify"});
  EXPECT_EQ(damaged.status, 1);
  EXPECT_EQ(damaged.objects().at(0).at("kind"), "unopenable");
  const std::string salvaged = (dir_ / "salvaged").string();
  const Outcome salvage = run_command({"salvage", (dir_ / "data").string(), salvaged, "--json"});
  EXPECT_EQ(salvage.status, 0);
  EXPECT_EQ(salvage.objects().back().at("messages"), 1);
  EXPECT_THAT(run_command({"receive", "orders", "--data", salvaged}).out, HasSubstr("x"));
}

TEST_F(OperationsVerbs, SalvageSaysWhatIsKnownOfWhatIsLost) {
  create_orders();
  holdfast({"send", "orders", "x"});
  const std::string damaged = (dir_ / "data").string();
  std::filesystem::copy(damaged, dir_ / "sound");
  EXPECT_THAT(run_command({"salvage", (dir_ / "sound").string(), (dir_ / "same").string()}).out,
              HasSubstr("no message is lost\n"));
  for (const auto& file : std::filesystem::directory_iterator(damaged)) {
    if (file.path().extension() == ".log") std::filesystem::remove(file);
  }
  const Outcome salvage = run_command({"salvage", damaged, (dir_ / "salvaged").string()});
  EXPECT_THAT(salvage.out, HasSubstr("writes_lost: "));
  EXPECT_THAT(salvage.out, HasSubstr("how many messages are lost is not known"));
}

TEST_F(OperationsVerbs, StatsAndCompact) {
  create_orders();
  holdfast({"send", "orders", "x"});
  EXPECT_EQ(holdfast({"compact"}).out, "compacted all queues\n");
  EXPECT_EQ(holdfast({"compact", "orders"}).out, "compacted orders\n");
  EXPECT_EQ(holdfast_json({"compact", "orders"}).objects().at(0),
            (nlohmann::json{{"queue", "orders"}, {"compacted", true}}));
  EXPECT_TRUE(holdfast_json({"compact"}).objects().at(0).at("queue").is_null());
  EXPECT_THAT(holdfast({"stats"}).out, HasSubstr("fsynced commits"));
  EXPECT_THAT(holdfast({"stats", "orders"}).out, HasSubstr("oldest"));
  const auto queue = holdfast_json({"stats", "orders"}).objects().at(0);
  EXPECT_EQ(queue.at("queue"), "orders");
  EXPECT_FALSE(queue.at("oldest_ready").is_null());
  EXPECT_EQ(holdfast_json({"stats"}).objects().at(0).at("queues"), 2);
  EXPECT_EQ(holdfast({"stats", "none"}).status, 4);
}

TEST_F(OperationsVerbs, StatusIsOnePageOnEverything) {
  create_orders();
  ASSERT_EQ(holdfast({"send", "orders", "-", "--lines"}, "a\nb\nc\n").status, 0);
  ASSERT_EQ(holdfast({"reject", receive("orders")}).status, 0);
  receive("orders");
  ASSERT_EQ(holdfast({"queue", "create", "idle"}).status, 0);
  ASSERT_EQ(holdfast({"queue", "pause", "idle", "--sends"}).status, 0);
  const std::string page = holdfast({"status"}).out;
  EXPECT_THAT(page, HasSubstr("3 queues\ndisk  "));
  EXPECT_THAT(page,
              HasSubstr("QUEUE   READY  OLDEST  WAITING  LEASED  SENT/S  ACKED/S  DIED/S  NOTE\n"
                        "idle        0       -        0       0     0.0      0.0     0.0  paused: sends\n"
                        "orders      1"));
  EXPECT_THAT(page, HasSubstr("DEAD LETTER QUEUE  DEAD  NEW  OLDEST  LAST MINUTE  THIS HOUR  NOTE\n"
                              "orders-dlq            1    1      "));
  EXPECT_THAT(page, HasSubstr("warning: depth is 1\n"));
  const auto object = holdfast_json({"status"}).objects().at(0);
  EXPECT_EQ(object.at("queues").at(0).at("name"), "idle");
  EXPECT_EQ(object.at("queues").at(1).at("counts").at("leased"), 1);
  EXPECT_EQ(object.at("dead_letter_queues").at(0).at("new"), 1);
  EXPECT_EQ(object.at("dead_letter_queues").at(0).at("alerts").at(0).at("rule"), "depth");
  EXPECT_GT(object.at("disk_bytes"), 0);

  ASSERT_EQ(holdfast({"dlq", "assign", "orders-dlq", "--all", "--to", "ann"}).status, 0);
  ASSERT_EQ(holdfast({"dlq", "status", "orders-dlq", "--all", "--to", "investigating"}).status, 0);
  EXPECT_EQ(holdfast_json({"status"}).objects().at(0).at("dead_letter_queues").at(0).at("new"), 0);
  EXPECT_THAT(holdfast({"status", "-n", "1"}).out, HasSubstr("... and 1 more: --max\n"));
}

TEST_F(OperationsVerbs, StatusShowsRedrivesThatRun) {
  create_orders();
  ASSERT_EQ(holdfast({"send", "orders", "-", "--lines"}, "a\nb\n").status, 0);
  for (int i = 0; i < 2; ++i) ASSERT_EQ(holdfast({"reject", receive("orders")}).status, 0);
  // The redrive waits for what becomes of its first message.
  ASSERT_EQ(
      holdfast({"redrive", "orders-dlq", "--yes", "--canary", "1", "--detach", "--actor", "ann"}).status, 0);
  EXPECT_THAT(holdfast({"status"}).out, HasSubstr("REDRIVE  QUEUE       TO      PROGRESS"));
  EXPECT_EQ(holdfast_json({"status"}).objects().at(0).at("redrives").at(0).at("actor"), "ann");
}

}  // namespace
}  // namespace holdfast::command
