// Starts the API as `proa up` and `proa server` do, uses it as clients do, and stops it as service
// managers do. The rest of `proa up` is tested in tests/node.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "server.h"

namespace proa::e2e {
namespace {

class ServerTest : public testing::Test {
 protected:
  std::string ask(const Server& server, const std::string& path,
                  const std::string& options = "") const {
    return run_shell("curl -sS -m 10 " + options + " --cacert " + data_dir_ +
                     "/tls/authority.crt '" + server.url() + path + "'")
        .text;
  }

  const TemporaryFolder folder_;
  const std::string data_dir_ = folder_.path() + "/data";
};

TEST_F(ServerTest, ServesHealthAndVersionOverTrustedTls) {
  Server server(data_dir_);
  ASSERT_TRUE(server.ready()) << server.said();
  for (const char* protocol : {"--http1.1", "--http2"}) {
    SCOPED_TRACE(protocol);
    EXPECT_EQ(ask(server, "/livez", protocol), "ok");
    const std::string readiness = ask(server, "/readyz?verbose", protocol);
    EXPECT_TRUE(readiness.starts_with("[+]ping ok\n")) << readiness;
    EXPECT_TRUE(readiness.ends_with("readyz check passed\n")) << readiness;
    EXPECT_EQ(ask(server, "/healthz", protocol), "ok");
    EXPECT_NE(ask(server, "/version", protocol).find("\"gitVersion\": \"v1.36."),
              std::string::npos);
    EXPECT_EQ(ask(server, "/api", std::string(protocol) + " -o /dev/null -w '%{http_code}'"),
              "401");
  }
  EXPECT_EQ(server.stop(SIGTERM), 0) << server.said();
  EXPECT_NE(server.said().find("Stopped."), std::string::npos) << server.said();
}

TEST_F(ServerTest, WritesAKubeconfigForItsOwnerOnly) {
  Server server(data_dir_);
  ASSERT_TRUE(server.ready()) << server.said();
  const std::filesystem::path file = data_dir_ + "/admin.kubeconfig";
  EXPECT_EQ(std::filesystem::status(file).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  // The administrator's certificate gives access to restricted paths.
  EXPECT_EQ(ask(server, "/api/v1/namespaces/default",
                "-o /dev/null -w '%{http_code}' --cert " + data_dir_ + "/tls/admin.crt --key " +
                    data_dir_ + "/tls/admin.key"),
            "200");
}

// Scheduler and controller-manager are healthy once they hold their Leases, which takes a moment.
TEST_F(ServerTest, ReportsItsComponentsHealthy) {
  Server server(data_dir_);
  ASSERT_TRUE(server.ready()) << server.said();
  const std::string as_admin =
      "--cert " + data_dir_ + "/tls/admin.crt --key " + data_dir_ + "/tls/admin.key";
  std::string found;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (std::chrono::steady_clock::now() < deadline) {
    found = ask(server, "/api/v1/componentstatuses", as_admin);
    if (found.find("\"status\":\"Unknown\"") == std::string::npos) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  for (const char* name : {"controller-manager", "etcd-0", "scheduler"}) {
    EXPECT_NE(found.find(std::string("\"name\":\"") + name + "\""), std::string::npos) << found;
  }
  EXPECT_EQ(found.find("\"error\""), std::string::npos) << found;
  EXPECT_NE(found.find(R"("message":"{\"health\":\"true\"}")"), std::string::npos) << found;
}

TEST_F(ServerTest, StartsAgainOverTheSameData) {
  for (const int signal : {SIGINT, SIGTERM}) {
    Server server(data_dir_);
    ASSERT_TRUE(server.ready()) << server.said();
    EXPECT_EQ(ask(server, "/readyz"), "ok");
    EXPECT_EQ(server.stop(signal), 0);
  }
  const std::string checked = run_program("store check " + data_dir_ + "/store").text;
  EXPECT_NE(checked.find("no errors found"), std::string::npos) << checked;
  const std::string inspected = run_program("store inspect -o json " + data_dir_ + "/store").text;
  EXPECT_NE(inspected.find("\"cleanShutdown\": true"), std::string::npos) << inspected;
}

TEST_F(ServerTest, SurvivesBeingKilled) {
  {
    Server server(data_dir_);
    ASSERT_TRUE(server.ready()) << server.said();
    server.stop(SIGKILL);
  }
  Server server(data_dir_);
  EXPECT_TRUE(server.ready()) << server.said();
}

TEST_F(ServerTest, ASecondOneOnTheSameDataIsRefusedAndChangesNothing) {
  Server first(data_dir_);
  ASSERT_TRUE(first.ready()) << first.said();
  const std::string digests = "sha256sum " + data_dir_ + "/tls/* " + data_dir_ + "/*.kubeconfig";
  const std::string before = run_shell(digests).text;
  // With another address, which would need another certificate.
  Server second(data_dir_, "server", {"--advertise-address", "192.0.2.9"});
  EXPECT_FALSE(second.ready());
  EXPECT_NE(second.said().find("another proa is running from this data directory, as process"),
            std::string::npos)
      << second.said();
  EXPECT_EQ(run_shell(digests).text, before);
  EXPECT_EQ(ask(first, "/livez"), "ok");
}

TEST_F(ServerTest, DownStopsAServerWithoutANode) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  Server server(data_dir_);
  ASSERT_TRUE(server.ready()) << server.said();
  const Outcome down = run_program("down --data-dir " + data_dir_);
  EXPECT_EQ(down.code, 0) << down.text;
  EXPECT_NE(down.text.find("stopping process"), std::string::npos) << down.text;
  EXPECT_TRUE(server.wait_for("Stopped.")) << server.said();
}

}  // namespace
}  // namespace proa::e2e
