// holdfast drain, resume
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <memory>

#include "operations_verbs.h"
#include "text.h"

namespace holdfast::command {
namespace {

constexpr Duration kLook = std::chrono::seconds(1);

struct Arguments {
  DrainOptions options;
  bool stay = false;
  bool status = false;
  bool no_wait = false;
};

void print(Session& session, const DrainStatus& status) {
  if (session.json()) {
    session.print({{"draining", status.draining},
                   {"exits", status.exits},
                   {"over", status.over},
                   {"in_hand", status.in_hand},
                   {"left_us", status.left.count()}});
    return;
  }
  const std::string in_hand = counted(status.in_hand, "message") + " in hand";
  if (!status.draining) {
    fmt::print(session.out(), "not draining, {}\n", in_hand);
  } else if (!status.over) {
    fmt::print(session.out(), "draining, {}, {} left\n", in_hand, format_duration(status.left));
  } else {
    fmt::print(session.out(), "drained, {}; the server {}\n", in_hand, status.exits ? "ends" : "stays");
  }
}

// A server that ends may do so just before it is asked. What was in hand when it was asked last may have been
// settled since, but nobody knows.
Result<void> has_ended(Session& session, const DrainStatus& last, const Error& error) {
  const bool gone = error.code == ErrorCode::kUnavailable || error.code == ErrorCode::kClosed;
  if (!last.exits || !gone) return tl::unexpected(error);
  if (last.in_hand > 0) {
    session.report_undone(fmt::format("the server has ended, with {} in hand when it last answered",
                                      counted(last.in_hand, "message")));
  } else {
    session.note("the server has ended");
  }
  return {};
}

// Prints whenever something has changed.
Result<void> follow(Session& session, Client& client, DrainStatus status) {
  print(session, status);
  while (status.draining && !status.over) {
    const auto next = client.drain_status(kLook);
    if (!next) return has_ended(session, status, next.error());
    const bool changed = next->in_hand != status.in_hand || next->over || !next->draining;
    status = *next;
    if (changed) print(session, status);
  }
  if (!status.draining) {
    session.report_undone(fmt::format("somebody has resumed the server: it is not drained, with {} in hand",
                                      counted(status.in_hand, "message")));
  } else if (status.in_hand > 0) {
    session.set_exit_status(1);
  }
  return {};
}

Result<void> drain(Session& session, const Arguments& arguments) {
  auto client = session.client();
  if (!client) return tl::unexpected(client.error());
  DrainOptions options = arguments.options;
  options.exit = !arguments.stay;
  const auto status = arguments.status ? (*client)->drain_status() : (*client)->drain(options);
  if (!status) return tl::unexpected(status.error());
  if (!arguments.status && !arguments.no_wait) return follow(session, **client, *status);
  print(session, *status);
  return {};
}

Result<void> resume(Session& session) {
  auto client = session.client();
  if (!client) return tl::unexpected(client.error());
  const auto status = (*client)->resume();
  if (!status) return tl::unexpected(status.error());
  print(session, *status);
  return {};
}

}  // namespace

void add_drain(CLI::App& root, Session& session) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App& verb =
      add_verb(root, session, "drain",
               "Have a server take nothing new, wait until its clients have settled what they hold, and end "
               "it; status 1 if they did not in time, or somebody resumed it",
               {"holdfast drain", "holdfast drain --timeout 5m --stay", "holdfast drain --status"});
  add_duration(verb, "--timeout", arguments->options.timeout, "How long to wait for them [30s]");
  verb.add_flag("--stay", arguments->stay, "Do not end the server: it stays drained until `holdfast resume`");
  verb.add_flag("--no-wait", arguments->no_wait, "Only begin");
  verb.add_flag("--status", arguments->status, "Only say how far it is");
  on_run(verb, session, [arguments](Session& s) { return drain(s, *arguments); });

  on_run(add_verb(root, session, "resume", "Put a server that drains back into service", {"holdfast resume"}),
         session, resume);
}

}  // namespace holdfast::command
