// The executable: how it starts, says where it listens, and stops.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <filesystem>
#include <fstream>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "holdfast/client.h"
#include "tests/server/daemon_process.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace holdfast::server {
namespace {

using namespace std::chrono_literals;
using namespace holdfast::testing;
using ::testing::AllOf;
using ::testing::HasSubstr;

class DaemonTest : public ::testing::Test {
 protected:
  std::vector<std::string> arguments() {
    return {"--data", (directory_ / "data").string(), "--listen", "127.0.0.1:0"};
  }
  TempDir directory_;
};

TEST_F(DaemonTest, ServesUntilTold) {
  for (int signal : {SIGTERM, SIGINT}) {
    Daemon daemon(arguments());
    auto client = must(Client::connect(daemon.address()));
    must(client.create_queue("orders"));
    must(client.send("orders", {.body = "x"}));
    daemon.signal(signal);
    EXPECT_EQ(daemon.exit_status(), 0);
    EXPECT_THAT(daemon.log(), HasSubstr("info stopped"));
  }
  Daemon daemon(arguments());
  auto client = must(Client::connect(daemon.address()));
  EXPECT_EQ(must(client.describe_queue("orders")).counts.ready, 2U);
}

TEST_F(DaemonTest, EndsWaitingReceivesWhenTold) {
  Daemon daemon(arguments());
  auto client = must(Client::connect(daemon.address()));
  must(client.create_queue("orders"));
  std::jthread waiting([&] { (void)client.receive("orders", {.wait = 1h}); });
  daemon.signal(SIGTERM);
  EXPECT_EQ(daemon.exit_status(), 0);
  client.close();
}

TEST_F(DaemonTest, LetsConsumersSettleWhatTheyHoldWhenTold) {
  auto patient = arguments();
  patient.insert(patient.end(), {"--stop-timeout", "3600"});
  {
    Daemon daemon(patient);
    auto client = must(Client::connect(daemon.address()));
    must(client.create_queue("orders", {.lease = 1h}));
    must(client.send_batch("orders", std::vector<Message>(5, {.body = "x"})));
    const auto held = must(client.receive("orders", {.max = 2}));
    auto stream = must(client.subscribe("orders"));
    daemon.signal(SIGTERM);
    (void)daemon.after("info draining: ");
    for (const auto& delivery : held) must(client.ack(delivery.receipt));
    EXPECT_EQ(daemon.exit_status(), 0);
    EXPECT_THAT(daemon.log(), HasSubstr("info drained: no delivery is in flight"));
  }
  Daemon daemon(patient);
  auto client = must(Client::connect(daemon.address()));
  EXPECT_EQ(must(client.describe_queue("orders")).counts, (QueueCounts{.ready = 3}));
  for (const auto& item : must(client.peek("orders", {.max = 10})).items) EXPECT_EQ(item.deliveries, 0U);
}

TEST_F(DaemonTest, WaitsForConsumersNoLongerThanItsDeadline) {
  auto hasty = arguments();
  hasty.insert(hasty.end(), {"--stop-timeout", "5"});
  Daemon daemon(hasty);
  auto client = must(Client::connect(daemon.address()));
  must(client.create_queue("orders", {.lease = 1h}));
  must(client.send("orders", {.body = "x"}));
  must(client.receive("orders"));
  daemon.signal(SIGTERM);
  EXPECT_EQ(daemon.exit_status(), 0);
  EXPECT_THAT(daemon.log(), HasSubstr("warning drained: time is over, and 1 delivery is still in flight"));
}

TEST_F(DaemonTest, ASecondSignalStopsAtOnce) {
  auto patient = arguments();
  patient.insert(patient.end(), {"--stop-timeout", "3600"});
  Daemon daemon(patient);
  auto client = must(Client::connect(daemon.address()));
  must(client.create_queue("orders", {.lease = 1h}));
  must(client.send("orders", {.body = "x"}));
  must(client.receive("orders"));
  daemon.signal(SIGTERM);
  (void)daemon.after("info draining: ");
  daemon.signal(SIGTERM);
  EXPECT_EQ(daemon.exit_status(), 128 + SIGTERM);
}

TEST_F(DaemonTest, AClientMayDrainAndEndIt) {
  Daemon daemon(arguments());
  auto client = must(Client::connect(daemon.address()));
  must(client.create_queue("orders", {.lease = 1h}));
  must(client.send("orders", {.body = "x"}));
  const auto held = must(client.receive("orders"));
  EXPECT_EQ(must(client.drain({.timeout = 1h})).in_flight, 1U);
  must(client.ack(held.front().receipt));
  EXPECT_EQ(daemon.exit_status(), 0);
  EXPECT_THAT(daemon.log(), HasSubstr("method=drain timeout=1h exit=yes"));
}

// A client or a signal ends the server.
TEST_F(DaemonTest, SaysThatItHasEndedOnceAllThatTheNextOneNeedsIsFree) {
  const auto pid_file = directory_ / "pid";
  auto with_file = arguments();
  with_file.insert(with_file.end(), {"--pid-file", pid_file.string()});
  for (const bool by_signal : {false, true}) {
    Daemon daemon(with_file);
    auto client = must(Client::connect(daemon.address()));
    if (!by_signal) must(client.create_queue("orders", {.lease = 1h}));
    must(client.send("orders", {.body = std::string(1 << 20, 'x')}));
    const auto held = must(client.receive("orders"));
    DrainStatus status = must(client.drain({.timeout = 1h}));
    if (by_signal) daemon.signal(SIGTERM);
    must(client.ack(held.front().receipt));
    while (!status.ended) status = must(client.drain_status(1h));
    EXPECT_FALSE(std::filesystem::exists(pid_file));
    Daemon next(with_file);
    EXPECT_THAT(Client::connect(next.address()), Succeeds());
    EXPECT_EQ(daemon.exit_status(), 0);
  }
}

TEST_F(DaemonTest, OneThatIsKilledSaysNothing) {
  Daemon daemon(arguments());
  auto client = must(Client::connect(daemon.address()));
  must(client.create_queue("orders", {.lease = 1h}));
  must(client.send("orders", {.body = "x"}));
  must(client.receive("orders"));
  must(client.drain({.timeout = 1h}));
  std::promise<Result<DrainStatus>> answer;
  client.async_call([](auto& verbs) { return verbs.drain_status(1h); },
                    [&](Result<DrainStatus> status) { answer.set_value(std::move(status)); });
  daemon.signal(SIGKILL);
  EXPECT_THAT(answer.get_future().get(), FailsWith(ErrorCode::kUnavailable));
}

TEST_F(DaemonTest, ADirectoryInUseIsNamed) {
  Daemon first(arguments());
  (void)first.address();
  Daemon second(arguments());
  EXPECT_EQ(second.exit_status(), 14);
  EXPECT_THAT(second.log(), HasSubstr("critical locked: "));
  EXPECT_THAT(second.log(), HasSubstr("is already open in process " + std::to_string(first.pid())));
}

TEST_F(DaemonTest, ItsPidFileIsThereWhileItRunsAndNeverInTheWay) {
  const auto file = directory_ / "pid";
  const auto content = [&] {
    std::string text;
    std::ifstream(file) >> text;
    return text;
  };
  std::ofstream(file) << "4194304 and more, of a process that is gone\n";
  auto with_file = arguments();
  with_file.insert(with_file.end(), {"--pid-file", file.string()});
  {
    Daemon killed(with_file);
    (void)killed.address();
    EXPECT_EQ(content(), std::to_string(killed.pid()));
    Daemon other(
        {"--data", (directory_ / "other").string(), "--listen", "127.0.0.1:0", "--pid-file", file.string()});
    EXPECT_EQ(other.exit_status(), 14);
    EXPECT_THAT(other.log(), HasSubstr("process " + std::to_string(killed.pid()) + " holds it"));
    EXPECT_EQ(content(), std::to_string(killed.pid()));
    Daemon second(with_file);
    EXPECT_EQ(second.exit_status(), 14);
    EXPECT_EQ(content(), std::to_string(killed.pid()));
  }
  EXPECT_TRUE(std::filesystem::exists(file));
  Daemon next(with_file);
  (void)next.address();
  EXPECT_EQ(content(), std::to_string(next.pid()));
  next.signal(SIGTERM);
  EXPECT_EQ(next.exit_status(), 0);
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(DaemonTest, LogsAsJsonIfWanted) {
  auto wanted = arguments();
  wanted.insert(wanted.end(), {"--log-format", "json", "--log-level", "debug", "--io-threads", "2"});
  Daemon daemon(wanted);
  std::string address = daemon.after("\"event\":\"listening on ");
  address.resize(address.find('"'));
  must(Client::connect(address)).close();
  EXPECT_THAT(daemon.after("\"level\":\"debug\",\"event\":\"connection opened\","),
              ::testing::StartsWith("\"connection\":1,\"peer\":\"127.0.0.1:"));
  daemon.signal(SIGTERM);
  EXPECT_EQ(daemon.exit_status(), 0);
  EXPECT_THAT(daemon.log(), ::testing::Not(HasSubstr("\n\n")));
}

TEST_F(DaemonTest, ATakenOrRefusedAddressIsNamed) {
  Daemon first(arguments());
  const auto taken = first.address();
  const auto other = (directory_ / "other").string();
  Daemon second({"--data", other, "--listen", taken});
  EXPECT_EQ(second.exit_status(), 17);
  EXPECT_THAT(second.log(), HasSubstr(taken));
  const auto third = directory_ / "third";
  Daemon open({"--data", third.string(), "--listen", "0.0.0.0:0"});
  EXPECT_EQ(open.exit_status(), 20);
  EXPECT_THAT(open.log(), HasSubstr("--allow-insecure"));
  Daemon watched({"--data", third.string(), "--listen", "127.0.0.1:0", "--metrics-listen", "0.0.0.0:0"});
  EXPECT_EQ(watched.exit_status(), 20);
  EXPECT_FALSE(std::filesystem::exists(third)) << "it is looked at before anything is made";
  Daemon third_one({"--data", third.string(), "--listen", "127.0.0.1:0", "--metrics-listen", taken});
  EXPECT_EQ(third_one.exit_status(), 17);
  EXPECT_THAT(third_one.log(), ::testing::Not(HasSubstr("listening on")));
}

TEST_F(DaemonTest, ADirectoryOrPidFileThatCannotBeIsBadConfiguration) {
  const auto file = (directory_ / "file").string();
  std::ofstream(file) << "x";
  const auto long_name = (directory_ / std::string(300, 'n')).string();
  for (const std::string& data : {file, std::string("/proc/foo"), long_name, long_name + "/d"}) {
    Daemon daemon({"--data", data, "--listen", "127.0.0.1:0"});
    EXPECT_EQ(daemon.exit_status(), 2) << data;
    EXPECT_THAT(daemon.log(), HasSubstr("data: ")) << data;
  }
  for (const std::string& pid :
       {std::string("/nope/x"), std::string("/proc/foo"), directory_.path().string(), long_name}) {
    auto with_file = arguments();
    with_file.insert(with_file.end(), {"--pid-file", pid});
    Daemon daemon(with_file);
    EXPECT_EQ(daemon.exit_status(), 2) << pid;
    EXPECT_THAT(daemon.log(), HasSubstr("pid-file")) << pid;
  }
}

// A service manager, to which NOTIFY_SOCKET leads the processes that are started meanwhile.
class NotifySocket {
 public:
  explicit NotifySocket(const std::filesystem::path& path)
      : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.string().copy(address.sun_path, sizeof(address.sun_path) - 1);
    if (::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
      throw std::runtime_error("bind failed");
    // NOLINTBEGIN(concurrency-mt-unsafe): one thread
    ::setenv("NOTIFY_SOCKET", path.c_str(), 1);
    ::setenv("WATCHDOG_USEC", "400000", 1);
  }
  ~NotifySocket() {
    for (const char* name : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"}) ::unsetenv(name);
    // NOLINTEND(concurrency-mt-unsafe)
    ::close(socket_);
  }
  NotifySocket(const NotifySocket&) = delete;
  NotifySocket& operator=(const NotifySocket&) = delete;

  std::string next() {
    char text[1024];
    const auto size = ::recv(socket_, text, sizeof(text), 0);
    return {text, size > 0 ? static_cast<std::size_t>(size) : 0};
  }

 private:
  int socket_;
};

TEST_F(DaemonTest, TellsTheServiceManager) {
  NotifySocket manager(directory_ / "notify");
  Daemon daemon(arguments());
  const std::string address = daemon.address();
  EXPECT_THAT(manager.next(), AllOf(HasSubstr("READY=1"), HasSubstr(address)));
  EXPECT_EQ(manager.next(), "WATCHDOG=1");
  daemon.signal(SIGTERM);
  std::string last = manager.next();
  while (last == "WATCHDOG=1") last = manager.next();
  EXPECT_EQ(last, "STOPPING=1");
  EXPECT_EQ(daemon.exit_status(), 0);
}

TEST_F(DaemonTest, TheServiceManagerSeesItDrain) {
  NotifySocket manager(directory_ / "notify");
  ::setenv("WATCHDOG_PID", "1", 1);  // NOLINT(concurrency-mt-unsafe): one thread
  Daemon daemon(arguments());
  const std::string ready = manager.next();
  auto client = must(Client::connect(daemon.address()));
  must(client.create_queue("orders", {.lease = 1h}));
  must(client.send("orders", {.body = "x"}));
  const auto held = must(client.receive("orders"));
  must(client.drain({.timeout = 1h, .exit = false}));
  // No WATCHDOG=1 comes in between, since WATCHDOG_PID names another process.
  EXPECT_EQ(manager.next(), "STATUS=draining");
  must(client.ack(held.front().receipt));
  EXPECT_EQ(manager.next(), "STATUS=drained");
  must(client.resume());
  EXPECT_EQ("READY=1\n" + manager.next(), ready);
}

TEST_F(DaemonTest, ReadsItsFileAgainWhenTold) {
  const auto file = (directory_ / "holdfastd.toml").string();
  std::ofstream(file) << "listen = ['127.0.0.1:0']\n";
  Daemon daemon({"--data", (directory_ / "data").string(), "--config", file});
  (void)daemon.address();
  std::ofstream(file) << "listen = ['127.0.0.1:0']\nmax-calls = 7\n";
  daemon.signal(SIGHUP);
  EXPECT_EQ(daemon.after("info configuration: "), "max-calls=7");
  daemon.signal(SIGTERM);
  EXPECT_EQ(daemon.exit_status(), 0);
}

TEST_F(DaemonTest, ChecksItsConfigurationWithoutStarting) {
  Daemon good({"--data", (directory_ / "data").string(), "--check-config"});
  EXPECT_EQ(good.exit_status(), 0);
  EXPECT_FALSE(std::filesystem::exists(directory_ / "data"));
  const auto file = (directory_ / "holdfastd.toml").string();
  std::ofstream(file) << "\nlistne = 3\n";
  Daemon bad({"--config", file, "--check-config"});
  EXPECT_EQ(bad.exit_status(), 2);
  EXPECT_THAT(bad.log(), HasSubstr(file + ":2: unknown key 'listne'"));
}

// Strangers who connect and say nothing leave the store what it needs. `limit` is a command of the shell.
class DaemonAndStrangers : public DaemonTest {
 protected:
  void run(const std::string& limit, const std::string& descriptors, int strangers);
};

void DaemonAndStrangers::run(const std::string& limit, const std::string& descriptors, int strangers) {
  auto with_socket = arguments();
  const auto local = "unix:" + (directory_ / "socket").string();
  with_socket.insert(with_socket.end(), {"--listen", local});
  Daemon daemon(limit, with_socket);
  EXPECT_THAT(daemon.after(descriptors + " file descriptors, "), HasSubstr("kept for the store"));
  const std::string address = daemon.address();
  auto client = must(Client::connect(local));
  must(client.create_queue("orders"));

  boost::asio::io_context io;
  std::vector<boost::asio::ip::tcp::socket> idle;
  const auto port = std::stoi(address.substr(address.rfind(':') + 1));
  for (int i = 0; i < strangers; ++i) {
    idle.emplace_back(io).connect(
        {boost::asio::ip::address_v4::loopback(), static_cast<boost::asio::ip::port_type>(port)});
  }
  // Each compaction opens new files, for the log and for tables.
  for (int i = 0; i < 10; ++i) {
    must(client.send("orders", {.body = "x"}));
    must(client.compact("orders"));
  }
  auto another = must(Client::connect(local));
  EXPECT_EQ(must(another.describe_queue("orders")).counts.ready, 10U);
  daemon.signal(SIGTERM);
  EXPECT_EQ(daemon.exit_status(), 0);
  EXPECT_THAT(daemon.log(), ::testing::Not(HasSubstr("Too many open files")));
}

TEST_F(DaemonAndStrangers, FileDescriptorsAreKeptForTheStore) { run("ulimit -n 200", "200", 300); }

// A shell usually has this limit, and no more can be had here.
TEST_F(DaemonAndStrangers, AThousandOfThemAreNoMoreThanItCanBear) {
  rlimit own{};
  ::getrlimit(RLIMIT_NOFILE, &own);
  own.rlim_cur = std::min<rlim_t>(own.rlim_max, 4096);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &own), 0);
  run("ulimit -n 1024", "1024", 1'100);
}

// The log is stuck, so that neither the loop nor the stop can go on.
TEST_F(DaemonTest, EndsInItsTimeWhateverHappens) {
  auto debug = arguments();
  debug.insert(debug.end(), {"--log-level", "debug", "--stop-timeout", "0"});
  {
    Daemon daemon(debug);
    const std::string address = daemon.address();
    const auto port =
        static_cast<boost::asio::ip::port_type>(std::stoi(address.substr(address.rfind(':') + 1)));
    auto client = must(Client::connect(address, {.call_timeout = 5s}));
    must(client.create_queue("orders"));
    must(client.send("orders", {.body = "x"}));
    daemon.narrow_log();
    boost::asio::io_context io;
    do {  // each connection logs a line, and so does each call
      boost::asio::ip::tcp::socket(io).connect({boost::asio::ip::address_v4::loopback(), port});
    } while (client.describe_queue("orders"));
    daemon.signal(SIGTERM);
    EXPECT_EQ(daemon.exit_status_unread(), 124);
    client.close();
  }
  Daemon daemon(arguments());
  auto client = must(Client::connect(daemon.address()));
  EXPECT_EQ(must(client.describe_queue("orders")).counts.ready, 1U) << "what was answered is there";
}

// A sanitizer takes more address space than these tests leave, and needs file descriptors of its own.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

// Without memory, threads or descriptors the server may fail, with a reason and a status, but is not killed.
TEST_F(DaemonTest, AStartThatCannotGoOnSaysWhy) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer needs more than the limits allow";
  const std::vector<std::string> limits = {"ulimit -n 3",      "ulimit -n 12",     "ulimit -n 24",
                                           "ulimit -v 125000", "ulimit -v 135000", "ulimit -v 150000",
                                           "ulimit -v 200000", "ulimit -v 250000", "ulimit -v 300000",
                                           "ulimit -v 350000", "ulimit -v 400000"};
  for (const std::string& limit : limits) {
    SCOPED_TRACE(limit);
    Daemon daemon(limit, arguments());
    bool serves = true;
    try {
      (void)daemon.address();
    } catch (const std::runtime_error&) {
      serves = false;
    }
    daemon.signal(SIGTERM);
    const int status = daemon.exit_status();
    EXPECT_LT(status, 128) << daemon.log();
    if (!serves) {
      EXPECT_NE(status, 0) << daemon.log();
      EXPECT_THAT(daemon.log(), ::testing::AnyOf(HasSubstr("holdfastd: "), HasSubstr(" critical "),
                                                 HasSubstr("error while loading shared libraries")));
      const bool names_memory = daemon.log().find(": allow it more") != std::string::npos;
      const bool is_cut_off = daemon.log().find("cannot continue") != std::string::npos;
      EXPECT_TRUE(names_memory || !is_cut_off || limit.starts_with("ulimit -n")) << daemon.log();
    }
  }
}

// The promise also holds under load, when the memory that malloc sets aside for each thread would use up the
// address space.
TEST_F(DaemonTest, ServesWithLittleAddressSpace) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer needs more than the limit allows";
  Daemon daemon("ulimit -v 400000", arguments());
  const std::string address = daemon.address();
  must(must(Client::connect(address)).create_queue("orders"));
  constexpr std::size_t kSenders = 6;
  constexpr std::size_t kRounds = 5;
  constexpr std::size_t kBatch = 5;
  constexpr std::size_t kBody = 300'000;
  {
    std::vector<std::jthread> senders;
    for (std::size_t i = 0; i < kSenders; ++i) {
      senders.emplace_back([&address] {
        auto client = Client::connect(address);
        ASSERT_THAT(client, Succeeds());
        for (std::size_t round = 0; round < kRounds; ++round) {
          EXPECT_THAT(
              client->send_batch("orders", std::vector<Message>(kBatch, {.body = std::string(kBody, 'x')})),
              Succeeds());
        }
      });
    }
  }
  EXPECT_EQ(must(must(Client::connect(address)).describe_queue("orders")).counts.ready,
            kSenders * kRounds * kBatch);
  daemon.signal(SIGTERM);
  EXPECT_EQ(daemon.exit_status(), 0) << daemon.log();
}

TEST_F(DaemonTest, WhatItWritesIsItsOwnersAlone) {
  namespace fs = std::filesystem;
  const mode_t before = ::umask(022);
  auto with_pid = arguments();
  const fs::path pid_file = directory_ / "pid";
  with_pid.insert(with_pid.end(),
                  {"--pid-file", pid_file.string(), "--backups", (directory_ / "backups").string()});
  fs::create_directory(directory_ / "backups");
  {
    Daemon daemon(with_pid);
    (void)daemon.after("backups: '" + (directory_ / "backups").string() + "' is open to other users");
    auto client = must(Client::connect(daemon.address()));
    must(client.create_queue("orders"));
    must(client.send("orders", {.body = "x"}));
    must(client.compact("orders"));
    must(client.backup("nightly"));
    EXPECT_EQ(fs::status(pid_file).permissions(), fs::perms(0644)) << "it is there to be read";
    daemon.signal(SIGTERM);
    EXPECT_EQ(daemon.exit_status(), 0);
  }
  ::umask(before);
  for (const fs::path& root : {directory_ / "data", directory_ / "backups" / "nightly"}) {
    EXPECT_EQ(fs::status(root).permissions(), fs::perms::owner_all) << root;
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      const auto others = entry.status().permissions() & (fs::perms::group_all | fs::perms::others_all);
      EXPECT_EQ(others, fs::perms::none) << entry.path();
    }
  }
  fs::permissions(directory_ / "data", fs::perms(0755));
  Daemon check({"--data", (directory_ / "data").string(), "--check-config"});
  EXPECT_EQ(check.exit_status(), 0);
  EXPECT_THAT(check.log(), AllOf(HasSubstr("warning: data: "), HasSubstr("(mode 0755): chmod 700")));
}

TEST_F(DaemonTest, BadUsageIsTwo) {
  Daemon daemon({"--dta", "x"});
  EXPECT_EQ(daemon.exit_status(), 2);
  EXPECT_THAT(daemon.log(), HasSubstr("--help"));
}

}  // namespace
}  // namespace holdfast::server
