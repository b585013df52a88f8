#include "cel/admission/type_check.h"

#include <gtest/gtest.h>

#include "api/schema/builtin.h"
#include "cel/admission/kind_schema.h"
#include "json/yaml.h"

namespace proa::cel {
namespace {

std::shared_ptr<const Shapes> shapes_of(std::string_view group_version, std::string_view kind) {
  const api::Type* type = api::builtin_schema().find_kind(group_version, kind);
  return std::make_shared<const Shapes>(kind_schema(*type).root(), true);
}

class TypeCheckTest : public testing::Test {
 protected:
  std::vector<ExpressionWarning> check(std::string_view spec, const Shapes* params = nullptr) {
    const json::Document document = json::parse_yaml(spec).value();
    return check_policy_types(document.root(), kinds_, params);
  }
  std::string warning(std::string_view expression) {
    const auto found = check("{validations: [{expression: \"" + std::string(expression) + "\"}]}");
    return found.empty() ? "" : found[0].warning;
  }
  static bool has(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
  }

  std::vector<PolicyKind> kinds_{{"apps/v1, Kind=Deployment", shapes_of("apps/v1", "Deployment")}};
};

TEST_F(TypeCheckTest, FindsTypeErrors) {
  const auto found = check(
      "{validations: [{expression: \"object.spec.replicas > '1'\", messageExpression: \"'got ' + "
      "object.spec.replicas\"}, {expression: 'object.spec.replicas > 1'}]}");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].field, "spec.validations[0].expression");
  EXPECT_TRUE(found[0].warning.starts_with(
      "apps/v1, Kind=Deployment: ERROR: <input>:1:22: found no matching "
      "overload for '_>_' applied to '(int, string)'"))
      << found[0].warning;
  EXPECT_TRUE(found[0].warning.ends_with("\n"));
  EXPECT_EQ(found[1].field, "spec.validations[0].messageExpression");
  EXPECT_TRUE(
      has(found[1].warning, "found no matching overload for '_+_' applied to '(string, int)'"))
      << found[1].warning;
}

TEST_F(TypeCheckTest, KnowsTheFieldsOfBuiltInKinds) {
  const struct {
    const char* expression;
    const char* warning;  // empty: none
  } cases[] = {
      {"object.spec.foo == 1", "undefined field 'foo'"},
      {"object.metadata.name.startsWith('a') && oldObject.kind == 'Deployment'", ""},
      {"object.metadata.creationTimestamp < timestamp('2020-01-01T00:00:00Z')", ""},
      {"object.metadata.labels['a'] == 'b' && size(object.spec.template.spec.containers) > 0", ""},
      {"object.spec.template.spec.containers.all(c, c.image == 1)", "found no matching overload"},
      {"object.spec.strategy.rollingUpdate.maxSurge == 1", ""},
      {"object.spec.strategy.rollingUpdate.maxSurge == '10%'", ""},
      {"authorizer.group('').resource('pods').check('create').allowed()", ""},
      {"authorizer.allowed()", "found no matching overload"},
      {"params.a == 1", "undeclared reference to 'params'"},
      {"request.name == 'a' && namespaceObject.metadata.name == 'b'", ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.expression);
    const std::string got = warning(c.expression);
    if (std::string_view(c.warning).empty()) {
      EXPECT_EQ(got, "");
    } else {
      EXPECT_TRUE(has(got, c.warning)) << got;
    }
  }
}

TEST_F(TypeCheckTest, ChecksForEveryKind) {
  kinds_.push_back({"/v1, Kind=Pod", shapes_of("v1", "Pod")});
  const std::string got = warning("object.spec.replicas > 1");
  EXPECT_TRUE(got.starts_with("/v1, Kind=Pod: ")) << got;
  EXPECT_TRUE(has(got, "undefined field 'replicas'")) << got;
  const std::string both = warning("object.spec.foo > 1");
  EXPECT_TRUE(has(both, "\n\n/v1, Kind=Pod: ")) << both;
  kinds_.clear();
  EXPECT_EQ(warning("object.spec.foo > 1"), "");
}

TEST_F(TypeCheckTest, KnowsVariablesAndParams) {
  const auto map = shapes_of("v1", "ConfigMap");
  const std::string spec =
      "{paramKind: {apiVersion: v1, kind: ConfigMap}, variables: [{name: replicas, expression: "
      "object.spec.replicas}], validations: [{expression: \"variables.replicas > '1'\"}, "
      "{expression: \"params.data['a'] == 1\"}, {expression: \"params.data['a'] == '1'\"}]}";
  const auto found = check(spec, map.get());
  ASSERT_EQ(found.size(), 2U);
  EXPECT_TRUE(has(found[0].warning, "'(int, string)'")) << found[0].warning;
  EXPECT_TRUE(has(found[1].warning, "'(string, int)'")) << found[1].warning;
  // Params of an unknown kind may be anything.
  EXPECT_EQ(check(spec).size(), 1U);
}

TEST_F(TypeCheckTest, KindsWithinThemselvesEnd) {
  kinds_ = {{"apiextensions.k8s.io/v1, Kind=CustomResourceDefinition",
             shapes_of("apiextensions.k8s.io/v1", "CustomResourceDefinition")}};
  EXPECT_EQ(warning("object.spec.versions.all(v, v.schema.openAPIV3Schema.type == 'object')"), "");
}

}  // namespace
}  // namespace proa::cel
