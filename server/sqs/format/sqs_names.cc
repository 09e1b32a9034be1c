#include "server/sqs/format/sqs_names.h"

#include <algorithm>

#include "engine/base/helpers/base64.h"
#include "server/sqs/format/sqs_limits.h"

namespace holdfast::server::sqs {
namespace {

constexpr std::string_view kFifoSuffix = ".fifo";

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

std::string arn_prefix(const SqsOptions& options) {
  return "arn:aws:sqs:" + options.region + ":" + options.account + ":";
}

}  // namespace

bool has_fifo_name(std::string_view queue) { return queue.ends_with(kFifoSuffix); }

Outcome<void> check_new_name(std::string_view name) {
  std::string_view stem = name;
  if (has_fifo_name(name)) stem.remove_suffix(kFifoSuffix.size());
  const bool is_good =
      !stem.empty() && name.size() <= limits::kQueueNameBytes && std::ranges::all_of(stem, is_name_character);
  if (is_good) return {};
  return refuse(FaultCode::kInvalidParameterValue,
                "Can only include alphanumeric characters, hyphens, or underscores. 1 to " +
                    std::to_string(limits::kQueueNameBytes) + " in length");
}

std::string queue_in_url(std::string_view url) {
  while (url.ends_with('/')) url.remove_suffix(1);
  return std::string(url.substr(url.rfind('/') + 1));
}

std::string arn_of(std::string_view queue, const SqsOptions& options) {
  return arn_prefix(options) + std::string(queue);
}

std::string queue_in_arn(std::string_view arn, const SqsOptions& options) {
  const std::string prefix = arn_prefix(options);
  return arn.starts_with(prefix) ? std::string(arn.substr(prefix.size())) : std::string();
}

std::string handle_of(std::string_view queue, const Receipt& receipt) {
  return base64_encode(receipt.to_string() + ":" + std::string(queue));
}

Outcome<Receipt> receipt_in(std::string_view handle, std::string_view queue) {
  const auto invalid = [] {
    return refuse(FaultCode::kReceiptHandleIsInvalid, "The input receipt handle is invalid.");
  };
  const auto text = base64_decode(handle);
  if (!text) return invalid();
  const std::size_t colon = text->find(':');
  if (colon == std::string::npos || std::string_view(*text).substr(colon + 1) != queue) return invalid();
  const auto receipt = Receipt::parse(std::string_view(*text).substr(0, colon));
  if (!receipt) return invalid();
  return *receipt;
}

}  // namespace holdfast::server::sqs
