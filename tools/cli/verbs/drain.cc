// `holdfast drain` has a server take no new work, and follows what is still in flight until the drain is over
// or the server has ended. `holdfast resume` ends the drain.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <memory>

#include "holdfast/limits.h"
#include "holdfast/time.h"
#include "tools/cli/texts/text.h"
#include "tools/cli/verbs/operations_verbs.h"

namespace holdfast::command {
namespace {

constexpr Duration kLook = std::chrono::seconds(1);

struct DrainArguments {
  DrainOptions options;
  bool stay = false;
  bool status = false;
  bool no_wait = false;
};

void print(CommandSession& session, const DrainStatus& status) {
  if (session.json()) {
    session.print({{"draining", status.draining},
                   {"exits", status.exits},
                   {"over", status.over},
                   {"ended", status.ended},
                   {"in_flight", status.in_flight},
                   {"left_us", status.left.count()}});
    return;
  }
  const std::string in_flight = counted(status.in_flight, "message") + " in flight";
  if (!status.draining) {
    fmt::print(session.out(), "not draining, {}\n", in_flight);
  } else if (!status.over) {
    fmt::print(session.out(), "draining, {}, {} left\n", in_flight, format_rounded(status.left));
  } else if (!status.ended) {
    fmt::print(session.out(), "drained, {}; the server {}\n", in_flight, status.exits ? "ends" : "stays");
  } else {
    fmt::print(session.out(), "the server has ended, its data directory is free\n");
  }
}

// Returns how long to wait for the end of the server. The server ends by force after about twice the time
// that is left, and its last answer takes a moment.
Duration longest_end(const DrainStatus& status) {
  return std::min<Duration>(2 * (status.left + std::chrono::seconds(5)), limits::kWaitMax);
}

// Reports that the server no longer answers. A server that ends says so before. One that has not was killed,
// or just cannot be reached any more.
Result<void> lost(CommandSession& session, const DrainStatus& last, const Error& error) {
  const bool gone = error.code == ErrorCode::kUnavailable || error.code == ErrorCode::kClosed;
  if (!gone) return tl::unexpected(error);
  session.report_undone(
      fmt::format("the server no longer answers. It last reported {} in flight. It is not known whether it "
                  "has ended and its data directory is free.",
                  counted(last.in_flight, "message")));
  return {};
}

bool is_same(const DrainStatus& a, const DrainStatus& b) {
  return a.draining == b.draining && a.exits == b.exits && a.over == b.over && a.ended == b.ended &&
         a.in_flight == b.in_flight;
}

bool goes_on(const DrainStatus& status) {
  return status.draining && !status.ended && (!status.over || status.exits);
}

// Prints the status whenever something has changed.
Result<void> follow(CommandSession& session, Client& client, DrainStatus status) {
  print(session, status);
  while (goes_on(status)) {
    const Duration end = longest_end(status);
    const auto next = client.drain_status(status.over ? end : kLook);
    if (!next) return lost(session, status, next.error());
    const bool changed = !is_same(*next, status);
    if (!changed && status.over) {
      session.report_undone(
          fmt::format("the server is drained and has not ended within {}: its data directory "
                      "is not free",
                      format_duration(end)));
      return {};
    }
    status = *next;
    if (changed) print(session, status);
  }
  if (!status.draining) {
    session.report_undone(fmt::format("somebody has resumed the server: it is not drained, with {} in flight",
                                      counted(status.in_flight, "message")));
  } else if (status.in_flight > 0) {
    session.set_exit_status(1);
  }
  return {};
}

Result<void> drain(CommandSession& session, const DrainArguments& arguments) {
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

Result<void> resume(CommandSession& session) {
  auto client = session.client();
  if (!client) return tl::unexpected(client.error());
  const auto status = (*client)->resume();
  if (!status) return tl::unexpected(status.error());
  print(session, *status);
  return {};
}

}  // namespace

void add_drain(CLI::App& root, CommandSession& session) {
  auto arguments = std::make_shared<DrainArguments>();
  CLI::App& verb =
      add_verb(root, session, "drain",
               "Drain a server: it takes nothing new, its clients settle what they hold, then it ends and "
               "its data directory is free; status 1 if that takes too long, somebody resumes it, or it does "
               "not report its end",
               {"holdfast drain", "holdfast drain --timeout 5m --stay", "holdfast drain --status"});
  add_duration(verb, "--timeout", arguments->options.timeout,
               "How long clients may still settle what they hold [30s]");
  verb.add_flag("--stay", arguments->stay, "Do not end the server: it stays drained until `holdfast resume`");
  verb.add_flag("--no-wait", arguments->no_wait, "Begin the drain, and do not wait for its end");
  verb.add_flag("--status", arguments->status, "Only show how far the drain is");
  on_run(verb, session, [arguments](CommandSession& s) { return drain(s, *arguments); });

  on_run(add_verb(root, session, "resume", "Put a server that drains back into service", {"holdfast resume"}),
         session, resume);
}

}  // namespace holdfast::command
