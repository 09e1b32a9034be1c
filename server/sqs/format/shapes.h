// This header has the operations of Amazon SQS, and the shapes of their inputs and outputs. This one
// description drives both protocols: awsJson 1.0 uses its names of members, and the query protocol also the
// names by which it spreads lists and maps over parameters and elements.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace holdfast::server::sqs {

enum class Kind : std::uint8_t {
  kText,
  kInteger,
  kBoolean,
  kBytes,  // base64 in both protocols
  kList,
  kMap,  // from texts to `element`
  kStructure,
};

struct Member;

struct Shape {
  Kind kind = Kind::kText;
  std::span<const Member> members = {};  // of a structure
  const Shape* element = nullptr;        // of a list or a map
  std::string_view key = {};             // of a map, in the query protocol: the names of its keys and values
  std::string_view value = {};
};

struct Member {
  std::string_view name;
  const Shape* shape;
  std::string_view query_name = {};  // of an element of a list or a map; empty: `name`
  bool is_required = false;

  std::string_view in_query() const { return query_name.empty() ? name : query_name; }
};

struct OperationShape {
  std::string_view name;
  const Shape* input;
  const Shape* output;  // null if it has none
};

std::span<const OperationShape> operation_shapes();
// Returns null if there is no operation of that name.
const OperationShape* find_operation(std::string_view name);

}  // namespace holdfast::server::sqs
