#include "apiserver/access/admission/policies/mutating.h"

#include <gtest/gtest.h>

#include "apiserver/access/admission/chain.h"
#include "apiserver/access/admission/cluster/plugin_case.h"

namespace proa::apiserver {
namespace {

constexpr std::string_view kGroup = "admissionregistration.k8s.io";

// A cluster with mutating policies for pods.
class Policies {
 public:
  Policies() { world.put("", "namespaces", "{metadata: {name: default, labels: {env: test}}}"); }

  // A policy and its binding of the same name. `spec`: without constraints.
  void add(std::string_view name, std::string_view spec, std::string_view binding = "") {
    const std::string own(name);
    world.put(kGroup, "mutatingadmissionpolicies",
              "{metadata: {name: " + own +
                  "}, spec: {matchConstraints: {matchPolicy: Equivalent, namespaceSelector: {}, "
                  "objectSelector: {}, resourceRules: [{operations: ['*'], apiGroups: [''], "
                  "apiVersions: [v1], resources: [pods]}]}, " +
                  std::string(spec) + "}}");
    world.put(
        kGroup, "mutatingadmissionpolicybindings",
        "{metadata: {name: " + own + "}, spec: {policyName: " + own + std::string(binding) + "}}");
  }
  void patch(std::string_view name, std::string_view expression, std::string_view more = "") {
    add(name, "mutations: [{patchType: JSONPatch, jsonPatch: {expression: \"" +
                  std::string(expression) + "\"}}]" + std::string(more));
  }
  void apply(std::string_view name, std::string_view expression, std::string_view more = "") {
    add(name, "mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: \"" +
                  std::string(expression) + "\"}}]" + std::string(more));
  }

  // Creates a pod; the failure, or empty.
  std::string create() {
    pod.emplace(Operation::kCreate, "", "pods");
    pod->object(
        "{apiVersion: v1, kind: Pod, metadata: {name: web, labels: {app: web}}, spec: "
        "{containers: [{name: a, image: x}]}}");
    status = pod->admit(*plugin);
    return words(status);
  }
  std::string label(std::string_view name) const {
    return std::string(pod->result()["metadata"]["labels"][name].text("none"));
  }

  PluginWorld world;
  const std::unique_ptr<AdmissionPlugin> plugin = make_mutating_policies(world.context()).value();
  std::optional<PluginCase> pod;
  Result<void> status;
};

std::string denied(std::string_view policy, std::string_view why) {
  const std::string name(policy);
  return "policy '" + name + "' with binding '" + name + "' denied request: " + std::string(why);
}

TEST(MutatingPolicies, PatchObjects) {
  Policies policies;
  policies.patch("p",
                 "[JSONPatch{op: 'add', path: '/metadata/labels/' + "
                 "jsonpatch.escapeKey('a/b'), value: object.metadata.name}, JSONPatch{op: 'add', "
                 "path: '/spec/containers/-', value: Object.spec.containers{name: 'b', image: "
                 "'y'}}, JSONPatch{op: 'remove', path: '/metadata/labels/app'}]");
  EXPECT_EQ(policies.create(), "");
  EXPECT_EQ(policies.label("a/b"), "web");
  EXPECT_EQ(policies.label("app"), "none");
  const api::View added = policies.pod->result()["spec"]["containers"].item(1);
  EXPECT_EQ(added["image"].text(), "y");
  // With defaults.
  EXPECT_EQ(added["terminationMessagePath"].text(), "/dev/termination-log");
}

TEST(MutatingPolicies, AFailedTestOfAPatchChangesNothing) {
  Policies policies;
  policies.patch("p",
                 "[JSONPatch{op: 'test', path: '/metadata/name', value: 'db'}, JSONPatch{op: "
                 "'add', path: '/metadata/labels/a', value: 'b'}]");
  EXPECT_EQ(policies.create(), "");
  EXPECT_EQ(policies.label("a"), "none");
}

// Lists of an expression share their items, those of a document do not.
TEST(MutatingPolicies, APatchOfSharedValuesIsLimited) {
  const auto paired = [](const std::string& first) {
    std::string source = "[" + first + "]";
    for (int i = 0; i < 60; ++i) source += ".map(x, [x, x])";
    return source;
  };
  Policies patched;
  patched.patch("p",
                "[JSONPatch{op: 'add', path: '/metadata/labels', value: " + paired("1") + "}]");
  EXPECT_NE(patched.create().find("Request entity too large"), std::string::npos);
  Policies compared;
  compared.patch("p", paired("Object.metadata{name: 'a'}") +
                          ".all(x, x == x) ? [] : [JSONPatch{op: 'test', path: '/x', value: 1}]");
  EXPECT_EQ(compared.create(), "");
}

TEST(MutatingPolicies, APatchThatMakesNoObjectEndsTheRequest) {
  Policies policies;
  policies.patch("p", "[JSONPatch{op: 'add', path: '/spec/none', value: 1}]",
                 ", failurePolicy: Ignore");
  EXPECT_EQ(policies.create(),
            "Internal error occurred: strict decoding error: unknown field \"spec.none\"");
  const Status status = policies.status.status();
  EXPECT_EQ(status.code(), 500);
  ASSERT_EQ(status.details().causes.size(), 1U);
  EXPECT_EQ(status.details().causes[0].message,
            "strict decoding error: unknown field \"spec.none\"");
}

TEST(MutatingPolicies, OptionalValuesOfAPatchAreTheirValues) {
  Policies policies;
  policies.patch("p",
                 "[JSONPatch{op: 'add', path: '/metadata/labels/a', value: optional.of('b')}]");
  EXPECT_EQ(policies.create(), "");
  EXPECT_EQ(policies.label("a"), "b");
  policies.patch("p", "[JSONPatch{op: 'add', path: '/metadata/labels/a', value: optional.none()}]");
  EXPECT_EQ(policies.create(),
            denied("p",
                   "JSONPath valueExpression evaluated to a type that could not marshal to JSON: "
                   "optional.none() dereference"));
}

TEST(MutatingPolicies, APatchDoesNotChangeTheKind) {
  const struct {
    const char* name;
    const char* refused;
  } cases[] = {
      {"kind", "converting (v1.Secret) to (core.Pod): unknown conversion"},
      {"apiVersion",
       "Internal error occurred: no kind \"Pod\" is registered for version \"Secret\" in scheme "
       "\"pkg/runtime/scheme.go:111\""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    Policies policies;
    const std::string path = "path: '/" + std::string(c.name) + "'";
    policies.patch("p", "[JSONPatch{op: 'replace', " + path + ", value: 'Secret'}]");
    EXPECT_EQ(policies.create(), c.refused);
    policies.patch("p", "[JSONPatch{op: 'remove', " + path + "}]");
    EXPECT_EQ(policies.create(), "");
    EXPECT_EQ(policies.pod->result()["kind"].text(), "Pod");
    EXPECT_EQ(policies.pod->result()["apiVersion"].text(), "v1");
  }
}

TEST(MutatingPolicies, ApplyConfigurations) {
  Policies policies;
  policies.apply("p",
                 "Object{metadata: Object.metadata{labels: {'a': 'b'}}, spec: Object.spec{"
                 "containers: [Object.spec.containers{name: 'b', image: 'y'}, "
                 "Object.spec.containers{name: 'a', imagePullPolicy: 'Never'}]}}");
  EXPECT_EQ(policies.create(), "");
  EXPECT_EQ(policies.label("a"), "b");
  EXPECT_EQ(policies.label("app"), "web");
  const api::View containers = policies.pod->result()["spec"]["containers"];
  ASSERT_EQ(containers.size(), 2U);
  const api::View first = containers.item(containers.item(0)["name"].text() == "a" ? 0 : 1);
  EXPECT_EQ(first["image"].text(), "x");
  EXPECT_EQ(first["imagePullPolicy"].text(), "Never");
}

TEST(MutatingPolicies, FailInWordsOfThePolicy) {
  struct {
    const char* name;
    const char* expression;
    const char* why;
  } const cases[] = {
      {"atomic", "Object{spec: Object.spec{nodeSelector: {'a': 'b'}}}",
       "error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or "
       "structs: .spec.nodeSelector"},
      {"unknown", "Object{spec: Object.spec{none: 1}}",
       "error applying patch: failed to convert patch object to typed object: .spec.none: field "
       "not declared in schema"},
      {"misplaced", "Object{spec: Object.status{}}",
       "type mismatch: unexpected type name \"Object.status\", expected \"Object.spec\", which "
       "matches field name path from root Object type"},
      {"fails", "Object{spec: Object.spec{nodeName: object.spec.none}}",
       "expression 'Object{spec: Object.spec{nodeName: object.spec.none}}' resulted in error: no "
       "such key: none"},
      {"not compiled", "1", "must evaluate to Object but got int"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    Policies policies;
    policies.apply("p", c.expression);
    EXPECT_EQ(policies.create(), denied("p", c.why));
    const Status status = policies.status.status();
    EXPECT_EQ(status.reason(), Reason::kInvalid);
    EXPECT_EQ(status.code(), 403);
    ASSERT_EQ(status.details().causes.size(), 1U);
    EXPECT_EQ(status.details().causes[0].message, denied("p", c.why));
    policies.apply("p", c.expression, ", failurePolicy: Ignore");
    EXPECT_EQ(policies.create(), "");
  }
}

TEST(MutatingPolicies, AllFailuresAreCauses) {
  Policies policies;
  policies.add("a",
               "mutations: [{patchType: JSONPatch, jsonPatch: {expression: '1'}}], paramKind: "
               "{apiVersion: example.com/v1, kind: Limit}");
  policies.apply("b", "1");
  EXPECT_EQ(policies.create(),
            "policy \"a\" denied request: failed to configure policy: failed to find resource "
            "referenced by paramKind: 'example.com/v1, Kind=Limit'");
  EXPECT_EQ(policies.status.status().reason(), Reason::kForbidden);
  EXPECT_EQ(policies.status.status().details().causes.size(), 2U);
}

TEST(MutatingPolicies, LaterPoliciesSeeWhatEarlierOnesDid) {
  Policies policies;
  policies.apply("a", "Object{metadata: Object.metadata{labels: {'first': 'yes'}}}");
  policies.add("b",
               "variables: [{name: first, expression: 'object.metadata.labels.first'}], "
               "matchConditions: [{name: x, expression: \"'first' in "
               "object.metadata.labels\"}], mutations: [{patchType: ApplyConfiguration, "
               "applyConfiguration: {expression: \"Object{metadata: Object.metadata{labels: "
               "{'second': variables.first}}}\"}}]");
  EXPECT_EQ(policies.create(), "");
  EXPECT_EQ(policies.label("second"), "yes");
}

TEST(MutatingPolicies, ParamsAreApplied) {
  Policies policies;
  policies.world.put("", "configmaps",
                     "{apiVersion: v1, kind: ConfigMap, metadata: {name: one, namespace: default}, "
                     "data: {value: b}}");
  policies.add("p",
               "paramKind: {apiVersion: v1, kind: ConfigMap}, mutations: [{patchType: "
               "ApplyConfiguration, applyConfiguration: {expression: \"Object{metadata: "
               "Object.metadata{labels: {'a': params.data.value}}}\"}}]",
               ", paramRef: {name: one, parameterNotFoundAction: Deny}");
  EXPECT_EQ(policies.create(), "");
  EXPECT_EQ(policies.label("a"), "b");
}

// Both rounds of admission, of a pod with that metadata.
json::Document admitted(Policies& policies, const std::string& metadata) {
  std::vector<NamedPlugin> plugins;
  plugins.push_back({"", make_mutating_policies(policies.world.context()).value()});
  const SystemClock clock;
  const AdmissionChain chain(std::move(plugins), clock);
  json::Document pod = json::parse_yaml("{apiVersion: v1, kind: Pod, metadata: " + metadata +
                                        ", spec: {containers: [{name: a, image: x}]}}")
                           .value();
  Request request;
  request.resource = api::builtin_schema().find_resource("", "v1", "pods");
  request.name_space = "default";
  const Admission admission{
      .request = request, .operation = Operation::kCreate, .old = {}, .dry_run = false};
  EXPECT_EQ(words(chain.admit(api::Edit(pod), admission)), "");
  return pod;
}

TEST(MutatingPolicies, ThoseThatWishToRunAgainAfterAChange) {
  for (const bool again : {false, true}) {
    SCOPED_TRACE(again);
    Policies policies;
    policies.apply("a",
                   "Object{metadata: Object.metadata{labels: {'seen': 'late' in "
                   "object.metadata.labels ? 'yes' : 'no'}}}",
                   again ? ", reinvocationPolicy: IfNeeded" : ", reinvocationPolicy: Never");
    policies.apply("b", "Object{metadata: Object.metadata{labels: {'late': 'x'}}}",
                   ", reinvocationPolicy: Never");
    const json::Document pod = admitted(policies, "{name: web, labels: {a: b}}");
    EXPECT_EQ(api::View(pod.root())["metadata"]["labels"]["seen"].text(), again ? "yes" : "no");
  }
}

TEST(MutatingPolicies, AreCounted) {
  Policies policies;
  policies.patch("p", "[JSONPatch{op: 'add', path: '/metadata/labels/a', value: 'b'}]");
  policies.patch("wrong", "none");
  policies.patch("excluded", "[]", ", matchConditions: [{name: x, expression: 'false'}]");
  EXPECT_NE(policies.create(), "");
  const std::string prefix = "apiserver_mutating_admission_policy_check_";
  for (const char* line : {
           R"(total{policy="p",policy_binding="p",error_type="no_error"} 1)",
           R"(total{policy="wrong",policy_binding="wrong",error_type="compile_error"} 1)",
           R"(duration_seconds_count{policy="p",policy_binding="p",error_type="no_error"} 1)",
       }) {
    EXPECT_TRUE(policies.world.counted(prefix + line)) << line << policies.world.metrics_text();
  }
  EXPECT_TRUE(policies.world.counted(
      R"(apiserver_admission_match_condition_evaluation_seconds_count{name="excluded",)"
      R"(kind="policy",type="validate",operation="CREATE"} 1)"))
      << policies.world.metrics_text();
}

TEST(MutatingPolicies, ThoseThatWishToRunAgainAfterTheirOwnChange) {
  for (const bool again : {false, true}) {
    SCOPED_TRACE(again);
    Policies policies;
    policies.patch("a", "[JSONPatch{op: 'add', path: '/metadata/finalizers/-', value: 'x/y'}]",
                   again ? ", reinvocationPolicy: IfNeeded" : ", reinvocationPolicy: Never");
    const json::Document pod = admitted(policies, "{name: web, finalizers: [a/b]}");
    EXPECT_EQ(api::View(pod.root())["metadata"]["finalizers"].size(), again ? 3U : 2U);
  }
}

}  // namespace
}  // namespace proa::apiserver
