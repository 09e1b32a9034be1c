// Drives an engine with random operations and tells the model what it answered.
#pragma once

#include <deque>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/model/backing.h"
#include "tests/model/belief.h"
#include "tests/model/choices.h"
#include "tests/support/manual_clock.h"
#include "tests/support/random.h"

namespace holdfast::testing {

class Driver {
 public:
  Driver(std::uint64_t seed, Backing& backing);

  // Throws at the first answer that the model does not allow.
  void step();
  // Waits until all leases and delays are over, and compares every message byte for byte.
  void drain();

  // Returns the last operations, oldest first.
  std::string last_operations() const;

 private:
  struct Handed {
    Receipt receipt;
    std::string queue;
  };

  // --- operations ---
  void declare(const std::string& name, const QueueOptions& options);
  void send();
  void receive();
  void receive_from(const std::string& name, const ReceiveOptions& options);
  void ack();
  void begin();
  void extend();
  void release();
  void reject();
  void pass_time();
  void purge();
  void redrive();
  void park();
  void triage();
  void discard();
  void alter();
  void remove_and_declare();
  void close_and_open();
  void crash_and_open();
  void fail_a_write();
  void open();
  void let_fall_due();

  // --- the model ---
  void apply(Belief::Event event) { judge(belief_.apply(std::move(event))); }
  // Tells the model about a call. An error means that the call had no effect.
  void tell(const Result<void>& answer, Belief::Event event) {
    judge(answer ? belief_.apply(std::move(event)) : belief_.check(std::move(event)));
  }
  void judge(const Verdict& verdict) const;
  void synced_if(bool synced);
  // Compares everything that can be seen without a change.
  void check_all();
  // Checks that what is stored is consistent.
  void verify();
  void check_queue(const std::string& name);

  // --- choices ---
  Durability effective(const std::string& queue, std::optional<Durability> asked) const;
  // Returns some receipts of one queue, most of which still hold.
  std::vector<Handed> some_receipts();

  template <class... Parts>
  void note(const Parts&... parts);

  Random random_;
  Choices choices_;
  Backing& backing_;
  ManualClock clock_;
  std::optional<Engine> engine_;
  Belief belief_;
  std::map<std::string, QueueOptions> options_;
  std::deque<Handed> handed_;   // the newest deliveries
  std::set<Receipt> receipts_;  // the receipts of all deliveries
  std::deque<std::string> last_operations_;
  std::uint64_t steps_ = 0;
};

}  // namespace holdfast::testing
