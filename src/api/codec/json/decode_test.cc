#include "api/codec/json/decode.h"

#include <gtest/gtest.h>

#include "api/schema/builtin.h"
#include "json/print.h"

namespace proa::api {
namespace {

const Type& type_named(std::string_view name) {
  const Type* type = builtin_schema().find_openapi("io.k8s.api." + std::string(name));
  CHECK(type != nullptr);
  return *type;
}

std::string meta_type(std::string_view name) {
  return "io.k8s.apimachinery.pkg.apis.meta.v1." + std::string(name);
}

// The result or the failure.
std::string decoded(std::string_view text, const Type& type,
                    FieldValidation validation = FieldValidation::kIgnore) {
  const auto result = decode_json(text, type, validation);
  if (!result.ok()) {
    EXPECT_TRUE(result.is(Reason::kBadRequest));
    return result.status().message();
  }
  return json::print(result->document.root());
}

struct Case {
  const char* name;
  const char* type;
  const char* text;
  const char* expected;
};

void run_cases(std::span<const Case> cases) {
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    EXPECT_EQ(decoded(one.text, type_named(one.type)), one.expected);
  }
}

TEST(DecodeJson, PrintsWhatUpstreamPrints) {
  const Case cases[] = {
      {"fields in the order of the type, unknown ones gone", "core.v1.ConfigMap",
       R"({"data":{"b":"2","a":"1"},"extra":{"x":1},"metadata":{"name":"c"},"kind":"ConfigMap","apiVersion":"v1"})",
       R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"c"},"data":{"a":"1","b":"2"}})"},
      {"messages that are no pointers stay", "apps.v1.Deployment", R"({"kind":"Deployment"})",
       R"({"kind":"Deployment","metadata":{},"spec":{"selector":null,"template":{"metadata":{},"spec":{"containers":null}},"strategy":{}},"status":{}})"},
      {"names are case-sensitive", "core.v1.ConfigMap", R"({"Data":{"a":"1"}})",
       R"({"metadata":{}})"},
      {"null is as good as nothing", "core.v1.ConfigMap",
       R"({"kind":null,"metadata":null,"data":null,"immutable":null})", R"({"metadata":{}})"},
      {"a pointer keeps its zero", "core.v1.ConfigMap", R"({"immutable":false,"data":{}})",
       R"({"metadata":{},"immutable":false})"},
      {"zero, empty and false are left out", "core.v1.Container",
       R"({"name":"","image":"","args":[],"stdin":false,"resources":{}})",
       R"({"name":"","resources":{}})"},
      {"required fields never are", "core.v1.ContainerPort", R"({"protocol":""})",
       R"({"containerPort":0})"},
      {"null items become zero", "core.v1.ConfigMap", R"({"data":{"a":null}})",
       R"({"metadata":{},"data":{"a":""}})"},
      {"lists that must be there are null or empty", "rbac.v1.PolicyRule", R"({"verbs":[]})",
       R"({"verbs":[]})"},
      {"times are in UTC, without a fraction", "core.v1.PodCondition",
       R"({"type":"t","status":"s","lastProbeTime":null,"lastTransitionTime":"2026-01-02T03:04:05.678+02:00"})",
       R"({"type":"t","status":"s","lastProbeTime":null,"lastTransitionTime":"2026-01-02T01:04:05Z"})"},
      {"the zero time is null", "core.v1.PodCondition",
       R"({"type":"","status":"","lastTransitionTime":"0001-01-01T00:00:00Z"})",
       R"({"type":"","status":"","lastProbeTime":null,"lastTransitionTime":null})"},
      {"far years", "core.v1.PodStatus", R"({"startTime":"9999-12-31T23:59:59Z"})",
       R"({"startTime":"9999-12-31T23:59:59Z"})"},
      {"microseconds", "coordination.v1.LeaseSpec",
       R"({"renewTime":"2026-01-02T03:04:05.123456-01:00"})",
       R"({"renewTime":"2026-01-02T04:04:05.123456Z"})"},
      {"quantities are canonical, numbers too", "core.v1.ResourceRequirements",
       R"({"limits":{"memory":"1024Ki","cpu":0.5}})",
       R"({"limits":{"cpu":"500m","memory":"1Mi"}})"},
      {"numbers and strings", "core.v1.ServicePort", R"({"port":1,"targetPort":"http"})",
       R"({"port":1,"targetPort":"http"})"},
      {"int or string is a struct", "core.v1.ServicePort", R"({"port":1})",
       R"({"port":1,"targetPort":0})"},
      {"base64 without line ends", "core.v1.Secret", R"({"data":{"k":"aGVs\nbG9="}})",
       R"({"metadata":{},"data":{"k":"aGVsbG8="}})"},
      {"raw objects stay as they are", "apps.v1.ControllerRevision",
       R"({"data":{"z":1,"a":{"b":null}},"revision":1})",
       R"({"metadata":{},"data":{"z":1,"a":{"b":null}},"revision":1})"},
      {"inline fields stand in their parent", "core.v1.Volume", R"({"emptyDir":{},"name":"v"})",
       R"({"name":"v","emptyDir":{}})"},
  };
  run_cases(cases);
}

TEST(DecodeJson, SaysWhatDoesNotFitInTheWordsOfGo) {
  const Case cases[] = {
      {"a string for a number", "apps.v1.Deployment", R"({"spec":{"replicas":"3"}})",
       "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type "
       "int32"},
      {"a fraction", "apps.v1.Deployment", R"({"spec":{"replicas":1.5}})",
       "json: cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of "
       "type int32"},
      {"beyond 32 bits", "apps.v1.Deployment", R"({"spec":{"replicas":3000000000}})",
       "json: cannot unmarshal number 3000000000 into Go struct field "
       "DeploymentSpec.spec.replicas of type int32"},
      {"an object for a list", "core.v1.Pod", R"({"spec":{"containers":{}}})",
       "json: cannot unmarshal object into Go struct field PodSpec.spec.containers of type "
       "[]v1.Container"},
      {"positions are not named", "core.v1.Pod", R"({"spec":{"containers":[{"name":1}]}})",
       "json: cannot unmarshal number into Go struct field Container.spec.containers.name of type "
       "string"},
      {"nor are keys", "core.v1.ConfigMap", R"({"data":{"a":true}})",
       "json: cannot unmarshal bool into Go struct field ConfigMap.data of type string"},
      {"a list for an object", "core.v1.Pod", R"({"metadata":[]})",
       "json: cannot unmarshal array into Go struct field Pod.metadata of type v1.ObjectMeta"},
      {"at the top", "core.v1.Pod", R"([])",
       "json: cannot unmarshal array into Go value of type v1.Pod"},
      {"no time", "core.v1.Pod", R"({"metadata":{"creationTimestamp":"now"}})",
       R"(parsing time "now" as "2006-01-02T15:04:05Z07:00": cannot parse "now" as "2006")"},
      {"a number for a time", "core.v1.Pod", R"({"metadata":{"creationTimestamp":1}})",
       "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.creationTimestamp "
       "of type string"},
      {"no quantity", "core.v1.ResourceRequirements", R"({"limits":{"cpu":"a lot"}})",
       "quantities must match the regular expression "
       "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"},
      {"no base64", "core.v1.Secret", R"({"data":{"k":"a!"}})",
       "illegal base64 data at input byte 1"},
  };
  run_cases(cases);
}

TEST(DecodeJson, ReadsSchemasThatMayBeSomethingElse) {
  const Type& type = *builtin_schema().find_openapi(
      "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps");
  EXPECT_EQ(decoded(R"({"additionalProperties":true})", type), R"({"additionalProperties":true})");
  EXPECT_EQ(decoded(R"({"additionalProperties":{"type":"string","x":1}})", type,
                    FieldValidation::kStrict),
            R"({"additionalProperties":{"type":"string"}})");
  EXPECT_EQ(decoded(R"({"additionalProperties":"no"})", type), "boolean or JSON schema expected");
  EXPECT_EQ(decoded(R"({"items":[{"type":"a"},{}]})", type), R"({"items":[{"type":"a"},{}]})");
  EXPECT_EQ(decoded(R"({"dependencies":{"a":["b"],"c":{"type":"d"}}})", type),
            R"({"dependencies":{"a":["b"],"c":{"type":"d"}}})");
  EXPECT_EQ(decoded(R"({"items":[]})", type), "{}");
  EXPECT_EQ(decoded(R"({"dependencies":{"a":[]}})", type), R"({"dependencies":{"a":null}})");
  EXPECT_EQ(decoded(R"({"default":{"b":1,"a":[null]}})", type),
            R"({"default":{"b":1,"a":[null]}})");
}

TEST(DecodeJson, StrictlyNamesUnknownAndDuplicateFieldsInTheirOrder) {
  const Type& deployment = type_named("apps.v1.Deployment");
  // From the conformance test "should detect unknown and duplicate fields of a typed object".
  EXPECT_EQ(decoded(R"({"spec":{"unknownField":"foo","replicas":2,"replicas":3}})", deployment,
                    FieldValidation::kStrict),
            "strict decoding error: unknown field \"spec.unknownField\", duplicate field "
            "\"spec.replicas\"");
  EXPECT_EQ(
      decoded(R"({"metadata":{"name":"a","name":"b"},"spec":{"unknown1":{"deep":1,"deep":2},)"
              R"("unknownDupe":1,"unknownDupe":2,"paused":true,"paused":false,"template":{"spec":)"
              R"({"containers":[{"nested":1,"image":"a","image":"b"}]}}}})",
              deployment, FieldValidation::kStrict),
      "strict decoding error: duplicate field \"metadata.name\", unknown field \"spec.unknown1\", "
      "unknown field \"spec.unknownDupe\", duplicate field \"spec.paused\", unknown field "
      "\"spec.template.spec.containers[0].nested\", duplicate field "
      "\"spec.template.spec.containers[0].image\"");
  EXPECT_EQ(decoded(R"({"metadata":{"labels":{"a.b/c":"1","a.b\/c":"2"}}})", deployment,
                    FieldValidation::kStrict),
            "strict decoding error: duplicate field \"metadata.labels.a.b/c\"");
}

TEST(DecodeJson, DoesNotLookIntoRawObjects) {
  EXPECT_EQ(decoded(R"({"data":{"a":1,"a":2},"revision":1})",
                    type_named("apps.v1.ControllerRevision"), FieldValidation::kStrict),
            R"({"metadata":{},"data":{"a":2},"revision":1})");
}

TEST(DecodeJson, NamesAHundredProblemsAtMost) {
  std::string text = "{";
  for (int i = 0; i < 1000; ++i) text += "\"x" + std::to_string(i) + "\":1,";
  text += "\"kind\":\"Pod\"}";
  const auto result = decode_json(text, type_named("core.v1.Pod"), FieldValidation::kWarn);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->warnings.size(), 100);
  EXPECT_EQ(result->warnings.front(), "unknown field \"x0\"");
}

TEST(DecodeJson, OnlyWarnsOrKeepsSilent) {
  const Type& type = type_named("core.v1.Pod");
  const auto warned = decode_json(R"({"foo":1})", type, FieldValidation::kWarn);
  ASSERT_TRUE(warned.ok());
  EXPECT_EQ(warned->warnings, std::vector<std::string>{"unknown field \"foo\""});
  const auto ignored = decode_json(R"({"foo":1})", type, FieldValidation::kIgnore);
  ASSERT_TRUE(ignored.ok());
  EXPECT_TRUE(ignored->warnings.empty());
}

TEST(DecodeJson, RefusesShortTextThatWouldBecomeEnormous) {
  // Each "{}" becomes an object of a dozen members.
  std::string text = R"({"items":[)";
  for (int i = 0; i < 200'000; ++i) text += "{},";
  text += "{}]}";
  const auto result = decode_json(text, type_named("core.v1.NodeList"), FieldValidation::kIgnore);
  EXPECT_TRUE(result.is(Reason::kRequestEntityTooLarge));
}

TEST(DecodeJson, PaysForValuesAndMemory) {
  const Type& pod = type_named("core.v1.Pod");
  const auto pod_of = [](std::string_view container, int count) {
    std::string text = R"({"spec":{"containers":[)";
    for (int i = 0; i < count; ++i) text.append(i == 0 ? "" : ",").append(container);
    return text + "]}}";
  };
  const auto read = [&](const std::string& text, const Budget::Limits& limits = {}) {
    Budget budget(limits);
    return decode_json(text, pod, FieldValidation::kIgnore, &budget);
  };
  EXPECT_TRUE(read(pod_of("null", 20'000)).ok());
  // Each becomes an object.
  const auto nulls = read(pod_of("null", 20'000), {.memory = 1'000'000});
  ASSERT_TRUE(nulls.is(Reason::kRequestEntityTooLarge));
  EXPECT_EQ(nulls.status().message(),
            "Request entity too large: the object takes more than 1000000 bytes of memory");
  const auto many = read(pod_of("{}", 700'000));
  ASSERT_TRUE(many.is(Reason::kRequestEntityTooLarge));
  EXPECT_EQ(many.status().message(),
            "Request entity too large: the body has more than 250000 values");
}

TEST(DecodeJson, BoundsTheBytesOfProblems) {
  const Type& type = *builtin_schema().find_openapi(
      "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps");
  const auto read = [&](const std::string& members) {
    return decode_json(
        R"({"properties":{")" + std::string(1'000'000, 'k') + "\":{" + members + "}}}", type,
        FieldValidation::kWarn);
  };
  std::string unknown = "\"a\":1";
  std::string repeated = "\"title\":\"\"";
  for (int i = 0; i < 50'000; ++i) {
    unknown += ",\"x" + std::to_string(i) + "\":1";
    repeated += ",\"title\":\"\"";
  }
  for (const std::string& members : {unknown, repeated}) {
    const auto result = read(members);
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result->warnings.size(), 1U);
  }
}

TEST(DecodeYaml, PaysForValues) {
  const Type& pod = type_named("core.v1.Pod");
  std::string text = "spec: {nodeSelector: {a: b}, containers: [";
  for (int i = 0; i < 300'000; ++i) text += "{},";
  Budget budget;
  EXPECT_TRUE(decode_yaml(text + "]}", pod, FieldValidation::kIgnore, &budget)
                  .is(Reason::kRequestEntityTooLarge));
  // The JSON in between is not counted again.
  Budget enough({.values = 9});
  EXPECT_TRUE(
      decode_yaml("spec: {nodeSelector: {a: b}}", pod, FieldValidation::kIgnore, &enough).ok());
}

TEST(DecodeYaml, GoesThroughTheSameDecoder) {
  const auto result = decode_yaml("kind: Deployment\nspec:\n  replicas: 3.0\n  foo: 1\n",
                                  type_named("apps.v1.Deployment"), FieldValidation::kWarn);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->document.root().find("spec")->find("replicas")->as_int(), 3);
  EXPECT_EQ(result->warnings, std::vector<std::string>{"unknown field \"spec.foo\""});
}

TEST(DecodeYaml, TakesTheLastOfDuplicateKeys) {
  constexpr std::string_view kText = "data:\n  a: '1'\n  a: '2'\nfoo: 1\nfoo: 2\n";
  const Type& type = type_named("core.v1.ConfigMap");
  const auto warned = decode_yaml(kText, type, FieldValidation::kWarn);
  ASSERT_TRUE(warned.ok()) << warned.status().message();
  EXPECT_EQ(json::print(*warned->document.root().find("data")), R"({"a":"2"})");
  EXPECT_EQ(warned->duplicate_lines,
            (std::vector<std::string>{"line 3: key \"a\" already set in map",
                                      "line 5: key \"foo\" already set in map"}));
  EXPECT_EQ(warned->warnings, std::vector<std::string>{"unknown field \"foo\""});

  const auto ignored = decode_yaml(kText, type, FieldValidation::kIgnore);
  ASSERT_TRUE(ignored.ok()) << ignored.status().message();
  EXPECT_TRUE(ignored->duplicate_lines.empty());

  const auto strict = decode_yaml(kText, type, FieldValidation::kStrict);
  EXPECT_EQ(strict.status().message(),
            "strict decoding error: yaml: unmarshal errors:\n"
            "  line 3: key \"a\" already set in map\n"
            "  line 5: key \"foo\" already set in map, unknown field \"foo\"");
}

TEST(DecodeDocument, ChecksWhatAPatchLeftBehind) {
  json::Document document;
  document.root() = json::Value::object();
  document.root().set(document.arena(), "foo", json::Value::integer(1));
  const auto result =
      decode_document(std::move(document), type_named("core.v1.Pod"), FieldValidation::kStrict);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().message(), "strict decoding error: unknown field \"foo\"");
}

TEST(DecodeJson, SaysWhatTheServerSaysAroundIt) {
  const Status status =
      cannot_be_handled("Deployment", "v1", "Deployment", {Reason::kBadRequest, "json: no"});
  EXPECT_EQ(status.message(),
            "Deployment in version \"v1\" cannot be handled as a Deployment: json: no");
}

TEST(DecodeJson, PrunesTheOptionsOfADeletion) {
  const Type& type = *builtin_schema().find_openapi(meta_type("DeleteOptions"));
  EXPECT_EQ(decoded(R"({"gracePeriodSeconds":0,"preconditions":{"uid":"u","x":1}})", type),
            R"({"gracePeriodSeconds":0,"preconditions":{"uid":"u"}})");
}

}  // namespace
}  // namespace proa::api
