// One thread of the campaign of cuts (cuts_test.cc). It makes the calls of each verb in turn, in queues of
// its own. It tells the ledger what each call was answered and, as it sees through another door, what the
// call has done.
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

  // Makes the calls of one verb. The order of verbs is drawn anew once each of them has had its turn.
  void call();

  // Called when nothing is sent any more. Finds what was sent twice, or arrived after its call was answered.
  void look_at_what_is_left();

 private:
  // Drains are rare: a drain holds up all callers, and a caller whose connection is cut holds it up for a
  // whole call_timeout.
  static constexpr std::uint64_t kCallsPerDrain = 150;

  struct VerbStep {
    const char* name;
    void (Caller::*take)();
  };
  static std::span<const VerbStep> steps();

  // --- caller.cc ---

  // Returns a client with all rights. If the server was killed since the client was used last, the client
  // connects anew first.
  Client& owner();
  // Sends until there is room: all clients share the limit of the bytes that are being sent.
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
  // Notes a message that is about to be sent, and returns its name.
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
  // Counts a message that was sent, or came back, and acknowledges it.
  void put_away(Client& through, const Delivery& delivery);
  void send();
  void send_batch();
  void send_buffered();
  // Sends many messages at once. Answers that the proxy holds up are lost together, and then the repetitions
  // are refused for their bytes.
  void send_crowd();
  // Takes up the limit of the bytes that all clients send.
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
  void start();
  // Receives the only message of a queue. If the answer to an earlier attempt was lost, the message is leased
  // all the same, and the repetition finds nothing.
  void receive();
  // Sends the only message of its queue. `kills` gets how often the server had been killed by then.
  MessageId send_alone(const std::string& queue, const std::string& name, std::uint64_t* kills = nullptr);

  // --- among_others.cc ---

  // Makes the call while somebody else does a deed again and again, so that the deed also comes between a try
  // and its repetition.
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
  // Others receive and acknowledge at once what was sent.
  void send_to_others();
  // Purges the shared queue, and returns how many messages went with it.
  std::uint64_t purge(Client& others) { return must(others.purge_queue(shared_)); }
  // Deletes the shared queue and creates it anew. Returns how many messages went with it. Sends are paused
  // between the count and the deletion.
  std::uint64_t make_anew(Client& others);
  using Emptying = std::uint64_t (Caller::*)(Client&);
  void send_while(const std::string& verb, Emptying emptying);
  void send_while_purged() { send_while("send among purges", &Caller::purge); }
  void send_while_made_anew() { send_while("send among deletions", &Caller::make_anew); }
  // Acknowledges a message, which goes once: by the ack, or with what the others do.
  void ack_while(const std::string& verb, Emptying emptying);
  void ack_while_purged() { ack_while("ack among purges", &Caller::purge); }
  void ack_while_made_anew() { ack_while("ack among deletions", &Caller::make_anew); }
  std::uint64_t empty_shared();
  Delivery lease_shared(const std::string& name);
  // Others have the message as soon as it is given back.
  void release_to_others();
  // Others redrive the dead letter as soon as it is one.
  void reject_while_redriven();
  // Half of the time the queue has no dead letter queue.
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
  // Cancels a task that waits for what becomes of its canary, the first of its two dead letters, for as long
  // as that takes.
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
  // Returns whether the subscription was opened. A refused subscription holds nothing: what an attempt, or
  // the stream before, had of the queue comes back, except if the server was killed, which leaves leases as
  // they are.
  bool subscribe();

  // --- whole_server.cc ---

  void backup();
  // A drain ends with its server. While the server drains, a client whose connection was cut cannot connect.
  // Nobody else looks meanwhile, since a receive that meets the beginning of a drain gives nothing, whatever
  // is there.
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
  std::vector<VerbStep> deck_;
  std::uint64_t calls_ = 0;
  std::uint64_t next_drain_ = random_.between(1, kCallsPerDrain / 3);
  std::uint64_t named_ = 0;
  std::map<std::string, SentOnce> sent_;  // by body
  std::optional<DeliveryStream> stream_;
};

}  // namespace holdfast::testing
