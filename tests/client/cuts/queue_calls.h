// QueueCalls makes the calls on a whole queue.
#pragma once

#include <functional>
#include <string>

#include "tests/client/cuts/caller_context.h"

namespace holdfast::testing {

class QueueCalls {
 public:
  explicit QueueCalls(CallerContext& context) : context_(context) {}

  // Creates a queue, makes each of the other calls on it, and deletes it.
  void change_queue();

 private:
  void resume_queue(const std::string& name);
  template <class T>
  void note_queue(const std::string& verb, const std::string& name, const Result<T>& result,
                  const std::function<bool(const QueueInfo&)>& is_done) {
    const Peace::Kept peace(context_.site.peace());
    const bool done = is_done(must(context_.connected_owner().describe_queue(name)));
    context_.ledger.note(verb, name, result, done ? 1 : 0);
  }

  CallerContext& context_;
};

}  // namespace holdfast::testing
