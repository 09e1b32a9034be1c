// One message as the body of a request or an answer, with its other fields as headers.
//
//   Holdfast-Attribute: customer=4711, note=a%2Cb    names and values percent-encoded, in any number of lines
//   Holdfast-Group, Holdfast-Deduplication-Id        percent-encoded
//   Holdfast-Priority, Holdfast-Delay, Holdfast-Visible-At, Holdfast-Time-To-Live, Holdfast-Durability
//
// The headers of an answer say which delivery it is and, for a dead letter, why it died, as far as that is
// short.
//
// A Content-Type is kept as the attribute "content-type", unless an attribute of that name is given, and
// becomes the Content-Type again when the message is received. The type of HTML forms is not kept, since
// clients such as curl send it without being asked. A type that no header can have is returned as an
// attribute.
#pragma once

#include <capnp/dynamic.h>

#include <string_view>
#include <vector>

#include "server/http/exchange/exchange.h"

namespace holdfast::server {

// Returns the headers that describe a message that is sent.
std::vector<std::string_view> raw_message_headers();

// Returns the headers that describe a message that is received.
std::vector<std::string_view> raw_delivery_headers();

// Writes the message into a SendRequest. kInvalidArgument names the header.
Result<void> read_raw_message(const HttpRequest& request, capnp::DynamicStruct::Builder send);

// Makes the answer from the `ok` of a SendReply: the message's id, or why it was not sent.
HttpResponse answer_raw_send(unsigned status, const Json& sent);

// Makes the answer from a ReceiveReply's deliveries, of which there is one or none.
HttpResponse answer_raw_receive(capnp::DynamicList::Reader deliveries);

}  // namespace holdfast::server
