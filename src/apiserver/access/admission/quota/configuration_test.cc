#include "apiserver/access/admission/quota/configuration.h"

#include <gtest/gtest.h>

#include "json/yaml.h"

namespace proa::apiserver::quota {
namespace {

Result<Configuration> read(const std::string& text) {
  const json::Document document = *json::parse_yaml(text);
  return read_configuration(document.root());
}

TEST(ReadQuotaConfiguration, LimitsNothingByItself) {
  const Result<Configuration> absent = read_configuration({});
  ASSERT_TRUE(absent.ok());
  EXPECT_TRUE(absent->limited.empty());
}

TEST(ReadQuotaConfiguration, ReadsAllVersions) {
  for (const char* head :
       {"{apiVersion: apiserver.config.k8s.io/v1, kind: ResourceQuotaConfiguration",
        "{apiVersion: resourcequota.admission.k8s.io/v1, kind: Configuration",
        "{apiVersion: resourcequota.admission.k8s.io/v1beta1, kind: Configuration",
        "{apiVersion: resourcequota.admission.k8s.io/v1alpha1, kind: Configuration"}) {
    SCOPED_TRACE(head);
    const Result<Configuration> found =
        read(std::string(head) +
             ", limitedResources: [{apiGroup: g, resource: r, matchContains: [a, b], matchScopes: "
             "[{scopeName: PriorityClass, operator: In, values: [x, z]}]}]}");
    ASSERT_TRUE(found.ok()) << found.status().message();
    ASSERT_EQ(found->limited.size(), 1);
    const LimitedResource& limited = found->limited[0];
    EXPECT_EQ(limited.group, "g");
    EXPECT_EQ(limited.resource, "r");
    EXPECT_EQ(limited.match_contains, (std::vector<std::string>{"a", "b"}));
    ASSERT_EQ(limited.match_scopes.size(), 1);
    EXPECT_EQ(limited.match_scopes[0].text(), "{PriorityClass In [x z]}");
  }
}

TEST(ReadQuotaConfiguration, SaysWhatIsWrong) {
  const std::string head =
      "{apiVersion: apiserver.config.k8s.io/v1, kind: ResourceQuotaConfiguration, ";
  EXPECT_EQ(read(head + "limitedResources: [{resource: pods}, {apiGroup: x}]}").status().message(),
            "ResourceQuota: limitedResources[1].resource: Required value");
  EXPECT_EQ(
      read(head + "other: 1, limitedResources: [{resource: pods, scopes: []}]}").status().message(),
      "ResourceQuota: unknown field \"other\", unknown field "
      "\"limitedResources[0].scopes\"");
  EXPECT_FALSE(read("{apiVersion: v1, kind: Configuration}").ok());
  EXPECT_FALSE(read("[1]").ok());
}

}  // namespace
}  // namespace proa::apiserver::quota
