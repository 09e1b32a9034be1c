#include "client/calls/caller.h"
#include "schema/convert/dead_letters/dead_letter_changes.h"

namespace holdfast {

using client::Answer;
using client::Effect;
using Rpc = wire::Broker::Client;

namespace {

using Changed = Result<DeadLettersChanged>;

// Makes part(selection) until there are no more parts, unless the caller asked for one.
template <class Part>
class InParts : public std::enable_shared_from_this<InParts<Part>> {
 public:
  InParts(client::Caller& caller, DeadLetterSelection selection, Part part)
      : caller_(caller), selection_(std::move(selection)), part_(std::move(part)) {}

  void start(std::uint64_t number, const std::function<void(Changed)>& done) {
    if (number == 0) return next(number, done);
    caller_.begin_parts(number);
    next(number, [self = this->shared_from_this(), number, done](Changed changed) {
      self->caller_.end_parts(number);
      done(std::move(changed));
    });
  }

 private:
  void next(std::uint64_t number, const std::function<void(Changed)>& done) {
    part_(selection_).start(number, [self = this->shared_from_this(), number, done](const Changed& changed) {
      if (!changed) return done(tl::unexpected(self->of_all(changed.error())));
      if (!self->add(*changed)) return done(self->all_);
      self->next(number, done);
    });
  }

  // An error means that a call had no effect: what a part fails with may not be said of all, once an earlier
  // one has changed something.
  Error of_all(Error error) const {
    if (all_.changed == 0 || selection_.dry_run || error.code == ErrorCode::kOutcomeUnknown) return error;
    return {ErrorCode::kOutcomeUnknown, "some are changed, then: " + error.message};
  }

  // Gives whether there is more to be done.
  bool add(const DeadLettersChanged& changed) {
    all_.changed += changed.changed;
    all_.unchanged += changed.unchanged;
    all_.refused += changed.refused;
    all_.next = selection_.from = changed.next;
    return all_.next && !selection_.in_parts;
  }

  client::Caller& caller_;
  DeadLetterSelection selection_;
  const Part part_;
  DeadLettersChanged all_;
};

template <class Part>
ClientCall<Changed> in_parts(client::Caller& caller, DeadLetterSelection selection, Part part) {
  auto parts = std::make_shared<InParts<Part>>(caller, std::move(selection), std::move(part));
  return ClientCall<Changed>([parts](std::uint64_t number, const auto& done) { parts->start(number, done); });
}

}  // namespace

ClientCall<Changed> ClientVerbs::change_dead_letters(std::string_view queue, DeadLetterSelection selection,
                                                     DeadLetterChanges changes) const {
  return in_parts(
      caller_, std::move(selection),
      [&caller = caller_, queue = std::string(queue),
       changes = std::move(changes)](const DeadLetterSelection& part) {
        return caller.call(
            {Effect::kOnce}, &Rpc::changeDeadLettersRequest,
            [queue, part, changes](wire::ChangeDeadLettersRequest::Builder to) {
              convert::write(queue, part, changes, to);
            },
            [](wire::DeadLettersChangedReply::Reader from, const Answer&) { return convert::read(from); });
      });
}

ClientCall<Changed> ClientVerbs::discard_dead_letters(std::string_view queue,
                                                      DeadLetterSelection selection) const {
  return in_parts(
      caller_, std::move(selection),
      [&caller = caller_, queue = std::string(queue)](const DeadLetterSelection& part) {
        return caller.call(
            {Effect::kOnce}, &Rpc::discardDeadLettersRequest,
            [queue, part](wire::DiscardDeadLettersRequest::Builder to) { convert::write(queue, part, to); },
            [](wire::DeadLettersChangedReply::Reader from, const Answer&) { return convert::read(from); });
      });
}

ClientCall<Result<DeadLettersImported>> ClientVerbs::import_dead_letters(
    std::string_view queue, std::vector<DeadLetter> letters) const {
  return caller_.call(
      {Effect::kOnce}, &Rpc::importDeadLettersRequest,
      [queue = std::string(queue), letters = std::move(letters)](wire::ImportDeadLettersRequest::Builder to) {
        convert::write(queue, letters, to);
      },
      [](wire::ImportDeadLettersReply::Reader from, const Answer&) { return convert::read(from); });
}

}  // namespace holdfast
