// A program takes dead letters. These tests say what the program is given, and when dead letters count as
// taken.
#include "server/archive/command_sink.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace holdfast::server {
namespace {

using holdfast::testing::FailsNaming;
using holdfast::testing::FailsWith;
using holdfast::testing::must;
using namespace std::chrono_literals;

class CommandSinkTest : public ::testing::Test {
 protected:
  Result<void> run(const std::string& shell, Duration timeout = 1h) {
    CommandSink sink({"/bin/sh", "-c", "cd " + directory_.path().string() + "; " + shell}, timeout);
    return sink.write(batch_, stop_.get_token());
  }
  std::string file(const std::string& name) {
    std::ifstream in(directory_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  ArchiveBatch batch_{.queue = "orders-dlq", .name = "20260301T093000Z-5f0c", .lines = {"{}", "[1]"}};
  testing::TempDir directory_;
  std::stop_source stop_;
};

TEST_F(CommandSinkTest, GivesTheLinesAndSaysWhatTheyAre) {
  must(run("cat >$HOLDFAST_ARCHIVE_QUEUE-$HOLDFAST_ARCHIVE_NAME-$HOLDFAST_ARCHIVE_COUNT; echo said"));
  EXPECT_EQ(file("orders-dlq-20260301T093000Z-5f0c-2"), "{}\n[1]\n");
}

TEST_F(CommandSinkTest, NoShellReadsItsWords) {
  CommandSink sink({"tee", (directory_ / "$HOME;x").string()}, 1h);
  must(sink.write(batch_, stop_.get_token()));
  EXPECT_EQ(file("$HOME;x"), "{}\n[1]\n");
}

TEST_F(CommandSinkTest, ALargeBatchIsGivenWhileTheProgramTalks) {
  batch_.lines.assign(300, std::string(10'000, 'x'));
  must(run("tee all >&2"));
  EXPECT_EQ(file("all").size(), 300U * 10'001);
}

TEST_F(CommandSinkTest, AnyOtherEndIsAFailureThatSaysWhy) {
  EXPECT_THAT(run("cat >/dev/null; echo no room >&2; exit 3"),
              FailsNaming(ErrorCode::kUnavailable, "/bin/sh ended with status 3: no room"));
  EXPECT_THAT(run("kill -9 $$"), FailsNaming(ErrorCode::kUnavailable, "ended by signal 9"));
  CommandSink absent({"/no/such/program"}, 1h);
  EXPECT_THAT(absent.write(batch_, stop_.get_token()),
              FailsNaming(ErrorCode::kUnavailable, "/no/such/program cannot be started: No such file"));
}

// Whatever exit status the program ends with, it has not kept what it has not read.
TEST_F(CommandSinkTest, OneThatDoesNotReadToTheEndHasTakenNothing) {
  batch_.lines.assign(300, std::string(10'000, 'x'));
  EXPECT_THAT(run("exec <&-; exit 0"), FailsNaming(ErrorCode::kUnavailable, "before it had read everything"));
  // The pipe holds a small batch whole, so the sink has written all of it before the program ends.
  batch_.lines = {"{}", "[1]"};
  EXPECT_THAT(run("dd bs=1 count=2 of=all 2>/dev/null"),
              FailsNaming(ErrorCode::kUnavailable, "before it had read everything"));
  EXPECT_EQ(file("all"), "{}");
}

TEST_F(CommandSinkTest, OneThatHangsIsEnded) {
  EXPECT_THAT(run("exec tail -f /dev/null", 1ms),
              FailsNaming(ErrorCode::kUnavailable, "took longer than 1ms"));
}

TEST_F(CommandSinkTest, EndsWithAllThatItHasStartedWhenItIsToldTo) {
  std::thread stopper([&] {
    while (!file("child").ends_with('\n')) std::this_thread::yield();
    stop_.request_stop();
  });
  EXPECT_THAT(run("tail -f /dev/null & echo $! >child; wait"), FailsWith(ErrorCode::kClosed));
  stopper.join();
  // The child has lost its parent by then, and may stay a zombie until somebody waits for it.
  const auto state_of = [](const std::string& pid) {
    std::ifstream stat("/proc/" + pid + "/stat");
    std::string number;
    std::string name;
    std::string state = "gone";
    stat >> number >> name >> state;
    return state;
  };
  const std::string child = std::to_string(std::stoi(file("child")));
  for (std::string state = state_of(child); state != "gone" && state != "Z"; state = state_of(child))
    std::this_thread::yield();
}

// The threads of a daemon have such descriptors. If the program kept a socket of the server, it would hold
// the address beyond the server's end.
TEST_F(CommandSinkTest, NothingElseIsOpenForIt) {
  const int kept = ::dup(STDERR_FILENO);  // this one is not closed on exec
  must(run("cat >/dev/null; for each in /proc/$$/fd/*; do echo ${each##*/}; done >open"));
  ::close(kept);
  EXPECT_THAT(file("open"), ::testing::Not(::testing::ContainsRegex("(^|\n)" + std::to_string(kept) + "\n")));
}

// The system forgets how a program ended if its parent ignores that.
TEST_F(CommandSinkTest, AnEndThatTheSystemForgetsIsAFailure) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  const auto outcome = run("cat >/dev/null; echo well >&2", 1min);
  (void)std::signal(SIGCHLD, before);
  EXPECT_THAT(outcome, FailsNaming(ErrorCode::kUnavailable, "SIGCHLD is ignored"));
}

TEST_F(CommandSinkTest, SignalsAreAsAProgramExpectsThem) {
  sigset_t term;
  sigset_t before;
  sigemptyset(&term);
  sigaddset(&term, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &term, &before);
  const auto ignored = std::signal(SIGPIPE, SIG_IGN);
  must(run("cat >/dev/null; grep -E '^Sig(Blk|Ign)' /proc/self/status >signals"));
  (void)std::signal(SIGPIPE, ignored);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  std::istringstream signals(file("signals"));
  std::string name;
  std::uint64_t blocked = 1;
  std::uint64_t ignored_there = 1;
  signals >> name >> std::hex >> blocked >> name >> ignored_there;
  EXPECT_EQ(blocked, 0U);
  EXPECT_EQ(ignored_there & (std::uint64_t{1} << (SIGPIPE - 1)), 0U);
}

}  // namespace
}  // namespace holdfast::server
