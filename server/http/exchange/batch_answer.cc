#include "server/http/exchange/batch_answer.h"

#include "schema/http/status.h"

#include <algorithm>

namespace holdfast::server {
namespace {

constexpr const char* kFailed = "failed";

}  // namespace

std::optional<Error> first_failure(const Json& reply) {
  if (!reply.contains(kFailed) || reply[kFailed].empty()) return std::nullopt;
  const Json& error = reply[kFailed][0]["error"];
  const std::string code = error.value("code", "");
  for (const ErrorInfo& info : error_table()) {
    if (info.name == code) return Error{info.code, error.value("message", "")};
  }
  return Error{};
}

HttpResponse answer_batch_send(unsigned status, Json sent) {
  const auto error = first_failure(sent);
  if (!error) return json_response(sent["ids"].empty() ? http_status::kOk : status, sent);
  if (sent[kFailed].size() == sent["ids"].size()) return problem(*error, {{kFailed, sent[kFailed]}});
  for (const Json& entry : sent[kFailed]) sent["ids"][entry["index"].get<std::size_t>()] = nullptr;
  return json_response(status, sent);
}

}  // namespace holdfast::server
