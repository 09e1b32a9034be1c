// Tests the bounds of what the RPC layer has to remember of a connection.
#include "schema/transport/rpc_ledger.h"

#include <capnp/dynamic.h>
#include <capnp/message.h>
#include <capnp/schema.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <kj/exception.h>

#include <array>
#include <set>
#include <string>
#include <vector>

#include "holdfast/limits.h"

namespace holdfast::transport {
namespace {

using capnp::rpc::Message;
using ::testing::Each;
using ::testing::HasSubstr;

constexpr std::size_t kMaxCalls = 10;

class RpcLedgerTest : public ::testing::Test {
 protected:
  // Returns what is wrong with a message that `fill` makes. An empty text means that nothing is.
  template <class Fill>
  std::string receive(Fill fill, std::size_t max_calls = kMaxCalls) {
    capnp::MallocMessageBuilder builder;
    fill(builder.initRoot<Message>());
    std::string said;
    KJ_IF_MAYBE (e, kj::runCatchingExceptions(
                        [&] { ledger_.received(builder.getRoot<Message>().asReader(), max_calls); })) {
      EXPECT_EQ(e->getType(), kj::Exception::Type::FAILED);
      said = e->getDescription().cStr();
    }
    return said;
  }
  template <class Fill>
  void send(Fill fill) {
    capnp::MallocMessageBuilder builder;
    fill(builder.initRoot<Message>());
    ledger_.sent(builder.getSegmentsForOutput());
  }

  std::string call(std::uint32_t id, unsigned capabilities = 0) {
    return receive([&](Message::Builder to) {
      auto made = to.initCall();
      made.setQuestionId(id);
      made.initParams().initCapTable(capabilities);
    });
  }
  std::string finish(std::uint32_t id) {
    return receive([&](Message::Builder to) { to.initFinish().setQuestionId(id); });
  }
  std::string answer_to_push(unsigned capabilities = 0) {
    return receive([&](Message::Builder to) { to.initReturn().initResults().initCapTable(capabilities); });
  }
  void answer(std::uint32_t id, std::size_t bytes = 0) {
    send([&](Message::Builder to) {
      auto made = to.initReturn();
      made.setAnswerId(id);
      made.initResults().getContent().initAs<capnp::Data>(static_cast<unsigned>(bytes));
    });
  }
  void push() {
    send([](Message::Builder to) { to.initCall(); });
  }

  RpcLedger ledger_;
};

TEST_F(RpcLedgerTest, ACallIsKeptUntilItIsAnsweredAndFinished) {
  for (std::uint32_t id = 0; id < 1000; ++id) {
    EXPECT_EQ(call(id), "");
    answer(id, 100);
    EXPECT_GE(ledger_.unfinished_bytes(), 100U);
    EXPECT_EQ(finish(id), "");
  }
  EXPECT_EQ(call(1), "");
  EXPECT_EQ(finish(1), "") << "a call that is dropped is answered all the same";
  EXPECT_EQ(ledger_.unfinished_calls(), 1U);
  answer(1, 100);
  EXPECT_EQ(ledger_.unfinished_calls(), 0U);
  EXPECT_EQ(ledger_.unfinished_bytes(), 0U);
}

TEST_F(RpcLedgerTest, UnfinishedCallsAreBounded) {
  EXPECT_EQ(receive([](Message::Builder to) { to.initBootstrap().setQuestionId(0); }), "");
  answer(0);
  for (std::uint32_t id = 1; id < kMaxCalls; ++id) {
    EXPECT_EQ(call(id), "");
    if (id % 2 == 0) answer(id);
  }
  EXPECT_EQ(ledger_.unfinished_calls(), kMaxCalls);
  EXPECT_THAT(call(kMaxCalls), HasSubstr("more than 10 unfinished calls"));
  EXPECT_EQ(finish(2), "");
  EXPECT_EQ(call(kMaxCalls), "");
  EXPECT_THAT(receive([](Message::Builder to) { to.initBootstrap().setQuestionId(77); }),
              HasSubstr("more than 10 unfinished calls"));
}

TEST_F(RpcLedgerTest, CapabilitiesOfAMessageAreBounded) {
  EXPECT_EQ(call(1, limits::kCallCapabilities), "");
  EXPECT_THAT(call(2, limits::kCallCapabilities + 1), HasSubstr("more than 8 capabilities in one message"));
  push();
  EXPECT_EQ(answer_to_push(limits::kCallCapabilities), "");
  push();
  EXPECT_THAT(answer_to_push(limits::kCallCapabilities + 1), HasSubstr("more than 8 capabilities"));
}

void lead(capnp::rpc::PromisedAnswer::Builder answer, unsigned steps) { answer.initTransform(steps); }

TEST_F(RpcLedgerTest, StepsToACapabilityAreBounded) {
  const auto steps_of_each_kind = [&](unsigned steps) {
    std::vector<std::string> said;
    said.push_back(
        receive([&](Message::Builder to) { lead(to.initCall().initTarget().initPromisedAnswer(), steps); }));
    said.push_back(receive([&](Message::Builder to) {
      lead(to.initCall().initParams().initCapTable(2)[1].initReceiverAnswer(), steps);
    }));
    push();
    said.push_back(receive([&](Message::Builder to) {
      lead(to.initReturn().initResults().initCapTable(2)[1].initReceiverAnswer(), steps);
    }));
    said.push_back(
        receive([&](Message::Builder to) { lead(to.initResolve().initCap().initReceiverAnswer(), steps); }));
    said.push_back(receive(
        [&](Message::Builder to) { lead(to.initDisembargo().initTarget().initPromisedAnswer(), steps); }));
    return said;
  };
  EXPECT_THAT(steps_of_each_kind(limits::kCapabilitySteps), Each(""));
  EXPECT_THAT(steps_of_each_kind(limits::kCapabilitySteps + 1),
              Each(HasSubstr("more than 8 steps to a capability")));
}

TEST_F(RpcLedgerTest, OnlyMessagesThatHaveAUseAreTaken) {
  const std::set<Message::Which> of_no_use = {Message::OBSOLETE_SAVE, Message::OBSOLETE_DELETE,
                                              Message::PROVIDE, Message::ACCEPT, Message::JOIN};
  const auto fields = capnp::Schema::from<Message>().getUnionFields();
  for (const auto field : fields) {
    const auto kind = static_cast<Message::Which>(field.getProto().getDiscriminantValue());
    const std::string said = receive([&](Message::Builder to) { capnp::toDynamic(to).init(field); });
    const bool is_known = kind <= Message::DISEMBARGO && !of_no_use.contains(kind);
    EXPECT_EQ(said, is_known ? "" : "it sends messages of a kind that has no use here")
        << field.getProto().getName().cStr();
  }
}

TEST_F(RpcLedgerTest, MessagesOfUnknownKindsAreRefused) {
  // A pointer to a struct of one word, and that word, which begins with the message's kind.
  const std::array<std::uint64_t, 2> words = {1ULL << 32, 1000};
  const kj::ArrayPtr<const capnp::word> segments[] = {
      {reinterpret_cast<const capnp::word*>(words.data()), words.size()}};
  capnp::SegmentArrayMessageReader reader(segments);
  EXPECT_ANY_THROW(ledger_.received(reader.getRoot<Message>(), kMaxCalls));
}

TEST_F(RpcLedgerTest, ResultsMayNotStayOnThisSide) {
  EXPECT_EQ(receive([](Message::Builder to) { to.initCall().getSendResultsTo().setCaller(); }), "");
  EXPECT_EQ(receive([](Message::Builder to) { to.initCall().getSendResultsTo().setYourself(); }),
            "it wants results kept on this side");
  EXPECT_EQ(receive([](Message::Builder to) { to.initCall().getSendResultsTo().initThirdParty(); }),
            "it wants results kept on this side");
}

TEST_F(RpcLedgerTest, UnansweredPushesAreBounded) {
  for (std::size_t i = 0; i < limits::kUnansweredPushes; ++i) push();
  EXPECT_EQ(call(1), "");
  push();
  EXPECT_THAT(call(2), HasSubstr("more than 65536 unanswered pushes"));
  EXPECT_THAT(answer_to_push(), HasSubstr("unanswered pushes")) << "it is late";
}

TEST_F(RpcLedgerTest, AnsweredPushesAreForgotten) {
  for (std::size_t i = 0; i < 3 * limits::kUnansweredPushes; ++i) {
    push();
    if (i % 2 == 0 || ledger_.unanswered_calls() >= limits::kUnansweredPushes) {
      EXPECT_EQ(answer_to_push(), "");
    }
  }
  EXPECT_EQ(answer_to_push(), "");
  EXPECT_LT(ledger_.unanswered_calls(), limits::kUnansweredPushes);
}

}  // namespace
}  // namespace holdfast::transport
