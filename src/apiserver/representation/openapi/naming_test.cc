#include "apiserver/representation/openapi/naming.h"

#include <gtest/gtest.h>

namespace proa::apiserver {
namespace {

TEST(Naming, FollowsThePathsOfUpstream) {
  struct Case {
    std::string_view group_version;
    std::string_view path;
    std::string_view tag;
    std::string_view id;
  };
  constexpr Case kCases[] = {
      {"v1", "/api/v1", "core_v1", "CoreV1"},
      {"apps/v1", "/apis/apps/v1", "apps_v1", "AppsV1"},
      {"rbac.authorization.k8s.io/v1", "/apis/rbac.authorization.k8s.io/v1", "rbacAuthorization_v1",
       "RbacAuthorizationV1"},
      {"flowcontrol.apiserver.k8s.io/v1beta3", "/apis/flowcontrol.apiserver.k8s.io/v1beta3",
       "flowcontrolApiserver_v1beta3", "FlowcontrolApiserverV1beta3"},
      {"stable.example.com/v1", "/apis/stable.example.com/v1", "stableExampleCom_v1",
       "StableExampleComV1"},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.group_version);
    const GroupVersion group_version = split_group_version(c.group_version);
    EXPECT_EQ(path_of(group_version), c.path);
    EXPECT_EQ(tag_of(group_version), c.tag);
    EXPECT_EQ(id_of(group_version), c.id);
  }
}

TEST(Naming, LeavesOutTheVersionOfAGroup) {
  const GroupVersion group{.group = "certificates.k8s.io", .version = ""};
  EXPECT_EQ(tag_of(group), "certificates");
  EXPECT_EQ(id_of(group), "Certificates");
}

TEST(Naming, CapitalizesSubresources) {
  EXPECT_EQ(capitalized("ephemeralcontainers"), "Ephemeralcontainers");
  EXPECT_EQ(capitalized(""), "");
}

}  // namespace
}  // namespace proa::apiserver
