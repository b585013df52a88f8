// Encryption at rest of a running server: enabled, rotated, disabled; nothing plain on the disk.
#include "at_rest.h"

namespace proa::e2e {
namespace {

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
  EXPECT_NE(refusal({}).find("identity transformer tried to read encrypted data"),
            std::string::npos);
  configure("{identity: {}}, " + key("k2"));
  const Outcome offline = reencrypt("--encryption-provider-config " + file_);
  ASSERT_EQ(offline.code, 0) << offline.text;
  start({});
  for (const char* name : {"before", "during", "rotated"}) EXPECT_TRUE(has(name)) << name;
  EXPECT_EQ(holders("k8s:enc:"), "");
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
