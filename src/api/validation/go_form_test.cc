#include "api/validation/go_form.h"

#include <gtest/gtest.h>

#include "api/schema/builtin.h"
#include "api/validation/field_errors.h"
#include "api/validation/go_names.h"
#include "json/parse.h"

namespace proa::api {
namespace go_form_test {

const Type& type_named(const std::string& name) {
  const Type* type = builtin_schema().find_openapi("io.k8s.api." + name);
  EXPECT_NE(type, nullptr) << name;
  return *type;
}

std::string form(const std::string& type, std::string_view json, Shape shape = Shape::kSingle) {
  const json::Document document = json::parse_literal(json);
  return go_form(document.root(), type_named(type), shape);
}

}  // namespace go_form_test
using namespace go_form_test;

TEST(GoForm, HasGoNamesAndAllFields) {
  EXPECT_EQ(form("core.v1.Taint", R"({"key":"k","effect":"NoSchedule"})"),
            R"({"Key":"k","Value":"","Effect":"NoSchedule","TimeAdded":null})");
  EXPECT_EQ(form("core.v1.NFSVolumeSource", R"([{"server":"s","path":"/"}])", Shape::kList),
            R"([{"Server":"s","Path":"/","ReadOnly":false}])");
  EXPECT_EQ(form("core.v1.ResourceRequirements", R"({"limits":{"cpu":"1"}})"),
            R"({"Limits":{"cpu":"1"},"Requests":null,"Claims":null})");
  EXPECT_EQ(form("core.v1.RBDVolumeSource", R"({"monitors":["a"],"image":"i"})"),
            R"({"CephMonitors":["a"],"RBDImage":"i","FSType":"","RBDPool":"","RadosUser":"",)"
            R"("Keyring":"","SecretRef":null,"ReadOnly":false})");
}

TEST(GoForm, SortsMaps) {
  EXPECT_EQ(form("core.v1.ResourceRequirements", R"({"limits":{"memory":"1Gi","cpu":"1"}})"),
            R"({"Limits":{"cpu":"1","memory":"1Gi"},"Requests":null,"Claims":null})");
  EXPECT_EQ(form("networking.v1.NetworkPolicyPeer",
                 R"({"podSelector":{"matchLabels":{"b":"2","a":"1"}}})"),
            R"({"PodSelector":{"matchLabels":{"a":"1","b":"2"}},"NamespaceSelector":null,)"
            R"("IPBlock":null})");
}

TEST(GoForm, DoesNotMakeSmallValuesEnormous) {
  std::string containers = "[{}";
  for (int i = 0; i < 100'000; ++i) containers += ",{}";
  containers += "]";
  EXPECT_EQ(form("core.v1.Container", containers, Shape::kList), containers);
}

TEST(GoForm, KeepsTheNamesOfMetaTypes) {
  EXPECT_EQ(form("apps.v1.RollingUpdateDeployment", R"({"maxSurge":"25%"})"),
            R"({"MaxUnavailable":0,"MaxSurge":"25%"})");
  EXPECT_EQ(form("networking.v1.NetworkPolicyPeer", R"({"podSelector":{"matchLabels":{"a":"b"}}})"),
            R"({"PodSelector":{"matchLabels":{"a":"b"}},"NamespaceSelector":null,"IPBlock":null})");
}

TEST(GoForm, HasTheHostsNamespacesInThePodsSecurityContext) {
  const std::string text = form("core.v1.PodSpec", R"({"hostNetwork":true,"containers":[]})");
  EXPECT_NE(text.find(R"("SecurityContext":{"HostNetwork":true,"HostPID":false,"HostIPC":false,)"
                      R"("ShareProcessNamespace":null,"HostUsers":null,"SELinuxOptions":null,)"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("\"HostNetwork\""), text.rfind("\"HostNetwork\""));
}

TEST(GoForm, IsIndentedByOneSpace) {
  const json::Document source =
      json::parse_literal(R"({"nfs":{"server":"s","path":"/"},"capacity":{"storage":"1Gi"}})");
  constexpr std::string_view kSources[] = {"hostPath", "nfs"};
  EXPECT_EQ(go_form_lines(source.root(), type_named("core.v1.PersistentVolumeSpec"), kSources),
            "{\n \"HostPath\": null,\n \"NFS\": {\n  \"Server\": \"s\",\n  \"Path\": \"/\",\n"
            "  \"ReadOnly\": false\n }\n}");
}

// Orders name each field of their type.
TEST(GoNames, OrdersAreComplete) {
  for (const char* name :
       {"core.v1.Volume", "core.v1.PersistentVolumeSpec", "core.v1.ServiceSpec", "batch.v1.JobSpec",
        "batch.v1.JobStatus", "autoscaling.v2.ContainerResourceMetricSource",
        "autoscaling.v2.ContainerResourceMetricStatus", "storage.v1.CSIDriverSpec",
        "admissionregistration.v1.ValidatingAdmissionPolicySpec"}) {
    const Type& type = type_named(name);
    const auto order = go_field_order(type);
    EXPECT_EQ(order.size(), type.fields.size()) << name;
    for (const std::string_view field : order) EXPECT_NE(type.find(field), nullptr) << field;
  }
}

TEST(FieldErrors, ShowValuesAsUpstreamsTypes) {
  const json::Document node = json::parse_literal(
      R"({"spec":{"taints":[{"key":"k","effect":"NoSchedule"}],"unschedulable":true}})");
  const View spec = View(node.root())["spec"];
  FieldErrors errors;
  errors.about(type_named("core.v1.Node"));
  const Path path("spec");
  const Path taints = path.field("taints");
  errors.duplicate(taints.index(0), spec["taints"].item(0));
  errors.invalid(path.field("unschedulable"), spec["unschedulable"], "x");
  errors.invalid(path.field("providerID"), spec["providerID"], "x");
  errors.invalid(path.field("configSource"), spec["configSource"], "x");
  errors.invalid(taints.index(0), nullptr, "x");
  // Of no field, and not of its field.
  errors.invalid(path.field("nothing"), spec["taints"].item(0), "x");
  errors.invalid(path.field("providerID"), spec["taints"].item(0), "x");
  EXPECT_EQ(
      errors.texts(),
      (std::vector<std::string>{
          R"(spec.taints[0]: Duplicate value: {"Key":"k","Value":"","Effect":"NoSchedule","TimeAdded":null})",
          "spec.unschedulable: Invalid value: true: x", "spec.providerID: Invalid value: \"\": x",
          "spec.configSource: Invalid value: null: x", "spec.taints[0]: Invalid value: null: x",
          R"(spec.nothing: Invalid value: {"key":"k","effect":"NoSchedule"}: x)",
          R"(spec.providerID: Invalid value: {"key":"k","effect":"NoSchedule"}: x)"}));
}

}  // namespace proa::api
