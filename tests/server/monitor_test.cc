// The monitor's pages: the metrics of queues, dead letters and the server, whether it is alive and ready, and
// how its HTTP listener treats requests, mistakes and strangers.
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include "engine/codec/encoding/keys.h"
#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "holdfast/client.h"
#include "server/bounds/meter.h"
#include "server/monitor/http_listener.h"
#include "server/monitor/metrics.h"
#include "tests/server/server_fixture.h"
#include "tests/support/damaged_store.h"
#include "tests/support/manual_clock.h"
#include "tests/support/random.h"
#include "tests/support/switched_store.h"

namespace holdfast::server {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class MonitorTest : public ServerFixture {
 protected:
  void SetUp() override { start(); }

  // Serves another engine, over this store, from here on.
  void serve(std::unique_ptr<Store> store) {
    server_.reset();
    engine_.emplace(must(EngineInside::open_over(std::move(store), {.background = false})));
    start();
  }
  static std::unique_ptr<Store> new_store() {
    return must(open_memory_store(std::make_shared<MemoryDisk>(1)));
  }

  Page page(std::string_view path, std::size_t max_queues = 10) {
    return Monitor(*engine_, server_->meter(), max_queues).page(path);
  }

  // Makes a dead letter that was rejected with this category.
  void dead_letter(const std::string& queue, const std::string& category) {
    must(engine_->send(queue, {.body = "x"}));
    must(engine_->reject(must(engine_->receive(queue)).front().receipt, {.category = category}));
  }
};

TEST_F(MonitorTest, ShowsQueues) {
  must(engine_->create_queue("orders", {.dead_letters = {.queue = "orders-dlq"}}, MissingQueues::kCreate));
  must(engine_->send("orders", {.body = "x"}));
  must(engine_->send("orders", {.body = "x"}));
  must(engine_->receive("orders"));
  must(engine_->pause_queue("orders-dlq", {.deliveries = true}));
  const auto text = page("/metrics").body;
  EXPECT_THAT(text, AllOf(HasSubstr("# TYPE holdfast_queue_messages gauge\n"),
                          HasSubstr("holdfast_queue_messages{queue=\"orders\",state=\"ready\"} 1\n"),
                          HasSubstr("holdfast_queue_messages{queue=\"orders\",state=\"leased\"} 1\n")));
  EXPECT_THAT(text, HasSubstr("# TYPE holdfast_queue_events_total counter\n"));
  EXPECT_THAT(text, HasSubstr("holdfast_queue_events_total{queue=\"orders\",event=\"sent\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("holdfast_queue_oldest_leased_age_seconds{queue=\"orders\"} "));
  EXPECT_THAT(text, HasSubstr("holdfast_queue_delivery_seconds_count{queue=\"orders\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("holdfast_queue_delivery_seconds_bucket{queue=\"orders\",le=\"+Inf\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("holdfast_queue_paused{queue=\"orders-dlq\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("holdfast_queue_braked{queue=\"orders\"} 0\n"));
}

// The messages were sent before the clock was set back.
TEST_F(MonitorTest, NoAgeIsNegative) {
  const auto disk = std::make_shared<MemoryDisk>(1);
  ManualClock clock;
  const auto serve = [&] {
    server_.reset();
    engine_.reset();
    engine_.emplace(
        must(EngineInside::open_over(must(open_memory_store(disk)), {.clock = &clock, .background = false})));
    start();
  };
  serve();
  must(engine_->create_queue("orders"));
  must(engine_->send("orders", {.body = "x"}));
  must(engine_->send("orders", {.body = "x"}));
  must(engine_->receive("orders"));
  clock.step(-2h);
  serve();
  const auto text = page("/metrics").body;
  EXPECT_THAT(text, AllOf(HasSubstr("holdfast_queue_oldest_ready_age_seconds{queue=\"orders\"} 0\n"),
                          HasSubstr("holdfast_queue_oldest_leased_age_seconds{queue=\"orders\"} 0\n"),
                          HasSubstr("holdfast_clock_steps_total 0\n")));
  clock.step(30s);
  engine_->run_due();
  EXPECT_THAT(page("/metrics").body, AllOf(HasSubstr("holdfast_clock_steps_total 1\n"),
                                           HasSubstr("holdfast_clock_offset_seconds 30\n")));
  server_.reset();
  engine_.reset();
}

TEST_F(MonitorTest, ShowsDeadLettersByCauseAndCategoryAndAlerts) {
  must(engine_->create_queue("orders", {.dead_letters = {.queue = "orders-dlq"}}, MissingQueues::kCreate));
  for (int i = 0; i < 2; ++i) dead_letter("orders", "validation");
  dead_letter("orders", "timeout \"x\"");
  const auto text = page("/metrics").body;
  EXPECT_THAT(text, HasSubstr("holdfast_queue_dead_letters{queue=\"orders-dlq\"} 3\n"));
  EXPECT_THAT(text,
              HasSubstr("holdfast_queue_dead_letters_by_cause{queue=\"orders-dlq\",cause=\"rejected\"} 3\n"));
  EXPECT_THAT(
      text,
      HasSubstr("holdfast_queue_dead_letters_by_category{queue=\"orders-dlq\",category=\"validation\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("category=\"timeout \\\"x\\\"\"} 1\n"));
  EXPECT_THAT(
      text, HasSubstr("holdfast_queue_alert{queue=\"orders-dlq\",rule=\"depth\",severity=\"warning\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("holdfast_queue_alert_value{queue=\"orders-dlq\",rule=\"depth\"} "));
}

TEST_F(MonitorTest, ArrivalsAreCountedByQueueAndCategory) {
  const auto disk = std::make_shared<MemoryDisk>(1);
  serve(must(open_memory_store(disk)));
  must(engine_->create_queue("orders", {.dead_letters = {.queue = "orders-dlq"}}, MissingQueues::kCreate));
  for (int i = 0; i < 2; ++i) dead_letter("orders", "validation");
  dead_letter("orders", "");
  must(engine_->redrive("orders-dlq"));
  const auto counted = AllOf(HasSubstr("# TYPE holdfast_queue_dead_letter_arrivals_total counter\n"),
                             HasSubstr("arrivals_total{queue=\"orders-dlq\",category=\"validation\"} 2\n"),
                             HasSubstr("arrivals_total{queue=\"orders-dlq\",category=\"\"} 1\n"),
                             Not(HasSubstr("category=\"(others)\"")));
  EXPECT_THAT(page("/metrics").body, counted);
  server_.reset();
  engine_.reset();
  serve(must(open_memory_store(disk)));
  EXPECT_THAT(page("/metrics").body, counted);
}

TEST_F(MonitorTest, TheOldestDeadLetterIsAsOldAsItsDeath) {
  const auto disk = std::make_shared<MemoryDisk>(1);
  ManualClock clock;
  server_.reset();
  engine_.emplace(
      must(EngineInside::open_over(must(open_memory_store(disk)), {.clock = &clock, .background = false})));
  start();
  must(engine_->create_queue("orders", {.dead_letters = {.queue = "orders-dlq"}}, MissingQueues::kCreate));
  must(engine_->send("orders", {.body = "x"}));
  clock.advance(1h);
  must(engine_->reject(must(engine_->receive("orders")).front().receipt, {}));
  clock.advance(5min);
  EXPECT_THAT(page("/metrics").body,
              AllOf(HasSubstr("holdfast_queue_oldest_dead_letter_age_seconds{queue=\"orders-dlq\"} 300\n"),
                    Not(HasSubstr("oldest_dead_letter_age_seconds{queue=\"orders\"}"))));
  server_.reset();
  engine_.reset();
}

TEST_F(MonitorTest, CategoriesThatAreNotUtf8AreShownAsOne) {
  must(engine_->create_queue("orders", {.dead_letters = {.queue = "orders-dlq"}}, MissingQueues::kCreate));
  for (const char* category : {"a\xff", "a\xfe", "a\xef\xbf\xbd", "b"}) dead_letter("orders", category);
  const auto text = page("/metrics").body;
  EXPECT_THAT(text, Not(HasSubstr("\xff")));
  EXPECT_THAT(text, Not(HasSubstr("\xfe")));
  EXPECT_THAT(text, HasSubstr("category=\"a\xef\xbf\xbd\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("category=\"b\"} 1\n"));
}

TEST_F(MonitorTest, ControlCharactersInCategoriesAreSpelledOut) {
  must(engine_->create_queue("orders", {.dead_letters = {.queue = "orders-dlq"}}, MissingQueues::kCreate));
  dead_letter("orders",
              "a\x1b[31m\rb\x7f\xc2\x9b"
              "c");
  const auto text = page("/metrics").body;
  for (const char* raw : {"\x1b", "\r", "\x7f", "\xc2\x9b"}) EXPECT_THAT(text, Not(HasSubstr(raw)));
  EXPECT_THAT(text, HasSubstr(R"(category="a\\x1b[31m\\x0db\\x7f\\u009bc"} 1)"));
}

TEST_F(MonitorTest, CategoriesPastTheLargestAreShownTogether) {
  must(engine_->create_queue("orders", {.dead_letters = {.queue = "orders-dlq"}}, MissingQueues::kCreate));
  for (std::size_t i = 0; i < kDeadLetterGroups + 3; ++i) dead_letter("orders", "c" + std::to_string(i));
  EXPECT_THAT(page("/metrics").body, HasSubstr("category=\"(others)\"} 3\n"));
}

TEST_F(MonitorTest, QueuesPastTheLimitAreOnlyCounted) {
  for (const char* name : {"a", "b", "c"}) must(engine_->create_queue(name));
  const auto text = page("/metrics", 2).body;
  EXPECT_THAT(text, HasSubstr("queue=\"b\""));
  EXPECT_THAT(text, Not(HasSubstr("queue=\"c\"")));
  EXPECT_THAT(text, HasSubstr("holdfast_queues_omitted 1\n"));
  EXPECT_THAT(text, HasSubstr("holdfast_queues 3\n"));
}

TEST_F(MonitorTest, ShowsTheServerAndItsEngine) {
  must(engine_->create_queue("orders"));
  auto client = connect();
  must(must(client->send("orders", {{.body = "x"}}).wait(scope_)).front());
  EXPECT_FALSE(client->receive("nowhere", {}).wait(scope_));
  auto waiting = client->receive("empty", {.max = 0}).wait(scope_);
  wait_until([&] { return server_->meter().calls_in_flight == 0; });
  const auto text = page("/metrics").body;
  EXPECT_THAT(text, HasSubstr("holdfast_build_info{version=\""));
  EXPECT_THAT(text, HasSubstr("holdfast_connections 1\n"));
  EXPECT_THAT(text, HasSubstr("holdfast_connections_opened_total 1\n"));
  EXPECT_THAT(text, HasSubstr("holdfast_calls_in_flight 0\n"));
  EXPECT_THAT(text, HasSubstr("holdfast_call_seconds_count{method=\"sendBatch\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("holdfast_call_seconds_count{method=\"receive\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("holdfast_call_errors_total{code=\"queue_not_found\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("holdfast_call_errors_total{code=\"invalid_argument\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE holdfast_commit_seconds histogram\n"));
  EXPECT_THAT(text, HasSubstr("holdfast_commit_seconds_count{durability=\"fsync\"} "));
  EXPECT_THAT(text, HasSubstr("holdfast_commit_calls_count "));
  EXPECT_THAT(text, HasSubstr("holdfast_store_memtable_bytes "));
  EXPECT_THAT(text, HasSubstr("holdfast_writable 1\n"));
}

TEST_F(MonitorTest, SaysWhetherItIsAliveAndReady) {
  EXPECT_EQ(page("/healthz").status, 200U);
  EXPECT_EQ(page("/readyz").status, 200U);
  EXPECT_EQ(page("/else").status, 404U);
  server_->stop(1min);
  EXPECT_EQ(page("/healthz").status, 200U);
  EXPECT_EQ(page("/readyz").status, 503U);
  must(engine_->close());
  EXPECT_EQ(page("/metrics").status, 503U);
}

TEST_F(MonitorTest, AnEngineThatHasStoppedIsShownToBeSo) {
  const PowerSwitch power = power_on();
  serve(std::make_unique<SwitchedStore>(new_store(), power));
  must(engine_->create_queue("orders"));
  EXPECT_THAT(page("/metrics").body, HasSubstr("holdfast_writable 1\n"));
  *power = false;
  ASSERT_THAT(engine_->send("orders", {.body = "x"}), FailsWith(ErrorCode::kStorageFailed));
  EXPECT_EQ(page("/healthz").status, 503U);
  const Page metrics = page("/metrics");
  EXPECT_EQ(metrics.status, 200U);
  EXPECT_THAT(metrics.body,
              AllOf(HasSubstr("holdfast_writable 0\n"), HasSubstr("holdfast_connections 0\n"),
                    HasSubstr("holdfast_free_reserve_bytes "), Not(HasSubstr("queue=\"orders\""))));
}

TEST_F(MonitorTest, ARecordThatCannotBeReadTakesNoOtherNumbersAlong) {
  const auto damage = std::make_shared<DamagedRows>();
  serve(std::make_unique<DamagedStore>(new_store(), damage));
  for (const std::string queue : {"bills", "orders"}) {
    must(engine_->create_queue(queue, {.dead_letters = {.queue = queue + "-dlq"}}, MissingQueues::kCreate));
    dead_letter(queue, "validation");
  }
  const QueueId damaged = must(engine_->describe_queue("bills-dlq")).id;
  damage->add(holdfast::Family::kDeadLetters, keys::queue_begin(damaged), keys::queue_end(damaged));
  const Page metrics = page("/metrics");
  EXPECT_EQ(metrics.status, 200U);
  EXPECT_THAT(
      metrics.body,
      AllOf(HasSubstr("holdfast_queue_dead_letters{queue=\"bills-dlq\"} 1\n"),
            HasSubstr("holdfast_queue_disk_bytes{queue=\"bills-dlq\"} "),
            Not(HasSubstr("by_cause{queue=\"bills-dlq\"")), Not(HasSubstr("by_category{queue=\"bills-dlq\"")),
            HasSubstr("by_cause{queue=\"orders-dlq\",cause=\"rejected\"} 1\n"),
            HasSubstr("by_category{queue=\"orders-dlq\",category=\"validation\"} 1\n")));
}

class HttpTest : public ::testing::Test {
 protected:
  HttpTest() {
    http_.emplace(must(HttpListener::start(
        {.address = "127.0.0.1:0", .names = {"Holdfast.example"}},
        [](std::string_view path) { return Page{.status = 200, .body = std::string(path) + "!"}; }, log_)));
  }

  // Sends a request, and returns what is answered until the server hangs up.
  std::string ask(const std::string& request, bool half_close = false) {
    using boost::asio::ip::tcp;
    boost::asio::io_context io;
    tcp::socket socket(io);
    connect(socket);
    boost::system::error_code end;
    boost::asio::write(socket, boost::asio::buffer(request), end);
    if (half_close) socket.shutdown(tcp::socket::shutdown_send, end);
    std::string answer;
    boost::asio::read(socket, boost::asio::dynamic_buffer(answer), end);
    return answer;
  }

  void connect(boost::asio::ip::tcp::socket& socket) {
    const auto port = must(transport::parse_address(http_->address())).port;
    socket.connect({boost::asio::ip::address_v4::loopback(), port});
  }

  std::ostringstream log_text_;
  spdlog::logger log_{"test", std::make_shared<spdlog::sinks::ostream_sink_mt>(log_text_)};
  std::optional<HttpListener> http_;
};

TEST_F(HttpTest, AnswersGetAndHead) {
  const auto got = ask("GET /metrics?x=1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(got, AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), HasSubstr("Content-Length: 9\r\n"),
                         HasSubstr("\r\n\r\n/metrics!")));
  const auto head = ask("HEAD /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(head, AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), Not(HasSubstr("/healthz!"))));
  const auto twice =
      ask("GET /a HTTP/1.1\r\nHost: localhost\r\n\r\nGET /b HTTP/1.1\r\nHost: localhost\r\nConnection: "
          "close\r\n\r\n");
  EXPECT_THAT(twice, AllOf(HasSubstr("/a!"), HasSubstr("/b!")));
  EXPECT_THAT(ask("PUT / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 405 "), HasSubstr("\r\nAllow: GET, HEAD\r\n")));
}

TEST_F(HttpTest, AnswersToItsOwnNamesOnly) {
  const auto ask_for = [&](const std::string& host) {
    return ask("GET /metrics HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n");
  };
  for (const char* own : {"127.0.0.1", "127.0.0.1:9100", "10.1.2.3:80", "[::1]:9100", "[::1]", "localhost",
                          "LocalHost:9100", "localhost.", "holdfast.example:9100"}) {
    EXPECT_THAT(ask_for(own), AllOf(StartsWith("HTTP/1.1 200 "), HasSubstr("/metrics!"))) << own;
  }
  for (const char* other : {"evil.example", "evil.example:9100", "127.0.0.1.evil.example",
                            "localhost.evil.example", ":9100", "127.0.0.1,evil.example"}) {
    EXPECT_THAT(ask_for(other), AllOf(StartsWith("HTTP/1.1 421 "), Not(HasSubstr("/metrics!")))) << other;
  }
  EXPECT_THAT(ask("GET /metrics HTTP/1.0\r\n\r\n"), HasSubstr("/metrics!")) << "no browser does that";
}

TEST_F(HttpTest, ARequestNamesOneHostThatCanBeOne) {
  const auto ask_with = [&](const std::string& hosts) {
    return ask("GET /metrics HTTP/1.1\r\n" + hosts + "Connection: close\r\n\r\n");
  };
  const auto is_refused =
      AllOf(StartsWith("HTTP/1.1 400 "), HasSubstr("\r\nConnection: close\r\n"), Not(HasSubstr("/metrics!")));
  EXPECT_THAT(ask_with(""), is_refused);
  EXPECT_THAT(ask_with("Host: localhost\r\nHost: localhost\r\n"), is_refused);
  EXPECT_THAT(ask_with("Host: localhost\r\nX: y\r\nhost: evil.example\r\n"), is_refused);
  for (const char* none :
       {"[evil]", "]", "[", "[::1", "::1", "[127.0.0.1]", "[::1%1]", "[::1]x", "a b", "a/b", "localhost:http",
        "localhost:80:80", "127.0.0.1@evil.example", "%zz", "%4", "\x80"}) {
    EXPECT_THAT(ask_with(std::string("Host: ") + none + "\r\n"), is_refused) << none;
  }
  EXPECT_THAT(ask("HEAD /metrics HTTP/1.1\r\n\r\n"), AllOf(is_refused, EndsWith("\r\n\r\n")));
  EXPECT_THAT(ask_with("Host: localhost:\r\n"), HasSubstr("/metrics!"));
  EXPECT_THAT(ask_with("Host:\r\n"), HasSubstr("/metrics!")) << "of an address without a host";
  // If the target is a whole URL, the URL's host counts.
  EXPECT_THAT(ask("GET http://localhost/metrics HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"),
              HasSubstr("/metrics!"));
  EXPECT_THAT(ask("GET http://a@localhost/metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"), is_refused);
  EXPECT_THAT(ask("GET /metrics HTTP/1.0\r\nHost: localhost\r\nHost: localhost\r\n\r\n"),
              HasSubstr(" 400 Bad Request\r\n"));
}

TEST_F(HttpTest, HalfSentRequestsDoNotKeepOthersOut) {
  using boost::asio::ip::tcp;
  boost::asio::io_context io;
  std::vector<tcp::socket> halves;
  for (std::size_t i = 0; i <= HttpListener::kMaxSessions; ++i) {
    connect(halves.emplace_back(io));
    boost::asio::write(halves.back(), boost::asio::buffer(std::string("GET /")));
  }
  EXPECT_THAT(ask("GET /a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"), HasSubstr("/a!"));
  for (std::size_t i = 0; i < 2; ++i) {  // these had to make room
    std::string answer;
    boost::system::error_code end;
    boost::asio::read(halves[i], boost::asio::dynamic_buffer(answer), end);
    EXPECT_EQ(answer, "");
  }
  boost::asio::write(halves.back(), boost::asio::buffer(std::string("b HTTP/1.0\r\n\r\n")));
  std::string answer;
  boost::system::error_code end;
  boost::asio::read(halves.back(), boost::asio::dynamic_buffer(answer), end);
  EXPECT_THAT(answer, HasSubstr("/b!"));
}

TEST_F(HttpTest, OtherMethodsAreRefusedWithOrWithoutABody) {
  const std::string head = " /metrics HTTP/1.1\r\nHost: localhost\r\n";
  for (const std::string method : {"POST", "PUT", "DELETE", "OPTIONS"}) {
    for (const std::string& rest : {std::string("Connection: close\r\n\r\n"),
                                    "Content-Length: 100000\r\n\r\n" + std::string(100'000, 'x'),
                                    std::string("Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n")}) {
      EXPECT_THAT(ask(method + head + rest),
                  AllOf(StartsWith("HTTP/1.1 405 "), HasSubstr("\r\nAllow: GET, HEAD\r\n"),
                        HasSubstr("only GET and HEAD\n")));
    }
  }
  EXPECT_THAT(ask("GET" + head + "Content-Length: 3\r\n\r\nabc"), StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(ask("GET" + head + "Content-Length: 0\r\nConnection: close\r\n\r\n"),
              StartsWith("HTTP/1.1 200 "));
}

TEST_F(HttpTest, TellsWhatIsNoRequest) {
  EXPECT_THAT(ask("\x01\x02 nonsense\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(ask("GET / HTTP/1.1\r\nX: " + std::string(10'000, 'x') + "\r\n\r\n"),
              StartsWith("HTTP/1.1 431 "));
  EXPECT_THAT(ask("GET /a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"), HasSubstr("/a!"));
}

// Both clients must be told at once, since they never end the head of a request.
TEST_F(HttpTest, TellsClientsOfOtherProtocolsAtOnce) {
  EXPECT_THAT(Client::connect(http_->address(), {.connect_timeout = 1min}),
              FailsNaming(ErrorCode::kUnavailable, "the other side speaks HTTP, not Holdfast's RPC"));
  EXPECT_THAT(Client::connect("tls://" + http_->address(), {.connect_timeout = 1min}),
              FailsNaming(ErrorCode::kUnavailable, "does not speak TLS"));
  http_.reset();
  EXPECT_THAT(log_text_.str(),
              AllOf(HasSubstr("hanging up peer=127.0.0.1:"), HasSubstr("the other side does not speak HTTP"),
                    HasSubstr("the other side speaks TLS")));
}

TEST_F(HttpTest, RandomBytesHarmNobody) {
  const std::string request = "GET /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc";
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    std::string bytes = random.bytes(static_cast<std::size_t>(random.below(40)));
    if (random.one_in(2))
      bytes = request.substr(0, static_cast<std::size_t>(random.below(request.size()))) + bytes;
    if (random.one_in(2)) bytes += "\r\n\r\n";
    ask(bytes, true);
  }
  EXPECT_THAT(ask("GET /a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"), HasSubstr("/a!"));
}

TEST_F(HttpTest, RefusalsDoNotFillTheLog) {
  constexpr std::size_t kConnections = 200;
  for (std::size_t i = 0; i < kConnections; ++i) ask(std::string(8, '\0'));
  http_.reset();
  const std::string text = log_text_.str();
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  EXPECT_GT(lines, 0U);
  EXPECT_LT(lines, kConnections);
}

TEST_F(HttpTest, AddressesThatOthersReachAreRefused) {
  const auto page = [](std::string_view) { return Page{}; };
  EXPECT_EQ(HttpListener::start({.address = "0.0.0.0:0"}, page, log_).error().code,
            ErrorCode::kPermissionDenied);
  EXPECT_TRUE(HttpListener::start({.address = "0.0.0.0:0", .allow_remote = true}, page, log_));
  EXPECT_EQ(HttpListener::start({.address = http_->address()}, page, log_).error().code,
            ErrorCode::kUnavailable);
  for (const char* wrong : {"unix:/s", "tls://127.0.0.1:1", "127.0.0.1", "[::1]"}) {
    EXPECT_THAT(HttpListener::start({.address = wrong}, page, log_).error(),
                ::testing::Field(&Error::code, ErrorCode::kInvalidArgument))
        << wrong;
  }
}

}  // namespace
}  // namespace holdfast::server
