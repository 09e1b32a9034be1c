#include "client/send_within.h"

#include <future>
#include <memory>
#include <utility>

namespace holdfast::client {

Result<std::vector<Result<Sent>>> send_within(Client& client, std::string_view queue,
                                              std::vector<Message> messages, const SendOptions& options,
                                              Duration within) {
  using Answers = Result<std::vector<Result<Sent>>>;
  const auto answered = std::make_shared<std::promise<Answers>>();
  auto future = answered->get_future();
  const auto token = client.async_call(
      [&](ClientVerbs& verbs) { return verbs.send_batch(queue, std::move(messages), options); },
      [answered](Answers answers) { answered->set_value(std::move(answers)); });
  if (future.wait_for(within) == std::future_status::timeout) client.cancel_call(token);
  auto answers = future.get();
  if (answers || answers.error().code != ErrorCode::kCancelled) return answers;
  return fail(ErrorCode::kUnavailable, "the time for this try ran out before the call could be sent");
}

}  // namespace holdfast::client
