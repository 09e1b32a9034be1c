// holdfast receive
#include <fmt/format.h>
#include <fmt/ostream.h>

#include "duration.h"
#include "holdfast/limits.h"
#include "json.h"
#include "text.h"
#include "verbs.h"

namespace holdfast::command {
namespace {

constexpr auto kHalfSecond = std::chrono::milliseconds(500);  // rounds what is left

struct Arguments {
  std::string queue;
  ReceiveOptions options;
  bool ack = false;
  bool raw = false;
  bool follow = false;
};

void print_message(std::ostream& out, const Delivery& delivery, Timestamp now) {
  fmt::print(out, "{}  sent {} ago, delivery {}{}\n", delivery.id.to_string(),
             format_age(now - delivery.sent_at), delivery.deliveries,
             delivery.replays > 0 ? ", redriven " + counted(delivery.replays, "time") : std::string());
  fmt::print(out, "  receipt {}  lease ends in {}\n", delivery.receipt.to_string(),
             format_age(delivery.lease_left + kHalfSecond));
  if (delivery.priority > 0) fmt::print(out, "  priority {}\n", delivery.priority);
  if (!delivery.group.empty()) fmt::print(out, "  group {}\n", printable(delivery.group));
  for (const auto& [name, value] : delivery.attributes) {
    fmt::print(out, "  {}: {}\n", printable(name), printable(value));
  }
  out << '\n';
  for (std::string_view rest = delivery.body; !rest.empty();) {
    const auto end = rest.find('\n');
    fmt::print(out, "  {}\n", printable(rest.substr(0, end)));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  out << '\n';
}

void print_delivery(Session& session, const Arguments& arguments, const Delivery& delivery) {
  if (arguments.raw) {
    session.out() << delivery.body << '\n';
  } else if (session.json()) {
    session.print(to_json(delivery));
  } else {
    print_message(session.out(), delivery, session.now());
  }
}

Result<void> ack_all(Session& session, Broker& broker, const Deliveries& deliveries) {
  // Only what was really written may be acknowledged: a full disk or a closed pipe behind us must not lose
  // messages.
  if (!session.out().flush()) {
    return fail(ErrorCode::kStorageFailed, "the output could not be written, so nothing was acknowledged");
  }
  std::vector<Receipt> receipts;
  receipts.reserve(deliveries.size());
  for (const Delivery& delivery : deliveries) receipts.push_back(delivery.receipt);
  const auto answers = broker.ack_batch(receipts);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (!answers[i]) session.report(answers[i].error(), {{"receipt", receipts[i].to_string()}});
  }
  return {};
}

Result<void> receive_once(Session& session, Broker& broker, const Arguments& arguments) {
  auto deliveries = broker.receive(arguments.queue, arguments.options);
  if (!deliveries) return tl::unexpected(deliveries.error());
  for (const Delivery& delivery : *deliveries) print_delivery(session, arguments, delivery);
  if (deliveries->empty() && !arguments.follow) session.note("no messages");
  if (arguments.ack && !deliveries->empty()) return ack_all(session, broker, *deliveries);
  return {};
}

Result<void> receive(Session& session, const Arguments& arguments) {
  auto broker = session.broker();
  if (!broker) return tl::unexpected(broker.error());
  if (!arguments.follow) return receive_once(session, **broker, arguments);
  Arguments waiting = arguments;
  waiting.options.wait = limits::kWaitMax;
  for (;;) {
    if (auto ok = receive_once(session, **broker, waiting); !ok) return ok;
    if (!session.out().flush()) return fail(ErrorCode::kInternal, "the output could not be written");
  }
}

}  // namespace

void add_receive(CLI::App& root, Session& session) {
  auto arguments = std::make_shared<Arguments>();
  arguments->options.consumer.instance = "holdfast";
  CLI::App& verb = add_verb(root, session, "receive", "Receive messages and print them with their receipts",
                            {"holdfast receive orders", "holdfast receive orders --max 10 --wait 5s --ack",
                             "holdfast receive orders --max 100 --ack --raw > orders.txt",
                             "holdfast --json receive orders --max 100 --ack --follow | ./handle"});
  verb.add_option("queue", arguments->queue, "The queue")->required();
  verb.add_option("-n,--max", arguments->options.max, "At most this many messages [1]");
  add_duration(verb, "--lease", arguments->options.lease,
               "How long they are yours: settle them before it ends [the queue's]");
  add_duration(verb, "--wait", arguments->options.wait, "Wait this long for the first message [0s]");
  verb.add_flag_callback(
      "--prefetch", [arguments] { arguments->options.begun = false; },
      "They do not count as deliveries until holdfast begin says so");
  verb.add_flag("--ack", arguments->ack, "Acknowledge them once they are printed");
  verb.add_flag("--follow", arguments->follow, "Go on with those that come, until interrupted or an error")
      ->excludes(verb.get_option("--wait"));
  verb.add_flag("--raw", arguments->raw, "Print only the bodies, byte for byte, each with a line break");
  verb.add_option("--consumer,--instance", arguments->options.consumer.instance,
                  "Who receives, for the failure record [holdfast]");
  verb.add_option("--consumer-version", arguments->options.consumer.version,
                  "The version of who receives, for the failure record");
  on_run(verb, session, [arguments](Session& s) { return receive(s, *arguments); });
}

}  // namespace holdfast::command
