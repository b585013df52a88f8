#include "api/schema/version_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace proa::api {
namespace {

TEST(VersionOrder, IsThatOfUpstream) {
  const std::vector<std::string> wanted{
      "v10",  "v2",    "v1", "v11beta2", "v10beta3", "v3beta1",  "v12alpha1", "v11alpha2",
      "foo1", "foo10", "v0", "v01",      "v1beta",   "v1beta1x", "v1gamma1",  "vx",
  };
  std::vector<std::string> versions = wanted;
  std::reverse(versions.begin(), versions.end());
  std::sort(versions.begin(), versions.end(), version_precedes);
  EXPECT_EQ(versions, wanted);
  for (const std::string& version : wanted) EXPECT_FALSE(version_precedes(version, version));
}

}  // namespace
}  // namespace proa::api
