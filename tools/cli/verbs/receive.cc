// `holdfast receive` receives messages and prints them, once or until Ctrl-C. With --ack it acknowledges only
// what was really written, and with --follow it gives back at its end what it still holds.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <functional>
#include <future>
#include <iterator>

#include "holdfast/engine.h"
#include "holdfast/limits.h"
#include "holdfast/time.h"
#include "tools/cli/json.h"
#include "tools/cli/terminal/interrupt.h"
#include "tools/cli/texts/duration.h"
#include "tools/cli/texts/text.h"
#include "tools/cli/verbs.h"
#include "tools/cli/views/no_messages.h"

namespace holdfast::command {
namespace {

struct ReceiveArguments {
  std::string queue;
  ReceiveOptions options;
  bool ack = false;
  bool raw = false;
  bool follow = false;
};

std::string counted_deliveries(std::uint32_t count) {
  return count == 1 ? "1 delivery" : fmt::format("{} deliveries", count);
}

// Prints the failure of a dead letter in short; dlq show prints all of it.
void print_failure(std::ostream& out, const FailureRecord& record, Timestamp now) {
  const std::string source = record.source_queue.empty() ? "" : " in " + printable(record.source_queue);
  fmt::print(out, "  died {} ago{}: {}, {}\n", format_age(now - record.died_at), source,
             to_string(record.cause), counted_deliveries(record.deliveries));
  if (!record.category.empty()) fmt::print(out, "  category {}\n", printable(record.category));
  if (!record.code.empty()) fmt::print(out, "  code {}\n", printable(record.code));
  fmt::print(out, "  reason {}\n", printable(record.reason));
  if (const auto& first = record.first_death)
    fmt::print(out, "  first died {} ago in {}: {}\n", format_age(now - first->died_at),
               printable(first->source_queue), printable(first->reason));
}

void print_message(std::ostream& out, const Delivery& delivery, bool acked, Timestamp now) {
  fmt::print(out, "{}  sent {} ago, delivery {}{}\n", delivery.id.to_string(),
             format_age(now - delivery.sent_at), delivery.deliveries,
             delivery.replays > 0 ? ", redriven " + counted(delivery.replays, "time") : std::string());
  // The receipt of a message that is acknowledged at once is of no use.
  if (!acked)
    fmt::print(out, "  receipt {}  lease ends in {}\n", delivery.receipt.to_string(),
               format_rounded(delivery.lease_left));
  if (delivery.priority > 0) fmt::print(out, "  priority {}\n", delivery.priority);
  if (!delivery.group.empty()) fmt::print(out, "  group {}\n", printable(delivery.group));
  for (const auto& [name, value] : delivery.attributes) {
    fmt::print(out, "  {}: {}\n", printable(name), printable(value));
  }
  if (delivery.failure) print_failure(out, *delivery.failure, now);
  out << '\n';
  for (std::string_view rest = delivery.body; !rest.empty();) {
    const auto end = rest.find('\n');
    fmt::print(out, "  {}\n", printable(rest.substr(0, end)));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  out << '\n';
}

void print_delivery(CommandSession& session, const ReceiveArguments& arguments, const Delivery& delivery) {
  if (arguments.raw) {
    session.out() << delivery.body << '\n';
  } else if (session.json()) {
    Json object = to_json(delivery);
    if (arguments.ack) {
      object.erase("receipt");
      object.erase("lease_expires_at");
    }
    session.print(object);
  } else {
    print_message(session.out(), delivery, arguments.ack, session.now());
  }
}

// Remembers what this command has received and not acknowledged.
class Held {
 public:
  explicit Held(Broker& broker) : broker_(broker) {}

  void add(const Delivery& delivery) {
    const Duration now = system_clock().steady();
    std::erase_if(leases_, [now](const Lease& lease) { return lease.ends_at <= now; });
    leases_.push_back({delivery.receipt, now + delivery.lease_left});
  }
  void forget(const std::vector<Receipt>& receipts) {
    std::erase_if(leases_, [&](const Lease& lease) {
      return std::ranges::find(receipts, lease.receipt) != receipts.end();
    });
  }

  std::size_t count() const { return leases_.size(); }

  // Gives the messages back uncharged, and returns how many. Those that others have settled meanwhile are not
  // counted. After an error, count() says how many are still held.
  Result<std::size_t> give_back() {
    std::size_t given = 0;
    while (!leases_.empty()) {
      const auto some = leases_.end() - static_cast<std::ptrdiff_t>(std::min(count(), limits::kBatchEntries));
      std::vector<Receipt> receipts;
      std::transform(some, leases_.end(), std::back_inserter(receipts), std::mem_fn(&Lease::receipt));
      const auto answers = broker_.release_batch(receipts, {.charge = false});
      if (!answers) return tl::unexpected(answers.error());
      leases_.erase(some, leases_.end());
      given += static_cast<std::size_t>(
          std::ranges::count_if(*answers, [](const Result<void>& answer) { return answer.has_value(); }));
    }
    return given;
  }

 private:
  struct Lease {
    Receipt receipt;
    Duration ends_at;
  };
  Broker& broker_;
  std::vector<Lease> leases_;
};

// Returns the receipts of what was acknowledged, and reports what was not.
Result<std::vector<Receipt>> ack_all(CommandSession& session, Broker& broker, const Deliveries& deliveries) {
  // Only messages that were really written may be acknowledged, so that a full disk or a closed pipe loses
  // none.
  if (!session.out().flush()) {
    return fail(ErrorCode::kStorageFailed, "the output could not be written, so nothing was acknowledged");
  }
  std::vector<Receipt> receipts;
  receipts.reserve(deliveries.size());
  for (const Delivery& delivery : deliveries) receipts.push_back(delivery.receipt);
  const auto answers = broker.ack_batch(receipts);
  if (!answers) return tl::unexpected(answers.error());
  std::vector<Receipt> acked;
  for (std::size_t i = 0; i < answers->size(); ++i) {
    const Result<void>& answer = (*answers)[i];
    if (answer) {
      acked.push_back(receipts[i]);
    } else {
      session.report(answer.error(), {{"receipt", receipts[i].to_string()}});
    }
  }
  return acked;
}

// Waits for messages until Ctrl-C.
template <class Caller>
Result<Deliveries> receive_until_interrupt(Caller& caller, const ReceiveArguments& arguments) {
  constexpr auto kLook = std::chrono::milliseconds(50);
  auto promise = std::make_shared<std::promise<Result<Deliveries>>>();
  auto received = promise->get_future();
  const auto token =
      caller.async_receive(arguments.queue, arguments.options,
                           [promise](Result<Deliveries> got) { promise->set_value(std::move(got)); });
  while (received.wait_for(kLook) != std::future_status::ready) {
    if (!NotedInterrupt::came()) continue;
    caller.cancel_receive(token);
    break;
  }
  return received.get();
}

Result<Deliveries> wait_for_more(Broker& broker, const ReceiveArguments& arguments) {
  if (auto* client = dynamic_cast<Client*>(&broker)) return receive_until_interrupt(*client, arguments);
  return receive_until_interrupt(dynamic_cast<Engine&>(broker), arguments);
}

Result<void> take(CommandSession& session, Broker& broker, const ReceiveArguments& arguments,
                  const Deliveries& deliveries, Held& held) {
  for (const Delivery& delivery : deliveries) held.add(delivery);
  for (const Delivery& delivery : deliveries) print_delivery(session, arguments, delivery);
  if (!arguments.ack) {
    if (session.out().flush()) return {};
    return fail(ErrorCode::kStorageFailed, "the output could not be written");
  }
  if (deliveries.empty()) return {};
  const auto acked = ack_all(session, broker, deliveries);
  if (!acked) return tl::unexpected(acked.error());
  held.forget(*acked);
  return {};
}

Result<void> follow(CommandSession& session, Broker& broker, ReceiveArguments arguments) {
  arguments.options.wait = limits::kWaitMax;
  const NotedInterrupt interrupt;
  Held held(broker);
  Result<void> outcome;
  while (outcome && !NotedInterrupt::came()) {
    auto deliveries = wait_for_more(broker, arguments);
    outcome = deliveries ? take(session, broker, arguments, *deliveries, held)
                         : Result<void>(tl::unexpected(deliveries.error()));
  }
  if (const auto given = held.give_back(); !given) {
    session.warn(counted(held.count(), "message") + " could not be given back: " + given.error().message);
  } else if (*given > 0) {
    session.note("gave back " + counted(*given, "message"));
  }
  if (!NotedInterrupt::came()) return outcome;
  session.set_exit_status(128 + NotedInterrupt::signal());
  return {};
}

Result<void> receive(CommandSession& session, const ReceiveArguments& arguments) {
  if (arguments.raw && session.json())
    return fail(ErrorCode::kInvalidArgument, "--raw prints bodies as they are, and --json prints objects");
  auto broker = session.broker();
  if (!broker) return tl::unexpected(broker.error());
  if (arguments.follow) return follow(session, **broker, arguments);
  auto deliveries = (*broker)->receive(arguments.queue, arguments.options);
  if (!deliveries) return tl::unexpected(deliveries.error());
  for (const Delivery& delivery : *deliveries) print_delivery(session, arguments, delivery);
  if (deliveries->empty() && !session.json()) session.note(no_messages(**broker, arguments.queue));
  if (!arguments.ack || deliveries->empty()) return {};
  const auto acked = ack_all(session, **broker, *deliveries);
  return acked ? Result<void>() : tl::unexpected(acked.error());
}

}  // namespace

void add_receive(CLI::App& root, CommandSession& session) {
  auto arguments = std::make_shared<ReceiveArguments>();
  arguments->options.consumer.instance = "holdfast";
  CLI::App& verb = add_verb(root, session, "receive", "Receive messages and print them with their receipts",
                            {"holdfast receive orders", "holdfast receive orders --max 10 --wait 5s --ack",
                             "holdfast receive orders --max 100 --ack --raw > orders.txt",
                             "holdfast --json receive orders --max 100 --ack --follow | ./handle"});
  verb.add_option("queue", arguments->queue, "The queue")->required();
  verb.add_option("-n,--max", arguments->options.max, "At most this many messages [1]")->check(check_number);
  add_duration(verb, "--lease", arguments->options.lease,
               "How long the messages are yours: settle them before the lease ends [the queue's]");
  add_duration(verb, "--wait", arguments->options.wait, "Wait this long for the first message [0s]");
  verb.add_flag_callback(
      "--prefetch", [arguments] { arguments->options.prefetch = true; },
      "They count as deliveries only once 'holdfast start' starts them");
  verb.add_flag("--ack", arguments->ack, "Acknowledge them once they are printed");
  verb.add_flag("--follow", arguments->follow,
                "Keep receiving until an error or ctrl-C, which gives back what is not acknowledged")
      ->excludes(verb.get_option("--wait"));
  verb.add_flag("--raw", arguments->raw,
                "Print only the bodies, byte for byte, each with a line break; not with --json");
  verb.add_option("--consumer,--instance", arguments->options.consumer.instance,
                  "The name of the consumer, for the failure record [holdfast]");
  verb.add_option("--consumer-version", arguments->options.consumer.version,
                  "The version of the consumer, for the failure record");
  on_run(verb, session, [arguments](CommandSession& s) { return receive(s, *arguments); });
}

}  // namespace holdfast::command
