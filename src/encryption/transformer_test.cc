#include "encryption/transformer.h"

#include <gtest/gtest.h>

#include "encryption/config/read_configuration.h"
#include "testkit/encryption/fake_kms.h"
#include "testkit/fake_clock.h"

namespace proa::encryption {
namespace transformer_test {

using store::DiskValue;

constexpr std::string_view kPlain = R"({"kind":"Secret"})";
const std::string kA = "{name: a, secret: c2VjcmV0IGlzIHNlY3VyZQ==}";
const std::string kOtherA = "{name: a, secret: b3RoZXIgaXMgc2VjdXJlIQ==}";
const std::string kB = "{name: b, secret: b3RoZXIgaXMgc2VjdXJlIQ==}";

std::string entry(const std::string& resources, const std::string& providers) {
  return "- {resources: [" + resources + "], providers: [" + providers + "]}\n";
}
std::string gcm(const std::string& keys) { return "{aesgcm: {keys: [" + keys + "]}}"; }
constexpr const char* kIdentity = "{identity: {}}";

class TransformerTest : public testing::Test {
 protected:
  Result<std::shared_ptr<const Transformer>> try_make(const std::string& entries) {
    const auto read = parse_configuration(
        "apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n" +
            entries,
        Reload::kOff);
    EXPECT_TRUE(read.ok()) << read.status().message();
    return Transformer::make(*read, metrics_, random_, [this](const KmsConfiguration&) {
      return std::make_unique<testkit::FakeKms>(kms_);
    });
  }
  std::shared_ptr<const Transformer> make(const std::string& entries) {
    auto made = try_make(entries);
    EXPECT_TRUE(made.ok()) << made.status().message();
    return *made;
  }
  // As on disk: empty if it is plain there.
  static std::string stored(const Transformer& transformer, const std::string& key) {
    std::string out;
    const auto transformed = transformer.to_disk(key, kPlain, out);
    EXPECT_TRUE(transformed.ok());
    return *transformed ? out : std::string();
  }
  static std::string prefix(const Transformer& transformer, const std::string& key) {
    const std::string whole = stored(transformer, key);
    size_t end = 0;
    for (int colons = 0; colons < 5 && end < whole.size(); ++end) colons += whole[end] == ':';
    return whole.substr(0, end);
  }
  static std::string read(const Transformer& transformer, const std::string& key,
                          const DiskValue& value) {
    const auto plain = transformer.from_disk(key, value);
    if (!plain.ok()) return plain.status().message();
    return plain->value_or(std::string(value.bytes));
  }

  testkit::FakeClock clock_;
  SystemRandom random_;
  Metrics registry_;
  EncryptionMetrics metrics_{registry_, clock_, "me"};
  std::shared_ptr<testkit::FakeKmsState> kms_ = std::make_shared<testkit::FakeKmsState>();
};

const std::string kSecret = "/registry/secrets/default/a";

TEST_F(TransformerTest, RulesSayWhatIsEncrypted) {
  const auto made = make(entry("events", kIdentity) + entry("secrets, configmaps", gcm(kA)) +
                         entry("'*.apps'",
                               "{secretbox: {keys: [{name: s, secret: "
                               "c2VjcmV0IGlzIHNlY3VyZSwgb3IgaXMgaXQ/ISEhISE=}]}}") +
                         entry("'*.*'", "{aescbc: {keys: [" + kB + "]}}"));
  EXPECT_EQ(prefix(*made, kSecret), "k8s:enc:aesgcm:v1:a:");
  EXPECT_EQ(prefix(*made, "/registry/configmaps/default/a"), "k8s:enc:aesgcm:v1:a:");
  EXPECT_EQ(prefix(*made, "/registry/deployments/default/a"), "k8s:enc:secretbox:v1:s:");
  EXPECT_EQ(prefix(*made, "/registry/pods/default/a"), "k8s:enc:aescbc:v1:b:");
  EXPECT_EQ(prefix(*made, "/registry/stable.example.com/crontabs/x/a"), "k8s:enc:aescbc:v1:b:");
  EXPECT_EQ(prefix(*made, "/registry/events/default/a"), "");
  EXPECT_EQ(prefix(*made, "/registry/ranges/servicenodeports/1"), "") << "has no API";
  const auto secrets_only = make(entry("secrets", gcm(kA)));
  EXPECT_EQ(prefix(*secrets_only, "/registry/configmaps/default/a"), "");
}

TEST_F(TransformerTest, MaskedRulesAreRefused) {
  EXPECT_EQ(try_make(entry("'*.'", gcm(kA)) + entry("secrets", gcm(kA))).status().message(),
            "error while building transformers: resource \"secrets\" is masked by earlier rule "
            "\"*.\"");
  EXPECT_EQ(
      try_make(entry("'*.*'", gcm(kA)) + entry("deployments.apps", gcm(kA))).status().message(),
      "error while building transformers: resource \"deployments.apps\" is masked by earlier rule "
      "\"*.*\"");
}

TEST_F(TransformerTest, AllProvidersReadAndTheFirstOneWrites) {
  const auto old = make(entry("secrets", gcm(kA)));
  const auto rotated = make(entry("secrets", gcm(kB) + ", " + gcm(kA) + ", " + kIdentity));
  const std::string by_old = stored(*old, kSecret);
  EXPECT_EQ(read(*rotated, kSecret, {by_old, true}), kPlain);
  EXPECT_TRUE(rotated->is_stale(kSecret, {by_old, true}));
  EXPECT_FALSE(old->is_stale(kSecret, {by_old, true}));
  EXPECT_EQ(read(*rotated, kSecret, {kPlain, false}), kPlain);
  EXPECT_TRUE(rotated->is_stale(kSecret, {kPlain, false}));
  EXPECT_FALSE(rotated->is_stale(kSecret, {stored(*rotated, kSecret), true}));

  const auto leaving = make(entry("secrets", std::string(kIdentity) + ", " + gcm(kA)));
  EXPECT_EQ(read(*leaving, kSecret, {by_old, true}), kPlain);
  EXPECT_TRUE(leaving->is_stale(kSecret, {by_old, true}));
  EXPECT_FALSE(leaving->is_stale(kSecret, {kPlain, false}));
  EXPECT_EQ(stored(*leaving, kSecret), "");
}

TEST_F(TransformerTest, TheSameNameForAnotherKeyIsNotMistaken) {
  const auto old = make(entry("secrets", gcm(kA)));
  const auto rotated = make(entry("secrets", gcm(kOtherA) + ", " + gcm(kA)));
  const std::string by_old = stored(*old, kSecret);
  EXPECT_EQ(read(*rotated, kSecret, {by_old, true}), kPlain);
  EXPECT_TRUE(rotated->is_stale(kSecret, {by_old, true}));
}

TEST_F(TransformerTest, FailuresAreUpstreams) {
  const auto made = make(entry("secrets", gcm(kA)));
  EXPECT_EQ(read(*made, kSecret, {kPlain, false}), "no matching prefix found")
      << "plain values are read only where identity is listed";
  EXPECT_EQ(read(*made, kSecret, {"k8s:enc:aescbc:v1:a:xx", true}),
            "no matching prefix found; the value on disk begins with \"k8s:enc:aescbc:v1:a:\"");
  EXPECT_EQ(read(*made, kSecret, {"k8s:enc:aesgcm:v1:z:xx", true}),
            "no matching key was found for the provided AES transformer; the value on disk begins "
            "with \"k8s:enc:aesgcm:v1:z:\"");
  EXPECT_EQ(read(*made, "/registry/pods/default/a", {"k8s:enc:aesgcm:v1:a:xx", true}),
            "identity transformer tried to read encrypted data: no rule of the configuration is "
            "about this resource; the value on disk begins with \"k8s:enc:aesgcm:v1:a:\"");
  const auto none = Transformer::make({}, metrics_, random_, nullptr).value();
  EXPECT_EQ(read(*none, kSecret, {"k8s:enc:aesgcm:v1:a:xx", true}),
            "objects are encrypted: pass the --encryption-provider-config they were written with; "
            "the value on disk begins with \"k8s:enc:aesgcm:v1:a:\"");
  const std::string text = registry_.text();
  EXPECT_NE(text.find("apiserver_storage_transformation_operations_total{resource=\"secrets\","
                      "transformation_type=\"from_storage\",transformer_prefix=\"unknown\",status="
                      "\"unknown-non-grpc\"} 2"),
            std::string::npos)
      << text;
}

TEST_F(TransformerTest, SuccessIsCounted) {
  const auto made = make(entry("secrets", gcm(kA)));
  EXPECT_EQ(read(*made, kSecret, {stored(*made, kSecret), true}), kPlain);
  const std::string text = registry_.text();
  for (const char* type : {"to_storage", "from_storage"}) {
    EXPECT_NE(text.find(std::string("apiserver_storage_transformation_operations_total{resource="
                                    "\"secrets\",transformation_type=\"") +
                        type + "\",transformer_prefix=\"k8s:enc:aesgcm:v1:\",status=\"OK\"} 1"),
              std::string::npos)
        << text;
  }
}

TEST_F(TransformerTest, KmsPluginsAreAskedAndTheirHealthIsTold) {
  const std::string kms =
      entry("secrets", "{kms: {apiVersion: v2, name: vault, endpoint: 'unix:///x'}}");
  const auto made = make(kms);
  EXPECT_TRUE(made->health().ok());
  EXPECT_TRUE(made->writable(kSecret).ok());
  EXPECT_EQ(prefix(*made, kSecret), "k8s:enc:kms:v2:vault:");
  kms_->set_down(true);
  const auto without = make(kms);
  EXPECT_EQ(without->health().status().message(),
            "kms-provider-0: failed to perform status section of the healthz check for KMS "
            "Provider vault, error: the plugin is down");
  EXPECT_FALSE(without->writable(kSecret).ok());
  EXPECT_TRUE(without->writable("/registry/pods/default/a").ok());
}

}  // namespace transformer_test
}  // namespace proa::encryption
