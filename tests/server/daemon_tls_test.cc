// Runs the executable with TLS. The tests see whom it lets in, and a certificate that is replaced while it
// runs.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <future>

#include "holdfast/client.h"
#include "tests/server/daemon_process.h"
#include "tests/support/certificates.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace holdfast::server {
namespace {

using namespace std::chrono_literals;
using namespace holdfast::testing;

class DaemonTlsTest : public ::testing::Test {
 protected:
  Result<Client> client(const std::filesystem::path& server_ca, const CertificateFiles& own = {}) {
    return Client::connect(address_,
                           {.connect_timeout = 1min,
                            .reconnect_delay = 1ms,
                            .reconnect_delay_max = 10ms,
                            .tls = {.server_ca = server_ca, .certificate = own.certificate, .key = own.key}});
  }

  TempDir directory_;
  TestAuthority old_{directory_ / "old"};
  TestAuthority new_{directory_ / "new", "New CA"};
  const CertificateFiles shown_ = old_.issue("server", "IP:127.0.0.1");
  const CertificateFiles mine_ = old_.issue("orders-app");
  const std::string local_ = "unix:" + (directory_ / "socket").string();
  Daemon daemon_{{"--data", (directory_ / "data").string(), "--listen", "tls://127.0.0.1:0", "--listen",
                  local_, "--tls-certificate", shown_.certificate.string(), "--tls-key", shown_.key.string(),
                  "--tls-client-ca", old_.file().string(), "--log-level", "debug"}};
  const std::string address_ = daemon_.address();
};

TEST_F(DaemonTlsTest, ClientsNeedCertificatesThatTheCaHasSigned) {
  EXPECT_THAT(client(old_.file()), FailsWith(ErrorCode::kPermissionDenied));
  EXPECT_THAT(client(old_.file(), new_.issue("intruder")), FailsWith(ErrorCode::kPermissionDenied));
  EXPECT_THAT(client(new_.file(), mine_), FailsWith(ErrorCode::kPermissionDenied));
  EXPECT_THAT(must(client(old_.file(), mine_)).create_queue("orders"), Succeeds());
  (void)daemon_.after(" principal=orders-app");
}

TEST_F(DaemonTlsTest, ANewCertificateHoldsAfterSighup) {
  const auto both = directory_ / "both.pem";
  std::ofstream(both) << std::ifstream(old_.file()).rdbuf() << std::ifstream(new_.file()).rdbuf();
  auto client_of_both = must(client(both, mine_));
  auto client_of_old = must(client(old_.file(), mine_));
  must(client_of_both.create_queue("orders"));

  const auto next = new_.issue("server", "IP:127.0.0.1");
  const auto replace = std::filesystem::copy_options::overwrite_existing;
  std::filesystem::copy_file(next.certificate, shown_.certificate, replace);
  std::filesystem::copy_file(next.key, shown_.key, replace);
  daemon_.signal(SIGHUP);
  (void)daemon_.after("info configuration reloaded");

  EXPECT_THAT(client(old_.file(), mine_),
              FailsNaming(ErrorCode::kPermissionDenied, "certificate is not trusted"));
  EXPECT_THAT(client(new_.file(), mine_), Succeeds());
  must(client_of_old.send("orders", {.body = "over the connection that it has"}));

  // Clients that connect again meet the new certificate.
  auto admin = must(Client::connect(local_));
  must(admin.drain({.timeout = 1h, .exit = false}));
  auto sent = std::async(std::launch::async, [&] { return client_of_both.send("orders", {.body = "x"}); });
  (void)daemon_.after("reason=\"the server is draining\"");
  must(admin.resume());
  EXPECT_THAT(sent.get(), Succeeds());
  EXPECT_EQ(must(admin.describe_queue("orders")).counts.ready, 2U);
}

}  // namespace
}  // namespace holdfast::server
