// ApiFixture has a server with an HTTP port in this process.
#pragma once

#include "server/bounds/meter.h"
#include "tests/http_api/described.h"
#include "tests/http_api/http_client.h"
#include "tests/server/server_fixture.h"
#include "tests/support/temp_dir.h"

namespace holdfast::server {

class ApiFixture : public ServerFixture {
 protected:
  void serve(ServerOptions options = {}) {
    options.http_listen = {"127.0.0.1:0"};
    start(std::move(options));
  }
  // Makes a client that checks each answer against the description of the API.
  HttpTestClient client() { return HttpTestClient(server_->http_addresses().front(), expect_described); }
};

}  // namespace holdfast::server
