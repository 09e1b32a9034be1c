// These tests are about encrypted connections. The tests see who is let in, who is not and why, and what
// becomes of those that speak something else.
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <fstream>
#include <thread>

#include "holdfast/client.h"
#include "holdfast/limits.h"
#include "schema/tls/tls.h"
#include "schema/transport/handshake.h"
#include "server/access/credentials.h"
#include "server/bounds/meter.h"
#include "tests/server/server_fixture.h"
#include "tests/server/tokens.h"
#include "tests/support/certificates.h"
#include "tests/support/random.h"

namespace holdfast::server {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using transport::TlsContext;

class TlsTest : public ServerFixture {
 protected:
  TlsTest() { must(engine_->create_queue("orders")); }

  transport::TlsFiles files(const std::string& names = "DNS:localhost,IP:127.0.0.1") {
    const auto issued = authority_.issue("server", names);
    return {.certificate = issued.certificate, .key = issued.key};
  }
  std::shared_ptr<TlsContext> context(const transport::TlsFiles& files) {
    return must(TlsContext::for_server(files));
  }

  void start_tls(ServerLimits limits = {}) {
    start({.listen = {"tls://127.0.0.1:0"}, .tls = context(files()), .limits = limits});
  }
  void start_with_client_certificates() {
    auto wanted = files();
    wanted.ca = authority_.file();
    start({.listen = {"tls://127.0.0.1:0"}, .tls = context(wanted)});
  }

  std::string server_address() { return server_->addresses().front(); }
  Result<Client> client(ClientTls tls) {
    return Client::connect(server_address(), {.connect_timeout = 1min, .tls = std::move(tls)});
  }
  ClientTls trusting() { return {.server_ca = authority_.file()}; }

  // Sends bytes on a connection without TLS, and waits until the server hangs up. Returns what the server has
  // answered.
  std::string send_bytes(std::string_view bytes) {
    tcp::socket socket(port_.io());
    socket.connect({asio::ip::address_v4::loopback(), address().port});
    boost::system::error_code error;
    asio::write(socket, asio::buffer(bytes), error);
    socket.shutdown(tcp::socket::shutdown_send, error);
    std::string answer;
    asio::read(socket, asio::dynamic_buffer(answer), error);
    return answer;
  }

  TestAuthority authority_{directory_ / "certificates"};
};

TEST_F(TlsTest, CarriesLargeMessagesBothWays) {
  start_tls();
  auto connected = must(client(trusting()));
  const std::string body(limits::kBodyBytes, 'b');
  for (int i = 0; i < 8; ++i) must(connected.send("orders", {.body = body}));
  std::size_t bodies = 0;
  while (bodies < 8) {
    for (const auto& delivery : must(connected.receive("orders", {.max = 8}))) {
      EXPECT_TRUE(delivery.body == body);
      must(connected.ack(delivery.receipt));
      ++bodies;
    }
  }
}

TEST_F(TlsTest, AServerThatIsNotTrustedOrIsAnotherIsRefused) {
  start_tls();
  EXPECT_THAT(client({}), FailsNaming(ErrorCode::kPermissionDenied, "certificate is not trusted"));
  TestAuthority other(directory_ / "other");
  EXPECT_THAT(client({.server_ca = other.file()}),
              FailsNaming(ErrorCode::kPermissionDenied, "certificate is not trusted"));
  EXPECT_THAT(client({.server_ca = authority_.file(), .server_name = "example.org"}),
              FailsNaming(ErrorCode::kPermissionDenied, "ostname mismatch"));
  EXPECT_THAT(client({.server_ca = authority_.file(), .server_name = "127.0.0.2"}),
              FailsNaming(ErrorCode::kPermissionDenied, "IP address mismatch"));
  EXPECT_THAT(client({.server_ca = authority_.file(), .server_name = "localhost"}), Succeeds());
  EXPECT_THAT(client(trusting()), Succeeds());
}

// The zone of an address says how this machine reaches the server, and nothing about the server.
TEST_F(TlsTest, AnAddressWithAZoneIsCheckedToo) {
  start_tls();
  for (const char* name : {"::1%1", "fe80::1%lo"}) {
    EXPECT_THAT(client({.server_ca = authority_.file(), .server_name = name}),
                FailsNaming(ErrorCode::kPermissionDenied, "IP address mismatch"));
  }
  server_->set_tls(context(files("IP:::1")));
  EXPECT_THAT(client({.server_ca = authority_.file(), .server_name = "::1%1"}), Succeeds());
}

TEST_F(TlsTest, ANameThatCannotBeCheckedIsRefused) {
  start_tls();
  EXPECT_THAT(client({.server_ca = authority_.file(), .server_name = std::string("localhost\0.org", 14)}),
              FailsNaming(ErrorCode::kPermissionDenied, "no certificate can name that server"));
}

TEST_F(TlsTest, ClientsShowCertificatesWhereTheyAreWanted) {
  start_with_client_certificates();
  const auto good = authority_.issue("orders-app");
  TestAuthority other(directory_ / "other");
  const auto foreign = other.issue("intruder");

  auto tls = trusting();
  EXPECT_THAT(client(tls), FailsNaming(ErrorCode::kPermissionDenied, "certificate required"));
  tls.certificate = foreign.certificate;
  tls.key = foreign.key;
  EXPECT_THAT(client(tls), FailsWith(ErrorCode::kPermissionDenied));
  tls.certificate = good.certificate;
  tls.key = good.key;
  must(must(client(tls)).send("orders", {.body = "x"}));

  const std::string text = log();
  EXPECT_THAT(text, HasSubstr("peer did not return a certificate"));
  EXPECT_THAT(text, HasSubstr("certificate is not trusted"));
  EXPECT_THAT(text, HasSubstr(" principal=orders-app"));
}

TEST_F(TlsTest, WhoSpeaksSomethingElseIsTold) {
  start_tls();
  const std::string plain = server_address().substr(std::string("tls://").size());
  EXPECT_THAT(Client::connect(plain, {.connect_timeout = 1min}),
              FailsNaming(ErrorCode::kUnavailable, "the other side speaks TLS"));
  EXPECT_THAT(log(), HasSubstr("the other side does not speak TLS"));

  start();
  EXPECT_THAT(Client::connect("tls://" + server_address(), {.connect_timeout = 1min, .tls = trusting()}),
              FailsNaming(ErrorCode::kUnavailable, "does not speak TLS"));
  EXPECT_THAT(log(), HasSubstr("the other side speaks TLS"));
}

TEST_F(TlsTest, HttpIsAnsweredInHttpWithoutTlsAndWithin) {
  start_tls();
  const std::string request = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
  EXPECT_THAT(send_bytes(request), StartsWith("HTTP/1.1 400 Bad Request\r\n"));

  tcp::socket socket(port_.io());
  socket.connect({asio::ip::address_v4::loopback(), address().port});
  transport::Handshake handshake(std::move(socket), must(TlsContext::for_client({.ca = authority_.file()})),
                                 "127.0.0.1");
  handshake.run().wait(scope_);
  auto stream = handshake.take();
  asio::write(stream, asio::buffer(request));
  std::string answer;
  boost::system::error_code error;
  asio::read(stream, asio::dynamic_buffer(answer), error);
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 400 Bad Request\r\n"));
  stream.lowest_layer().close();

  EXPECT_THAT(log(), AllOf(HasSubstr("reason=\"the other side speaks HTTP, and without TLS\""),
                           HasSubstr("reason=\"the other side speaks HTTP, not Holdfast's RPC")));
}

// A client takes an answer for one that was cut off if the connection ends and TLS has not said so.
TEST_F(TlsTest, AnHttpsConnectionEndsAsTlsWantsIt) {
  start({.listen = {"tls://127.0.0.1:0"}, .tls = context(files()), .http_listen = {"tls://127.0.0.1:0"}});
  const auto http = must(transport::parse_address(server_->http_addresses().front()));
  // The body of the last request never comes whole, so the server refuses the request and hangs up.
  for (const char* request : {"GET /v1/queues HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
                              "GET /v1/queues HTTP/1.0\r\n\r\n",
                              "POST /v1/queues/orders/messages HTTP/1.1\r\nHost: "
                              "localhost\r\nContent-Length: 99999999999\r\n\r\nx"}) {
    SCOPED_TRACE(request);
    tcp::socket socket(port_.io());
    socket.connect({asio::ip::address_v4::loopback(), http.port});
    transport::Handshake handshake(std::move(socket), must(TlsContext::for_client({.ca = authority_.file()})),
                                   "127.0.0.1");
    handshake.run().wait(scope_);
    auto stream = handshake.take();
    asio::write(stream, asio::buffer(std::string_view(request)));
    std::string answer;
    boost::system::error_code error;
    asio::read(stream, asio::dynamic_buffer(answer), error);
    EXPECT_THAT(answer, StartsWith("HTTP/1."));
    EXPECT_EQ(error, asio::error::eof) << error.message();
  }
}

TEST_F(TlsTest, HandshakesThatAreNoneHarmNobody) {
  start_tls();
  auto bystander = must(client(trusting()));
  const std::string hello("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11);
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const auto rest = random.bytes(static_cast<std::size_t>(random.below(700)));
    send_bytes(random.one_in(2) ? hello + rest : rest);
  }
  send_bytes("");
  send_bytes("GET / HTTP/1.1\r\n\r\n");
  must(bystander.send("orders", {.body = "still here"}));
  must(client(trusting()));
  bystander.close();
  wait_until([&] { return server_->connections() == 0; });
}

TEST_F(TlsTest, ConnectionsThatHaveNotShakenHandsCount) {
  start_tls({.max_connections = 1});
  tcp::socket silent(port_.io());
  silent.connect({asio::ip::address_v4::loopback(), address().port});
  wait_until([&] { return server_->connections() == 1; });
  EXPECT_THAT(client(trusting()), FailsNaming(ErrorCode::kUnavailable, "hung up"));
}

TEST_F(TlsTest, ConnectionsThatDoNotShakeHandsShutNobodyOut) {
  start_tls({.max_connections = 32, .max_unauthenticated = 4, .max_unauthenticated_per_host = 2});
  std::vector<tcp::socket> silent;
  std::vector<Client> clients;
  for (int host = 2; host < 20; ++host) {
    silent.emplace_back(port_.io(),
                        tcp::endpoint(asio::ip::make_address("127.0.0." + std::to_string(host)), 0));
    silent.back().connect({asio::ip::address_v4::loopback(), address().port});
    if (host % 6 == 0) clients.push_back(must(client(trusting())));
  }
  wait_until([&] { return server_->connections() == 4 + clients.size(); });
  for (Client& connected : clients) must(connected.send("orders", {.body = "still here"}));
}

TEST_F(TlsTest, AHandshakeHasADeadline) {
  start_tls({.greeting_timeout = 1ms});
  tcp::socket silent(port_.io());
  silent.connect({asio::ip::address_v4::loopback(), address().port});
  wait_until([&] { return server_->meter().opened == 1; });
  std::array<char, 1> none{};
  boost::system::error_code error;
  silent.read_some(asio::buffer(none), error);
  EXPECT_EQ(error, asio::error::eof);
  silent.close();
  wait_until([&] { return server_->connections() == 0; });
  EXPECT_THAT(log(), HasSubstr("did not finish the TLS handshake in time"));
}

// A client that sends nonsense is told so, and then gets TLS's own end of the stream, once.
TEST_F(TlsTest, AConnectionThatIsGivenUpIsEndedProperly) {
  start_tls();
  for (int i = 0; i < 20; ++i) {
    tcp::socket socket(port_.io());
    socket.connect({asio::ip::address_v4::loopback(), address().port});
    transport::Handshake handshake(std::move(socket), must(TlsContext::for_client({.ca = authority_.file()})),
                                   "127.0.0.1");
    handshake.run().wait(scope_);
    auto stream = handshake.take();
    asio::write(stream, asio::buffer(std::string(64, '\xff')));
    boost::system::error_code error;
    std::array<char, 4096> rest{};
    for (error = {}; !error;) stream.read_some(asio::buffer(rest), error);
    // A connection that is cut off gives another error.
    EXPECT_EQ(error, asio::error::eof) << error.message();
  }
  wait_until([&] { return server_->connections() == 0; });
}

TEST_F(TlsTest, AServerStopsInTheMiddleOfHandshakes) {
  start_tls();
  std::vector<tcp::socket> silent;
  for (int i = 0; i < 10; ++i) {
    silent.emplace_back(port_.io()).connect({asio::ip::address_v4::loopback(), address().port});
  }
  wait_until([&] { return server_->connections() == 10; });
  server_->stop(1min);
}

TEST_F(TlsTest, ANewCertificateHoldsForThoseThatConnectThen) {
  start_tls();
  auto before = must(client(trusting()));
  TestAuthority other(directory_ / "other");
  const auto next = other.issue("server", "IP:127.0.0.1");
  server_->set_tls(context({.certificate = next.certificate, .key = next.key}));
  EXPECT_THAT(client(trusting()), FailsWith(ErrorCode::kPermissionDenied));
  EXPECT_THAT(client({.server_ca = other.file()}), Succeeds());
  must(before.send("orders", {.body = "x"}));
}

TEST_F(TlsTest, ACertificateThatItsServerHasSignedItselfMayBeTrusted) {
  const TestAuthority self(directory_ / "self", "localhost");
  const auto [certificate, key] = self.own();
  start({.listen = {"tls://127.0.0.1:0"}, .tls = context({.certificate = certificate, .key = key})});
  EXPECT_THAT(client({.server_ca = self.file(), .server_name = "localhost"}), Succeeds());
  EXPECT_THAT(client(trusting()), FailsWith(ErrorCode::kPermissionDenied));
}

TEST_F(TlsTest, WhatOtherMachinesReachNeedsTlsAndAccessControl) {
  const auto tls = context(files());
  auto asking_files = files();
  asking_files.ca = authority_.file();
  const auto asking = context(asking_files);
  const auto tokens = tokens_of({});
  const auto outcome = [&](ServerOptions options) {
    auto server = Server::start(*engine_, std::move(options));
    return server ? std::string() : server.error().message;
  };
  EXPECT_THAT(outcome({.listen = {"tls://0.0.0.0:0"}, .tls = tls}),
              AllOf(HasSubstr("there is no access control"), HasSubstr("--allow-insecure")));
  EXPECT_THAT(outcome({.listen = {"0.0.0.0:0"}, .tls = asking, .tokens = tokens}),
              AllOf(HasSubstr("there is no encryption"), HasSubstr("--allow-insecure")));
  EXPECT_THAT(
      outcome({.listen = {"0.0.0.0:0"}}),
      HasSubstr("no encryption (it needs tls://, --tls-certificate and --tls-key) and no access control"));
  EXPECT_EQ(outcome({.listen = {"tls://0.0.0.0:0"}, .tls = tls, .tokens = tokens}), "");
  EXPECT_EQ(outcome({.listen = {"tls://0.0.0.0:0"}, .tls = asking}), "");
  EXPECT_EQ(outcome({.listen = {"tls://0.0.0.0:0"}, .tls = tls, .allow_insecure = true}), "");
  EXPECT_THAT(outcome({.listen = {"tls://127.0.0.1:0"}}), HasSubstr("tls-certificate is not set"));
}

TEST_F(TlsTest, AClientsOptionsAreChecked) {
  EXPECT_THAT(Client::connect("127.0.0.1:1", {.tls = trusting()}),
              FailsNaming(ErrorCode::kInvalidArgument, "tls://"));
  EXPECT_THAT(Client::connect("tls://127.0.0.1:1", {.tls = {.server_ca = "/nowhere"}}),
              FailsNaming(ErrorCode::kInvalidArgument, "'/nowhere': No such file"));
  EXPECT_THAT(Client::connect("tls://127.0.0.1:1", {.tls = {.certificate = authority_.file()}}),
              FailsNaming(ErrorCode::kInvalidArgument, "go together"));
}

class CredentialsTest : public ::testing::Test {
 protected:
  std::string mistake(const transport::TlsFiles& files, const std::string& listen = "tls://127.0.0.1:0",
                      std::vector<std::string> http_listen = {}) {
    Config config;
    config.server.listen = {listen};
    config.server.http_listen = std::move(http_listen);
    config.tls = files;
    const auto loaded = load_credentials(config);
    return loaded ? "" : to_string(loaded.error());
  }
  std::filesystem::path written(const std::string& name, const std::string& text) {
    std::ofstream(directory_ / name) << text;
    std::filesystem::permissions(directory_ / name, std::filesystem::perms::owner_read);
    return directory_ / name;
  }

  TempDir directory_;
  TestAuthority authority_{directory_ / "certificates"};
  const CertificateFiles server_ = authority_.issue("server", "DNS:localhost");
  const CertificateFiles other_ = authority_.issue("other");
};

TEST_F(CredentialsTest, MistakesAreNamedWithTheirFile) {
  const auto& [certificate, key] = server_;
  const auto nonsense = written("nonsense", "no PEM");
  EXPECT_EQ(mistake({.certificate = certificate, .key = key, .ca = authority_.file()}), "");
  EXPECT_THAT(mistake({}), HasSubstr("tls-certificate: no file is set"));
  EXPECT_THAT(mistake({.certificate = certificate}), HasSubstr("tls-key: no file is set"));
  EXPECT_EQ(mistake({.certificate = certificate, .key = key}, "127.0.0.1:0", {"tls://127.0.0.1:0"}), "");
  EXPECT_THAT(mistake({.certificate = certificate, .key = key}, "127.0.0.1:0"),
              HasSubstr("the server listens on no address that begins with tls://"));
  EXPECT_THAT(mistake({.certificate = "/nowhere", .key = key}),
              HasSubstr("certificate '/nowhere': No such file"));
  EXPECT_THAT(mistake({.certificate = certificate, .key = "/nowhere"}),
              HasSubstr("key '/nowhere': No such file"));
  EXPECT_THAT(mistake({.certificate = directory_ / "", .key = key}), HasSubstr("is not a file"));
  EXPECT_THAT(mistake({.certificate = nonsense, .key = key}),
              HasSubstr("nonsense': is not a certificate in PEM"));
  EXPECT_THAT(mistake({.certificate = certificate, .key = nonsense}),
              HasSubstr("nonsense': is not a private key"));
  EXPECT_THAT(mistake({.certificate = certificate, .key = key, .ca = nonsense}),
              HasSubstr("nonsense': has no certificates in PEM"));
  EXPECT_THAT(mistake({.certificate = certificate, .key = other_.key}),
              AllOf(HasSubstr("other.key': does not belong to the certificate"), HasSubstr("server.pem'")));
  std::filesystem::permissions(key, std::filesystem::perms::others_read, std::filesystem::perm_options::add);
  EXPECT_THAT(mistake({.certificate = certificate, .key = key}),
              AllOf(HasSubstr("permission_denied"), HasSubstr("others may read it")));
}

TEST_F(CredentialsTest, AKeyWithAPasswordIsRefusedWithoutAskingForIt) {
  const auto locked =
      written("locked",
              "-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,"
              "00000000000000000000000000000000\n\nAAAAAAAAAAAAAAAAAAAAAA==\n-----END EC PRIVATE KEY-----\n");
  EXPECT_THAT(mistake({.certificate = server_.certificate, .key = locked}), HasSubstr("without a password"));
}

}  // namespace
}  // namespace holdfast::server
