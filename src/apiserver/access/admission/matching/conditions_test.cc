#include "apiserver/access/admission/matching/conditions.h"

#include <gtest/gtest.h>

#include "apiserver/access/admission/cluster/plugin_case.h"
#include "apiserver/access/admission/matching/inputs.h"

namespace proa::apiserver {
namespace {

// "yes", "no" or the failure of conditions for the creation of a pod by eve.
class Conditions {
 public:
  Conditions() {
    request_.resource = api::builtin_schema().find_resource("", "v1", "pods");
    request_.name_space = "default";
    request_.user = std::make_shared<const User>(
        User{.name = "eve", .uid = "7", .groups = {"dev"}, .extra = {{"scopes", {"a"}}}});
    object_ = json::parse_yaml("{apiVersion: v1, kind: Pod, metadata: {name: web}}").value();
  }

  std::string match(std::string_view yaml) {
    const json::Document owner = json::parse_yaml(yaml).value();
    cel::AdmissionCompiler compiler(false, cel::AdmissionCompiler::Composes::kNo);
    const MatchConditions conditions(owner.root(), compiler);
    const AdmissionContext context = world.context();
    const WriteOptions options{.dry_run = true};
    const Admission admission{.request = request_,
                              .operation = Operation::kCreate,
                              .old = {},
                              .dry_run = true,
                              .write = &options};
    const Subject subject(admission, object_.root(), ObjectReader(context.store, context.schema));
    json::Arena arena;
    RequestInputs inputs(subject, context.authorizer, context.clock, arena);
    const Matched matched{&subject.resource(), &subject.kind()};
    const cel::AdmissionInputs values = inputs.for_conditions(matched, {}).value();
    const Result<bool> result = conditions.match(values, arena,
                                                 {.metrics = world.metrics,
                                                  .owner = {.name = "a",
                                                            .kind = ConditionOwner::Kind::kWebhook,
                                                            .step = AdmissionStep::kValidate},
                                                  .operation = Operation::kCreate});
    if (!result) return result.status().message();
    return *result ? "yes" : "no";
  }
  std::string one(std::string_view expression) {
    return match("{matchConditions: [{name: a, expression: \"" + std::string(expression) + "\"}]}");
  }

  PluginWorld world;

 private:
  Request request_;
  json::Document object_;
};

TEST(MatchConditions, SeeTheRequest) {
  Conditions conditions;
  EXPECT_EQ(conditions.match("{}"), "yes");
  EXPECT_EQ(conditions.one("object.metadata.name == 'web' && oldObject == null"), "yes");
  EXPECT_EQ(conditions.one("request.name == 'web' && request.namespace == 'default'"), "yes");
  EXPECT_EQ(conditions.one("request.operation == 'CREATE' && request.dryRun"), "yes");
  EXPECT_EQ(conditions.one("request.kind.kind == 'Pod' && request.kind.version == 'v1' && "
                           "request.resource.resource == 'pods' && request.kind.group == ''"),
            "yes");
  EXPECT_EQ(conditions.one("request.userInfo.username == 'eve' && request.userInfo.uid == '7' && "
                           "'dev' in request.userInfo.groups && request.userInfo.extra['scopes'] "
                           "== ['a']"),
            "yes");
  EXPECT_EQ(conditions.one("!has(request.subResource) && request.options.kind == 'CreateOptions'"),
            "yes");
  EXPECT_EQ(conditions.one("namespaceObject == null"), "yes");
}

TEST(MatchConditions, AskTheAuthorizer) {
  Conditions conditions;
  conditions.world.authorizer.allows = [](const Attributes& attributes) {
    return attributes.user->name == "system:serviceaccount:kube-system:robot" ||
           (attributes.verb == "use" && attributes.user->name == "eve");
  };
  EXPECT_EQ(conditions.one("authorizer.requestResource.check('use').allowed()"), "yes");
  EXPECT_EQ(conditions.one("authorizer.group('').resource('nodes').check('get').allowed()"), "no");
  EXPECT_EQ(conditions.one("authorizer.serviceAccount('kube-system', 'robot').group('')."
                           "resource('nodes').check('get').allowed()"),
            "yes");
  EXPECT_EQ(conditions.world.authorizer.asked,
            (std::vector<std::string>{"use pods web", "get nodes ", "get nodes "}));
}

TEST(MatchConditions, OneThatIsFalseDecides) {
  Conditions conditions;
  constexpr std::string_view kBad = "{name: a, expression: object.none == 1}";
  constexpr std::string_view kWorse = "{name: b, expression: object.less == 1}";
  const std::string error = "expression 'object.none == 1' resulted in error: no such key: none";
  const auto with = [&](std::string_view more, std::string_view policy) {
    return conditions.match("{failurePolicy: " + std::string(policy) + ", matchConditions: [" +
                            std::string(kBad) + std::string(more) + "]}");
  };
  EXPECT_EQ(with("", "Fail"), error);
  EXPECT_EQ(with("", "Ignore"), "no");
  EXPECT_EQ(with(", {name: b, expression: 'false'}", "Fail"), "no");
  EXPECT_EQ(with(", {name: b, expression: 'true'}", "Fail"), error);
  EXPECT_EQ(with(", " + std::string(kBad), "Fail"), error);
  EXPECT_EQ(with(", " + std::string(kWorse), "Fail"),
            "[" + error + ", expression 'object.less == 1' resulted in error: no such key: less]");
}

TEST(MatchConditions, TheirBudgetIsAQuarter) {
  Conditions conditions;
  std::string list = "[0";
  for (int i = 1; i < 30; ++i) list += "," + std::to_string(i);
  list += "]";
  const std::string costly = "{name: a, expression: \"" + list + ".all(a, " + list + ".all(b, " +
                             list + ".all(c, a + b + c < 0 || object.metadata.name == 'web')))\"}";
  // Each costs less than a million, and nine of them more than the budget.
  EXPECT_EQ(conditions.match("{matchConditions: [" + costly + "]}"), "yes");
  std::string all = costly;
  for (int i = 0; i < 8; ++i) all += ", " + costly;
  EXPECT_EQ(conditions.match("{matchConditions: [" + all + "]}"),
            "validation failed due to running out of cost budget, no further validation rules will "
            "be run");
  EXPECT_EQ(conditions.match("{failurePolicy: Ignore, matchConditions: [" + all + "]}"), "no");
}

}  // namespace
}  // namespace proa::apiserver
