#include "server/sqs/operations/batches.h"

#include <algorithm>
#include <set>

#include "server/sqs/format/sqs_limits.h"
#include "server/sqs/format/sqs_values.h"

namespace holdfast::server::sqs {
namespace {

bool is_entry_id(const std::string& id) {
  return !id.empty() && id.size() <= limits::kEntryIdBytes && std::ranges::all_of(id, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

Json failed_entry(const std::string& id, const Fault& fault) {
  const FaultInfo& info = fault_info(fault.code);
  return {
      {"Id", id}, {"SenderFault", info.is_senders()}, {"Code", info.query_code}, {"Message", fault.message}};
}

}  // namespace

Outcome<std::vector<Json>> read_entries(const Json& input) {
  std::vector<Json> entries;
  if (const auto found = input.find("Entries"); found != input.end())
    entries.assign(found->begin(), found->end());
  if (entries.empty()) {
    return refuse(FaultCode::kEmptyBatchRequest, "There should be at least one entry in the request.");
  }
  if (entries.size() > limits::kEntries) {
    return refuse(FaultCode::kTooManyEntriesInBatchRequest,
                  "Maximum number of entries per request are " + std::to_string(limits::kEntries) +
                      ". You have sent " + std::to_string(entries.size()) + ".");
  }
  std::set<std::string> ids;
  for (const Json& entry : entries) {
    const std::string id = text_in(entry, "Id");
    if (!is_entry_id(id)) {
      return refuse(FaultCode::kInvalidBatchEntryId,
                    "A batch entry id can only contain alphanumeric characters, hyphens and underscores. It "
                    "can be at most 80 letters long.");
    }
    if (!ids.insert(id).second)
      return refuse(FaultCode::kBatchEntryIdsNotDistinct, "Id " + id + " repeated.");
  }
  return entries;
}

Json batch_answer(const std::vector<Json>& entries, EntryOutcomes outcomes) {
  Json answer = Json::object();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::string id = text_in(entries[i], "Id");
    if (outcomes[i]) {
      outcomes[i]->emplace("Id", id);
      answer["Successful"].push_back(*std::move(outcomes[i]));
    } else {
      answer["Failed"].push_back(failed_entry(id, outcomes[i].error()));
    }
  }
  return answer;
}

Outcome<Json> answer_of_one(EntryOutcomes outcomes) { return std::move(outcomes.front()); }

}  // namespace holdfast::server::sqs
