// Encryption at rest of a running server: enabled, rotated, disabled; nothing plain on the disk.
#include <random>
#include <thread>

#include "admin.h"
#include "at_rest.h"

namespace proa::e2e {
namespace {

constexpr int kKills = 20;

// Creates secrets until the server is gone; returns the names that it acknowledged.
std::vector<std::string> write_until_killed(const std::string& data, int round) {
  Admin admin(data);
  std::vector<std::string> acknowledged;
  for (int i = 0;; ++i) {
    const std::string name = "s-" + std::to_string(round) + "-" + std::to_string(i);
    const std::string body = R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":")" + name +
                             R"("},"stringData":{"x":")" + std::string(kMarker) + R"("}})";
    const int code = admin.ask("POST", kSecrets, body).code;
    if (code == 0) return acknowledged;
    EXPECT_EQ(code, 201) << name;
    acknowledged.push_back(name);
  }
}

TEST_F(AtRestTest, EnabledRotatedAndDisabled) {
  start({});
  create("before");
  stop();
  EXPECT_NE(holders(marker_), "") << "the marker is what is searched for";

  start_encrypted(key("k1") + ", {identity: {}}");
  create("during");
  EXPECT_TRUE(has("before"));
  const Outcome encrypted = reencrypt();
  ASSERT_EQ(encrypted.code, 0) << encrypted.text;
  EXPECT_NE(encrypted.text.find("rewritten"), std::string::npos) << encrypted.text;
  EXPECT_EQ(holders(marker_), "");
  const Outcome backup = run_program("backup " + folder_.path() + "/backup --data-dir " + data_);
  ASSERT_EQ(backup.code, 0) << backup.text;
  EXPECT_EQ(holders(marker_), "") << "a backup stays encrypted";
  EXPECT_NE(holders("k8s:enc:aesgcm:v1:k1:"), "");
  EXPECT_NE(ask("/metrics")
                .find("apiserver_storage_transformation_operations_total{resource="
                      "\"secrets\",transformation_type=\"to_storage\",transformer_"
                      "prefix=\"k8s:enc:aesgcm:v1:\",status=\"OK\"}"),
            std::string::npos);
  EXPECT_NE(ask("/readyz?verbose").find("[+]kms-providers ok"), std::string::npos);

  configure(key("k2"));
  ASSERT_TRUE(server_->wait_for("no matching key was found")) << server_->said();
  configure(key("k2") + ", " + key("k1"));
  ASSERT_TRUE(server_->wait_for("encryption configuration reloaded")) << server_->said();
  create("rotated");
  ASSERT_EQ(reencrypt().code, 0);
  stop();
  std::filesystem::remove(folder_.path() + "/backup");
  EXPECT_EQ(holders("k8s:enc:aesgcm:v1:k1:"), "");

  configure(key("k3"));
  EXPECT_NE(refusal({"--encryption-provider-config", file_})
                .find("no matching key was found for the provided AES transformer"),
            std::string::npos);
  EXPECT_NE(refusal({}).find("objects are encrypted: pass the --encryption-provider-config they "
                             "were written with"),
            std::string::npos);
  configure("{identity: {}}, " + key("k2"));
  const Outcome offline = reencrypt("--encryption-provider-config " + file_);
  ASSERT_EQ(offline.code, 0) << offline.text;
  start({});
  for (const char* name : {"before", "during", "rotated"}) EXPECT_TRUE(has(name)) << name;
  EXPECT_EQ(holders("k8s:enc:"), "");
  stop();
}

// Encryption begins, goes on with another key, and ends, over and over: while secrets are written
// and rewritten, the server is killed. Every provider is always in the configuration; which one is
// first, and so used for writes, changes.
TEST_F(AtRestTest, KilledTwentyTimesWhileKeysChange) {
  const std::vector<std::string> providers = {key("k1"), key("k2"), "{identity: {}}"};
  const std::vector<std::string> prefixes = {"k8s:enc:aesgcm:v1:k1:", "k8s:enc:aesgcm:v1:k2:"};
  const auto configuration = [&](size_t first) {
    return providers[first % 3] + ", " + providers[(first + 1) % 3] + ", " +
           providers[(first + 2) % 3];
  };
  std::mt19937 random(20);
  std::vector<std::string> acknowledged;
  size_t first = 2;
  for (int round = 0; round < kKills; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    start_encrypted(configuration(first));
    std::vector<std::string> written;
    std::jthread writer([&] { written = write_until_killed(data_, round); });
    first = (first + 1) % 3;
    configure(configuration(first));
    ASSERT_TRUE(server_->wait_for("encryption configuration reloaded")) << server_->said();
    Process rewriting({"secrets", "reencrypt", "--data-dir", data_});
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 400));
    server_->stop(SIGKILL);
    writer.join();
    rewriting.stop(SIGKILL);
    acknowledged.insert(acknowledged.end(), written.begin(), written.end());

    // What the kill left half done is done by the next rewriting.
    start_encrypted(configuration(first));
    const Outcome finished = reencrypt();
    ASSERT_EQ(finished.code, 0) << finished.text;
    std::string left = first == 2 ? "" : holders(marker_);
    for (size_t i = 0; i < prefixes.size(); ++i) {
      if (i != first) left += holders(prefixes[i]);
    }
    EXPECT_EQ(left, "") << "files that are plain, or have another key";
    stop();
  }

  start_encrypted(configuration(first));
  Admin admin(data_);
  const Admin::Answer all = admin.ask("GET", kSecrets);
  ASSERT_EQ(all.code, 200);
  std::map<std::string, std::string> found;
  for (const json::Value& secret : at(all.root(), {"items"}).items()) {
    found[text_at(secret, {"metadata", "name"})] = text_at(secret, {"data", "x"});
  }
  EXPECT_GE(acknowledged.size(), static_cast<size_t>(kKills));
  for (const std::string& name : acknowledged) EXPECT_EQ(found[name], marker_) << name;
  stop();
}

TEST_F(AtRestTest, MistakesAreFoundBeforeAnythingIsMade) {
  configure("{aesgcm: {keys: [{name: a, secret: c2hvcnQ=}]}}");
  EXPECT_NE(refusal({"--encryption-provider-config", file_})
                .find("secret is not of the expected length, got 5, expected one of [16 24 32]"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(data_ + "/store"));
  EXPECT_NE(refusal({"--encryption-provider-config-automatic-reload"})
                .find("must be set with --encryption-provider-config"),
            std::string::npos);
}

}  // namespace
}  // namespace proa::e2e
