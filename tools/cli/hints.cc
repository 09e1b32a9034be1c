#include "tools/cli/hints.h"

#include <fmt/format.h>

#include <string_view>

namespace holdfast::command {
namespace {

// Returns "example.org:7700" for "https://example.org:7700/path".
std::string without_scheme(std::string_view server) {
  server.remove_prefix(server.find("://") + 3);
  return std::string(server.substr(0, server.find('/')));
}

std::string hint_on_address(const ReachedServer& reached) {
  const bool http = reached.server.starts_with("http://");
  if (!http && !reached.server.starts_with("https://"))
    return reached.of_variable ? "the address comes from the variable HOLDFAST_SERVER" : "";
  const std::string host = without_scheme(reached.server);
  return fmt::format("the command does not speak HTTP: use --server {}{}", http ? "" : "tls://", host);
}

std::string hint_on_certificate(const ReachedServer& reached) {
  return fmt::format(
      "--server-ca names who signs the certificate of {}; --client-certificate and --client-key identify you",
      reached.server);
}

// Returns a hint for an error that came before anything was connected.
std::string hint_on_connecting(std::string_view message, const ReachedServer& reached) {
  const auto says = [message](std::string_view what) { return message.find(what) != std::string_view::npos; };
  // A server that does not answer in time, or hangs up, is running. A server of another protocol is named in
  // the error itself.
  if (says("timeout") || says("the other side") || !says("cannot connect to ")) return "";
  if (says("Host not found"))
    return fmt::format("this machine cannot resolve that name: is {} spelled right?",
                       reached.of_variable ? "HOLDFAST_SERVER" : "--server");
  return fmt::format("is holdfastd running? start it with: holdfastd --data ./data --listen {}",
                     reached.server);
}

}  // namespace

bool is_missing_target(const Error& error) {
  return error.code == ErrorCode::kQueueNotFound &&
         error.message.find("which does not exist") != std::string::npos;
}

std::string hint_for(const Error& error, const ReachedServer& reached) {
  const auto says = [&](std::string_view what) { return error.message.find(what) != std::string::npos; };
  // An error about the user's own file says itself what is wrong.
  if (says("certificate") && !error.message.starts_with("TLS ")) return hint_on_certificate(reached);
  switch (error.code) {
    case ErrorCode::kInvalidArgument:
      return says("address '") ? hint_on_address(reached) : "";
    case ErrorCode::kUnavailable:
      return reached.connected ? "" : hint_on_connecting(error.message, reached);
    case ErrorCode::kPermissionDenied:
      if (says("cannot connect to unix:"))
        return "only the user who runs holdfastd, and users that its --allow-user names, may use the socket";
      // Only refusals by the server's access control get a hint: queues refuse things of their own.
      if (!says("granted") && !says("token")) return "";
      return "HOLDFAST_TOKEN identifies you; 'holdfast-token create' makes a token";
    case ErrorCode::kOutcomeUnknown:
      return "it may have happened: check before you repeat it";
    case ErrorCode::kLocked:
      return "if a holdfastd serves this directory, talk to it with --server instead of --data";
    case ErrorCode::kQueueNotFound:
      if (is_missing_target(error)) return "--create-missing creates it, with default options";
      return "'holdfast queue list' shows the queues, 'holdfast queue create' makes one";
    case ErrorCode::kQueueExists:
      return "'holdfast queue alter' changes the options of an existing queue";
    case ErrorCode::kReceiptStale:
      return "receive the message again for a new receipt";
    case ErrorCode::kTaskNotFound:
      return "'holdfast dlq tasks' shows the tasks";
    case ErrorCode::kNoDeadLetterQueue:
      return "'holdfast queue alter QUEUE --dead-letter-queue NAME' gives it one";
    default:
      return "";
  }
}

}  // namespace holdfast::command
