#include "session.h"

#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <ostream>

#include "codec/json.h"
#include "holdfast/client.h"
#include "holdfast/engine.h"
#include "text.h"

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

Session::Session(std::istream& in, std::ostream& out, std::ostream& err) : in_(in), out_(out), err_(err) {}

Result<Broker*> Session::broker(bool create_directory) {
  if (!broker_) {
    auto opened = open(create_directory);
    if (!opened) return tl::unexpected(opened.error());
    broker_ = std::move(*opened);
  }
  return broker_.get();
}

Result<Client*> Session::client() {
  if (!options.data.empty()) return fail(ErrorCode::kInvalidArgument, "--data: only a server can do this");
  if (!client_) {
    auto connected = connect();
    if (!connected) return tl::unexpected(connected.error());
    client_.emplace(std::move(*connected));
  }
  return &*client_;
}

Timestamp Session::now() const { return broker_ ? broker_->now() : system_clock().now(); }

Result<std::unique_ptr<Broker>> Session::open(bool create_directory) const {
  if (options.data.empty()) return owned(connect());
  return owned(Engine::open(options.data, {.create_if_missing = create_directory}));
}

Result<Client> Session::connect() const {
  return Client::connect(server(),
                         {.token = variable("HOLDFAST_TOKEN"), .tls = tls(), .name = "holdfast command"});
}

std::string Session::server() const {
  return or_else(options.server, or_else(variable("HOLDFAST_SERVER"), kDefaultServer));
}

// Variables stay where they are for all servers; what is typed is meant for this one.
ClientTls Session::tls() const {
  ClientTls tls{
      .server_ca = options.server_ca, .certificate = options.client_certificate, .key = options.client_key};
  if (!server().starts_with("tls://")) return tls;
  tls.server_ca = or_else(options.server_ca, variable("HOLDFAST_SERVER_CA"));
  tls.certificate = or_else(options.client_certificate, variable("HOLDFAST_CLIENT_CERTIFICATE"));
  tls.key = or_else(options.client_key, variable("HOLDFAST_CLIENT_KEY"));
  return tls;
}

void Session::print(const Json& object) { out_ << dump_json(object) << '\n'; }

void Session::note(const std::string& line) {
  if (!json()) err_ << line << '\n';
}

bool Session::on_terminal() const { return !json() && &err_ == &std::cerr && isatty(STDERR_FILENO) == 1; }

void Session::overwrite(const std::string& line) { err_ << "\r\033[K" << line << std::flush; }

void Session::warn(const std::string& text) {
  if (json()) {
    err_ << dump_json({{"warning", text}}) << '\n';
  } else {
    err_ << "holdfast: warning: " << printable(text) << '\n';
  }
}

void Session::note_more(std::uint64_t shown, const std::string& after) {
  if (json()) {
    err_ << dump_json({{"more", true}, {"shown", shown}, {"after", after}}) << '\n';
  } else {
    err_ << shown << " shown; there may be more: --after " << after << ", or --all\n";
  }
}

void Session::report(const Error& error, const Json& details) {
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
  err_ << "holdfast: " << printable(to_string(error)) << '\n';
  if (!advice.empty()) err_ << "hint: " << advice << '\n';
}

void Session::report_usage(const std::string& message, const std::string& advice) {
  set_exit_status(2);
  if (json()) {
    err_ << dump_json({{"error", "usage"}, {"message", message}, {"exit_status", 2}, {"hint", advice}})
         << '\n';
  } else {
    err_ << "holdfast: usage: " << printable(message) << "\nhint: " << advice << '\n';
  }
}

Result<bool> Session::confirm(const std::string& question) {
  std::string answer;
  if (!json()) {
    err_ << question << " [y/N] " << std::flush;
    if (std::getline(in_, answer)) return answer == "y" || answer == "yes" || answer == "Y";
    err_ << '\n';
  }
  return fail(ErrorCode::kInvalidArgument, "this needs a confirmation: answer the question or pass --yes");
}

Result<bool> Session::go_ahead(const std::string& question, bool yes) {
  if (yes) return true;
  auto answer = confirm(question);
  if (answer && !*answer) {
    note("nothing was touched");
    set_exit_status(1);
  }
  return answer;
}

void Session::report_undone(const std::string& text) {
  set_exit_status(1);
  if (json()) {
    err_ << dump_json({{"error", "undone"}, {"message", text}, {"exit_status", 1}}) << '\n';
  } else {
    err_ << "holdfast: " << printable(text) << '\n';
  }
}

std::string Session::hint(const Error& error) const {
  const auto says = [&](std::string_view what) { return error.message.find(what) != std::string::npos; };
  if (says("certificate"))
    return "--server-ca says who signs the server's certificate, --client-certificate and --client-key who "
           "you are";
  switch (error.code) {
    case ErrorCode::kUnavailable:
      // One that does not answer in time runs, as does one that hangs up or speaks another protocol.
      if (broker_ || says("timeout") || says("the other side") || !says("cannot connect to ")) return {};
      return "is holdfastd running? start it with: holdfastd --data ./data --listen " + server();
    case ErrorCode::kPermissionDenied:
      // Of the server's access control; queues refuse things of their own.
      if (!says("granted") && !says("token")) return {};
      return "HOLDFAST_TOKEN says who you are; 'holdfast-token create' makes one";
    case ErrorCode::kOutcomeUnknown:
      return "look before you repeat it: it may have happened";
    case ErrorCode::kLocked:
      return "if a holdfastd serves this directory, talk to it with --server instead of --data";
    case ErrorCode::kQueueNotFound:
      return "'holdfast queue list' shows the queues, 'holdfast queue create' makes one";
    case ErrorCode::kReceiptStale:
      return "receive the message again for a new receipt";
    case ErrorCode::kTaskNotFound:
      return "'holdfast dlq tasks' shows the tasks";
    case ErrorCode::kNoDeadLetterQueue:
      return "'holdfast queue alter QUEUE --dead-letter-queue NAME' gives it one";
    default:
      return {};
  }
}

}  // namespace holdfast::command
