// One thread of the campaign of cuts (cuts_test.cc): it makes each verb's calls in turn, in queues of its
// own, and tells the ledger what it was answered and, through another door, what was done.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "holdfast/client.h"
#include "tests/client/cuts/doing.h"
#include "tests/client/cuts/ledger.h"
#include "tests/client/cuts/site.h"
#include "tests/support/random.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {

class Caller {
 public:
  static constexpr Duration kLease = std::chrono::hours(1);  // longer than a campaign

  Caller(Site& site, Ledger& ledger, Client& client, std::size_t number, std::uint64_t seed);

  // Each verb in turn, in an order that is drawn anew once all have had theirs.
  void call();

  // Nothing is sent any more: what was sent twice, or later than it was answered, is here.
  void look_at_what_is_left();

 private:
  // A drain holds up all callers; one whose connection is cut does so for its whole call_timeout.
  static constexpr std::uint64_t kCallsPerDrain = 150;

  struct Step {
    const char* name;
    void (Caller::*take)();
  };
  static std::span<const Step> steps();

  // --- caller.cc ---

  // A door that nobody has gone through since the server was killed may be shut.
  Client& owner();
  // All clients share the limit of the bytes that are being sent.
  MessageId send_as_owner(const std::string& queue, const std::string& body);
  std::string body_of(const std::string& name) const { return name + std::string(site_.body_bytes(), '.'); }
  std::string next_name() { return queue_ + "-" + std::to_string(++named_) + "-"; }
  std::optional<PeekedMessage> find(const std::string& queue, const MessageId& id);
  std::optional<MessageState> state_of(const std::string& queue, const MessageId& id);
  std::uint64_t dead_letters(const MessageId& id);

  // --- sends.cc ---

  struct SentOnce {
    std::string verb;
    Result<void> result = fail(ErrorCode::kOutcomeUnknown, "it is not answered yet");
    std::uint64_t times = 0;
  };
  // Before it is sent.
  std::string next_sent(const std::string& verb);
  template <class T>
  void sent(const std::string& name, const Result<T>& result) {
    SentOnce& once = sent_.at(body_of(name));
    once.result = result ? Result<void>() : tl::unexpected(result.error());
    const Peace::Kept peace(site_.peace());
    count_sent();
    ledger_.note(once.verb, name, once.result, once.times);
  }
  void count_sent() { count_sent(owner()); }
  void count_sent(Client& through);
  // Something that was sent, or came back.
  void put_away(Client& through, const Delivery& delivery);
  void send();
  void send_batch();
  void send_buffered();
  // Many in the air: answers that the proxy holds up are lost together, and then the repetitions are refused
  // for their bytes.
  void send_crowd();
  // Of the bytes that all clients send.
  void crowd_out();

  // --- settling.cc ---

  Delivery lease(const std::string& name, bool started = true);
  void ack();
  void release();
  void reject();
  void settled(const std::string& verb, const Delivery& delivery, const Result<void>& result,
               const std::function<bool()>& is_done);
  void settle_for_good(const Delivery& delivery, Said said);
  void extend();
  void begin();
  // What an earlier attempt received and its lost answer held is leased too, so that this one finds nothing.
  void receive();
  // The only message of its queue. `kills`: gets how often the server had been killed by then.
  MessageId send_alone(const std::string& queue, const std::string& name, std::uint64_t* kills = nullptr);

  // --- among_others.cc ---

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
  void send_to_others();
  // Gives how many messages went with it.
  std::uint64_t purge(Client& others) { return must(others.purge_queue(shared_)); }
  // As purge(), and the queue is another one then. Nothing is sent between the count and the end.
  std::uint64_t make_anew(Client& others);
  using Emptying = std::uint64_t (Caller::*)(Client&);
  void send_while(const std::string& verb, Emptying emptying);
  void send_while_purged() { send_while("send among purges", &Caller::purge); }
  void send_while_made_anew() { send_while("send among deletions", &Caller::make_anew); }
  // The message goes once: by the ack, or with what the others do.
  void ack_while(const std::string& verb, Emptying emptying);
  void ack_while_purged() { ack_while("ack among purges", &Caller::purge); }
  void ack_while_made_anew() { ack_while("ack among deletions", &Caller::make_anew); }
  std::uint64_t empty_shared();
  Delivery lease_shared(const std::string& name);
  // Others have it as soon as it is given back.
  void release_to_others();
  // A dead letter goes back to its queue as soon as it is one.
  void reject_while_redriven();
  // Half of the time there is no queue for the dead letter.
  void reject_while_altered();
  // A dead letter is moved, or goes for good.
  void redrive_while_discarded();

  // --- dead_letters.cc ---

  MessageId dead_letter(const std::string& name);
  void redrive();
  void park();
  void start_redrive();
  RedriveOptions dead_one();
  void redriven(const std::string& verb, const RedriveOptions& options, const Result<Redriven>& result) {
    const std::string& name = options.actor;
    const Peace::Kept peace(site_.peace());
    std::uint64_t tasks = 0;
    for (const TaskStatus& task : must(owner().list_redrives())) {
      if (task.actor.find(name) != std::string::npos) ++tasks;
    }
    ledger_.note(verb, name, result, tasks);
  }
  // The task waits for what becomes of its canary, the first of the two, for as long as that takes.
  void cancel_redrive();
  TaskId start_waiting_task(const std::vector<MessageId>& ids);
  void import_dead_letter();
  DeadLetter take_out(const MessageId& id);
  void discard();
  void change();

  // --- queues.cc ---

  void change_queue();
  void resume_queue(const std::string& name);
  template <class T>
  void note_queue(const std::string& verb, const std::string& name, const Result<T>& result,
                  const std::function<bool(const QueueInfo&)>& is_done) {
    const Peace::Kept peace(site_.peace());
    ledger_.note(verb, name, result, is_done(must(owner().describe_queue(name))) ? 1 : 0);
  }

  // --- streams.cc ---

  void ack_pushed();
  // A subscription that was refused holds nothing: what an attempt, or the stream before, had of the queue
  // comes back, unless its server was killed: that leaves the lease as it is.
  bool subscribe();

  // --- whole_server.cc ---

  void backup();
  // A drain ends with its server, and while there is one nobody connects whose connection was cut. Nobody
  // else looks meanwhile: a receive that meets its beginning gives nothing, whatever is there.
  void drain();

  Doing doing_;
  Site& site_;
  Ledger& ledger_;
  Client& client_;
  Client owner_;
  Client others_;
  const std::string queue_;
  const std::string dead_ = queue_ + "-dead";
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

}  // namespace holdfast::testing
