#include "controllers/lifecycle/policies/checked_kinds.h"

#include <gtest/gtest.h>

#include "json/yaml.h"

namespace proa::controllers::policies {
namespace {

std::string checked(std::string_view rule) {
  const json::Document document = json::parse_yaml(rule).value();
  std::string all;
  for (const CheckedResource& one : checked_resources(document.root())) {
    all += one.group + "/" + one.version + "/" + one.resource + " ";
  }
  return all;
}

TEST(CheckedResources, AreThoseWithoutWildcards) {
  EXPECT_EQ(checked("{apiGroups: [apps, ''], apiVersions: [v1], resources: [pods, deployments]}"),
            "/v1/deployments /v1/pods apps/v1/deployments apps/v1/pods ");
  EXPECT_EQ(checked("{apiGroups: ['*'], apiVersions: [v1], resources: [pods]}"), "");
  EXPECT_EQ(checked("{apiGroups: [''], apiVersions: [v1, '*'], resources: [pods]}"), "");
  EXPECT_EQ(checked("{apiGroups: [''], apiVersions: [v1], resources: [pods/status, '*', pods]}"),
            "/v1/pods ");
}

}  // namespace
}  // namespace proa::controllers::policies
