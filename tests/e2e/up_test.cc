// Starts the program as `make up` does, asks it as clients do, and stops it as service managers do.
#include <gtest/gtest.h>

#include "server.h"

namespace proa::e2e {
namespace {

class UpTest : public testing::Test {
 protected:
  std::string ask(const Server& up, const std::string& path,
                  const std::string& options = "") const {
    return run_shell("curl -sS -m 10 " + options + " --cacert " + data_dir_ +
                     "/tls/authority.crt '" + up.url() + path + "'")
        .text;
  }

  const TemporaryFolder folder_;
  const std::string data_dir_ = folder_.path() + "/data";
};

TEST_F(UpTest, ServesHealthAndVersionOverTrustedTls) {
  Server up(data_dir_, "up");
  ASSERT_TRUE(up.ready()) << up.said();
  for (const char* protocol : {"--http1.1", "--http2"}) {
    SCOPED_TRACE(protocol);
    EXPECT_EQ(ask(up, "/livez", protocol), "ok");
    const std::string readiness = ask(up, "/readyz?verbose", protocol);
    EXPECT_TRUE(readiness.starts_with("[+]ping ok\n")) << readiness;
    EXPECT_TRUE(readiness.ends_with("readyz check passed\n")) << readiness;
    EXPECT_EQ(ask(up, "/healthz", protocol), "ok");
    EXPECT_NE(ask(up, "/version", protocol).find("\"gitVersion\": \"v1.36."), std::string::npos);
    EXPECT_EQ(ask(up, "/api", std::string(protocol) + " -o /dev/null -w '%{http_code}'"), "401");
  }
  EXPECT_EQ(up.stop(SIGTERM), 0) << up.said();
  EXPECT_NE(up.said().find("Stopped."), std::string::npos) << up.said();
}

TEST_F(UpTest, WritesAKubeconfigForItsOwnerOnly) {
  Server up(data_dir_, "up");
  ASSERT_TRUE(up.ready()) << up.said();
  const std::filesystem::path file = data_dir_ + "/admin.kubeconfig";
  EXPECT_EQ(std::filesystem::status(file).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  // The administrator's certificate opens what is closed to others.
  EXPECT_EQ(ask(up, "/api/v1/namespaces/default",
                "-o /dev/null -w '%{http_code}' --cert " + data_dir_ + "/tls/admin.crt --key " +
                    data_dir_ + "/tls/admin.key"),
            "200");
}

TEST_F(UpTest, StartsAgainOverTheSameData) {
  for (const int signal : {SIGINT, SIGTERM}) {
    Server up(data_dir_, "up");
    ASSERT_TRUE(up.ready()) << up.said();
    EXPECT_EQ(ask(up, "/readyz"), "ok");
    EXPECT_EQ(up.stop(signal), 0);
  }
  const std::string checked = run_program("store check " + data_dir_ + "/store").text;
  EXPECT_NE(checked.find("all is well"), std::string::npos) << checked;
  const std::string inspected = run_program("store inspect -o json " + data_dir_ + "/store").text;
  EXPECT_NE(inspected.find("\"cleanShutdown\": true"), std::string::npos) << inspected;
}

TEST_F(UpTest, SurvivesBeingKilled) {
  {
    Server up(data_dir_, "up");
    ASSERT_TRUE(up.ready()) << up.said();
    up.stop(SIGKILL);
  }
  Server up(data_dir_, "up");
  EXPECT_TRUE(up.ready()) << up.said();
}

TEST_F(UpTest, ASecondOneOnTheSameDataIsRefused) {
  Server first(data_dir_, "up");
  ASSERT_TRUE(first.ready()) << first.said();
  Server second(data_dir_, "up");
  EXPECT_FALSE(second.ready());
  EXPECT_NE(second.said().find(data_dir_), std::string::npos) << second.said();
}

}  // namespace
}  // namespace proa::e2e
