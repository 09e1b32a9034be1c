// Tags of SQS are a queue's tags. Permissions are kept among them as a policy document, which clients get
// back, but which decides nothing: the rights of tokens decide.
#include <algorithm>

#include "engine/codec/encoding/json.h"
#include "server/sqs/format/shapes.h"
#include "server/sqs/format/sqs_limits.h"
#include "server/sqs/format/sqs_names.h"
#include "server/sqs/format/sqs_values.h"
#include "server/sqs/operations/altering.h"
#include "server/sqs/operations/operation_table.h"
#include "server/sqs/operations/queue_attributes.h"

namespace holdfast::server::sqs {
namespace {

constexpr std::string_view kPolicy = "Policy";

// Changes a queue's tags with `change(queue, tags)`, which returns an Outcome<void>.
template <class Change>
Promised<Json> change_tags(SqsCall& call, const Json& input, Change change) {
  auto made = [change](const QueueInfo& queue) -> Outcome<QueueChanges> {
    Tags tags = queue.options.tags;
    if (auto ok = change(queue.name, tags); !ok) return tl::unexpected(ok.error());
    return QueueChanges{.tags = std::move(tags)};
  };
  return then_if_good(alter_as_seen(call, queue_in_url(text_in(input, "QueueUrl")), std::move(made)),
                      [](Done) { return Outcome<Json>(Json::object()); });
}

// --- permissions: kept in the policy, one statement for each label ---

Json policy_in(const Tags& tags) {
  Json policy = parse_json(kept_value(tags, kPolicy));
  if (!policy.is_object()) policy = {{"Version", "2012-10-17"}, {"Id", "__default_policy_ID"}};
  Json& statements = policy["Statement"];
  if (statements.is_object()) {  // a single statement may stand there without a list
    Json list = Json::array();
    list.push_back(std::move(statements));
    statements = std::move(list);
  }
  if (!statements.is_array()) statements = Json::array();
  return policy;
}

auto statement_of(Json& policy, const std::string& label) {
  return std::ranges::find_if(policy["Statement"], [&label](const Json& statement) {
    return statement.is_object() && statement.contains("Sid") && statement["Sid"] == label;
  });
}

Outcome<void> check_label(const std::string& label) {
  const bool is_good =
      !label.empty() && label.size() <= limits::kLabelBytes && std::ranges::all_of(label, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
               c == '-';
      });
  if (is_good) return {};
  return invalid_value(label, "Label", "Must be 1 to 80 alphanumeric characters, hyphens, or underscores.");
}

Outcome<void> check_accounts(const Json& accounts) {
  if (accounts.empty()) return missing("AWSAccountIds");
  for (const Json& account : accounts) {
    const auto& name = account.get_ref<const std::string&>();
    if (!is_sendable(name))
      return invalid_value(name, "AWSAccountIds", "It has characters that are not allowed.");
  }
  return {};
}

Outcome<void> check_actions(const Json& actions) {
  if (actions.empty()) return missing("Actions");
  if (actions.size() > limits::kActions) {
    return refuse(FaultCode::kOverLimit, std::to_string(actions.size()) +
                                             " Actions were found, maximum allowed is " +
                                             std::to_string(limits::kActions) + ".");
  }
  for (const Json& action : actions) {
    const auto& name = action.get_ref<const std::string&>();
    if (name != "*" && find_operation(name) == nullptr)
      return invalid_value(name, "ActionName", "There is no such action.");
  }
  return {};
}

struct Permission {
  std::string label;
  Json accounts;
  Json actions;
};

Outcome<Permission> read_permission(const Json& input) {
  Permission permission{text_in(input, "Label"), input["AWSAccountIds"], input["Actions"]};
  if (auto ok = check_label(permission.label); !ok) return tl::unexpected(ok.error());
  if (auto ok = check_accounts(permission.accounts); !ok) return tl::unexpected(ok.error());
  if (auto ok = check_actions(permission.actions); !ok) return tl::unexpected(ok.error());
  return permission;
}

Json statement(const Permission& permission, const std::string& arn) {
  Json principals = Json::array();
  for (const Json& account : permission.accounts)
    principals.push_back("arn:aws:iam::" + account.get<std::string>() + ":root");
  Json actions = Json::array();
  for (const Json& action : permission.actions) actions.push_back("SQS:" + action.get<std::string>());
  return {{"Sid", permission.label},
          {"Effect", "Allow"},
          {"Principal", {{"AWS", principals}}},
          {"Action", actions},
          {"Resource", arn}};
}

}  // namespace

Promised<Json> tag_queue(SqsCall& call, const Json& input) {
  return change_tags(call, input,
                     [tags = input["Tags"]](const std::string& /*queue*/, Tags& to) -> Outcome<void> {
                       for (const auto& [key, value] : tags.items()) {
                         if (auto ok = check_tag(key, value.get<std::string>()); !ok) return ok;
                         to[key] = value.get<std::string>();
                       }
                       return {};
                     });
}

Promised<Json> untag_queue(SqsCall& call, const Json& input) {
  return change_tags(call, input,
                     [keys = input["TagKeys"]](const std::string& /*queue*/, Tags& from) -> Outcome<void> {
                       for (const Json& key : keys) {
                         const auto& name = key.get_ref<const std::string&>();
                         if (!is_own_tag(name)) from.erase(name);
                       }
                       return {};
                     });
}

Promised<Json> list_queue_tags(SqsCall& call, const Json& input) {
  return then_if_good(call.broker.describe(queue_in_url(text_in(input, "QueueUrl"))),
                      [](const QueueInfo& queue) {
                        Json tags = Json::object();
                        for (const auto& [key, value] : queue.options.tags) {
                          if (!is_own_tag(key)) tags[key] = value;
                        }
                        Json answer = Json::object();
                        if (!tags.empty()) answer["Tags"] = std::move(tags);
                        return Outcome<Json>(std::move(answer));
                      });
}

Promised<Json> add_permission(SqsCall& call, const Json& input) {
  auto permission = read_permission(input);
  if (!permission) return fail_with<Json>(permission.error());
  return change_tags(
      call, input, [&call, permission = *permission](const std::string& queue, Tags& tags) -> Outcome<void> {
        Json policy = policy_in(tags);
        if (statement_of(policy, permission.label) != policy["Statement"].end())
          return invalid_value(permission.label, "Label", "Already exists.");
        policy["Statement"].push_back(statement(permission, arn_of(queue, call.options())));
        keep_value(tags, kPolicy, dump_json(policy));
        return {};
      });
}

Promised<Json> remove_permission(SqsCall& call, const Json& input) {
  return change_tags(
      call, input,
      [label = text_in(input, "Label")](const std::string& /*queue*/, Tags& tags) -> Outcome<void> {
        Json policy = policy_in(tags);
        const auto found = statement_of(policy, label);
        if (found == policy["Statement"].end()) {
          return invalid_value(label, "Label", "can't find label on existing policy.");
        }
        policy["Statement"].erase(found);
        keep_value(tags, kPolicy, policy["Statement"].empty() ? "" : dump_json(policy));
        return {};
      });
}

}  // namespace holdfast::server::sqs
