// HttpDoorTest has a server with one queue, and the tokens of an application and of an operator.
#pragma once

#include "tests/http_api/api_fixture.h"
#include "tests/server/tokens.h"

namespace holdfast::server {

class HttpDoorTest : public ApiFixture {
 protected:
  HttpDoorTest() { must(engine_->create_queue("orders")); }

  static ServerOptions with_tokens() {
    ServerOptions options;
    options.tokens = tokens_of(
        {token_with("app-token", "app", "produce,consume:orders"), token_with("ops-token", "ops", "all:*")});
    return options;
  }
};

}  // namespace holdfast::server
