#include "encryption/config/configuration_warnings.h"

#include <gtest/gtest.h>

#include "encryption/config/read_configuration.h"

namespace proa::encryption {
namespace configuration_warnings_test {

EncryptionConfiguration parse(const std::string& resources) {
  const auto read = parse_configuration(
      "apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources: " +
          resources + "\n",
      Reload::kOff);
  EXPECT_TRUE(read.ok()) << read.status().message();
  return *read;
}

// As YAML in one line.
std::string entry(const std::string& resources, const std::string& providers) {
  return "{resources: [" + resources + "], providers: [" + providers + "]}";
}

const std::string kKeys =
    ": {keys: [{name: a, secret: c2VjcmV0IGlzIHNlY3VyZSwgb3IgaXMgaXQ/ISEhISE=}]}}";
const std::string kGcm = "{aesgcm" + kKeys;
const std::string kCbc = "{aescbc" + kKeys;
const std::string kBox = "{secretbox" + kKeys;
const std::string kIdentity = "{identity: {}}";

TEST(ConfigurationWarnings, TellWhatIsNotRecommended) {
  const struct {
    std::string resources;
    std::vector<std::string> begin;
  } cases[] = {
      {entry("secrets", kBox + ", " + kIdentity), {}},
      {entry("secrets", kIdentity), {}},
      {entry("secrets", kBox + ", " + kCbc + ", " + kGcm), {}},
      {entry("secrets", kIdentity + ", " + kBox), {"resources[0]: identity is the first"}},
      {entry("'*.'", kIdentity + ", " + kBox), {"resources[0]: identity is the first"}},
      {entry("'*.*'", kIdentity + ", " + kBox), {"resources[0]: identity is the first"}},
      {entry("'*.apps'", kIdentity + ", " + kBox), {}},
      {entry("secrets", kCbc + ", " + kIdentity), {"resources[0]: aescbc is not authenticated"}},
      {entry("configmaps", kBox) + ", " + entry("secrets", kGcm),
       {"resources[1]: aesgcm is safe only if"}},
      // The second entry writes nothing.
      {entry("secrets", kBox) + ", " + entry("secrets", kCbc),
       {"resources[1]: secrets is already in resources[0]"}},
      {entry("secrets", kBox) + ", " + entry("secrets, configmaps", kCbc),
       {"resources[1]: secrets is already in resources[0]", "resources[1]: aescbc"}},
      {entry("secrets", kBox) + ", " + entry("'*.'", kBox), {}},
      // Wider rules leave those before them alone, and cover those after them.
      {entry("secrets", kBox) + ", " + entry("'*.*'", kIdentity + ", " + kBox), {}},
      {entry("'*.'", kBox) + ", " + entry("secrets", kIdentity + ", " + kBox),
       {"resources[1]: secrets is already in resources[0]"}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.resources);
    const std::vector<std::string> found = configuration_warnings(parse("[" + c.resources + "]"));
    ASSERT_EQ(found.size(), c.begin.size());
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_TRUE(found[i].starts_with(c.begin[i])) << found[i];
    }
  }
}

TEST(ConfigurationWarnings, KeysAreForTheOwnerAlone) {
  const EncryptionConfiguration keys = parse("[" + entry("secrets", kBox) + "]");
  EXPECT_EQ(mode_warning(keys, 0100600), std::nullopt);
  EXPECT_EQ(mode_warning(keys, 0100400), std::nullopt);
  EXPECT_EQ(mode_warning(keys, 0100644),
            "the file has keys, and its mode 0644 is open to others; chmod 0600 it");
  EXPECT_TRUE(mode_warning(keys, 0100640));
  EXPECT_EQ(mode_warning(parse("[" + entry("secrets", kIdentity) + "]"), 0100644), std::nullopt);
}

}  // namespace configuration_warnings_test
}  // namespace proa::encryption
