// KMS v2 with a plugin that has upstream's gRPC service, on a unix socket.
#include "at_rest.h"
#include "testkit/process.h"

namespace proa::e2e {
namespace {

using namespace std::chrono_literals;

class KmsTest : public AtRestTest {
 protected:
  void SetUp() override {
    const std::filesystem::path here = std::filesystem::absolute(__FILE__).parent_path();
    const Outcome built = run_shell((here / "../clients/build-go").string() + " kms-plugin");
    if (built.code == 77) GTEST_SKIP() << built.text;
    ASSERT_EQ(built.code, 0) << built.text;
    path_ = built.text.substr(0, built.text.find_last_of('\n'));
    set_key("first-key");
  }
  void set_key(const std::string& id) const { static_cast<void>(folder_.file("kms/key", id)); }
  void start_plugin() {
    plugin_ = std::make_unique<testkit::Process>(
        std::vector<std::string>{path_, socket_, folder_.path() + "/kms"});
  }
  std::string provider() const {
    return "{kms: {apiVersion: v2, name: vault, endpoint: 'unix://" + socket_ + "'}}";
  }
  // Whether the answer has the text within a minute. A plugin's health is asked again after 20 s,
  // and after 3 s where it failed.
  bool says(const std::string& path, const std::string& text) const {
    const auto end = std::chrono::steady_clock::now() + testkit::patient(60s);
    while (std::chrono::steady_clock::now() < end) {
      if (ask(path).find(text) != std::string::npos) return true;
      std::this_thread::sleep_for(200ms);
    }
    return false;
  }

  const std::string socket_ = folder_.path() + "/kms.sock";
  std::string path_;
  std::unique_ptr<testkit::Process> plugin_;
};

TEST_F(KmsTest, AServerWaitsForItsPluginAndTellsOfItsHealth) {
  configure(provider());
  server_ = std::make_unique<Server>(
      data_, "server", std::vector<std::string>{"--encryption-provider-config", file_});
  ASSERT_TRUE(server_->wait_for("encryption")) << server_->said();
  start_plugin();
  ASSERT_TRUE(server_->ready()) << server_->said();
  url_ = server_->url();
  create("one");
  EXPECT_TRUE(has("one"));
  EXPECT_EQ(holders(marker_), "");
  EXPECT_NE(holders("k8s:enc:kms:v2:vault:"), "");
  EXPECT_EQ(ask("/readyz/kms-providers"), "ok");

  plugin_.reset();
  EXPECT_TRUE(says("/readyz?verbose", "[-]kms-providers failed")) << ask("/readyz?verbose");
  EXPECT_NE(ask("/healthz?verbose").find("[-]kms-providers failed"), std::string::npos);
  EXPECT_EQ(ask("/livez"), "ok") << "a restart would not help";
  ASSERT_TRUE(server_->wait_for("KMS plugin failed its health check")) << server_->said();
  create("two");  // for three minutes
  EXPECT_TRUE(has("one"));
  start_plugin();
  EXPECT_TRUE(says("/readyz?verbose", "[+]kms-providers ok")) << ask("/readyz?verbose");
  stop();

  start({"--encryption-provider-config", file_});
  EXPECT_TRUE(has("one"));
  EXPECT_TRUE(has("two"));
}

TEST_F(KmsTest, AnotherKeyOfThePluginIsUsedAndFormerValuesAreRewritten) {
  start_plugin();
  start_encrypted(provider());
  create("one");
  EXPECT_NE(holders("first-key").find("/store/"), std::string::npos);
  set_key("second-key");
  // The plugin is asked for its key together with its health.
  const auto end = std::chrono::steady_clock::now() + testkit::patient(60s);
  for (int i = 0; holders("second-key").find("/store/") == std::string::npos; ++i) {
    ASSERT_LT(std::chrono::steady_clock::now(), end) << server_->said();
    ask("/readyz");
    create("more-" + std::to_string(i));
    std::this_thread::sleep_for(500ms);
  }
  const Outcome done = reencrypt();
  ASSERT_EQ(done.code, 0) << done.text;
  EXPECT_EQ(holders("first-key"), "");
  stop();
  start({"--encryption-provider-config", file_});
  EXPECT_TRUE(has("one"));
}

}  // namespace
}  // namespace proa::e2e
