// JSON with names of an event's fields in its texts: what a webhook is sent that no other shape suits.
#pragma once

#include <string>
#include <string_view>

#include "engine/codec/encoding/json.h"
#include "holdfast/error.h"

namespace holdfast::server {

// In texts {{queue}} stands for that field of the event, {{tag NAME}} for the value of the queue's tag. A
// text that is one such name and nothing else becomes the field with its type: a number, an object of tags,
// or null if the event has none.
class AlertTemplate {
 public:
  // kInvalidArgument says what is wrong: it is no JSON, or names what no event has.
  static Result<AlertTemplate> parse(std::string_view text);

  // `fields` as event_fields() makes them, and "dropped".
  Json fill(const Json& fields) const;

 private:
  explicit AlertTemplate(Json content) : content_(std::move(content)) {}

  Json content_;
};

}  // namespace holdfast::server
