#include "apiserver/resources/managed/reset_fields.h"

#include <gtest/gtest.h>

#include "api/apply/fields/fields_v1.h"
#include "api/schema/builtin.h"
#include "api/schema/schema.h"

namespace proa::apiserver {
namespace {

TEST(ResetFields, AreThoseOfUpstreamsStrategies) {
  const struct {
    std::string_view group;
    std::string_view resource;
    std::string_view subresource;
    std::string_view fields;
  } cases[] = {
      {"", "configmaps", "", "{}"},
      {"", "pods", "", R"({"f:status":{}})"},
      {"", "pods", "ephemeralcontainers", "{}"},
      {"", "pods", "status",
       R"({"f:metadata":{"f:deletionTimestamp":{},"f:ownerReferences":{}},"f:spec":{}})"},
      {"", "namespaces", "finalize", R"({"f:status":{}})"},
      {"", "services", "status", R"({"f:spec":{}})"},
      {"apps", "deployments", "", R"({"f:status":{}})"},
      {"apps", "deployments", "scale", "{}"},
      {"apps", "deployments", "status", R"({"f:metadata":{"f:labels":{}},"f:spec":{}})"},
      {"storage.k8s.io", "volumeattachments", "status", R"({"f:metadata":{},"f:spec":{}})"},
      {"certificates.k8s.io", "certificatesigningrequests", "", R"({"f:spec":{},"f:status":{}})"},
      {"certificates.k8s.io", "certificatesigningrequests", "approval",
       R"({"f:spec":{},"f:status":{"f:certificate":{}}})"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(std::string(c.resource) + "/" + std::string(c.subresource));
    const api::Resource* resource = api::builtin_schema().find_resource(c.group, "v1", c.resource);
    ASSERT_NE(resource, nullptr);
    const api::Subresource* subresource =
        c.subresource.empty() ? nullptr : resource->find_subresource(c.subresource);
    ASSERT_EQ(subresource == nullptr, c.subresource.empty());
    EXPECT_EQ(api::print_fields_v1(reset_fields(*resource, subresource)), c.fields);
  }
}

}  // namespace
}  // namespace proa::apiserver
