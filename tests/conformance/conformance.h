// The brokers that the suite runs over.
#pragma once

#include <memory>

#include "support/broker_fixture.h"

namespace holdfast::testing {

std::unique_ptr<BrokerUnderTest> make_embedded();
std::unique_ptr<BrokerUnderTest> make_served();

inline const auto kBrokers = ::testing::Values(BrokerKind{.name = "embedded", .make = make_embedded},
                                               BrokerKind{.name = "served", .make = make_served});

inline std::string kind_name(const ::testing::TestParamInfo<BrokerKind>& info) { return info.param.name; }

}  // namespace holdfast::testing

// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): GoogleTest's own instantiation is a macro.
#define HOLDFAST_FOR_EACH_BROKER(suite) \
  INSTANTIATE_TEST_SUITE_P(Over, suite, ::holdfast::testing::kBrokers, ::holdfast::testing::kind_name)
