// One message as the body of a request or an answer, and what belongs to it as headers.
//
//   Holdfast-Attribute: customer=4711, note=a%2Cb    names and values percent-encoded, in any number of lines
//   Holdfast-Group, Holdfast-Deduplication-Id        percent-encoded
//   Holdfast-Priority, Holdfast-Delay, Holdfast-Visible-At, Holdfast-Time-To-Live, Holdfast-Durability
//
// What is received says by headers which delivery it is, and of a dead letter why it died, as far as that is
// short.
//
// A Content-Type is kept as the attribute "content-type", unless one of that name is said, and given back.
// That of HTML forms is not kept, since clients such as curl send it without being asked. A type that no
// header can have is given back as the attribute that it is.
#pragma once

#include <capnp/dynamic.h>

#include <string_view>
#include <vector>

#include "server/http/exchange/exchange.h"

namespace holdfast::server {

// The headers that say what belongs to a message that is sent.
std::vector<std::string_view> raw_message_headers();

// The headers that say what belongs to a message that is received.
std::vector<std::string_view> raw_delivery_headers();

// Fills in a SendRequest with the one message. kInvalidArgument names the header.
Result<void> read_raw_message(const HttpRequest& request, capnp::DynamicStruct::Builder send);

// Of a SendReply's `ok`: the one message's id, or why it was not sent.
HttpResponse answer_raw_send(unsigned status, const Json& sent);

// Of a ReceiveReply's deliveries, of which there is one or none.
HttpResponse answer_raw_receive(capnp::DynamicList::Reader deliveries);

}  // namespace holdfast::server
