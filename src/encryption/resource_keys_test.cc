#include "encryption/resource_keys.h"

#include <gtest/gtest.h>

namespace proa::encryption {
namespace resource_keys_test {

TEST(ResourceOfKey, FollowsTheLayoutOfTheStore) {
  const struct {
    const char* key;
    const char* group;
    const char* resource;
  } cases[] = {
      {"/registry/secrets/default/a", "", "secrets"},
      {"/registry/minions/n1", "", "nodes"},
      {"/registry/services/specs/default/a", "", "services"},
      {"/registry/services/endpoints/default/a", "", "endpoints"},
      {"/registry/pods/specs/a", "", "pods"},
      {"/registry/deployments/default/a", "apps", "deployments"},
      {"/registry/events/default/a", "", "events"},
      {"/registry/apiregistration.k8s.io/apiservices/v1.", "apiregistration.k8s.io", "apiservices"},
      {"/registry/stable.example.com/crontabs/default/a", "stable.example.com", "crontabs"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.key);
    const auto found = resource_of_key(c.key);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->group, c.group);
    EXPECT_EQ(found->resource, c.resource);
  }
  for (const char* key : {"/registry/ranges/servicenodeports/1", "/registry/secrets", "/other/a/b",
                          "", "/registry/", "/registry/a.b/c"}) {
    EXPECT_FALSE(resource_of_key(key)) << key;
  }
}

}  // namespace resource_keys_test
}  // namespace proa::encryption
