#include "tools/cli/command_session.h"

#include <unistd.h>

#include <fmt/format.h>
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <ostream>

#include "engine/codec/encoding/json.h"
#include "holdfast/client.h"
#include "holdfast/engine.h"
#include "tools/cli/hints.h"
#include "tools/cli/texts/option_words.h"
#include "tools/cli/texts/text.h"

namespace holdfast::command {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing sets variables
  return value != nullptr ? value : "";
}

std::string or_else(const std::string& text, const std::string& otherwise) {
  return text.empty() ? otherwise : text;
}

template <class T>
Result<std::unique_ptr<Broker>> owned(Result<T> opened) {
  if (!opened) return tl::unexpected(opened.error());
  return std::unique_ptr<Broker>(std::make_unique<T>(std::move(*opened)));
}

}  // namespace

CommandSession::CommandSession(std::istream& in, std::ostream& out, std::ostream& err)
    : in_(in), out_(out), err_(err) {}

Result<Broker*> CommandSession::broker(bool create_directory) {
  if (!broker_) {
    auto opened = open(create_directory);
    if (!opened) return tl::unexpected(opened.error());
    broker_ = std::move(*opened);
  }
  return broker_.get();
}

Result<Client*> CommandSession::client() {
  if (!options.data.empty())
    return fail(
        ErrorCode::kInvalidArgument,
        "--data: this verb works on a running server, not on a data directory; give --server instead");
  if (!client_) {
    auto connected = connect();
    if (!connected) return tl::unexpected(connected.error());
    client_.emplace(std::move(*connected));
  }
  return &*client_;
}

Timestamp CommandSession::now() const { return broker_ ? broker_->now() : system_clock().now(); }

Result<std::unique_ptr<Broker>> CommandSession::open(bool create_directory) const {
  if (options.data.empty()) return owned(connect());
  return owned(Engine::open(options.data, {.create_if_missing = create_directory}));
}

Result<Client> CommandSession::connect() const {
  ClientOptions of{.token = variable("HOLDFAST_TOKEN"), .tls = tls(), .name = "holdfast command"};
  if (options.time_limit) of.connect_timeout = of.call_timeout = *options.time_limit;
  return Client::connect(server(), of);
}

std::string CommandSession::server() const {
  return or_else(options.server, or_else(variable("HOLDFAST_SERVER"), kDefaultServer));
}

// The variables are set for all servers, and do not matter for a server without TLS. Options that are typed
// are meant for this server.
ClientTls CommandSession::tls() const {
  ClientTls tls{
      .server_ca = options.server_ca, .certificate = options.client_certificate, .key = options.client_key};
  if (!server().starts_with("tls://")) return tls;
  tls.server_ca = or_else(options.server_ca, variable("HOLDFAST_SERVER_CA"));
  tls.certificate = or_else(options.client_certificate, variable("HOLDFAST_CLIENT_CERTIFICATE"));
  tls.key = or_else(options.client_key, variable("HOLDFAST_CLIENT_KEY"));
  return tls;
}

std::unique_ptr<LineSource> CommandSession::lines_in() {
  return &in_ == &std::cin ? lines_of(STDIN_FILENO) : lines_of(in_);
}

Screen CommandSession::screen() const {
  return &out_ == &std::cout ? screen_of(STDOUT_FILENO, options.color) : no_screen(options.color);
}

Screen CommandSession::error_screen() const {
  return &err_ == &std::cerr ? screen_of(STDERR_FILENO, options.color) : no_screen(options.color);
}

void CommandSession::print(const Json& object) { out_ << dump_json(object) << '\n'; }

void CommandSession::print(const Table& table) {
  const TableLines shown = table.lines(screen());
  for (const std::string& line : shown.lines) out_ << line << '\n';
  if (shown.left_out.empty()) return;
  out_ << std::flush;  // the table comes before the note about it
  note(left_out_text(shown.left_out, kAllColumns, screen()));
}

void CommandSession::note(const std::string& line) {
  if (!json()) err_ << line << '\n';
}

void CommandSession::note(const std::string& line, const Json& facts) {
  err_ << (json() ? dump_json(facts) : line) << '\n';
}

bool CommandSession::on_terminal() const { return !json() && error_screen().is_terminal(); }

void CommandSession::overwrite(const std::string& line) { err_ << "\r\033[K" << line << std::flush; }

void CommandSession::warn(const std::string& text) {
  if (json()) {
    err_ << dump_json({{"warning", text}}) << '\n';
  } else {
    err_ << "holdfast: " << styled("warning:", Style::kWarning, error_screen().color) << ' '
         << printable(text) << '\n';
  }
}

void CommandSession::note_more(std::uint64_t shown, const std::string& after) {
  if (json()) {
    err_ << dump_json({{"more", true}, {"shown", shown}, {"after", after}}) << '\n';
  } else {
    err_ << shown << " shown; there may be more: --after " << after << ", or --all\n";
  }
}

void CommandSession::report(const Error& said, const Json& details) {
  const Error error{said.code, with_option_words(said.message, option_names_)};
  const ErrorInfo& info = error_info(error.code);
  const std::string advice = hint(error);
  set_exit_status(info.exit_status);
  if (json()) {
    Json object{{"error", info.name}, {"message", error.message}, {"exit_status", info.exit_status}};
    object.update(details);
    if (!advice.empty()) object["hint"] = advice;
    err_ << dump_json(object) << '\n';
    return;
  }
  tell(to_string(error), advice);
}

void CommandSession::tell(const std::string& message, const std::string& advice) {
  const bool color = error_screen().color;
  err_ << styled("holdfast:", Style::kBad, color) << ' ' << printable(message) << '\n';
  if (!advice.empty()) err_ << styled("hint:", Style::kGood, color) << ' ' << printable(advice) << '\n';
}

void CommandSession::report_usage(const std::string& message, const std::string& advice) {
  set_exit_status(2);
  if (json()) {
    err_ << dump_json({{"error", "usage"}, {"message", message}, {"exit_status", 2}, {"hint", advice}})
         << '\n';
  } else {
    tell("usage: " + message, advice);
  }
}

Result<bool> CommandSession::confirm(const std::string& question) {
  std::string answer;
  if (!json()) {
    err_ << question << " [y/N] " << std::flush;
    if (std::getline(in_, answer)) return answer == "y" || answer == "yes" || answer == "Y";
    err_ << '\n';
  }
  return fail(ErrorCode::kInvalidArgument, "this needs a confirmation: answer the question or pass --yes");
}

Result<bool> CommandSession::go_ahead(const std::string& question, bool yes) {
  if (yes) return true;
  auto answer = confirm(question);
  if (answer && !*answer) {
    note("nothing was touched");
    set_exit_status(1);
  }
  return answer;
}

void CommandSession::report_undone(const std::string& text) {
  set_exit_status(1);
  if (json()) {
    err_ << dump_json({{"error", "undone"}, {"message", text}, {"exit_status", 1}}) << '\n';
  } else {
    tell(text, "");
  }
}

std::string CommandSession::hint(const Error& error) {
  if (error.code == ErrorCode::kQueueNotFound && !is_missing_target(error)) {
    if (std::string meant = meant_queues(); !meant.empty()) return meant;
  }
  return hint_for(error, {.server = server(),
                          .of_variable = options.server.empty() && !variable("HOLDFAST_SERVER").empty(),
                          .connected = broker_ != nullptr});
}

std::string CommandSession::meant_queues() {
  if (!broker_ || typed_queues_.empty()) return "";
  const auto queues = broker_->list_queues();
  if (!queues) return "";
  std::vector<std::string> names(queues->size());
  std::ranges::transform(*queues, names.begin(), &QueueInfo::name);
  constexpr std::size_t kMost = 3;
  std::string text;
  for (const std::string& typed : typed_queues_) {
    if (std::ranges::find(names, typed) != names.end()) continue;
    for (const std::string& name : nearest(typed, names, kMost))
      text += fmt::format("{}'{}'", text.empty() ? "" : " or ", name);
  }
  return text.empty() ? "" : "did you mean " + text + "? 'holdfast queue list' shows all queues";
}

}  // namespace holdfast::command
