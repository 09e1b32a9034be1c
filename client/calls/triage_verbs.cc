// ClientDeadLetterVerbs changes, discards and imports dead letters. A bulk change is one call for its caller,
// and a series of short calls for the server, which go on where the one before has ended.
#include "client/calls/call_sender.h"
#include "schema/convert/dead_letters/dead_letter_changes_conversion.h"

namespace holdfast {

using client::Answer;
using client::Effect;
using Rpc = wire::Broker::Client;

namespace {

using Changed = Result<DeadLettersChanged>;
using PartChanged = Result<BulkPartChanged>;

// Makes a call for each part until there are no more parts, and adds up what they have changed.
template <class Call>
class InParts : public std::enable_shared_from_this<InParts<Call>> {
 public:
  InParts(client::CallSender& sender, DeadLetterSelection selection, Call call)
      : sender_(sender), part_{.selection = std::move(selection)}, call_(std::move(call)) {}

  void start(std::uint64_t number, const std::function<void(Changed)>& done) {
    if (number == 0) return next(number, done);
    sender_.begin_parts(number);
    next(number, [self = this->shared_from_this(), number, done](Changed changed) {
      self->sender_.end_parts(number);
      done(std::move(changed));
    });
  }

 private:
  void next(std::uint64_t number, const std::function<void(Changed)>& done) {
    call_(part_).start(number, [self = this->shared_from_this(), number, done](const PartChanged& changed) {
      if (!changed) return done(tl::unexpected(self->of_all(changed.error())));
      if (!self->add(*changed)) return done(self->all_);
      self->next(number, done);
    });
  }

  // Returns the error of the whole change. An error means that a call had no effect, so the error of a part
  // may not stand for all parts once an earlier part has changed something.
  Error of_all(Error error) const {
    if (all_.changed == 0 || part_.selection.dry_run || error.code == ErrorCode::kOutcomeUnknown)
      return error;
    return {ErrorCode::kOutcomeUnknown, "some are changed, then: " + error.message};
  }

  // Adds the result of a part. Returns whether there is more to be done.
  bool add(const BulkPartChanged& part) {
    all_.changed += part.changed.changed;
    all_.unchanged += part.changed.unchanged;
    all_.refused += part.changed.refused;
    part_.from = part.next;
    return part.next.has_value();
  }

  client::CallSender& sender_;
  BulkPart part_;  // the part that is under way
  const Call call_;
  DeadLettersChanged all_;
};

template <class Call>
ClientCall<Changed> in_parts(client::CallSender& sender, DeadLetterSelection selection, Call call) {
  auto parts = std::make_shared<InParts<Call>>(sender, std::move(selection), std::move(call));
  return ClientCall<Changed>([parts](std::uint64_t number, const auto& done) { parts->start(number, done); });
}

}  // namespace

ClientCall<Changed> ClientDeadLetterVerbs::change_dead_letters(std::string_view queue,
                                                               DeadLetterSelection selection,
                                                               DeadLetterChanges changes) const {
  return in_parts(
      sender_, std::move(selection),
      [&sender = sender_, queue = std::string(queue), changes = std::move(changes)](const BulkPart& part) {
        return sender.call(
            {Effect::kOnce}, &Rpc::changeDeadLettersRequest,
            [queue, part, changes](wire::ChangeDeadLettersRequest::Builder to) {
              convert::write(queue, part, changes, to);
            },
            [](wire::DeadLettersChangedReply::Reader from, const Answer&) { return convert::read(from); });
      });
}

ClientCall<Changed> ClientDeadLetterVerbs::discard_dead_letters(std::string_view queue,
                                                                DeadLetterSelection selection) const {
  return in_parts(
      sender_, std::move(selection), [&sender = sender_, queue = std::string(queue)](const BulkPart& part) {
        return sender.call(
            {Effect::kOnce}, &Rpc::discardDeadLettersRequest,
            [queue, part](wire::DiscardDeadLettersRequest::Builder to) { convert::write(queue, part, to); },
            [](wire::DeadLettersChangedReply::Reader from, const Answer&) { return convert::read(from); });
      });
}

ClientCall<Result<DeadLettersImported>> ClientDeadLetterVerbs::import_dead_letters(
    std::string_view queue, std::vector<DeadLetter> letters) const {
  return sender_.call(
      {Effect::kOnce}, &Rpc::importDeadLettersRequest,
      [queue = std::string(queue), letters = std::move(letters)](wire::ImportDeadLettersRequest::Builder to) {
        convert::write(queue, letters, to);
      },
      [](wire::ImportDeadLettersReply::Reader from, const Answer&) { return convert::read(from); });
}

}  // namespace holdfast
