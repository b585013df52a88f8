#include "apiserver/access/admission/cluster/device_admin_access.h"

#include <gtest/gtest.h>

#include "apiserver/access/admission/cluster/plugin_case.h"

namespace proa::apiserver {
namespace {

constexpr std::string_view kGroup = "resource.k8s.io";
constexpr std::string_view kAsks =
    "{devices: {requests: [{name: a, firstAvailable: []}, {name: b, exactly: {adminAccess: "
    "true}}]}}";
constexpr std::string_view kGranted =
    "{metadata: {name: c}, status: {allocation: {devices: {results: [{adminAccess: true}]}}}}";
constexpr std::string_view kWords =
    "Forbidden: admin access to devices requires the `resource.kubernetes.io/admin-access: true` "
    "label on the containing namespace";

class DeviceAdminAccessTest : public testing::Test {
 protected:
  DeviceAdminAccessTest() {
    world_.put("", "namespaces", "{metadata: {name: default}}");
    world_.put("", "namespaces",
               "{metadata: {name: admins, labels: {resource.kubernetes.io/admin-access: 'true'}}}");
  }

  // Empty if it may be written.
  std::string check(PluginCase& attempt, std::string_view name_space) {
    const auto context = world_.context();
    DeviceAdminAccess plugin(context.store, context.schema);
    return words(attempt.in(name_space).validate(plugin));
  }
  std::string create(std::string_view resource, const std::string& spec,
                     std::string_view name_space = "default") {
    PluginCase attempt(Operation::kCreate, kGroup, resource);
    attempt.object("{metadata: {name: c}, spec: " + spec + "}");
    return check(attempt, name_space);
  }
  std::string update_status(std::string_view object, std::string_view old,
                            std::string_view name_space = "default") {
    PluginCase attempt(Operation::kUpdate, kGroup, "resourceclaims", "status");
    attempt.object(object).old(old);
    return check(attempt, name_space);
  }

 private:
  PluginWorld world_;
};

TEST_F(DeviceAdminAccessTest, ClaimsNeedTheLabelOfTheirNamespace) {
  EXPECT_EQ(create("resourceclaims", "{devices: {requests: [{name: a, exactly: {}}]}}"), "");
  EXPECT_EQ(create("resourceclaims", std::string(kAsks)),
            "ResourceClaim.resource.k8s.io \"c\" is invalid: "
            "spec.devices.requests[1].adminAccess: " +
                std::string(kWords));
  EXPECT_EQ(create("resourceclaims", std::string(kAsks), "admins"), "");
  EXPECT_NE(create("resourceclaims", std::string(kAsks), "none"), "");
}

TEST_F(DeviceAdminAccessTest, SoDoTemplates) {
  const std::string spec = "{spec: " + std::string(kAsks) + "}";
  EXPECT_EQ(create("resourceclaimtemplates", spec),
            "ResourceClaimTemplate.resource.k8s.io \"c\" is invalid: "
            "spec.devices.requests[1].adminAccess: " +
                std::string(kWords));
  EXPECT_EQ(create("resourceclaimtemplates", spec, "admins"), "");
}

TEST_F(DeviceAdminAccessTest, AllocationsNeedItWhenTheyAreMade) {
  EXPECT_EQ(update_status(kGranted, "{metadata: {name: c}}"),
            "ResourceClaim.resource.k8s.io \"c\" is invalid: "
            "status.allocation.devices.results[0].adminAccess: " +
                std::string(kWords));
  EXPECT_EQ(update_status(kGranted, kGranted), "");
  EXPECT_EQ(update_status(kGranted, "{metadata: {name: c}}", "admins"), "");
}

}  // namespace
}  // namespace proa::apiserver
