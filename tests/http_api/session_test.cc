// Tests signing in with a browser: what a session opens, and to whom.
#include "server/access/sessions.h"
#include "tests/http_api/api_fixture.h"
#include "tests/server/tokens.h"

namespace holdfast::server {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Headers = HttpTestClient::Headers;

class SessionTest : public ApiFixture {
 protected:
  SessionTest() { must(engine_->create_queue("orders")); }

  void serve_with_tokens() {
    const Rights eyes{.name = "eyes",
                      .grants = {must(parse_grant("operate:orders*"))},
                      .hidden = {.bodies = true, .attributes = {"card"}}};
    ServerOptions options;
    options.tokens =
        tokens_of({token_with("ops-token", "ops", "all:*"), {.hash = hash_of("eyes-token"), .rights = eyes}});
    serve(std::move(options));
    address_ = server_->http_addresses().front();
  }

  Answer sign_in(HttpTestClient& http, const std::string& token) {
    return http.post("/v1/session", {{"token", token}});
  }
  // Returns what a browser sends along after the answer.
  std::string cookie_of(const Answer& answer) {
    const std::string said = answer.header("set-cookie");
    return said.substr(0, said.find(';'));
  }
  Headers own_page(const std::string& cookie) {
    return {{"Cookie", cookie},
            {"Holdfast-Request", "1"},
            {"Origin", "http://" + address_},
            {"Sec-Fetch-Site", "same-origin"}};
  }

  std::string address_;
};

TEST_F(SessionTest, ACookieOpensWhatItsTokenOpens) {
  serve_with_tokens();
  auto http = client();
  const Answer in = sign_in(http, "ops-token");
  ASSERT_EQ(in.status, 204U) << in.body;
  const std::string said = in.header("set-cookie");
  const std::string port = address_.substr(address_.rfind(':') + 1);
  EXPECT_THAT(said, StartsWith("holdfast-session-" + port + "="));
  EXPECT_THAT(said, HasSubstr("; HttpOnly"));
  EXPECT_THAT(said, HasSubstr("; SameSite=Strict"));
  EXPECT_THAT(said, Not(HasSubstr("; Secure")));
  EXPECT_THAT(said, Not(HasSubstr("ops-token")));

  const Headers page = own_page("other=1; " + cookie_of(in) + "; more=2");
  EXPECT_EQ(http.get("/v1/queues/orders", page).status, 200U);
  EXPECT_EQ(http.call(http::verb::post, "/v1/queues/orders/purge", "{}", page).status, 200U);
  EXPECT_EQ(http.get("/v1/queues/orders").status, 401U);
}

// Pages of other hosts of a site, and of other ports, can set cookies beside the server's own.
TEST_F(SessionTest, ACookieOfAnotherPageIsNotTakenForTheSession) {
  serve_with_tokens();
  auto http = client();
  const Answer mine = sign_in(http, "ops-token");
  const Answer other = sign_in(http, "eyes-token");
  ASSERT_EQ(other.status, 204U) << other.body;
  const Answer refused = http.get("/v1/queues/orders", own_page(cookie_of(other) + "; " + cookie_of(mine)));
  EXPECT_EQ(refused.status, 403U);
  EXPECT_THAT(refused.body, HasSubstr("another page has set one"));
}

// A browser, or what stands between, may write the cookies in several ways.
TEST_F(SessionTest, SeveralCookiesAreSeenAsSuchHoweverTheyCome) {
  serve_with_tokens();
  auto http = client();
  const std::string cookie = cookie_of(sign_in(http, "ops-token"));
  const std::string empty = cookie.substr(0, cookie.find('=') + 1);
  for (const std::string& cookies : {empty + "; " + cookie, cookie + "; " + empty, empty + ";\t" + cookie,
                                     cookie + "\r\nCookie: " + empty + "x", cookie + ";" + cookie}) {
    const Answer refused = http.get("/v1/queues/orders", own_page(cookies));
    EXPECT_EQ(refused.status, 403U) << cookies;
    EXPECT_THAT(refused.body, HasSubstr("another page has set one")) << cookies;
  }
  for (const std::string& one : {"other=1;\t" + cookie, "other=1\r\nCookie: " + cookie})
    EXPECT_EQ(http.get("/v1/queues/orders", own_page(one)).status, 200U) << one;
  EXPECT_EQ(http.get("/v1/queues/orders", own_page(empty)).status, 401U);
}

TEST_F(SessionTest, SigningOutEndsEverySessionThatTheBrowserNames) {
  serve_with_tokens();
  auto http = client();
  const std::string mine = cookie_of(sign_in(http, "ops-token"));
  const std::string other = cookie_of(sign_in(http, "eyes-token"));
  const std::string unknown = mine.substr(0, mine.find('=') + 1) + "x";
  Headers page = own_page(unknown + "; " + other + "; " + mine);
  Headers form = page;
  form.erase("Holdfast-Request");
  Headers foreign = page;
  foreign["Sec-Fetch-Site"] = "same-site";
  for (const Headers& refused : {form, foreign})
    EXPECT_EQ(http.call(http::verb::delete_, "/v1/session", "", refused).status, 403U);
  EXPECT_EQ(http.get("/v1/queues/orders", own_page(mine)).status, 200U);
  EXPECT_EQ(http.call(http::verb::delete_, "/v1/session", "", page).status, 204U);
  for (const std::string& cookie : {mine, other})
    EXPECT_EQ(http.get("/v1/queues/orders", own_page(cookie)).status, 401U);
}

// The answer is the same whether or not a queue has that name.
TEST_F(SessionTest, AQueueThatATokenMayNotMakeIsRefusedAsSuch) {
  must(engine_->create_queue("secret"));
  serve_with_tokens();
  auto http = client();
  for (const char* path : {"/v1/queues/secret", "/v1/queues/new"}) {
    const Headers eyes = {{"Authorization", "Bearer eyes-token"}};
    EXPECT_EQ(http.call(http::verb::put, path, "", eyes).status, 403U) << path;
    EXPECT_EQ(http.get(path, eyes).status, 404U) << path;
  }
}

TEST_F(SessionTest, ATokenThatIsNotKnownOpensNone) {
  serve_with_tokens();
  auto http = client();
  const Answer in = sign_in(http, "wrong");
  EXPECT_EQ(in.status, 403U);
  EXPECT_EQ(in.header("set-cookie"), "");
  EXPECT_EQ(http.post("/v1/session", {{"tokne", "ops-token"}}).status, 400U);
}

TEST_F(SessionTest, ATokenThatWasRevokedOpensNone) {
  serve_with_tokens();
  auto http = client();
  ASSERT_EQ(sign_in(http, "ops-token").status, 204U);
  server_->set_tokens(tokens_of({token_with("eyes-token", "eyes", "operate:orders")}));
  const Answer in = sign_in(http, "ops-token");
  EXPECT_EQ(in.status, 403U) << in.body;
  EXPECT_EQ(in.header("set-cookie"), "");
  EXPECT_EQ(sign_in(http, "eyes-token").status, 204U);
}

TEST_F(SessionTest, ATokenWithOtherGrantsOpensThose) {
  serve_with_tokens();
  auto http = client();
  const Headers before = own_page(cookie_of(sign_in(http, "ops-token")));
  EXPECT_EQ(http.call(http::verb::post, "/v1/queues/orders/purge", "{}", before).status, 200U);
  server_->set_tokens(tokens_of({token_with("ops-token", "ops", "operate:orders")}));
  EXPECT_EQ(http.get("/v1/queues/orders", before).status, 200U) << "each request shows the token anew";
  EXPECT_EQ(http.call(http::verb::post, "/v1/queues/orders/purge", "{}", before).status, 403U);
  const Headers after = own_page(cookie_of(sign_in(http, "ops-token")));
  EXPECT_EQ(http.get("/v1/queues/orders", after).status, 200U);
  EXPECT_EQ(http.call(http::verb::post, "/v1/queues/orders/purge", "{}", after).status, 403U);
}

// Otherwise strangers could have so many sessions that there would be no room for others.
TEST_F(SessionTest, NoTokenOpensNone) {
  serve_with_tokens();
  auto http = client();
  const Answer in = sign_in(http, "");
  EXPECT_EQ(in.status, 403U) << in.body;
  EXPECT_EQ(in.header("set-cookie"), "");
}

// The server reads the body of a stranger only if it is small.
TEST_F(SessionTest, ALargeSignInIsNotRead) {
  serve_with_tokens();
  auto http = client();
  EXPECT_EQ(http.post("/v1/session", {{"token", std::string(2000, 'x')}}).status, 401U);
}

TEST_F(SessionTest, ACookieCountsForPagesOfThisServerAlone) {
  serve_with_tokens();
  auto http = client();
  const std::string cookie = cookie_of(sign_in(http, "ops-token"));
  // Another port of the same host counts as the same site, so a browser sends it the cookie.
  EXPECT_EQ(client().get("/v1/queues/orders", {{"Cookie", cookie}, {"Sec-Fetch-Site", "same-site"}}).status,
            403U);
  EXPECT_EQ(client().get("/v1/queues/orders", {{"Cookie", cookie}, {"Sec-Fetch-Site", "cross-site"}}).status,
            403U);
  Headers elsewhere = own_page(cookie);
  elsewhere["Origin"] = "http://127.0.0.1:1";
  EXPECT_EQ(client().call(http::verb::post, "/v1/queues/orders/purge", "{}", elsewhere).status, 403U);
}

// Browsers leave Sec-Fetch-Site out if a page is neither encrypted nor of this machine, and a GET without
// CORS has no origin either. Such a GET may come from a page of any other port.
TEST_F(SessionTest, ACookieNeedsSomethingThatSaysWhosePageAsks) {
  serve_with_tokens();
  auto http = client();
  const std::string cookie = cookie_of(sign_in(http, "ops-token"));
  const auto status = [&](const std::string& path, const Headers& evidence) {
    Headers headers = evidence;
    headers["Cookie"] = cookie;
    return http.get(path, headers).status;
  };
  for (const char* path : {"/v1/queues/orders", "/v1/session", "/metrics"}) {
    EXPECT_EQ(status(path, {}), 403U) << path;
    EXPECT_EQ(status(path, {{"Holdfast-Request", "1"}}), 200U) << path;
    EXPECT_EQ(status(path, {{"Origin", "http://" + address_}}), 200U) << path;
    for (const char* site : {"same-origin", "none"})
      EXPECT_EQ(status(path, {{"Sec-Fetch-Site", site}}), 200U) << path;
  }
}

// EventSource cannot set a header. It only reads, and no page of another origin can see what it reads.
TEST_F(SessionTest, ACookieAloneOpensTheStreamOfEvents) {
  serve_with_tokens();
  auto http = client();
  const std::string cookie = cookie_of(sign_in(http, "ops-token"));
  auto events = client();
  events.start(http::verb::get, "/v1/events", "", {{"Cookie", cookie}});
  EXPECT_THAT(events.until("\n\n"), StartsWith("HTTP/1.1 200"));
  for (const char* site : {"cross-site", "same-site"})
    EXPECT_EQ(client().get("/v1/events", {{"Cookie", cookie}, {"Sec-Fetch-Site", site}}).status, 403U);
  EXPECT_EQ(client().get("/v1/events", {{"Cookie", cookie}, {"Origin", "http://127.0.0.1:1"}}).status, 403U);
}

// Whoever has copied the cookie must not go on to listen.
TEST_F(SessionTest, SigningOutEndsItsStreams) {
  serve_with_tokens();
  auto http = client();
  const Headers page = own_page(cookie_of(sign_in(http, "ops-token")));
  auto events = client();
  events.start(http::verb::get, "/v1/events", "", page);
  EXPECT_THAT(events.until("\n\n"), StartsWith("HTTP/1.1 200"));
  auto deliveries = client();
  must(engine_->send("orders", {.body = "before"}));
  deliveries.start(http::verb::post, "/v1/queues/orders/deliveries/stream?lease=1h&max=2", "", page);
  EXPECT_THAT(deliveries.until("\n\n"), AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("before")));
  EXPECT_EQ(http.call(http::verb::delete_, "/v1/session", "", page).status, 204U);
  EXPECT_THAT(events.rest(), HasSubstr("event: end"));
  must(engine_->send("orders", {.body = "after"}));
  EXPECT_THAT(deliveries.rest(), AllOf(HasSubstr("event: end"), Not(HasSubstr("after"))));
}

TEST_F(SessionTest, ASessionHasNoVersionThatItCouldBeEndedUnder) {
  serve_with_tokens();
  auto http = client();
  Headers page = own_page(cookie_of(sign_in(http, "ops-token")));
  const Headers plain = page;
  for (const char* condition : {"*", "\"a\""}) {
    page["If-Match"] = condition;
    EXPECT_EQ(http.call(http::verb::delete_, "/v1/session", "", page).status, 412U);
  }
  page["If-Match"] = "";
  EXPECT_EQ(http.call(http::verb::delete_, "/v1/session", "", page).status, 400U);
  EXPECT_EQ(http.get("/v1/queues/orders", plain).status, 200U);
}

TEST_F(SessionTest, WhatChangesSomethingNeedsTheHeaderThatFormsCannotSet) {
  serve_with_tokens();
  auto http = client();
  Headers page = own_page(cookie_of(sign_in(http, "ops-token")));
  must(engine_->send("orders", {.body = "x"}));
  page.erase("Holdfast-Request");
  EXPECT_EQ(http.call(http::verb::post, "/v1/queues/orders/purge", "", page).status, 403U);
  EXPECT_EQ(must(engine_->describe_queue("orders")).counts.ready, 1U);
  EXPECT_EQ(http.get("/v1/queues/orders", page).status, 200U);
}

TEST_F(SessionTest, SigningOutEndsIt) {
  serve_with_tokens();
  auto http = client();
  const Headers page = own_page(cookie_of(sign_in(http, "ops-token")));
  const Answer out = http.call(http::verb::delete_, "/v1/session", "", page);
  EXPECT_EQ(out.status, 204U);
  EXPECT_THAT(out.header("set-cookie"), HasSubstr("Max-Age=0"));
  EXPECT_EQ(http.get("/v1/queues/orders", page).status, 401U);
}

TEST_F(SessionTest, OnlyTheOwnPageSignsOut) {
  serve_with_tokens();
  auto http = client();
  const Headers page = own_page(cookie_of(sign_in(http, "ops-token")));
  Headers form = page;
  form.erase("Holdfast-Request");
  EXPECT_EQ(http.call(http::verb::delete_, "/v1/session", "", form).status, 403U);
  Headers foreign = page;
  foreign["Sec-Fetch-Site"] = "same-site";
  EXPECT_EQ(http.call(http::verb::delete_, "/v1/session", "", foreign).status, 403U);
  EXPECT_EQ(http.get("/v1/queues/orders", page).status, 200U);
}

TEST_F(SessionTest, ATokenThatIsTakenBackEndsItsSessions) {
  serve_with_tokens();
  auto http = client();
  const Headers page = own_page(cookie_of(sign_in(http, "ops-token")));
  server_->set_tokens(tokens_of({}));
  EXPECT_EQ(http.get("/v1/queues/orders", page).status, 401U);
  EXPECT_EQ(http.get("/v1/session", page).parsed()["signedIn"], false);
}

TEST_F(SessionTest, TellsWhoIsThereAndWhatThatAllows) {
  serve_with_tokens();
  auto http = client();
  EXPECT_EQ(http.get("/v1/session").parsed(), (json{{"controlled", true}, {"signedIn", false}}));
  const json eyes = http.get("/v1/session", own_page(cookie_of(sign_in(http, "eyes-token")))).parsed();
  EXPECT_EQ(eyes["name"], "eyes");
  EXPECT_EQ(eyes["grants"], json({"operate:orders*"}));
  EXPECT_EQ(eyes["hidden"], (json{{"bodies", true}, {"attributes", {"card"}}}));
}

TEST_F(SessionTest, WithoutTokensNobodyHasToSignIn) {
  serve();
  auto http = client();
  EXPECT_EQ(http.get("/v1/session").parsed(), (json{{"controlled", false}, {"signedIn", false}}));
  EXPECT_EQ(http.get("/v1/queues/orders").status, 200U);
}

using namespace std::chrono_literals;

TEST(SessionsTest, AnIdleOneEnds) {
  Sessions sessions;
  const Sessions::Time start{};
  const std::string id = must(sessions.open("token", start));
  EXPECT_EQ(sessions.token_of(id, start + kSessionIdle), "token");
  EXPECT_EQ(sessions.token_of(id, start + 2 * kSessionIdle), "token");
  EXPECT_EQ(sessions.token_of(id, start + 3 * kSessionIdle + 1s), "");
  EXPECT_EQ(sessions.token_of(id, start + 3 * kSessionIdle + 1s), "");
}

// A stream makes no further request, so nobody looks for its session.
TEST(SessionsTest, AnIdleOneEndsItsStreamsThoughNobodyAsksForIt) {
  Sessions sessions;
  const Sessions::Time start{};
  const std::string id = must(sessions.open("token", start));
  const SessionLifeline stream = sessions.lifeline_of(id);
  EXPECT_FALSE(stream.is_over(start + kSessionIdle));
  EXPECT_TRUE(stream.is_over(start + kSessionIdle + 1s));
  EXPECT_EQ(sessions.token_of(id, start + kSessionIdle), "token");
  EXPECT_FALSE(stream.is_over(start + 2 * kSessionIdle)) << "another request has kept it up";
  EXPECT_TRUE(stream.is_over(start + 2 * kSessionIdle + 1s));
  sessions.close(id);
  EXPECT_TRUE(stream.is_over(start));
  EXPECT_TRUE(sessions.lifeline_of(id).is_over(start));
}

TEST(SessionsTest, TheOneThatWasIdleForLongestMakesRoom) {
  Sessions sessions;
  Sessions::Time now{};
  const std::string first = must(sessions.open("first", now));
  const std::string second = must(sessions.open("second", now + 1s));
  EXPECT_EQ(sessions.token_of(first, now + 2s), "first");
  for (std::size_t i = 2; i <= kMaxSessions; ++i) must(sessions.open("more", now + 3s));
  EXPECT_EQ(sessions.token_of(second, now + 4s), "");
  EXPECT_EQ(sessions.token_of(first, now + 4s), "first");
}

TEST(SessionsTest, AnotherIdIsNoSession) {
  Sessions sessions;
  const std::string id = must(sessions.open("token", {}));
  EXPECT_EQ(sessions.token_of("", {}), "");
  EXPECT_EQ(sessions.token_of(id + "0", {}), "");
  sessions.close("unknown");
  EXPECT_EQ(sessions.token_of(id, {}), "token");
}

}  // namespace
}  // namespace holdfast::server
