#include "cli/credentials/cluster_choice.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "testkit/process.h"

namespace proa::cli {
namespace {

constexpr Duration kTimeout = std::chrono::seconds(1);

std::string kubeconfig_for(const std::string& server) {
  return R"({"apiVersion":"v1","kind":"Config","current-context":"c","contexts":[{"name":"c",)"
         R"("context":{"cluster":"c","user":"u"}}],"users":[{"name":"u","user":{"token":"t"}}],)"
         R"("clusters":[{"name":"c","cluster":{"insecure-skip-tls-verify":true,"server":")" +
         server + R"("}}]})";
}

class OpenClusterTest : public ::testing::Test {
 protected:
  OpenClusterTest() {
    settings_.set("kubeconfig", "");
    settings_.set("data-dir", folder_.path());
  }
  ~OpenClusterTest() override { unsetenv("KUBECONFIG"); }

  std::string server() {
    const auto opened = open_cluster(settings_, kTimeout);
    return opened.ok() ? (*opened)->server() : opened.status().message();
  }

  const testkit::TempDir folder_;
  Settings settings_;
};

TEST_F(OpenClusterTest, FlagsComeBeforeTheEnvironment) {
  setenv("KUBECONFIG", folder_.write("theirs", kubeconfig_for("https://192.0.2.1")).c_str(), 1);
  folder_.write("admin.kubeconfig", kubeconfig_for("https://192.0.2.2"));
  EXPECT_EQ(server(), "https://192.0.2.1") << "the data directory is the default";
  settings_.mark_given("data-dir");
  EXPECT_EQ(server(), "https://192.0.2.2");
  settings_.set("kubeconfig", folder_.write("mine", kubeconfig_for("https://192.0.2.3")));
  EXPECT_EQ(server(), "https://192.0.2.3");
}

TEST_F(OpenClusterTest, SaysWhatToPassWhereNothingIsFound) {
  unsetenv("KUBECONFIG");
  EXPECT_TRUE(server().ends_with("; for a cluster elsewhere pass --kubeconfig or set KUBECONFIG"))
      << server();
  setenv("KUBECONFIG", "/nowhere/config", 1);
  EXPECT_TRUE(server().starts_with("KUBECONFIG: ")) << server();
}

TEST(KubeconfigOfEnvironment, IsTheFirstThatExists) {
  const testkit::TempDir folder;
  SystemFiles files;
  const std::string here = folder.write("here", "x");
  EXPECT_EQ(kubeconfig_of_environment(files, nullptr), "");
  EXPECT_EQ(kubeconfig_of_environment(files, ":"), "");
  EXPECT_EQ(kubeconfig_of_environment(files, ("/nowhere/a:" + here).c_str()), here);
  EXPECT_EQ(kubeconfig_of_environment(files, "/nowhere/a:/nowhere/b"), "/nowhere/a");
}

}  // namespace
}  // namespace proa::cli
