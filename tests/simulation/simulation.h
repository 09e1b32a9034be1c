// A seeded workload on a seeded set of queues over a simulated machine with seeded faults, with an audit
// after every step. The same seed does the same.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "simulation/ledger.h"
#include "simulation/trace.h"
#include "simulation/world.h"
#include "support/random.h"

namespace holdfast::simulation {

class Simulation {
 public:
  explicit Simulation(std::uint64_t seed);

  // Throws Violation at the first broken promise.
  void run(std::uint64_t steps);
  std::string trace() const { return trace_.text(); }

 private:
  struct Subject {
    std::string name;
    QueueOptions options;
    bool dead_letters = false;  // a dead letter queue
  };

  // --- plan.cc: the queues ---
  void declare_queues();
  QueueOptions any_options();
  void add_semantics(QueueOptions& options);

  // --- actions.cc: one of these a step ---
  void send();
  void receive();
  void settle();
  void extend();
  void redrive();
  void pass_time();
  void do_due();
  void break_something();
  void step();

  // --- audit.cc ---
  void audit();
  // Everything left is received and looked at: nothing is missing, nothing double, all ends.
  void drain();
  // False if there was nothing.
  bool drain_queues();
  void take_out(const Delivery& delivery);

  void reopen();
  // A call answered that a write failed: the engine is opened anew, after a power loss or not.
  void recover();
  void recover_if(const Result<void>& answer);
  void note_synced(Durability durability);
  const Subject& any_queue(bool dead_letters);
  std::vector<Receipt> take_receipts();
  Duration any_wait();
  void note_sent(const Subject& queue, const Message& message, Timestamp visible_at,
                 const Result<Sent>& answer);
  void take_in(const Subject& queue, const Deliveries& deliveries);

  template <class... Parts>
  void note(const Parts&... parts) {
    trace_.add(step_, parts...);
  }

  testing::Random random_;
  World world_;
  Ledger ledger_;
  Trace trace_;
  std::vector<Subject> queues_;
  std::deque<Receipt> receipts_;  // the last hand-outs
  // Sends with a deduplication id that are on disk, by queue and id: when, and as which message.
  std::map<std::pair<std::string, std::string>, std::pair<Timestamp, MessageId>> known_ids_;
  std::uint64_t step_ = 0;
  std::uint64_t bodies_ = 0;
};

}  // namespace holdfast::simulation
