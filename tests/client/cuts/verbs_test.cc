// Checks that the campaign of cuts (cuts_test.cc) has every call that has an effect.
#include <capnp/schema.h>
#include <gmock/gmock.h>

#include <set>
#include <string>

#include "holdfast/wire/holdfast.capnp.h"
#include "holdfast/wire/push.capnp.h"
#include "schema/protocol/protocol_methods.h"
#include "tests/client/cuts/ledger.h"

namespace holdfast::testing {
namespace {

using ::testing::IsEmpty;

using Names = std::set<std::string>;

template <class Methods>
void add_calls(const Methods& methods, Names& calls) {
  for (const auto method : methods) calls.emplace(method.getProto().getName().cStr());
}

Names without(Names names, const Names& others) {
  for (const std::string& other : others) names.erase(other);
  return names;
}

// A call that is new in the protocol belongs in the campaign, or among the calls without an effect.
TEST(CutVerbs, AreAllCallsOfTheProtocolThatHaveAnEffect) {
  Names calls;
  add_calls(protocol::methods(), calls);
  add_calls(capnp::Schema::from<wire::Subscription>().getMethods(), calls);
  Names known(kCallsWithoutEffect.begin(), kCallsWithoutEffect.end());
  for (const CutVerb& verb : kCutVerbs) known.emplace(verb.call);
  EXPECT_THAT(without(calls, known), IsEmpty()) << "neither in the campaign nor without an effect";
  EXPECT_THAT(without(known, calls), IsEmpty()) << "not in the protocol";
}

}  // namespace
}  // namespace holdfast::testing
