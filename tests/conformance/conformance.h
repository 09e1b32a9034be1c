// The brokers that the suite runs over.
#pragma once

#include <memory>

#include "tests/support/broker_fixture.h"

namespace holdfast::testing {

std::unique_ptr<BrokerUnderTest> make_embedded();
std::unique_ptr<BrokerUnderTest> make_over_tcp();
std::unique_ptr<BrokerUnderTest> make_over_tls();
std::unique_ptr<BrokerUnderTest> make_over_unix();

inline const auto kBrokers = ::testing::Values(
    BrokerKind{.name = "embedded", .make = make_embedded}, BrokerKind{.name = "tcp", .make = make_over_tcp},
    BrokerKind{.name = "tls", .make = make_over_tls}, BrokerKind{.name = "unix", .make = make_over_unix});

inline std::string kind_name(const ::testing::TestParamInfo<BrokerKind>& info) { return info.param.name; }

}  // namespace holdfast::testing

// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): GoogleTest's own instantiation is a macro.
#define HOLDFAST_FOR_EACH_BROKER(suite) \
  INSTANTIATE_TEST_SUITE_P(Over, suite, ::holdfast::testing::kBrokers, ::holdfast::testing::kind_name)
