// Clients whose connections are cut at random bytes, at a server with tight limits, whose tokens' rights
// change, and which is killed and started again. A ledger knows what each call was answered, and looks
// through another door at what it has done: once if it succeeded, never if it failed, and at most once if
// that is unknown. HOLDFAST_CUTS: how many cuts in each of the four cases. HOLDFAST_CUTS_SEED: of what is
// drawn; the races are not.
#include <capnp/schema.h>
#include <gmock/gmock.h>

#include <array>
#include <atomic>
#include <functional>
#include <future>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "holdfast/buffered_sender.h"
#include "holdfast/client.h"
#include "holdfast/wire/holdfast.capnp.h"
#include "holdfast/wire/push.capnp.h"
#include "tests/client/cuts_doing.h"
#include "tests/client/cuts_ledger.h"
#include "tests/client/cuts_site.h"
#include "tests/support/last_words.h"
#include "tests/support/random.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;

constexpr std::size_t kClients = 3;
constexpr std::size_t kThreadsPerClient = 2;
constexpr Duration kLease = 1h;  // longer than a campaign
constexpr int kMore = 20;        // times that a campaign goes on while a verb or a refusal is missing
constexpr std::size_t kCrowd = 8;
// A drain holds up all callers; one whose connection is cut does so for its whole call_timeout.
constexpr std::uint64_t kCallsPerDrain = 150;

// One thread's calls, in queues of its own, and what they did.
class Caller {
 public:
  Caller(Site& site, Ledger& ledger, Client& client, std::size_t number, std::uint64_t seed)
      : Caller(site, ledger, client, number, "c" + std::to_string(number), seed * 1000 + number) {}

  // Each verb in turn, in an order that is drawn anew once all have had theirs.
  void call() {
    if (++calls_ >= next_drain_) {
      doing_.is("drain");
      return drain();
    }
    if (deck_.empty()) {
      deck_.assign(kSteps.begin(), kSteps.end());
      for (std::size_t i = deck_.size(); i > 1; --i) std::swap(deck_[i - 1], deck_[random_.below(i)]);
    }
    const Step step = deck_.back();
    deck_.pop_back();
    doing_.is(step.name);
    (this->*step.take)();
  }

  // Nothing is sent any more: what was sent twice, or later than it was answered, is here.
  void look_at_what_is_left() {
    const Peace::Kept peace(site_.peace());
    count_sent();
    for (const auto& [body, sent] : sent_) ledger_.note_again(sent.verb, body, sent.result, sent.times);
  }

 private:
  Caller(Site& site, Ledger& ledger, Client& client, std::size_t number, const std::string& name,
         std::uint64_t seed)
      : doing_(number),
        site_(site),
        ledger_(ledger),
        client_(client),
        owner_(site.owner()),
        others_(site.owner()),
        queue_(name),
        dead_(name + "-dead"),
        random_(seed) {
    const Peace::Kept peace(site_.peace());
    const auto buffered = Durability::kBuffered;
    must(owner_.create_queue(name + "-parked", {.durability = buffered}));
    must(owner_.create_queue(dead_, {.parking_queue = name + "-parked", .durability = buffered}));
    must(owner_.create_queue(queue_,
                             {.max_deliveries = 1000, .dead_letter_queue = dead_, .durability = buffered}));
    must(owner_.create_queue(pushed_, {.max_deliveries = 1000, .durability = buffered}));
    must(owner_.create_queue(received_, {.max_deliveries = 1000, .durability = buffered}));
    must(owner_.create_queue(shared_, {.durability = buffered}));
  }

  // A door that nobody has gone through since the server was killed may be shut.
  Client& owner() {
    must(owner_.describe_queue(queue_));
    return owner_;
  }

  // All clients share the limit of the bytes that are being sent.
  MessageId send_as_owner(const std::string& queue, const std::string& body) {
    for (;;) {
      const auto sent = owner().send(queue, {.body = body});
      if (sent || sent.error().code != ErrorCode::kOverloaded) return must(sent).id;
    }
  }

  std::string body_of(const std::string& name) const { return name + std::string(site_.body_bytes(), '.'); }

  std::string next_name() { return queue_ + "-" + std::to_string(++named_) + "-"; }

  // --- sends ---

  struct SentOnce {
    std::string verb;
    Result<void> result = fail(ErrorCode::kOutcomeUnknown, "it is not answered yet");
    std::uint64_t times = 0;
  };

  // Before it is sent.
  std::string next_sent(const std::string& verb) {
    const std::string name = next_name();
    sent_.emplace(body_of(name), SentOnce{.verb = verb});
    return name;
  }

  template <class T>
  void sent(const std::string& name, const Result<T>& result) {
    SentOnce& once = sent_.at(body_of(name));
    once.result = result ? Result<void>() : tl::unexpected(result.error());
    const Peace::Kept peace(site_.peace());
    count_sent();
    ledger_.note(once.verb, name, once.result, once.times);
  }

  void count_sent() { count_sent(owner()); }
  void count_sent(Client& through) {
    for (;;) {
      const auto deliveries = must(through.receive(queue_, {.max = 100, .lease = kLease}));
      if (deliveries.empty()) return;
      for (const Delivery& delivery : deliveries) put_away(through, delivery);
    }
  }

  // Something that was sent, or came back.
  void put_away(Client& through, const Delivery& delivery) {
    const auto found = sent_.find(std::string(delivery.body));
    if (found != sent_.end()) ++found->second.times;
    must(through.ack(delivery.receipt));
  }

  void send() {
    const std::string name = next_sent("send");
    sent(name, client_.send(queue_, {.body = body_of(name)}));
  }

  void send_batch() {
    const std::string name = next_sent("send_batch");
    auto results = client_.send_batch(queue_, {{.body = body_of(name)}}, {.request_id = name});
    if (results) return sent(name, (*results)[0]);
    sent(name, results);
  }

  void send_buffered() {
    const std::string name = next_sent("buffered send");
    auto sender = must(BufferedSender::make(client_, {.queue = queue_, .linger = 0ms, .give_up_after = 2s}));
    sent(name, sender.send({.body = body_of(name)}).get());
  }

  // Many in the air: answers that the proxy holds up are lost together, and then the repetitions are refused
  // for their bytes.
  void send_crowd() {
    std::vector<std::pair<std::string, std::future<Result<Sent>>>> crowd;
    for (std::size_t i = 0; i < kCrowd; ++i) {
      const std::string name = next_sent("send in a crowd");
      const auto answer = std::make_shared<std::promise<Result<Sent>>>();
      crowd.emplace_back(name, answer->get_future());
      client_.async_call([&](auto& verbs) { return verbs.send(queue_, {.body = body_of(name)}); },
                         [answer](Result<Sent> result) { answer->set_value(std::move(result)); });
      const Peace::Kept peace(site_.peace());
      owner();  // so that the server takes it on before the next comes
    }
    for (auto& [name, answer] : crowd) {
      while (answer.wait_for(0s) != std::future_status::ready) crowd_out();
      sent(name, answer.get());
    }
  }

  // Of the bytes that all clients send.
  void crowd_out() {
    const Peace::Kept peace(site_.peace());
    (void)owner().send(received_, {.body = body_of("")});
  }

  // --- settling ---

  Delivery lease(const std::string& name, bool started = true) {
    const Peace::Kept peace(site_.peace());
    const MessageId id = send_as_owner(queue_, body_of(name));
    while (find(queue_, id)) {
      for (Delivery& delivery : must(owner_.receive(queue_, {.lease = kLease, .prefetch = !started}))) {
        if (delivery.id == id) return std::move(delivery);
        put_away(owner_, delivery);
      }
    }
    throw std::runtime_error(name + " is not there");
  }

  std::optional<PeekedMessage> find(const std::string& queue, const MessageId& id) {
    const auto page = must(owner().peek(queue, {.id = id}));
    if (page.items.empty()) return std::nullopt;
    return page.items.front();
  }

  std::optional<MessageState> state_of(const std::string& queue, const MessageId& id) {
    const auto message = find(queue, id);
    return message ? std::optional(message->state) : std::nullopt;
  }

  std::uint64_t dead_letters(const MessageId& id) {
    return must(owner().list_dead_letters(dead_, {.filter = {.ids = {id}}})).items.size();
  }

  void ack() {
    const Delivery delivery = lease(next_name());
    settled("ack", delivery, client_.ack(delivery.receipt), [&] { return !find(queue_, delivery.id); });
  }

  void release() {
    const Delivery delivery = lease(next_name());
    settled("release", delivery, client_.release(delivery.receipt, {.delay = Duration(0), .count = false}),
            [&] { return state_of(queue_, delivery.id) == MessageState::kReady; });
  }

  void reject() {
    const Delivery delivery = lease(next_name());
    settled("reject", delivery, client_.reject(delivery.receipt, {.reason = "bad"}),
            [&] { return dead_letters(delivery.id) == 1; });
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

  void extend() {
    const Delivery delivery = lease(next_name());
    const auto result = client_.extend(delivery.receipt, 2 * kLease);
    const Peace::Kept peace(site_.peace());
    const auto message = find(queue_, delivery.id);
    ASSERT_TRUE(message && message->state == MessageState::kLeased) << delivery.body;
    const bool extended = *message->due > owner_.now() + kLease + kLease / 2;
    ledger_.note("extend", std::string(delivery.body), result, extended ? 1 : 0);
    settle_for_good(delivery, Said::kDone);
  }

  void begin() {
    const Delivery delivery = lease(next_name(), false);
    const auto result = client_.start(delivery.receipt);
    const Peace::Kept peace(site_.peace());
    const auto message = find(queue_, delivery.id);
    ASSERT_TRUE(message) << delivery.body;
    ledger_.note("start", std::string(delivery.body), result, message->deliveries);
    settle_for_good(delivery, Said::kDone);
  }

  // What an earlier attempt received and its lost answer held is leased too, so that this one finds nothing.
  void receive() {
    const std::string name = next_name();
    const MessageId id = send_alone(received_, name);
    const auto result = client_.receive(received_, {.max = 1, .lease = kLease});
    const bool nothing_found = result && result->empty();
    const Peace::Kept peace(site_.peace());
    const bool leased = state_of(received_, id) == MessageState::kLeased;
    ledger_.note("receive", name, result, leased || nothing_found ? 1 : 0);
  }

  // The only message of its queue. `kills`: gets how often the server had been killed by then.
  MessageId send_alone(const std::string& queue, const std::string& name, std::uint64_t* kills = nullptr) {
    const Peace::Kept peace(site_.peace());
    if (kills != nullptr) *kills = site_.kills();
    must(owner().purge_queue(queue));
    send_as_owner(queue, body_of(name));
    return must(owner_.peek(queue)).items.at(0).id;
  }

  // --- while others are at work ---

  // Makes the call while somebody else does a deed, again and again: so also between a try and its
  // repetition.
  template <class Call>
  auto among_others(const std::function<void(Client&)>& deed, Call call) {
    std::atomic<bool> answered = false;
    const std::jthread others([&] {
      while (!answered) {
        const Peace::Kept peace(site_.peace());
        must(others_.describe_queue(queue_));
        deed(others_);
      }
    });
    auto result = call();
    answered = true;
    return result;
  }

  // What was sent is received and acked by others at once.
  void send_to_others() {
    const std::string name = next_sent("send to others");
    sent(name, among_others([this](Client& others) { count_sent(others); },
                            [&] { return client_.send(queue_, {.body = body_of(name)}); }));
  }

  // Gives how many messages went with it.
  std::uint64_t purge(Client& others) { return must(others.purge_queue(shared_)); }

  // As purge(), and the queue is another one then. Nothing is sent between the count and the end.
  std::uint64_t make_anew(Client& others) {
    must(others.pause_queue(shared_, Pause{.sends = true}));
    const std::uint64_t purged = purge(others);
    must(others.delete_queue(shared_));
    must(others.create_queue(shared_, {.durability = Durability::kBuffered}));
    return purged;
  }

  using Emptying = std::uint64_t (Caller::*)(Client&);

  void send_while(const std::string& verb, Emptying emptying) {
    const std::string name = next_name();
    empty_shared();
    std::uint64_t times = 0;
    const auto result = among_others([&](Client& others) { times += (this->*emptying)(others); },
                                     [&] { return client_.send(shared_, {.body = body_of(name)}); });
    times += empty_shared();
    ledger_.note(verb, name, result, times);
  }
  void send_while_purged() { send_while("send among purges", &Caller::purge); }
  void send_while_made_anew() { send_while("send among deletions", &Caller::make_anew); }

  // The message goes once: by the ack, or with what the others do.
  void ack_while(const std::string& verb, Emptying emptying) {
    const Delivery delivery = lease_shared(next_name());
    std::uint64_t purged = 0;
    const auto result = among_others([&](Client& others) { purged += (this->*emptying)(others); },
                                     [&] { return client_.ack(delivery.receipt); });
    purged += empty_shared();
    ledger_.note(verb, std::string(delivery.body), result, purged == 0 ? 1 : 0);
  }
  void ack_while_purged() { ack_while("ack among purges", &Caller::purge); }
  void ack_while_made_anew() { ack_while("ack among deletions", &Caller::make_anew); }

  std::uint64_t empty_shared() {
    const Peace::Kept peace(site_.peace());
    return purge(owner());
  }

  Delivery lease_shared(const std::string& name) {
    const Peace::Kept peace(site_.peace());
    purge(owner());
    send_as_owner(shared_, body_of(name));
    return std::move(must(owner_.receive(shared_, {.lease = kLease})).at(0));
  }

  // Others have it as soon as it is given back.
  void release_to_others() {
    const Delivery delivery = lease_shared(next_name());
    std::uint64_t taken = 0;
    const auto take = [&](Client& others) {
      for (const Delivery& again : must(others.receive(shared_, {.lease = kLease}))) {
        ++taken;
        must(others.ack(again.receipt));
      }
    };
    const auto result = among_others(
        take, [&] { return client_.release(delivery.receipt, {.delay = Duration(0), .count = false}); });
    const Peace::Kept peace(site_.peace());
    take(owner());
    ledger_.note("release to others", std::string(delivery.body), result, taken);
    if (taken == 0) settle_for_good(delivery, said_by(result));
  }

  // A dead letter goes back to its queue as soon as it is one.
  void reject_while_redriven() {
    const Delivery delivery = lease(next_name());
    std::uint64_t times = 0;
    const auto redrive = [&](Client& others) {
      const auto redriven = others.redrive(dead_, {.filter = {.ids = {delivery.id}}});
      if (redriven) times += redriven->moved;
    };
    const auto result =
        among_others(redrive, [&] { return client_.reject(delivery.receipt, {.reason = "bad"}); });
    const Peace::Kept peace(site_.peace());
    times += dead_letters(delivery.id);
    ledger_.note("reject among redrives", std::string(delivery.body), result, times);
    if (times == 0) settle_for_good(delivery, said_by(result));
  }

  // Half of the time there is no queue for the dead letter.
  void reject_while_altered() {
    const Delivery delivery = lease(next_name());
    const auto alter = [&](Client& others) {
      must(others.alter_queue(queue_, {.dead_letter_queue = ""}));
      must(others.alter_queue(queue_, {.dead_letter_queue = dead_}));
    };
    const auto result =
        among_others(alter, [&] { return client_.reject(delivery.receipt, {.reason = "bad"}); });
    const Peace::Kept peace(site_.peace());
    const std::uint64_t times = dead_letters(delivery.id);
    ledger_.note("reject among alterations", std::string(delivery.body), result, times);
    if (times == 0) settle_for_good(delivery, said_by(result));
  }

  // A dead letter is moved, or goes for good.
  void redrive_while_discarded() {
    const RedriveOptions options = dead_one();
    const MessageId& id = options.filter.ids.front();
    std::uint64_t discarded = 0;
    const auto discard = [&](Client& others) {
      discarded += must(others.discard_dead_letters(dead_, {.filter = {.ids = {id}}})).changed;
    };
    auto result = among_others(discard, [&] { return client_.redrive(dead_, options); });
    if (result && result->moved == 0) result = fail(ErrorCode::kMessageNotFound, "nothing was moved");
    const Peace::Kept peace(site_.peace());
    const std::uint64_t moved = find(queue_, id) ? 1 : 0;
    ledger_.note("redrive among discards", options.actor, result, moved);
    EXPECT_EQ(moved + discarded + dead_letters(id), 1U) << options.actor;
  }

  // --- dead letters ---

  MessageId dead_letter(const std::string& name) {
    const Delivery delivery = lease(name);
    const Peace::Kept peace(site_.peace());
    must(owner().reject(delivery.receipt, {.reason = "bad"}));
    return delivery.id;
  }

  void redrive() {
    const RedriveOptions options = dead_one();
    redriven("redrive", options, client_.redrive(dead_, options));
  }

  void park() {
    const RedriveOptions options = dead_one();
    redriven("park", options, client_.park(dead_, options));
  }

  void start_redrive() {
    const RedriveOptions options = dead_one();
    redriven("start_redrive", options, client_.start_redrive(dead_, options));
  }

  RedriveOptions dead_one() {
    const std::string name = next_name();
    return {.filter = {.ids = {dead_letter(name)}}, .actor = name};
  }

  template <class T>
  void redriven(const std::string& verb, const RedriveOptions& options, const Result<T>& result) {
    const std::string& name = options.actor;
    const Peace::Kept peace(site_.peace());
    std::uint64_t tasks = 0;
    for (const TaskStatus& task : must(owner().list_redrives())) {
      if (task.actor.find(name) != std::string::npos) ++tasks;
    }
    ledger_.note(verb, name, result, tasks);
  }

  // The task waits for what becomes of its canary, the first of the two, for as long as that takes.
  void cancel_redrive() {
    const std::string name = next_name();
    const std::vector<MessageId> ids = {dead_letter(name), dead_letter(next_name())};
    const TaskId task = start_waiting_task(ids);
    const auto result = client_.cancel_redrive(task, name);
    const Peace::Kept peace(site_.peace());
    const bool cancelled = must(owner().redrive_status(task)).cancelled_by.find(name) != std::string::npos;
    ledger_.note("cancel_redrive", name, result, cancelled ? 1 : 0);
    if (!cancelled) must(owner_.cancel_redrive(task));
  }

  TaskId start_waiting_task(const std::vector<MessageId>& ids) {
    const Peace::Kept peace(site_.peace());
    return must(owner().start_redrive(dead_, {.filter = {.ids = ids}, .canary = 1}));
  }

  void import_dead_letter() {
    const std::string name = next_name();
    const MessageId id = dead_letter(name);
    const DeadLetter letter = take_out(id);
    const auto result = client_.import_dead_letters(dead_, {letter});
    const Peace::Kept peace(site_.peace());
    ledger_.note("import_dead_letters", name, result, dead_letters(id));
  }

  DeadLetter take_out(const MessageId& id) {
    const Peace::Kept peace(site_.peace());
    DeadLetter letter = must(owner().get_dead_letter(dead_, id));
    must(owner_.discard_dead_letters(dead_, {.filter = {.ids = {id}}}));
    return letter;
  }

  void discard() {
    const std::string name = next_name();
    const MessageId id = dead_letter(name);
    const auto result = client_.discard_dead_letters(dead_, {.filter = {.ids = {id}}});
    const Peace::Kept peace(site_.peace());
    ledger_.note("discard_dead_letters", name, result, dead_letters(id) == 0 ? 1 : 0);
  }

  void change() {
    const std::string name = next_name();
    const MessageId id = dead_letter(name);
    const auto result = client_.change_dead_letters(dead_, {.filter = {.ids = {id}}}, {.note = name});
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
    resume_queue(name);
    const auto purged = client_.purge_queue(name);
    note_queue("purge_queue", name, purged, [](const QueueInfo& queue) { return queue.counts.ready == 0; });
    const auto deleted = client_.delete_queue(name);
    const Peace::Kept peace(site_.peace());
    const bool gone = !owner().describe_queue(name);
    ledger_.note("delete_queue", name, deleted, gone ? 1 : 0);
    if (!gone) (void)owner_.delete_queue(name);  // which a late attempt may do first
  }

  void resume_queue(const std::string& name) {
    {
      const Peace::Kept peace(site_.peace());
      must(owner().pause_queue(name, Pause{.deliveries = true}));
    }
    const auto resumed = client_.resume_queue(name, Pause{.deliveries = true});
    note_queue("resume_queue", name, resumed,
               [](const QueueInfo& queue) { return !queue.paused.deliveries; });
  }

  template <class T>
  void note_queue(const std::string& verb, const std::string& name, const Result<T>& result,
                  const std::function<bool(const QueueInfo&)>& is_done) {
    const Peace::Kept peace(site_.peace());
    ledger_.note(verb, name, result, is_done(must(owner().describe_queue(name))) ? 1 : 0);
  }

  // --- streams ---

  void ack_pushed() {
    if (!stream_ && !subscribe()) return;
    {
      const Peace::Kept peace(site_.peace());
      send_as_owner(pushed_, "x");
    }
    const auto deliveries = stream_->next(1, 100ms);
    if (!deliveries) return stream_.reset();
    for (const Delivery& delivery : *deliveries) {
      stream_->ack(delivery.receipt);
      Result<void> result;
      for (const AckFailure& failure : stream_->flush()) result = tl::unexpected(failure.error);
      const Peace::Kept peace(site_.peace());
      ledger_.note("ack of a stream", delivery.id.to_string(), result,
                   state_of(pushed_, delivery.id) ? 0 : 1);
    }
    if (random_.one_in(4)) stream_.reset();
  }

  // A subscription that was refused holds nothing: what an attempt, or the stream before, had of the queue
  // comes back, unless its server was killed: that leaves the lease as it is.
  bool subscribe() {
    const std::string name = next_name();
    std::uint64_t kills = 0;
    const MessageId id = send_alone(pushed_, name, &kills);
    auto stream = client_.subscribe(pushed_, {.credit = 2, .lease = kLease});
    const Peace::Kept peace(site_.peace());
    ledger_.note("subscribe", name, stream, stream ? 1 : 0);
    if (!stream) {
      doing_.is("subscribe: a message to come back");
      while (site_.kills() == kills && state_of(pushed_, id) != MessageState::kReady)
        std::this_thread::yield();
      return false;
    }
    stream_.emplace(*std::move(stream));
    return true;
  }

  // --- the server ---

  void backup() {
    const std::string name = next_name() + "backup";
    const auto result = client_.backup(name);
    const Peace::Kept peace(site_.peace());
    ledger_.note("backup", name, result, site_.backups(name));
    site_.forget_backups(name);
  }

  // A drain ends with its server, and while there is one nobody connects whose connection was cut. Nobody
  // else looks meanwhile: a receive that meets its beginning gives nothing, whatever is there.
  void drain() {
    next_drain_ = calls_ + kCallsPerDrain / 10;
    site_.peace().interrupt([this] {
      const std::string name = next_name();
      const auto drained = client_.drain({.timeout = 1h, .exit = false});
      ledger_.note("drain", name, drained, must(owner_.drain_status()).draining ? 1 : 0);
      if (drained) {
        const auto resumed = client_.resume();
        ledger_.note("resume", name, resumed, must(owner_.drain_status()).draining ? 0 : 1);
        if (resumed) next_drain_ = calls_ + kCallsPerDrain;
      }
      must(owner_.resume());
    });
  }

  struct Step {
    const char* name;
    void (Caller::*take)();
  };
  static constexpr auto kSteps = std::to_array<Step>({
      {"send", &Caller::send},
      {"send_batch", &Caller::send_batch},
      {"buffered send", &Caller::send_buffered},
      {"send in a crowd", &Caller::send_crowd},
      {"send in a crowd", &Caller::send_crowd},
      {"send in a crowd", &Caller::send_crowd},
      {"receive", &Caller::receive},
      {"ack", &Caller::ack},
      {"release", &Caller::release},
      {"reject", &Caller::reject},
      {"extend", &Caller::extend},
      {"start", &Caller::begin},
      {"ack of a stream", &Caller::ack_pushed},
      {"redrive", &Caller::redrive},
      {"park", &Caller::park},
      {"start_redrive", &Caller::start_redrive},
      {"cancel_redrive", &Caller::cancel_redrive},
      {"change_dead_letters", &Caller::change},
      {"discard_dead_letters", &Caller::discard},
      {"import_dead_letters", &Caller::import_dead_letter},
      {"the calls on a queue", &Caller::change_queue},
      {"backup", &Caller::backup},
      {"send to others", &Caller::send_to_others},
      {"send among purges", &Caller::send_while_purged},
      {"send among deletions", &Caller::send_while_made_anew},
      {"ack among purges", &Caller::ack_while_purged},
      {"ack among deletions", &Caller::ack_while_made_anew},
      {"release to others", &Caller::release_to_others},
      {"reject among redrives", &Caller::reject_while_redriven},
      {"reject among alterations", &Caller::reject_while_altered},
      {"redrive among discards", &Caller::redrive_while_discarded},
  });

  Doing doing_;
  Site& site_;
  Ledger& ledger_;
  Client& client_;
  Client owner_;
  Client others_;
  const std::string queue_;
  const std::string dead_;
  const std::string pushed_ = queue_ + "-pushed";
  const std::string received_ = queue_ + "-received";
  const std::string shared_ = queue_ + "-shared";
  Random random_;
  std::vector<Step> deck_;
  std::uint64_t calls_ = 0;
  std::uint64_t next_drain_ = random_.between(1, kCallsPerDrain / 3);
  std::uint64_t named_ = 0;
  std::map<std::string, SentOnce> sent_;  // by body
  std::optional<DeliveryStream> stream_;
};

using Names = std::set<std::string>;

template <class Interface>
void add_calls(Names& calls) {
  for (const auto method : capnp::Schema::from<Interface>().getMethods())
    calls.emplace(method.getProto().getName().cStr());
}

Names without(Names names, const Names& others) {
  for (const std::string& other : others) names.erase(other);
  return names;
}

// A call that is new in the protocol belongs in the campaign, or among those without an effect.
TEST(CutVerbs, AreAllCallsOfTheProtocolThatHaveAnEffect) {
  Names calls;
  add_calls<wire::Broker>(calls);
  add_calls<wire::Subscription>(calls);
  Names known(kCallsWithoutEffect.begin(), kCallsWithoutEffect.end());
  for (const CutVerb& verb : kCutVerbs) known.emplace(verb.call);
  EXPECT_THAT(without(calls, known), IsEmpty()) << "neither in the campaign nor without an effect";
  EXPECT_THAT(without(known, calls), IsEmpty()) << "not in the protocol";
}

void end_unfinished() {
  Doing::say_all();
  Site::kill_server();
}

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
  const LastWords words("HOLDFAST_CUTS_SEED=" + std::to_string(seed), end_unfinished);
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
      callers.push_back(std::make_unique<Caller>(site, ledger, clients[i], number, seed));
    }
  }
  {
    std::vector<std::jthread> threads;
    for (auto& caller : callers) {
      threads.emplace_back([&] {
        while (!over_now) caller->call();
      });
    }
    Doing doing(kClients * kThreadsPerClient);
    doing.is("disturb the others");
    site.disturb(cuts);
    // On a busy machine few calls are made between two cuts.
    for (int more = 0; more < kMore && !(ledger.is_complete() && site.met_all()); ++more)
      site.disturb(site.cuts() + cuts / 4 + 1);
    over_now = true;
  }
  for (auto& caller : callers) caller->look_at_what_is_left();
  callers.clear();
  ledger.report(site.cuts(), site.kills());
  for (const auto& [what, times] : site.refused_repetitions())
    std::cout << "  refused to a repetition: " << what << ": " << times << "\n";
  ledger.expect_each_verb_done();
  EXPECT_TRUE(site.met_all()) << "no repetition was refused for one of: "
                              << ::testing::PrintToString(site.to_meet());
  if (HasFailure()) std::cout << "HOLDFAST_CUTS_SEED=" << seed << "\n";
}

}  // namespace
}  // namespace holdfast::testing
