// Checks the numbers of the protocol's methods, by which the server finds the handler, the rule and the meter
// of a call.
#include "schema/protocol/protocol_methods.h"

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>

#include "holdfast/wire/holdfast.capnp.h"

namespace holdfast::protocol {
namespace {

TEST(ProtocolMethodsTest, EachMethodIsFoundByItsInterfaceAndByItsName) {
  std::uint16_t number = 0;
  for (const auto method : methods()) {
    const std::string name = method.getProto().getName().cStr();
    SCOPED_TRACE(name);
    const auto interface_id = method.getContainingInterface().getProto().getId();
    EXPECT_EQ(find_method_number(interface_id, static_cast<std::uint16_t>(method.getOrdinal())), number);
    EXPECT_EQ(method_number(name), number);
    ++number;
  }
}

TEST(ProtocolMethodsTest, AllInterfacesThatTheBrokerExtendsAreThere) {
  std::set<std::string> interfaces;
  for (const auto method : methods())
    interfaces.insert(method.getContainingInterface().getShortDisplayName().cStr());
  EXPECT_EQ(interfaces, (std::set<std::string>{"Broker", "QueueCalls", "MessageCalls", "DeadLetterCalls",
                                               "RedriveCalls", "OperationCalls"}));
}

TEST(ProtocolMethodsTest, WhatTheProtocolDoesNotHaveIsNotFound) {
  const auto count = capnp::Schema::from<wire::QueueCalls>().getMethods().size();
  const auto queue_calls = capnp::typeId<wire::QueueCalls>();
  EXPECT_TRUE(find_method_number(queue_calls, static_cast<std::uint16_t>(count - 1)));
  EXPECT_EQ(find_method_number(queue_calls, static_cast<std::uint16_t>(count)), std::nullopt);
  EXPECT_EQ(find_method_number(queue_calls, 0xffff), std::nullopt);
  EXPECT_EQ(find_method_number(capnp::typeId<wire::QueueInfo>(), 0), std::nullopt);
}

}  // namespace
}  // namespace holdfast::protocol
