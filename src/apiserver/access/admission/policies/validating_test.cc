#include "apiserver/access/admission/policies/validating.h"

#include <gtest/gtest.h>

#include "apiserver/access/admission/cluster/plugin_case.h"

namespace proa::apiserver {
namespace {

constexpr std::string_view kGroup = "admissionregistration.k8s.io";
constexpr std::string_view kPods =
    "matchConstraints: {matchPolicy: Equivalent, namespaceSelector: {}, objectSelector: {}, "
    "resourceRules: [{operations: ['*'], apiGroups: [''], apiVersions: [v1], resources: [pods]}]}";

// A cluster with policies, and the answers to writes of pods.
class Policies {
 public:
  Policies() { world.put("", "namespaces", "{metadata: {name: default, labels: {env: test}}}"); }

  // `spec` without its constraints.
  void policy(std::string_view name, std::string_view spec) {
    world.put(kGroup, "validatingadmissionpolicies",
              "{metadata: {name: " + std::string(name) + "}, spec: {" + std::string(kPods) + ", " +
                  std::string(spec) + "}}");
  }
  void bind(std::string_view name, std::string_view policy,
            std::string_view more = "validationActions: [Deny]") {
    world.put(kGroup, "validatingadmissionpolicybindings",
              "{metadata: {name: " + std::string(name) +
                  "}, spec: {policyName: " + std::string(policy) + ", " + std::string(more) + "}}");
  }

  // Empty if the pod may be created.
  std::string create(std::string_view metadata = "{name: web}") { return words(status(metadata)); }
  Result<void> status(std::string_view metadata = "{name: web}") {
    PluginCase write(Operation::kCreate, "", "pods");
    write.object("{apiVersion: v1, kind: Pod, metadata: " + std::string(metadata) +
                 ", spec: {containers: [{name: a, image: x}]}}");
    Result<void> result = write.validate(*plugin);
    warnings = write.warnings;
    annotations = write.annotations();
    return result;
  }

  PluginWorld world;
  const std::unique_ptr<AdmissionPlugin> plugin = make_validating_policies(world.context()).value();
  Warnings warnings;
  AuditAnnotations annotations;
};

std::string denied(std::string_view policy, std::string_view binding, std::string_view why) {
  return "pods \"web\" is forbidden: ValidatingAdmissionPolicy '" + std::string(policy) +
         "' with binding '" + std::string(binding) + "' denied request: " + std::string(why);
}

TEST(ValidatingPolicies, DenyInWordsOfTheValidation) {
  struct {
    const char* name;
    const char* validation;
    const char* why;  // empty: allowed
  } const cases[] = {
      {"true", "expression: 'true'", ""},
      {"no message", "expression: ' object.metadata.name == \"db\" '",
       "failed expression: object.metadata.name == \"db\""},
      {"a message", "expression: 'false', message: ' no '", "no"},
      {"an expression",
       "expression: 'false', message: 'no', messageExpression: "
       "'\"not \" + object.metadata.name'",
       "not web"},
      {"an empty one", "expression: 'false', message: 'no', messageExpression: '\" \"'", "no"},
      {"one with lines", "expression: 'false', message: 'no', messageExpression: '\"a\\nb\"'",
       "no"},
      {"one that fails",
       "expression: 'false', message: 'no', messageExpression: "
       "'object.metadata.none'",
       "no"},
      {"that fails to evaluate", "expression: 'object.none == 1'",
       "expression 'object.none == 1' resulted in error: no such key: none"},
      {"that does not compile", "expression: '1'",
       "compilation error: must evaluate to bool but got int"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    Policies policies;
    policies.policy("p", "validations: [{" + std::string(c.validation) + "}]");
    policies.bind("b", "p");
    EXPECT_EQ(policies.create(), std::string_view(c.why).empty() ? "" : denied("p", "b", c.why));
  }
}

TEST(ValidatingPolicies, FailWithTheStatedReason) {
  struct {
    const char* reason;
    Reason expected;
    int code;
  } const cases[] = {
      {"", Reason::kInvalid, 422},
      {", reason: Invalid", Reason::kInvalid, 422},
      {", reason: Forbidden", Reason::kForbidden, 403},
      {", reason: Unauthorized", Reason::kUnauthorized, 401},
      {", reason: RequestEntityTooLarge", Reason::kRequestEntityTooLarge, 413},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.reason);
    Policies policies;
    policies.policy(
        "p", "validations: [{expression: 'false', message: 'no'" + std::string(c.reason) + "}]");
    policies.bind("b", "p");
    const Status status = policies.status().status();
    EXPECT_EQ(status.reason(), c.expected);
    EXPECT_EQ(status.code(), c.code);
    EXPECT_EQ(status.details().kind, "pods");
    EXPECT_EQ(status.details().name, "web");
    ASSERT_EQ(status.details().causes.size(), 1U);
    EXPECT_EQ(status.details().causes[0].message,
              "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no");
  }
}

TEST(ValidatingPolicies, ApplyOnlyWhereTheyAreBound) {
  Policies policies;
  policies.policy("p", "validations: [{expression: 'false', message: 'no'}]");
  EXPECT_EQ(policies.create(), "");
  policies.bind("other", "q");
  EXPECT_EQ(policies.create(), "");
  policies.bind(
      "b", "p",
      "validationActions: [Deny], matchResources: {objectSelector: {}, namespaceSelector: "
      "{matchLabels: {env: prod}}}");
  EXPECT_EQ(policies.create(), "");
  // A change is seen by the next request.
  policies.bind(
      "b", "p",
      "validationActions: [Deny], matchResources: {objectSelector: {}, namespaceSelector: "
      "{matchLabels: {env: test}}}");
  EXPECT_EQ(policies.create(), denied("p", "b", "no"));
  policies.policy("p", "validations: [{expression: 'true', message: 'no'}]");
  EXPECT_EQ(policies.create(), "");
}

TEST(ValidatingPolicies, OtherResourcesAreNotTheirConcern) {
  Policies policies;
  policies.policy("p", "validations: [{expression: 'false'}]");
  policies.bind("b", "p");
  PluginCase services(Operation::kCreate, "", "services");
  EXPECT_EQ(words(services.object("{metadata: {name: a}}").validate(*policies.plugin)), "");
}

// All writes wait for the policies. The square of these names would take many minutes.
TEST(ValidatingPolicies, ManyResourcesInARuleCostLittle) {
  Policies policies;
  std::string names = "pods";
  for (int i = 0; i < 100'000; ++i) names += ", r" + std::to_string(i);
  policies.world.put(kGroup, "validatingadmissionpolicies",
                     "{metadata: {name: many}, spec: {matchConstraints: {matchPolicy: Exact, "
                     "namespaceSelector: {}, objectSelector: {}, resourceRules: "
                     "[{operations: ['*'], apiGroups: [''], apiVersions: [v1], resources: [" +
                         names + "]}]}, validations: [{expression: 'false', message: 'no'}]}}");
  policies.bind("b", "many");
  EXPECT_EQ(policies.create(), denied("many", "b", "no"));
}

TEST(ValidatingPolicies, NeverApplyToPoliciesAndReviews) {
  Policies policies;
  policies.world.put(kGroup, "validatingadmissionpolicies",
                     "{metadata: {name: p}, spec: {matchConstraints: {namespaceSelector: {}, "
                     "objectSelector: {}, resourceRules: [{operations: ['*'], apiGroups: ['*'], "
                     "apiVersions: ['*'], resources: ['*']}]}, validations: [{expression: "
                     "'false'}]}}");
  policies.bind("b", "p");
  EXPECT_NE(policies.create(), "");
  for (const char* resource : {"validatingadmissionpolicies", "validatingadmissionpolicybindings",
                               "mutatingadmissionpolicies", "mutatingadmissionpolicybindings"}) {
    SCOPED_TRACE(resource);
    PluginCase write(Operation::kDelete, kGroup, resource);
    EXPECT_EQ(words(write.named("p").validate(*policies.plugin)), "");
  }
  PluginCase review(Operation::kCreate, "authorization.k8s.io", "subjectaccessreviews");
  EXPECT_EQ(words(review.validate(*policies.plugin)), "");
  PluginCase webhooks(Operation::kDelete, kGroup, "validatingwebhookconfigurations");
  EXPECT_NE(words(webhooks.named("w").validate(*policies.plugin)), "");
}

TEST(ValidatingPolicies, WarnAndAudit) {
  Policies policies;
  policies.policy("p", "validations: [{expression: 'true'}, {expression: 'false', message: 'no'}]");
  policies.bind("b", "p", "validationActions: [Warn, Audit]");
  EXPECT_EQ(policies.create(), "");
  EXPECT_EQ(policies.warnings,
            Warnings{"Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': no"});
  ASSERT_EQ(policies.annotations.size(), 1U);
  EXPECT_EQ(policies.annotations[0].first, "validation.policy.admission.k8s.io/validation_failure");
  EXPECT_EQ(policies.annotations[0].second,
            "[{\"message\":\"no\",\"policy\":\"p\",\"binding\":\"b\",\"expressionIndex\":1,"
            "\"validationActions\":[\"Warn\",\"Audit\"]}]");
}

TEST(ValidatingPolicies, AnnotateAuditEvents) {
  Policies policies;
  policies.policy("p",
                  "auditAnnotations: [{key: name, valueExpression: \"' of ' + "
                  "object.metadata.name\"}, {key: none, valueExpression: 'null'}, {key: empty, "
                  "valueExpression: \"' '\"}]");
  policies.bind("b", "p");
  policies.bind("c", "p");
  EXPECT_EQ(policies.create(), "");
  EXPECT_EQ(policies.annotations, (AuditAnnotations{{"p/name", "of web"}}));
}

TEST(ValidatingPolicies, AnAnnotationThatFailsDenies) {
  Policies policies;
  policies.policy("p", "auditAnnotations: [{key: a, valueExpression: 'string(object.none)'}]");
  policies.bind("b", "p", "validationActions: [Warn]");
  EXPECT_EQ(policies.create(), denied("p", "b",
                                      "expression 'string(object.none)' resulted in "
                                      "error: no such key: none"));
  policies.policy("p",
                  "failurePolicy: Ignore, auditAnnotations: [{key: a, valueExpression: "
                  "'string(object.none)'}]");
  EXPECT_EQ(policies.create(), "");
}

TEST(ValidatingPolicies, IgnoreFailuresIfTheyAreTold) {
  Policies policies;
  policies.policy("p",
                  "failurePolicy: Ignore, validations: [{expression: 'object.none == 1'}, "
                  "{expression: '1'}]");
  policies.bind("b", "p");
  EXPECT_EQ(policies.create(), "");
  policies.policy("p",
                  "failurePolicy: Ignore, validations: [{expression: 'object.none == 1'}, "
                  "{expression: 'false', message: 'no'}]");
  EXPECT_EQ(policies.create(), denied("p", "b", "no"));
}

TEST(ValidatingPolicies, SeeVariablesNamespaceAndAuthorizer) {
  Policies policies;
  policies.policy("p",
                  "variables: [{name: env, expression: 'namespaceObject.metadata.labels.env'},"
                  " {name: bad, expression: 'object.none'}], validations: [{expression: "
                  "\"variables.env == 'test'\"}, {expression: "
                  "\"authorizer.requestResource.check('use').allowed()\", messageExpression: "
                  "\"'not in ' + variables.env\"}]");
  policies.bind("b", "p");
  EXPECT_EQ(policies.create(), denied("p", "b", "not in test"));
  policies.world.authorizer.allows = [](const Attributes&) { return true; };
  EXPECT_EQ(policies.create(), "");
}

TEST(ValidatingPolicies, MatchConditionsAreAskedFirst) {
  Policies policies;
  policies.policy("p",
                  "matchConditions: [{name: a, expression: 'object.metadata.name != "
                  "\"web\"'}], validations: [{expression: 'false', message: 'no'}]");
  policies.bind("b", "p");
  EXPECT_EQ(policies.create(), "");
  EXPECT_NE(policies.create("{name: db}"), "");
  policies.policy("p",
                  "matchConditions: [{name: a, expression: 'object.none'}], validations: "
                  "[{expression: 'true'}]");
  EXPECT_EQ(policies.create(),
            denied("p", "b", "compilation error: must evaluate to bool but got dyn"));
}

TEST(ValidatingPolicies, TheFirstDenialIsAnswered) {
  Policies policies;
  policies.policy("a",
                  "validations: [{expression: 'false', message: first}, {expression: "
                  "'false', message: second}]");
  policies.policy("z", "validations: [{expression: 'false', message: last}]");
  policies.bind("b", "z");
  policies.bind("c", "a");
  EXPECT_EQ(policies.create(), denied("a", "c", "first"));
}

TEST(ValidatingPolicies, DeletionsHaveOnlyAnOldObject) {
  Policies policies;
  policies.policy("p",
                  "validations: [{expression: \"request.operation != 'DELETE' || (object == "
                  "null && oldObject.metadata.name != 'web')\", message: 'no'}]");
  policies.bind("b", "p");
  PluginCase removal(Operation::kDelete, "", "pods");
  removal.named("web").old("{apiVersion: v1, kind: Pod, metadata: {name: web}}");
  EXPECT_EQ(words(removal.validate(*policies.plugin)), denied("p", "b", "no"));
}

TEST(ValidatingPolicies, AreConfiguredByParams) {
  Policies policies;
  policies.policy("p",
                  "paramKind: {apiVersion: v1, kind: ConfigMap}, validations: [{expression: "
                  "\"params == null || object.metadata.name == params.data.name\", "
                  "messageExpression: \"'not ' + params.data.name\"}]");
  const auto with = [&](std::string_view reference) {
    policies.bind("b", "p",
                  "validationActions: [Deny], paramRef: {" + std::string(reference) + "}");
    return policies.create();
  };
  policies.world.put("", "configmaps",
                     "{apiVersion: v1, kind: ConfigMap, metadata: {name: one, namespace: default, "
                     "labels: {a: b}}, data: {name: db}}");
  policies.world.put("", "configmaps",
                     "{apiVersion: v1, kind: ConfigMap, metadata: {name: two, namespace: other, "
                     "labels: {a: b}}, data: {name: web}}");
  EXPECT_EQ(with("name: one, parameterNotFoundAction: Deny"), denied("p", "b", "not db"));
  EXPECT_EQ(with("name: two, parameterNotFoundAction: Allow"), "");
  EXPECT_EQ(with("name: two, parameterNotFoundAction: Deny"),
            denied("p", "b",
                   "failed to configure binding: no params found for policy binding with "
                   "`Deny` parameterNotFoundAction"));
  EXPECT_EQ(with("name: two, namespace: other, parameterNotFoundAction: Deny"), "");
  EXPECT_EQ(with("selector: {matchLabels: {a: b}}, parameterNotFoundAction: Deny"),
            denied("p", "b", "not db"));
  EXPECT_EQ(with("selector: {matchLabels: {a: c}}, parameterNotFoundAction: Allow"), "");
  policies.bind("b", "p");
  EXPECT_EQ(policies.create(), "");
}

TEST(ValidatingPolicies, ParamsOfTheClusterHaveNoNamespace) {
  Policies policies;
  policies.policy("p",
                  "paramKind: {apiVersion: v1, kind: Node}, validations: [{expression: "
                  "'true'}]");
  policies.bind("b", "p",
                "validationActions: [Deny], paramRef: {name: limits, namespace: a, "
                "parameterNotFoundAction: Deny}");
  EXPECT_EQ(policies.create(),
            denied("p", "b",
                   "failed to configure binding: paramRef.namespace must not be provided "
                   "for a cluster-scoped `paramKind`"));
}

TEST(ValidatingPolicies, AnUnknownParamKindDenies) {
  Policies policies;
  const std::string spec =
      "paramKind: {apiVersion: example.com/v1, kind: Limit}, validations: "
      "[{expression: 'true'}]";
  policies.policy("p", spec);
  policies.bind("b", "p", "validationActions: [Warn]");
  EXPECT_EQ(policies.create(),
            "pods \"web\" is forbidden: ValidatingAdmissionPolicy 'p' denied request: failed to "
            "configure policy: failed to find resource referenced by paramKind: 'example.com/v1, "
            "Kind=Limit'");
  policies.policy("p", "failurePolicy: Ignore, " + spec);
  EXPECT_EQ(policies.create(), "");
}

TEST(ValidatingPolicies, AreCounted) {
  Policies policies;
  policies.policy("p",
                  "validations: [{expression: 'true'}, {expression: 'false'}, "
                  "{expression: '1'}]");
  policies.bind("b", "p", "validationActions: [Deny, Audit]");
  policies.policy("ignoring",
                  "failurePolicy: Ignore, validations: [{expression: 'object.x == 1'}]");
  policies.bind("i", "ignoring");
  EXPECT_NE(policies.create(), "");
  const std::string prefix = "apiserver_validating_admission_policy_check_";
  const std::string labels = R"({policy="p",policy_binding="b",error_type=)";
  for (const std::string& line : {
           "total" + labels + R"("invalid_error",enforcement_action="deny"} 1)",
           "total" + labels + R"("invalid_error",enforcement_action="audit"} 1)",
           "total" + labels + R"("compile_error",enforcement_action="deny"} 1)",
           "duration_seconds_count" + labels + R"("compile_error",enforcement_action="deny"} 1)",
           std::string(R"(total{policy="ignoring",policy_binding="i",error_type="invalid_error",)"
                       R"(enforcement_action="allow"} 1)"),
       }) {
    EXPECT_TRUE(policies.world.counted(prefix + line)) << line << policies.world.metrics_text();
  }
  EXPECT_EQ(policies.world.metrics_text().find("no_error"), std::string::npos);
}

}  // namespace
}  // namespace proa::apiserver
