// These tests are about deliveries over HTTP as server-sent events.
#include <vector>

#include "tests/http_api/api_fixture.h"

namespace holdfast::server {
namespace {

using ::testing::HasSubstr;

class HttpDeliveryStreamTest : public ApiFixture {
 protected:
  void SetUp() override {
    serve();
    must(engine_->create_queue("orders", {.dead_letters = {.queue = "orders-dlq"}}, MissingQueues::kCreate));
  }
};

TEST_F(HttpDeliveryStreamTest, GivesWhatComes) {
  must(engine_->send("orders", {.body = "first"}));
  auto consumer = client();
  consumer.start(http::verb::post, "/v1/queues/orders/deliveries/stream?lease=1h&max=2");
  const std::string head = consumer.until("\n\n");
  EXPECT_THAT(head, HasSubstr("Content-Type: text/event-stream\r\n"));
  EXPECT_THAT(head, HasSubstr("event: delivery\ndata: {\"receipt\":"));
  EXPECT_THAT(head, HasSubstr("\"body\":\"first\""));
  must(engine_->send("orders", {.body = "second"}));
  EXPECT_THAT(consumer.until("\n\n"), HasSubstr("\"body\":\"second\""));
  must(engine_->delete_queue("orders"));
  EXPECT_THAT(consumer.rest(), HasSubstr("event: end\ndata: {\"code\":\"queue_not_found\""));
  EXPECT_EQ(client().call(http::verb::post, "/v1/queues/orders/deliveries/stream").status, 404U);
}

// A client that settles nothing has no more than it asked for, however much there is.
TEST_F(HttpDeliveryStreamTest, HasAtMostMaxDeliveriesInTheHandsOfItsClient) {
  for (int i = 0; i < 10; ++i) must(engine_->send("orders", {.body = "m" + std::to_string(i)}));
  auto consumer = client();
  consumer.start(http::verb::post, "/v1/queues/orders/deliveries/stream?max=3&lease=1m");
  const auto next = [&] {
    consumer.until("event: delivery\ndata: ");
    return json::parse(consumer.until("\n\n"));
  };
  const auto leased = [&] { return must(engine_->describe_queue("orders")).counts.leased; };
  std::vector<json> held = {next(), next(), next()};
  EXPECT_EQ(leased(), 3U);

  // What is settled makes room, over whichever connection, and however it is settled.
  must(engine_->ack(must(Receipt::parse(held[0]["receipt"].get<std::string>()))));
  EXPECT_EQ(next()["body"], "m3");
  EXPECT_EQ(
      client()
          .post("/v1/deliveries/" + held[1]["receipt"].get<std::string>() + "/reject", {{"reason", "bad"}})
          .status,
      204U);
  EXPECT_EQ(next()["body"], "m4");
  EXPECT_EQ(leased(), 3U);

  // So do leases that run out, and their messages come again.
  must(engine_->extend(must(Receipt::parse(held[2]["receipt"].get<std::string>())), 1ms));
  EXPECT_EQ(next()["body"], "m2");
  EXPECT_EQ(leased(), 3U);
}

// A client that holds all that it may hold still hears that the server stops, and need not settle first.
TEST_F(HttpDeliveryStreamTest, EndsWithTheDrainThoughItIsFull) {
  must(engine_->send("orders", {.body = "x"}));
  auto consumer = client();
  consumer.start(http::verb::post, "/v1/queues/orders/deliveries/stream?lease=1h");
  EXPECT_THAT(consumer.until("\n\n"), HasSubstr("event: delivery"));
  server_->drain({.timeout = 1h});
  EXPECT_THAT(consumer.rest(), HasSubstr("event: end\ndata: {\"code\":\"closed\""));
}

TEST_F(HttpDeliveryStreamTest, EndsWhenItsClientHangsUp) {
  auto consumer = client();
  consumer.start(http::verb::post, "/v1/queues/orders/deliveries/stream?wait=1h");
  wait_until([&] { return server_->meter().calls_in_flight == 1; });
  consumer.hang_up();
  wait_until([&] { return server_->connections() == 0; });
  EXPECT_EQ(server_->meter().calls_in_flight, 0U);
}

}  // namespace
}  // namespace holdfast::server
