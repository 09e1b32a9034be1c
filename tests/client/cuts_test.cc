// Clients whose connections are cut at random bytes, at a server with tight limits, whose tokens' rights
// change, and which is killed and started again. A ledger knows what each call was answered, and looks
// through another door at what it has done: once if it succeeded, never if it failed, and at most once if
// that is unknown. HOLDFAST_CUTS: how many cuts in each of the four cases. HOLDFAST_CUTS_SEED: of what is
// drawn; the races are not.
#include <gmock/gmock.h>

#include <condition_variable>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "client/cutting_proxy.h"
#include "holdfast/buffered_sender.h"
#include "holdfast/client.h"
#include "server/access/tokens.h"
#include "server/daemon_process.h"
#include "support/certificates.h"
#include "support/last_words.h"
#include "support/random.h"
#include "support/result_matchers.h"
#include "support/temp_dir.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kClients = 3;
constexpr std::size_t kThreadsPerClient = 2;
constexpr Duration kCallTimeout = 1s;
constexpr Duration kLease = 1h;  // longer than a campaign
const std::string kToken = "a-token-of-the-campaigns";

enum class Over { kTcp, kTls };
enum class Tight { kCalls, kBytes };

std::string body_of(const std::string& name) { return name + std::string(200, '.'); }

// What a call was answered, as far as it says what was done.
enum class Said { kDone, kNothing, kUnknown };

template <class T>
Said said_by(const Result<T>& result) {
  if (result) return Said::kDone;
  return result.error().code == ErrorCode::kOutcomeUnknown ? Said::kUnknown : Said::kNothing;
}

bool agrees(Said said, std::uint64_t times) {
  switch (said) {
    case Said::kDone:
      return times == 1;
    case Said::kNothing:
      return times == 0;
    case Said::kUnknown:
      break;
  }
  return times <= 1;
}

// What was said, per verb, and what does not agree with what was done.
class Ledger {
 public:
  template <class T>
  void note(const std::string& verb, const std::string& name, const Result<T>& result, std::uint64_t times) {
    const Said said = said_by(result);
    const std::scoped_lock lock(mutex_);
    Counts& counts = counts_[verb];
    ++(said == Said::kDone ? counts.done : said == Said::kNothing ? counts.nothing : counts.unknown);
    if (said == Said::kUnknown && times == 1) ++counts.unknown_and_done;
    if (agrees(said, times)) return;
    const std::string answer = result ? "success" : to_string(result.error());
    ADD_FAILURE() << verb << " of " << name << " was done " << times << " times, and answered: " << answer;
  }

  void report(std::uint64_t cuts, std::uint64_t kills) const {
    std::cout << cuts << " cuts, " << kills
              << " kills; per verb: done, nothing done, unknown (of these done)\n";
    for (const auto& [verb, counts] : counts_) {
      std::cout << "  " << verb << ": " << counts.done << ", " << counts.nothing << ", " << counts.unknown
                << " (" << counts.unknown_and_done << ")\n";
    }
  }

  std::uint64_t done() const {
    const std::scoped_lock lock(mutex_);
    std::uint64_t done = 0;
    for (const auto& [verb, counts] : counts_) done += counts.done;
    return done;
  }

 private:
  struct Counts {
    std::uint64_t done = 0;
    std::uint64_t nothing = 0;
    std::uint64_t unknown = 0;
    std::uint64_t unknown_and_done = 0;
  };
  mutable std::mutex mutex_;
  std::map<std::string, Counts> counts_;
};

// Whoever looks at the server does so between two kills.
class Peace {
 public:
  class Kept {
   public:
    explicit Kept(Peace& peace) : peace_(peace) {
      std::unique_lock lock(peace_.mutex_);
      peace_.changed_.wait(lock, [&] { return !peace_.war_; });
      ++peace_.keepers_;
    }
    ~Kept() {
      const std::scoped_lock lock(peace_.mutex_);
      --peace_.keepers_;
      peace_.changed_.notify_all();
    }
    Kept(const Kept&) = delete;
    Kept& operator=(const Kept&) = delete;

   private:
    Peace& peace_;
  };

  void interrupt(const std::function<void()>& war) {
    std::unique_lock lock(mutex_);
    war_ = true;
    changed_.wait(lock, [&] { return keepers_ == 0; });
    war();
    war_ = false;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool war_ = false;
  std::size_t keepers_ = 0;
};

// Not one of those that a connection's own end may be given: whoever calls a port where nobody listens could
// then be answered by himself.
std::string free_port() {
  boost::asio::io_context io;
  for (auto port = static_cast<std::uint16_t>(20'000 + ::getpid() % 10'000);; ++port) {
    boost::asio::ip::tcp::acceptor acceptor(io, boost::asio::ip::tcp::v4());
    boost::system::error_code failure;
    acceptor.bind({boost::asio::ip::address_v4::loopback(), port}, failure);
    if (!failure) return std::to_string(port);
  }
}

// The server, its owner's door, and the way through the proxy.
class Site {
 public:
  Site(Over over, Tight tight, std::uint64_t seed) : over_(over), tight_(tight), random_(seed) {
    grant("all:*");
    start();
    const CuttingProxy::Bytes bytes =
        over == Over::kTls ? CuttingProxy::Bytes{4000, 4000} : CuttingProxy::Bytes{900, 3000};
    proxy_.emplace("127.0.0.1:" + port_, bytes, seed);
  }

  // Over the Unix socket, which nobody cuts, and with all rights.
  Client owner() const {
    return must(
        Client::connect(door_, {.call_timeout = 1min, .reconnect_delay = 1ms, .reconnect_delay_max = 10ms}));
  }

  Client client() const {
    ClientOptions options{
        .call_timeout = kCallTimeout, .reconnect_delay = 100us, .reconnect_delay_max = 5ms, .token = kToken};
    if (over_ == Over::kTls) options.tls.server_ca = authority_.file();
    const std::string scheme = over_ == Over::kTls ? "tls://" : "";
    for (;;) {
      auto connected = Client::connect(scheme + proxy_->address(), options);
      if (connected) return *std::move(connected);
    }
  }

  // Lets so many cuts go by, and changes something now and then.
  void disturb(std::uint64_t cuts) {
    for (std::uint64_t at = 10; at < cuts; at += random_.between(5, 15)) {
      proxy_->wait_for_cuts(at);
      if (random_.one_in(8)) {
        kill();
      } else {
        change_rights();
      }
    }
    grant("all:*");
    proxy_->wait_for_cuts(cuts);
  }

  std::uint64_t cuts() const { return proxy_->cuts(); }
  std::uint64_t kills() const { return kills_; }
  Peace& peace() { return peace_; }

 private:
  void start() {
    std::vector<std::string> arguments = {
        "--data",      (directory_ / "data").string(),
        "--tokens",    tokens_.string(),
        "--listen",    (over_ == Over::kTls ? "tls://127.0.0.1:" : "127.0.0.1:") + port_,
        "--listen",    door_,
        "--log-level", "error"};
    if (over_ == Over::kTls) {
      for (const auto& argument : {std::string("--tls-certificate"), shown_.certificate.string(),
                                   std::string("--tls-key"), shown_.key.string()})
        arguments.push_back(argument);
    }
    if (tight_ == Tight::kCalls) {
      arguments.insert(arguments.end(), {"--max-calls", "1"});
    } else {
      arguments.insert(arguments.end(),
                       {"--max-calls", "4", "--max-send-bytes", "300", "--max-total-send-bytes", "600"});
    }
    daemon_ = std::make_unique<server::Daemon>(std::move(arguments));
    while (!Client::connect(door_)) std::this_thread::yield();
  }

  void kill() {
    peace_.interrupt([this] {
      daemon_->signal(SIGKILL);
      (void)daemon_->exit_status();
      start();
      ++kills_;
    });
  }

  void change_rights() {
    static const std::vector<std::string> rights = {
        "all:*", "all:*", "all:*", "produce,consume:*", "operate,administer:*", ""};
    grant(random_.pick(rights));
  }

  // Nothing: the token is not known.
  void grant(const std::string& rights) {
    std::vector<server::TokenEntry> entries = {
        {.hash = server::hash_of("another"),
         .rights = {.name = "other", .grants = {must(server::parse_grant("all:*"))}}}};
    if (!rights.empty()) {
      entries.push_back({.hash = server::hash_of(kToken),
                         .rights = {.name = "app", .grants = {must(server::parse_grant(rights))}}});
    }
    must(server::write_tokens(tokens_, entries));
    if (daemon_) daemon_->signal(SIGHUP);
  }

  const Over over_;
  const Tight tight_;
  Random random_;
  TempDir directory_;
  TestAuthority authority_{directory_ / "ca"};
  const CertificateFiles shown_ = authority_.issue("server", "IP:127.0.0.1");
  const std::filesystem::path tokens_ = directory_ / "tokens";
  const std::string door_ = "unix:" + (directory_ / "socket").string();
  const std::string port_ = free_port();
  std::unique_ptr<server::Daemon> daemon_;
  std::optional<CuttingProxy> proxy_;
  Peace peace_;
  std::uint64_t kills_ = 0;
};

// One thread's calls, in queues of its own, and what they did.
class Caller {
 public:
  Caller(Site& site, Ledger& ledger, Client& client, const std::string& name, std::uint64_t seed)
      : site_(site),
        ledger_(ledger),
        client_(client),
        owner_(site.owner()),
        queue_(name),
        dead_(name + "-dead"),
        random_(seed) {
    const Peace::Kept peace(site_.peace());
    const auto buffered = Durability::kBuffered;
    must(owner_.create_queue(name + "-parked", {.durability = buffered}));
    must(owner_.create_queue(dead_, {.parking_queue = name + "-parked", .durability = buffered}));
    must(owner_.create_queue(queue_,
                             {.max_deliveries = 1000, .dead_letter_queue = dead_, .durability = buffered}));
    must(owner_.create_queue(queue_ + "-pushed", {.max_deliveries = 1000, .durability = buffered}));
  }

  void call() {
    switch (random_.below(9)) {
      case 0:
        return send();
      case 1:
        return send_buffered();
      case 2:
        return settle();
      case 3:
        return settle();
      case 4:
        return redrive();
      case 5:
        return triage();
      case 6:
        return change_queue();
      case 7:
        return ack_pushed();
      default:
        return send_batch();
    }
  }

  // Nothing is sent any more: what was sent twice, or later than it was answered, is here.
  void look_at_what_is_left() {
    const Peace::Kept peace(site_.peace());
    count_sent();
    for (const auto& [body, sent] : sent_)
      ledger_.note("at the end: " + sent.verb, body.substr(0, body.find('.')), sent.result, sent.times);
  }

 private:
  // A door that nobody has gone through since the server was killed may be shut.
  Client& owner() {
    must(owner_.describe_queue(queue_));
    return owner_;
  }

  // All clients share the limit of the bytes that are being sent.
  void send_as_owner(const std::string& queue, const std::string& body) {
    for (;;) {
      const auto sent = owner().send(queue, {.body = body});
      if (!sent && sent.error().code == ErrorCode::kOverloaded) continue;
      must(sent);
      return;
    }
  }

  std::string next_name() { return queue_ + "-" + std::to_string(++named_) + "-"; }

  // --- sends ---

  struct SentOnce {
    std::string verb;
    Result<void> result;
    std::uint64_t times = 0;
  };

  template <class T>
  void sent(const std::string& verb, const std::string& name, const Result<T>& result) {
    Result<void> said;
    if (!result) said = tl::unexpected(result.error());
    sent_.emplace(body_of(name), SentOnce{verb, said});
    const Peace::Kept peace(site_.peace());
    count_sent();
    ledger_.note(verb, name, said, sent_.at(body_of(name)).times);
  }

  void count_sent() {
    for (;;) {
      const auto deliveries = must(owner().receive(queue_, {.max = 100, .lease = kLease}));
      if (deliveries.empty()) return;
      for (const Delivery& delivery : deliveries) put_away(delivery);
    }
  }

  // Something that was sent, or came back.
  void put_away(const Delivery& delivery) {
    const auto found = sent_.find(std::string(delivery.body));
    if (found != sent_.end()) ++found->second.times;
    must(owner_.ack(delivery.receipt));
  }

  void send() {
    const std::string name = next_name();
    sent("send", name, client_.send(queue_, {.body = body_of(name)}));
  }

  void send_batch() {
    const std::vector<std::string> names = {next_name()};
    auto results = client_.send_batch(queue_, {{.body = body_of(names[0])}}, {.request_id = names[0]});
    if (results) return sent("send_batch", names[0], (*results)[0]);
    sent("send_batch", names[0], results);
  }

  void send_buffered() {
    const std::string name = next_name();
    auto sender = must(BufferedSender::make(client_, {.queue = queue_, .linger = 0ms, .give_up_after = 2s}));
    sent("buffered send", name, sender.send({.body = body_of(name)}).get());
  }

  // --- settling ---

  Delivery lease(const std::string& name) {
    const Peace::Kept peace(site_.peace());
    send_as_owner(queue_, body_of(name));
    for (;;) {
      auto deliveries = must(owner_.receive(queue_, {.max = 1, .lease = kLease}));
      if (deliveries.empty()) throw std::runtime_error(name + " is not there");
      if (deliveries[0].body == body_of(name)) return std::move(deliveries[0]);
      put_away(deliveries[0]);
    }
  }

  std::optional<MessageState> state_of(const std::string& queue, const MessageId& id) {
    const auto page = must(owner().peek(queue, {.id = id}));
    if (page.items.empty()) return std::nullopt;
    return page.items.front().state;
  }

  std::uint64_t dead_letters(const MessageId& id) {
    return must(owner().list_dead_letters(dead_, {.filter = {.ids = {id}}})).items.size();
  }

  void settle() {
    const std::string name = next_name();
    const Delivery delivery = lease(name);
    const Receipt receipt = delivery.receipt;
    switch (random_.below(5)) {
      case 0:
        return settled("ack", delivery, client_.ack(receipt), [&] { return !state_of(queue_, delivery.id); });
      case 1:
        return settled("release", delivery, client_.release(receipt, {.delay = Duration(0), .count = false}),
                       [&] { return state_of(queue_, delivery.id) == MessageState::kReady; });
      case 2:
        return settled("reject", delivery, client_.reject(receipt, {.reason = "bad"}),
                       [&] { return dead_letters(delivery.id) == 1; });
      case 3:
        return kept("extend", delivery, client_.extend(receipt, kLease));
      default:
        return kept("begin", delivery, client_.begin(receipt));
    }
  }

  void settled(const std::string& verb, const Delivery& delivery, const Result<void>& result,
               const std::function<bool()>& is_done) {
    const Peace::Kept peace(site_.peace());
    const bool done = is_done();
    ledger_.note(verb, std::string(delivery.body), result, done ? 1 : 0);
    // Of one that failed, a first attempt that comes late would find it so.
    if (!done) settle_for_good(delivery, said_by(result));
  }

  void settle_for_good(const Delivery& delivery, Said said) {
    const auto acked = owner().ack(delivery.receipt);
    EXPECT_TRUE(acked || said == Said::kUnknown) << delivery.body << " was settled after all";
  }

  // What changes nothing that could be done twice.
  void kept(const std::string& verb, const Delivery& delivery, const Result<void>& result) {
    const Peace::Kept peace(site_.peace());
    const bool held = state_of(queue_, delivery.id) == MessageState::kLeased;
    ledger_.note(verb, std::string(delivery.body), result, said_by(result) == Said::kDone ? 1 : 0);
    EXPECT_TRUE(held) << verb << " of " << delivery.body;
    EXPECT_TRUE(result || result.error().code != ErrorCode::kReceiptStale) << verb << " of " << delivery.body;
    settle_for_good(delivery, Said::kDone);
  }

  // --- dead letters ---

  MessageId bury(const std::string& name) {
    const Delivery delivery = lease(name);
    const Peace::Kept peace(site_.peace());
    must(owner().reject(delivery.receipt, {.reason = "bad"}));
    return delivery.id;
  }

  void redrive() {
    const std::string name = next_name();
    const MessageId id = bury(name);
    const RedriveOptions options{.filter = {.ids = {id}}, .actor = name};
    switch (random_.below(3)) {
      case 0:
        return redriven("redrive", name, client_.redrive(dead_, options));
      case 1:
        return redriven("park", name, client_.park(dead_, options));
      default:
        return redriven("start_redrive", name, client_.start_redrive(dead_, options));
    }
  }

  template <class T>
  void redriven(const std::string& verb, const std::string& name, const Result<T>& result) {
    const Peace::Kept peace(site_.peace());
    std::uint64_t tasks = 0;
    for (const TaskStatus& task : must(owner().list_redrives())) {
      if (task.actor.find(name) != std::string::npos) ++tasks;
    }
    ledger_.note(verb, name, result, tasks);
  }

  void triage() {
    const std::string name = next_name();
    const MessageId id = bury(name);
    const DeadLetterSelection selection{.filter = {.ids = {id}}};
    if (random_.one_in(2)) {
      const auto result = client_.discard_dead_letters(dead_, selection);
      const Peace::Kept peace(site_.peace());
      return ledger_.note("discard_dead_letters", name, result, dead_letters(id) == 0 ? 1 : 0);
    }
    const auto result = client_.change_dead_letters(dead_, selection, {.note = name});
    const Peace::Kept peace(site_.peace());
    const auto letter = must(owner().get_dead_letter(dead_, id));
    ledger_.note("change_dead_letters", name, result, letter.triage.notes.size());
  }

  // --- queues ---

  void change_queue() {
    const std::string name = next_name() + "queue";
    const auto created = client_.create_queue(name, {.durability = Durability::kBuffered});
    {
      const Peace::Kept peace(site_.peace());
      ledger_.note("create_queue", name, created, owner().describe_queue(name) ? 1 : 0);
      must(owner_.create_queue(name, {.durability = Durability::kBuffered}));
      send_as_owner(name, "x");
    }
    const auto altered = client_.alter_queue(name, {.max_deliveries = 77});
    note_queue("alter_queue", name, altered,
               [](const QueueInfo& queue) { return queue.options.max_deliveries == 77; });
    const auto paused = client_.pause_queue(name, Pause{.sends = true});
    note_queue("pause_queue", name, paused, [](const QueueInfo& queue) { return queue.paused.sends; });
    const auto purged = client_.purge_queue(name);
    note_queue("purge_queue", name, purged, [](const QueueInfo& queue) { return queue.counts.ready == 0; });
    const auto deleted = client_.delete_queue(name);
    const Peace::Kept peace(site_.peace());
    const bool gone = !owner().describe_queue(name);
    ledger_.note("delete_queue", name, deleted, gone ? 1 : 0);
    if (!gone) (void)owner_.delete_queue(name);  // which a late attempt may do first
  }

  template <class T>
  void note_queue(const std::string& verb, const std::string& name, const Result<T>& result,
                  const std::function<bool(const QueueInfo&)>& is_done) {
    const Peace::Kept peace(site_.peace());
    ledger_.note(verb, name, result, is_done(must(owner().describe_queue(name))) ? 1 : 0);
  }

  // --- streams ---

  void ack_pushed() {
    const std::string pushed = queue_ + "-pushed";
    if (!stream_) {
      auto stream = client_.subscribe(pushed, {.credit = 2, .lease = kLease});
      if (!stream) return;
      stream_.emplace(*std::move(stream));
    }
    {
      const Peace::Kept peace(site_.peace());
      send_as_owner(pushed, "x");
    }
    const auto deliveries = stream_->next(1, 100ms);
    if (!deliveries) return stream_.reset();
    for (const Delivery& delivery : *deliveries) {
      stream_->ack(delivery.receipt);
      Result<void> result;
      for (const AckFailure& failure : stream_->flush()) result = tl::unexpected(failure.error);
      const Peace::Kept peace(site_.peace());
      ledger_.note("ack of a stream", delivery.id.to_string(), result, state_of(pushed, delivery.id) ? 0 : 1);
    }
  }

  Site& site_;
  Ledger& ledger_;
  Client& client_;
  Client owner_;
  const std::string queue_;
  const std::string dead_;
  Random random_;
  std::uint64_t named_ = 0;
  std::map<std::string, SentOnce> sent_;  // by body
  std::optional<DeliveryStream> stream_;
};

class Cuts : public ::testing::TestWithParam<std::tuple<Over, Tight>> {};

INSTANTIATE_TEST_SUITE_P(With, Cuts,
                         ::testing::Combine(::testing::Values(Over::kTcp, Over::kTls),
                                            ::testing::Values(Tight::kCalls, Tight::kBytes)),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param) == Over::kTcp ? "Tcp" : "Tls") +
                                  (std::get<1>(test.param) == Tight::kCalls ? "OneCall" : "FewBytes");
                         });

TEST_P(Cuts, WhatIsSaidIsWhatWasDone) {
  const std::uint64_t cuts = environment_count("HOLDFAST_CUTS", 150);
  const std::uint64_t seed = environment_number("HOLDFAST_CUTS_SEED", 1);
  const LastWords words("HOLDFAST_CUTS_SEED=" + std::to_string(seed));
  const auto [over, tight] = GetParam();
  Site site(over, tight, seed);
  Ledger ledger;
  std::atomic<bool> over_now = false;
  std::vector<Client> clients;
  std::vector<std::unique_ptr<Caller>> callers;
  clients.reserve(kClients);
  for (std::size_t i = 0; i < kClients; ++i) {
    clients.push_back(site.client());
    for (std::size_t j = 0; j < kThreadsPerClient; ++j) {
      const std::size_t number = i * kThreadsPerClient + j;
      callers.push_back(std::make_unique<Caller>(site, ledger, clients[i], "c" + std::to_string(number),
                                                 seed * 1000 + number));
    }
  }
  {
    std::vector<std::jthread> threads;
    for (auto& caller : callers) {
      threads.emplace_back([&] {
        while (!over_now) caller->call();
      });
    }
    site.disturb(cuts);
    over_now = true;
  }
  for (auto& caller : callers) caller->look_at_what_is_left();
  callers.clear();
  ledger.report(site.cuts(), site.kills());
  EXPECT_GT(ledger.done(), 0U);
  if (HasFailure()) std::cout << "HOLDFAST_CUTS_SEED=" << seed << "\n";
}

}  // namespace
}  // namespace holdfast::testing
