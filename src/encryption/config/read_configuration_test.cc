#include "encryption/config/read_configuration.h"

#include <gtest/gtest.h>

#include "testkit/memory_files.h"

namespace proa::encryption {
namespace read_configuration_test {

constexpr std::string_view kHead =
    "apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\n";
// 32 and 5 bytes.
constexpr std::string_view kSecret = "c2VjcmV0IGlzIHNlY3VyZSwgb3IgaXMgaXQ/ISEhISE=";

std::string with(std::string_view resources) {
  return std::string(kHead) + "resources: " + std::string(resources) + "\n";
}

std::string provider(std::string_view text) {
  return with("[{resources: [secrets], providers: [" + std::string(text) + "]}]");
}

std::string message(const std::string& text, Reload reload = Reload::kOff) {
  const auto read = parse_configuration(text, reload);
  return read.ok() ? "ok" : read.status().message();
}

TEST(EncryptionConfiguration, ReadsAllProviders) {
  const auto read = parse_configuration(std::string(kHead) + R"(
resources:
- resources: [events]
  providers: [{identity: {}}]
- resources: [secrets, '*.apps', pandas.awesome.bears.example]
  providers:
  - kms: {apiVersion: v2, name: vault, endpoint: "unix:///run/kms.sock", timeout: 5s}
  - aesgcm: {keys: [{name: k1, secret: c2VjcmV0IGlzIHNlY3VyZQ==}, {name: k2, secret: c2VjcmV0IGlzIHNlY3VyZQ==}]}
  - aescbc: {keys: [{name: old, secret: c2VjcmV0IGlzIHNlY3VyZQ==}]}
  - identity: {}
)",
                                        Reload::kOff);
  ASSERT_TRUE(read.ok()) << read.status().message();
  ASSERT_EQ(read->resources.size(), 2u);
  const ResourceConfiguration& entry = read->resources[1];
  ASSERT_EQ(entry.resources.size(), 3u);
  EXPECT_EQ(entry.resources[1], (GroupResource{"apps", "*"}));
  EXPECT_EQ(entry.resources[2], (GroupResource{"awesome.bears.example", "pandas"}));
  ASSERT_EQ(entry.providers.size(), 4u);
  EXPECT_EQ(entry.providers[0].kms.socket, "/run/kms.sock");
  EXPECT_EQ(entry.providers[0].kms.timeout, std::chrono::seconds(5));
  ASSERT_EQ(entry.providers[1].keys.size(), 2u);
  EXPECT_EQ(entry.providers[1].keys[1].name, "k2");
  EXPECT_EQ(entry.providers[1].keys[1].secret, "secret is secure");
  EXPECT_EQ(entry.providers[3].kind, ProviderConfiguration::Kind::kIdentity);
}

TEST(EncryptionConfiguration, ErrorsAreUpstreams) {
  const struct {
    std::string text;
    const char* message;
  } cases[] = {
      {with("[]"), "resources: Required value: at least one resources is required"},
      {with("[{resources: [], providers: [{identity: {}}]}]"),
       "resources[0].resources: Required value: at least one resources[0].resources is required"},
      {with("[{resources: [secrets], providers: []}]"),
       "resources[0].providers: Required value: at least one resources[0].providers is required"},
      {provider("{aesgcm: {keys: []}}"),
       "resources[0].providers[0].aesgcm.keys: Required value: at least one keys is required"},
      {provider("{aescbc: {keys: [{secret: c2VjcmV0IGlzIHNlY3VyZQ==}]}}"),
       "resources[0].providers[0].aescbc.keys[0].name: Required value: name is a mandatory field "
       "for a key"},
      {provider("{aescbc: {keys: [{name: a}]}}"),
       "resources[0].providers[0].aescbc.keys[0].secret: Required value: secret is a mandatory "
       "field for a key"},
      {provider("{aescbc: {keys: [{name: a, secret: '!'}]}}"),
       "resources[0].providers[0].aescbc.keys[0].secret: Invalid value: \"REDACTED\": secrets must "
       "be base64 encoded"},
      {provider("{aescbc: {keys: [{name: a, secret: aGVsbG8=}]}}"),
       "resources[0].providers[0].aescbc.keys[0].secret: Invalid value: \"REDACTED\": secret is "
       "not of the expected length, got 5, expected one of [16 24 32]"},
      {provider("{secretbox: {keys: [{name: a, secret: c2VjcmV0IGlzIHNlY3VyZQ==}]}}"),
       "resources[0].providers[0].secretbox.keys[0].secret: Invalid value: \"REDACTED\": secret is "
       "not of the expected length, got 16, expected one of [32]"},
      {provider("{kms: {apiVersion: v2, name: a, endpoint: 'tcp://x'}}"),
       "resources[0].providers[0].kms.endpoint: Invalid value: \"tcp://x\": unsupported scheme "
       "\"tcp\" for KMS provider, only unix is supported"},
      {provider("{kms: {apiVersion: v2, name: 'a:b', endpoint: 'unix:///x'}}"),
       "resources[0].providers[0].kms.name: Invalid value: \"a:b\": invalid KMS provider name a:b, "
       "must not contain ':'"},
      {provider("{kms: {apiVersion: v2, name: a, endpoint: 'unix:///x', cachesize: 5}}"),
       "resources[0].providers[0].kms.cachesize: Invalid value: 5: cachesize is not supported in "
       "v2"},
      {provider("{kms: {apiVersion: v2, name: a, endpoint: 'unix:///x'}}, {kms: {apiVersion: v2, "
                "name: a, endpoint: 'unix:///x'}}"),
       "resources[0].providers[1].kms.name: Invalid value: \"a\": duplicate KMS provider name a, "
       "names must be unique"},
      {with("[{resources: [Secrets], providers: [{identity: {}}]}]"),
       "resources[0].resources[0]: Invalid value: \"Secrets\": resource name should not contain "
       "capital letters"},
      {with("[{resources: ['*'], providers: [{identity: {}}]}]"),
       "resources[0].resources[0]: Invalid value: \"*\": use '*.' to encrypt all the resources "
       "from core API group or *.* to encrypt all resources"},
      {with("[{resources: ['secrets.*'], providers: [{identity: {}}]}]"),
       "resources[0].resources[0]: Invalid value: \"secrets.*\": encrypting the same resource "
       "across groups is not supported"},
      {with("[{resources: [events.events.k8s.io], providers: [{identity: {}}]}]"),
       "resources[0].resources[0]: Invalid value: \"events.events.k8s.io\": '*.events.k8s.io' "
       "objects are stored using the 'events' API group in etcd. Use 'events' instead in the "
       "config file"},
      {with("[{resources: [secrets, secrets], providers: [{identity: {}}]}]"),
       "resources[0].resources: Invalid value: [\"secrets\",\"secrets\"]: the same resource cannot "
       "be specified multiple times"},
      {with("[{resources: [secrets, '*.'], providers: [{identity: {}}]}]"),
       "resources[0].resources: Invalid value: [\"secrets\",\"*.\"]: using overlapping resources "
       "such as 'secrets' and '*.' in the same resource list is not allowed as they will be "
       "masked"},
      {"kind: EncryptionConfiguration\n", "Object 'apiVersion' is missing"},
      {"apiVersion: v1\nkind: Pod\n", "no kind \"Pod\" is registered for version \"v1\""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    EXPECT_EQ(message(c.text), c.message);
  }
}

TEST(EncryptionConfiguration, OneProviderAnElement) {
  EXPECT_NE(message(provider("{}")).find("does not contain any of the expected providers"),
            std::string::npos);
  const std::string two = message(provider(
      "{identity: {}, aescbc: {keys: [{name: a, secret: " + std::string(kSecret) + "}]}}"));
  EXPECT_NE(two.find("more than one provider specified in a single element"), std::string::npos);
  EXPECT_EQ(two.find(kSecret), std::string::npos);
}

TEST(EncryptionConfiguration, UnknownFieldsAndFormerKmsAreRefused) {
  EXPECT_EQ(message(provider("{identity: {}}") + "colour: red\n"),
            "strict decoding error: unknown field \"colour\"");
  EXPECT_NE(
      message(provider("{kms: {name: a, endpoint: 'unix:///x'}}")).find("KMSv1 is deprecated"),
      std::string::npos);
}

TEST(EncryptionConfiguration, FilesHaveAHashAndFailuresTheirPath) {
  testkit::MemoryFiles files;
  EXPECT_NE(read_configuration(files, "/e.yaml", Reload::kOff).status().message().find("/e.yaml"),
            std::string::npos);
  files.content["/e.yaml"] = "";
  EXPECT_EQ(read_configuration(files, "/e.yaml", Reload::kOff).status().message(),
            "error while loading file: encryption provider configuration "
            "file \"/e.yaml\" is empty");
  files.content["/e.yaml"] = provider("{identity: {}}");
  const auto read = read_configuration(files, "/e.yaml", Reload::kOff);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_TRUE(read->hash.starts_with("sha256:"));
  EXPECT_EQ(*hash_of_configuration(files, "/e.yaml"), read->hash);
}

}  // namespace read_configuration_test
}  // namespace proa::encryption
