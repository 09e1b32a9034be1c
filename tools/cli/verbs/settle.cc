// `holdfast ack`, `extend`, `start`, `release` and `reject` settle deliveries by their receipts, and say for
// each what became of it.
#include <functional>

#include "tools/cli/failure_options.h"
#include "tools/cli/filter_options.h"
#include "tools/cli/verbs.h"

namespace holdfast::command {
namespace {

using Settle = std::function<BatchResult<void>(Broker&, std::span<const Receipt>)>;

// Settles every receipt. `done` names what happened to those that were settled, for people and programs.
Result<void> settle(CommandSession& session, const std::vector<Receipt>& receipts, const std::string& done,
                    const Settle& call) {
  auto broker = session.broker();
  if (!broker) return tl::unexpected(broker.error());
  const auto answers = call(**broker, receipts);
  if (!answers) return tl::unexpected(answers.error());
  for (std::size_t i = 0; i < answers->size(); ++i) {
    const std::string receipt = receipts[i].to_string();
    const Result<void>& answer = (*answers)[i];
    if (!answer) {
      const Error& error = answer.error();
      session.report({error.code, receipt + ": " + error.message}, {{"receipt", receipt}});
    } else if (session.json()) {
      session.print({{"receipt", receipt}, {"outcome", done}});
    } else {
      session.out() << done << ' ' << receipt << '\n';
    }
  }
  return {};
}

void add_ack(CLI::App& root, CommandSession& session) {
  struct Arguments {
    std::vector<Receipt> receipts;
    SettleOptions options;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App& verb = add_verb(root, session, "ack", "Acknowledge deliveries: the messages are done and gone",
                            {"holdfast ack 1.2a.100000001"});
  add_receipts(verb, arguments->receipts);
  add_durability(verb, arguments->options.durability);
  add_actor(verb, arguments->options.actor);
  add_request_id(verb, arguments->options.request_id);
  on_run(verb, session, [arguments](CommandSession& s) {
    return settle(s, arguments->receipts, "acknowledged",
                  [&](Broker& broker, std::span<const Receipt> receipts) {
                    return broker.ack_batch(receipts, arguments->options);
                  });
  });
}

void add_extend(CLI::App& root, CommandSession& session) {
  struct Arguments {
    std::vector<Receipt> receipts;
    Duration lease = std::chrono::seconds(30);
    FailureArguments lets_run_out;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App& verb =
      add_verb(root, session, "extend",
               "Keep deliveries for longer; or, with a reason, let their leases run out and say why",
               {"holdfast extend 1.2a.100000001 --lease 5m",
                "holdfast extend 1.2a.100000001 --lease 1m --reason 'the warehouse is down'"});
  add_receipts(verb, arguments->receipts);
  add_duration(verb, "--lease", arguments->lease, "The lease ends this long from now [30s]");
  add_failure(verb, arguments->lets_run_out);
  on_run(verb, session, [arguments](CommandSession& s) -> Result<void> {
    auto failure = read_failure(s, arguments->lets_run_out);
    if (!failure) return tl::unexpected(failure.error());
    return settle(s, arguments->receipts, "extended", [&](Broker& broker, std::span<const Receipt> receipts) {
      return broker.extend_batch(receipts, arguments->lease, {.lets_run_out = *failure});
    });
  });
}

void add_start(CLI::App& root, CommandSession& session) {
  auto receipts = std::make_shared<std::vector<Receipt>>();
  CLI::App& verb = add_verb(root, session, "start", "Count deliveries that were received with --prefetch",
                            {"holdfast start 1.2a.100000001"});
  add_receipts(verb, *receipts);
  on_run(verb, session, [receipts](CommandSession& s) {
    return settle(s, *receipts, "started",
                  [](Broker& broker, std::span<const Receipt> all) { return broker.start_batch(all); });
  });
}

void add_release(CLI::App& root, CommandSession& session) {
  struct Arguments {
    std::vector<Receipt> receipts;
    ReleaseOptions options;
    bool uncharged = false;
    bool to_tail = false;
    FailureArguments failure;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App& verb =
      add_verb(root, session, "release", "Give messages back, to be delivered again now or after a delay",
               {"holdfast release 1.2a.100000001 --delay 5m", "holdfast release 1.2a.100000001 --uncharged",
                "holdfast release 1.2a.100000001 --category timeout --reason 'no answer within 30 s'"});
  add_receipts(verb, arguments->receipts);
  add_duration(verb, "--delay", arguments->options.delay,
               "Deliver again after this long [the queue's retry policy]");
  verb.add_flag("--uncharged", arguments->uncharged,
                "This delivery does not count against the maximum number of deliveries");
  verb.add_flag("--to-tail", arguments->to_tail, "Behind all messages of the queue, not before them");
  add_failure(verb, arguments->failure);
  on_run(verb, session, [arguments](CommandSession& s) -> Result<void> {
    auto failure = read_failure(s, arguments->failure);
    if (!failure) return tl::unexpected(failure.error());
    if (arguments->uncharged && !failure->empty())
      return fail(
          ErrorCode::kInvalidArgument,
          "--uncharged: a delivery that is not charged has not failed, so there is no failure to describe");
    arguments->options.failure = *std::move(failure);
    arguments->options.charge = !arguments->uncharged;
    if (arguments->to_tail) arguments->options.to = ReturnTo::kTail;
    return settle(s, arguments->receipts, "released", [&](Broker& broker, std::span<const Receipt> receipts) {
      return broker.release_batch(receipts, arguments->options);
    });
  });
}

void add_reject(CLI::App& root, CommandSession& session) {
  struct Arguments {
    std::vector<Receipt> receipts;
    FailureArguments rejection;
    SettleOptions options;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App& verb =
      add_verb(root, session, "reject", "Dead-letter messages now, with a reason",
               {"holdfast reject 1.2a.100000001 --category validation --reason 'quantity must be > 0'"});
  add_receipts(verb, arguments->receipts);
  add_failure(verb, arguments->rejection);
  add_durability(verb, arguments->options.durability);
  add_request_id(verb, arguments->options.request_id);
  on_run(verb, session, [arguments](CommandSession& s) -> Result<void> {
    const auto rejection = read_failure(s, arguments->rejection);
    if (!rejection) return tl::unexpected(rejection.error());
    return settle(s, arguments->receipts, "rejected", [&](Broker& broker, std::span<const Receipt> receipts) {
      return broker.reject_batch(receipts, *rejection, arguments->options);
    });
  });
}

}  // namespace

void add_settle_verbs(CLI::App& root, CommandSession& session) {
  add_ack(root, session);
  add_extend(root, session);
  add_start(root, session);
  add_release(root, session);
  add_reject(root, session);
}

}  // namespace holdfast::command
